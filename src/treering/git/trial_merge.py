"""Merges tried out of sight: what git would make of one, without a trace in the repository."""

import tempfile
from pathlib import Path

from treering.git import process
from treering.git.diff import ENVIRONMENT, plain
from treering.git.repository import Repository

_OLDEST = (2, 38)  # the first git with `merge-tree --write-tree`
_SETTINGS = (
    *("-c", "merge.renames=true"),
    *("-c", "merge.directoryRenames=conflict"),
    *("-c", "merge.renameLimit=1000"),
    *("-c", "merge.renormalize=false"),
    *("-c", "merge.default=text"),
    *("-c", "diff.algorithm=histogram"),
)


class TrialMerge:
    """Tries merges of commits, where git can do that."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._version: tuple[int, ...] = ()

    def is_possible(self) -> bool:
        return self._git_version() >= _OLDEST

    def changes_nothing(self, commit: str, tip: str, until: float) -> bool:
        """Return whether merging `tip` into `commit` succeeds and leaves its tree as it is."""
        with tempfile.TemporaryDirectory(prefix="treering-") as folder:
            merge = process.run(
                make_apart(Path(folder)),
                *plain(Path(folder)),
                *_SETTINGS,
                *("merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", commit, tip),
                may_fail=(1,),  # a conflict
                env=ENVIRONMENT | borrow(Path(folder), self._repository.common_dir),
                seconds=process.time_left(until),
            )
        return merge == b"%b\0" % self._tree_of(commit).encode()

    def _tree_of(self, commit: str) -> str:
        return str(self._repository.handle.look_up(commit).tree_id)

    def _git_version(self) -> tuple[int, ...]:
        self._version = self._version or process.version()
        return self._version


def make_apart(folder: Path) -> Path:
    """A git dir of our own: a dry run leaves no loose objects in the user's, and a merge driver
    that the user's repository names, in its configuration and attributes, is not known here."""
    (folder / "refs").mkdir()
    (folder / "objects").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    return folder


def borrow(folder: Path, common_dir: Path) -> dict[str, str]:
    """Objects are read from the user's repository, and where its history ends is known from it."""
    # Quoted as git quotes paths, since a plain colon would part the path in two.
    path = str(common_dir / "objects").replace("\\", "\\\\").replace('"', '\\"')
    return {
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{path}"',
        "GIT_SHALLOW_FILE": str(common_dir / "shallow"),
    }
