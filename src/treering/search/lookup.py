"""One question against one view: which memories match, in which order, and why.

    words -> clauses -> scores -> visible, filtered -> pool -> covered, fused, lifted, weighed ->
    folded

Nothing here touches the disk except through the snapshot's postings and, for phrases, `read`.
"""

from collections.abc import Callable, Collection, Sequence, Set
from types import MappingProxyType

from treering.model.choices import MODES, ORDERS, Mode, Order
from treering.model.taxonomy import unknown_word
from treering.search.analysis import terms
from treering.search.entry import Entry
from treering.search.hits import Explanation, Hit, SearchResult
from treering.search.matching import (
    Elsewhere,
    Matches,
    Read,
    Request,
    count_withheld,
    guess_spelling,
    holding,
    matches_of,
    show,
)
from treering.search.meaning.protocol import Meaning
from treering.search.precedence import put_newer_first
from treering.search.ranking import (
    POOL,
    best,
    covering,
    find_holders_of_rare,
    fuse,
    is_named,
    is_recent,
    lift_named,
    lifts,
    prior,
    trust_in_words,
)
from treering.search.similarity import FOLDABLE, folds
from treering.search.tiers import (
    answering,
    failed_attempts,
    is_record,
    put_commits_first,
    put_first,
    verbatim,
)
from treering.search.understanding import SemanticMatch
from treering.search.visible import VisibleEntries, filter_numbers

_NO_SENSE = SemanticMatch()
_PAGE = 10
_MOST_KEPT = 2  # documents that are kept on the first page for the rare words they hold
_FEW_WORDS = 5  # of a question that is tried in another spelling if nothing is close to it
_SAMPLE = 128  # memories that tell how near any text is to a question
_NEAREST = 150  # documents whose meaning is looked at closely, whatever words they hold
_ENOUGH_TRUST = 0.16  # trust in words: their best match holds two fifths of the question
_NO_MODEL = "Search by meaning is turned off: this is text search only."
_NOT_UNDERSTOOD = "No word of this question is known to the model: this is text search only."
_ONLY_STOP_WORDS = "Only common words were given: the newest memories are shown."
_NO_WORDS = "There is no word in this question to look for."


def check(order: str, mode: str) -> tuple[Order, Mode]:
    """The same words, if they are an order and a mode, exactly as they are written."""
    if order not in ORDERS:
        raise unknown_word(order, ORDERS, "order")
    if mode not in MODES:
        raise unknown_word(mode, MODES, "mode")
    return order, mode


def search(
    request: Request,
    view: VisibleEntries,
    read: Read,
    sense: SemanticMatch = _NO_SENSE,
    elsewhere: Elsewhere = MappingProxyType({}),
) -> SearchResult:
    """Answer a question; an empty one lists what the filters leave, by `order`."""
    filters = request.query.filters.merge(request.filters)
    request = request._replace(filters=filters)
    if request.query.is_wordless:
        return SearchResult(notes=(_NO_WORDS,))
    if request.query.is_empty:
        return _listing(request, view, elsewhere)
    matches = matches_of(request, view, read, elsewhere, sense.synonyms)
    if not sense.has_model and request.mode != "text":
        matches.notes.append(_NO_MODEL)
    elif sense.meaning is None and request.mode == "semantic":
        matches.notes.append(_NOT_UNDERSTOOD)
    if not matches.scores and not terms(request.query.words) and not request.query.prefixes:
        return _only_common_words(request, view, elsewhere, matches.notes)
    result = _rank(request, view, matches, sense, read)
    if result.is_close or len(matches.clauses) > _FEW_WORDS:
        return result
    if guessed := guess_spelling(request, view, matches, read, elsewhere):
        other = _rank(request, view, guessed._replace(notes=matches.notes), sense, read)
        result = other if other.hits and other.hits[0].closeness.is_whole else result
    return result


def _only_common_words(
    request: Request, view: VisibleEntries, elsewhere: Elsewhere, notes: list[str]
) -> SearchResult:
    """Titles that hold the words, as `which` may be a function's name, else the newest of all."""
    words = set(request.query.words.lower().split())
    visible = {
        view.blob(number): view.layer(number)
        for number in view.all
        if words <= set(view.entry(number).title.lower().split())
    }
    if visible:
        result = _listing(request, VisibleEntries(view.snapshot, visible), elsewhere)
        hits = tuple(hit._replace(why=("title", *hit.why), match="words") for hit in result.hits)
        return result._replace(hits=hits, notes=tuple(notes))
    result = _listing(request, view, elsewhere)
    return result._replace(notes=(*notes, _ONLY_STOP_WORDS))


def _rank(
    request: Request, view: VisibleEntries, matches: Matches, sense: SemanticMatch, read: Read
) -> SearchResult:
    """The pool in its final order, then the tail of weaker matches by words alone."""
    pool, semantic = _pool(request, view, matches, sense.meaning)
    view.snapshot.entries.load(pool)
    lent = lifts(pool, view)
    lent = {n: lent[n] for n in filter_numbers(lent, view.snapshot.entries, request.filters)}
    scores = _weigh(pool, lent, request, view)
    count = len(matches.scores) + sum(number not in matches.scores for number in scores)

    order = _in_order(scores, view)
    order = _keep_on_page(order, find_holders_of_rare(scores, matches.clauses, view))
    tail = matches.scores.keys() - scores.keys()
    order += sorted(tail, key=matches.scores.__getitem__, reverse=True)
    explain = Explanation(request, view, matches, scores, semantic, lent)
    is_close = request.mode == "semantic" or _is_close(explain, order[:_PAGE], sense.meaning)
    first: set[int] = set()
    if request.order != "relevance":
        order = _by(request.order, order, view.snapshot.entries)
    else:
        order = put_first(order, verbatim(scores, request.query.words, view))
        if request.has_records or view.has_records:
            first = answering(scores, view, matches, semantic)
            order = put_first(order, first)
        order = put_first(order, failed_attempts(order, scores, view, matches))
        top = min(request.limit or _PAGE, FOLDABLE)
        order = put_newer_first(order, top, view, matches.clauses, read)
    order, below = _fold(order, view, request.limit)

    cut = len(order) if request.limit is None else request.limit
    hits = tuple(explain.hit(number, below.get(number, ())) for number in order[:cut])
    rest = view.list_blobs(order[cut:])
    mode: Mode = request.mode if sense.meaning else "text"
    notes = tuple(matches.notes)
    return SearchResult(hits, count, rest, matches.withheld, mode, notes, len(first), is_close)


def _is_close(explain: Explanation, first: Sequence[int], meaning: Meaning | None) -> bool:
    """Tell whether any of the first hits is close to the question; a sample of all memories says
    how near to it any text is."""
    view = explain.view

    def sample() -> Collection[float]:
        step = max(1, view.snapshot.count // _SAMPLE)
        numbers = [n for n in range(0, view.snapshot.count, step) if n in view.in_force]
        return meaning.near(dict.fromkeys(numbers, 0.0)).values() if meaning else ()

    return explain.is_close(first, sample)


def _keep_on_page(order: list[int], numbers: Set[int]) -> list[int]:
    """The same order, with a few documents at the end of the first page if they were beyond it."""
    beyond = [number for number in order[_PAGE:] if number in numbers][:_MOST_KEPT]
    if not beyond:
        return order
    at = _PAGE - len(beyond)
    return order[:at] + beyond + [number for number in order[at:] if number not in beyond]


def _weigh(
    pool: dict[int, float], lent: dict[int, float], request: Request, view: VisibleEntries
) -> dict[int, float]:
    """Scores with what neighbours lend and how the memory fares; the best is at most 1."""
    total = pool | {n: pool.get(n, 0.0) + more for n, more in lent.items()}
    highest = max(total.values(), default=1.0) or 1.0
    return {
        n: score / highest * prior(view.entry(n), view.layer(n), request.now)
        for n, score in total.items()
    }


def _in_order(scores: dict[int, float], view: VisibleEntries) -> list[int]:
    """Best first; the newer of equals, and of those always the same one, whoever asks."""
    if len(set(scores.values())) == len(scores):
        return sorted(scores, key=scores.__getitem__, reverse=True)
    entries = view.snapshot.entries
    return sorted(scores, key=lambda n: (-scores[n], -entries[n].created, entries[n].blob))


def _pool(
    request: Request, view: VisibleEntries, matches: Matches, meaning: Meaning | None
) -> tuple[dict[int, float], dict[int, float]]:
    """The candidates that get a second look, with their scores so far, and their cosines."""
    texts = covering(_best(matches.scores, view), matches.clauses)
    view.snapshot.entries.load(texts)
    texts |= lift_named(texts, request.query.words, view)
    if meaning is None:
        return texts, {}
    if request.mode == "hybrid" and is_named(texts, request.query.words, view):
        return texts, {}  # what is called so is meant, not what is like it
    numbers: Collection[int] = show(view, request.filters)
    if not request.filters.is_empty or request.query.excluded:
        numbers = filter_numbers(numbers, view.snapshot.entries, request.filters)
        numbers = set(numbers).difference(*(holding(t, view) for t in request.query.excluded))
    if matches.has_phrase:
        numbers = matches.scores.keys()
    if request.mode == "semantic":
        near = meaning.nearest(numbers, POOL)
        near = {number: cosine for number, cosine in near.items() if cosine > meaning.floor}
        return near, near
    trust = trust_in_words(texts, matches.clauses)
    is_scanned = not texts or trust < _ENOUGH_TRUST or len(numbers) <= meaning.scanned
    near = meaning.join(numbers, _NEAREST) if is_scanned else {}
    highest = max(texts.values(), default=1.0) or 1.0
    shares = {n: trust * score / highest for n, score in texts.items() if n not in near}
    cosines = near | meaning.near(shares)
    return fuse(texts, cosines, trust=trust, weight=meaning.weight, floor=meaning.floor), cosines


def _best(scores: dict[int, float], view: VisibleEntries) -> dict[int, float]:
    """The best of all, and the best of knowledge, which many records may outdo."""
    if not view.has_records:
        return best(scores, POOL)
    knowledge = {n: scores[n] for n in view.knowledge if n in scores}
    return best(scores, POOL) | best(knowledge, POOL)


def _fold(
    order: list[int], view: VisibleEntries, limit: int | None
) -> tuple[list[int], dict[int, list[int]]]:
    """The order with near-duplicates at its end, and under which document each is folded."""
    top = FOLDABLE if limit is None else min(FOLDABLE, 2 * limit)
    order = put_commits_first(order, top, view) if view.has_records else order
    under = folds([view.entry(number) for number in order[:top]])
    below: dict[int, list[int]] = {}
    order = _lead_with_newest(order, under, view)
    for place, better in under.items():
        below.setdefault(order[better], []).append(order[place])
    last = [order[place] for place in under]
    first = [number for place, number in enumerate(order) if place not in under] if under else order
    return first + last, below


def _lead_with_newest(order: list[int], under: dict[int, int], view: VisibleEntries) -> list[int]:
    """The order with the newest of those that are folded together in the place of the best one.
    Copies of one memory stay as they are, and so do records: each tells of an event of its own."""
    entries, new = view.snapshot.entries, list(order)
    for place, better in under.items():
        one, other = entries[new[better]], entries[order[place]]
        if one.id != other.id and not is_record(other) and other.said > one.said:
            new[better], new[place] = new[place], new[better]
    return new


def _listing(request: Request, view: VisibleEntries, elsewhere: Elsewhere) -> SearchResult:
    entries = view.snapshot.entries
    numbers = filter_numbers(show(view, request.filters), entries, request.filters)
    for text in request.query.excluded:
        taken_out = holding(text, view)
        numbers = [number for number in numbers if number not in taken_out]
    everything = view.all.union(*(other.all for other in elsewhere.values()))
    withheld = count_withheld(everything, request, view, elsewhere)
    is_tiered = request.order == "relevance"
    numbers = _by("newest" if is_tiered else request.order, numbers, entries)
    below: dict[int, list[int]] = {}
    if is_tiered and view.has_records:
        records = [n for n in numbers if is_record(entries[n])]
        records, below = _fold(records, view, request.limit)
        numbers = [n for n in numbers if not is_record(entries[n])] + records
    cut = len(numbers) if request.limit is None else request.limit
    hits = tuple(
        Hit(
            entries[number].blob,
            entries[number].id,
            0.0,
            ("recent",) if is_recent(entries[number], request.now) else (),
            folded=tuple(entries[other].blob for other in below.get(number, ())),
        )
        for number in numbers[:cut]
    )
    rest = tuple(entries[number].blob for number in numbers[cut:])
    count = sum(not is_record(entries[number]) for number in numbers) if is_tiered else 0
    return SearchResult(hits, len(numbers), rest, withheld, answering=count)


def _by(order: Order, numbers: Sequence[int], entries: Sequence[Entry]) -> list[int]:
    """Documents in another order than relevance; ties always come the same way."""
    keys: dict[Order, Callable[[int], tuple[float, ...]]] = {
        "newest": lambda n: (-entries[n].created, -entries[n].place),
        "oldest": lambda n: (entries[n].created, entries[n].place),
        "confidence": lambda n: (-entries[n].confidence, -entries[n].created),
        "uncertain": lambda n: (entries[n].confidence, -entries[n].created),
    }
    key = keys[order]

    def full(number: int) -> tuple[object, ...]:
        return (*key(number), entries[number].id, entries[number].blob)

    return sorted(numbers, key=full)
