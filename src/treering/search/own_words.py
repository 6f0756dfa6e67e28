"""A project's own synonyms: the file that `treering.synonyms` names, in the work tree.

The setting is the user's, the file may be anyone's: it is read as data, only where it is a plain
file inside the work tree, and only so much of it.
"""

import os
from pathlib import Path

from treering.git.files import open_plain, state_of
from treering.git.repository import Repository
from treering.search.synonyms import LONGEST


class OwnWords:
    """The text of the file as it is now; empty where there is none."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._kept: tuple[tuple[int, ...], str] = ((), "")

    def __call__(self) -> str:
        setting, top = self._repository.config("treering.synonyms"), self._repository.workdir
        if not setting or top is None:
            return ""
        path = top / setting
        state = state_of(str(path))
        if state != self._kept[0]:
            self._kept = (state, _read_inside(path, top))
        return self._kept[1]


def _read_inside(path: Path, top: Path) -> str:
    """The beginning of a plain file, if it lies in this folder, wherever links lead."""
    try:
        if not path.is_file() or not path.resolve().is_relative_to(top.resolve()):
            return ""
        with os.fdopen(open_plain(path.resolve()), encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST)
    except (OSError, ValueError):
        return ""
