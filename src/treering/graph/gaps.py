"""Memories that look as if they belong together and are not linked."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from treering.graph.inference import RECORDS, InferenceCase, evidence
from treering.graph.mentions import Mentions
from treering.graph.network import Network
from treering.graph.subject import Subject
from treering.text.likeness import INDEX_SKETCH

#: A key that more memories than this have says nothing about any two of them.
_MOST_SHARERS = 24
_NOTHING_SAID = Mentions("")


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
    subjects: Iterable[Subject], network: Network, threshold: float, start: str = ""
) -> list[Gap]:
    """Pairs at or above the threshold, the likeliest first; with `start`, only those with it.

    The subjects come from the index, with its sketches.
    Pairs are not tried all against all: two memories are compared when they share two keys.
    """
    known = {s.id: s for s in subjects if s.status == "active" and s.type not in RECORDS}
    found = []
    for one, other in _worth_a_look(known, start):
        newer, older = sorted((known[one], known[other]), key=lambda s: (-s.created, s.id))
        if network.are_linked(newer.id, older.id):
            continue
        link = evidence(InferenceCase(newer, _NOTHING_SAID), older, INDEX_SKETCH)
        if link and link.confidence >= threshold:
            found.append(
                Gap(
                    newer.id, older.id, link.confidence, link.relation, link.reason,
                    newer.title, older.title,
                )
            )  # fmt: skip
    return sorted(found, key=lambda gap: (-gap.score, gap.source, gap.target))


def _worth_a_look(known: dict[str, Subject], start: str) -> list[tuple[str, str]]:
    sharers: dict[str, list[str]] = defaultdict(list)
    for subject in known.values():
        for key in subject.traits():
            sharers[key].append(subject.id)
    if start:
        mine = set(known[start].traits()) if start in known else set()
        sharers = {key: ids for key, ids in sharers.items() if key in mine}
    pairs: Counter[tuple[str, str]] = Counter()
    for key, ids in sharers.items():
        if 1 < len(ids) <= _MOST_SHARERS:
            weight = 2 if key.startswith("file ") else 1  # a file in common is enough by itself
            for pair in combinations(ids, 2):
                pairs[pair] += weight
    return [pair for pair, count in pairs.items() if count >= 2 and (not start or start in pair)]
