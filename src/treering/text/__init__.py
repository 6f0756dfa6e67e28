"""What a text says, and what it must not: words, types, names, credentials, signs of steering."""
