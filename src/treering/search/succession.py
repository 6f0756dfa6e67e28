"""Successors of a memory, certain and possible: found among everything visible, whatever was asked.

Replaced: somebody made or confirmed a link `supersedes`, in a memory that is not flagged and was
said later. Perhaps replaced: a later piece of knowledge says nearly the same, as
`text/rewording.py` tells. Nothing of it is stored but keys, by which those that may replace a
memory are found. So the cost follows what is shown, and whoever sees other memories sees other
marks.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from treering.model.memory import Memory
from treering.search.entry import Entry, alike_keys, is_compared, superseding_key
from treering.search.visible import WITHHELD, VisibleEntries
from treering.text.flags import flags_of
from treering.text.likeness import ALIKE, MAYBE_ALIKE, unpack_cached
from treering.text.rewording import (
    APART,
    HowNewer,
    Statement,
    TextDifference,
    are_siblings,
    find_difference,
)

Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]

#: A memory that says it replaces more than these is for a person to look at: none is marked.
MOST_SUPERSEDED = 20
_MOST_COMPARED = 8
CROWD = 10  # documents, from which on a key says little
_COMMON = 50  # documents, or one in 200, from which on a key says nothing
_HASH = 4  # bytes of a hash in a sketch


class Newer(NamedTuple):
    """A later memory that may replace another, how they differ, and in which words."""

    entry: Entry
    how: HowNewer
    said: str = ""
    says: str = ""


class Successors(NamedTuple):
    """The memory that replaces another, else the one that may."""

    replaced_by: Entry | None = None
    newer: Newer | None = None


NONE = Successors()


def find_successors(
    numbers: Iterable[int], view: VisibleEntries, read: Read
) -> dict[int, Successors]:
    """Of some documents those that something visible replaces, or may; looked up once per view."""
    wanted, known = list(dict.fromkeys(numbers)), view.successors
    if todo := [number for number in wanted if number not in known]:
        known.update(dict.fromkeys(todo, NONE) | _Search(view, read).find(todo))
    return {number: known[number] for number in wanted if known[number] != NONE}


def find_predecessors(
    number: int, view: VisibleEntries, read: Read
) -> list[tuple[Entry, Successors]]:
    """The documents that one replaces, or may: as each of them says so itself."""
    successors = find_successors(_Search(view, read).list_older(number), view, read)
    mine = view.entry(number).id
    return [
        (view.entry(n), found)
        for n, found in successors.items()
        if mine
        in (found.replaced_by and found.replaced_by.id, found.newer and found.newer.entry.id)
    ]


class _Search:
    """One look-up for several documents: the texts of all of them are read at once."""

    def __init__(self, view: VisibleEntries, read: Read) -> None:
        self._view = view
        self._read = read
        self._statements: dict[int, Statement] = {}
        self._heads: dict[int, int | None] = {}
        self._flagged: dict[int, bool] = {}
        self._above: dict[int, list[int]] = {}
        self._links: dict[int, dict[str, str]] = {}
        self._limit = max(_COMMON, view.snapshot.count // (4 * _COMMON))

    def find(self, numbers: list[int]) -> dict[int, Successors]:
        found: dict[int, Successors] = {}
        self._look_up(numbers)
        for number in numbers:
            if (head := self._head(number)) is not None:
                found[number] = Successors(replaced_by=self._view.entry(head))
        near = {n: self._sharing(self._view.entry(n)) for n in numbers if n not in found}
        later = {n: self._list_later(n, others) for n, others in near.items()}
        later = {n: others for n, others in later.items() if others}
        beside = {n: self._list_beside(n, near[n]) for n in later}
        groups = ((n, *others, *beside[n]) for n, others in later.items())
        self._read_statements({number for group in groups for number in group})
        for number, others in later.items():
            if newer := self._choose(number, others, beside[number]):
                found[number] = Successors(newer=newer)
        return found

    def _look_up(self, numbers: Iterable[int]) -> None:
        """Look up all keys of some documents at once, instead of one after the other."""
        keys: list[str] = []
        for entry in map(self._view.entry, numbers):
            keys.append(superseding_key(entry.id))
            keys += alike_keys(entry) if is_compared(entry.type) else ()
        self._view.snapshot.sharing(keys, self._limit)

    def list_older(self, number: int) -> list[int]:
        """Documents that this one may replace."""
        new, numbers = self._view.entry(number), list[int]()
        todo, ids = list(self._targets(number)), {new.id}
        if todo:
            by_id = {self._view.snapshot.ids[n]: n for n in self._view.all}
            while todo:
                target = todo.pop()
                if target in by_id and target not in ids:
                    ids.add(target)
                    numbers.append(by_id[target])
                    todo += self._targets(by_id[target])
        older = [
            n
            for n in self._sharing(new)
            if n in self._view.in_force and self._may_replace(number, n)
        ]
        return list(dict.fromkeys((*numbers, *older[:MOST_SUPERSEDED])))

    # --- by links ---------------------------------------------------------------------------------

    def _head(self, number: int) -> int | None:
        """The newest of all that supersede a document, or one of those; None where none does.

        Each is visited once. Where links lead back to where they started, the one said last holds.
        """
        if number not in self._heads:
            reached: set[int] = set()
            todo = [number]
            while todo:
                nexts = [n for n in self._superseding(todo.pop()) if n not in reached]
                reached.update(nexts)
                todo += nexts
            mine = self._view.entry(number).id
            others = [n for n in reached if self._view.entry(n).id != mine]
            head = max(others, key=self._order, default=None)
            if head is not None and number in reached and self._order(head) < self._order(number):
                head = None
            self._heads[number] = head
        return self._heads[number]

    def _superseding(self, number: int) -> list[int]:
        if number not in self._above:
            self._above[number] = self._list_superseding(number)
        return self._above[number]

    def _list_superseding(self, number: int) -> list[int]:
        old = self._view.entry(number)
        key = superseding_key(old.id)
        return [
            other
            for other in self._view.snapshot.sharing([key], self._limit)[key]
            if other in self._view.all
            and (new := self._view.entry(other)).id != old.id
            and new.status != "deleted"
            and self._counts(other, old)
            and self._age(other) >= self._age(number)
            and not self._is_flagged(other)
        ]

    def _counts(self, number: int, old: Entry) -> bool:
        """Return whether one replaces another by somebody's word, or by git's, which rewrote a
        commit. A link that was inferred waits for somebody to confirm it."""
        by = self._targets(number).get(old.id)
        is_rewritten = self._view.entry(number).type == old.type == "commit"
        return by == "user" or (by is not None and is_rewritten and old.status == "superseded")

    def _targets(self, number: int) -> dict[str, str]:
        """The memories that one says it replaces, and who linked them; none where it is many."""
        if number not in self._links:
            links = {ln[1]: ln[3] for ln in self._view.entry(number).links if ln[0] == "supersedes"}
            self._links[number] = links if len(links) <= MOST_SUPERSEDED else {}
        return self._links[number]

    def _is_flagged(self, number: int) -> bool:
        """Return whether something looks wrong with a document; one that nobody looked at is looked
        at."""
        entry = self._view.entry(number)
        if entry.flags is not None:
            return bool(entry.flags)
        if number not in self._flagged:
            memories = [memory for _, memory in self._read([entry.blob])]
            self._flagged[number] = not memories or bool(flags_of(memories[0]))
        return self._flagged[number]

    # --- by words ---------------------------------------------------------------------------------

    def _sharing(self, entry: Entry) -> list[int]:
        """The visible documents that share keys with one, those that share most and the newest
        first. A key that many share says little: two of such are needed, and the commonest are
        passed over."""
        if not is_compared(entry.type):
            return []
        snapshot, visible = self._view.snapshot, self._view.all
        shared, crowd = Counter[int](), Counter[int]()
        found = snapshot.sharing(alike_keys(entry), self._limit)
        for documents in found.values():
            (shared if len(documents) <= CROWD else crowd).update(documents)
        shared.update({n: count for n, count in crowd.items() if count > 1 or n in shared})
        entries = snapshot.entries
        near = [
            (count, entries[n].said, n)
            for n, count in shared.items()
            if n in visible and _may_be_alike(entry, entries[n])
        ]
        return [n for _, _, n in sorted(near, reverse=True)]

    def _list_later(self, number: int, near: Iterable[int]) -> list[int]:
        later = (n for n in near if self._may_replace(n, number))
        return [n for n, _ in zip(later, range(_MOST_COMPARED), strict=False)]

    def _list_beside(self, number: int, near: Iterable[int]) -> list[int]:
        """Documents that were said together with one."""
        said, mine = self._view.entry(number).said, self._view.entry(number).id
        entries = ((n, self._view.entry(n)) for n in near)
        beside = [n for n, entry in entries if entry.id != mine and abs(entry.said - said) < APART]
        return beside[:_MOST_COMPARED]

    def _may_replace(self, newer: int, older: int) -> bool:
        new, old = self._view.entry(newer), self._view.entry(older)
        return (
            new.id != old.id
            and is_compared(new.type)
            and is_compared(old.type)
            and old.outcome != "failed"
            and new.status not in WITHHELD
            and self._age(newer) > self._age(older)
            and not _are_told_apart(old, new)
            and not self._is_flagged(newer)
        )

    def _choose(
        self, number: int, others: Collection[int], beside: Collection[int]
    ) -> Newer | None:
        """The newest of those that differ by a value, or else of those that differ in words. One of
        a list, which was written together with others like it, is not replaced by its like."""
        mine = self._statements.get(number)
        if mine is None:
            return None
        said, best = self._view.entry(number).said, dict[str, tuple[int, TextDifference]]()
        is_in_list: bool | None = None
        for other in sorted(others, key=self._order, reverse=True):
            theirs = self._statements.get(other)
            apart = self._view.entry(other).said - said
            found = find_difference(mine, theirs, apart) if theirs else None
            if found and found.how != "value":
                if is_in_list is None:
                    is_in_list = any(self._are_listed(number, one) for one in beside)
                found = None if is_in_list else found
            if found:
                best.setdefault("value" if found.how == "value" else "words", (other, found))
        if not best:
            return None
        other, found = best.get("value") or best["words"]
        head = self._head(other)
        entry = self._view.entry(other if head is None else head)
        if entry.id == self._view.entry(number).id:
            return None
        return Newer(entry, found.how, *found.find_words())

    def _are_listed(self, one: int, other: int) -> bool:
        """Return whether two that were said together differ as members of a list do."""
        mine, theirs = self._statements.get(one), self._statements.get(other)
        if mine is None or theirs is None:
            return False
        found = find_difference(mine, theirs)
        return are_siblings(mine, theirs) or (found is not None and found.how == "name")

    def _read_statements(self, numbers: Iterable[int]) -> None:
        blobs = {self._view.entry(number).blob: number for number in numbers}
        for blob, memory in self._read(blobs) if blobs else ():
            self._statements[blobs[blob]] = Statement(memory.title, memory.content)

    def _age(self, number: int) -> tuple[float, int]:
        """Return when a document was said; of two of one moment the nearer layer's is the newer."""
        return self._view.entry(number).said, -self._view.layer(number)

    def _order(self, number: int) -> tuple[tuple[float, int], str]:
        return self._age(number), self._view.entry(number).id


def _may_be_alike(one: Entry, other: Entry) -> bool:
    """Less than is asked of the texts: a sketch is a small sample, with numbers, tags and paths."""
    for mine, theirs in ((one.sketch, other.sketch), (one.title_sketch, other.title_sketch)):
        common = unpack_cached(mine) & unpack_cached(theirs)
        if len(common) * _HASH >= ALIKE * MAYBE_ALIKE * max(len(mine), len(theirs), 1):
            return True
    return False


def _are_told_apart(old: Entry, new: Entry) -> bool:
    """Return whether somebody linked two memories in another way: then both are meant to hold."""
    return any(
        target == other.id and by == "user" and relation != "supersedes"
        for entry, other in ((old, new), (new, old))
        for relation, target, _, by, _ in entry.links
    )
