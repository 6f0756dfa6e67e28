"""What matters now: chosen, ranked, and packed into a budget."""
