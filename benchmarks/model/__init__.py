"""Makes the table of token vectors that search by meaning uses as installed."""
