"""Memories turned into text for an agent within a budget, by `context` and by hooks.

Of each memory the passage is handed over that answers the task or speaks of the lines at hand, with
its reasoning and outcome. The most important comes first and gets most of the room.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from treering.actions.marks import NO_MARKS, Marks
from treering.actions.standing import PROPOSED, UNKNOWN, Standing
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago
from treering.model.memory import Memory, beyond_title, uri_of
from treering.model.relevance import Relevance
from treering.model.taxonomy import RECORD_TYPES
from treering.text.passages import choose_passage, reason_of_message

if TYPE_CHECKING:
    from treering.actions.checkpoint import CheckpointLoaded, CodeSince
    from treering.actions.prompts.render import TemplateMemory
    from treering.actions.recall import RecallHit

#: The part of the room left that one memory may take, and the characters it gets at most, at least.
_SHARE, _LONGEST, _SHORTEST = 0.7, 1400, 60
_SUMMARY = 400


def find_words(memory: Memory) -> str:
    """Return what a memory has to say beyond its title, "" where that is nothing worth telling.

    A commit speaks by the reason in its message, a session by what was said in it.
    """
    if memory.type == "commit":
        return reason_of_message(memory.content)
    if memory.type == "session":
        return str(memory.details.get("summary") or "")
    text = beyond_title(memory.content.strip(), memory.title)
    reasoning = memory.details.get("reasoning")
    return f"{text}\n\nReason: {reasoning}" if isinstance(reasoning, str) and reasoning else text


def can_speak(memory: Memory) -> bool:
    """Tell whether a memory is worth handing over: a record only where it gives a reason."""
    return memory.type not in RECORD_TYPES or bool(find_words(memory))


class Headline(NamedTuple):
    """One memory that may go into a context."""

    id: str
    type: str
    title: str
    content: str
    #: What it has to say beyond its title.
    words: str
    branch: str
    author: str
    created: str
    stale: str
    score: float
    why: tuple[str, ...]
    group: str
    tags: tuple[str, ...] = ()
    topic: str = ""
    status: str = "active"
    confidence: float = 0.8
    modified: str = ""
    outcome: str = ""
    repo: str = ""
    marks: Marks = NO_MARKS
    conflict: bool = False
    standing: Standing = UNKNOWN
    #: Who wrote it, where that was not the reader.
    by: str = ""
    #: How many characters of its words are told at most.
    room: int = _LONGEST

    @classmethod
    def of(
        cls,
        memory: Memory,
        verdict: Relevance,
        *,
        branch: str,
        stale: str = "",
        repo: str = "",
        marks: Marks = NO_MARKS,
    ) -> "Headline":
        """A memory whose dates are credible, and how much it matters."""
        return cls(
            id=memory.id,
            type=memory.type,
            title=memory.title,
            content=memory.content,
            words=find_words(memory),
            branch=branch,
            author=memory.author,
            created=memory.created,
            stale=stale,
            score=verdict.score,
            why=verdict.why,
            group=verdict.group,
            tags=memory.tags,
            topic=memory.topic,
            status=memory.status,
            confidence=memory.confidence,
            modified=memory.modified,
            outcome=memory.outcome or "",
            repo=repo,
            marks=marks,
            conflict=bool(memory.lost_wording),
        )

    @classmethod
    def of_hit(cls, hit: "RecallHit") -> "Headline":
        """A result of recall that has its content."""
        marks = Marks(hit.outdated_by, hit.newer, hit.reverted)
        return cls(
            id=hit.id, type=hit.type, title=hit.title, content=hit.content or "", words="",
            branch=hit.branch, author=hit.author, created=hit.created,
            stale=hit.stale.state if hit.stale else "", score=round(hit.score, 3), why=hit.why,
            group="", tags=hit.tags, topic=hit.topic, status=hit.status,
            confidence=hit.confidence, modified=hit.modified, outcome=hit.outcome or "",
            repo=hit.repo or "", marks=marks, conflict=bool(hit.conflict),
        )  # fmt: skip

    def as_template_memory(self) -> "TemplateMemory":
        return {
            "id": self.id,
            "uri": uri_of(self.id),
            "type": self.type,
            "namespace": self.type,
            "title": self.title,
            "content": self.content,
            "branch": self.branch,
            "tags": list(self.tags),
            "topic": self.topic,
            "status": self.status,
            "confidence": self.confidence,
            "created": self.created,
            "modified": self.modified,
            "author": self.author,
            "score": self.score,
            "why": list(self.why),
            "stale": self.stale,
            "outcome": self.outcome,
            "outdated_by": self.marks.outdated_by.id if self.marks.outdated_by else "",
            "newer": self.marks.newer.id if self.marks.newer else "",
            "reverted": self.marks.reverted.commit if self.marks.reverted else "",
        }


class HandedPassage(NamedTuple):
    """What is handed over of a memory."""

    id: str
    text: str


class Handover(NamedTuple):
    """A text for an agent, the entries in it, and the passage of each."""

    text: str = ""
    page: Sequence[Headline] = ()
    passages: Sequence[HandedPassage] = ()


def hand_over(
    entries: Sequence[Headline],
    question: Collection[str],
    budget: int,
    now: float,
    fence_in: Callable[[str], str],
    lead: str = "",
) -> Handover:
    """Put as much of some memories into a text as a budget of characters allows, marked as data.

    `question` are the telling words of the task or of the lines at hand. `lead` comes first, if it
    takes no more than half of the room. A memory whose title alone does not fit is left out, and
    the next one may fit.
    """
    room = budget - len(fence_in(""))
    while room > 0:
        body, page, passages = _pack(entries, question, room, now, lead)
        text = fence_in(body) if body else ""
        if len(text) <= budget:
            return Handover(text, page, passages)
        room -= len(text) - budget  # marks that were taken out left longer words behind
    return Handover()


def _pack(
    entries: Sequence[Headline],
    question: Collection[str],
    room: int,
    now: float,
    lead: str,
) -> tuple[str, list[Headline], list[HandedPassage]]:
    parts: list[str] = []
    page: list[Headline] = []
    passages: list[HandedPassage] = []
    if lead and len(lead) + 1 <= room // 2:
        parts.append(lead)
        room -= len(lead) + 1
    for number, entry in enumerate(entries):
        head = _head(entry, now)
        if len(head) + 1 > room:
            continue
        room -= len(head) + 1
        is_last = number == len(entries) - 1
        length = min(entry.room, room - 3, room if is_last else int(_SHARE * room))
        passage = ""
        if length >= min(_SHORTEST, len(entry.words)) and not entry.marks.is_replaced:
            passage = choose_passage(entry.words, question, length)
            room -= len(passage) + 3
        parts.append(f"{head}\n  {passage}" if passage else head)
        page.append(entry)
        passages.append(HandedPassage(entry.id, passage or entry.title))
    return "\n".join(parts), page, passages


def place_below_newer(entries: Sequence[Headline]) -> list[Headline]:
    """Put each entry right below the one that replaces it, or may."""
    ids = {entry.id for entry in entries}
    below: dict[str, list[Headline]] = {}
    first: list[Headline] = []
    for entry in entries:
        newer = entry.marks.outdated_by or entry.marks.newer
        (below.setdefault(newer.id, []) if newer and newer.id in ids else first).append(entry)
    ordered: dict[str, Headline] = {}
    todo = [*reversed([*first, *entries])]  # in a ring there is no first one
    while todo:
        entry = todo.pop()
        if entry.id not in ordered:
            ordered[entry.id] = entry
            todo += reversed(below.get(entry.id, ()))
    return list(ordered.values())


def describe_checkpoint(checkpoint: "CheckpointLoaded", now: float) -> str:
    """Say where the work stands, in a few lines."""
    last = checkpoint["checkpoint"]
    if not last:
        return ""
    lines = [
        f"Last checkpoint ({last['id']}, {last['branch']}, {ago(last['created'], now)}): "
        f"{_cut(' '.join(checkpoint['summary'].split()), _SUMMARY)}"
    ]
    if checkpoint["next_steps"]:
        steps = [f"- {_cut(step, 120)}" for step in checkpoint["next_steps"][:5]]
        lines += ["Next steps:", *steps]
    since = checkpoint["since"]
    if since["commits"]:
        lines.append(f"Since then: {changes(since)}")
    return "\n".join(lines) + "\n"


def changes(since: "CodeSince") -> str:
    """How much happened since a checkpoint."""
    commits, files = since["commits"], since.get("files_total", len(since["files"]))
    return f"{commits} commit{'s' * (commits != 1)}, {files} file{'s' * (files != 1)} changed"


def _head(entry: Headline, now: float) -> str:
    """The title, and in brackets what there is to know of the memory."""
    marks = [entry.type, entry.id, entry.branch, ago(entry.created, now)]
    if entry.repo:
        marks[1] = f"{entry.repo}:{entry.id}"
    if entry.outcome in UNSUCCESSFUL:
        marks.insert(0, entry.outcome)
    marks += [entry.status] if entry.status != "active" else []
    marks += entry.marks.words
    marks += ["conflict"] if entry.conflict else []
    marks += [f"files {entry.stale}"] if entry.stale not in ("", "fresh") else []
    if entry.by:
        marks += [f"by {entry.by}"]
        marks += ["proposed"] if entry.standing == PROPOSED else []
    return f"- {entry.title} [{', '.join(marks)}]"


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    short = text[: length - 2]
    return (short.rsplit(" ", 1)[0] if " " in short else short) + " …"
