"""Stretches: lines that stand together and were written by one commit.

`git blame` is asked with `-w -M -C`, so that a reformat, a move and a copy do not hide who wrote a
line. That can take long, so each attempt has a time, and the next one sees less; the answer says
so. Commits named by `blame.ignoreRevsFile` are passed over.
"""

import os
import re
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from treering.actions.why.blame_cache import BlameCache, KeptBlame
from treering.actions.why.source import SourceFile, map_lines
from treering.actions.why.target import entry_at
from treering.actions.workspace import Workspace
from treering.errors import StorageFailed, StoreDamaged
from treering.git.blame import EFFORTS, LineRun, blame, last_change
from treering.git.process import TookTooLong

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
_MOST_RANGES = 500


class Stretch(NamedTuple):
    """Lines `first` to `last` of the text asked about; without a commit they are not committed.

    `runs` are the same lines as that commit had them. A file without lines is one stretch from 0.
    """

    first: int
    last: int
    commit: str = ""
    runs: tuple[LineRun, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The names the file had in that commit."""
        return tuple(dict.fromkeys(run.path for run in self.runs))


class Blamer:
    """Asks git who wrote lines, for one answer."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._repository = workspace.repository
        self.cache = BlameCache(self._repository, workspace.database)
        #: What the answer has to say about how it was found.
        self.notes: dict[str, None] = {}

    def find_stretches(
        self, source: SourceFile, ranges: Sequence[tuple[int, int]]
    ) -> list[Stretch]:
        """Some lines of a file as stretches, in order."""
        if not source.commit or not source.is_committed:
            return [Stretch(first, last) for first, last in ranges]
        if source.is_opaque or not source.size:
            return self._take_whole(source)
        try:
            return _join(self.blame_as(source.shown, source.text, source, ranges))
        except StorageFailed as error:
            if isinstance(error, TookTooLong) or not self._repository.is_partial:
                raise
            self.notes["This clone lacks earlier versions, so lines are not told apart."] = None
            return self._take_whole(source)

    def _take_whole(self, source: SourceFile) -> list[Stretch]:
        """The file as one stretch, of the commit that last changed it."""
        commit = last_change(self._repository.git_dir, source.commit or "", source.path)
        run = LineRun(0, 0, commit, source.path, 0)
        return [Stretch(0, 0, commit, (run,))] if commit else []

    def blame_as(
        self,
        text: bytes,
        committed: bytes,
        source: SourceFile,
        ranges: Sequence[tuple[int, int]],
        *,
        since: str = "",
    ) -> list[LineRun]:
        """Who wrote lines of a text, as far as they are lines of what is committed."""
        maps = [part for first, last in ranges for part in map_lines(text, committed, first, last)]
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
            return KeptBlame(runs, effort)
        raise failure

    @cached_property
    def cut_off(self) -> frozenset[str]:
        """Commits where a shallow clone ends: older ones wrote what they seem to have written."""
        try:
            text = (self._repository.common_dir / "shallow").read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return frozenset()
        return frozenset(text.split())

    @cached_property
    def ignored(self) -> tuple[str, ...]:
        """The commits that `blame.ignoreRevsFile` names and that are here."""
        names: dict[str, None] = {}
        for setting in self._repository.config_values("blame.ignoreRevsFile"):
            if not setting or setting == "true":
                names.clear()  # as git has it, an empty one takes those before it away
                continue
            lines = (line.partition("#")[0].strip() for line in self._read(setting).splitlines())
            names |= dict.fromkeys(line for line in lines if re.fullmatch("[0-9a-f]{40}", line))
        here = (oid for oid in names if self._repository.resolve(oid) == oid)
        return tuple(list(here)[:_MOST_IGNORED])

    def _read(self, name: str) -> str:
        """A file of commits: in the work tree, or where there is none in HEAD's tree."""
        root = self._repository.workdir
        try:
            if root is not None or os.path.isabs(name):
                path = (root or Path("/")) / os.path.expanduser(name)
                return path.read_text(encoding="utf-8", errors="replace")
            entry = entry_at(self._workspace, self._repository.head().commit, name)
            return (
                self._repository.objects.blob(entry.oid).decode(errors="replace") if entry else ""
            )
        except (OSError, StoreDamaged):
            return ""


def _by_line(runs: Sequence[LineRun]) -> dict[int, tuple[LineRun, int]]:
    return {run.first + at: (run, at) for run in runs for at in range(run.size)}


def _join(runs: Sequence[LineRun]) -> list[Stretch]:
    """Runs of single lines put together as far as they belong together."""
    groups: list[list[LineRun]] = []
    end = 0
    for run in runs:
        if not groups or groups[-1][-1].commit != run.commit or end + 1 != run.first:
            groups.append([run])
        else:
            _append(groups[-1], run)
        end = run.first
    return [
        Stretch(group[0].first, group[-1].first + group[-1].size - 1, group[0].commit, tuple(group))
        for group in groups
    ]


def _append(runs: list[LineRun], run: LineRun) -> None:
    last = runs[-1]
    if last.path == run.path and (not run.commit or last.original + last.size == run.original):
        runs[-1] = last._replace(size=last.size + 1)
    else:
        runs.append(run)
