"""One memory made from all its changes: the same, whatever the order in which clones met.

A three-way merge needs a common ancestor, and two histories that were merged or promoted in several
places have more than one; which of them is taken decides the outcome. So no ancestor is asked for:
every change ever made is applied again, ancestors first, then by time, then by commit id. The
outcome is a function of the set of changes. No I/O: values come in, a value goes out.
"""

import heapq
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from treering.call import Advice, Call
from treering.errors import Invalid
from treering.model import document
from treering.model.memory import Link, Memory, check, title_of
from treering.model.text_merge import merge_texts

_SINGLE = (
    "type", "title", "topic", "status", "confidence", "source", "author", "agent", "session",
    "commit", "created",
)  # fmt: skip
#: Who made it, when and where: told by whoever remembered it first.
_ORIGIN = ("created", "author", "source", "agent", "session", "commit")
#: Changes no person made; they bring nothing back that someone forgot.
_BY_ITSELF = ("follow",)


class MemoryStep(NamedTuple):
    """One commit's change of one memory: what it was made from (None: nothing), what it became
    (None: it was left out, which is no change), and which of the other steps it knew."""

    commit: str
    time: int
    op: str
    before: Memory | None
    after: Memory | None
    blob: str | None
    knew: frozenset[str] = frozenset()

    @property
    def forgets(self) -> bool:
        is_gone = self.after is not None and self.after.is_forgotten
        return is_gone and not (self.before is None or self.before.is_forgotten)


class ReplayResult(NamedTuple):
    """The memory after all steps, its blob where it is one that exists, and what to tell."""

    memory: Memory | None
    blob: str | None
    notes: tuple[str, ...] = ()


def replay(steps: Sequence[MemoryStep]) -> ReplayResult:
    """Apply the steps in their order; ValueError when there are none."""
    if redactions := [step for step in steps if is_redacted(step.after)]:
        step = min(redactions, key=lambda one: one.commit)
        return ReplayResult(step.after, step.blob)
    replayer = _Replayer(in_order(steps))
    return replayer.outcome()


def is_redacted(memory: Memory | None) -> bool:
    """Return whether a memory's text was taken out for good: nothing brings it back."""
    return memory is not None and memory.is_forgotten and memory.details.get("redacted") is True


class Ordered(Protocol):
    """What an order needs to know of a step."""

    @property
    def commit(self) -> str: ...
    @property
    def time(self) -> int: ...
    @property
    def knew(self) -> frozenset[str]: ...


Kind = TypeVar("Kind", bound=Ordered)
Item = TypeVar("Item")


def in_order(steps: Sequence[Kind]) -> list[Kind]:
    """Ancestors first, then the older, then the smaller id."""
    waiting = {step.commit: len(step.knew) for step in steps}
    by_commit = {step.commit: step for step in steps}
    ready = [(step.time, step.commit) for step in steps if not step.knew]
    heapq.heapify(ready)
    order: list[Kind] = []
    while ready:
        _, commit = heapq.heappop(ready)
        order.append(by_commit[commit])
        for step in steps:
            if commit in step.knew:
                waiting[step.commit] -= 1
                if not waiting[step.commit]:
                    heapq.heappush(ready, (step.time, step.commit))
    return order


class _Replayer:
    """The memory while steps are applied to it."""

    def __init__(self, steps: list[MemoryStep]) -> None:
        self._steps = steps
        self._memory: Memory | None = None
        self._blob: str | None = None  # of the memory, while it is exactly one that was written
        self._first: Memory | None = None  # as it was first remembered, or copied from
        self._wording = ""  # the blob the present words come from
        self._notes: list[str] = []

    def outcome(self) -> ReplayResult:
        for step in self._steps:
            if step.forgets and self._is_overruled(step):
                self._overrule(step)
            elif step.after is not None:
                self._apply(step, step.after)
            if self._first is None:
                self._first = step.before or step.after
        return ReplayResult(self._memory, self._blob, tuple(dict.fromkeys(self._notes)))

    def _is_overruled(self, step: MemoryStep) -> bool:
        """An edit that did not know of a deletion outlives it."""
        return any(
            other.after is not None
            and not other.after.is_forgotten
            and other.op not in _BY_ITSELF
            and other.commit not in step.knew
            and step.commit not in other.knew
            for other in self._steps
            if other is not step
        )

    def _overrule(self, step: MemoryStep) -> None:
        if self._memory is not None and step.after is not None:
            date = max(self._memory.modified, step.after.modified)
            self._memory = self._memory._replace(status="needs-review", modified=date)
            self._blob = None
            self._notes.append(
                f"{step.after.id} was forgotten and edited at the same time: kept for review"
            )

    def _apply(self, step: MemoryStep, after: Memory) -> None:
        now, before = self._memory, step.before
        if now is None or now == before:
            self._memory, self._blob = after, step.blob
            self._wording = step.blob or ""
            return
        is_again = before is None  # the same thing, remembered a second time
        if before is None and self._first is not None:
            before = self._first
            after = after._replace(**{name: getattr(before, name) for name in _ORIGIN})
        if before is None:
            before = now
        result, has_loser = apply(now, before, after, is_rival=is_again)
        if has_loser and self._wording:
            result = result._replace(
                details=dict(result.details) | {"merge": {"lost": self._wording}}
            )
            self._notes.append(
                Advice(
                    f"{after.id} was reworded twice: the later text counts, the other one is {{}}",
                    Call("read", after.id, at=self._wording[:12]),
                )
            )
        if before.content != after.content:
            self._wording = step.blob or ""
        self._memory = _sound(result, after)
        self._blob = None


def apply(now: Memory, before: Memory, after: Memory, *, is_rival: bool) -> tuple[Memory, bool]:
    """Return what a change from `before` to `after` makes of `now`, and whether words of `now` were
    lost.

    `is_rival`: `after` was not made from `before`, so different words are rivals, not a revision.
    """
    single = {
        name: getattr(after, name)
        for name in _SINGLE
        if getattr(before, name) != getattr(after, name)
    }
    if is_rival and before.content != after.content:
        content, has_loser = after.content, now.content != after.content
    else:
        content, has_loser = merge_texts(before.content, now.content, after.content)
    result = now._replace(
        **single,
        content=content,
        modified=max(now.modified, after.modified),
        tags=tuple(_map(_keys(now.tags), _keys(before.tags), _keys(after.tags))),
        files=_together(now.files, before.files, after.files, lambda file: file.path),
        links=_together(now.links, before.links, after.links, lambda link: link[:2]),
        details=_details(now.details, before.details, after.details),
        extra=_map(now.extra, before.extra, after.extra),
    )
    return _retitle(result, now, after), has_loser


def _retitle(memory_now: Memory, now: Memory, after: Memory) -> Memory:
    """A title that was taken from the first line follows the words of both."""
    follows = any(
        memory_now.title == memory.title == title_of(memory.content) for memory in (now, after)
    )
    return memory_now._replace(title=title_of(memory_now.content)) if follows else memory_now


def _keys(items: Sequence[str]) -> dict[str, None]:
    return dict.fromkeys(items)


def _together(now: Any, before: Any, after: Any, key: Any) -> Any:
    """Items by what they are about: added, replaced and taken out as the change did."""
    by_key = [{key(item): item for item in items} for items in (now, before, after)]
    return tuple(_map(*by_key).values())


def _details(
    now: Mapping[str, object], before: Mapping[str, object], after: Mapping[str, object]
) -> dict[str, object]:
    """Key by key; the ids never to be linked again are added and taken out one by one."""
    details = _map(now, before, after)
    lists = [_ids(side.get("unlinked")) for side in (now, before, after)]
    if together := list(_map(*lists)):
        details["unlinked"] = together
    return details


def _ids(value: Any) -> dict[str, None]:
    return _keys(
        [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    )


def _map(
    now: Mapping[Any, Any], before: Mapping[Any, Any], after: Mapping[Any, Any]
) -> dict[Any, Any]:
    removals = before.keys() - after.keys()
    entries = {key: value for key, value in now.items() if key not in removals}
    for key, value in after.items():
        if key not in before or before[key] != value:
            entries[key] = value
    return entries


def _sound(together: Memory, after: Memory) -> Memory:
    """The merged memory, unless together the changes break a rule neither broke alone."""
    try:
        document.dump(check(together))
    except Invalid:
        return after
    return together


# --- where history is missing ---------------------------------------------------------------------


def merge_ends(older: Memory, newer: Memory) -> Memory:
    """The two versions together, of which nobody knows what both were made from. So nothing can be
    known to have been taken out: single values and the text are the later one's; tags, files and
    links are those of both."""
    return newer._replace(
        modified=max(older.modified, newer.modified),
        tags=_unite(older.tags, newer.tags),
        files=_unite(older.files, newer.files),
        links=_unite_links(older, newer),
        details={**older.details, **newer.details, **_unite_unlinked(older, newer)},
        extra={**older.extra, **newer.extra},
    )


def _unite(one: tuple[Item, ...], other: tuple[Item, ...]) -> tuple[Item, ...]:
    return (*one, *(item for item in other if item not in one))


def _unite_links(older: Memory, newer: Memory) -> tuple[Link, ...]:
    """Links are one edge each, by relation and target; the surer copy of an edge is kept."""
    edges: dict[tuple[str, str], Link] = {}
    for link in _unite(older.links, newer.links):
        twin = edges.get((link.relation, link.target))
        if twin is None or link.confidence > twin.confidence:
            edges[link.relation, link.target] = link
    return tuple(edges.values())


def _unite_unlinked(older: Memory, newer: Memory) -> dict[str, list[object]]:
    """Ids never to be linked again, of both sides: a link taken away on one must not come back."""
    sides = (
        tuple(ids) if isinstance(ids := memory.details.get("unlinked"), list | tuple) else ()
        for memory in (older, newer)
    )
    together = _unite(*sides)
    return {"unlinked": list(together)} if together else {}
