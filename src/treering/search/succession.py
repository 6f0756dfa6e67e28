"""What outdates a memory: found among everything visible, whatever was asked.

Somebody said so, by a link `supersedes`; or a newer memory is about the same and says something
else (`text/contradiction.py`). Nothing of it is stored but keys in the postings, by which those
that may outdate a memory are found. So the cost follows what is shown, and whoever sees other
memories sees other marks.

Knowledge is compared with knowledge, and commits with commits. What is flagged outdates nothing by
its words.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from treering.model.memory import Memory
from treering.model.value import NamedTuple
from treering.search.corpus import Corpus
from treering.search.entry import Entry, share_repository
from treering.search.keys import alike_keys, is_compared, superseding_key
from treering.search.known_successions import list_superseded, most_sharing
from treering.search.visible import WITHHELD, VisibleEntries
from treering.text.contradiction import (
    Contradiction,
    HowOutdated,
    Statement,
    TextDifference,
    compare,
    compare_heads,
    find_difference,
    says_revert,
    take_apart,
)
from treering.text.likeness import ALIKE, MAYBE_ALIKE, unpack_cached

Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]

#: A link somebody made always counts; one that was inferred, from here on.
CERTAIN = 0.8
_MOST_COMPARED = 8
_MOST_OUTDATED = 20
_CROWD = 10  # documents, from which on a key says little
_LONGEST_CHAIN = 50
_HASH = 4  # bytes of a hash in a sketch


class Succession(NamedTuple):
    """The memory that outdates another, how, and the words in which they differ."""

    newer: Entry
    how: HowOutdated
    said: str = ""
    says: str = ""


class VisibleChange(NamedTuple):
    """Blobs that are not seen any more, and what is seen anew, which need not be indexed yet."""

    gone: Collection[str]
    came: Collection[Entry]


#: A search for what documents are outdated by.
Look = Callable[[Iterable[int], VisibleEntries, Read], dict[int, Succession]]


def find_successions(
    numbers: Iterable[int], view: VisibleEntries, read: Read
) -> dict[int, Succession]:
    """Of some documents those that something visible outdates, and what; looked up once a view."""
    known = view.successions.newer
    todo = [number for number in dict.fromkeys(numbers) if number not in known]
    if todo:
        known.update(_Search(view, read).find(todo))
    return {number: found for number in numbers if (found := known.get(number))}


def find_predecessors(
    number: int, view: VisibleEntries, read: Read
) -> list[tuple[Entry, Succession]]:
    """The documents that one outdates: as each of them says so itself."""
    successions = find_successions(_list_older(number, view, read), view, read)
    newer = view.entry(number).id
    return [(view.entry(n), found) for n, found in successions.items() if found.newer.id == newer]


def _list_older(number: int, view: VisibleEntries, read: Read) -> list[int]:
    others = view.successions.older.get(number)
    if others is None:
        others = view.successions.older[number] = _Search(view, read).list_older(number)
    return others


def keeps_marks(number: int, view: VisibleEntries, read: Read, change: VisibleChange) -> bool:
    """Whether what outdates a document, and what it outdates, is the same after a change, of which
    nothing has to be indexed to see that."""
    snapshot, older = view.snapshot, _list_older(number, view, read)
    if most_sharing(snapshot) != most_sharing(snapshot, len(change.came)):
        return False
    if len(older) >= _MOST_OUTDATED:
        return False  # one more may leave out another one
    near = [view.entry(n) for n in (number, *older)]
    keys = {key for entry in near for key in alike_keys(entry)}
    if not keys.isdisjoint(_list_tipped(keys, change.came, snapshot)):
        return False
    olds = [snapshot.by_blob.get(blob) for blob in change.gone]
    return all(entry and not _may_change(entry, near) for entry in (*olds, *change.came))


def _may_change(entry: Entry, others: Iterable[Entry]) -> bool:
    """Whether one that comes or goes may change what outdates some others. Who replaces anything
    may, as it may stand anywhere in a chain."""
    if list_superseded(entry):
        return True
    keys = frozenset(alike_keys(entry) if is_compared(entry.type) else ())
    return any(
        entry.id == other.id
        or (not keys.isdisjoint(alike_keys(other)) and _may_be_alike(entry, other))
        for other in others
    )


def _list_tipped(keys: Collection[str], came: Iterable[Entry], snapshot: Corpus) -> Iterator[str]:
    """Those of some keys that say less than before, because more documents share them."""
    counts = Counter(
        key for entry in came if is_compared(entry.type) for key in alike_keys(entry) if key in keys
    )
    limits = (_CROWD, most_sharing(snapshot))
    for key, count in counts.items():
        before = snapshot.count_sharing(key)
        if any(before <= limit < before + count for limit in limits):
            yield key


def find_contradicting_commits(
    numbers: Iterable[int], view: VisibleEntries, read: Read
) -> dict[int, Succession]:
    """Of some knowledge what a later commit's message contradicts for sure, and which commit.

    For a person to look at: a message tells what was done, and not what holds.
    """
    return _Search(view, read).find_commits(list(numbers))


class _Search:
    """One look-up for several documents: the texts of all of them are read at once."""

    def __init__(self, view: VisibleEntries, read: Read) -> None:
        self._view = view
        self._read = read
        self._statements: dict[int, Statement] = {}
        self._sought = -1  # the document whose succession is being looked up

    def find(self, numbers: list[int]) -> dict[int, Succession | None]:
        heads = {n: head for n in numbers if (head := self._head_of(n)) is not None}
        newer = {n: self._candidates(n) for n in numbers if n not in heads}
        pairs = (*heads.items(), *((n, other) for n, others in newer.items() for other in others))
        self._take_apart({number for pair in pairs for number in pair})
        answer: dict[int, Succession | None] = dict.fromkeys(numbers)
        for number, head in heads.items():
            answer[number] = self._linked(number, head)
        for number, others in newer.items():
            answer[number] = self._contradicted(number, others)
        return answer

    def find_commits(self, numbers: list[int]) -> dict[int, Succession]:
        """The newest commit of those that contradict a document."""
        later = {n: self._later_commits(n) for n in numbers}
        later = {n: commits for n, commits in later.items() if commits}
        self._take_apart({number for n, commits in later.items() for number in (n, *commits)})
        successions = {}
        for number, commits in later.items():
            mine = self._statements.get(number)
            for commit in sorted(commits, key=self._age, reverse=True):
                theirs = self._statements.get(commit)
                found = compare_heads(mine, theirs) if mine and theirs else None
                if found and found.is_sure:
                    successions[number] = Succession(self._view.entry(commit), *found)
                    break
        return successions

    def _later_commits(self, number: int) -> list[int]:
        old = self._view.entry(number)
        if old.type == "commit":
            return []
        commits = [
            n
            for n in self._sharing(old)
            if (new := self._view.entry(n)).type == "commit"
            and new.status not in WITHHELD
            and not new.flags
            and new.said > old.said
        ]
        return commits[:_MOST_COMPARED]

    def list_older(self, number: int) -> list[int]:
        """Documents that this one may outdate."""
        new = self._view.entry(number)
        targets = {target for relation, target, *_ in new.links if relation == "supersedes"}
        for target in targets:
            self._view.successions.watch(target, number)
        olds = [n for n in self._view.all if self._view.entry(n).id in targets] if targets else []
        older = [
            n
            for n in self._sharing(new)
            if n in self._view.in_force and self._may_outdate(number, new, n, self._view.entry(n))
        ]
        return list(dict.fromkeys((*olds, *older[:_MOST_OUTDATED])))

    # --- by links ---------------------------------------------------------------------------------

    def _head_of(self, number: int) -> int | None:
        self._sought = number
        return self._head(number)

    def _head(self, number: int) -> int | None:
        """The newest in the chain of those that supersede a document; None where none does."""
        seen, at = {self._view.entry(number).id}, number
        head: int | None = None
        for _ in range(_LONGEST_CHAIN):
            nexts = [n for n in self._superseding(at) if self._view.entry(n).id not in seen]
            if not nexts:
                break
            head = at = max(nexts, key=self._age)
            seen.add(self._view.entry(at).id)
        return head

    def _superseding(self, number: int) -> list[int]:
        old = self._view.entry(number)
        self._view.successions.watch(old.id, self._sought)
        return [
            other
            for other in self._view.snapshot.sharing(superseding_key(old.id))
            if other in self._view.all
            and (new := self._view.entry(other)).id != old.id
            and new.status != "deleted"
            and _supersedes(new, old.id)
            and not self._is_taken_back(other)
            # Two that supersede each other: the one said last is meant.
            and not (_supersedes(old, new.id) and self._age(number) > self._age(other))
        ]

    def _is_taken_back(self, number: int) -> bool:
        """Whether a commit that reverts another was itself reverted: then that one holds again."""
        entry = self._view.entry(number)
        return (
            entry.type == "commit" and says_revert(entry.title) and self._head(number) is not None
        )

    def _linked(self, number: int, head: int) -> Succession:
        words = Contradiction("supersedes")
        one, other = (self._statements.get(n) for n in (number, head))
        if one and other:
            words = compare(one, other) or words
        how: HowOutdated = "revert" if words.how == "revert" else "supersedes"
        return Succession(self._view.entry(head), how, words.said, words.says)

    # --- by words ---------------------------------------------------------------------------------

    def _candidates(self, number: int) -> list[int]:
        """Newer documents that may be about the same, those that share most keys first."""
        old = self._view.entry(number)
        entries, newer = self._view.snapshot.entries, list[int]()
        for n in self._sharing(old):
            new = entries[n]
            is_near = new.said >= old.said and _may_be_alike(old, new)
            if is_near and self._may_outdate(n, new, number, old):
                newer.append(n)
            if len(newer) == _MOST_COMPARED:
                break
        return newer

    def _sharing(self, entry: Entry) -> list[int]:
        """The visible documents that share keys with one, those that share most and the newest
        first. A key that many share says little: two of such are needed, and the commonest are
        passed over."""
        if not is_compared(entry.type):
            return []
        snapshot, visible = self._view.snapshot, self._view.all
        most = most_sharing(snapshot)
        shared, crowd = Counter[int](), Counter[int]()
        for key in alike_keys(entry):
            documents = snapshot.sharing(key, most)
            (shared if len(documents) <= _CROWD else crowd).update(documents)
        shared.update({n: count for n, count in crowd.items() if count > 1 or n in shared})
        entries = snapshot.entries
        near = [
            (count, entries[n].said, n)
            for n, count in shared.items()
            if n in visible and share_repository(entry, entries[n])
        ]
        return [n for _, _, n in sorted(near, reverse=True)]

    def _may_outdate(self, newer: int, new: Entry, older: int, old: Entry) -> bool:
        return (
            new.id != old.id
            and (new.type == "commit") == (old.type == "commit")
            and is_compared(new.type)
            and is_compared(old.type)
            and new.status not in WITHHELD
            and not new.flags
            and self._age(newer) > self._age(older)
            and not _are_told_apart(old, new)
        )

    def _contradicted(self, number: int, others: Collection[int]) -> Succession | None:
        """By the newest of those that surely say something else, or of those that may."""
        self._sought = number
        old, mine = self._view.entry(number), self._statements.get(number)
        best: tuple[tuple[bool, tuple[float, int]], int, TextDifference] | None = None
        for other in others:
            theirs = self._statements.get(other)
            apart = self._view.entry(other).said - old.said
            found = find_difference(mine, theirs, apart) if mine and theirs else None
            if found and old.type == "commit" and not found.is_sure:
                continue  # a commit tells of an event of its own
            if found and found.how == "revert" and self._is_taken_back(other):
                continue
            rank = (found is not None and found.is_sure, self._age(other))
            if found and (best is None or rank > best[0]):
                best = (rank, other, found)
        if best is None:
            return None
        head = self._head(best[1])
        newer = self._view.entry(best[1] if head is None else head)
        return Succession(newer, *best[2].spell_out()) if newer.id != old.id else None

    def _take_apart(self, numbers: Iterable[int]) -> None:
        blobs = {self._view.entry(number).blob: number for number in numbers}
        for blob, memory in self._read(blobs) if blobs else ():
            self._statements[blobs[blob]] = take_apart(memory.title, memory.content)

    def _age(self, number: int) -> tuple[float, int]:
        """When a document was said; of two of one moment the nearer layer's is the newer."""
        return self._view.entry(number).said, -self._view.layer(number)


def _may_be_alike(one: Entry, other: Entry) -> bool:
    """Less than is asked of the texts: a sketch is a small sample, with numbers, tags and paths."""
    for mine, theirs in ((one.sketch, other.sketch), (one.title_sketch, other.title_sketch)):
        common = unpack_cached(mine) & unpack_cached(theirs)
        if len(common) * _HASH >= ALIKE * MAYBE_ALIKE * max(len(mine), len(theirs), 1):
            return True
    return False


def _are_told_apart(old: Entry, new: Entry) -> bool:
    """Whether somebody linked two memories in another way: then both are meant to hold."""
    return any(
        target == other.id and by == "user" and relation != "supersedes"
        for entry, other in ((old, new), (new, old))
        for relation, target, _, by, _ in entry.links
    )


def _supersedes(new: Entry, old: str) -> bool:
    return any(
        relation == "supersedes" and target == old and (by == "user" or confidence >= CERTAIN)
        for relation, target, confidence, by, _ in new.links
    )
