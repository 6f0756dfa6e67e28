"""remember: store a memory, classified, linked, once."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from treering.actions import inputs
from treering.actions.marks import Outdates
from treering.actions.neighbourhood import LinkClues, SimilarMemory, SuggestedLink
from treering.actions.workspace import Change, Position, Workspace, Writing
from treering.call import Advice, Call, ways
from treering.errors import Conflict, Invalid
from treering.model.document import link_fields
from treering.model.memory import FileRef, Link, Memory, derive_id, is_id, uri_of
from treering.model.taxonomy import SAVED_TYPES, type_named
from treering.store.view import Copy, View
from treering.text.classify import Classification, classify
from treering.text.classify import as_given as given_type


class Remembered(NamedTuple):
    """The memory that was stored, or was there already (`duplicate`)."""

    id: str
    uri: str
    type: str
    title: str
    branch: str
    version: str
    classified: Classification
    private: bool
    links: tuple[Mapping[str, object], ...] = ()
    suggested_links: tuple[SuggestedLink, ...] = ()
    similar: tuple[SimilarMemory, ...] = ()
    outdates: tuple[Outdates, ...] | None = None
    warnings: tuple[str, ...] | None = None
    duplicate: bool | None = None


def remember(
    workspace: Workspace,
    content: str,
    *,
    type: str = "",
    title: str = "",
    topic: str = "",
    reasoning: str = "",
    tags: Sequence[str] = (),
    files: Sequence[str] = (),
    confidence: float = 0.8,
    supersedes: str | Sequence[str] = (),
    links: Sequence[str] = (),
    branch: str = "",
    private: bool = False,
    session: str = "",
    agent: str = "",
    outcome: str = "",
    id: str = "",
    allow_secret: bool = False,
    details: Mapping[str, Any] | None = None,
    caller: str = "",
) -> Remembered:
    """Store `content` on the branch HEAD is on, or on `branch`.

    The same content and type, already visible and not forgotten, is the same memory: its id comes
    back with `duplicate`, and nothing is written. `details` is what else belongs to its type.
    """
    text = inputs.clean_content(content)
    kind = given_type(type_named(type)) if type else classify(text)
    if kind.type in SAVED_TYPES:
        raise Invalid(
            f"A {kind.type} is saved under a name.",
            hint=ways(Call("prompts", "save", name="NAME", kind=kind.type, content="...")),
        )
    facts = dict(details or {}) | {
        "reasoning": inputs.text_given(reasoning, "reasoning"),
        "outcome": outcome,
    }
    draft = inputs.draft_memory(
        workspace,
        kind.type,
        text,
        title=inputs.line_given(title, "title"),
        caller=inputs.line_given(agent, "agent") or caller,
        tags=inputs.tags_given(tags),
        topic=inputs.topic_given(topic),
        confidence=round(confidence, 4),
        session=inputs.line_given(session, "session"),
        details={key: value for key, value in facts.items() if value},
    )._replace(id=_own_id(id) if id else "")
    now = draft.created

    def prepare(position: Position, view: View) -> _PreparedMemory:
        named = inputs.files_given(workspace, position, files)
        memory, existing = identify(view, draft, private)
        if existing is None and not draft.id:
            existing = _find_reworded(workspace, view, memory, private)
        if existing and not existing.memory().is_forgotten:
            return _PreparedMemory(memory, existing, named)
        changes = []
        for old in inputs.memories_given(view, supersedes):
            refuse_private_successor(old, is_private=private)
            memory = memory._replace(links=(*memory.links, Link("supersedes", old.id, 1.0)))
            changes.append(supersede(old, memory.id, now))
        memory = memory._replace(
            links=memory.links + inputs.links_given(view, links),
            files=named,
            commit=position.head or "",
            created=existing.memory().created if existing else now,
        )
        avoid = existing.memory().unlinked if existing else ()
        around = workspace.neighbourhood.find_link_clues(
            view, memory, is_private=private, avoid=avoid
        )
        memory = _link(memory, around, avoid)
        return _PreparedMemory(
            memory, existing, named, (Change(memory, existing, private), *changes), around
        )

    # What takes time is done before the lock, and again under it only if something was written
    # meanwhile.
    place = workspace.position(branch)
    view = workspace.view_from(place)
    early = prepare(place, view)

    def attempt(writing: Writing) -> tuple[Remembered, Position, tuple[FileRef, ...]]:
        is_same = writing.view is view or (
            writing.position == place and writing.view.state == view.state
        )
        ready = early if is_same else prepare(writing.position, writing.view)
        if ready.existing and not ready.changes:
            copy = ready.existing
            answer = _answer(kind, copy.memory(), copy.blob, copy.layer.branch, copy.is_private)
            return answer._replace(duplicate=True), writing.position, ready.files
        versions = writing.commit("remember", ready.changes, allow_secret=allow_secret)
        writing.note_around(ready.changes, versions, is_complete=ready.around.is_complete)
        memory, branch = ready.memory, writing.scope.branch
        version = versions[memory.id]
        answer = _answer(kind, memory, version, branch, private, ready.around)
        return answer, writing.position, ready.files

    answer, position, named = workspace.write(branch, attempt, seen=(place, view))
    workspace.catch_up_soon()
    if doubts := inputs.warn_missing_files(workspace, position, named):
        return answer._replace(warnings=(*doubts, *(answer.warnings or ())))
    return answer


class _PreparedMemory(NamedTuple):
    """A memory ready to be written, and what goes with it; no changes where it is there already."""

    memory: Memory
    existing: Copy | None
    files: tuple[FileRef, ...]
    changes: tuple[Change, ...] = ()
    around: LinkClues = LinkClues()


def _link(memory: Memory, around: LinkClues, avoid: tuple[str, ...]) -> Memory:
    """The memory with what was found for certain, and with what must stay unlinked for good."""
    links = tuple(Link(*link[:3], by="system", reason=link.reason) for link in around.links)
    return memory._replace(links=memory.links + links).avoid_links(avoid)


def refuse_private_successor(old: Copy, *, is_private: bool) -> None:
    """Refuse to replace what others see by what they cannot."""
    if is_private and not old.is_private:
        raise Invalid(
            f"{old.id} is shared: others would see it replaced by nothing.",
            hint="Remember it without private, and let that one supersede.",
        )


def supersede(old: Copy, by: str, now: str) -> Change:
    """The old memory, marked as replaced."""
    memory = old.memory()
    if memory.id == by:
        raise Invalid("A memory cannot supersede itself.")
    return Change(memory.supersede(by).touch(now), old, old.is_private)


def _own_id(text: str) -> str:
    if not is_id(text):
        raise Invalid(f"{text!r} is not a memory id.", hint="An id is 12 characters of base 32.")
    return text


def identify(view: View, draft: Memory, private: bool) -> tuple[Memory, Copy | None]:
    """The draft with its id, and the same memory where it is already there.

    The id comes from type and content; n counts up while the id belongs to a memory whose content
    has become another one since.
    """
    if draft.id:
        existing = _place_for(view, draft.id, private)
        if existing and existing.memory().content != draft.content:
            raise Conflict(
                f"The id {draft.id} belongs to a memory with another content.",
                hint=Advice("Leave the id out, or use {}.", Call("revise", draft.id)),
            )
        return draft, existing
    n = 0
    while True:
        candidate = derive_id(draft.type, draft.content, n)
        existing = _place_for(view, candidate, private)
        if existing is None or _is_same(existing, draft):
            return draft._replace(id=candidate), existing
        n += 1


def _find_reworded(workspace: Workspace, view: View, memory: Memory, private: bool) -> Copy | None:
    """The visible memory in force that was revised to say the same."""
    for memory_id in workspace.neighbourhood.saying(view, memory):
        place = _place_for(view, memory_id, private)
        if place and _is_same(place, memory) and not place.memory().is_forgotten:
            return place
    return None


def _is_same(place: Copy, draft: Memory) -> bool:
    """Read memories; what cannot be read is left for doctor, under the id it has."""
    memory = place.try_memory()
    return memory is not None and (memory.type, memory.content) == (draft.type, draft.content)


def _place_for(view: View, memory_id: str, private: bool) -> Copy | None:
    """The copy a new memory would repeat: to share what was private so far is not a repetition."""
    for layer in view.layers:
        if (private or not layer.vault.is_private) and (blob := layer.blob(memory_id)):
            return Copy(memory_id, blob, layer)
    return None


_NO_CLUES = LinkClues()


def _answer(
    kind: Classification,
    memory: Memory,
    version: str,
    branch: str,
    is_private: bool,
    around: LinkClues = _NO_CLUES,
) -> Remembered:
    return Remembered(
        id=memory.id,
        uri=uri_of(memory.id),
        type=memory.type,
        title=memory.title,
        branch=branch,
        version=version,
        classified=kind,
        private=is_private,
        links=tuple(link_fields(link) for link in memory.links),
        suggested_links=around.suggested,
        similar=around.similar,
        outdates=around.outdates or None,
        warnings=tuple(
            f"A similar {one.type} failed before: {one.title} ({one.id})" for one in around.failed
        )
        or None,
    )
