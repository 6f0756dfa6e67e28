"""Two versions of one memory made into one, field by field. No I/O: bytes come in, bytes go out.

Where only one side changed a field, its change is taken. Where both did, the later `modified` wins
for single values; tags, files and links are additions and removals of both; and of two texts the
one that lost is named in `details.merge`, so that it can be found in history.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from treering.model.memory import Memory, title_of

_SINGLE = (
    "type", "title", "topic", "status", "confidence", "source", "author", "agent", "session",
    "commit", "created",
)  # fmt: skip
Item = TypeVar("Item")


def merged(
    base: Memory | None, ours: Memory, theirs: Memory, *, our_blob: str, their_blob: str
) -> Memory:
    """The two versions together; `base` is what both were made from, if anyone knows."""
    newer = theirs if (theirs.modified, their_blob) >= (ours.modified, our_blob) else ours
    values = {name: _single(name, base, ours, theirs, newer) for name in _SINGLE}
    content = _single("content", base, ours, theirs, newer)
    details = _mapping(base.details if base else {}, ours.details, theirs.details, newer is theirs)
    details |= _unlinked(base, ours, theirs)
    if (
        base
        and ours.content != theirs.content
        and base.content not in (ours.content, theirs.content)
    ):
        details["merge"] = {"lost": our_blob if newer is theirs else their_blob}
    follows = any(m.title == title_of(m.content) for m in (ours, theirs) if m.content == content)
    if follows and values["title"] in (title_of(ours.content), title_of(theirs.content)):
        values["title"] = title_of(content)
    return replace(
        ours,
        **values,
        content=content,
        modified=max(ours.modified, theirs.modified),
        tags=_together(base.tags if base else (), ours.tags, theirs.tags),
        files=_together(base.files if base else (), ours.files, theirs.files),
        links=_links(base, ours, theirs),
        details=details,
        extra=_mapping(base.extra if base else {}, ours.extra, theirs.extra, newer is theirs),
    )


def _single(name: str, base: Memory | None, ours: Memory, theirs: Memory, newer: Memory) -> Any:
    mine, other = getattr(ours, name), getattr(theirs, name)
    if mine == other:
        return mine
    if base is not None and getattr(base, name) == mine:
        return other
    if base is not None and getattr(base, name) == other:
        return mine
    return getattr(newer, name)


def _together(
    base: tuple[Item, ...], ours: tuple[Item, ...], theirs: tuple[Item, ...]
) -> tuple[Item, ...]:
    """What either added, without what either took out."""
    kept = [item for item in ours if item in theirs or item not in base]
    return (*kept, *(item for item in theirs if item not in ours and item not in base))


def _links(base: Memory | None, ours: Memory, theirs: Memory) -> tuple[Any, ...]:
    """Links are one edge each, by relation and target; the surer copy of an edge is kept."""
    before = base.links if base else ()
    edges: dict[tuple[str, str], Any] = {}
    for link in _together(before, ours.links, theirs.links):
        known = edges.get((link.relation, link.target))
        if known is None or link.confidence > known.confidence:
            edges[link.relation, link.target] = link
    return tuple(edges.values())


def _unlinked(base: Memory | None, ours: Memory, theirs: Memory) -> dict[str, Any]:
    """Ids never to be linked again, of both sides: a link taken away on one must not come back."""
    before, mine, other = (
        tuple(found) if isinstance(found := memory.details.get("unlinked"), list | tuple) else ()
        for memory in (base or ours, ours, theirs)
    )
    together = _together(before if base else (), mine, other)
    return {"unlinked": list(together)} if together else {}


def _mapping(
    base: Mapping[str, Any],
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
    theirs_is_newer: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    nothing = object()
    for key in dict.fromkeys([*ours, *theirs]):
        was, mine, other = base.get(key, nothing), ours.get(key, nothing), theirs.get(key, nothing)
        if mine == other or was == other:
            value = mine
        elif was == mine:
            value = other
        else:
            value = other if theirs_is_newer else mine
        if value is not nothing:
            found[key] = value
    return found
