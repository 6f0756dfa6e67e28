"""Memories that come along with `git fetch`: one line in git's configuration, kept right.

Never straight into our own refs: a `git fetch --prune` would throw away what was not pushed yet.
"""

import re

from treering.errors import SyncRefused
from treering.git import process
from treering.git.repository import Repository
from treering.model.scope import HEADS, REMOTES

_OURS = f"+{HEADS}*:"


def fetch_refspec(remote: str) -> str:
    return f"{_OURS}{REMOTES}{remote}/heads/*"


def is_automatic(repository: Repository) -> bool:
    """Whether memories travel with the code, as `treering init --sync` sets it up."""
    said = repository.config("treering.sync") or "false"
    return said.lower() in ("true", "yes", "on", "1")


def find_sharing_remote(repository: Repository) -> str:
    """The remote memories are shared through, or nothing."""
    there = repository.remotes()
    named = repository.config("treering.remote")
    return named if named in there else there[0] if there and not named else ""


def wrong(repository: Repository) -> list[str]:
    """The remotes whose line is missing or names another one: `git remote rename` leaves it so.

    A remote without any line for branches gets none: alone, ours would change what a plain
    `git fetch` does.
    """
    if not is_automatic(repository) and not _is_mentioned(repository):
        return []
    lines = _lines(repository)
    wanted = find_sharing_remote(repository) if is_automatic(repository) else ""
    found = []
    for remote, values in lines.items():
        ours = [value for value in values if value.startswith(_OURS)]
        is_missing = remote == wanted and not ours and len(values) > 0
        if is_missing or any(value != fetch_refspec(remote) for value in ours):
            found.append(remote)
    return found


def repair(repository: Repository) -> bool:
    """Put the lines right; whether something was changed."""
    remotes = wrong(repository)
    for remote in remotes:
        set_up(repository, remote)
    return bool(remotes)


def set_up(repository: Repository, remote: str) -> None:
    """Let `git fetch REMOTE` bring memories, too; a line for another name of it goes."""
    take_away(repository, remote)
    process.run(
        repository.common_dir,
        *("config", "--local", "--add", f"remote.{remote}.fetch", fetch_refspec(remote)),
    )


def take_away(repository: Repository, remote: str) -> None:
    for line in _lines(repository).get(remote, []):
        if line.startswith(_OURS):
            process.run(
                repository.common_dir,
                *("config", "--local", "--fixed-value", "--unset-all", f"remote.{remote}.fetch"),
                line,
                may_fail=(5,),
            )


def _is_mentioned(repository: Repository) -> bool:
    """Whether the configuration speaks of our refs at all; most never do, and git is not asked."""
    try:
        return REMOTES.encode() in (repository.common_dir / "config").read_bytes()
    except OSError:
        return False


def _lines(repository: Repository) -> dict[str, list[str]]:
    """What each remote fetches."""
    text = process.run(
        repository.common_dir,
        *("config", "--local", "--null", "--get-regexp", r"^remote\..*\.fetch$"),
        may_fail=(1,),
    )
    found: dict[str, list[str]] = {}
    for entry in text.decode(errors="surrogateescape").split("\0"):
        key, _, value = entry.partition("\n")
        if match := re.fullmatch(r"remote\.(.*)\.fetch", key, re.DOTALL):
            found.setdefault(match[1], []).append(value)
    return found


def find_remote(repository: Repository, name: str = "") -> str:
    """The remote memories go through: as asked, `treering.remote`, origin, or the only one."""
    there = repository.remotes()
    chosen = name or repository.config("treering.remote") or (there[0] if there else "")
    if not chosen:
        raise SyncRefused(
            "This repository has no remote.", hint="`git remote add origin URL` adds one."
        )
    if chosen not in there:
        names = (
            f"There are: {', '.join(there)}." if there else "`git remote add NAME URL` adds one."
        )
        raise SyncRefused(f"There is no remote {chosen!r}.", hint=names)
    return chosen
