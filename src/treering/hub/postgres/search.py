"""A question to the database: its words counted, candidates found, and ranked like any others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from treering.errors import TreeringError
from treering.hub.postgres.candidates import (
    Candidates,
    WordChoice,
    choose_words,
    find_candidates,
    list_newest,
)
from treering.hub.postgres.corpus import CandidateCorpus
from treering.hub.postgres.rows import number_of
from treering.hub.postgres.sessions import add_neighbours
from treering.hub.postgres.statistics import WordCounts
from treering.hub.shelves import split_mark
from treering.model import document
from treering.model.memory import Memory
from treering.model.query import Query
from treering.search import SearchResult
from treering.search.analysis import join_terms, question_terms, terms
from treering.search.corpus import Corpus
from treering.search.lookup import search
from treering.search.matching import Request
from treering.search.succession import Succession, find_successions
from treering.search.visible import VisibleEntries

_LITTLE = 3
_SLACK = 64
_MOST_GUESSED = 12  # words of a question, each of which may cost two look-ups
Find = Callable[[WordChoice], Candidates]


def search_rows(
    connection: Any, repositories: Sequence[int], request: Request, *, is_limited: bool
) -> tuple[SearchResult, "Background"]:
    """Answer a question; hits carry the marks of their repositories."""
    query = request.query
    counts = WordCounts(connection, repositories)
    candidates = Candidates([], 0, {})
    if not query.is_empty:
        candidates, words = _find(connection, repositories, request, counts, is_limited)
        candidates = candidates._replace(best=add_neighbours(connection, candidates.best, words))
    if not candidates.best and not terms(query.words) and not query.prefixes:
        candidates = _list(connection, repositories, request)
    corpus = CandidateCorpus(candidates.best, counts)
    visible = {candidate.entry.blob: candidate.rank for candidate in candidates.best}
    view = VisibleEntries(cast(Corpus, corpus), visible)
    # The one place where meaning would come in beside words, for all repositories at once.
    reader = DocumentReader(connection)
    result = search(request, view, reader.read)
    if not query.is_wordless:
        total = max(candidates.total, result.total)
        result = replace(result, total=total, withheld=candidates.withheld)
    return result, Background(view, reader)


class Background(NamedTuple):
    """What an answer was chosen from, to say more about its hits."""

    view: VisibleEntries
    reader: "DocumentReader"

    def id_of(self, blob: str) -> str:
        """The id of a memory, as its repository has it."""
        return self.view.snapshot.by_blob[blob].id.partition(":")[2]

    def find_outdated(self, blobs: Iterable[str]) -> dict[str, Succession]:
        """Those of some memories that another candidate of the same repository outdates."""
        numbers = {self.view.snapshot.numbers[blob]: blob for blob in blobs}
        successions = find_successions(numbers, self.view, self.reader.read)
        return {numbers[number]: succession for number, succession in successions.items()}


def _list(connection: Any, repositories: Sequence[int], request: Request) -> Candidates:
    """A listing; common words alone may still be a title, as `which` is a function's name."""
    query = request.query
    filters = query.filters.merge(request.filters)
    asked_of = (connection, repositories, filters, query.excluded, request.order)
    limit = (request.limit or 0) + _SLACK
    words = query.words.lower().split()
    if words and (listing := list_newest(*asked_of, limit, words)).best:
        return listing
    return list_newest(*asked_of, limit)


def _find(
    connection: Any,
    repositories: Sequence[int],
    request: Request,
    counts: WordCounts,
    is_limited: bool,
) -> tuple[Candidates, list[str]]:
    """Candidates, and the terms they were found by."""
    query = request.query
    words = _list_words(query, counts)
    frequencies = {number_of(word): counts.frequency(word) for word in words}
    filters = query.filters.merge(request.filters)

    def find(choice: WordChoice) -> Candidates:
        return find_candidates(
            connection, repositories, filters, query.excluded, words, counts, choice, is_limited
        )

    choice = choose_words(frequencies, counts.documents)
    candidates = find(choice)
    if choice.is_partial and len(candidates.best) < max(_LITTLE, request.limit or 0):
        everything = tuple(word for word, count in frequencies.items() if count)
        candidates = find(WordChoice(everything))
    if len(candidates.best) < _LITTLE and (guesses := _guess(query, counts)):
        words = [*words, *guesses]
        everything = tuple(number_of(word) for word in words if counts.frequency(word))
        candidates = find(WordChoice(everything))
    return candidates, [word for word in words if counts.frequency(word)]


def _list_words(query: Query, counts: WordCounts) -> list[str]:
    """Every term the question may be answered by: its own, pairs of its words, and those that a
    prefix stands for."""
    words = question_terms(query.words)
    pairs = join_terms(query.words)
    counts.count([*words, *pairs])
    pairs = [pair for pair in pairs if counts.frequency(pair)]
    for prefix in query.prefixes:
        counts.expand(prefix.lower())
    expansions = [term for terms in counts.expansions.values() for term in terms]
    return list(dict.fromkeys((*words, *pairs, *expansions)))


def _guess(query: Query, counts: WordCounts) -> list[str]:
    """Other spellings of words that occur nowhere."""
    for word in list(dict.fromkeys(query.words.split()))[:_MOST_GUESSED]:
        if not any(counts.frequency(term) for term in question_terms(word)):
            counts.guess(word.strip(".,;:!?()\"'"))
    return [term for guesses in counts.guesses.values() for term in guesses]


class DocumentReader:
    """Reads memories for the check of phrases, and of what outdates what."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def read(self, marked: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        by_blob: dict[str, list[str]] = {}
        for one in marked:
            by_blob.setdefault(split_mark(one)[1], []).append(one)
        query = "SELECT blob, body FROM treering.document WHERE blob = ANY(%s)"
        for blob, body in self._connection.execute(query, (list(by_blob),)).fetchall():
            if memory := parse_body(body):
                yield from ((one, memory) for one in by_blob[blob])


def parse_body(body: bytes) -> Memory | None:
    """The memory in a document; None where it is none."""
    try:
        return document.parse(bytes(body))
    except TreeringError:
        return None
