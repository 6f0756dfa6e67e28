"""What init sets in the repository's git configuration, and takes back value by value.

Never `remote.*.push`: it would make a plain `git push` send our refs in place of the branch.
"""

from typing import NamedTuple

from treering.actions.setup.traces import InitRecord
from treering.git import config
from treering.git.log import shows_all_decorations
from treering.git.repository import Repository
from treering.model.scope import REFS
from treering.sync.refspec import fetch_refspec, is_for_memories, prefix_of

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


def list_missing(repository: Repository, *, sync: bool) -> tuple[list[ConfigValue], list[str]]:
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


def list_misplaced(repository: Repository) -> list[ConfigValue]:
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


def put(repository: Repository, setting: ConfigValue, traces: InitRecord) -> None:
    write = config.add if setting.is_one_of_many else config.put
    write(repository.common_dir, setting.key, setting.value)
    if (setting.key, setting.value) not in traces.config:
        traces.config.append((setting.key, setting.value))


def ours(repository: Repository, traces: InitRecord) -> list[ConfigValue]:
    """Return what is there of what init set: as written down, or by its name."""
    values = [ConfigValue(key, value) for key, value in traces.config]
    values += list_misplaced(repository)
    if not traces.is_known:
        values += [
            ConfigValue(f"remote.{name}.fetch", fetch_refspec(name, prefix_of(repository)))
            for name in repository.remotes()
        ]
    found = (s for s in dict.fromkeys(values) if s.value in _values(repository, s.key))
    return list(found)


def take_back(repository: Repository, key: str, value: str) -> bool:
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
