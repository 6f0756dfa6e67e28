"""Memories packed into a number of characters: the more they matter, the more of them is said."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from treering.actions.checkpoint import CheckpointLoaded, CodeSince
from treering.actions.marks import NO_MARKS, Marks
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago
from treering.model.memory import Memory, uri_of
from treering.model.relevance import Relevance

if TYPE_CHECKING:
    from treering.actions.prompts.render import TemplateMemory

#: How much of a memory's text is said, by how much it matters.
_EXCERPT = {"high": 600, "medium": 240, "low": 0}
_SHORTEST = 60
_SUMMARY = 400


class Headline(NamedTuple):
    """One memory that may go into a context."""

    id: str
    type: str
    title: str
    content: str
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


def pack_fenced(
    entries: Sequence[Headline],
    checkpoint: CheckpointLoaded | None,
    budget: int,
    now: float,
    fence_in: Callable[[str], str],
) -> tuple[str, list[Headline]]:
    """A text for an agent within a budget, marked as data, and the entries that are in it."""
    room = budget - len(fence_in(""))
    while room > 0:
        body, page = pack(entries, checkpoint, room, now)
        text = fence_in(body) if body else ""
        if len(text) <= budget:
            return text, page
        room -= len(text) - budget  # marks that were taken out left longer words behind
    return "", []


def pack(
    entries: Sequence[Headline], checkpoint: CheckpointLoaded | None, room: int, now: float
) -> tuple[str, list[Headline]]:
    """A text of at most `room` characters, and the entries that are in it.

    The checkpoint comes first, then memories by score; one that is too long is said shorter, and
    where even its title does not fit, the next one may.
    """
    parts: list[str] = []
    page: list[Headline] = []
    resume = _resume(checkpoint, now) if checkpoint else ""
    if resume and len(resume) + 1 <= room // 2:
        parts.append(resume)
        room -= len(resume) + 1
    for entry in entries:
        excerpt = _excerpt(entry, room - 1, now)
        if excerpt:
            parts.append(excerpt)
            page.append(entry)
            room -= len(excerpt) + 1
    return "\n".join(parts), page


def _resume(checkpoint: CheckpointLoaded, now: float) -> str:
    """Where the work stands, in a few lines."""
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


def changes(since: CodeSince) -> str:
    """How much happened since a checkpoint."""
    commits, files = since["commits"], since.get("files_total", len(since["files"]))
    return f"{commits} commit{'s' * (commits != 1)}, {files} file{'s' * (files != 1)} changed"


def _excerpt(entry: Headline, room: int, now: float) -> str:
    """As much of a memory as it deserves and as there is room for; empty where there is none."""
    marks = [entry.type, entry.id, entry.branch, ago(entry.created, now)]
    if entry.repo:
        marks[1] = f"{entry.repo}:{entry.id}"
    if entry.outcome in UNSUCCESSFUL:
        marks.insert(0, entry.outcome)
    marks += [entry.status] if entry.status != "active" else []
    marks += entry.marks.words
    marks += ["conflict"] if entry.conflict else []
    marks += [f"files {entry.stale}"] if entry.stale not in ("", "fresh") else []
    head = f"- {entry.title} [{', '.join(marks)}]"
    if len(head) > room:
        return ""
    if entry.marks.is_replaced:
        return head  # what holds instead deserves the room
    body = _body(entry)
    length = min(_EXCERPT[entry.group], room - len(head) - 3)
    if not body or length < min(_SHORTEST, len(body)):
        return head
    return f"{head}\n  {_cut(body, length)}"


def _body(entry: Headline) -> str:
    """The text behind the title, on one line."""
    text = " ".join(entry.content.split())
    return text.removeprefix(entry.title).lstrip(" .:") if text.startswith(entry.title) else text


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    short = text[: length - 2]
    return (short.rsplit(" ", 1)[0] if " " in short else short) + " …"
