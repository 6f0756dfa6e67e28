"""Short walks through history and trees without a process: to start git costs more than they do."""

from itertools import islice
from typing import Any

from treering.errors import StoreDamaged
from treering.git.binding import GitError, Oid
from treering.git.diff import CommitRange, FileChange
from treering.git.objects import TREE, TreeEntry
from treering.git.repository import Repository

_TOPOLOGICAL = 1
#: Options of libgit2: a file that became a link is one change; content is not looked at.
_INCLUDE_TYPECHANGE, _SKIP_BINARY_CHECK = 1 << 6, 1 << 13


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
    trees = [_look_up_tree(repository, step.new), _look_up_tree(repository, step.old)]
    old, new = reversed(trees)
    options = {"flags": _INCLUDE_TYPECHANGE | _SKIP_BINARY_CHECK, "context_lines": 0}
    try:
        if old is None:
            deltas = new.diff_to_tree(swap=True, **options).deltas
        else:
            deltas = old.diff_to_tree(new, **options).deltas
        sides = ((delta.old_file, delta.new_file) for delta in deltas)
        return tuple(
            sorted(FileChange(two.raw_path, _describe(one), _describe(two)) for one, two in sides)
        )
    except (KeyError, ValueError, GitError, OSError) as error:
        raise StoreDamaged(f"The tree of {step.new} cannot be compared: {error}") from error


def _look_up_tree(repository: Repository, commit: str) -> Any:
    if not commit:
        return None
    try:
        return repository.handle.look_up(repository.objects.commit(commit).tree)
    except (KeyError, ValueError, GitError, OSError) as error:
        raise StoreDamaged(f"The tree of {commit} is not here.") from error


def _describe(side: Any) -> bytes:
    """As git's raw listing has it."""
    return b"%06o %b" % (side.mode, str(side.id).encode())


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
