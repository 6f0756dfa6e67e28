"""Links between memories: derived from what is stored, drawn, walked, and inferred."""
