"""Truth: memories in commits on refs of their own, and the only code that writes them."""
