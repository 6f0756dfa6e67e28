"""What agents' clients write down of a session, and what of it is worth keeping."""
