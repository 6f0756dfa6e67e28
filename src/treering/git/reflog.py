"""Git's own notes about branches: where they came from, what they were called."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from treering.git.files import read_plain
from treering.git.repository import Repository

_RENAMED = r"Branch: renamed refs/heads/(.+) to refs/heads/(.+)"
_COPIED = r"Branch: copied refs/heads/(.+) to refs/heads/(.+)"
#: One step of a rebase, also of `git pull --rebase`.
_REBASE_STEP = r"(rebase|pull[^(:]*rebase[^(:]*) \([a-z]+\)"
_LEFT = r"checkout: moving from (.+) to (.+)"
_REBASED = r"rebase (?:\(finish\)|finished): .* onto ([0-9a-f]{40})"
_MERGED = r"merge (.+?):.*"


class ReflogLine(NamedTuple):
    """One line of a reflog."""

    old: str
    new: str
    when: int
    said: str


def lines(log: Path) -> list[ReflogLine]:
    """A reflog, oldest line first; empty where there is none."""
    return list(newest_first(log))[::-1]


def newest_first(log: Path) -> Iterator[ReflogLine]:
    """The same from the end on: whoever looks for the last of something reads little of it."""
    try:
        text = read_plain(log).decode(errors="surrogateescape")
    except OSError:
        return
    yield from filter(None, map(_line, reversed(text.splitlines())))


def _line(text: str) -> ReflogLine | None:
    head, _, why = text.partition("\t")
    words = head.split(" ")
    try:
        return ReflogLine(words[0], words[1], int(words[-2]), why)
    except (IndexError, ValueError):
        return None


def of_branch(repository: Repository, branch: str) -> list[ReflogLine]:
    return of_ref(repository, f"refs/heads/{branch}")


def of_ref(repository: Repository, ref: str) -> list[ReflogLine]:
    return lines(repository.common_dir / "logs" / ref)


def list_made(log: list[ReflogLine], upstreams: Sequence[str]) -> frozenset[str]:
    """The commits that were a branch's own, whatever has them now: it was there when they were
    made, or began at what its upstream had."""
    names = [name for ref in upstreams for name in (ref, ref.removeprefix("refs/remotes/"))]
    begins = tuple(f"branch: Created from {name}" for name in names)
    return frozenset(
        line.new for line in log if line.said.startswith("commit") or line.said in begins
    )


def heads(repository: Repository) -> list[list[ReflogLine]]:
    """The HEAD reflog of every worktree."""
    logs = [repository.common_dir / "logs" / "HEAD"]
    logs += sorted((repository.common_dir / "worktrees").glob("*/logs/HEAD"))
    return [lines(log) for log in logs]


def of_heads(repository: Repository) -> list[ReflogLine]:
    """The HEAD reflogs of every worktree together."""
    return [line for log in heads(repository) for line in log]


def head_rewrites(repository: Repository) -> list[tuple[str, str]]:
    """Return what was amended or rebased in any work tree, oldest first: the commit HEAD was at,
    and the one that took its place."""
    pairs: list[tuple[str, str]] = []
    for log in heads(repository):
        start = ""
        for line in log:
            if line.said.startswith("commit (amend)"):
                pairs.append((line.old, line.new))
            if re.match(_REBASE_STEP, line.said):
                start = line.old if "(start)" in line.said or not start else start
                if "(start)" not in line.said:
                    pairs.append((start, line.new))
            else:
                start = ""
    return pairs


def was_left(log: list[ReflogLine], branch: str, after: str, before: str) -> bool:
    """Return whether a worktree went from a branch to another one between two commits."""
    is_between = False
    for line in log:
        match = re.fullmatch(_LEFT, line.said) if is_between else None
        if match and match[1] == branch != match[2]:
            return True
        is_between = line.new == after or (is_between and line.new != before)
    return False


def renames(repository: Repository, branch: str) -> list[tuple[str, int]]:
    """Return what a branch was called before and until when, newest first: git and libgit2 log
    it."""
    matches = ((re.fullmatch(_RENAMED, ln.said), ln.when) for ln in of_branch(repository, branch))
    return [(match[1], when) for match, when in matches if match][::-1]


def names_at(log: list[ReflogLine], branch: str, when: int) -> set[str]:
    """Return what the branch with this log was called at a time: two names, if renamed that
    second."""
    names = {branch}
    for line in reversed(log):
        match = re.fullmatch(_RENAMED, line.said)
        if match and line.when > when:
            names = {match[1]}
        elif match and line.when == when:
            names.add(match[1])
    return names


def find_copy_source(repository: Repository, branch: str) -> str | None:
    matches = (re.fullmatch(_COPIED, line.said) for line in of_branch(repository, branch))
    sources = [match[1] for match in matches if match]
    return sources[-1] if sources else None


def list_moved_along(
    repository: Repository, branch: str, rewrites: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Other branches that went from a rewritten commit to the one in its place, and where that is;
    a branch below another comes before it."""
    found = {}
    for other in repository.branches() if rewrites else ():
        moves = (
            ln.new for ln in of_branch(repository, other) if ln.old in rewrites.get(ln.new, ())
        )
        if other != branch and (tip := next(moves, None)):
            found[other] = tip
    depth = {tip: number for number, tip in enumerate(rewrites)}  # git tells of the oldest first
    return dict(sorted(found.items(), key=lambda item: depth[item[1]]))


def last_left(repository: Repository, branch: str) -> str | None:
    """The commit a branch was at when HEAD last moved away from it, under the name it had then:
    a branch that was renamed and deleted has no log of its own any more. One that is there has had
    its name since its log says so: what HEAD left under it before was another branch."""
    newest: ReflogLine | None = None
    log = of_branch(repository, branch)
    since = renames(repository, branch)[:1] or [("", line.when) for line in log[:1]]
    named = since[0][1] if since else 0
    for head_log in heads(repository):
        name = branch
        for line in head_log:
            renamed = re.fullmatch(_RENAMED, line.said)
            if renamed and renamed[1] == name:
                name = renamed[2]
            match = re.fullmatch(_LEFT, line.said)
            if match and match[2] == branch:
                name = branch  # it is used again
            is_its_own = match and match[1] == name and line.when >= named
            if is_its_own and (newest is None or line.when >= newest.when):
                newest = line
    return newest.old if newest else None


def left_after(repository: Repository, branch: str, moment: int) -> str | None:
    """Return where HEAD left a branch that it was on at a moment: what came under the name later,
    or before, was another one perhaps."""
    for log in heads(repository):
        is_on = False
        for line in log:
            match = re.fullmatch(_LEFT, line.said)
            if match and match[1] == branch and is_on and line.when >= moment:
                return line.old
            if match:
                is_on = match[2] == branch and line.when <= moment
    return None


def has_held(repository: Repository, branch: str, commit: str, *, by: int | None = None) -> bool:
    """Return whether a branch ever was at a commit, or by some time, as its own log tells."""
    lines = of_branch(repository, branch)
    return any(commit in (ln.old, ln.new) and (by is None or ln.when <= by) for ln in lines)


def find_merge_by_name(repository: Repository, into: str, branch: str, head: str) -> str | None:
    """Return where a branch was before its log says `merge <branch>` and it had a commit, or
    None."""
    for line in of_branch(repository, into):
        match = re.fullmatch(_MERGED, line.said)
        is_bringing = repository.is_ancestor(head, line.new)
        is_news = is_bringing and not repository.is_ancestor(head, line.old)
        if match and match[1] == branch and is_news:
            return line.old
    return None


def find_rebase_target(repository: Repository, branch: str, tip: str) -> str | None:
    """Return what the rebase that left a branch at a commit put it on."""
    for line in reversed(of_branch(repository, branch)):
        match = re.fullmatch(_REBASED, line.said) if line.new == tip else None
        if match:
            return match[1]
    return None
