"""Ways: what branches are and what became of them, and so which scopes are seen from where."""
