"""Words: what a memory is, how it is written down, what its scope is called. No I/O."""
