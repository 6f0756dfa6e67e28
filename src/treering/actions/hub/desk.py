"""Where questions to the hub are put: in a repository or outside of any."""

from pathlib import Path

from treering.clock import Clock, wall_clock
from treering.errors import TreeringError
from treering.git.repository import Repository
from treering.hub.hub import RepositoryHub
from treering.hub.place import HubSetting, open_hub


class HubDesk:
    """Stands for a workspace where only the hub is asked, and no repository is needed."""

    def __init__(self, hub: RepositoryHub, clock: Clock = wall_clock) -> None:
        self._hub = hub
        self.clock = clock

    @classmethod
    def open(
        cls, setting: HubSetting, path: str | Path = ".", clock: Clock = wall_clock
    ) -> "HubDesk":
        """The hub as somebody in this folder means it: its repository may name one."""
        return cls(open_hub(setting, _find_repository(path), clock), clock)

    def open_hub(self) -> RepositoryHub:
        return self._hub


def _find_repository(path: str | Path) -> Repository | None:
    try:
        return Repository.discover(Path(path))
    except TreeringError:
        return None
