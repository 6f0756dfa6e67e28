"""Questions to the many repositories of a hub, and its upkeep."""
