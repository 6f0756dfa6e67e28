"""Housekeeping: what `maintain` does."""
