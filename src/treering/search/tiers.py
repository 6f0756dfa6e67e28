"""Two tiers: what somebody meant to say comes before what hooks and sessions wrote down.

Records (commits, sessions, checkpoints, progress) outnumber knowledge a hundred times, and speak in
the same words. So knowledge that answers a question stands before all of them, however well they
match, even before a commit whose subject is the question. Knowledge that only has a word in common
with it does not answer, and takes its place by score.
"""

from collections.abc import Iterable, Mapping, Sequence, Set

from treering.model.pattern import lazy_pattern
from treering.model.taxonomy import RECORD_TYPES
from treering.search.analysis import terms_in
from treering.search.entry import Entry
from treering.search.matching import Clause, Matches
from treering.search.ranking import coverage
from treering.search.visible import VisibleEntries
from treering.text.likeness import NEAR_IN_MEANING

#: Knowledge answers a question that it covers at least so far, by the rarity of its words.
ANSWERS = 0.5
#: A title is the question when it holds all of it, and not much more (Dice).
_VERBATIM = 0.6
#: A failed attempt that scores so much of the best is about the same.
_CLOSE = 0.5
_NUMBERING = lazy_pattern(r"\s*(?:\(#?\d+\)|[.!…])+\s*$")


def is_record(entry: Entry) -> bool:
    return entry.type in RECORD_TYPES


def answering(
    numbers: Iterable[int], view: VisibleEntries, matches: Matches, cosines: Mapping[int, float]
) -> set[int]:
    """Return the knowledge among some documents that answers the question, by its words or its
    meaning."""
    knowledge = [number for number in numbers if not is_record(view.entry(number))]
    shares = coverage(knowledge, _words(matches.clauses))
    has_words = any(clause.weights for clause in matches.clauses)
    less = ANSWERS / 2 if has_words else 0.0
    return {
        number
        for number in knowledge
        if shares[number] >= ANSWERS
        or (shares[number] >= less and cosines.get(number, 0.0) >= NEAR_IN_MEANING)
    }


def verbatim(numbers: Iterable[int], words: str, view: VisibleEntries) -> set[int]:
    """Return those whose title is the question, nearly word for word."""
    question = terms_in(words)
    if len(question) < 2:
        return set()
    near = set()
    for number in numbers:
        title = terms_in(view.entry(number).title)
        if question <= title and 2 * len(question) >= _VERBATIM * (len(question) + len(title)):
            near.add(number)
    return near


def failed_attempts(
    order: Sequence[int], scores: Mapping[int, float], view: VisibleEntries, matches: Matches
) -> set[int]:
    """Return what was tried and did not work, and is about the same as the question: whoever asks
    is about to try it again."""
    failed = [n for n in order if n in scores and view.entry(n).outcome == "failed"]
    if not failed:
        return set()
    shares = coverage(failed, _words(matches.clauses))
    highest = max(scores.values())
    return {n for n in failed if shares[n] >= ANSWERS and scores[n] >= highest * _CLOSE}


def _words(clauses: Sequence[Clause]) -> list[Clause]:
    """Return what was asked for, without pairs of words tried as one."""
    return [clause for clause in clauses if not clause.is_pair]


def put_first(order: list[int], first: Set[int]) -> list[int]:
    """The same order, with some before all others."""
    if not first:
        return order
    return [n for n in order if n in first] + [n for n in order if n not in first]


def put_commits_first(order: list[int], top: int, view: VisibleEntries) -> list[int]:
    """The order with each commit before the session it was made in, if both are near the top: the
    session says the same at more length, and is folded under it."""
    commits: dict[str, list[int]] = {}
    for number in order[:top]:
        entry = view.entry(number)
        if entry.type == "commit" and entry.session:
            commits.setdefault(entry.session, []).append(number)
    if not commits:
        return order
    new: dict[int, None] = {}
    for number in order[:top]:
        entry = view.entry(number)
        if entry.type == "session":
            new.update(dict.fromkeys(commits.get(entry.id, ())[:1]))
        new[number] = None
    return [*new, *order[top:]]


def labels_of(entry: Entry) -> list[str]:
    """Return what records that belong together have in common: a session, or a subject."""
    if not is_record(entry):
        return []
    session = entry.session if entry.type == "commit" else entry.id
    return [f"session {session}", f"subject {subject_of(entry.title)}"]


def belong_together(one: Entry, other: Entry) -> bool:
    """Return whether a record is folded under another: a session under a commit of its own, and
    equal subjects, numbered or not, under the best of them."""
    if not is_record(one) or not is_record(other):
        return False
    if one.type == other.type:
        return subject_of(one.title) == subject_of(other.title)
    return (one.type, other.type) == ("commit", "session") and one.session == other.id


def subject_of(title: str) -> str:
    """A title without what counts it: "Fix the build (2)" is "Fix the build (#12)"."""
    return _NUMBERING.sub("", title).strip().casefold()
