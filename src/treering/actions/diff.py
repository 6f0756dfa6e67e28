"""diff: what one branch knows that another does not."""

from dataclasses import dataclass

from treering.actions.workspace import Workspace
from treering.errors import Invalid, TreeringError
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


@dataclass(frozen=True, slots=True)
class Diff:
    base: str
    branch: str
    added: tuple[Difference, ...]
    changed: tuple[Difference, ...]
    forgotten: tuple[Difference, ...]


def diff(workspace: Workspace, range: str) -> Diff:
    """Memories seen from B and not from A, seen differently, or hidden, for a range `A..B`."""
    one, dots, other = range.partition("..")
    if not dots:
        raise Invalid(f"{range!r} is no range.", hint="Write for example main..feature.")
    here = workspace.position().scope.branch
    before, after = (workspace.view("" if name in _HERE else name) for name in (one, other))
    added, changed, forgotten = [], [], []
    for memory_id in sorted(before.visible.keys() | after.visible.keys()):
        old, new = before.visible.get(memory_id), after.visible.get(memory_id)
        if old and new and old.blob == new.blob:
            continue
        was, now = _alive(old), _alive(new)
        if now and not was:
            added.append(_describe(new, now))
        elif now and was:
            changed.append(_describe(new, now))
        elif was and new:
            forgotten.append(_describe(new, was))
    base, branch = (here if name in _HERE else name for name in (one, other))
    return Diff(base, branch, tuple(added), tuple(changed), tuple(forgotten))


def _alive(place: Copy | None) -> Memory | None:
    try:
        memory = place.memory() if place else None
    except TreeringError:
        return None
    return memory if memory and not memory.is_forgotten else None


def _describe(place: Copy | None, memory: Memory) -> Difference:
    branch = place.layer.branch if place else ""
    summary = " ".join(memory.content.split())[:200]
    return Difference(memory.id, memory.type, memory.title, branch, summary)


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
            lines += [f"- **{item.title}** ({item.type}, `{item.id}`)" for item in items]
            lines.append("")
    if len(lines) == 2:
        lines.append("Nothing.")
    return "\n".join(lines).rstrip() + "\n"
