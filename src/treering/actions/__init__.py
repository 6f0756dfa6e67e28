"""One module a verb: what the doors call. Values come in, values or errors go out."""
