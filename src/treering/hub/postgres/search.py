"""A question to the database: its words counted, candidates found, and ranked like any others."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

from treering.hub.index import turn_to
from treering.hub.meaning import CandidateMeaning, embed_words, hub_model, sense_question
from treering.hub.postgres.candidates import (
    SOURCES,
    Candidates,
    RowQuestion,
    WordChoice,
    add_similar,
    choose_words,
    find_candidates,
    find_neighbours,
    list_newest,
)
from treering.hub.postgres.corpus import Candidate, CandidateCorpus, WordCounts, number_of
from treering.hub.postgres.nearest import find_nearest
from treering.hub.postgres.rows import DocumentReader, read_vectors
from treering.model.query import Query
from treering.search.analysis import join_terms, question_terms, terms
from treering.search.corpus import Corpus
from treering.search.hits import SearchResult, withhold_weak
from treering.search.lookup import search
from treering.search.matching import Request
from treering.search.meaning.nearness import VectorView, scanned_by
from treering.search.meaning.vectors import SmallVector
from treering.search.succession import Successors, find_successors
from treering.search.synonyms import synonyms_of
from treering.search.understanding import SemanticMatch
from treering.search.visible import VisibleEntries

_LITTLE = 3
_SLACK = 64
_MOST_GUESSED = 12  # words of a question, each of which may cost two look-ups


def search_rows(
    connection: Any,
    repositories: Sequence[int],
    request: Request,
    offset: int = 0,
    *,
    is_limited: bool,
) -> tuple[SearchResult, "Background"]:
    """Answer a question; hits carry the marks of their repositories."""
    return RowSearch(connection, repositories, request, is_limited).answer(offset)


class RowSearch:
    """One question, and what is known of its words and of its meaning."""

    def __init__(
        self, connection: Any, repositories: Sequence[int], request: Request, is_limited: bool
    ) -> None:
        query = request.query
        filters = query.filters.merge(request.filters)
        self._asked = RowQuestion(connection, repositories, filters, query.excluded, is_limited)
        self._request = request
        self._counts = WordCounts(connection, repositories)
        self._words: list[str] = []
        self._reader = DocumentReader(connection)

    @cached_property
    def _question(self) -> SmallVector | None:
        """Its vector, when its words are counted."""
        query = self._request.query
        if self._request.mode == "text" or query.is_empty or query.is_wordless:
            return None
        return embed_words(query.words, self._counts.documents, self._counts.frequency)

    def answer(self, offset: int = 0) -> tuple[SearchResult, "Background"]:
        """Ranked by the rules of `search/`. Where these want the nearest of all memories, the
        database looks for them, and it is ranked again."""
        query = self._request.query
        candidates = Candidates([], 0, {})
        if not query.is_empty:
            candidates = self._find()
        if not candidates.best and not terms(query.words) and not query.prefixes:
            candidates = self._list(offset)
        is_whole = self._is_looked_through()
        result, view, is_missing = self._rank(candidates.best, offset, is_whole=is_whole)
        if is_missing:
            result, view, _ = self._rank(candidates.best, offset, is_whole=True)
        if not query.is_wordless:
            total = max(candidates.total, result.total)
            result = result._replace(total=total, withheld=candidates.withheld)
        if self._request.is_strict:
            result = withhold_weak(result)
        return result, Background(view, self._reader)

    def _is_looked_through(self) -> bool:
        """Return whether the nearest are wanted whatever words find; most of the time they are
        not."""
        model = hub_model()
        if self._question is None or model is None:
            return False
        return self._request.mode == "semantic" or self._counts.documents <= scanned_by(model)

    def _rank(
        self, candidates: Sequence[Candidate], offset: int, *, is_whole: bool
    ) -> tuple[SearchResult, VisibleEntries, bool]:
        """The answer, what it was chosen from, and whether the nearest of all were missed in it."""
        candidates = self._add(candidates, self._find_nearest() if is_whole else [])
        corpus = CandidateCorpus(candidates, self._counts)
        visible = {candidate.entry.blob: candidate.rank for candidate in candidates}
        view = VisibleEntries(cast(Corpus, corpus), visible)
        sense, meaning = self._sense(view, candidates), None
        if sense.meaning:
            meaning = CandidateMeaning(sense.meaning, self._counts.documents, is_whole=is_whole)
            sense = sense._replace(meaning=meaning)

        def ask(limit: int | None) -> SearchResult:
            return search(self._request._replace(limit=limit), view, self._reader.read, sense)

        result = turn_to(ask, offset, self._request.limit)
        return result, view, bool(meaning and meaning.is_missing)

    def _sense(self, view: VisibleEntries, candidates: Sequence[Candidate]) -> SemanticMatch:
        if self._request.mode == "text":
            return SemanticMatch()
        words = self._request.query.words
        if self._question is None:
            return sense_question(words, None, None)
        columns = read_vectors(self._asked.connection, candidates)
        return sense_question(words, self._question, VectorView(view, columns))

    def _add(self, best: Sequence[Candidate], nearest: Sequence[Candidate]) -> list[Candidate]:
        """What words found, what is near, and the neighbours of the best of both; each once."""
        first = [*best[:SOURCES], *nearest[:SOURCES]]
        neighbours = find_neighbours(self._asked.connection, first, self._words)
        candidates: dict[str, Candidate] = {}
        for candidate in (*best, *nearest, *neighbours):
            candidates.setdefault(candidate.entry.blob, candidate)
        return list(candidates.values())

    def _find_nearest(self) -> list[Candidate]:
        if self._question is None:
            return []
        return find_nearest(self._asked, self._question, self._counts.documents, self._words)

    def _list(self, offset: int) -> Candidates:
        """A listing; common words alone may still be a title, as `which` is a function's name."""
        request = self._request
        limit = offset + (request.limit or 0) + _SLACK
        words = request.query.words.lower().split()
        if words and (listing := list_newest(self._asked, request.order, limit, words)).best:
            return listing
        return list_newest(self._asked, request.order, limit)

    def _list_similar(self) -> list[tuple[str, ...]]:
        """Other ways to say it that occur, where more than words is asked for."""
        if self._request.mode == "text":
            return []
        groups = _expand(self._request.query.words)
        self._counts.count(word for group in groups for word in group)
        return [group for group in groups if all(map(self._counts.frequency, group))]

    def _find(self) -> Candidates:
        """Candidates by the words of the question; the terms they were found by are noted."""
        query, counts = self._request.query, self._counts
        words = _list_words(query, counts)
        frequencies = {number_of(word): counts.frequency(word) for word in words}
        groups = self._list_similar()
        others = (word for group in groups for word in group if word not in words)
        similar = list(dict.fromkeys(others))
        words = [*words, *similar]

        def find(choice: WordChoice) -> Candidates:
            return find_candidates(self._asked, words, counts, choice, similar)

        choice = choose_words(frequencies, counts.documents)
        pairs = [[(counts.frequency(word), number_of(word)) for word in group] for group in groups]
        candidates = find(add_similar(choice, pairs))
        if choice.is_partial and len(candidates.best) < max(_LITTLE, self._request.limit or 0):
            everything = tuple(word for word, count in frequencies.items() if count)
            candidates = find(WordChoice(everything))
        if len(candidates.best) < _LITTLE and (guesses := _guess(query, counts)):
            words = [*words, *guesses]
            everything = tuple(number_of(word) for word in words if counts.frequency(word))
            candidates = find(WordChoice(everything))
        self._words = [word for word in words if counts.frequency(word)]
        return candidates


class Background(NamedTuple):
    """What an answer was chosen from, to say more about its hits."""

    view: VisibleEntries
    reader: "DocumentReader"

    def id_of(self, blob: str) -> str:
        """The id of a memory, as its repository has it."""
        snapshot = self.view.snapshot
        return snapshot.ids[snapshot.numbers[blob]].partition(":")[2]

    def find_successors(self, blobs: Iterable[str]) -> dict[str, Successors]:
        """Those of some memories that another candidate of the same repository replaces, or may."""
        numbers = {self.view.snapshot.numbers[blob]: blob for blob in blobs}
        found = find_successors(numbers, self.view, self.reader.read)
        return {numbers[number]: successors for number, successors in found.items()}


def _expand(words: str) -> list[tuple[str, ...]]:
    """Other ways to say parts of a question, each as the terms of it."""
    expansions = synonyms_of(words).expand(question_terms(words))
    return list(dict.fromkeys(other for _, others in expansions for other in others))


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
