"""Ways in: what becomes a memory, and what must not."""
