"""Matches of a question: its words as postings, cut down to what may be shown, and counted."""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import Literal, NamedTuple

from treering.model.choices import Mode, Order
from treering.model.memory import Memory
from treering.model.query import ANY_STATUS, Filters, Query
from treering.search.analysis import chunks, flatten, join_terms, question_terms, terms
from treering.search.corpus import Corpus, Weights
from treering.search.entry import searchable_text
from treering.search.synonyms import Synonyms, Terms
from treering.search.visible import WITHHELD, VisibleEntries, filter_numbers
from treering.text.words import EVERYDAY_WORDS

_LITTLE = 3  # fewer hits than this and misspelt words are guessed at
_MOST_EXPANSIONS = 64
_SPELLED = 0.7  # a word we guessed counts less than one that was typed
_SAME = 0.4  # so does one that means the same; with 0.7 it hurt
_COMMON = 0.2  # a word that so many memories hold says nothing as a synonym
_SEVERAL = 50  # memories, which are always few
_EVERYDAY = 0.03  # the share of memories that hold an everyday word, if it is not more
_SHORTEST, _LONGEST = 4, 24  # letters of a word that is guessed at
_LONG_STEM = 6  # letters that two forms of a word have in common, and hardly two words
_MOST_UNKNOWN = 3  # words of a question that are guessed at
_MOST_GUESSES = 8  # stems whose words are looked at
_MOST_LOOKED_AT = 4  # memories read for the words of a stem
_MOST_READ = 2000  # memories read to check a phrase
_NO_PHRASE = "No memory has the exact phrase, so its words were searched for."

#: A word as it was typed, the beginning of one, a guess at a misspelt one, or another for the same.
ClauseKind = Literal["text", "prefix", "spelling", "synonym"]
Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]


class Request(NamedTuple):
    """A question and how it is to be answered."""

    query: Query
    filters: Filters
    order: Order = "relevance"
    mode: Mode = "hybrid"
    now: float = 0.0
    limit: int | None = 10
    #: Whether there are records that knowledge comes before, though they may not be looked at.
    has_records: bool = False


class Clause(NamedTuple):
    """One part of a question: a term, the terms of a prefix, or a guess at a misspelt word."""

    word: str
    weights: Weights
    rarity: float
    kind: ClauseKind = "text"
    is_pair: bool = False
    #: The word looked for in place of a misspelt one.
    spelled: str = ""


#: What is only counted, by the word it is counted under.
Elsewhere = Mapping[str, VisibleEntries]


class Matches(NamedTuple):
    """Matching documents: `scores` of what may be shown, and counts of what may not."""

    scores: dict[int, float]
    clauses: list[Clause]
    withheld: dict[str, int]
    notes: list[str]
    has_phrase: bool = False


def matches_of(
    request: Request,
    view: VisibleEntries,
    read: Read,
    elsewhere: Elsewhere,
    synonyms: Synonyms | None = None,
) -> Matches:
    clauses = _clauses(request.query, view)
    if synonyms:
        clauses += synonym_clauses(view.snapshot, question_terms(request.query.words), synonyms)
    matches = _narrow(request, view, clauses, elsewhere)
    if len(matches.scores) < _LITTLE:
        matches = guess_spelling(request, view, matches, read, elsewhere) or matches
    if request.query.phrases:
        matches = _check_phrases(request.query.phrases, view, matches, read)
    return matches


def _clauses(query: Query, view: VisibleEntries) -> list[Clause]:
    words = question_terms(query.words)
    clauses = term_clauses(view.snapshot, words)
    pairs = (term for term in join_terms(query.words) if term not in words)
    joined = (clause._replace(is_pair=True) for clause in term_clauses(view.snapshot, pairs))
    clauses += [clause for clause in joined if clause.weights]
    for prefix in query.prefixes:
        clauses.append(prefix_clause(view.snapshot, prefix.lower()))
    return clauses


def guess_spelling(
    request: Request, view: VisibleEntries, matches: Matches, read: Read, elsewhere: Elsewhere
) -> Matches | None:
    """Return what matches with a guess in place of each word that nobody wrote; None where there is
    nothing to guess."""
    clauses = matches.clauses
    unknown = {clause.word for clause in clauses if not clause.weights and clause.kind == "text"}
    guesses: list[Clause] = []
    tried = 0
    for word in dict.fromkeys(request.query.words.split()):
        mine = set(question_terms(word))
        if mine & unknown and tried < _MOST_UNKNOWN:
            tried += 1
            if spelled := suggest(word.strip(".,;:!?()\"'"), view, read):
                unknown -= mine
                clauses = [c for c in clauses if c.word not in mine]
                guesses.append(spelling_clause(view.snapshot, word, spelled))
    return _narrow(request, view, clauses + guesses, elsewhere) if guesses else None


def _narrow(
    request: Request, view: VisibleEntries, clauses: list[Clause], elsewhere: Elsewhere
) -> Matches:
    """Return what matches, cut down to what is visible, in force and filtered for."""
    scores = sum_up(clauses) if clauses else {}
    for text in request.query.excluded:
        for number in holding(text, view):
            scores.pop(number, None)
    withheld = count_withheld(scores, request, view, elsewhere)
    _keep_only(scores, show(view, request.filters), view.snapshot.count)
    if not request.filters.is_empty:
        numbers = filter_numbers(scores, view.snapshot.entries, request.filters)
        scores = {number: scores[number] for number in numbers}
    return Matches(scores, clauses, withheld, [])


def _keep_only(scores: dict[int, float], numbers: set[int], count: int) -> None:
    """Take out what may not be shown; most of the time that is little or nothing."""
    if len(numbers) < count:
        # Not `keys() - shown`: that walks through all that is shown.
        for number in [n for n in scores if n not in numbers]:
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
    matches: Collection[int],
    request: Request,
    view: VisibleEntries,
    elsewhere: Elsewhere,
) -> dict[str, int]:
    """Return how many more would have matched: by status, and where it lies."""
    entries = view.snapshot.entries
    counts: dict[str, int] = {}
    if not request.filters.status:
        for status in WITHHELD:
            numbers = [n for n in view.by_status.get(status, ()) if n in matches]
            if count := len(filter_numbers(numbers, entries, request.filters)):
                counts[status] = count
    if request.filters.records == "none":
        filters = request.filters._replace(records="only")
        shown = show(view, filters)
        numbers = [n for n in matches if n in shown]
        if count := len(filter_numbers(numbers, entries, filters)):
            counts["records"] = count
    for word, others in elsewhere.items():
        numbers = [n for n in matches if n in others.in_force and n not in view.all]
        ids = {view.snapshot.ids[n] for n in filter_numbers(numbers, entries, request.filters)}
        if count := len(ids - view.ids):
            counts[word] = count
    return counts


def _check_phrases(
    phrases: Sequence[str], view: VisibleEntries, matches: Matches, read: Read
) -> Matches:
    """Keep the documents that hold every phrase word for word; if there are none, keep all."""
    texts = [flatten(phrase) for phrase in phrases]
    having = set(matches.scores).intersection(*(holding(phrase, view) for phrase in phrases))
    likely = heapq.nlargest(_MOST_READ, having, key=lambda number: matches.scores[number])
    blobs = {view.entry(number).blob: number for number in likely}
    holders = set()
    for blob, memory in read(blobs):
        text = flatten(searchable_text(memory))
        if all(phrase in text for phrase in texts):
            holders.add(blobs[blob])
    if not holders:
        return matches._replace(notes=[*matches.notes, _NO_PHRASE])
    scores = {number: matches.scores[number] for number in holders}
    return matches._replace(scores=scores, has_phrase=True)


# --- the parts of a question ----------------------------------------------------------------------


def term_clauses(snapshot: Corpus, terms: Iterable[str]) -> list[Clause]:
    """A clause for each term, also for those that occur nowhere; of an everyday word no clause
    counts more than if some memories in a hundred held it."""
    clauses = []
    most = snapshot.rarity(math.ceil(_EVERYDAY * snapshot.count))
    for term in terms:
        weights = snapshot.weights(term)
        rarity = snapshot.rarity(len(weights))
        if rarity > most and term in _everyday_terms():
            weights = {number: weight * most / rarity for number, weight in weights.items()}
            rarity = most
        clauses.append(Clause(term, weights, rarity))
    return clauses


@lru_cache(1)
def _everyday_terms() -> frozenset[str]:
    return frozenset(terms(" ".join(EVERYDAY_WORDS)))


def prefix_clause(snapshot: Corpus, prefix: str) -> Clause:
    """The best of all terms that start like this."""
    expansions = snapshot.terms_from(prefix, _MOST_EXPANSIONS)
    weights = _best_of([snapshot.weights(term) for term in expansions])
    return Clause(prefix, weights, snapshot.rarity(len(weights)), "prefix")


def spelling_clause(snapshot: Corpus, word: str, spelled: str) -> Clause:
    """The word that may have been meant, at a discount."""
    best = _best_of([snapshot.weights(term) for term in question_terms(spelled)])
    weights = {number: weight * _SPELLED for number, weight in best.items()}
    return Clause(word, weights, snapshot.rarity(len(weights)), "spelling", spelled=spelled)


def synonym_clauses(snapshot: Corpus, terms: Sequence[str], synonyms: Synonyms) -> list[Clause]:
    """Other words for parts of a question, at a discount, in documents without the word itself."""
    clauses = []
    for asked, others in synonyms.expand(terms):
        own = snapshot.weights(asked[0])
        lists = [weights for other in others if (weights := _weights_of(snapshot, other))]
        best = _best_of(lists)
        weights = {n: weight * _SAME for n, weight in best.items() if n not in own}
        if weights:
            rarity = snapshot.rarity(len(own) or len(weights))
            clauses.append(Clause(asked[0], weights, rarity * _SAME, "synonym"))
    return clauses


def _weights_of(snapshot: Corpus, terms: Terms) -> Weights:
    """Documents that hold all of some terms, unless those are everywhere."""
    first, *others = sorted((snapshot.weights(term) for term in terms), key=len)
    if len(first) > max(_COMMON * snapshot.count, _SEVERAL):
        return {}
    if not others:
        return first
    return {n: weight for n, weight in first.items() if all(n in other for other in others)}


def sum_up(clauses: Iterable[Clause]) -> dict[int, float]:
    """The sum of all weights, by document.

    The longest list is copied whole and the others are laid over it; only documents that are in
    both are visited one by one, which is what plain Python is slow at.
    """
    longest, *others = sorted((c.weights for c in clauses), key=len, reverse=True)
    total = dict(longest)
    for weights in others:
        both = [(n, total[n] + weights[n]) for n in total.keys() & weights.keys()]
        total.update(weights)
        total.update(both)
    return total


def _best_of(alternatives: Sequence[Weights]) -> dict[int, float]:
    best: dict[int, float] = {}
    for weights in alternatives:
        for number, weight in weights.items():
            if weight > best.get(number, 0.0):
                best[number] = weight
    return best


def suggest(word: str, view: VisibleEntries, read: Read) -> str:
    """Return the word of some memory that is one slip away from a word nobody wrote, or another
    form of such a word if it is long; "" where there is none.

    The index holds stems, and different words may share one: "redis" with a letter too many has the
    stem of "ready". So what the memories that hold a stem really say is compared.
    """
    word = word.lower()
    similar = list_similar_terms(word, view.snapshot)
    slips = set(_slips(word)) if similar else set()  # a very long word has none similar
    for term in similar:
        holders = [n for n in view.snapshot.weights(term) if n in view.in_force][:_MOST_LOOKED_AT]
        texts = (searchable_text(memory) for _, memory in read([view.blob(n) for n in holders]))
        written = {piece.lower() for text in texts for piece in chunks(text) if piece.isalpha()}
        forms = sorted(piece for piece in written if term in terms(piece))
        if same := [form for form in forms if form in slips]:
            return same[0]
        others = [form for form in forms if form.startswith(term)]
        if others and len(term) >= _LONG_STEM and any(slip.startswith(term) for slip in slips):
            return others[0]
    return ""


def list_similar_terms(word: str, snapshot: Corpus) -> list[str]:
    """Indexed stems of every string one slip away from a word (a letter too many, too few, wrong,
    or two swapped), the commonest first; none for short or odd words."""
    word = word.lower()
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha():
        return []
    frequencies: dict[str, int] = {}
    for candidate in dict.fromkeys(_slips(word)):
        for term in terms(candidate):
            if term not in frequencies and (frequency := snapshot.frequency(term)):
                frequencies[term] = frequency
    return sorted(frequencies, key=lambda term: (-frequencies[term], term))[:_MOST_GUESSES]


def _slips(word: str) -> Iterator[str]:
    for at in range(len(word)):
        head, tail = word[:at], word[at + 1 :]
        yield head + tail
        if tail:
            yield head + tail[0] + word[at] + tail[1:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            yield head + letter + word[at] + tail
    for letter in ascii_lowercase:
        yield word + letter
