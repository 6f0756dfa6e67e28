"""The branch that a branch was made from, as git itself wrote it down.

Names are read as of the moment the branch was made: either may be called something else by now, and
the name may have been given to another branch since.
"""

import re

from treering.branches.trunk import trunk_of
from treering.git import reflog
from treering.git.repository import Repository

_CREATED = r"branch: Created from (.+)"
_MOVED = r"checkout: moving from (.+) to (.+)"
_COMMIT = r"[0-9a-f]{40,64}"
_DEEPEST = 10


def bases_of(repository: Repository, branch: str) -> list[str]:
    """The branches `branch` is stacked on, nearest first, down to but without the trunk."""
    chain: list[str] = []
    at = branch
    while len(chain) < _DEEPEST:
        base = base_of(repository, at)
        if base is None or base in (trunk_of(repository), branch, *chain):
            break
        chain.append(base)
        at = base
    return chain


def base_of(repository: Repository, branch: str) -> str | None:
    """The branch this one was created from: as set by hand, else as the reflogs tell."""
    if setting := repository.config(f"branch.{branch}.treeringbase"):
        return setting
    log = reflog.of_branch(repository, branch)
    source = _source(repository, branch, log)
    if source and re.fullmatch(_COMMIT, source):
        return _branch_at(repository, source, log[0].when, branch)
    return _name_now(repository, source, log[0].when, branch) if source else None


def _branch_at(repository: Repository, commit: str, when: int, without: str) -> str | None:
    """The only branch that had been at a commit by some time, as the one a stash was made on; where
    several had, or a remote's branch is there, it is not known which one is meant."""
    names = [
        name
        for name, tip in repository.branches().items()
        if name != without
        and (
            reflog.has_held(repository, name, commit, by=when)
            or (tip == commit and not reflog.of_branch(repository, name))
        )
    ]
    return names[0] if len(names) == 1 else None


def _source(repository: Repository, branch: str, log: list[reflog.ReflogLine]) -> str | None:
    """Return what the branch was created from, under the name it had then."""
    match = re.fullmatch(_CREATED, log[0].said) if log else None
    if match is None:
        return None
    source = match[1].removeprefix("refs/heads/")
    if source != "HEAD":
        return source
    names = reflog.names_at(log, branch, log[0].when)
    for line in reflog.of_heads(repository):
        move = re.fullmatch(_MOVED, line.said)
        if move and move[2] in names and line.when == log[0].when:
            return move[1]
    return None


def _name_now(repository: Repository, name: str, when: int, without: str) -> str | None:
    """The branch that had a name at some time, if it is still there."""
    if repository.tip_of(name) and _had_name(repository, name, name, when):
        return name
    for other in repository.branches() if not re.fullmatch(_COMMIT, name) else ():
        if other not in (name, without) and _had_name(repository, other, name, when):
            return other
    return None


def _had_name(repository: Repository, branch: str, name: str, when: int) -> bool:
    log = reflog.of_branch(repository, branch)
    if not log:
        return branch == name
    return log[0].when <= when and name in reflog.names_at(log, branch, when)


def is_at_its_start(repository: Repository, branch: str, head: str) -> bool:
    """Return whether a branch made on top of another one is where it was made: the commits in its
    history are that one's."""
    log = reflog.of_branch(repository, branch)
    if not log or log[0].new != head:
        return False
    source = _source(repository, branch, log)
    return source is not None and _is_name(repository, source)


def _is_name(repository: Repository, source: str) -> bool:
    """Return whether it is a branch's name, not the trunk's, a commit or a remote's branch."""
    remotes = tuple(f"{remote}/" for remote in repository.remotes())
    # `git switch NAME` writes the whole ref where it makes a branch of a remote's.
    name = source.removeprefix("refs/remotes/")
    is_commit = re.fullmatch(_COMMIT, name)
    return not is_commit and not name.startswith(remotes) and name != trunk_of(repository)
