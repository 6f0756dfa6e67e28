"""Bindings of memories to the lines of a file, kept so that a look costs one row.

A memory binds lines when `why` reaches it by the commit that wrote them, by the branch that landed
as it, or because it was said while they were written. One that only names the file does not bind.

To find that out takes git a walk through history. So the answer for a whole file is kept, under the
blob it was found for and the state of all memories then: hooks of agents look it up, and the worker
keeps it for the files that are worked on. It may be deleted at any time.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from treering.actions.why.source import SourceFile, entry_at, map_lines, read_source
from treering.actions.workspace import Workspace
from treering.errors import TreeringError

if TYPE_CHECKING:
    import sqlite3

    from treering.actions.why.reasons import Via

BINDING: "tuple[Via, ...]" = ("lines", "branch", "commit")
_MOST_FILES = 1000
#: Files the worker looks at: those of the newest commits, and those asked about last.
_RECENT_COMMITS, _MOST_REFRESHED = 20, 60


class Binding(NamedTuple):
    """Lines of a committed file, a memory that binds them, and how surely, from 0 to 1."""

    first: int
    last: int
    memory: str
    strength: float


class LineBindings:
    """The bindings of the files of one repository, at its HEAD or on a branch."""

    def __init__(self, workspace: Workspace, branch: str = "") -> None:
        self._workspace = workspace
        self._branch = branch
        self._database = workspace.database
        self._state = ""
        self._missed: dict[str, SourceFile] = {}

    def find(self, source: SourceFile, ranges: Sequence[tuple[int, int]]) -> list[Binding]:
        """List what binds some lines of a file as it lies in the work tree, all of it without a
        range. What is not kept yet is found out for these lines, and can be kept afterwards."""
        wanted = [
            (part.there, part.there + part.last - part.first)
            for first, last in ranges or [(1, source.size)]
            for part in map_lines(source.shown, source.text, first, last)
            if part.there
        ]
        bindings = self._read(source.path, source.blob)
        if bindings is None and ranges:
            self._missed[source.path] = source
            bindings = self._explain(source, wanted)[0]
        elif bindings is None:
            bindings = self.refresh(source)
        return [
            binding._replace(first=max(binding.first, first), last=min(binding.last, last))
            for binding in bindings
            for first, last in wanted
            if binding.first <= last and first <= binding.last
        ]

    def refresh_missed(self) -> None:
        """Keep what was asked about and not known: for when nobody waits any more."""
        for source in self._missed.values():
            with suppress(TreeringError):
                self.refresh(source)
        self._missed.clear()

    def refresh(self, source: SourceFile) -> list[Binding]:
        """Find out what binds the lines of a file, and keep it."""
        size = source._replace(edited=None).size
        bindings, is_whole = self._explain(source, [(1, size)] if size else [])
        if not is_whole:
            return bindings
        row = (source.path, source.blob, self.state, json.dumps(bindings), int(time.time()))
        oldest = "SELECT path FROM bindings ORDER BY used DESC LIMIT -1 OFFSET ?"

        def change(db: "sqlite3.Connection") -> None:
            db.execute("INSERT OR REPLACE INTO bindings VALUES (?, ?, ?, ?, ?)", row)
            db.execute(f"DELETE FROM bindings WHERE path IN ({oldest})", (_MOST_FILES,))  # noqa: S608

        self._database.change(change)
        return bindings

    def _explain(
        self, source: SourceFile, ranges: Sequence[tuple[int, int]]
    ) -> tuple[list[Binding], bool]:
        """Return what binds lines of the committed file, and whether all of it was found in
        time."""
        from treering.actions.why.why import LineExplanation

        explanation = LineExplanation(self._workspace, branch=self._branch, binding_only=True)
        parts = explanation.explain(source._replace(edited=None), ranges) if ranges else []
        bindings = [
            Binding(part.line_range.first, part.line_range.last, memory, strength)
            for part in parts
            for memory, reason in part.reasons.items()
            if (strength := max(reason.ways.get(via, 0.0) for via in BINDING))
        ]
        return bindings, not explanation.is_cut_short

    def refresh_recent(self, seconds: float) -> int:
        """Keep the bindings of files that are worked on up to date, within a time; return how many
        were found out anew. For the worker, where agents ask for them."""
        until = time.monotonic() + seconds
        query = "SELECT path FROM bindings ORDER BY used DESC LIMIT ?"
        known = [str(path) for (path,) in self._database.rows(query, (_MOST_REFRESHED,))]
        if not known:
            return 0  # no agent's hook has asked here
        position = self._workspace.position()
        count = 0
        for path in dict.fromkeys((*self._list_recent(position.head), *known)):
            entry = entry_at(self._workspace, position.head, path)
            if entry is None or self._read(path, entry.oid) is not None:
                continue
            if time.monotonic() > until:
                break
            with suppress(TreeringError):
                self.refresh(read_source(self._workspace, path, position.head, is_past=True))
                count += 1
        return count

    def _list_recent(self, head: str | None) -> Iterable[str]:
        """The files that the newest commits changed."""
        from treering.git import diff
        from treering.git.diff import CommitRange

        files: dict[str, None] = {}
        for _ in range(_RECENT_COMMITS):
            if head is None:
                break
            try:
                parents = self._workspace.repository.objects.commit(head).parents
                before = parents[0] if parents else ""
                changes = diff.diff_one(self._workspace.repository, CommitRange(head, before))
            except TreeringError:
                break
            files |= dict.fromkeys(c.path.decode(errors="surrogateescape") for c in changes)
            head = before or None
        return list(files)[:_MOST_REFRESHED]

    @property
    def state(self) -> str:
        """Return what the memories that are seen, and the code, are now."""
        if not self._state:
            position = self._workspace.position(self._branch)
            view = self._workspace.view_from(position)
            tips = [(layer.vault.is_private, str(layer.snapshot.tip)) for layer in view.layers]
            seen = repr((position.scope.branch, tips)).encode(errors="surrogateescape")
            self._state = hashlib.sha256(seen).hexdigest()[:16]
        return self._state

    def _read(self, path: str, blob: str) -> list[Binding] | None:
        query = "SELECT rows FROM bindings WHERE path = ? AND blob = ? AND state = ?"
        row = self._database.ask(
            lambda db: db.execute(query, (path, blob, self.state)).fetchone(), None
        )
        return [Binding(*items) for items in json.loads(row[0])] if row else None
