"""Exchange of memories with a remote."""
