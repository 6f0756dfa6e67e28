"""read: one memory whole, with its links, its staleness and its past."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from treering.actions.card import Card, CardMaker, HistoryEntry, Neighbour
from treering.actions.link import links_seen, neighbours
from treering.actions.marks import Outdates, list_outdates, view_with
from treering.actions.origin import Flags
from treering.actions.workspace import MemoryWorkspace, Workspace
from treering.call import Advice, Call
from treering.derived.history import MemoryEvent
from treering.errors import Invalid, MemoryNotFound
from treering.model.dates import format_moment
from treering.model.mark import unmark
from treering.model.memory import Memory
from treering.store import history as past
from treering.store.view import Copy, Layer, View

# --- answers too long to be given whole, kept by the hash of their text; the oldest go first ------

OUTPUT_PREFIX = "out:"
MOST = 10 * 1024 * 1024
PIECE = 6_000  # as JSON inside JSON it is a fifth longer
_NAME = r"[0-9a-f]{12}"
_FOLDER = "outputs"


@dataclass(frozen=True, slots=True)
class Output:
    """One kept answer, as status lists it; `size` in bytes."""

    id: str
    size: int
    created: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a kept answer; `next_offset` None when nothing follows."""

    id: str
    content: str
    next_offset: int | None
    total: int

    def as_json(self) -> dict[str, object]:
        """With its None said: whoever reads on looks at `next_offset` each time."""
        return {name: getattr(self, name) for name in ("id", "content", "next_offset", "total")}


def keep_output(workspace: Workspace, text: str) -> str:
    """Keep a text; its id, or "" where nothing can be written."""
    data = text.encode("utf-8", "replace")
    name = hashlib.sha256(data).hexdigest()[:12]
    if not workspace.state.write(f"{_FOLDER}/{name}", data):
        return ""
    workspace.state.trim(_FOLDER, size=MOST, keeping=f"{_FOLDER}/{name}")
    return OUTPUT_PREFIX + name


def read_output(workspace: Workspace, id: str, offset: int) -> Piece:
    """The characters of a kept answer from `offset` on."""
    name = id.removeprefix(OUTPUT_PREFIX).strip().lower()
    if not re.fullmatch(_NAME, name):
        raise Invalid(
            "That is not the id of a kept answer.", hint="Such an id is `out:` and 12 hex digits."
        )
    data = workspace.state.read(f"{_FOLDER}/{name}")
    if data is None:
        raise MemoryNotFound(
            f"The answer {OUTPUT_PREFIX}{name} is no longer kept.",
            hint=Advice("Ask again. {} lists what is kept.", Call("status", view="outputs")),
        )
    text = data.decode(errors="replace")
    if not 0 <= offset <= len(text):
        raise Invalid(f"offset is {offset}, not between 0 and {len(text)}.")
    end = offset + PIECE
    return Piece(
        OUTPUT_PREFIX + name, text[offset:end], end if end < len(text) else None, total=len(text)
    )


def list_outputs(workspace: Workspace) -> list[Output]:
    """Return what is kept, newest first."""
    outputs = [
        Output(OUTPUT_PREFIX + name, info.st_size, format_moment(info.st_mtime))
        for path, info in workspace.state.list_files(_FOLDER)
        if re.fullmatch(_NAME, name := path.rpartition("/")[2])
    ]
    return sorted(outputs, key=lambda output: (output.created, output.id), reverse=True)


# --- memories -------------------------------------------------------------------------------------


def read(
    workspace: MemoryWorkspace,
    id: str,
    *,
    at: str = "",
    history: bool = False,
    links: int = 1,
    offset: int = 0,
    branch: str = "",
    repos: Sequence[str] = (),
) -> Card | Piece:
    """The memory as it is seen from here, or as it was `at` a commit or date.

    With `offset` its content from that character on; `out:` and a hash is the rest of an answer.
    `NAME:ID`, or any id with `repos`, is a memory of another repository, as the hub has it.
    """
    if id.startswith(OUTPUT_PREFIX) and isinstance(workspace, Workspace):
        return read_output(workspace, id, offset)
    if repos or (":" in id and not id.startswith("treering:")):
        with workspace.open_hub(repos) as hub:
            hub.refuse_of_one(branch=branch)
            hub.refuse_past(at=at, history=history)
            card = _read(hub, id, at, history, links, offset, "")
            return card._replace(repos=tuple(one for one in hub.freshness if one.name == card.repo))
    return _read(workspace, id, at, history, links, offset, branch)


def _read(
    workspace: MemoryWorkspace,
    id: str,
    at: str,
    history: bool,
    links: int,
    offset: int,
    branch: str,
) -> Card:
    outlook = workspace.look(branch)
    view = outlook.view.narrow(id)
    place, seen = _at(workspace, view, id, at) if at else (view.find(id), view)
    memory = place.memory()
    head = workspace.resolve(at) if at else outlook.head
    cards = CardMaker(workspace, seen, head, outlook.code)
    cards.prepare([place])
    events = workspace.read_events(view, memory.id) if history else None
    card = show_whole(cards.make(place, memory), memory, unmark(place.blob), offset)._replace(
        details=_details(place, memory),
        links=_neighbours(workspace, view, memory, links, cards.flags),
        outdates=_list_outdates(workspace, seen, place) or None,
        history=None if events is None else tuple(map(write_event, events)),
        pending=outlook.pending or None,
    )
    return workspace.show([card])[0]


def show_whole(card: Card, memory: Memory, version: str, offset: int) -> Card:
    """Add all that is stored of a memory to its card."""
    return card._replace(
        content=content_from(memory.content, offset),
        version=version,
        source=memory.source,
        agent=memory.agent,
        session=memory.session,
        commit=memory.commit,
        files=memory.files,
        details=dict(memory.details),
        extra=memory.extra or None,
    )


def _list_outdates(workspace: MemoryWorkspace, view: View, place: Copy) -> tuple[Outdates, ...]:
    """The memories that one replaces in a view, if that version of it is the one seen there."""
    now = view.place(place.id)
    if now is None or now.blob != place.blob:
        return ()
    return list_outdates(view_with(workspace, view, [place.blob]), place.blob)


def _neighbours(
    workspace: MemoryWorkspace, view: View, memory: Memory, hops: int, flags: Flags
) -> tuple[Neighbour, ...]:
    if not hops:
        return ()

    def flags_of(memory_id: str) -> tuple[str, ...] | None:
        place = view.place(memory_id)
        return flags.of_text(place) or None if place else None

    links = links_seen(workspace, view)
    return neighbours(links, memory, hops, now=workspace.clock(), flags=flags_of)


def content_from(content: str, offset: int) -> str:
    """The content from a character on."""
    if not 0 <= offset <= len(content):
        raise Invalid(f"offset is {offset}, not between 0 and {len(content)}.")
    return content[offset:]


def _details(place: Copy, memory: Memory) -> dict[str, object]:
    """Return what is stored, and how the memory came here, which only the promotion's commit
    knows."""
    tip = place.layer.snapshot.tip
    promotion = past.promotion_of(place.layer.vault, tip, unmark(memory.id)) if tip else None
    if promotion is None:
        return dict(memory.details)
    facts = {
        "promoted_from": promotion.promoted_from,
        "merged_as": promotion.merged_as,
        "merge_kind": promotion.merge_kind,
    }
    return dict(memory.details) | {key: value for key, value in facts.items() if value}


def _at(workspace: MemoryWorkspace, view: View, id: str, at: str) -> tuple[Copy, View]:
    """The memory at a commit of its own history, or as seen at a code commit or date, and what was
    seen then."""
    for vault in dict.fromkeys(layer.vault for layer in view.layers):
        commit = vault.repository.resolve(at)
        if commit and past.is_memory_commit(vault, commit):
            place = view.find(id)
            scope = vault.scope_of(commit)
            trunks = {layer.branch for layer in view.layers if layer.kind == "trunk"}
            kind = "trunk" if scope.branch in trunks else "branch"
            snapshot = vault.snapshot_at(scope, commit)
            layer = Layer(kind, vault, snapshot, mark=place.layer.mark)
            blob = layer.blob(place.id)
            if blob is None:
                raise MemoryNotFound(f"The memory {unmark(place.id)} is not in {at}")
            return Copy(place.id, blob, layer), view
    if version := _at_version(view, id, at):
        return version, view
    then = workspace.as_of(view, at)
    return then.find(id), then


def _at_version(view: View, id: str, version: str) -> Copy | None:
    """The memory as the version that a conflict or an answer names; None where that is no blob."""
    place = view.find(id)
    vault = place.layer.vault
    blob = vault.repository.find_blob(version)
    memory = vault.try_memory(blob)
    if blob is None:
        return None
    if memory is None or memory.id != unmark(place.id):
        raise MemoryNotFound(f"{version} is not a version of the memory {unmark(place.id)}")
    return Copy(place.id, place.layer.mark + blob, place.layer)


def write_event(event: MemoryEvent) -> HistoryEntry:
    """Return what happened to a memory, as it is answered."""
    return HistoryEntry(event.commit, event.when, event.author, event.op, event.title)
