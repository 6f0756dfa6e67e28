"""Search: a Whoosh index derived from git blobs, our own ranking over it, and an optional model.

Nothing in here is true by itself: every file may be deleted at any time and is built again.
"""

from treering.index.engine import Index
from treering.index.entry import Entry
from treering.index.found import Found, Hit
from treering.index.likeness import Family, families, shared
from treering.index.semantic import Embedder, embedder_named

__all__ = [
    "Embedder", "Entry", "Family", "Found", "Hit", "Index", "embedder_named", "families", "shared",
]  # fmt: skip
