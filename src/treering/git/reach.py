"""Holders of an object: the refs and the lines of reflogs from which it can be reached.

As `git gc` sees it, which keeps what any of them reaches: refs, HEAD, logs and staged files, of
every work tree. It walks all there is, so it is for rare questions that need a true answer.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from treering.git import process, refs
from treering.git.files import read_plain

#: Where a walk starts that is to see what git keeps.
EVERYTHING = ("--all", "--reflog")
#: A replaced commit is still there for those who ask without replacements; a root adds its files.
_AS_IT_IS = ("--no-replace-objects", "-c", "log.showRoot=true")
_STASH = "refs/stash"


class Holder(NamedTuple):
    """A ref, or one line of its log, from which something can be reached.

    `git_dir` is the one of the work tree that HEAD or a ref belongs to, else the common one.
    """

    git_dir: Path
    name: str
    line: int | None = None  # from the newest, as in `HEAD@{2}`
    is_checked_out: bool = False

    def __str__(self) -> str:
        """As git names it, seen from the common directory."""
        name = self.name if self.line is None else f"{self.name}@{{{self.line}}}"
        tree = self.git_dir.parent.name == "worktrees"
        return f"worktrees/{self.git_dir.name}/{name}" if tree else name


def find_versions(
    common_dir: Path, paths: Iterable[str], *revisions: str, also: Iterable[str] = ()
) -> dict[str, set[str]]:
    """Blob -> the commits that brought it to one of some paths, in the histories of some revisions.

    `also` are commits, one or the other of which may be missing.
    """
    text = process.run(
        common_dir,
        *(*_AS_IT_IS, "log", *revisions, "--stdin", "--ignore-missing", "-m", "--full-history"),
        *("--no-renames", "--raw", "--no-abbrev", "--no-show-signature", "--no-color"),
        *("--format=%x00%H", "--", *paths),
        feed=_lines(also),
    )
    bringers: dict[str, set[str]] = {}
    for record in text.decode(errors="replace").split("\0"):
        commit, _, lines = record.partition("\n")
        for blob in re.findall(r"^:\S+ \S+ \S+ ([0-9a-f]{40}) [^D]", lines, re.MULTILINE):
            bringers.setdefault(blob, set()).add(commit)
    return bringers


def list_touching(
    common_dir: Path, tip: str, since: str, paths: Iterable[bytes], *, most: int, seconds: float
) -> list[str]:
    """The newest commits of a history since another commit that touch some files, oldest first."""
    text = process.run(
        common_dir,
        *(*_AS_IT_IS, "log", "--topo-order", "--format=%H", "--no-show-signature", "--no-color"),
        *(f"--max-count={most}", tip, f"^{since}", "--"),
        *(path.decode(errors="surrogateescape") for path in sorted(paths)),
        env={"GIT_LITERAL_PATHSPECS": "1"},
        seconds=seconds,
    )
    return text.decode("ascii").split()[::-1]


def find_descendants(
    common_dir: Path, commits: Collection[str], *revisions: str, also: Iterable[str] = ()
) -> set[str]:
    """These commits and all that were built on them, in the histories of some revisions."""
    if not commits:
        return set()
    text = process.run(
        common_dir,
        *(*_AS_IT_IS, "rev-list", "--topo-order", "--reverse", "--parents"),
        *(*revisions, "--stdin", "--ignore-missing"),
        feed=_lines(also),
    )
    descendants = set(commits)
    for line in text.decode("ascii").splitlines():  # parents come before their children
        commit, *parents = line.split()
        if not descendants.isdisjoint(parents):
            descendants.add(commit)
    return descendants


def list_branches_with(common_dir: Path, commit: str) -> list[str]:
    """The branches that have a commit in their history: one walk for all of them, where asking
    libgit2 ref by ref means a walk each."""
    names = _list_refs(common_dir, f"--contains={commit}", "%(refname)", "refs/heads/")
    return [name.removeprefix("refs/heads/") for name in names]


def list_tips_within(common_dir: Path, commit: str, prefix: str) -> list[str]:
    """The tips of refs below a prefix that are in the history of a commit: again one walk."""
    return _list_refs(common_dir, f"--merged={commit}", "%(objectname)", prefix)


def _list_refs(common_dir: Path, which: str, field: str, prefix: str) -> list[str]:
    arguments = ("for-each-ref", which, f"--format={field}", prefix)
    text = process.run(common_dir, *arguments, may_fail=(128, 129))
    return text.decode(errors="surrogateescape").splitlines()


def count_missing(common_dir: Path, tips: Iterable[str]) -> int:
    """Return how many objects of some histories are missing or empty."""
    text = process.run(common_dir, "rev-list", "--objects", "--missing=print", *sorted(tips))
    oids = [line.split()[0].removeprefix(b"?") for line in text.splitlines()]
    # The walk does not open files; an emptied one is found by asking for its header.
    headers = process.run(common_dir, "cat-file", "--batch-check", feed=b"\n".join(oids) + b"\n")
    return sum(line.endswith(b" missing") for line in headers.splitlines())


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()


def find_holders(common_dir: Path, blobs: Collection[str]) -> list[Holder]:
    """Everything that keeps git from deleting some blobs, wherever in a tree they lie.

    The log of a ref that is named itself goes with the ref, and is not named again.
    """
    if not blobs:
        return []
    commits = find_descendants(common_dir, _bringers(common_dir, blobs), *EVERYTHING)
    holders = [*_refs(common_dir, commits, blobs), *_list_staged(common_dir, blobs)]
    for git_dir in git_dirs(common_dir):
        holders += _own_refs(git_dir, common_dir, commits, blobs)
    names = {(holder.git_dir, holder.name) for holder in holders if holder.name != "HEAD"}
    log_lines = [
        holder
        for git_dir in git_dirs(common_dir)
        for holder in _list_logged(git_dir, common_dir, commits | set(blobs))
        if (git_dir, holder.name) not in names
    ]
    return holders + log_lines


def git_dirs(common_dir: Path) -> list[Path]:
    """The git directory of every work tree, the common one first."""
    return [common_dir, *sorted((common_dir / "worktrees").glob("*/"))]


def _bringers(common_dir: Path, blobs: Collection[str]) -> set[str]:
    """The commits that brought blobs in, at whatever path, merges included."""
    objects = (f"--find-object={blob}" for blob in sorted(blobs))
    text = process.run(
        common_dir,
        *(*_AS_IT_IS, "log", *EVERYTHING, "-m", "-s", "--no-show-signature", "--format=%H"),
        *(*objects, "--"),
    )
    return set(text.decode("ascii").split())


def _refs(common_dir: Path, commits: set[str], blobs: Collection[str]) -> Iterator[Holder]:
    current = {_head_of(git_dir) for git_dir in git_dirs(common_dir)}
    # The name comes last: it may hold anything but the end of a line.
    fields = "%(objecttype)%(*objecttype) %(objectname) %(*objectname) %(refname)"
    text = process.run(common_dir, "for-each-ref", f"--format={fields}")
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        kind, oid, target, name = line.split(" ", 3)
        if name == _STASH and (common_dir / "logs" / _STASH).exists():
            continue  # its log is the list of stashes, and each goes by itself
        if kind in ("commit", "tagcommit"):
            is_held = not commits.isdisjoint((oid, target))
        else:
            is_held = _reaches(common_dir, oid, blobs)
        if is_held:
            yield Holder(common_dir, name, is_checked_out=name in current)


def _reaches(common_dir: Path, revision: str, blobs: Collection[str]) -> bool:
    """Return whether a tree, a blob or a tag of tags has one of some blobs below it."""
    text = process.run(common_dir, *_AS_IT_IS, "rev-list", "--objects", revision, may_fail=(128,))
    return not {line[:40].decode() for line in text.splitlines()}.isdisjoint(blobs)


def _list_staged(common_dir: Path, blobs: Collection[str]) -> Iterator[Holder]:
    """Files that are staged in some work tree."""
    text = process.run(common_dir, "rev-list", "--objects", "--no-walk", "--indexed-objects")
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        if line[:40] in blobs:
            yield Holder(common_dir, f"staged file {line[41:]}", is_checked_out=True)


def _own_refs(
    git_dir: Path, common_dir: Path, commits: set[str], blobs: Collection[str]
) -> Iterator[Holder]:
    """HEAD where it is detached, and the refs that a work tree does not share."""
    if _head_of(git_dir) in commits:
        yield Holder(git_dir, "HEAD", is_checked_out=True)
    if git_dir != common_dir:
        for name, oid in refs.list_refs(git_dir, "refs/").items():
            if oid in commits or _reaches(common_dir, oid, blobs):
                yield Holder(git_dir, name)


def _head_of(git_dir: Path) -> str:
    """The ref a HEAD names, or its commit."""
    try:
        text = (git_dir / "HEAD").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    return text.strip().removeprefix("ref: ")


def _list_logged(git_dir: Path, common_dir: Path, held: set[str]) -> Iterator[Holder]:
    """The lines of logs that name one of some objects, the oldest of each log first.

    In this order they can be taken out one by one: the numbers of those to come stay as they are.
    """
    logs = git_dir / "logs"
    for log in sorted(p for p in logs.rglob("*") if p.is_file() and not p.is_symlink()):
        name = os.fspath(log.relative_to(logs))
        numbers = _lines_with(log, held)
        if numbers and (name == "HEAD" or _exists(git_dir, common_dir, name)):
            yield from (Holder(git_dir, name, number) for number in numbers)


def _lines_with(log: Path, held: set[str]) -> list[int]:
    ages: list[int] = []
    lines = read_plain(log).splitlines()
    is_named = False
    for age, line in zip(reversed(range(len(lines))), lines, strict=True):
        old, new = line[:40].decode("ascii", "replace"), line[41:81].decode("ascii", "replace")
        # What was there before is what the line before says, unless that one is gone.
        is_named = new in held or (old in held and not is_named)
        if is_named:
            ages.append(age)
    return ages


def _exists(git_dir: Path, common_dir: Path, name: str) -> bool:
    """Return whether a log's ref is there: git keeps nothing for a log alone."""
    return any(name in refs.list_refs(folder, name) for folder in (git_dir, common_dir))
