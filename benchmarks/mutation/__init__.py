"""Small faults put into the code, one at a time: a test should notice each of them."""
