"""The door git comes through: shims that note what happened, a worker that looks at it later."""
