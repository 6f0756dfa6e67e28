"""Memories turned into text for an agent within a budget, by `context` and by hooks.

Of each memory the passage is handed over that answers the task or speaks of the lines at hand, with
its reasoning and outcome. The most important comes first and gets most of the room.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from treering.actions.workspace import Workspace
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago
from treering.model.memory import Memory, beyond_title
from treering.model.taxonomy import RECORD_TYPES, SAVED_TYPES
from treering.store.state import StateFolder
from treering.text.masking import mask
from treering.text.passages import choose_passage, reason_of_message
from treering.text.words import words

if TYPE_CHECKING:
    from treering.actions.card import Card
    from treering.actions.checkpoint import CheckpointLoaded, CodeSince


_LOG = "told.jsonl"
_MAX_LOG = 256 * 1024
_MAX_LOG_LINE = 8000
_FOLDER = "sessions-told"
_MOST_SESSIONS, _MOST_TOLD, _MOST_WORDS = 64, 1000, 80
_DIGEST = 12


class HookSession:
    """The task of one session of an agent, and what it was told."""

    def __init__(self, state: StateFolder | None, session: str) -> None:
        self._state = state if session else None
        self._file = f"{_FOLDER}/{_hash(session)}"
        #: The telling words of its first prompt.
        self.task: frozenset[str] = frozenset()
        self.prompts = 0
        self.told: set[str] = set()
        match self._state.read_json(self._file) if self._state else None:
            case [int(prompts), list(task), list(told)]:
                self.prompts = prompts
                self.task = frozenset(word for word in task if isinstance(word, str))
                self.told = {key for key in told if isinstance(key, str)}

    def begin(self) -> None:
        """Start over: the agent knows nothing any more of what it was told."""
        self.task, self.prompts, self.told = frozenset(), 0, set()

    def note_prompt(self, prompt: str) -> None:
        """Count a prompt that asks for something; the first one is what the session is about."""
        asked = words(mask(prompt))[:_MOST_WORDS]
        if not self.prompts:
            self.task = frozenset(asked)
        self.prompts += 1

    def save(self, told: Iterable[str] = ()) -> None:
        """Keep what is known of the session, with the memories that it was told now."""
        self.told.update(told)
        if self._state:
            ids = sorted(self.told)[:_MOST_TOLD]
            self._state.write_json(self._file, [self.prompts, sorted(self.task), ids])
            self._state.trim(_FOLDER, count=_MOST_SESSIONS)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:_DIGEST]


class ToldEntry(NamedTuple):
    """One time an agent was told something, or should have been and was not in time."""

    when: str
    agent: str
    session: str
    kind: str
    seconds: float
    limit: float
    is_missed: bool
    text: str


def note_told(
    workspace: Workspace,
    agent: str,
    session: str,
    kind: str,
    text: str,
    *,
    seconds: float,
    limit: float,
    is_missed: bool,
) -> None:
    """Keep what was said, if that is wanted. Where it cannot be kept, it is lost."""
    if not wants_log(workspace) or not (text or is_missed):
        return
    line = json.dumps(
        {
            "when": workspace.now(),
            "agent": mask(agent)[:80],
            "session": hashlib.sha256(session.encode(errors="replace")).hexdigest()[:8],
            "kind": kind,
            "seconds": round(seconds, 3),
            "limit": round(limit, 3),
            "missed": is_missed,
            "text": mask(text)[:_MAX_LOG_LINE],
        }
    )
    workspace.state.append(_LOG, line.encode() + b"\n", _MAX_LOG)


def wants_log(workspace: Workspace) -> bool:
    return (workspace.repository.config("treering.told") or "true").lower() != "false"


def list_told(workspace: Workspace) -> list[ToldEntry]:
    """Return what is kept, newest first. A line that cannot be read is passed over."""
    data = workspace.state.read(_LOG) or b""
    entries = (_parse(line) for line in data.splitlines())
    return [entry for entry in entries if entry][::-1]


def _parse(line: bytes) -> ToldEntry | None:
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        fields = json.loads(line)
        return ToldEntry(
            when=str(fields["when"]),
            agent=str(fields["agent"]),
            session=str(fields["session"]),
            kind=str(fields["kind"]),
            seconds=float(fields["seconds"]),
            limit=float(fields["limit"]),
            is_missed=fields["missed"] is True,
            text=str(fields["text"]),
        )
    return None


#: The part of the room left that one memory may take, and the characters it gets at most, at least.
_SHARE, _MAX_PASSAGE, _MIN_PASSAGE = 0.7, 1400, 60
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
    """Tell whether a memory is worth handing over: a record only where it gives a reason, a prompt
    never."""
    if memory.type in SAVED_TYPES:
        return False
    return memory.type not in RECORD_TYPES or bool(find_words(memory))


class Offer(NamedTuple):
    """A memory that may be handed over: its card, its text, and what that says beyond the title."""

    card: "Card"
    content: str
    words: str
    group: str = ""
    #: Who wrote it, where that was not the reader.
    by: str = ""
    #: How many characters of its words are told at most.
    room: int = _MAX_PASSAGE


class HandedPassage(NamedTuple):
    """The part of a memory that is handed over."""

    id: str
    text: str


class Handover(NamedTuple):
    """A text for an agent, the entries in it, and the passage of each."""

    text: str = ""
    page: Sequence[Offer] = ()
    passages: Sequence[HandedPassage] = ()


def hand_over(
    offers: Sequence[Offer],
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
        body, page, passages = _pack(offers, question, room, now, lead)
        text = fence_in(body) if body else ""
        if len(text) <= budget:
            return Handover(text, page, passages)
        room -= len(text) - budget  # marks that were taken out left longer words behind
    return Handover()


def _pack(
    offers: Sequence[Offer],
    question: Collection[str],
    room: int,
    now: float,
    lead: str,
) -> tuple[str, list[Offer], list[HandedPassage]]:
    parts: list[str] = []
    page: list[Offer] = []
    passages: list[HandedPassage] = []
    if lead and len(lead) + 1 <= room // 2:
        parts.append(lead)
        room -= len(lead) + 1
    for number, offer in enumerate(offers):
        head = _head(offer, now)
        if len(head) + 1 > room:
            continue
        room -= len(head) + 1
        is_last = number == len(offers) - 1
        length = min(offer.room, room - 3, room if is_last else int(_SHARE * room))
        passage = ""
        if length >= min(_MIN_PASSAGE, len(offer.words)) and not offer.card.marks.is_replaced:
            passage = choose_passage(offer.words, question, length)
            room -= len(passage) + 3
        parts.append(f"{head}\n  {passage}" if passage else head)
        page.append(offer)
        passages.append(HandedPassage(offer.card.id, passage or offer.card.title))
    return "\n".join(parts), page, passages


def place_below_newer(offers: Sequence[Offer]) -> list[Offer]:
    """Put each right below the one that replaces it, or may."""
    ids = {offer.card.id for offer in offers}
    below: dict[str, list[Offer]] = {}
    first: list[Offer] = []
    for offer in offers:
        newer = offer.card.outdated_by or offer.card.newer
        (below.setdefault(newer.id, []) if newer and newer.id in ids else first).append(offer)
    ordered: dict[str, Offer] = {}
    todo = [*reversed([*first, *offers])]  # in a ring there is no first one
    while todo:
        offer = todo.pop()
        if offer.card.id not in ordered:
            ordered[offer.card.id] = offer
            todo += reversed(below.get(offer.card.id, ()))
    return list(ordered.values())


def describe_checkpoint(checkpoint: "CheckpointLoaded", now: float) -> str:
    """Say where the work stands, in a few lines."""
    last = checkpoint["checkpoint"]
    if not last:
        return ""
    lines = [
        f"Last checkpoint ({last.id}, {last.branch}, {ago(last.created, now)}): "
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
    """Return how much happened since a checkpoint."""
    commits, files = since["commits"], since.get("files_total", len(since["files"]))
    return f"{commits} commit{'s' * (commits != 1)}, {files} file{'s' * (files != 1)} changed"


def _head(offer: Offer, now: float) -> str:
    """The title, and in brackets what there is to know of the memory."""
    card = offer.card
    name = f"{card.repo}:{card.id}" if card.repo else card.id
    facts = [card.type, name, card.branch, ago(card.created, now)]
    if card.outcome in UNSUCCESSFUL:
        facts.insert(0, str(card.outcome))
    facts += card.state_words
    if offer.by:
        facts += [f"by {offer.by}"]
        facts += ["proposed"] if card.standing == "proposed" else []
    return f"- {card.title} [{', '.join(facts)}]"


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    short = text[: length - 2]
    return (short.rsplit(" ", 1)[0] if " " in short else short) + " …"
