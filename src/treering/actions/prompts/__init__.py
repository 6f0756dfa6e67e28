"""Saved prompts and templates."""
