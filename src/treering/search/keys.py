"""Keys by which what replaces a memory, or is like it, is looked up.

    HASH            a small hash of its words, or of its title's: texts that are alike share one
    supersedes ID   a memory it says it replaces

So the cost of finding them does not grow with the number of memories.
"""

from treering.model.taxonomy import RECORD_TYPES
from treering.search.entry import Entry

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
