"""The trunk: the branch everything lands on, known locally and by its remotes."""

from treering.git.repository import Repository
from treering.store.message import CodePosition
from treering.text.masking import mask_branch

_USUAL = ("main", "master")


def trunk_of(repository: Repository) -> str:
    """`treering.trunk`, else the remote's HEAD, else main, master or init.defaultBranch.

    In a repository without any of them: the branch HEAD names, while it is the only one.
    """
    if setting := repository.config("treering.trunk"):
        return setting
    for remote in repository.remotes():
        if head := repository.remote_head(remote):
            return head
    candidates = (*_USUAL, repository.config("init.defaultBranch") or "main")
    for branch in candidates:
        if repository.tip_of(branch):
            return branch
    others = list(repository.branches())
    if len(others) > 1:
        return candidates[0]
    return others[0] if others else repository.head().branch or candidates[0]


def trunk_tips(repository: Repository, trunk: str) -> list[str]:
    """Where the trunk's code is: the local branch and what each remote was last seen to have.

    A pull request squashed on the server is in origin/main long before it is in main.
    """
    tips = [repository.tip_of(trunk)]
    tips += [repository.remote_tip_of(remote, trunk) for remote in repository.remotes()]
    return list(dict.fromkeys(tip for tip in tips if tip))


def is_in_trunk(repository: Repository, trunk: str, commit: str) -> bool:
    return any(repository.is_ancestor(commit, tip) for tip in trunk_tips(repository, trunk))


def code_position(
    repository: Repository, trunk: str, branch: str, head: str | None
) -> CodePosition:
    """Branch, commit, and the merge base with the trunk ref that leaves the fewest own commits."""
    name = mask_branch(branch)
    if head is None:
        return CodePosition(name)
    tips = trunk_tips(repository, trunk)
    if head in tips:
        return CodePosition(name, head, head)
    if len(tips) > 1:
        tips.sort(key=lambda tip: repository.apart(head, tip)[0])
    return CodePosition(name, head, repository.merge_base(head, tips[0]) if tips else None)
