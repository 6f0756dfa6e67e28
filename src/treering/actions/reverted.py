"""Memories whose code was taken back: what landed with a commit that a later one reverted."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from treering.actions.marks import Reverted
from treering.branches.reverts import Revert
from treering.errors import StoreDamaged
from treering.git import walk
from treering.model.dates import format_moment
from treering.model.memory import Memory
from treering.provenance.code_records import CodeRecord, CodeRecords

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

_MOST_OWN = 200


def find_reverted(
    workspace: "Workspace",
    memories: Iterable[Memory | None],
    head: str | None,
    records: CodeRecords | None = None,
) -> dict[str, Reverted]:
    """Of some memories those whose code is taken back in the history of `head`, by id.

    They are not even read where nothing is taken back.
    """
    taken = workspace.reverts.list_taken_back(head) if head else {}
    if not taken or not head:
        return {}
    by_id = {memory.id: memory for memory in memories if memory}
    records = records or workspace.read_code_records()
    landings = records.list_of_memories(by_id)
    look = _RevertedLandings(workspace, records, head, taken)
    return {
        mid: Reverted(revert.commit, format_moment(revert.time))
        for mid, memory in by_id.items()
        if (revert := look.find(memory, landings.get(mid, ())))
    }


class _RevertedLandings:
    """Landings of memories, looked at in one history."""

    def __init__(
        self, workspace: "Workspace", records: CodeRecords, head: str, taken: dict[str, Revert]
    ) -> None:
        self._repository = workspace.repository
        self._records = records
        self._head = head
        self._taken = taken

    def find(self, memory: Memory, said: Sequence[CodeRecord]) -> Revert | None:
        """What took back the code of a memory, unless that landed again since."""
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

    def _is_whole(self, landing: CodeRecord, said: Sequence[CodeRecord]) -> bool:
        """Whether all of a branch's own commits are taken back, where they landed one by one."""
        if len(self._parents(landing.merged_as)) > 1:
            return True  # a merge takes along what it brought
        bases = [r.base for r in said if r.base and r.branch == landing.taken_from]
        for base in bases[:1]:
            commits = walk.read_parents(
                self._repository, landing.merged_as, without=base, most=_MOST_OWN
            )
            branches = self._records.branches_of(commits or ())
            own = [oid for oid, names in branches.items() if landing.taken_from in names]
            return all(oid in self._taken for oid in own)
        return True

    def _landed_after(self, landing: str, revert: Revert) -> bool:
        """Whether a landing in force came after the revert."""
        if landing in self._taken or not self._repository.is_ancestor(landing, self._head):
            return False
        before = self._parents(landing)[:1]
        return any(self._repository.is_ancestor(revert.commit, parent) for parent in before)

    def _parents(self, commit: str) -> tuple[str, ...]:
        try:
            return self._repository.objects.commit(commit).parents
        except StoreDamaged:
            return ()
