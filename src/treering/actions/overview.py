"""What is remembered, looked at from several sides: by type, topic, tag and file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from treering.model.taxonomy import TYPES
from treering.search import Entry

NO_TOPIC = "(none)"
GENERAL = "(general)"
_RECENT = 5
#: Where a confidence counts as low, medium or high: below the first, below the second, else.
_LOW, _HIGH = 0.5, 0.8


def list_counts(counts: Counter[str], word: str) -> list[dict[str, Any]]:
    pairs = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{word: name, "count": count} for name, count in pairs]


def types(memories: Sequence[Entry]) -> dict[str, Any]:
    """Every type there is, with what it means and the words it is known by."""
    counts = Counter(memory.type for memory in memories)
    return {
        "types": [
            {
                "type": kind.name,
                "description": kind.description,
                "count": counts[kind.name],
                "signal_words": list(kind.signals),
                "synonyms": list(kind.synonyms),
            }
            for kind in TYPES.values()
        ]
    }


def topics(memories: Sequence[Entry]) -> dict[str, Any]:
    """Topics as a list with each of their parents, and as areas, topics and subtopics."""
    groups: dict[str, list[float]] = {}
    for memory in memories:
        parts = memory.topic.split("/") if memory.topic else [NO_TOPIC]
        for depth in range(1, len(parts) + 1):
            groups.setdefault("/".join(parts[:depth]), []).append(memory.confidence)
    return {
        "topics": [
            {
                "topic": topic,
                "count": len(confidences),
                "confidence": [min(confidences), max(confidences)],
            }
            for topic, confidences in sorted(groups.items())
        ],
        "areas": _areas(memories),
        "recent": recent_topics(memories),
        "confidence": _ranges(memory.confidence for memory in memories),
    }


def _areas(memories: Iterable[Entry]) -> list[dict[str, Any]]:
    """Three levels; what names fewer stands in a bucket, what names more is joined in the last."""
    levels = Counter(_levels(memory.topic) for memory in memories)
    areas: dict[str, dict[str, Counter[str]]] = {}
    for (area, topic, subtopic), count in levels.items():
        areas.setdefault(area, {}).setdefault(topic, Counter())[subtopic] += count
    return [
        {
            "area": area,
            "count": sum(counts.total() for counts in below.values()),
            "topics": [
                {
                    "topic": topic,
                    "count": counts.total(),
                    "subtopics": list_counts(counts, "subtopic"),
                }
                for topic, counts in sorted(below.items())
            ],
        }
        for area, below in sorted(areas.items())
    ]


def _levels(topic: str) -> tuple[str, str, str]:
    area, _, rest = topic.partition("/")
    middle, _, last = rest.partition("/")
    return area or NO_TOPIC, middle or GENERAL, last or GENERAL


def _ranges(confidences: Iterable[float]) -> dict[str, int]:
    counts = Counter(
        "low" if value < _LOW else "medium" if value < _HIGH else "high" for value in confidences
    )
    return {name: counts[name] for name in ("low", "medium", "high")}


def recent_topics(memories: Iterable[Entry]) -> list[str]:
    recent = sorted((m for m in memories if m.topic), key=lambda m: m.modified, reverse=True)
    return list(dict.fromkeys(memory.topic for memory in recent))[:_RECENT]


def tags(memories: Iterable[Entry]) -> dict[str, Any]:
    return {"tags": list_counts(Counter(tag for m in memories for tag in m.tags), "tag")}


def files(memories: Iterable[Entry]) -> dict[str, Any]:
    """The files memories speak of, as a list and as the folders they lie in."""
    counts = Counter(path for memory in memories for path in memory.files)
    return {"files": list_counts(counts, "path"), "tree": _tree(counts)}


def _tree(counts: Counter[str]) -> list[dict[str, Any]]:
    """One level: files with how many memories name them, folders with what is in them."""
    here: Counter[str] = Counter()
    below: dict[str, Counter[str]] = {}
    for path, count in counts.items():
        first, slash, rest = path.partition("/")
        here[first] += count
        if slash:
            below.setdefault(first, Counter())[rest] += count
    return [
        {"name": name, "count": here[name]}
        | ({"children": _tree(below[name])} if name in below else {})
        for name in sorted(here, key=lambda name: (name not in below, name))
    ]
