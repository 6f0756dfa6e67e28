"""log, diff and revert: what happened to memories, what a branch adds, and a past version again."""

from dataclasses import dataclass, replace

from treering.actions.marks import (
    NO_MARKS,
    Marks,
    NewerMemory,
    OutdatedBy,
    Reverted,
    find_marks,
    marks_of,
)
from treering.actions.revise import Revised, check_version, diff_fields, write_changes
from treering.actions.standing import LandedAs, StandingWord, find_standings
from treering.actions.workspace import Change, Workspace, Writing
from treering.call import Advice, Call
from treering.derived.history import DrawnLine, MemoryEvent, draw, events
from treering.errors import Conflict, Invalid, MemoryNotFound
from treering.model.choices import UNSUCCESSFUL, Outcome
from treering.model.dates import format_moment
from treering.model.memory import Memory, id_prefix
from treering.model.scope import Scope
from treering.store import history, message
from treering.store.merge.replay import is_redacted
from treering.store.vault import Vault
from treering.store.view import Copy, View
from treering.text.flags import flags_in


@dataclass(frozen=True, slots=True)
class Log:
    entries: tuple[MemoryEvent, ...]


@dataclass(frozen=True, slots=True)
class LogDrawing:
    """The graph of memory commits, line by line; those between commits only carry lines on."""

    lines: tuple[DrawnLine, ...]


def log(
    workspace: Workspace, id: str = "", *, limit: int = 50, branch: str = "", all: bool = False
) -> Log:
    """The changes of one memory, of what is seen from here, or of every branch."""
    position = workspace.position(branch)
    view = workspace.view_of_all() if all else workspace.view_from(position)
    if id:
        found = workspace.read_events(view, view.find(id).id)[:limit]
    else:
        found = _all_events(workspace, view, limit)
    ids = [event.id for event in found if event.id]
    marks = find_marks(workspace, view, ids, position.head)
    return Log(tuple(_complete(event, marks.get(event.id, NO_MARKS)) for event in found))


def _complete(event: MemoryEvent, marks: Marks) -> MemoryEvent:
    """Titles and authors of the past are in commits, which the index does not know."""
    flags = flags_in(f"{event.title}\n{event.author}\n{event.branch}") or None
    return event._replace(flags=flags, **marks._asdict())


def drawing(
    workspace: Workspace, *, limit: int = 50, branch: str = "", all: bool = False
) -> LogDrawing:
    """Return what is seen from here, or every branch, as git draws histories: a promotion is a
    merge."""
    view = workspace.view_of_all() if all else workspace.view(branch)
    lines: list[DrawnLine] = []
    for vault, tips in _tips(view):
        lines += draw(vault, tips, limit=limit)
    moments = workspace.ledger.moments(line.commit for line in lines if line.commit)
    return LogDrawing(
        tuple(
            line._replace(when=format_moment(moments[line.commit]))
            if line.commit in moments
            else line
            for line in lines
        )
    )


def _tips(view: View) -> list[tuple[Vault, dict[str, str]]]:
    """For each vault the tips of its scopes, each with the branch it belongs to."""
    by_vault: dict[Vault, dict[str, str]] = {}
    for layer in view.layers:
        if layer.snapshot.tip:
            tips = by_vault.setdefault(layer.vault, {})
            tips.setdefault(layer.snapshot.tip, layer.snapshot.scope.branch)
    return list(by_vault.items())


def _all_events(workspace: Workspace, view: View, limit: int) -> list[MemoryEvent]:
    """The newest events. git goes by the dates that commits claim: where one is not credible, all
    of them are read before the newest are chosen."""
    most = None if workspace.ledger.has_odd_moments() else limit
    found: list[MemoryEvent] = []
    for vault, tips in _tips(view):
        found += events(vault, list(tips), limit=most)
    return workspace.ledger.sort_events(found)[:limit]


#: How git calls where we are.
_HERE = ("", "HEAD", "@")


@dataclass(frozen=True, slots=True)
class Difference:
    """One memory that differs; `id` and title as the second side has it, else the first."""

    id: str
    type: str
    title: str
    branch: str
    summary: str
    outcome: Outcome | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None
    standing: StandingWord | None = None
    landed: LandedAs | None = None
    #: Kept on this machine; only where private memories were asked for.
    private: bool | None = None


@dataclass(frozen=True, slots=True)
class Diff:
    base: str
    branch: str
    added: tuple[Difference, ...]
    changed: tuple[Difference, ...]
    forgotten: tuple[Difference, ...]


def diff(workspace: Workspace, range: str = "", *, private: bool = False) -> Diff:
    """Memories seen from B and not from A, seen differently, or hidden, for a range `A..B`.

    Default: from the trunk to HEAD.

    The answer is made to be published, so private memories are in it only with `private`, and
    marked.
    """
    one, dots, other = (range or f"{workspace.position().trunk}..HEAD").partition("..")
    if not dots:
        raise Invalid(f"{range!r} is not a range.", hint="Write for example main..feature.")
    here = workspace.position().scope.branch
    views = (workspace.view("" if name in _HERE else name) for name in (one, other))
    before, after = (view if private else view.without_private() for view in views)
    additions, changes, losses = [], [], []
    for memory_id in sorted(before.visible.keys() | after.visible.keys()):
        old, new = before.visible.get(memory_id), after.visible.get(memory_id)
        if old and new and old.blob == new.blob:
            continue
        old_memory, new_memory = _alive(old), _alive(new)
        if new_memory and not old_memory:
            additions.append(_describe(new, new_memory))
        elif new_memory and old_memory:
            changes.append(_describe(new, new_memory))
        elif old_memory and new:
            losses.append(_describe(new, old_memory))
    base, branch = (here if name in _HERE else name for name in (one, other))
    head = workspace.position("" if other in _HERE else other).head
    marks = find_marks(workspace, after, [item.id for item in (*additions, *changes)], head)
    copies = [copy for item in (*additions, *changes) if (copy := after.place(item.id))]
    standings = find_standings(workspace, copies)
    additions, changes = (
        [
            replace(item, **marks.get(item.id, NO_MARKS)._asdict(), **standings[item.id]._asdict())
            for item in items
        ]
        for items in (additions, changes)
    )
    return Diff(base, branch, tuple(additions), tuple(changes), tuple(losses))


def _alive(place: Copy | None) -> Memory | None:
    memory = place.try_memory() if place else None
    return memory if memory and not memory.is_forgotten else None


def _describe(place: Copy | None, memory: Memory) -> Difference:
    return Difference(
        memory.id,
        memory.type,
        memory.title,
        place.layer.branch if place else "",
        " ".join(memory.content.split())[:200],
        memory.outcome,
        private=(place is not None and place.is_private) or None,
    )


def _facts(item: Difference) -> str:
    words = [item.standing or "", *marks_of(item).words, "private" if item.private else ""]
    kind = f"{item.outcome} {item.type}" if item.outcome in UNSUCCESSFUL else item.type
    return ", ".join([kind, f"`{item.id}`", *filter(None, words)])


def markdown(difference: Diff) -> str:
    """The difference as a section for a pull request."""
    lines = [f"## What `{difference.branch}` knows that `{difference.base}` does not", ""]
    for heading, items in (
        ("Learned", difference.added),
        ("Changed", difference.changed),
        ("Forgotten", difference.forgotten),
    ):
        if items:
            lines += [f"### {heading}", ""]
            lines += [f"- **{item.title}** ({_facts(item)})" for item in items]
            lines.append("")
    if len(lines) == 2:
        lines.append("Nothing.")
    return "\n".join(lines).rstrip() + "\n"


def revert(
    workspace: Workspace, id: str, *, to: str = "", expect: str = "", branch: str = ""
) -> Revised:
    """Go back to the version before the last change, or to the one at commit `to` of its history.

    With `expect`, only if the memory still is that version.

    In place of a memory a commit of ours may be named: then all it changed is what it was before,
    and what it brought is forgotten. Conflict where somebody changed some of it since.
    """

    def attempt(writing: Writing) -> Revised:
        try:
            place = check_version(writing.view.find(id), expect)
        except (Invalid, MemoryNotFound):  # too long for an id, or nobody's
            if absent := _absent(workspace, id, to):
                return _bring_back(workspace, writing, absent)
            if commit := None if to else _find_commit(writing, id):
                return _revert_commit(workspace, writing, *commit)
            raise
        earlier = _at(workspace, place, to) if to else _before(workspace, writing, place)
        if is_redacted(place.try_memory()) and not is_redacted(earlier):
            # What somebody redacted comes back for this clone alone: no push may carry it.
            return _bring_back(workspace, writing, Change(earlier, None, is_private=True))
        change = Change(earlier, place, place.is_private)
        return write_changes(workspace, writing, "revert", [change], allow_secret=True)

    return workspace.write(branch, attempt)


def _find_commit(writing: Writing, text: str) -> tuple[Vault, str] | None:
    """A change in the scope that is written to, by the start of its id."""
    for layer in writing.view.layers:
        vault, tip = layer.vault, layer.snapshot.tip
        commit = (
            vault.repository.resolve(text) if tip and layer.branch == writing.scope.branch else None
        )
        if commit and vault.repository.is_ancestor(commit, tip or ""):
            found = history.is_memory_commit(vault, commit)
            return (vault, commit) if found else None
    return None


def _revert_commit(workspace: Workspace, writing: Writing, vault: Vault, commit: str) -> Revised:
    info = vault.repository.objects.commit(commit)
    said = message.read(info.message)
    if said.is_promotion:
        raise Invalid(
            f"The commit {commit[:12]} is a promotion.",
            hint=Advice(
                "{} takes it back.",
                Call("promote", said.promoted_from, into=said.promoted_into, undo=True),
            ),
        )
    bases, now = said.bases, workspace.now()
    changes: list[Change] = []
    before = info.parents[0] if info.parents else None
    for memory_id, (was, blob) in vault.diff(before, commit).items():
        place = writing.view.place(memory_id)
        then = vault.try_memory(blob or "")
        if place is None or then is None or diff_fields(place, then):
            raise Conflict(f"The memory {memory_id} was changed since.")
        earlier = vault.try_memory(was or bases.get(memory_id, ""))
        memory = earlier or place.memory().forget("its commit was reverted")
        changes.append(Change(memory.touch(now), place, vault.is_private))
    if not changes or len(info.parents) > 1:
        raise Invalid(f"The commit {commit[:12]} changed no memories.")
    writing.commit("revert", changes, allow_secret=True)
    ids = tuple(change.memory.id for change in changes)
    return Revised(commit, "", writing.scope.branch, (), reverted=ids)


def _absent(workspace: Workspace, id: str, to: str) -> Change | None:
    """A memory that nobody sees any more, as it was at a commit."""
    for vault in workspace.store.vaults() if to else ():
        if commit := vault.repository.resolve(to):
            ids = dict(vault.snapshot_at(Scope(""), commit).starting_with(id_prefix(id)))
            for memory_id in ids if len(ids) == 1 else ():
                if memory := history.version(vault, commit, memory_id):
                    return Change(memory, None, vault.is_private)
    return None


def _bring_back(workspace: Workspace, writing: Writing, absent: Change) -> Revised:
    memory = absent.memory.touch(workspace.now())
    versions = writing.commit("revert", [absent._replace(memory=memory)], allow_secret=True)
    return Revised(memory.id, versions[memory.id], writing.scope.branch, ("content",))


def _at(workspace: Workspace, place: Copy, to: str) -> Memory:
    for vault in workspace.store.vaults():
        commit = vault.repository.resolve(to)
        memory = history.version(vault, commit, place.id) if commit else None
        if memory:
            return memory
    raise MemoryNotFound(
        f"The memory {place.id} is not in {to}",
        hint=f"`treering log {place.id}` lists its commits.",
    )


def _before(workspace: Workspace, writing: Writing, place: Copy) -> Memory:
    """The newest version in its history whose bytes are not the present ones."""
    vault = place.layer.vault
    for event in workspace.read_events(writing.view, place.id):
        blob = (
            vault.blob_at(event.commit, place.id)
            if vault.repository.objects.exists(event.commit)
            else None
        )
        if blob and blob != place.blob and (memory := vault.try_memory(blob)):
            return memory
    raise Invalid(f"The memory {place.id} has no earlier version.")
