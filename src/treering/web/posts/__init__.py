"""What forms do, each by the verb of the same name."""
