"""Several repositories searched as one: all their documents in one corpus, each with its mark.

How rare a word is, and how long a text usually is, is counted over all of them, so that scores can
be compared. Ids, blobs and sessions carry the mark of their repository: what one holds is never
taken for another's, and nothing is folded under a text of somebody else.
"""

from collections.abc import Iterable, Iterator, Sequence

from treering.hub.hub import HubHit, HubResult
from treering.hub.meaning import embed_words, join_vectors, sense_question
from treering.hub.pages import turn_to
from treering.hub.shelf import MirrorIndex
from treering.model.memory import Memory
from treering.search.corpus import Corpus
from treering.search.hits import SearchResult, withhold_weak
from treering.search.lookup import search
from treering.search.matching import Request
from treering.search.meaning.nearness import VectorView
from treering.search.succession import NONE, Successors, find_successors
from treering.search.understanding import SemanticMatch
from treering.search.visible import VisibleEntries

_BLOB = 40


def unmark(found: Successors | None) -> Successors:
    """What replaces a memory, or may, by the id it has in its own repository."""
    by, newer = found or NONE
    return Successors(
        by and by._replace(id=by.id.partition(":")[2]),
        newer and newer._replace(entry=newer.entry._replace(id=newer.entry.id.partition(":")[2])),
    )


def mark_of(number: int) -> str:
    return f"{number}:"


def split_mark(marked: str) -> tuple[int, str]:
    """The number of a repository, and the blob."""
    return int(marked[: -_BLOB - 1]), marked[-_BLOB:]


class ShelfGroup:
    """Some shelves together, for as long as none of their indexes changes."""

    def __init__(self, shelves: Sequence[MirrorIndex]) -> None:
        self.shelves = tuple(shelves)
        self._corpora = [shelf.corpus() for shelf in shelves]
        parts = [
            part._replace(mark=mark_of(number))
            for number, corpus in enumerate(self._corpora)
            for part in corpus.parts
        ]
        visible = {
            mark_of(number) + blob: rank
            for number, shelf in enumerate(shelves)
            for blob, rank in shelf.ranks.items()
        }
        self._view = VisibleEntries(Corpus(parts), visible)
        self._vectors: VectorView | None = None

    def is_of(self, shelves: Sequence[MirrorIndex]) -> bool:
        """Return whether this is still what these shelves hold."""
        if len(shelves) != len(self.shelves):
            return False
        pairs = zip(shelves, self.shelves, self._corpora, strict=True)
        return all(one is other and one.corpus() is corpus for one, other, corpus in pairs)

    def search(self, request: Request, offset: int = 0) -> HubResult:
        sense = self._sense(request)

        def ask(limit: int | None) -> SearchResult:
            return search(request._replace(limit=limit), self._view, self._read, sense)

        result = turn_to(ask, offset, request.limit)
        if request.is_strict:
            result = withhold_weak(result)
        hits = tuple(hit for hit in self._read_hits(result) if hit)
        return HubResult(
            hits, result.total, result.withheld, result.notes, result.mode, bool(result.rest)
        )

    def _sense(self, request: Request) -> SemanticMatch:
        """What a question means beyond its words, for all repositories at once."""
        if request.mode == "text" or request.query.is_empty:
            return SemanticMatch()
        if self._vectors is None:
            vectors = (
                (mark_of(number) + blob, vector)
                for number, shelf in enumerate(self.shelves)
                for blob, vector in shelf.vectors()
            )
            self._vectors = VectorView(self._view, join_vectors(vectors))
        words, corpus = request.query.words, self._view.snapshot
        question = embed_words(words, corpus.count, lambda term: len(corpus.weights(term)))
        return sense_question(words, question, self._vectors)

    def _read_hits(self, result: SearchResult) -> Iterator[HubHit | None]:
        numbers = [self._view.snapshot.numbers[hit.blob] for hit in result.hits]
        found = find_successors(numbers, self._view, self._read)
        for number_in_all, hit in zip(numbers, result.hits, strict=True):
            number, blob = split_mark(hit.blob)
            copy = self.shelves[number].copy(blob)
            snapshot = self._view.snapshot
            similar = (snapshot.ids[snapshot.numbers[other]] for other in hit.folded)
            ids = tuple(marked.partition(":")[2] for marked in similar)
            successors = unmark(found.get(number_in_all))
            reasons = (hit.score, hit.why, ids, successors, hit.match, hit.spelled)
            yield HubHit(copy, *reasons) if copy else None

    def _read(self, marked: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        by_number: dict[int, list[str]] = {}
        for one in marked:
            number, blob = split_mark(one)
            by_number.setdefault(number, []).append(blob)
        for number, blobs in by_number.items():
            for blob, memory in self.shelves[number].read(blobs):
                yield mark_of(number) + blob, memory
