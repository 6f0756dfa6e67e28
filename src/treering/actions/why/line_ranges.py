"""Line ranges: lines that stand together and were written by one commit.

`git blame` is asked with `-w -M -C`, so that a reformat, a move and a copy do not hide who wrote a
line. That can take long, so each attempt has a time, and the next one sees less; the answer says
so. Commits named by `.git-blame-ignore-revs` or `blame.ignoreRevsFile` are passed over, and so are
those that kept the tokens of a line (see `map_kept_lines`).
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from treering.actions.why.source import SourceFile, entry_at, is_text, map_lines, read_change
from treering.actions.workspace import Workspace
from treering.derived.database import Database
from treering.errors import StorageFailed, StoreDamaged
from treering.git import diff
from treering.git.blame import (
    EFFORTS,
    FileHistory,
    LineRun,
    blame,
    compare_lines,
    find_landing,
    last_change,
    read_histories,
)
from treering.git.diff import CommitRange
from treering.git.files import open_file
from treering.git.process import TookTooLong
from treering.git.repository import Repository
from treering.model.text_merge import find_gaps

if TYPE_CHECKING:
    import sqlite3


_MOST = 400
_RULES = 2  # reformats are looked through


class KeptBlame(NamedTuple):
    """An answer of git: the runs of lines, and with how much effort they were found."""

    runs: list[LineRun]
    effort: int


class BlameCache:
    """The answers kept for one repository."""

    def __init__(self, repository: Repository, database: Database) -> None:
        self._repository = repository
        self._order: dict[tuple[str, str], bool] = {}
        self._database = database

    def mark(
        self, blob: str, path: str, ranges: Sequence[tuple[int, int]], ignored: Sequence[str]
    ) -> str:
        """Under which key an answer is kept."""
        what = json.dumps([_RULES, blob, path, list(ranges), list(ignored)])
        return hashlib.sha256(what.encode()).hexdigest()

    def find(self, mark: str, commit: str, path: str) -> KeptBlame | None:
        """The answer for a commit, if one is kept that still holds."""
        query = "SELECT tip, effort, runs FROM blame WHERE mark = ?"
        row = self._database.ask(lambda db: db.execute(query, (mark,)).fetchone(), None)
        if row is None:
            return None
        tip, effort, text = row
        if tip != commit and (
            not self._is_before(tip, commit)
            or last_change(self._repository.git_dir, commit, path, since=tip)
        ):
            return None
        runs = [LineRun(*items) for items in json.loads(text)]
        if tip != commit:
            self.keep(mark, commit, KeptBlame(runs, effort))
        return KeptBlame(runs, effort)

    def _is_before(self, old: str, new: str) -> bool:
        """Return whether a tip is in another's history; kept, since many answers are of one tip."""
        if (old, new) not in self._order:
            self._order[old, new] = self._repository.is_ancestor(old, new)
        return self._order[old, new]

    def keep(self, mark: str, commit: str, answer: KeptBlame) -> None:
        row = (mark, commit, answer.effort, json.dumps(answer.runs), int(time.time()))
        oldest = "SELECT mark FROM blame ORDER BY used DESC LIMIT -1 OFFSET ?"

        def change(db: "sqlite3.Connection") -> None:
            db.execute("INSERT OR REPLACE INTO blame VALUES (?, ?, ?, ?, ?)", row)
            db.execute(f"DELETE FROM blame WHERE mark IN ({oldest})", (_MOST,))  # noqa: S608

        self._database.change(change)

    def find_landing(self, commit: str, tip: str, seconds: float) -> str:
        """The merge that brought a commit into a history along its first parents, or "".

        TookTooLong when git needs longer than `seconds`.
        """
        query = "SELECT merge_oid, tip FROM blame_landings WHERE oid = ?"
        row = self._database.ask(lambda db: db.execute(query, (commit,)).fetchone(), None)
        if row and self._is_before(row[1], tip):
            return str(row[0])
        merge = find_landing(self._repository.git_dir, commit, tip, seconds=seconds)
        found = (commit, merge, tip)
        insert = "INSERT OR REPLACE INTO blame_landings VALUES (?, ?, ?)"
        self._database.change(lambda db: db.execute(insert, found))
        return merge


_TOKEN = rb"\w+|[^\w\s,]"
_COMMENT = rb"^[ \t]*(?:#+|//+)"
_CONTINUED = rb"\\$"
_PARENTHESES = frozenset("()")
#: Lines of one hunk, above which a reformat is not told from a rewrite.
_LONGEST_HUNK = 2_000


class CodeToken(NamedTuple):
    """A token of code, and its line."""

    text: str
    line: int


def map_kept_lines(old: bytes, new: bytes, wanted: set[int]) -> dict[int, int]:
    """Return the wanted lines of the new text whose tokens the old one has, each with the line
    there that has most of them. Lines that did not change at all are left out."""
    kept: dict[int, int] = {}
    old_lines, new_lines = old.split(b"\n"), new.split(b"\n")
    for hunk in compare_lines(old, new):
        size = max(hunk.old_count, hunk.new_count)
        if hunk.old_count and size <= _LONGEST_HUNK and not wanted.isdisjoint(hunk.new):
            before = list(_read_tokens(old_lines, hunk.old_first, hunk.old_count))
            after = list(_read_tokens(new_lines, hunk.new_first, hunk.new_count))
            kept |= _map_hunk(before, after, wanted.intersection(hunk.new))
    return kept


def _read_tokens(lines: list[bytes], first: int, count: int) -> Iterator[CodeToken]:
    text = b"\n".join(re.sub(_COMMENT, b"", line) for line in lines[first - 1 : first - 1 + count])
    text = re.sub(_CONTINUED, b"", text.replace(b'"', b"'"), flags=re.MULTILINE)
    for number, line in enumerate(text.split(b"\n"), first):
        for token in re.findall(_TOKEN, line):
            yield CodeToken(token.decode("latin-1"), number)


def _map_hunk(before: list[CodeToken], after: list[CodeToken], wanted: set[int]) -> dict[int, int]:
    there: dict[int, int] = {}  # a token of the new text -> the same one of the old
    gone: set[int] = set()  # lines of the old text that lost a token
    at, now = 0, 0
    gaps = find_gaps([token.text for token in before], [token.text for token in after])
    for was, new in [*gaps, (slice(len(before), len(before)), slice(len(after), len(after)))]:
        there |= dict(zip(range(now, new.start), range(at, was.start), strict=True))
        gone |= {token.line for token in before[was] if token.text not in _PARENTHESES}
        at, now = was.stop, new.stop
    kept: dict[int, int] = {}
    for line in wanted:
        places = [n for n, token in enumerate(after) if token.line == line]
        olds = [before[there[n]].line for n in places if n in there]
        is_whole = all(n in there or after[n].text in _PARENTHESES for n in places)
        if olds and is_whole and gone.isdisjoint(range(min(olds), max(olds) + 1)):
            kept[line] = max(set(olds), key=lambda old: (olds.count(old), -old))
    return kept


#: Seconds for each effort; the last one is for a history so large that all are slow.
SECONDS = (1.2, 0.6, 60.0)
_LONG = 2.0
_MISSED = (
    "",
    "Lines copied from other files are not followed: git needed too long to look for them.",
    "Lines moved or copied from elsewhere are not followed: git needed too long to look for them.",
)
#: A few lines alone are too short for what git takes for a copy: 40 letters. These are enough.
_FEW_LINES = 3
_MOST_IGNORED = 2_000
_IGNORE_FILE = ".git-blame-ignore-revs"
_LONGEST_IGNORE_FILE = 1024 * 1024
#: Reformats looked through for one line, and commits looked at for one answer.
_DEEPEST, _MOST_LOOKED_AT = 5, 100
_MOST_RANGES = 500
#: Files from which on one walk for all of them costs less, and the seconds it may take.
_MANY_FILES = 8
_SECONDS_FOR_ALL = 10.0


class LineRange(NamedTuple):
    """Lines `first` to `last` of the text asked about; without a commit they are not committed.

    `runs` are the same lines as that commit had them. A file without lines is one range from 0.
    """

    first: int
    last: int
    commit: str = ""
    runs: tuple[LineRun, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The names the file had in that commit."""
        return tuple(dict.fromkeys(run.path for run in self.runs))


class BlameReader:
    """Asks git who wrote lines, for one answer."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._repository = workspace.repository
        self.cache = BlameCache(self._repository, workspace.database)
        self._expected: tuple[str, tuple[str, ...]] = ("", ())
        #: What the answer has to say about how it was found.
        self.notes: dict[str, None] = {}

    def prepare(self, commit: str, paths: Sequence[str]) -> None:
        """Note which files will be asked about. Where they are many, history is walked through once
        for all of them; their lines that came from other files are then not followed there."""
        self._expected = (commit, tuple(paths)) if len(paths) >= _MANY_FILES else ("", ())

    @cached_property
    def _histories(self) -> dict[str, FileHistory]:
        commit, paths = self._expected
        try:
            return read_histories(self._repository, commit, paths, seconds=_SECONDS_FOR_ALL)
        except StorageFailed:  # also where it took too long: each is walked for then
            return {}

    def find_ranges(self, source: SourceFile, ranges: Sequence[tuple[int, int]]) -> list[LineRange]:
        """Some lines of a file as ranges, in order."""
        if not source.commit or not source.is_committed:
            return [LineRange(first, last) for first, last in ranges]
        if source.is_opaque or not source.size:
            return self._take_whole(source)
        try:
            return _join(self.blame_as(source.shown, source, ranges))
        except StorageFailed as error:
            if isinstance(error, TookTooLong) or not self._repository.is_partial:
                raise
            self.notes["This clone lacks earlier versions, so lines are not told apart."] = None
            return self._take_whole(source)

    def _take_whole(self, source: SourceFile) -> list[LineRange]:
        """The file as one range, of the commit that last changed it."""
        commit = last_change(self._repository.git_dir, source.commit or "", source.path)
        run = LineRun(0, 0, commit, source.path, 0)
        return [LineRange(0, 0, commit, (run,))] if commit else []

    def blame_as(
        self,
        text: bytes,
        source: SourceFile,
        ranges: Sequence[tuple[int, int]],
        *,
        since: str = "",
    ) -> list[LineRun]:
        """Return who wrote lines of a text, as far as they are lines of what is committed."""
        maps = [
            part for first, last in ranges for part in map_lines(text, source.text, first, last)
        ]
        lines = [(part.there, part.there + part.last - part.first) for part in maps if part.there]
        by_line = _by_line(self._blame(source, lines, since)) if lines else {}
        runs: list[LineRun] = []
        for part in maps:
            for number in range(part.first, part.last + 1):
                there = part.there + number - part.first if part.there else 0
                run, at = by_line.get(there, (None, 0))
                if run is None:
                    runs.append(LineRun(number, 1, "", source.path, 0))
                else:
                    runs.append(run._replace(first=number, size=1, original=run.original + at))
        return runs

    def _blame(
        self, source: SourceFile, ranges: list[tuple[int, int]], since: str
    ) -> list[LineRun]:
        """Of lines of the committed text; what was found before is not asked again."""
        if len(ranges) > _MOST_RANGES:
            ranges = []  # all of it: git takes each range as an argument
        commit, path = source.commit or "", source.path
        if since:  # a few commits, and nothing from elsewhere
            options = EFFORTS[-1]
            return blame(
                self._repository, commit, path, ranges,
                options=options, since=since, seconds=SECONDS[0],
            )  # fmt: skip
        whole = self.cache.mark(source.blob, path, (), self.ignored)
        mark = self.cache.mark(source.blob, path, ranges, self.ignored)
        answer = self.cache.find(whole, commit, path) or self.cache.find(mark, commit, path)
        if answer is None:
            answer = self._ask(commit, path, ranges)
            self.cache.keep(mark, commit, answer)
        if note := _MISSED[answer.effort]:
            self.notes[note] = None
        return answer.runs

    def _ask(self, commit: str, path: str, ranges: list[tuple[int, int]]) -> KeptBlame:
        start = time.monotonic()
        history = self._histories.get(path) if commit == self._expected[0] else None
        if history:
            with suppress(StorageFailed):
                runs = blame(
                    self._repository, commit, path, ranges, options=EFFORTS[1],
                    ignored=self.ignored, history=history, seconds=SECONDS[0],
                )  # fmt: skip
                if not any(
                    map(self._takes_files_away, {run.commit for run in runs} & history.created)
                ):
                    return KeptBlame(self._look_through(runs), 0)
        failure = StorageFailed(
            f"git did not find out within {sum(SECONDS):.0f} seconds who wrote these lines.",
            hint="Ask for fewer lines.",
        )
        for effort, (options, seconds) in enumerate(zip(EFFORTS, SECONDS, strict=True)):
            if len(ranges) == 1 and ranges[0][1] - ranges[0][0] < _FEW_LINES:
                options = tuple(f"{o}20" if o == "-C" else o for o in options)
            try:
                runs = blame(
                    self._repository, commit, path, ranges,
                    options=options, ignored=self.ignored, seconds=seconds,
                )  # fmt: skip
            except TookTooLong:
                continue
            except StorageFailed as error:  # a partial clone may lack what only copies need
                failure = error
                continue
            took = time.monotonic() - start
            if took > _LONG:
                self.notes[f"git needed {took:.1f} seconds to find out who wrote these lines."] = (
                    None
                )
            return KeptBlame(self._look_through(runs), effort)
        raise failure

    def _takes_files_away(self, commit: str) -> bool:
        """Return whether a file that a commit made may be one that had another name before."""
        parent = self._parent_of(commit)
        changes = diff.diff_one(self._repository, CommitRange(commit, parent)) if parent else ()
        return any(change.new.startswith(b"000000") for change in changes)

    def _look_through(self, runs: list[LineRun]) -> list[LineRun]:
        """Pass over commits that kept the tokens of a line, down to the one that wrote them."""
        until = time.monotonic() + SECONDS[0]
        by_commit: dict[tuple[str, str], list[LineRun]] = {}
        found: list[LineRun] = []
        for run in runs:
            by_commit.setdefault((run.commit, run.path), []).append(run)
        waiting = [(commit, path, some, 0) for (commit, path), some in by_commit.items()]
        looked = 0
        while waiting:
            commit, path, some, depth = waiting.pop()
            kept: dict[int, int] = {}
            if depth < _DEEPEST and looked < _MOST_LOOKED_AT and time.monotonic() < until:
                looked += 1
                kept = self._map_to_parent(commit, path, some)
            parent = self._parent_of(commit) if kept else ""
            lines = {run.first + at: run.original + at for run in some for at in range(run.size)}
            older = self._blame_older(parent, path, sorted(set(kept.values()))) if kept else {}
            deeper: dict[tuple[str, str], list[LineRun]] = {}
            for first, original in lines.items():
                if was := older.get(kept.get(original, 0)):
                    run = LineRun(first, 1, was[0].commit, was[0].path, was[0].original + was[1])
                    deeper.setdefault((run.commit, run.path), []).append(run)
                else:
                    found.append(LineRun(first, 1, commit, path, original))
            waiting += [(c, p, some, depth + 1) for (c, p), some in deeper.items()]
        return sorted(found)

    def _map_to_parent(self, commit: str, path: str, runs: list[LineRun]) -> dict[int, int]:
        """Return the lines that a commit only reformatted, each with its line in the parent."""
        if not self._parent_of(commit):
            return {}
        try:
            before, after = read_change(self._repository, commit, path)
        except StoreDamaged:
            return {}
        if not (before and is_text(before) and is_text(after)):
            return {}
        wanted = {run.original + at for run in runs for at in range(run.size)}
        return map_kept_lines(before, after, wanted)

    def _parent_of(self, commit: str) -> str:
        parents = self._repository.parents_of(commit)
        return parents[0] if parents and commit not in self.cut_off else ""

    def _blame_older(
        self, parent: str, path: str, lines: list[int]
    ) -> dict[int, tuple[LineRun, int]]:
        ranges = [(line, line) for line in lines] if len(lines) <= _MOST_RANGES else []
        try:
            runs = blame(
                self._repository, parent, path, ranges,
                options=EFFORTS[1], ignored=self.ignored, seconds=SECONDS[0],
            )  # fmt: skip
        except StorageFailed:
            return {}
        return _by_line(runs)

    @cached_property
    def cut_off(self) -> frozenset[str]:
        """Commits where a shallow clone ends: older ones wrote what they seem to have written."""
        return self._repository.shallow_commits()

    @cached_property
    def ignored(self) -> tuple[str, ...]:
        """The commits that `.git-blame-ignore-revs` and `blame.ignoreRevsFile` name and that are
        here. A file says which ones, and no more: whatever else stands in it is passed over."""
        names = dict.fromkeys(_list_commits(self._read(_IGNORE_FILE)))
        for setting in self._repository.config_values("blame.ignoreRevsFile"):
            if not setting or setting == "true":
                names.clear()  # as git has it, an empty one takes those before it away
            else:
                names |= dict.fromkeys(_list_commits(self._read(setting)))
        some = islice(names, 2 * _MOST_IGNORED)
        here = (oid for oid in some if self._repository.resolve(oid) == oid)
        return tuple(islice(here, _MOST_IGNORED))

    def _read(self, name: str) -> str:
        """A file of commits: in the work tree, or where there is none in HEAD's tree."""
        root, data = self._repository.workdir, b""
        try:
            if root is not None or os.path.isabs(name):
                path = (root or Path("/")) / os.path.expanduser(name)
                with os.fdopen(open_file(path), "rb") as file:
                    data = file.read(_LONGEST_IGNORE_FILE)
        except FileNotFoundError:
            root = None
        except OSError:
            return ""
        with suppress(StoreDamaged):
            if root is None and not os.path.isabs(name):
                entry = entry_at(self._workspace, self._repository.head().commit, name)
                if entry:
                    data = self._repository.objects.blob(entry.oid, most=_LONGEST_IGNORE_FILE)
        return data.decode(errors="replace")


def _list_commits(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if re.fullmatch("[0-9a-f]{40}", oid := line.partition("#")[0].strip()):
            yield oid


def _by_line(runs: Sequence[LineRun]) -> dict[int, tuple[LineRun, int]]:
    return {run.first + at: (run, at) for run in runs for at in range(run.size)}


def _join(runs: Sequence[LineRun]) -> list[LineRange]:
    """Runs of single lines put together as far as they belong together."""
    groups: list[list[LineRun]] = []
    end = 0
    for run in runs:
        last = groups[-1][-1] if groups else None
        if last is None or last.commit != run.commit or end + 1 != run.first:
            groups.append([run])
        elif last.path == run.path and (
            not run.commit or last.original + last.size == run.original
        ):
            groups[-1][-1] = last._replace(size=last.size + 1)
        else:
            groups[-1].append(run)
        end = run.first
    return [
        LineRange(
            group[0].first, group[-1].first + group[-1].size - 1, group[0].commit, tuple(group)
        )
        for group in groups
    ]
