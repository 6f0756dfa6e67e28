"""Expansion of a question beyond its words: near texts, and other words for the same.

One for each index. It sees every memory as it is indexed, keeps what it needs beside the index, and
is asked once a question. It never fails: a model that does costs its part of the answer, no more.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from treering.derived.database import Database
from treering.model.memory import Memory
from treering.search.matching import Request
from treering.search.meaning.library import VectorLibrary
from treering.search.meaning.protocol import Embedder, Meaning
from treering.search.synonyms import TAG, Synonyms, synonyms_of
from treering.search.visible import VisibleEntries

Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]

_MOST_LISTS = 20  # memories with words of the project
_SLOWLY = 200  # vectors of a slow model that are made after a command


class SemanticMatch(NamedTuple):
    """The meaning of one question, beyond its words."""

    meaning: Meaning | None = None
    synonyms: Synonyms | None = None
    has_model: bool = False


class SemanticSearch:
    """The models and words of one index.

    `own_words` gives the project's own synonyms as a text; without it, memories with synonyms do
    not count either. Not safe for threads: Index takes the lock.
    """

    def __init__(
        self,
        database: Database | None = None,
        embedders: Iterable[Embedder] = (),
        *,
        own_words: Callable[[], str] | None = None,
    ) -> None:
        self.library = VectorLibrary(database or Database(None), embedders)
        self._own_words = own_words
        self._lists: tuple[VisibleEntries | None, tuple[str, ...]] = (None, ())

    def sense(self, request: Request, view: VisibleEntries, read: Read) -> SemanticMatch:
        """Return what a question means; nothing where only its words count, or it has none."""
        if request.mode == "text" or request.query.is_empty:
            return SemanticMatch()
        return SemanticMatch(
            self._meaning(request.query.words, view, read),
            synonyms_of(request.query.words, *self._texts(view, read)),
            bool(self.library),
        )

    def note(self, blob: str, memory: Memory) -> None:
        """A memory is being indexed."""
        try:
            self.library.note(blob, memory)
        except Exception:  # it is searchable by its words, and its vector is made when it is missed
            return

    def complete(self, blobs: Iterable[str], read: Read) -> None:
        """Make what is missing after a command, in a process that nobody waits for."""
        self.library.complete(blobs, read, _SLOWLY)

    def _meaning(self, words: str, view: VisibleEntries, read: Read) -> Meaning | None:
        from treering.search.engine import ReadError

        try:
            return self.library.meaning(words, view, read)
        except ReadError:
            raise
        except Exception:
            return self._meaning(words, view, read) if self.library.leave_slow() else None

    def _texts(self, view: VisibleEntries, read: Read) -> tuple[str, ...]:
        """The project's own words: those of the setting, and of memories tagged so."""
        if self._own_words is None:
            return ()
        if self._lists[0] is not view:
            lists = sorted(_lists_in(view))[:_MOST_LISTS]
            self._lists = (view, tuple(memory.content for _, memory in read(lists)))
        own = self._own_words()
        return (own, *self._lists[1]) if own else self._lists[1]


def _lists_in(view: VisibleEntries) -> Iterator[str]:
    """Conventions tagged `synonyms`, unless something looks wrong with them."""
    for number in view.snapshot.weights("synonym"):
        if number in view.in_force:
            entry = view.entry(number)
            if entry.type == "convention" and TAG in entry.tags and not entry.flags:
                yield entry.blob
