"""Who matches a question: its words as postings, cut down to what may be shown, and counted."""

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from treering.model.memory import Memory
from treering.model.query import ANY_STATUS, Filters, Query
from treering.search.analysis import flatten, join_terms, question_terms
from treering.search.entry import searchable_text
from treering.search.filters import WITHHELD, fitting
from treering.search.scoring import Clause, prefix_clause, spelling_clause, sum_up, term_clauses
from treering.search.spelling import suggest
from treering.search.visible import VisibleEntries

_LITTLE = 3  # fewer hits than this and misspelt words are guessed at
_MOST_READ = 2000  # memories read to check a phrase
_NO_PHRASE = "No memory has the exact phrase, so its words were searched for."

Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]


@dataclass(frozen=True, slots=True)
class Request:
    """A question and how it is to be answered."""

    query: Query
    filters: Filters
    order: str = "relevance"
    mode: str = "hybrid"
    now: float = 0.0
    limit: int | None = 10


@dataclass(slots=True)
class Matches:
    """Who matches: `scores` of what may be shown, and counts of what may not."""

    scores: dict[int, float]
    clauses: list[Clause]
    withheld: dict[str, int]
    notes: list[str]
    has_phrase: bool = False


def matches_of(
    request: Request, view: VisibleEntries, read: Read, elsewhere: VisibleEntries | None
) -> Matches:
    clauses = _clauses(request.query, view)
    matches = _narrow(request, view, clauses, elsewhere)
    if len(matches.scores) < _LITTLE:
        guessed = _respelt(request.query, view, clauses)
        if guessed != clauses:
            matches = _narrow(request, view, guessed, elsewhere)
    if request.query.phrases:
        _check_phrases(request.query.phrases, view, matches, read)
    return matches


def _clauses(query: Query, view: VisibleEntries) -> list[Clause]:
    words = question_terms(query.words)
    found = term_clauses(view.snapshot, words)
    joined = (term for term in join_terms(query.words) if term not in words)
    found += [clause for clause in term_clauses(view.snapshot, joined) if clause.weights]
    for prefix in query.prefixes:
        found.append(prefix_clause(view.snapshot, prefix.lower()))
    return found


def _respelt(query: Query, view: VisibleEntries, clauses: list[Clause]) -> list[Clause]:
    """The clauses with a guess in place of each that matches nothing."""
    unknown = {clause.word for clause in clauses if not clause.weights and clause.kind == "text"}
    guesses = []
    for word in dict.fromkeys(query.words.split()):
        mine = set(question_terms(word))
        if mine & unknown and (likely := suggest(word.strip(".,;:!?()\"'"), view.snapshot)):
            unknown -= mine
            guesses.append(spelling_clause(view.snapshot, word, likely))
    return [c for c in clauses if c.weights or c.kind != "text"] + guesses if guesses else clauses


def _narrow(
    request: Request, view: VisibleEntries, clauses: list[Clause], elsewhere: VisibleEntries | None
) -> Matches:
    """What matches, cut down to what is visible, in force and filtered for."""
    scores = sum_up(clauses) if clauses else {}
    for text in request.query.excluded:
        for number in holding(text, view):
            scores.pop(number, None)
    withheld = count_withheld(scores, request, view, elsewhere)
    _keep_only(scores, show(view, request.filters), view.snapshot.count)
    if not request.filters.is_empty:
        left = fitting(scores, view.snapshot.entries, request.filters)
        scores = {number: scores[number] for number in left}
    return Matches(scores, clauses, withheld, [])


def _keep_only(scores: dict[int, float], shown: set[int], count: int) -> None:
    """Take out what may not be shown; most of the time that is little or nothing."""
    if len(shown) < count:
        # Not `keys() - shown`: that walks through all that is shown.
        for number in [n for n in scores if n not in shown]:
            del scores[number]


def holding(text: str, view: VisibleEntries) -> set[int]:
    """Documents that hold every term of a text."""
    lists = [view.snapshot.weights(term).keys() for term in question_terms(text)]
    lists.sort(key=len)  # the rarest term leaves little to look for among the others
    return {n for n in lists[0] if all(n in others for others in lists[1:])} if lists else set()


def show(view: VisibleEntries, filters: Filters) -> set[int]:
    if not filters.status:
        return view.in_force
    return view.all if filters.status == ANY_STATUS else view.by_status.get(filters.status, set())


def count_withheld(
    matched: Collection[int],
    request: Request,
    view: VisibleEntries,
    elsewhere: VisibleEntries | None,
) -> dict[str, int]:
    """How many more would have matched: by status, and on other branches."""
    entries, counts = view.snapshot.entries, {}
    if not request.filters.status:
        for status in WITHHELD:
            hidden = [n for n in view.by_status.get(status, ()) if n in matched]
            if count := len(fitting(hidden, entries, request.filters)):
                counts[status] = count
    if elsewhere is not None:
        others = [n for n in elsewhere.in_force_beyond(view) if n in matched]
        ids = {entries[number].id for number in fitting(others, entries, request.filters)}
        if count := len(ids - view.ids):
            counts["other_branches"] = count
    return counts


def _check_phrases(
    phrases: Sequence[str], view: VisibleEntries, matches: Matches, read: Read
) -> None:
    """Keep the documents that hold every phrase word for word; if there are none, keep all."""
    wanted = [flatten(phrase) for phrase in phrases]
    having = set(matches.scores).intersection(*(holding(phrase, view) for phrase in phrases))
    likely = heapq.nlargest(_MOST_READ, having, key=lambda number: matches.scores[number])
    blobs = {view.entry(number).blob: number for number in likely}
    kept = set()
    for blob, memory in read(blobs):
        text = flatten(searchable_text(memory))
        if all(phrase in text for phrase in wanted):
            kept.add(blobs[blob])
    if kept:
        matches.scores = {number: matches.scores[number] for number in kept}
        matches.has_phrase = True
    else:
        matches.notes.append(_NO_PHRASE)
