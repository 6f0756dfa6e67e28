"""git's configuration, read level by level and written: what `git config` does.

A single setting as git would use it is `Repository.config`, which starts no process.
"""

import re
import time
from pathlib import Path
from typing import Literal

from treering.errors import StorageFailed
from treering.git import process
from treering.git.binding import GitError, read_config

_TRIES = 5
_NOT_THERE = (5,)
_PROTECTED = ("system", "global", "command")

Level = Literal["--local", "--global"]


def read_all(git_dir: Path, key: str) -> list[str]:
    """Every value of a key in the repository's own file."""
    text = process.run(git_dir, "config", "--local", "--null", "--get-all", key, may_fail=(1,))
    return text.decode(errors="surrogateescape").split("\0")[:-1]


def read_levels(git_dir: Path, key: str, *options: str) -> list[tuple[str, str]]:
    """Every value of a key, each after the level of configuration that says it; the last counts."""
    arguments = ("config", "--null", "--show-scope", *options, "--get-all", key)
    text = process.run(git_dir, *arguments, may_fail=(1,)).decode(errors="surrogateescape")
    words = text.split("\0")
    return list(zip(words[::2], words[1::2], strict=False))


def read_own(git_dir: Path, key: str) -> list[str]:
    """Every value of a key in the repository's own file, without starting git. Where the file takes
    in others git is asked, since libgit2 does not tell them apart."""
    try:
        entries = read_config(str(git_dir / "config"))
    except (GitError, OSError, ValueError):
        return read_all(git_dir, key)
    if any(entry.name.startswith("include") for entry in entries):
        return read_all(git_dir, key)
    return [entry.value or "" for entry in entries if entry.name == key]


def read_matching(git_dir: Path, pattern: str) -> list[tuple[str, str]]:
    """The keys of the repository's own file that match a pattern, with their values."""
    arguments = ("config", "--local", "--null", "--get-regexp", pattern)
    text = process.run(git_dir, *arguments, may_fail=(1,)).decode(errors="surrogateescape")
    pairs = (entry.partition("\n") for entry in text.split("\0") if entry)
    return [(key, value) for key, _, value in pairs]


def read_protected(git_dir: Path, key: str) -> str:
    """Return a setting from what git calls protected configuration: system, global, command line.

    A repository that somebody was handed can say anything in its own file.
    """
    values = [value for level, value in read_levels(git_dir, key) if level in _PROTECTED]
    return "".join(values[-1:])


def put(git_dir: Path, key: str, value: str, *, level: Level = "--local") -> None:
    """Set a key to one value, whatever it was."""
    _change(git_dir, "--replace-all", key, value, level=level)


def add(git_dir: Path, key: str, value: str) -> None:
    """Add a value to those a key has."""
    _change(git_dir, "--add", key, value)


def unset(git_dir: Path, key: str, value: str | None = None, *, level: Level = "--local") -> None:
    """Take out a key, or one of its values; nothing happens where it is not there."""
    if value is None:
        _change(git_dir, "--unset-all", key, may_fail=_NOT_THERE, level=level)
    else:
        _change(git_dir, "--fixed-value", "--unset-all", key, value, may_fail=_NOT_THERE)


def drop_empty_section(git_dir: Path, key: str) -> None:
    """git leaves `[log]` behind when its last key goes; only a section without comments goes."""
    section = key.rpartition(".")[0]
    text = (git_dir / "config").read_bytes()
    if re.search(rb"^\[" + re.escape(section.encode()) + rb"\]\n(?=\[|\Z)", text, re.MULTILINE):
        arguments = ("config", "--local", "--remove-section", section)
        process.run(git_dir, *arguments, may_fail=(128,))


def _change(
    git_dir: Path, *arguments: str, may_fail: tuple[int, ...] = (), level: Level = "--local"
) -> None:
    """git holds a lock on the file while it writes; others may be at it just now."""
    for attempt in range(_TRIES):
        try:
            process.run(git_dir, "config", level, *arguments, may_fail=may_fail)
            return
        except StorageFailed as error:
            if attempt == _TRIES - 1 or "lock" not in error.message:
                raise
            time.sleep(0.05 * (attempt + 1))
