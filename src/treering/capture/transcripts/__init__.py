"""Transcripts of sessions as agents' clients write them, and the parts worth keeping."""
