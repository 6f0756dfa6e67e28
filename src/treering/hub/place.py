"""The place of the hub: as it was named, as git's configuration says, or the user's own folder."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from treering.clock import Clock, wall_clock

if TYPE_CHECKING:
    from treering.git.repository import Repository
    from treering.hub.hub import RepositoryHub

KEY = "treering.hub"
POSTGRES = ("postgresql://", "postgres://")
_NOWHERE = Path("/dev/null")  # no repository: what the user and the machine have set counts


class HubSetting(NamedTuple):
    """Settings of the hub at a door: the place it was told, and folders for what it is not.

    `data` is the user's folder for what is kept, `cache` the one for what can be made again.
    """

    named: str = ""
    data: Path | None = None
    cache: Path | None = None


#: Nothing was said: the configuration decides, or the user's own folder.
HERE = HubSetting()


def find_place(setting: HubSetting, repository: "Repository | None" = None) -> str:
    """A url of a database, or the path of a folder.

    1 what was named by an option or the environment
    2 `treering.hub` of the user's or the system's configuration: one of a repository that
      somebody was handed could send a password elsewhere
    3 a folder of the user's data
    """
    if setting.named:
        return setting.named
    if named := _configured(repository):
        return named
    return str((setting.data or Path.home() / ".local" / "share" / "treering") / "hub")


def _configured(repository: "Repository | None") -> str:
    from treering.git.config import read_protected

    return read_protected(repository.git_dir if repository else _NOWHERE, KEY)


def open_hub(
    setting: HubSetting, repository: "Repository | None" = None, clock: Clock = wall_clock
) -> "RepositoryHub":
    """The hub there. A database is not reached before it is asked something."""
    place = find_place(setting, repository)
    if place.startswith(POSTGRES):
        from treering.hub.postgres.hub import PostgresHub

        cache = setting.cache or Path.home() / ".cache" / "treering"
        return PostgresHub(place, cache / "hub", clock)
    from treering.hub.folder import FolderHub

    return FolderHub(Path(place).expanduser().absolute(), clock)
