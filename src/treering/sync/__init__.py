"""What goes to a remote and what comes from it."""
