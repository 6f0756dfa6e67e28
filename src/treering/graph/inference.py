"""Links a memory should probably have, each with its reason.

Precision first: a wrong link is worse than none, for it is followed. So a link is certain enough to
be made only where the text or the files say so; what merely looks alike is suggested, and left to
whoever knows.

    certain      common files, a dependency named, a decision implemented, an earlier one
                 superseded, the session it belongs to
    suggested    tags in common, titles alike, close in time
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from treering.graph.subject import Mentions, Subject
from treering.model.taxonomy import RECORD_TYPES
from treering.text.likeness import (
    ALIKE,
    CAPTURE_SKETCH,
    INDEX_SKETCH,
    MAYBE_ALIKE,
    RELATED_TEXTS,
    RELATED_TITLES,
    SAME_SUBJECT,
    SIMILAR,
    likeness,
)

if TYPE_CHECKING:
    from treering.graph.network import Network

CERTAIN = 0.8
MOST = 5

_AFFECTED = frozenset({"component", "api", "config"})
#: A key that more memories than this have says nothing about any two of them.
_MOST_SHARERS = 24
_STEP = 200  # memories, keys or pairs between two calls of `progress`

Item = TypeVar("Item")
Progress = Callable[[int, int], None]


class Inferred(NamedTuple):
    """A link from the memory looked at to `target`."""

    relation: str
    target: str
    confidence: float
    reason: str

    @property
    def is_certain(self) -> bool:
        return self.confidence >= CERTAIN


class InferenceCase(NamedTuple):
    """A memory, what its text says, and the files so many others name that they prove nothing."""

    subject: Subject
    mentions: Mentions
    crowded: Collection[str] = ()


def infer(
    case: InferenceCase, others: Iterable[Subject], avoid: Collection[str] = ()
) -> list[tuple[Inferred, Subject]]:
    """The links that suggest themselves, the surest first, at most one to each memory."""
    pairs = []
    for other in others:
        if other.id != case.subject.id and other.id not in avoid and other.status != "deleted":
            links = [link for rule in _RULES if (link := rule(case, other))]
            if links:
                pairs.append((max(links, key=lambda link: link.confidence), other))
    pairs.sort(key=lambda pair: (-pair[0].confidence, -pair[1].created, pair[1].id))
    return pairs


def similar(subject: Subject, others: Iterable[Subject]) -> list[tuple[Subject, float]]:
    """Memories that say nearly the same, the nearest first."""
    scores = (
        (other, round(likeness(subject.sample, other.sample, CAPTURE_SKETCH), 2))
        for other in others
        if other.id != subject.id and other.status == "active" and other.type not in RECORD_TYPES
    )
    near = [pair for pair in scores if pair[1] >= SIMILAR]
    return sorted(near, key=lambda pair: (-pair[1], pair[0].id))


def may_replace(subject: Subject, other: Subject) -> bool:
    """Return whether a memory may be about the same as an earlier one and say something else: worth
    reading both."""
    if other.id == subject.id or other.status not in ("active", "needs-review"):
        return False
    if RECORD_TYPES & {subject.type, other.type}:
        return False
    alike = likeness(subject.sample, other.sample, CAPTURE_SKETCH)
    return alike >= ALIKE * MAYBE_ALIKE or likeness(subject.about, other.about) >= ALIKE


def find_failures(subject: Subject, others: Iterable[Subject]) -> list[Subject]:
    """Decisions that resemble this one and did not work out."""
    return [
        other
        for other in others
        if other.outcome == "failed"
        and other.id != subject.id
        and other.status != "deleted"
        and (
            likeness(subject.about, other.about) >= SAME_SUBJECT
            or likeness(subject.sample, other.sample, CAPTURE_SKETCH) >= SAME_SUBJECT
        )
    ]


# --- rules: what is certain ----------------------------------------------------------------------


def by_files(case: InferenceCase, other: Subject) -> Inferred | None:
    """Half of the files of both in common is certain, less is not."""
    subject = case.subject
    common = sorted((subject.files & other.files).difference(case.crowded))
    if not common or RECORD_TYPES & {subject.type, other.type}:
        return None
    part = len(common) / max(len(subject.files), len(other.files))
    affects = subject.type == "decision" and other.type in _AFFECTED
    names = ", ".join(common[:3]) + (f" and {len(common) - 3} more" if len(common) > 3 else "")
    return Inferred(
        "affects" if affects else "relates_to",
        other.id,
        CERTAIN if part >= SAME_SUBJECT else round(0.4 + 0.4 * part, 2),
        f"common files: {names}",
    )


def by_dependency(case: InferenceCase, other: Subject) -> Inferred | None:
    if other.type in RECORD_TYPES or not case.mentions.depends_on(other):
        return None
    return Inferred("depends_on", other.id, 0.85, f"its text names {other.title!r} as needed")


def by_implementation(case: InferenceCase, other: Subject) -> Inferred | None:
    """A component that names a decision."""
    if (case.subject.type, other.type) != ("component", "decision"):
        return None
    if case.mentions.names(other):
        return Inferred("implements", other.id, 0.85, f"it names the decision {other.title!r}")
    if case.mentions.implements(other):
        return Inferred("implements", other.id, CERTAIN, f"it implements {other.title!r}")
    if case.mentions.covers(other):
        return Inferred("implements", other.id, 0.7, f"it speaks of {other.title!r}")
    return None


def by_supersession(case: InferenceCase, other: Subject) -> Inferred | None:
    """The same type, a similar title, and words that say so."""
    subject = case.subject
    if subject.type != other.type or other.status != "active" or other.created > subject.created:
        return None
    alike = likeness(subject.about, other.about)
    if subject.type in RECORD_TYPES or other.outcome == "failed":
        return None  # a failure stays a warning
    if case.mentions.supersedes_by_name(other):
        return Inferred("supersedes", other.id, 0.85, f"its text says it replaces {other.title!r}")
    if alike < SAME_SUBJECT and not case.mentions.speaks_of(other):
        return None
    if case.mentions.supersedes(other):
        return Inferred("supersedes", other.id, 0.85, "its text says so, and it is about the same")
    if alike >= SAME_SUBJECT and case.mentions.turns_away:
        return Inferred("supersedes", other.id, 0.7, "titles alike, and done another way now")
    return None


def by_session(case: InferenceCase, other: Subject) -> Inferred | None:
    session = case.subject.session
    if not session or other.type != "session" or session not in (other.id, other.session):
        return None
    return Inferred("part_of", other.id, 1.0, "made in this session")


# --- rules: what is worth a look -----------------------------------------------------------------


def by_tags(case: InferenceCase, other: Subject) -> Inferred | None:
    common = sorted(case.subject.tags & other.tags)
    part = likeness(case.subject.tags, other.tags)
    if len(common) < 2 or part < SAME_SUBJECT or RECORD_TYPES & {case.subject.type, other.type}:
        return None
    return Inferred(
        "relates_to", other.id, round(0.3 + 0.4 * part, 2), f"common tags: {', '.join(common[:5])}"
    )


def by_title(case: InferenceCase, other: Subject) -> Inferred | None:
    part = likeness(case.subject.about, other.about)
    common = case.subject.about & other.about
    if part < RELATED_TITLES or len(common) < 2 or other.type in RECORD_TYPES:
        return None
    return Inferred("relates_to", other.id, round(min(0.9 * part, 0.79), 2), "similar titles")


_RULES: tuple[Callable[[InferenceCase, Subject], Inferred | None], ...] = (
    by_session,
    by_supersession,
    by_dependency,
    by_implementation,
    by_files,
    by_title,
    by_tags,
)


# --- all evidence together -----------------------------------------------------------------------


def evidence(case: InferenceCase, other: Subject, cut: int) -> Inferred | None:
    """Everything that speaks for a link between two memories, as one score.

    Independent signs add up: what each leaves open is left open only if all of them do.
    """
    links = [link for rule in (by_files, by_title, by_tags) if (link := rule(case, other))]
    text = likeness(case.subject.sample, other.sample, cut)
    if text >= RELATED_TEXTS:
        relation = "similar_to" if text >= SIMILAR else "relates_to"
        links.append(Inferred(relation, other.id, text, f"{text:.0%} of their words are the same"))
    if not links:
        return None
    doubt = 1.0
    for link in links:
        doubt *= 1 - link.confidence
    best = max(links, key=lambda link: link.confidence)
    reasons = "; ".join(link.reason for link in links)
    return best._replace(confidence=round(1 - doubt, 2), reason=reasons)


# --- links that are missing -----------------------------------------------------------------------


class Gap(NamedTuple):
    """A link that is missing, as far as one can tell from outside."""

    source: str
    target: str
    score: float
    relation: str
    reason: str
    source_title: str
    target_title: str


def gaps(
    subjects: Iterable[Subject],
    network: "Network",
    threshold: float,
    start: str = "",
    cut: int = INDEX_SKETCH,
    progress: Progress | None = None,
) -> list[Gap]:
    """Pairs at or above the threshold, the likeliest first; with `start`, only those with it.

    The subjects come from the index, with its sketches.
    Pairs are not tried all against all: two memories are compared when they share two keys.
    `progress` is called between the steps, and may end them.
    """
    by_id: dict[str, Subject] = {}
    for subject in _in_steps(subjects, progress):
        if subject.status == "active" and subject.type not in RECORD_TYPES:
            by_id[subject.id] = subject
    missing = []
    pairs = _worth_a_look(by_id, start, progress)
    for number, (one, other) in enumerate(pairs):
        if progress and number % _STEP == 0:
            progress(number, len(pairs))
        newer, older = sorted((by_id[one], by_id[other]), key=lambda s: (-s.created, s.id))
        if network.are_linked(newer.id, older.id):
            continue
        link = evidence(InferenceCase(newer, Mentions("")), older, cut)
        if link and link.confidence >= threshold:
            missing.append(
                Gap(
                    newer.id, older.id, link.confidence, link.relation, link.reason,
                    newer.title, older.title,
                )
            )  # fmt: skip
    return sorted(missing, key=lambda gap: (-gap.score, gap.source, gap.target))


def _in_steps(items: Iterable[Item], progress: Progress | None) -> Iterator[Item]:
    """Items one by one; whoever waits is told now and then that it goes on, and may end it."""
    for number, item in enumerate(items):
        if progress and number % _STEP == 0:
            progress(0, 1)
        yield item


def _worth_a_look(
    by_id: dict[str, Subject], start: str, progress: Progress | None
) -> list[tuple[str, str]]:
    sharers: dict[str, list[str]] = defaultdict(list)
    for subject in _in_steps(by_id.values(), progress):
        for key in subject.traits():
            sharers[key].append(subject.id)
    if start:
        mine = set(by_id[start].traits()) if start in by_id else set()
        sharers = {key: ids for key, ids in sharers.items() if key in mine}
    pairs: dict[tuple[str, str], int] = {}
    for key, ids in _in_steps(sharers.items(), progress):
        if 1 < len(ids) <= _MOST_SHARERS:
            weight = 2 if key.startswith("file ") else 1  # a file in common is enough by itself
            for pair in combinations(ids, 2):
                pairs[pair] = pairs.get(pair, 0) + weight
    return [pair for pair, count in pairs.items() if count >= 2 and (not start or start in pair)]
