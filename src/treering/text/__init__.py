"""Reading of texts: words, types, names, credentials, signs of steering."""
