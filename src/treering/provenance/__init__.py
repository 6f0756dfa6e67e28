"""Who wrote what memories say, and when: derived from the history of scopes."""
