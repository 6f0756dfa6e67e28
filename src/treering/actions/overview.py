"""What is remembered, looked at from several sides: by type, topic, tag and file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NotRequired, TypedDict

from treering.model.taxonomy import TYPES
from treering.search.entry import Entry
from treering.text.classify import list_phrases

NO_TOPIC = "(none)"
GENERAL = "(general)"
_RECENT = 5
#: Where a confidence counts as low, medium or high: below the first, below the second, else.
_LOW, _HIGH = 0.5, 0.8


class TypeCount(TypedDict):
    type: str
    description: str
    count: int
    signal_words: list[str]
    synonyms: list[str]


class StatusTypes(TypedDict):
    types: list[TypeCount]


class TopicCount(TypedDict):
    """`confidence` has the lowest and the highest."""

    topic: str
    count: int
    confidence: list[float]


class SubtopicCount(TypedDict):
    subtopic: str
    count: int


class AreaTopic(TypedDict):
    topic: str
    count: int
    subtopics: list[SubtopicCount]


class AreaCount(TypedDict):
    area: str
    count: int
    topics: list[AreaTopic]


class StatusTopics(TypedDict):
    topics: list[TopicCount]
    areas: list[AreaCount]
    recent: list[str]
    confidence: dict[str, int]


class TagCount(TypedDict):
    tag: str
    count: int


class StatusTags(TypedDict):
    tags: list[TagCount]


class FileCount(TypedDict):
    path: str
    count: int


class FolderCount(TypedDict):
    name: str
    count: int
    children: NotRequired[list["FolderCount"]]


class StatusFiles(TypedDict):
    files: list[FileCount]
    tree: list[FolderCount]


def _rank(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def types(memories: Sequence[Entry]) -> StatusTypes:
    """Every type there is, with what it means and the words it is known by."""
    counts = Counter(memory.type for memory in memories)
    return {
        "types": [
            {
                "type": kind.name,
                "description": kind.description,
                "count": counts[kind.name],
                "signal_words": list(list_phrases("signals").get(kind.name, ())),
                "synonyms": list(kind.synonyms),
            }
            for kind in TYPES.values()
        ]
    }


def topics(memories: Sequence[Entry]) -> StatusTopics:
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


def _areas(memories: Iterable[Entry]) -> list[AreaCount]:
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
                    "subtopics": [
                        {"subtopic": name, "count": count} for name, count in _rank(counts)
                    ],
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


def tags(memories: Iterable[Entry]) -> StatusTags:
    counts = Counter(tag for memory in memories for tag in memory.tags)
    return {"tags": [{"tag": tag, "count": count} for tag, count in _rank(counts)]}


def files(memories: Iterable[Entry]) -> StatusFiles:
    """The files memories speak of, as a list and as the folders they lie in."""
    counts = Counter(path for memory in memories for path in memory.files)
    return {
        "files": [{"path": path, "count": count} for path, count in _rank(counts)],
        "tree": _tree(counts),
    }


def _tree(counts: Counter[str]) -> list[FolderCount]:
    """One level: files with how many memories name them, folders with what is in them."""
    here: Counter[str] = Counter()
    below: dict[str, Counter[str]] = {}
    for path, count in counts.items():
        first, slash, rest = path.partition("/")
        here[first] += count
        if slash:
            below.setdefault(first, Counter())[rest] += count
    level: list[FolderCount] = []
    for name in sorted(here, key=lambda name: (name not in below, name)):
        folder: FolderCount = {"name": name, "count": here[name]}
        if name in below:
            folder["children"] = _tree(below[name])
        level.append(folder)
    return level
