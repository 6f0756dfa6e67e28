"""Record of what init added to a repository and its configuration: uninstall takes back no more.

It is written down in a file of the common dir, in no folder that may be deleted. If that is lost,
marked blocks and keys with our names are still found by what they are. `remote.*.push` is never
set: a plain `git push` would send our refs in place of the branch.
"""

import contextlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from treering.errors import StorageFailed
from treering.git import config
from treering.git.files import make_shared_folder, read_file, replace_file
from treering.git.log import shows_all_decorations
from treering.git.repository import Repository
from treering.model.scope import REFS
from treering.sync.refspec import fetch_refspec, is_for_memories, prefix_of


@dataclass(frozen=True, slots=True)
class ClientFile:
    """One file of an agent's client, below the top of a work tree: what was put in, and what the
    file was then."""

    top: str
    path: str
    insertions: tuple[tuple[int, str], ...]
    digest: str
    is_created: bool
    folders: tuple[str, ...] = ()


@dataclass(slots=True)
class InitRecord:
    """Everything init added, up to now."""

    is_known: bool = False
    has_hooks: bool = False
    folders: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    previous_hooks_path: str = ""
    config: list[tuple[str, str]] = field(default_factory=list)
    files: dict[str, ClientFile] = field(default_factory=dict)

    @classmethod
    def read(cls, repository: Repository) -> "InitRecord":
        try:
            said = json.loads(read_file(_path(repository)))
            return _of(said)
        except (OSError, ValueError, TypeError, KeyError):
            return cls()

    def write(self, repository: Repository) -> None:
        path = _path(repository)
        try:
            make_shared_folder(path.parent)
            replace_file(path, json.dumps(asdict(self), indent=1).encode(), mode=0o600)
        except OSError as error:
            raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error

    @staticmethod
    def remove(repository: Repository) -> None:
        with contextlib.suppress(FileNotFoundError):
            _path(repository).unlink()


def _path(repository: Repository) -> Path:
    return repository.common_dir / "treering" / "init.json"


def _of(said: dict[str, Any]) -> InitRecord:
    files = {
        path: ClientFile(
            top=str(file["top"]),
            path=str(file["path"]),
            insertions=tuple((int(at), str(text)) for at, text in file["insertions"]),
            digest=str(file["digest"]),
            is_created=bool(file["is_created"]),
            folders=tuple(map(str, file["folders"])),
        )
        for path, file in said["files"].items()
    }
    return InitRecord(
        is_known=True,
        has_hooks=bool(said["has_hooks"]),
        folders=[str(folder) for folder in said["folders"]],
        created=[str(name) for name in said["created"]],
        previous_hooks_path=str(said["previous_hooks_path"]),
        config=[(str(key), str(value)) for key, value in said["config"]],
        files=files,
    )


_OURS = f"{REFS}*"
HOOKS_PATH = "core.hooksPath"
SYNC = "treering.sync"


class ConfigValue(NamedTuple):
    """One value of one key of git's configuration."""

    key: str
    value: str
    is_one_of_many: bool = True

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


def list_missing_settings(
    repository: Repository, *, sync: bool
) -> tuple[list[ConfigValue], list[str]]:
    """Return what is missing in the configuration, and what has to be said about it."""
    found, notes = [], []
    prefix = prefix_of(repository)
    for remote in repository.remotes():
        values = _values(repository, f"remote.{remote}.fetch")
        line = fetch_refspec(remote, prefix)
        if line in values:
            continue
        if _is_fetched_by_branches(values):
            found.append(ConfigValue(f"remote.{remote}.fetch", line))
        else:
            notes.append(
                f"{remote} has no fetch refspec for branches, so none was added for memories: "
                "a plain `git fetch` would fetch something else. `treering sync` works."
            )
    if shows_all_decorations(repository.common_dir, _OURS):
        found.append(ConfigValue("log.excludeDecoration", _OURS))
    if sync and _values(repository, SYNC) != ["true"]:
        found.append(ConfigValue(SYNC, "true", is_one_of_many=False))
    return found, notes


def list_misplaced_settings(repository: Repository) -> list[ConfigValue]:
    """Refspecs of ours that stayed behind when a remote was renamed, or are for another place on it
    than the one that was chosen."""
    prefix = prefix_of(repository)
    return [
        ConfigValue(f"remote.{remote}.fetch", value)
        for remote in repository.remotes()
        for value in _values(repository, f"remote.{remote}.fetch")
        if is_for_memories(value) and value != fetch_refspec(remote, prefix)
    ]


def _is_fetched_by_branches(values: list[str]) -> bool:
    sources = [value.lstrip("+").partition(":")[0] for value in values]
    return any(source.startswith("refs/heads/") for source in sources)


def _values(repository: Repository, key: str) -> list[str]:
    return config.read_all(repository.common_dir, key)


def local_hooks_path(repository: Repository) -> str:
    return "".join(_values(repository, HOOKS_PATH)[-1:])


def put_setting(repository: Repository, setting: ConfigValue, traces: InitRecord) -> None:
    write = config.add if setting.is_one_of_many else config.put
    write(repository.common_dir, setting.key, setting.value)
    if (setting.key, setting.value) not in traces.config:
        traces.config.append((setting.key, setting.value))


def list_own_settings(repository: Repository, traces: InitRecord) -> list[ConfigValue]:
    """Return what is there of what init set: as written down, or by its name."""
    values = [ConfigValue(key, value) for key, value in traces.config]
    values += list_misplaced_settings(repository)
    if not traces.is_known:
        values += [
            ConfigValue(f"remote.{name}.fetch", fetch_refspec(name, prefix_of(repository)))
            for name in repository.remotes()
        ]
    found = (s for s in dict.fromkeys(values) if s.value in _values(repository, s.key))
    return list(found)


def take_back_setting(repository: Repository, key: str, value: str) -> bool:
    """Remove one value of a key; False where it is no longer there."""
    if value not in _values(repository, key):
        return False
    config.unset(repository.common_dir, key, value)
    config.drop_empty_section(repository.common_dir, key)
    return True


def set_hooks_path(repository: Repository, value: str) -> None:
    if value:
        config.put(repository.common_dir, HOOKS_PATH, value)
    else:
        config.unset(repository.common_dir, HOOKS_PATH)
        config.drop_empty_section(repository.common_dir, HOOKS_PATH)
