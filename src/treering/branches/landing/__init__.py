"""Whether a branch's code has landed."""
