"""Short walks through history and trees without a process: to start git costs more than they do."""

import re
from collections.abc import Iterator
from itertools import islice

from treering.errors import StoreDamaged
from treering.git.binding import GitError, Oid
from treering.git.diff import CommitRange, FileChange
from treering.git.objects import TREE, TreeEntry
from treering.git.repository import Repository

_TOPOLOGICAL = 1
_ENTRY = re.compile(rb"(\d+) ([^\0]+)\0(.{20})", re.DOTALL)
_NOTHING = b"000000 " + b"0" * 40


def read_parents(
    repository: Repository, tip: str, *, without: str, most: int
) -> dict[str, tuple[str, ...]] | None:
    """The parents of a history's commits that another one lacks, children before parents.

    None where there are more than `most`, or libgit2 cannot tell: git is to be asked then.
    """
    try:
        walker = repository.handle.walk(Oid(hex=tip), _TOPOLOGICAL)
        walker.hide(Oid(hex=without))
        found = {
            str(commit.id): tuple(str(parent) for parent in commit.parent_ids)
            for commit in islice(walker, most + 1)
        }
    except (KeyError, ValueError, GitError, OSError):
        return None
    return found if len(found) <= most else None


def diff(repository: Repository, step: CommitRange) -> tuple[FileChange, ...]:
    """The files that differ between two commits, by path."""
    old = repository.objects.commit(step.old).tree if step.old else ""
    new = repository.objects.commit(step.new).tree
    return tuple(sorted(_diff_trees(repository, old, new, b"")))


def list_paths(repository: Repository, commit: str) -> list[str]:
    """The files of a commit, those whose names are text."""
    changes = diff(repository, CommitRange(commit, ""))
    names = (change.path.decode(errors="replace") for change in changes)
    return [name for name in names if name.isprintable()]


def find_entry(repository: Repository, commit: str, path: str) -> TreeEntry | None:
    """What a commit's tree has under a path, whatever bytes its name is made of."""
    *folders, name = path.split("/")
    tree = repository.objects.commit(commit).tree
    for folder in folders:
        entry = _child(repository, tree, folder)
        if entry is None or entry.mode != TREE:
            return None
        tree = entry.oid
    return _child(repository, tree, name)


def _child(repository: Repository, tree: str, name: str) -> TreeEntry | None:
    return next((entry for entry in repository.objects.tree(tree) if entry.name == name), None)


def _diff_trees(repository: Repository, old: str, new: str, folder: bytes) -> Iterator[FileChange]:
    if old == new:
        return
    before, after = _entries(repository, old), _entries(repository, new)
    lines: dict[bytes, list[tuple[bytes, bytes]]] = {}
    for side, entries in enumerate((before - after, after - before)):
        for mode, name, oid in entries:
            lines.setdefault(name, [(b"", b""), (b"", b"")])[side] = (mode, oid)
    for name, ((old_mode, old_id), (new_mode, new_id)) in lines.items():
        path = folder + name
        old_tree, new_tree = _tree_at(old_mode, old_id), _tree_at(new_mode, new_id)
        if old_tree or new_tree:
            yield from _diff_trees(repository, old_tree, new_tree, path + b"/")
        sides = (_describe(old_mode, old_id), _describe(new_mode, new_id))
        if sides != (_NOTHING, _NOTHING):
            yield FileChange(path, *sides)


def _entries(repository: Repository, tree: str) -> set[tuple[bytes, bytes, bytes]]:
    if not tree:
        return set()
    raw = repository.objects.raw_tree(tree)
    entries = _ENTRY.findall(raw)
    if sum(len(mode) + len(name) + 22 for mode, name, _ in entries) != len(raw):
        raise StoreDamaged(f"The tree {tree} is malformed.")
    return set(entries)


def _is_tree(mode: bytes) -> bool:
    return mode.lstrip(b"0") == b"40000"


def _tree_at(mode: bytes, oid: bytes) -> str:
    return oid.hex() if _is_tree(mode) else ""


def _describe(mode: bytes, oid: bytes) -> bytes:
    """As git's raw listing has it; folders are not in there."""
    if not mode or _is_tree(mode):
        return _NOTHING
    return mode + b" " + oid.hex().encode()
