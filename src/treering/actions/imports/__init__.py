"""import: what other programs remember becomes memories, each record checked on its own."""
