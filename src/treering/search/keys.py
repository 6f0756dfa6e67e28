"""Keys in the postings, by which a memory is found besides its terms.

    alike H         a small hash of its words, or of its title's: texts that are alike share one
    supersedes ID   a memory it says it replaces

So those that may outdate a memory are looked up, however many there are. No term of a text begins
with the mark that keys begin with.
"""

from treering.model.taxonomy import RECORD_TYPES
from treering.search.analysis import terms_in
from treering.search.entry import Entry
from treering.text.likeness import sketch, smallest, unpack_cached

_MARK = "\0"
_PROBES = 4
_TITLE_PROBES = 3


def keys_of(entry: Entry) -> list[str]:
    """All keys a memory is found by."""
    keys = [superseding_key(link[1]) for link in entry.links if link[0] == "supersedes"]
    return keys + alike_keys(entry) if is_compared(entry.type) else keys


def superseding_key(memory_id: str) -> str:
    """The key of those that say they replace a memory."""
    return f"{_MARK}supersedes {memory_id}"


def alike_keys(entry: Entry) -> list[str]:
    """The keys a memory shares with most that are like it."""
    hashes = smallest(unpack_cached(entry.sketch), _PROBES)
    hashes += smallest(sketch(terms_in(entry.title)), _TITLE_PROBES)
    return [f"{_MARK}alike {number:x}" for number in dict.fromkeys(hashes)]


def is_compared(kind: str) -> bool:
    """Whether memories of a type are compared with others by their words: sessions and progress
    are not, which tell what was done and hold for ever."""
    return kind == "commit" or kind not in RECORD_TYPES
