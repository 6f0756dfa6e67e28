"""Merging: histories of one scope, versions of one memory."""
