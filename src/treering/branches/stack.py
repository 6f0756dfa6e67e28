"""Which branch a branch was made from, as git itself wrote it down."""

import re

from treering.branches import reflog
from treering.git.repository import Repository

_CREATED = r"branch: Created from (.+)"
_MOVED = r"checkout: moving from (.+) to (.+)"
_DEEPEST = 10


def bases_of(repository: Repository, branch: str, trunk: str) -> list[str]:
    """The branches `branch` is stacked on, nearest first, down to but without the trunk."""
    chain: list[str] = []
    at = branch
    while len(chain) < _DEEPEST:
        base = base_of(repository, at)
        if base is None or base in (trunk, branch, *chain):
            break
        chain.append(base)
        at = base
    return chain


def base_of(repository: Repository, branch: str) -> str | None:
    """The branch this one was created from: as set by hand, else as the reflogs tell."""
    if named := repository.config(f"branch.{branch}.treeringbase"):
        return named
    log = reflog.of_branch(repository, branch)
    created = re.fullmatch(_CREATED, log[0].said) if log else None
    if created is None:
        return None
    source: str | None = created[1].removeprefix("refs/heads/")
    if source == "HEAD":
        source = _left_for(repository, branch, log[0].when)
    return _called_now(repository, source) if source else None


def _left_for(repository: Repository, branch: str, when: int) -> str | None:
    """The branch HEAD was on when it moved to this one, made at that moment under whatever name."""
    names = {branch, *reflog.earlier_names(repository, branch)}
    for line in reflog.of_heads(repository):
        moved = re.fullmatch(_MOVED, line.said) if line.when == when else None
        if moved and moved[2] in names:
            return moved[1]
    return None


def _called_now(repository: Repository, name: str) -> str | None:
    """The branch that has this name, or had it and goes by another one."""
    if repository.tip_of(name):
        return name
    for branch in repository.branches():
        if name in reflog.earlier_names(repository, branch):
            return branch
    return None
