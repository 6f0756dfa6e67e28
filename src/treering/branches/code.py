"""Where the code of a branch is: what a memory commit writes down beside what was learned."""

from treering.branches.long_lived import is_long_lived, long_lived_tips
from treering.branches.trunk import TrunkName
from treering.errors import StoreDamaged
from treering.git.repository import Repository
from treering.store.message import CodePosition
from treering.text.masking import mask_branch


def code_position(
    repository: Repository, known: TrunkName, branch: str, head: str | None
) -> CodePosition:
    """Branch, commit, where it left the long-lived branches, the trunk's name where it is known,
    and how far the upstream has it."""
    trunk = known.name
    at = CodePosition(mask_branch(branch), head, trunk=mask_branch(trunk) if known.is_told else "")
    if head is None:
        return at
    return at._replace(
        base=_find_base(repository, trunk, branch, head),
        upstream=_find_upstream(repository, branch, head) if branch != trunk else "",
    )


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
    others = long_lived_tips(repository)
    tips = [tip for name, tips in others.items() if name != branch for tip in tips]
    from treering.branches.stack import is_at_its_start

    if head in tips or is_at_its_start(repository, branch, head, trunk):
        return head
    return repository.nearest_base(head, tips)


def _find_upstream(repository: Repository, branch: str, head: str) -> str:
    """The upstream's name and the newest commit of the branch that it has: others have that one,
    and often not the head."""
    # Many push without setting one; then it has the branch's own name.
    places = [repository.upstream_of(branch), *((one, branch) for one in repository.remotes())]
    for place in filter(None, places):
        tip = repository.remote_tip_of(*place)
        if tip and (common := repository.merge_base(head, tip)):
            return f"{mask_branch(place[1])} {common}"
    return ""
