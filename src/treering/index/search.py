"""One question against one view: which memories match, in which order, and why.

    words -> clauses -> scores -> visible, filtered -> pool -> covered, fused, lifted, weighed ->
    folded

Nothing here touches the disk except through the snapshot's postings and, for phrases, `read`.
"""

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from treering.errors import Invalid
from treering.index.analysis import flattened, joined_terms, question_terms, terms
from treering.index.entry import Entry, searchable_text
from treering.index.filtering import WITHHELD, fitting
from treering.index.folding import FOLDABLE, folds
from treering.index.found import Found, Hit
from treering.index.ranking import POOL, covering, is_recent, lifts, named, prior
from treering.index.scorer import (
    Clause,
    best,
    prefix_clause,
    spelling_clause,
    summed,
    term_clauses,
)
from treering.index.semantic import Meaning
from treering.index.spelling import meant
from treering.index.view import View
from treering.model.memory import Memory
from treering.model.query import ANY_STATUS, Filters, Query

ORDERS = ("relevance", "newest", "oldest", "confidence", "uncertain")
MODES = ("hybrid", "text", "semantic")

_LITTLE = 3  # fewer hits than this and misspelt words are guessed at
_MOST_READ = 2000  # memories read to check a phrase
_HOUR = 3600.0  # priors fade over months: worked out once an hour
_NEAREST = 100  # documents that meaning alone may bring into a hybrid answer
_ALIKE = 0.35  # a cosine that says something by itself
_NO_MODEL = "No embedding model is installed: this is text search only."
_NO_PHRASE = "No memory holds the exact phrase; its words were searched for."
_ONLY_STOP_WORDS = "Only common words were given: the newest memories are shown."

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
class _Matches:
    """Who matches: `scores` of what may be shown, and counts of what may not."""

    scores: dict[int, float]
    clauses: list[Clause]
    withheld: dict[str, int]
    notes: list[str]
    has_phrase: bool = False


def check(order: str, mode: str) -> None:
    if order not in ORDERS:
        raise Invalid(f"Unknown order {order!r}.", hint=f"Allowed: {', '.join(ORDERS)}.")
    if mode not in MODES:
        raise Invalid(f"Unknown mode {mode!r}.", hint=f"Allowed: {', '.join(MODES)}.")


def search(
    request: Request,
    view: View,
    read: Read,
    meaning: Meaning | None = None,
    elsewhere: View | None = None,
) -> Found:
    """Answer a question; an empty one lists what the filters leave, by `order`."""
    filters = request.query.filters.merged(request.filters)
    request = replace(request, filters=filters)
    if request.query.is_empty:
        return _listing(request, view, elsewhere)
    matches = _matches(request, view, read, elsewhere)
    if meaning is None and request.mode != "text":
        matches.notes.append(_NO_MODEL)
    if not matches.scores and not terms(request.query.words) and not request.query.prefixes:
        return _only_common_words(request, view, elsewhere, matches.notes)
    return _ranked(request, view, matches, meaning if request.mode != "text" else None)


def _only_common_words(
    request: Request, view: View, elsewhere: View | None, notes: list[str]
) -> Found:
    """Titles that hold the words, as `which` may be a function's name, else the newest of all."""
    words = set(request.query.words.lower().split())
    titled = {
        blob: rank
        for blob, rank in view.visible.items()
        if blob in view.snapshot.numbers
        and words <= set(view.snapshot.by_blob[blob].title.lower().split())
    }
    if titled:
        found = _listing(request, View(view.snapshot, titled), elsewhere)
        hits = tuple(replace(hit, why=("title", *hit.why)) for hit in found.hits)
        return replace(found, hits=hits, notes=tuple(notes))
    found = _listing(request, view, elsewhere)
    return replace(found, notes=(*notes, _ONLY_STOP_WORDS))


def _matches(request: Request, view: View, read: Read, elsewhere: View | None) -> _Matches:
    clauses = _clauses(request.query, view)
    matches = _narrowed(request, view, clauses, elsewhere)
    if len(matches.scores) < _LITTLE:
        guessed = _respelt(request.query, view, clauses)
        if guessed != clauses:
            matches = _narrowed(request, view, guessed, elsewhere)
    if request.query.phrases:
        _check_phrases(request.query.phrases, view, matches, read)
    return matches


def _clauses(query: Query, view: View) -> list[Clause]:
    words = question_terms(query.words)
    found = term_clauses(view.snapshot, words)
    joined = (term for term in joined_terms(query.words) if term not in words)
    found += [clause for clause in term_clauses(view.snapshot, joined) if clause.weights]
    for prefix in query.prefixes:
        found.append(prefix_clause(view.snapshot, prefix.lower()))
    return found


def _respelt(query: Query, view: View, clauses: list[Clause]) -> list[Clause]:
    """The clauses with a guess in place of each that matches nothing."""
    unknown = {clause.word for clause in clauses if not clause.weights and clause.kind == "text"}
    guesses = []
    for word in dict.fromkeys(query.words.split()):
        mine = set(question_terms(word))
        if mine & unknown and (likely := meant(word.strip(".,;:!?()\"'"), view.snapshot)):
            unknown -= mine
            guesses.append(spelling_clause(view.snapshot, word, likely))
    return [c for c in clauses if c.weights or c.kind != "text"] + guesses if guesses else clauses


def _narrowed(
    request: Request, view: View, clauses: list[Clause], elsewhere: View | None
) -> _Matches:
    """What matches, cut down to what is visible, in force and filtered for."""
    scores = summed(clauses) if clauses else {}
    for text in request.query.excluded:
        for number in _holding(text, view):
            scores.pop(number, None)
    withheld = _withheld(scores, request, view, elsewhere)
    _keep_only(scores, _shown(view, request.filters), view.snapshot.count)
    if not request.filters.is_empty:
        left = fitting(scores, view.snapshot.entries, request.filters)
        scores = {number: scores[number] for number in left}
    return _Matches(scores, clauses, withheld, [])


def _keep_only(scores: dict[int, float], shown: set[int], count: int) -> None:
    """Take out what may not be shown; most of the time that is little or nothing."""
    if len(shown) < count:
        # Not `keys() - shown`: that walks through all that is shown.
        for number in [n for n in scores if n not in shown]:
            del scores[number]


def _holding(text: str, view: View) -> set[int]:
    """Documents that hold every term of a text."""
    lists = [view.snapshot.weights(term).keys() for term in question_terms(text)]
    return set(lists[0]).intersection(*lists[1:]) if lists else set()


def _shown(view: View, filters: Filters) -> set[int]:
    if not filters.status:
        return view.in_force
    return view.all if filters.status == ANY_STATUS else view.by_status.get(filters.status, set())


def _withheld(
    matched: Collection[int], request: Request, view: View, elsewhere: View | None
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


def _check_phrases(phrases: Sequence[str], view: View, matches: _Matches, read: Read) -> None:
    """Keep the documents that hold every phrase word for word; if there are none, keep all."""
    wanted = [flattened(phrase) for phrase in phrases]
    holding = set(matches.scores).intersection(*(_holding(phrase, view) for phrase in phrases))
    likely = heapq.nlargest(_MOST_READ, holding, key=lambda number: matches.scores[number])
    blobs = {view.entry(number).blob: number for number in likely}
    kept = set()
    for blob, memory in read(blobs):
        text = flattened(searchable_text(memory))
        if all(phrase in text for phrase in wanted):
            kept.add(blobs[blob])
    if kept:
        matches.scores = {number: matches.scores[number] for number in kept}
        matches.has_phrase = True
    else:
        matches.notes.append(_NO_PHRASE)


def _ranked(request: Request, view: View, matches: _Matches, meaning: Meaning | None) -> Found:
    """The pool in its final order, then the tail of weaker matches by words alone."""
    pool, semantic = _pool(request, view, matches, meaning)
    lent = lifts(pool, view)
    lent = {n: lent[n] for n in fitting(lent, view.snapshot.entries, request.filters)}
    scored = _weighed(pool, lent, request, view)
    count = len(matches.scores) + sum(number not in matches.scores for number in scored)

    order = _in_order(scored, view)
    tail = matches.scores.keys() - scored.keys()
    order += sorted(tail, key=matches.scores.__getitem__, reverse=True)
    if request.order != "relevance":
        order = _by(request.order, order, view.snapshot.entries)
    order, below = _folded(order, view)

    explain = _Explanation(request, view, matches, scored, semantic, lent)
    cut = len(order) if request.limit is None else request.limit
    hits = tuple(explain.hit(number, below.get(number, ())) for number in order[:cut])
    rest = tuple(view.entry(number).blob for number in order[cut:])
    mode = request.mode if meaning else "text"
    return Found(hits, count, rest, matches.withheld, mode, tuple(matches.notes))


def _weighed(
    pool: dict[int, float], lent: dict[int, float], request: Request, view: View
) -> dict[int, float]:
    """Scores with what neighbours lend and how the memory fares; the best is at most 1."""
    total = pool | {n: pool.get(n, 0.0) + more for n, more in lent.items()}
    highest = max(total.values(), default=1.0) or 1.0
    priors = view.priors(int(request.now // _HOUR))
    for number in [n for n in total if n not in priors]:
        priors[number] = prior(view.entry(number), view.layer(number), request.now)
    return {n: score / highest * priors[n] for n, score in total.items()}


def _in_order(scored: dict[int, float], view: View) -> list[int]:
    """Best first; the newer of equals, and of those always the same one, whoever asks."""
    if len(set(scored.values())) == len(scored):
        return sorted(scored, key=scored.__getitem__, reverse=True)
    entries = view.snapshot.entries
    return sorted(scored, key=lambda n: (-scored[n], -entries[n].created, entries[n].blob))


@lru_cache(4096)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _pool(
    request: Request, view: View, matches: _Matches, meaning: Meaning | None
) -> tuple[dict[int, float], dict[int, float]]:
    """The candidates that get a second look, with their scores so far, and their cosines."""
    texts = covering(best(matches.scores, POOL), matches.clauses)
    texts |= named(texts, request.query.words, view)
    if meaning is None:
        return texts, {}
    allowed: Collection[int] = _shown(view, request.filters)
    if not request.filters.is_empty or request.query.excluded:
        allowed = fitting(allowed, view.snapshot.entries, request.filters)
        allowed = set(allowed).difference(*(_holding(t, view) for t in request.query.excluded))
    if matches.has_phrase:
        allowed = matches.scores.keys()
    near = meaning.nearest(allowed, POOL if request.mode == "semantic" else _NEAREST)
    if request.mode == "semantic":
        return near, near
    cosines = near | meaning.near(texts.keys() - near.keys())
    highest = max(texts.values(), default=1.0) or 1.0
    candidates = texts.keys() | {n for n, cosine in near.items() if cosine >= _ALIKE}
    fused = {
        n: texts.get(n, 0.0) / highest + meaning.weight * max(cosines.get(n, 0.0), 0.0)
        for n in candidates
    }
    return fused, cosines


def _folded(order: list[int], view: View) -> tuple[list[int], dict[int, list[int]]]:
    """The order with near-duplicates at its end, and under which document each is folded."""
    under = folds([view.entry(number) for number in order[:FOLDABLE]])
    below: dict[int, list[int]] = {}
    for place, kept in under.items():
        below.setdefault(order[kept], []).append(order[place])
    last = [order[place] for place in under]
    first = [number for place, number in enumerate(order) if place not in under] if under else order
    return first + last, below


@dataclass(frozen=True, slots=True)
class _Explanation:
    """Everything known about a ranking, to say of each hit why it is there."""

    request: Request
    view: View
    matches: _Matches
    scored: dict[int, float]
    semantic: dict[int, float]
    lent: dict[int, float]

    def hit(self, number: int, folded: Sequence[int]) -> Hit:
        entry = self.view.entry(number)
        return Hit(
            entry.blob,
            entry.id,
            round(self._score(number), 4),
            tuple(self._why(number, entry)),
            self._parts(number),
            tuple(self.view.entry(other).blob for other in folded),
        )

    def _score(self, number: int) -> float:
        """The score; in the tail a share of the pool's lowest, so that order and score agree."""
        if number in self.scored:
            return self.scored[number]
        strongest = max(self.matches.scores.values())
        return min(self.scored.values()) * self.matches.scores[number] / strongest

    def _why(self, number: int, entry: Entry) -> Iterator[str]:
        held = [clause for clause in self.matches.clauses if number in clause.weights]
        words = {clause.word for clause in held}
        yield from dict.fromkeys(clause.kind for clause in held)
        if words & _terms_of(entry.title):
            yield "title"
        if words & _terms_of(" ".join(entry.tags)):
            yield "tag"
        if self.matches.has_phrase:
            yield "phrase"
        if self.semantic.get(number, 0.0) >= _ALIKE:
            yield "semantic"
        if number in self.lent:
            yield "session"
        if is_recent(entry, self.request.now):
            yield "recent"

    def _parts(self, number: int) -> dict[str, float]:
        named = {
            "text": self.matches.scores.get(number, 0.0),
            "semantic": self.semantic.get(number, 0.0),
            "session": self.lent.get(number, 0.0),
        }
        return {name: round(value, 4) for name, value in named.items() if value}


def _listing(request: Request, view: View, elsewhere: View | None) -> Found:
    entries = view.snapshot.entries
    numbers = fitting(_shown(view, request.filters), entries, request.filters)
    for text in request.query.excluded:
        holding = _holding(text, view)
        numbers = [number for number in numbers if number not in holding]
    everything = view.all | (elsewhere.all if elsewhere else set())
    withheld = _withheld(everything, request, view, elsewhere)
    order = "newest" if request.order == "relevance" else request.order
    chosen = [entries[number] for number in _by(order, numbers, entries)]
    cut = len(chosen) if request.limit is None else request.limit
    hits = tuple(
        Hit(e.blob, e.id, 0.0, ("recent",) if is_recent(e, request.now) else ())
        for e in chosen[:cut]
    )
    return Found(hits, len(numbers), tuple(e.blob for e in chosen[cut:]), withheld)


def _by(order: str, numbers: Sequence[int], entries: Sequence[Entry]) -> list[int]:
    """Documents in another order than relevance; ties always come the same way."""
    keys: dict[str, Callable[[int], tuple[float, ...]]] = {
        "newest": lambda n: (-entries[n].created,),
        "oldest": lambda n: (entries[n].created,),
        "confidence": lambda n: (-entries[n].confidence, -entries[n].created),
        "uncertain": lambda n: (entries[n].confidence, -entries[n].created),
    }
    key = keys[order]

    def full(number: int) -> tuple[object, ...]:
        return (*key(number), entries[number].id, entries[number].blob)

    return sorted(numbers, key=full)
