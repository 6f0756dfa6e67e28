"""The vectors of one index's memories: made as they are indexed, kept as rows, asked by search.

Not safe for threads: Index takes the lock.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice

from treering.derived.database import Database
from treering.model.memory import Memory
from treering.model.pattern import lazy_pattern
from treering.search.meaning.nearness import Nearness, VectorView, embed_question
from treering.search.meaning.protocol import Embedder, Meaning
from treering.search.meaning.vectors import SmallVector, VectorColumns, VectorTable, shrink
from treering.search.visible import VisibleEntries

_TOGETHER = 64
_A_FEW = 500  # vectors that are made while somebody waits, where memories were indexed without
_MISSED = 0.1  # of what is seen may be without a vector of the slow model
_MAX_TEXT = 2000  # characters of a memory; what it is about is said by then
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")

Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]


class MemoryVectors:
    """Vectors that one model makes of the memories of one index."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._embedder = embedder
        self._database = database
        self._new: dict[str, SmallVector] = {}
        self._due: dict[str, Memory] = {}
        self._failed: set[str] = set()

    @cached_property
    def _table(self) -> VectorTable:
        name = hashlib.sha256(self._embedder.name.encode()).hexdigest()[:12]
        return VectorTable(self._database, name, self._embedder.dimensions)

    @cached_property
    def _columns(self) -> VectorColumns:
        """The vectors at hand."""
        return VectorColumns(self._embedder.dimensions)

    @property
    def is_quick(self) -> bool:
        return self._embedder.is_quick

    def note(self, blob: str, memory: Memory) -> None:
        """A memory is being indexed: its vector is made when somebody asks for vectors, which who
        reads a memory does not."""
        self._due[blob] = memory
        if len(self._due) >= _TOGETHER:
            self._make_due()

    def _make_due(self) -> None:
        due, self._due = self._due, {}
        if due:
            self._load(due)
        with suppress(Exception):  # they are searchable by their words, and made when missed
            for blob, memory in due.items():
                if blob not in self._columns.rows:
                    self._add(blob, self._vectors([text_of(memory)])[0])

    def _load(self, blobs: Iterable[str]) -> None:
        """Have the vectors of some blobs at hand that were made before, by whomever."""
        rows = self._columns.rows
        if new := [blob for blob in blobs if blob not in rows]:
            self._table.load(new, self._columns)

    def flush(self) -> None:
        """Write what is new to disk."""
        self._make_due()
        if self._new:
            new, self._new = self._new, {}
            self._table.write(new.items())
            self._embedder.rest()

    def missing(self, blobs: Iterable[str]) -> list[str]:
        """List those of some blobs that have no vector; not those that cannot have one."""
        self._make_due()
        wanted = list(blobs)
        self._load(wanted)
        rows = self._columns.rows
        return [blob for blob in wanted if blob not in rows and blob not in self._failed]

    def make(self, blobs: Iterable[str], read: Read, limit: int | None = None) -> int:
        """Make what is missing of these, and keep it; return how many that were."""
        missing = self.missing(blobs)[:limit]
        memories, count = read(missing), 0
        while part := list(islice(memories, _TOGETHER)):
            vectors = self._vectors([text_of(memory) for _, memory in part])
            for (blob, _), vector in zip(part, vectors, strict=True):
                self._add(blob, vector)
            count += len(part)
            if not self.is_quick:
                self.flush()  # each took a while: a process that ends now loses little
        self._failed.update(blob for blob in missing if blob not in self._columns.rows)
        self.flush()
        return count

    def keep_only(self, blobs: Iterable[str]) -> None:
        """Forget the vectors of everything else."""
        self._table.keep_only(blobs)
        self._columns = VectorColumns(self._embedder.dimensions)
        self._new = {}

    def meaning(self, words: str, view: VisibleEntries) -> Meaning | None:
        """Return how near the documents of a view are to these words; None where they say
        nothing."""
        snapshot = view.snapshot
        question = embed_question(
            self._embedder, words, snapshot.count, lambda term: len(snapshot.weights(term))
        )
        if question is None:
            return None
        return Nearness(VectorView(view, self._columns), question, self._embedder)

    def _add(self, blob: str, vector: SmallVector) -> None:
        self._columns.add(blob, vector)
        self._new[blob] = vector

    def _vectors(self, texts: list[str]) -> list[SmallVector]:
        return [shrink(values) for values in self._embedder.embed(texts)]


def text_of(memory: Memory) -> str:
    """Return what is embedded; names in the title are taken apart, since models know words, not
    names."""
    title = _HUMP.sub(" ", memory.title.replace("_", " "))
    begins = memory.content.startswith(memory.title)
    return (memory.content if begins else f"{title}\n{memory.content}")[:_MAX_TEXT]


class VectorLibrary:
    """The vectors of all models of one index: the slow model answers where it has seen enough, and
    the quick one until then."""

    def __init__(
        self,
        database: Database,
        embedders: Iterable[Embedder],
    ) -> None:
        self._database = database
        self._models: list[MemoryVectors] = []
        #: How many memories have no vector yet of the model that would be used.
        self.behind = 0
        for embedder in embedders:
            self.add(embedder)

    def add(self, embedder: Embedder) -> None:
        """Use one more model, from now on."""
        models = [*self._models, MemoryVectors(self._database, embedder)]
        self._models = sorted(models, key=lambda model: model.is_quick)

    def leave_slow(self) -> bool:
        """Go on with the quick model alone, as another one failed; False where there was none."""
        before, self._models = self._models, self._quick
        self.behind = 0
        return 0 < len(self._models) < len(before)

    def __bool__(self) -> bool:
        return bool(self._models)

    @property
    def _quick(self) -> list[MemoryVectors]:
        return [model for model in self._models if model.is_quick]

    def note(self, blob: str, memory: Memory) -> None:
        """A memory is being indexed."""
        for model in self._quick:
            model.note(blob, memory)

    def flush(self) -> None:
        for model in self._models:
            model.flush()

    def start_over(self, blobs: Iterable[str]) -> None:
        """Before a rebuild: what is made on the way is made anew, and what took long is kept, of
        what is still there."""
        blobs = list(blobs)
        try:
            for model in self._models:
                model.keep_only(() if model.is_quick else blobs)
        except Exception:
            if not self.leave_slow():
                raise
            self.start_over(blobs)

    def complete(self, blobs: Iterable[str], read: Read, limit: int | None = None) -> None:
        """Make what is missing, for a process that nobody waits for, in parts of `limit`."""
        blobs = list(blobs)
        for model in self._models:
            model.make(blobs, read, limit)
        self.behind = 0

    def meaning(self, words: str, view: VisibleEntries, read: Read) -> Meaning | None:
        """Return how near the documents of a view are to these words; what little is missing is
        made."""
        if not self._models:
            return None
        self._check(view, read)
        model = self._models[0 if self.behind <= _MISSED * len(view.all) else -1]
        return model.meaning(words, view)

    def _check(self, view: VisibleEntries, read: Read) -> None:
        """Count the visible memories without a vector, once per view, and make a few of them."""
        if (state := len(self._models)) == view.vectors_checked:
            return
        view.vectors_checked = state
        blobs = [blob for blob in view.snapshot.blobs if blob in view.visible]
        for model in self._quick:
            model.make(blobs, read, _A_FEW)
        self.behind = len(self._models[0].missing(blobs))
