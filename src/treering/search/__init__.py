"""Search: a Whoosh index derived from git blobs, our own ranking over it, and what it means.

Nothing in here is true by itself: every file may be deleted at any time and is built again.
"""

from treering.search.engine import Index
from treering.search.entry import Entry
from treering.search.hits import Hit, SearchResult
from treering.search.meaning.models import ModelChoice
from treering.search.meaning.protocol import Embedder
from treering.search.similarity import Family, families, share_of_terms
from treering.search.understanding import Understanding

__all__ = [
    "Embedder",
    "Entry",
    "Family",
    "Hit",
    "Index",
    "ModelChoice",
    "SearchResult",
    "Understanding",
    "families",
    "share_of_terms",
]  # fmt: skip
