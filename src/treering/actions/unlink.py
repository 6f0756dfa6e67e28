"""A memory's links changed, and links that were taken away so that inference leaves them alone."""

from dataclasses import replace
from typing import Any

from treering.model.memory import Link, Memory

#: In `details`: the ids a memory must never be linked with again by inference.
UNLINKED = "unlinked"


def with_link(memory: Memory, made: Link) -> Memory:
    """The memory with this link, in the place of the same one if it has that already."""
    edge = (made.relation, made.target)
    others = [ln for ln in memory.links if (ln.relation, ln.target) != edge]
    at = next((i for i, ln in enumerate(memory.links) if (ln.relation, ln.target) == edge), None)
    others.insert(len(others) if at is None else at, made)
    return replace(
        memory, links=tuple(others), details=_note_unlinked(memory, made.target, add=False)
    )


def without_link(memory: Memory, relation: str, target: str) -> Memory:
    """The memory without this link, which inference then leaves alone for good."""
    kept = tuple(ln for ln in memory.links if (ln.relation, ln.target) != (relation, target))
    return replace(memory, links=kept, details=_note_unlinked(memory, target, add=True))


def list_unlinked(memory: Memory) -> tuple[str, ...]:
    """The ids somebody took a link to away from this memory."""
    found = memory.details.get(UNLINKED)
    items = found if isinstance(found, list | tuple) else ()
    return tuple(item for item in items if isinstance(item, str))


def _note_unlinked(memory: Memory, target: str, *, add: bool) -> dict[str, Any]:
    others = [item for item in list_unlinked(memory) if item != target]
    details = {key: value for key, value in memory.details.items() if key != UNLINKED}
    left = [*others, target] if add else others
    return details | {UNLINKED: left} if left else details
