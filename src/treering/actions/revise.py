"""revise: change parts of a memory; the id stays, the past stays readable."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from treering.actions import inputs
from treering.actions.marks import Outdates
from treering.actions.remember import refuse_private_successor
from treering.actions.searcher import SearchView
from treering.actions.workspace import Change, Workspace, WriteOp, Writing
from treering.call import Advice, Call
from treering.errors import Conflict, Invalid, MemoryNotFound
from treering.model.choices import Status
from treering.model.memory import Link, Memory, title_of
from treering.model.taxonomy import type_named
from treering.store.view import Copy


@dataclass(frozen=True, slots=True)
class Forgotten:
    forgotten: tuple[str, ...] | None = None
    links_hidden: int | None = None
    restored: tuple[str, ...] | None = None


def forget(
    workspace: Workspace,
    ids: Sequence[str],
    *,
    reason: str = "",
    restore: bool = False,
    branch: str = "",
) -> Forgotten:
    """Forget several memories, or restore them: all or none."""
    if not ids:
        raise Invalid("No memory was named.", hint="Give one or more ids.")
    why = inputs.text_given(reason, "reason")

    if not restore:
        # May build the index: not under the lock.
        workspace.searcher.search_view(workspace.view(branch))

    def attempt(writing: Writing) -> Forgotten:
        places = {place.id: place for place in (writing.view.find(text) for text in ids)}
        todo = [place for place in places.values() if place.memory().is_forgotten is restore]
        count = 0 if restore else _links_of(workspace.searcher.search_view(writing.view), todo)
        now = workspace.now()

        def turn(memory: Memory) -> Memory:
            return (memory.restore() if restore else memory.forget(why)).touch(now)

        changes = [Change(turn(place.memory()), place, place.is_private) for place in todo]
        if changes:
            writing.commit("restore" if restore else "forget", changes)
        all_ids = tuple(places)
        return Forgotten(restored=all_ids) if restore else Forgotten(all_ids, count)

    return workspace.write(branch, attempt)


def _links_of(search_view: SearchView, places: list[Copy]) -> int:
    """Return how many links are no longer shown once these memories are hidden."""
    return len({edge for place in places for edge in search_view.links.around(place.id)})


_COMPARED = (
    "content", "title", "type", "topic", "tags", "files", "status", "confidence", "links",
)  # fmt: skip
_SHORTEST_VERSION = 8


@dataclass(frozen=True, slots=True)
class Revised:
    id: str
    version: str
    branch: str
    changed: tuple[str, ...]
    outdates: tuple[Outdates, ...] | None = None
    warnings: tuple[str, ...] | None = None
    #: The memories that a commit had changed, where a whole commit was reverted.
    reverted: tuple[str, ...] | None = None


def revise(
    workspace: Workspace,
    id: str,
    *,
    content: str = "",
    append: str = "",
    title: str = "",
    type: str = "",
    topic: str = "",
    tags_add: Sequence[str] = (),
    tags_remove: Sequence[str] = (),
    files: Sequence[str] = (),
    status: str = "",
    confidence: float | None = None,
    outcome: str = "",
    reason: str = "",
    supersede_with: str = "",
    expect: str = "",
    branch: str = "",
    allow_secret: bool = False,
) -> Revised:
    """Change what is given and nothing else; `-` clears a text field, `files` replaces.

    With `expect`, only if the memory still is that version.
    """
    if content and append:
        raise Invalid("Give content or append, not both.")

    def apply(writing: Writing, memory: Memory) -> Memory:
        new = memory
        if content or append:
            text = content or f"{memory.content}\n\n{inputs.clean_content(append)}"
            new = new.with_content(inputs.clean_content(text)).settle_conflict()
        if title:
            new = new._replace(title=_or_default(title, title_of(new.content), "title"))
        if topic:
            new = new._replace(topic="" if topic == inputs.CLEAR else inputs.topic_given(topic))
        if tags_add or tags_remove:
            new = new._replace(tags=_retag(new.tags, tags_add, tags_remove))
        if files:
            paths = [] if list(files) == [inputs.CLEAR] else files
            new = new._replace(files=inputs.files_given(workspace, writing.position, paths))
        return new._replace(
            type=type_named(type) if type else new.type,
            status=cast(Status, status or new.status),
            confidence=new.confidence if confidence is None else round(confidence, 4),
            details=_details(new, outcome, reason),
        )

    def attempt(writing: Writing) -> Revised:
        place = check_version(writing.view.find(id), expect)
        memory = place.memory()
        if memory.is_forgotten and not status:
            raise MemoryNotFound(
                f"The memory {memory.id} was forgotten.",
                hint=Advice("{} brings it back.", Call("forget", memory.id, restore=True)),
            )
        changes = [Change(apply(writing, memory), place, place.is_private)]
        if supersede_with:
            changes = _superseding(writing, changes[0], supersede_with)
        new = changes[0].memory
        outdates = (
            workspace.neighbourhood.list_replaced(writing.view, new.touch(workspace.now()))
            if (new.title, new.content) != (memory.title, memory.content)
            else ()
        )
        answer = write_changes(workspace, writing, "revise", changes, allow_secret=allow_secret)
        return replace(answer, outdates=outdates or None)

    answer, position = workspace.write(branch, lambda w: (attempt(w), w.position))
    if files and list(files) != [inputs.CLEAR]:
        named = inputs.files_given(workspace, position, files)
        return replace(
            answer, warnings=inputs.warn_missing_files(workspace, position, named) or None
        )
    return answer


def check_version(place: Copy, version: str) -> Copy:
    """The copy, if it is the version expected; the beginning of its id is enough to say so."""
    if not version:
        return place
    if len(version) < _SHORTEST_VERSION:
        raise Invalid(
            f"The version {version!r} is too short.",
            hint=f"Give its first {_SHORTEST_VERSION} characters or more.",
        )
    if not place.blob.startswith(version.lower()):
        raise Conflict(f"The memory {place.id} is at version {place.blob}, not {version}")
    return place


def write_changes(
    workspace: Workspace,
    writing: Writing,
    op: WriteOp,
    changes: list[Change],
    *,
    allow_secret: bool = False,
) -> Revised:
    """Write what really changed; the first change is the one the caller asked for."""
    first, now = changes[0], workspace.now()
    news = [
        change._replace(memory=change.memory.touch(now))
        for change in changes
        if change.replaces and diff_fields(change.replaces, change.memory)
    ]
    versions = writing.commit(op, news, allow_secret=allow_secret) if news else {}
    old = first.replaces
    if old is None:
        raise Invalid(f"There is no memory {first.memory.id} to change.")
    is_new = first.memory.id in versions
    return Revised(
        id=first.memory.id,
        version=versions.get(first.memory.id, old.blob),
        branch=writing.scope.branch if is_new else old.layer.branch,
        changed=diff_fields(old, first.memory),
    )


def diff_fields(place: Copy, new: Memory) -> tuple[str, ...]:
    """The fields that differ, in details the single ones; all where the old is no memory."""
    old = place.try_memory()
    if old is None:
        return _COMPARED
    fields = [name for name in _COMPARED if getattr(old, name) != getattr(new, name)]
    keys = dict.fromkeys([*old.details, *new.details])
    return (*fields, *(key for key in keys if old.details.get(key) != new.details.get(key)))


def _or_default(text: str, default: str, what: str) -> str:
    return default if text == inputs.CLEAR else inputs.line_given(text, what) or default


def _retag(tags: tuple[str, ...], add: Sequence[str], remove: Sequence[str]) -> tuple[str, ...]:
    old = {tag.lower() for tag in inputs.tags_given(remove)}
    rest = [tag for tag in tags if tag.lower() not in old]
    return tuple(dict.fromkeys([*rest, *inputs.tags_given(add)]))


def _details(memory: Memory, outcome: str, reason: str) -> dict[str, object]:
    details = dict(memory.details)
    for key, text in (("outcome", outcome), ("reason", reason)):
        if text == inputs.CLEAR:
            details.pop(key, None)
        elif text:
            details[key] = inputs.text_given(text, key)
    return details


def _superseding(writing: Writing, change: Change, by: str) -> list[Change]:
    """The old memory marked, and the new one linked to it, in one commit."""
    newer = writing.view.find(by)
    if newer.id == change.memory.id:
        raise Invalid("A memory cannot supersede itself.")
    if change.replaces:
        refuse_private_successor(change.replaces, is_private=newer.is_private)
    old, memory = change.memory.supersede(newer.id), newer.memory()
    if not memory.has_link("supersedes", old.id):
        memory = memory._replace(links=(*memory.links, Link("supersedes", old.id, 1.0)))
    return [change._replace(memory=old), Change(memory, newer, newer.is_private)]
