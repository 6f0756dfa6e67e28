"""The hub in PostgreSQL: for more repositories than one folder should hold."""
