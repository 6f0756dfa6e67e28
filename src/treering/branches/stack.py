"""Which branch a branch was made from, as git itself wrote it down."""

import re
from pathlib import Path

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
    first = _first_line(repository.common_dir / "logs" / "refs" / "heads" / branch)
    created = re.fullmatch(_CREATED, _said(first)) if first else None
    if created is None or first is None:
        return None
    source = created[1].removeprefix("refs/heads/")
    if source == "HEAD":
        return _left_for(repository, branch, _when(first))
    return source if repository.tip_of(source) else None


def _left_for(repository: Repository, branch: str, when: str) -> str | None:
    """The branch HEAD was on when it moved to a branch made at that moment."""
    logs = [repository.common_dir / "logs" / "HEAD"]
    logs += sorted((repository.common_dir / "worktrees").glob("*/logs/HEAD"))
    for log in logs:
        for line in _lines(log):
            moved = re.fullmatch(_MOVED, _said(line))
            if moved and moved[2] == branch and _when(line) == when:
                return moved[1] if repository.tip_of(moved[1]) else None
    return None


def _lines(log: Path) -> list[str]:
    try:
        return log.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _first_line(log: Path) -> str | None:
    try:
        with log.open(encoding="utf-8", errors="surrogateescape") as file:
            return file.readline().rstrip("\n") or None
    except (OSError, ValueError):
        return None


def _said(line: str) -> str:
    return line.partition("\t")[2]


def _when(line: str) -> str:
    """Seconds and zone of a reflog line, as text."""
    return " ".join(line.partition("\t")[0].rsplit(" ", 2)[1:])
