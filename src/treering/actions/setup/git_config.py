"""What init sets in the repository's git configuration, and takes back value by value.

Never `remote.*.push`: it would make a plain `git push` send our refs in place of the branch.
"""

import re
import time
from typing import NamedTuple

from treering.actions.setup.traces import InitRecord
from treering.errors import StorageFailed
from treering.git import process
from treering.git.repository import Repository
from treering.model.scope import HEADS, REFS, REMOTES

_TRIES = 5
#: From this version on, `git log --decorate` shows only branches, tags and the like by itself.
_QUIET_SINCE = (2, 39)
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


def refspec(remote: str) -> str:
    """Into a place of our own: fetched straight into `heads`, a prune would delete memories."""
    return f"+{HEADS}*:{REMOTES}{remote}/heads/*"


def list_missing(repository: Repository, *, sync: bool) -> tuple[list[ConfigValue], list[str]]:
    """What is missing in the configuration, and what has to be said about it."""
    found, notes = [], []
    for remote in repository.remotes():
        values = _values(repository, f"remote.{remote}.fetch")
        if refspec(remote) in values:
            continue
        if _is_fetched_by_branches(values):
            found.append(ConfigValue(f"remote.{remote}.fetch", refspec(remote)))
        else:
            notes.append(
                f"{remote} has no fetch refspec for branches, so none was added for memories: "
                "a plain `git fetch` would fetch something else. `treering sync` works."
            )
    if _shows_all_decorations(repository):
        found.append(ConfigValue("log.excludeDecoration", _OURS))
    if sync and _values(repository, SYNC) != ["true"]:
        found.append(ConfigValue(SYNC, "true", is_one_of_many=False))
    return found, notes


def list_misplaced(repository: Repository) -> list[ConfigValue]:
    """Refspecs of ours that stayed behind when a remote was renamed."""
    pattern = re.escape(refspec("\0")).replace("\0", ".+")
    return [
        ConfigValue(f"remote.{remote}.fetch", value)
        for remote in repository.remotes()
        for value in _values(repository, f"remote.{remote}.fetch")
        if re.fullmatch(pattern, value) and value != refspec(remote)
    ]


def _is_fetched_by_branches(values: list[str]) -> bool:
    sources = [value.lstrip("+").partition(":")[0] for value in values]
    return any(source.startswith("refs/heads/") for source in sources)


def _shows_all_decorations(repository: Repository) -> bool:
    """Whether `git log --decorate` would name our refs; where it would not, setting the key would
    make it show other refs that it left out before."""
    excluded = _values(repository, "log.excludeDecoration", local=False)
    if _OURS in excluded:
        return False
    shows_all = _values(repository, "log.initialDecorationSet", local=False) == ["all"]
    return bool(excluded) or shows_all or process.version() < _QUIET_SINCE


def _values(repository: Repository, key: str, *, local: bool = True) -> list[str]:
    level = ["--local"] if local else []
    asked = ("config", *level, "--null", "--get-all", key)
    said = process.run(repository.common_dir, *asked, may_fail=(1,))
    return said.decode(errors="surrogateescape").split("\0")[:-1]


def local_hooks_path(repository: Repository) -> str:
    return "".join(_values(repository, HOOKS_PATH)[-1:])


def put(repository: Repository, setting: ConfigValue, traces: InitRecord) -> None:
    how = "--add" if setting.is_one_of_many else "--replace-all"
    _change(repository, how, setting.key, setting.value)
    if (setting.key, setting.value) not in traces.config:
        traces.config.append((setting.key, setting.value))


def ours(repository: Repository, traces: InitRecord) -> list[ConfigValue]:
    """What is there of what init set: as written down, or by its name."""
    known = [ConfigValue(key, value) for key, value in traces.config]
    known += list_misplaced(repository)
    if not traces.is_known:
        known += [
            ConfigValue(f"remote.{name}.fetch", refspec(name)) for name in repository.remotes()
        ]
    found = (s for s in dict.fromkeys(known) if s.value in _values(repository, s.key))
    return list(found)


def take_back(repository: Repository, key: str, value: str) -> bool:
    """Remove one value of a key; False where it is no longer there."""
    if value not in _values(repository, key):
        return False
    _change(repository, "--fixed-value", "--unset-all", key, value)
    _drop_empty_section(repository, key)
    return True


def set_hooks_path(repository: Repository, value: str) -> None:
    if value:
        _change(repository, "--replace-all", HOOKS_PATH, value)
    else:
        _change(repository, "--unset-all", HOOKS_PATH)
        _drop_empty_section(repository, HOOKS_PATH)


def _drop_empty_section(repository: Repository, key: str) -> None:
    """git leaves `[log]` behind when its last key goes; only a section without comments goes."""
    path = repository.common_dir / "config"
    section = key.rpartition(".")[0]
    text = path.read_bytes()
    if re.search(rb"^\[" + re.escape(section.encode()) + rb"\]\n(?=\[|\Z)", text, re.MULTILINE):
        asked = ("config", "--local", "--remove-section", section)
        process.run(repository.common_dir, *asked, may_fail=(128,))


def _change(repository: Repository, *arguments: str) -> None:
    """git holds a lock on the file while it writes; others may be at it just now."""
    for attempt in range(_TRIES):
        try:
            process.run(repository.common_dir, "config", "--local", *arguments)
            return
        except StorageFailed:
            if attempt == _TRIES - 1:
                raise
            time.sleep(0.05 * (attempt + 1))
