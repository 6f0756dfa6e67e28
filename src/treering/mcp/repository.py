"""The repository a server works for, looked up again at each call.

What is kept between calls are caches keyed by what cannot change; where HEAD is, which branches
there are and what others wrote is read from disk each time. A repository that was deleted, made
or put in another's place since the last call is noticed.
"""

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from treering.errors import NotARepository

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace, WorkspaceOptions

Identity = tuple[int, ...]


class ServedRepository:
    """A path and, once it was asked for, the workspace open there."""

    def __init__(
        self,
        path: Path,
        *,
        is_named: bool = False,
        agent: str = "",
        **options: "Unpack[WorkspaceOptions]",
    ) -> None:
        self._path, self._is_named = path, is_named
        #: The agent all calls are made for, if that was said when the server was started.
        self.agent = agent
        self._options = options
        self._lock = threading.Lock()
        self._open: tuple[Identity, Workspace] | None = None

    def workspace(self) -> "Workspace":
        """Return the workspace as of now."""
        with self._lock:
            return self._current()

    def _current(self) -> "Workspace":
        if self._open and _identity(self._open[1].repository.git_dir) == self._open[0]:
            return self._open[1]
        self._open = None
        workspace = self._open_workspace()
        self._open = (_identity(workspace.repository.git_dir), workspace)
        return workspace

    def _open_workspace(self) -> "Workspace":
        from treering.actions.workspace import Workspace  # at the first call, not at the start

        try:
            workspace = Workspace.open(self._path, is_named=self._is_named, **self._options)
        except NotARepository as error:
            if error.hint != NotARepository.hint:
                raise  # it is one, and the hint says how to have it opened
            raise NotARepository(
                "The server was not started inside a git repository.",
                hint="Start it in one, or with `treering mcp --repo PATH`.",
            ) from error
        # Made here, so that two threads never make two of them.
        for name, part in vars(Workspace).items():
            if isinstance(part, cached_property):
                getattr(workspace, name)
        return workspace


def _identity(git_dir: Path) -> Identity:
    """Return which folders these are, should others stand in their place one day."""
    numbers: list[int] = []
    for folder in (git_dir, git_dir / "commondir", git_dir / "objects"):
        try:
            stat = folder.stat()
        except OSError:
            continue
        numbers += (stat.st_dev, stat.st_ino)
    return tuple(numbers)
