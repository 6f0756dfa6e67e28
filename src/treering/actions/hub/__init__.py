"""What is asked of the hub: questions to many repositories, and its upkeep."""
