"""Signs that a text was written to steer an agent."""
