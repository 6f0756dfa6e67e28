"""Where the code of a branch is: what a memory commit writes down beside what was learned."""

from treering.branches.long_lived import is_long_lived, long_lived_tips
from treering.errors import StoreDamaged
from treering.git.repository import Repository
from treering.store.message import CodePosition
from treering.text.masking import mask_branch


def code_position(
    repository: Repository, trunk: str, branch: str, head: str | None
) -> CodePosition:
    """Return branch, commit, and the commit where the branch left the long-lived branches."""
    base = _find_base(repository, trunk, branch, head) if head else None
    return CodePosition(mask_branch(branch), head, base)


def as_made_on_branch(repository: Repository, at: CodePosition, branch: str) -> CodePosition:
    """A position of a commit that is known to have been made on a branch: what it left the
    long-lived branches at is below it, wherever it has landed since."""
    if at.head is None or at.has_own_commits or is_long_lived(repository, branch):
        return at
    try:
        parents = repository.objects.commit(at.head).parents
    except StoreDamaged:
        return at
    return at._replace(base=parents[0] if parents else None)


def _find_base(repository: Repository, trunk: str, branch: str, head: str) -> str | None:
    """The merge base with the long-lived branch that leaves the fewest commits of its own; the
    trunk has none."""
    if branch == trunk:
        return head
    others = long_lived_tips(repository, trunk)
    tips = [tip for name, tips in others.items() if name != branch for tip in tips]
    from treering.branches.stack import is_at_its_start

    if head in tips or is_at_its_start(repository, branch, head, trunk):
        return head
    return repository.nearest_base(head, tips)
