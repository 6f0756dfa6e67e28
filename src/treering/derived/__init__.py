"""Rows derived from git's objects, in one SQLite file that may be deleted at any time."""
