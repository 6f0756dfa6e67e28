"""diff: what one branch knows that another does not."""

from dataclasses import dataclass, replace

from treering.actions.marks import (
    NO_MARKS,
    NewerMemory,
    OutdatedBy,
    Reverted,
    find_marks,
    marks_of,
)
from treering.actions.standing import LandedAs, StandingWord, find_standings
from treering.actions.workspace import Workspace
from treering.errors import Invalid
from treering.model.choices import UNSUCCESSFUL, Outcome
from treering.model.memory import Memory
from treering.store.view import Copy

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


def _kind(item: Difference) -> str:
    return f"{item.outcome} {item.type}" if item.outcome in UNSUCCESSFUL else item.type


def _facts(item: Difference) -> str:
    words = [item.standing or "", *marks_of(item).words, "private" if item.private else ""]
    return ", ".join([_kind(item), f"`{item.id}`", *filter(None, words)])


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
