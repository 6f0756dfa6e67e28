"""Where branches left the long-lived ones, found only for those that are judged."""

from collections.abc import Mapping, Sequence

from treering.branches.landing.judge import Judge, Target
from treering.git import reflog
from treering.git.repository import Repository
from treering.store.message import CodePosition

#: Commits followed down a branch to find where it left another.
_MOST_FOLLOWED = 10_000


class Positions:
    """The last tips of branches as places of the code, each with what it was built on."""

    def __init__(
        self, repository: Repository, judge: Judge, long_lived: Mapping[str, Sequence[str]]
    ) -> None:
        self._repository = repository
        self._judge = judge
        self._long_lived = long_lived
        self._known: dict[tuple[str, str], CodePosition] = {}

    def find(self, branch: str, head: str) -> CodePosition:
        """A place of the code, and where it left the long-lived branches."""
        if (branch, head) not in self._known:
            self._known[branch, head] = CodePosition(branch, head, self._find_base(branch, head))
        return self._known[branch, head]

    def _find_base(self, branch: str, head: str) -> str | None:
        targets = [
            Target(name, tip)
            for name, tips in self._long_lived.items()
            if name != branch
            for tip in tips
        ]
        for target in targets:
            if self._judge.is_in(head, [target]):
                return self._find_base_before_landing(branch, head, target.tip)
        return self._judge.find_base(head, targets)

    def _find_base_before_landing(self, branch: str, head: str, tip: str) -> str:
        """Where a branch that is all in a long-lived one had left it: below the commits a merge
        brought, or those that a log says were merged by the branch's name; else it never did."""
        for name in self._long_lived:
            if old := reflog.find_merge_by_name(self._repository, name, branch, head):
                return self._repository.merge_base(head, old) or head
        return find_side_base(self._repository, head, tip) or head


def find_side_base(repository: Repository, head: str, tip: str) -> str | None:
    """The commit of a branch's main line that one merged into it was built on, or None where that
    commit is on the main line itself."""
    line = set(repository.first_parents(tip))
    at: str | None = head
    for _ in range(_MOST_FOLLOWED):
        if at is None or at in line:
            break
        parents = repository.objects.commit(at).parents
        at = parents[0] if parents else None
    return at if at != head else None
