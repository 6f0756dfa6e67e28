"""Commits that were taken back, by which commit, and the memories that landed with them.

A message proposes ("This reverts commit X", `Revert "title"`, "Reverts #12", also in the message of
a squash), and the patch decides: every line that the one added or removed, the other removed or
added again. A reverted merge takes along what it brought. Whoever reverts a revert brings back what
that took, and so does a later commit with the same change.

What was found of a history is kept with its head, and goes on from the head before: the cost
follows the new commits. It may be deleted at any time.
"""

import json
import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from treering.branches.landing.lines import LineReader, TooMuchToRead
from treering.derived.code_records import CodeRecords
from treering.derived.database import Database
from treering.errors import StorageFailed, StoreDamaged
from treering.git import diff, log, reach
from treering.git.diff import CommitRange, FileChange
from treering.git.process import TookTooLong
from treering.git.repository import Repository
from treering.model.memory import Memory
from treering.store.history import HistoryCommit

if TYPE_CHECKING:
    import sqlite3

_MOST_HEADS = 32
_FEW_COMMITS = 64  # commits, which are read sooner than git starts
_MOST_NAMED = 20
_MOST_FILES = 2_000
_MOST_BROUGHT = 2_000
_MOST_LATER = 500
_MOST_BYTES = 64 * 1024 * 1024
_LONGEST_MESSAGE = 20_000
_MOST_OWN = 200
_MOST_ROUNDS = 4  # of reverts and landings of one change

#: Parts of words that a message has which proposes to take something back.
_WORDS = ("evert", "eapply", "eland", "ack out", "acks out", "ndo ")
_SAYS = r"(?i)\b(?:revert|re-?appl|re-?land|backs? out|undo)"
_COMMIT = r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"
_TITLE = r"(?im)^\W*(?:revert|back out|undo)s?\b[: ]\s*[\"“'`]?(.+?)[\"”'`]?(?:\s*\(#\d+\))*\.?\s*$"
_REQUEST = r"(?i)\breverts? (?:[\w./-]+)?#(\d{1,9})\b"
#: "(#12)" at the end of a title, "Merge pull request #12 from ...".
_BEARS = r"#\d{1,9}(?=\)\s*$)|(?<=^Merge pull request )#\d{1,9}"
_SECONDS = 2.0


class Revert(NamedTuple):
    """The commit that takes another one back, and when it was made."""

    commit: str
    time: int


class _Event(NamedTuple):
    """A commit that takes another one back, or brings it again."""

    commit: str
    time: int
    of: str
    is_again: bool = False


class Reverts:
    """Reverted commits in the histories of one repository."""

    def __init__(self, repository: Repository, database: Database) -> None:
        self._repository = repository
        self._lock = threading.Lock()
        self._lines = LineReader(repository)
        self._files: dict[str, dict[bytes, FileChange] | None] = {}
        self._last: tuple[str, dict[str, Revert]] = ("", {})
        self._database = database

    def list_taken_back(self, head: str) -> dict[str, Revert]:
        """The commits of a history that are not in force, each with what took it back last."""
        with self._lock:
            if self._last[0] != head:
                self._last = (head, _replay(self._read_events(head)))
            return self._last[1]

    def _read_events(self, head: str) -> list[_Event]:
        rows = self._database.rows("SELECT head, events FROM reverts ORDER BY asked DESC")
        names = [name for name, _ in rows]
        is_base = self._repository.is_ancestor
        base = head if head in names else next((n for n in names if is_base(n, head)), "")
        events = [
            _Event(*event) for event in json.loads(next((e for n, e in rows if n == base), "[]"))
        ]
        if base == head:
            return events
        self._lines, self._files = LineReader(self._repository), {}
        self._lines.bytes_left = _MOST_BYTES
        try:
            events += self._scan(head, base)
            for _ in range(_MOST_ROUNDS):
                again = self._find_again(head, base, events)
                for event in again:
                    after = (at for at, e in enumerate(events) if is_base(event.commit, e.commit))
                    events.insert(next(after, len(events)), event)
                if not again:
                    break
        except (StorageFailed, StoreDamaged):
            return []  # a history that cannot be read says nothing of what was taken back
        row = (head, time.time_ns(), json.dumps(events))

        def keep(db: "sqlite3.Connection") -> None:
            db.execute("INSERT OR REPLACE INTO reverts VALUES (?, ?, ?)", row)
            db.execute(
                "DELETE FROM reverts WHERE head NOT IN"
                " (SELECT head FROM reverts ORDER BY asked DESC LIMIT ?)",
                (_MOST_HEADS,),
            )

        self._database.change(keep)
        return events

    # --- what messages propose --------------------------------------------------------------------

    def _scan(self, head: str, base: str) -> Iterator[_Event]:
        """Yield what the commits of a history take back, oldest first."""
        named: _NamedCommits | None = None
        for oid, when, message in self._list_proposing(head, base):
            text = message[:_LONGEST_MESSAGE]
            names = dict.fromkeys(re.findall(_COMMIT, text))
            oids = [
                o for name in list(names)[:_MOST_NAMED] if (o := self._repository.resolve(name))
            ]
            taken = [of for of in dict.fromkeys(oids) if self._takes_back(oid, of)]
            titles = [_plain(title) for title in re.findall(_TITLE, text)]
            requests = re.findall(_REQUEST, text)
            if not taken and (titles or requests):
                if named is None:
                    commits = log.read_log(self._repository.common_dir, [head])
                    named = _NamedCommits({c.oid: c.message.partition("\n")[0] for c in commits})
                near = named.find(titles, requests, oid)
                taken = [of for of in near[:_MOST_NAMED] if self._takes_back(oid, of)][:1]
            for of in taken:
                yield _Event(oid, when, of)
                for brought in self._list_brought(of):
                    yield _Event(oid, when, brought)

    def _list_proposing(self, head: str, base: str) -> list[tuple[str, int, str]]:
        objects = self._repository.objects
        new = self._repository.read_parents(head, without=base, most=_FEW_COMMITS) if base else None
        if new is not None:
            infos = [objects.commit(oid) for oid in reversed(new)]
            commits = [(info.oid, info.time, info.message) for info in infos]
        else:
            found = log.read_log(
                self._repository.common_dir, [head], without=[base] if base else (),
                containing=_WORDS, is_oldest_first=True,
            )  # fmt: skip
            commits = [(commit.oid, commit.time, commit.message) for commit in found]
        return [commit for commit in commits if re.search(_SAYS, commit[2])]

    def _list_brought(self, commit: str) -> Iterable[str]:
        """The commits that a merge brought."""
        parents = self._repository.objects.commit(commit).parents
        if len(parents) < 2:
            return ()
        brought = self._repository.read_parents(commit, without=parents[0], most=_MOST_BROUGHT)
        return [oid for oid in brought or () if oid != commit]

    # --- what patches decide ----------------------------------------------------------------------

    def _takes_back(self, commit: str, of: str) -> bool:
        return (
            commit != of
            and self._holds(commit, of, is_inverse=True)
            and self._repository.is_ancestor(of, commit)
        )

    def _holds(self, commit: str, of: str, *, is_inverse: bool) -> bool:
        """Return whether a commit's change has all of another one's in it, or all of its
        inverse."""
        mine, theirs = self._list_files(commit), self._list_files(of)
        if not theirs or not mine or not theirs.keys() <= mine.keys():
            return False
        try:
            return all(
                self._has_lines(mine[path], _invert(change) if is_inverse else change)
                for path, change in theirs.items()
            )
        except (TooMuchToRead, StoreDamaged):
            return False

    def _has_lines(self, mine: FileChange, wanted: FileChange) -> bool:
        if (mine.old, mine.new) == (wanted.old, wanted.new):
            return True
        there, lines = self._lines.change(mine), self._lines.change(wanted)
        if not there or not lines:
            return False
        return all(there[line] >= count for line, count in lines.items())

    def _list_files(self, commit: str) -> dict[bytes, FileChange] | None:
        """Return what a commit changed against its first parent; None where that is not here, or
        much."""
        if commit not in self._files:
            files: Sequence[FileChange] = ()
            with suppress(StoreDamaged):
                parents = self._repository.objects.commit(commit).parents
                files = diff.diff_one(self._repository, CommitRange(commit, *parents[:1]))
            few = {file.path: file for file in files} if len(files) <= _MOST_FILES else None
            self._files[commit] = few
        return self._files[commit]

    def _find_again(self, head: str, base: str, events: Sequence[_Event]) -> list[_Event]:
        """Later commits that make a change again which was taken back."""
        out = _replay(events)
        paths = {of: min(files) for of in out if (files := self._list_files(of))}
        if not paths:
            return []
        taking = {revert.commit for revert in out.values()}
        since = base or next(event.commit for event in events if event.commit in taking)
        try:
            later = reach.list_touching(
                self._repository.common_dir, head, since, set(paths.values()),
                most=_MOST_LATER, seconds=_SECONDS,
            )  # fmt: skip
        except TookTooLong:
            return []
        places = {oid: at for at, oid in enumerate(later)}
        again = []
        for of, revert in out.items():
            after = places.get(revert.commit, -1)
            for oid in later[after + 1 :]:
                files = self._list_files(oid)
                if (
                    oid not in (of, revert.commit)
                    and files
                    and paths[of] in files
                    and self._holds(oid, of, is_inverse=False)
                    and self._repository.is_ancestor(revert.commit, oid)
                ):
                    when = self._repository.objects.commit(oid).time
                    again.append(_Event(oid, when, of, is_again=True))
                    break
        return again


def _replay(events: Iterable[_Event]) -> dict[str, Revert]:
    """The commits that are not in force after all of it."""
    out: dict[str, Revert] = {}
    takes: dict[str, list[str]] = {}
    brings: dict[str, list[str]] = {}
    for event in events:
        (brings if event.is_again else takes).setdefault(event.commit, []).append(event.of)
        revert = Revert(event.commit, event.time)
        # What is taken back no longer takes back, what that took is in force again, and so on.
        front, goes, seen = [event.of], not event.is_again, {event.commit}
        while front:
            front += [of for commit in front for of in brings.get(commit, ()) if of not in front]
            for commit in front:
                if goes:
                    out[commit] = revert
                else:
                    out.pop(commit, None)
            seen.update(front)
            front = [of for commit in front for of in takes.get(commit, ()) if of not in seen]
            goes = not goes
    return out


def _invert(change: FileChange) -> FileChange:
    return FileChange(change.path, change.new, change.old)


class _NamedCommits:
    """A history's commits by their titles and by the pull requests they name."""

    def __init__(self, subjects: dict[str, str]) -> None:
        self._places = {oid: place for place, oid in enumerate(subjects)}
        self._by_name: dict[str, list[str]] = {}
        for oid, subject in subjects.items():
            for name in {_plain(subject), *re.findall(_BEARS, subject)}:
                self._by_name.setdefault(name, []).append(oid)

    def find(self, titles: Sequence[str], requests: Sequence[str], before: str) -> list[str]:
        """Return those before another one that bear one of some names, the nearest first."""
        names = (*titles, *(f"#{number}" for number in requests))
        oids = {oid for name in names for oid in self._by_name.get(name, ())}
        earlier = (oid for oid in oids if self._places[oid] > self._places.get(before, 0))
        return sorted(earlier, key=self._places.__getitem__)


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", re.sub(r"(?:\s*\(#\d+\))+\s*$", "", title).lower()))


# --- what landed with them ------------------------------------------------------------------------


class RevertedLandings:
    """Landings of memories, looked at in one history."""

    def __init__(
        self, repository: Repository, records: CodeRecords, head: str, taken: dict[str, Revert]
    ) -> None:
        self._repository = repository
        self._records = records
        self._head = head
        self._taken = taken

    def find(self, memory: Memory, said: Sequence[HistoryCommit]) -> Revert | None:
        """Return what took back the code of a memory, unless that landed again since."""
        if memory.type == "commit" and memory.commit in self._taken:
            return self._taken[memory.commit]
        landings = [record for record in said if record.merged_as]
        for landing in landings:
            revert = self._taken.get(landing.merged_as)
            if revert is None or not self._is_whole(landing, said):
                continue
            others = {other.merged_as for other in landings} - {landing.merged_as}
            if not any(self._landed_after(other, revert) for other in others):
                return revert
        return None

    def _is_whole(self, landing: HistoryCommit, said: Sequence[HistoryCommit]) -> bool:
        """Return whether all of a branch's own commits are taken back, where they landed one by
        one."""
        if len(self._repository.parents_of(landing.merged_as) or ()) > 1:
            return True  # a merge takes along what it brought
        codes = [one.code for one in said if one.code.branch == landing.promoted_from]
        bases = [code.base for code in codes if code.base]
        for base in bases[:1]:
            commits = self._repository.read_parents(landing.merged_as, without=base, most=_MOST_OWN)
            branches = self._records.branches_of(commits or ())
            own = [oid for oid, names in branches.items() if landing.promoted_from in names]
            return all(oid in self._taken for oid in own)
        return True

    def _landed_after(self, landing: str, revert: Revert) -> bool:
        """Return whether a landing in force came after the revert."""
        if landing in self._taken or not self._repository.is_ancestor(landing, self._head):
            return False
        before = (self._repository.parents_of(landing) or ())[:1]
        return any(self._repository.is_ancestor(revert.commit, parent) for parent in before)
