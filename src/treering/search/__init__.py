"""Search: a Whoosh index derived from git blobs, our own ranking over it, and an optional model.

Nothing in here is true by itself: every file may be deleted at any time and is built again.
"""

from treering.search.engine import Index
from treering.search.entry import Entry
from treering.search.hits import Hit, SearchResult
from treering.search.semantic import Embedder, embedder_named
from treering.search.similarity import Family, families, share_of_terms

__all__ = [
    "Embedder",
    "Entry",
    "Family",
    "Hit",
    "Index",
    "SearchResult",
    "embedder_named",
    "families",
    "share_of_terms",
]  # fmt: skip
