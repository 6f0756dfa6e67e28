"""Memories that come along with `git fetch`: one line in git's configuration, kept right.

Never straight into our own refs: a `git fetch --prune` would throw away what was not pushed yet.
"""

from treering.git import process
from treering.git.repository import Repository
from treering.model.scope import HEADS, REMOTES


def fetch_refspec(remote: str) -> str:
    return f"+{HEADS}*:{REMOTES}{remote}/heads/*"


def is_automatic(repository: Repository) -> bool:
    """Whether memories travel with the code, as `treering init --sync` sets it up."""
    said = repository.config("treering.sync") or "false"
    return said.lower() in ("true", "yes", "on", "1")


def shared_through(repository: Repository) -> str:
    """The remote memories are shared through, or nothing."""
    there = repository.remotes()
    named = repository.config("treering.remote")
    return named if named in there else there[0] if there and not named else ""


def wrong(repository: Repository) -> bool:
    """Whether fetching should bring memories and does not: `git remote rename` leaves our line as
    it was."""
    remote = shared_through(repository)
    if not is_automatic(repository) or not remote:
        return False
    return fetch_refspec(remote) not in _lines(repository, remote)


def repair(repository: Repository) -> bool:
    """Put the line right where memories are to come along; whether something was changed."""
    if not wrong(repository):
        return False
    set_up(repository, shared_through(repository))
    return True


def set_up(repository: Repository, remote: str) -> None:
    """Let `git fetch REMOTE` bring memories, too; a line for another name of it goes."""
    take_away(repository, remote)
    process.run(
        repository.common_dir,
        *("config", "--local", "--add", f"remote.{remote}.fetch", fetch_refspec(remote)),
    )


def take_away(repository: Repository, remote: str) -> None:
    for line in _lines(repository, remote):
        if line.startswith(f"+{HEADS}"):
            process.run(
                repository.common_dir,
                *("config", "--local", "--fixed-value", "--unset-all", f"remote.{remote}.fetch"),
                line,
                may_fail=(5,),
            )


def _lines(repository: Repository, remote: str) -> list[str]:
    text = process.run(
        repository.common_dir,
        *("config", "--local", "--get-all", f"remote.{remote}.fetch"),
        may_fail=(1,),
    )
    return text.decode(errors="surrogateescape").splitlines()
