"""Search by meaning: models that turn texts into vectors, and the vectors of memories."""
