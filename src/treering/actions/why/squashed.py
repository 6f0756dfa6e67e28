"""Behind a squash: which of a branch's own commits wrote lines that landed as one commit.

The branch is mostly gone, but its last commits are known for a while: by what was said beside them,
by refs that follow branches, by git's logs. The lines are looked for in the files as they were
there, and blamed there.
"""

from typing import NamedTuple

from treering.actions.why.origins import CommitOrigin, Origins
from treering.actions.why.source import SourceFile, count_lines
from treering.actions.why.stretches import Blamer, Stretch
from treering.actions.why.target import entry_at
from treering.actions.workspace import Workspace
from treering.branches.tips import last_tips
from treering.errors import StorageFailed, StoreDamaged
from treering.model.scope import Scope

_MOST_HEADS = 4
#: How promotions call a landing that leaves other commits than the branch had.
_SQUASHES = frozenset({"squash", "noop", "lines", "rewritten", "cherry", "by hand", ""})


class LookedThrough(NamedTuple):
    """The commits that wrote lines on their branch; or, where none of those that are known has the
    lines yet, the newest of them: they were written on top of it."""

    commits: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class SquashReader:
    """Looks behind squashes, for one answer."""

    def __init__(self, workspace: Workspace, origins: Origins, blamer: Blamer) -> None:
        self._workspace = workspace
        self._origins = origins
        self._blamer = blamer

    def look_through(self, stretch: Stretch, origin: CommitOrigin) -> LookedThrough:
        landings = [p for p in origin.promotions if p.merged_as == origin.info.oid]
        if not any(promotion.kind in _SQUASHES for promotion in landings):
            return LookedThrough()
        heads = self._list_heads(origin)
        for head in heads:
            commits = self._blame_all(head, origin.info.oid, stretch)
            own = [oid for oid in commits if self._is_own(oid, origin.info.oid)]
            if own:
                return LookedThrough(tuple(own))
        return LookedThrough(after=tuple(heads[:1]) or self._list_starts(origin))

    def _list_heads(self, origin: CommitOrigin) -> list[str]:
        """Where the branch's code was last, newest first, as far as it is here."""
        repository = self._workspace.repository
        heads: list[str] = []
        for name in origin.branches:
            heads += last_tips(repository, Scope(name))
            records = self._origins.records.list_of_branch(name)
            heads += [record.head for record in records if record.has_own_commits]
        here = [head for head in dict.fromkeys(heads) if self._is_own(head, origin.info.oid)]
        return here[:_MOST_HEADS]

    def _list_starts(self, origin: CommitOrigin) -> tuple[str, ...]:
        """Where a branch began of whose own commits none is known."""
        records = [
            r for name in origin.branches for r in self._origins.records.list_of_branch(name)
        ]
        return tuple(dict.fromkeys(r.head for r in records if r.head and not r.has_own_commits))

    def _is_own(self, commit: str, landed: str) -> bool:
        """Whether a commit is here and stayed behind when the branch landed."""
        repository = self._workspace.repository
        return bool(repository.resolve(commit)) and not repository.is_ancestor(commit, landed)

    def _blame_all(self, head: str, landed: str, stretch: Stretch) -> dict[str, None]:
        commits: dict[str, None] = {}
        for run in stretch.runs:
            lines = (run.original, run.original + run.size - 1)
            commits |= dict.fromkeys(self._blame_at(head, landed, run.path, lines))
        return commits

    def _blame_at(self, head: str, landed: str, path: str, lines: tuple[int, int]) -> list[str]:
        """Who wrote lines of a landed file on the branch it landed from."""
        landed_text, branch_text = self._read(landed, path), self._read(head, path)
        if landed_text is None or branch_text is None or not lines[0]:
            return []
        last = min(lines[1], count_lines(landed_text.text))
        base = self._workspace.repository.merge_base(head, landed) or ""
        try:
            runs = self._blamer.blame_as(
                landed_text.text, branch_text.text, branch_text, [(lines[0], last)], since=base
            )
        except StorageFailed:
            return []
        return [run.commit for run in runs if run.commit]

    def _read(self, commit: str, path: str) -> SourceFile | None:
        entry = entry_at(self._workspace, commit, path)
        try:
            text = self._workspace.repository.objects.blob(entry.oid) if entry else None
        except StoreDamaged:
            return None
        return SourceFile(path, commit, entry.oid, text) if entry and text is not None else None
