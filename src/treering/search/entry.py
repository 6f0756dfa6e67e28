"""A memory as search keeps it besides its terms: the fields that filter, order and count."""

from collections import Counter
from typing import NamedTuple

from treering.model.dates import instant
from treering.model.mark import mark_of
from treering.model.memory import Memory, age_of_link
from treering.model.taxonomy import RECORD_TYPES
from treering.search.analysis import terms
from treering.text import likeness


class Entry(NamedTuple):
    """One indexed memory.

    `place` orders memories of one moment, `length` counts the terms, `sketch` is packed.
    A link is its relation, target, confidence, who made it and when, 0 where that was not noted.
    `flags` are what looks wrong with it; None where nobody has looked yet. `outcome` is how it
    turned out, where somebody said so. `said` is when it got the content it has,
    `title_sketch` the smallest hashes of its title's terms, packed.
    """

    blob: str
    id: str
    type: str
    title: str
    status: str
    created: float
    modified: float
    confidence: float
    author: str
    agent: str
    session: str
    topic: str
    tags: tuple[str, ...]
    files: tuple[str, ...]
    links: tuple[tuple[str, str, float, str, float], ...]
    place: int
    length: int
    sketch: bytes
    flags: tuple[str, ...] | None
    outcome: str = ""
    said: float = 0.0
    title_sketch: bytes = b""

    @property
    def mark(self) -> str:
        """The mark of its repository in a hub (see model/mark.py); empty in a repository."""
        return mark_of(self.id)


def entry_of(
    blob: str,
    memory: Memory,
    counts: dict[str, int],
    flags: tuple[str, ...] | None = None,
    said: float | None = None,
) -> Entry:
    """The entry of a memory whose terms were counted."""
    memory = memory.as_indexed
    return Entry(
        blob,
        memory.id,
        memory.type,
        memory.title,
        memory.status,
        instant(memory.created),
        instant(memory.modified),
        memory.confidence,
        memory.author,
        memory.agent,
        memory.session,
        memory.topic,
        memory.tags,
        tuple(file.path for file in memory.files),
        tuple(
            (link.relation, link.target, link.confidence, link.by, age_of_link(link))
            for link in memory.links
        ),
        _place_of(memory),
        sum(counts.values()),
        likeness.pack(likeness.sketch(counts, likeness.INDEX_SKETCH)),
        flags,
        memory.outcome or "",
        instant(memory.modified) if said is None else said,
        likeness.pack(likeness.sketch(terms(memory.title), likeness.TITLE_SKETCH)),
    )


def _place_of(memory: Memory) -> int:
    """Return where an imported memory stood among those of its moment; 0 where nobody said."""
    place = memory.details.get("place")
    return place if isinstance(place, int) and 0 <= place < 1 << 31 else 0


def searchable_text(memory: Memory) -> str:
    """The one text a memory is found by; the title counts twice, which beat a field of its own."""
    memory = memory.as_indexed
    paths = " ".join(file.path for file in memory.files)
    title = "" if memory.content.startswith(memory.title) else memory.title
    tags = " ".join(memory.tags)
    return f"{memory.title}\n{title}\n{tags}\n{memory.topic}\n{paths}\n{memory.content}"


def count_terms(memory: Memory) -> Counter[str]:
    """The terms a memory is found by, and how often each occurs."""
    return Counter(terms(searchable_text(memory)))


def describe(blob: str, memory: Memory) -> Entry:
    """The entry of a memory nobody has looked at, with the dates it gives itself."""
    return entry_of(blob, memory, count_terms(memory))


def hashes_of(entry: Entry) -> likeness.Sketch:
    """The sketch of a memory's terms."""
    return likeness.unpack(entry.sketch)


# --- keys -----------------------------------------------------------------------------------------

# By these what replaces a memory, or is like it, is looked up, so the cost of finding it does not
# grow with the number of memories: a small hash of its words, or of its title's, which texts that
# are alike share; and the memories that it says it replaces.
_ALIKE = "alike "
_HASH = 4  # bytes
_PROBES = 4 * _HASH


def keys_of(entry: Entry) -> list[str]:
    """All keys a memory is found by."""
    targets = (link[1] for link in entry.links if link[0] == "supersedes")
    keys = [superseding_key(target) for target in targets]
    return keys + alike_keys(entry) if is_compared(entry.type) else keys


def superseding_key(memory_id: str) -> str:
    """The key of those that say they replace a memory."""
    return f"supersedes {memory_id}"


def alike_keys(entry: Entry) -> list[str]:
    """The keys a memory shares with most that are like it. Sketches are packed smallest first."""
    hashes = entry.sketch[:_PROBES] + entry.title_sketch
    pieces = (hashes[at : at + _HASH].hex() for at in range(0, len(hashes), _HASH))
    start = entry.mark + _ALIKE
    return [start + piece for piece in dict.fromkeys(pieces)]


def is_compared(kind: str) -> bool:
    """Return whether memories of a type are compared with others by their words: records are not,
    which tell what was done and hold for ever."""
    return kind not in RECORD_TYPES
