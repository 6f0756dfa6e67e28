"""Discovery of the repository that is meant: the one named, else the one around a folder.

A folder of a clone may itself be a bare repository: to git its files are files like any others. Its
configuration, hooks and index were then written by whoever made the commits, and they belong to
whoever cloned them, so that no look at the owner tells. So what is found by walking upwards counts
only where it was not part of another repository's files.
"""

import shlex
from pathlib import Path

from treering.errors import NotARepository
from treering.git.binding import GitError, discover_repository


def find(path: Path, *, is_named: bool = False) -> Path:
    """The git dir for a path; `is_named` says that a person chose this very path.

    1. a `.git` in the folder or above it        -> used
    2. a bare repository that was named itself   -> used
    3. a bare one in another one's work tree     -> refused
    4. a bare one elsewhere                      -> used if git would use it
    """
    if not path.exists():
        raise NotARepository(f"There is no folder {path}")
    here = path.resolve()
    git_dir = _look_upwards(here)
    if git_dir is None:
        raise NotARepository(f"Not inside a git repository: {path}")
    if not _is_bare_around(git_dir, here) or (is_named and here == git_dir):  # 1, 2
        return git_dir
    _refuse_embedded(git_dir)  # 3
    _refuse_what_git_refuses(git_dir)  # 4
    return git_dir


def _look_upwards(folder: Path) -> Path | None:
    try:
        path = discover_repository(str(folder))
    except (KeyError, GitError, OSError, ValueError) as error:
        raise NotARepository(f"{folder} cannot be opened: {error}") from error
    return Path(path) if path else None


def _is_bare_around(git_dir: Path, folder: Path) -> bool:
    """Return whether a folder is in a git dir that is no work tree's own: git lets no clone have
    files below a `.git`, so what is there was put there by git or by the user."""
    return folder.is_relative_to(git_dir) and ".git" not in git_dir.parts


def _refuse_embedded(git_dir: Path) -> None:
    folder = git_dir.parent
    while (outer := _look_upwards(folder)) and _is_bare_around(outer, folder):
        folder = outer.parent
    # A repository may lie in its own work tree, named by a file `.git` beside it.
    if outer is None or outer.is_relative_to(git_dir):
        return
    raise NotARepository(
        f"{git_dir} is a bare repository among the files of another one, and was not named.",
        f"`treering -C {shlex.quote(str(_top(git_dir)))} status` is for the repository around it, "
        f"`treering -C {shlex.quote(str(git_dir))} status` for this one, if you trust whoever "
        "made it.",
    )


def _top(folder: Path) -> Path:
    """The nearest folder above that has a `.git`."""
    return next(above for above in folder.parents if (above / ".git").exists())


def _refuse_what_git_refuses(git_dir: Path) -> None:
    """git knows `safe.bareRepository` and `safe.directory`, and whose word on them counts."""
    from treering.git import process

    refusal = process.refusal_of(git_dir)
    if refusal:
        raise NotARepository(
            f"git does not use {git_dir}: {refusal}",
            f"`treering -C {shlex.quote(str(git_dir))} status` names it.",
        )
