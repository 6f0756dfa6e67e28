"""Every figure the docs quote, printed as ratios taken in one run: `python -m benchmarks`."""
