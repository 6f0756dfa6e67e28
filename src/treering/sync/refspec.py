"""Memories that come along with `git fetch`: one line in git's configuration, kept right.

Never straight into our own refs: a `git fetch --prune` would throw away what was not pushed yet.
"""

from treering.errors import Invalid, SyncRefused
from treering.git import config
from treering.git.binding import reference_is_valid_name
from treering.git.repository import Repository
from treering.model.scope import CLONES, REFS, REMOTES


def fetch_refspec(remote: str, prefix: str = CLONES) -> str:
    """Into a place of our own: fetched straight into `heads`, a prune would delete memories."""
    return f"+{prefix}*:{REMOTES}{remote}/clones/*"


def prefix_of(repository: Repository) -> str:
    """Below which name memories lie on a remote. A host may allow branches only: then
    `treering.remoteprefix` chooses a place, the same for all who share."""
    setting = repository.config("treering.remoteprefix")
    if not setting:
        return CLONES
    prefix = f"{setting.rstrip('/')}/"
    if not prefix.startswith("refs/") or not reference_is_valid_name(f"{prefix}clone/main"):
        raise Invalid(
            f"treering.remoteprefix {setting!r} is not the beginning of a ref.",
            hint="`git config treering.remoteprefix refs/heads/treering` is one.",
        )
    return prefix


def is_for_memories(line: str) -> bool:
    """Return whether a line of the configuration brings memories to a place of ours. What someone
    copies elsewhere is theirs."""
    return f":{REFS}" in line


def is_automatic(repository: Repository) -> bool:
    """Return whether memories travel with the code, as `treering init --sync` sets it up."""
    setting = repository.config("treering.sync") or "false"
    return setting.lower() in ("true", "yes", "on", "1", "wait")


def find_sharing_remote(repository: Repository) -> str:
    """The remote memories are shared through, or nothing."""
    remotes = repository.remotes()
    setting = repository.config("treering.remote")
    return setting if setting in remotes else remotes[0] if remotes and not setting else ""


def wrong(repository: Repository) -> list[str]:
    """The remotes whose line is missing or names another one: `git remote rename` leaves it so.

    A remote without any line for branches gets none: alone, ours would change what a plain
    `git fetch` does.
    """
    if not is_automatic(repository) and not _is_mentioned(repository):
        return []
    lines = _lines(repository)
    target = find_sharing_remote(repository) if is_automatic(repository) else ""
    remotes = []
    for remote, values in lines.items():
        ours = [value for value in values if is_for_memories(value)]
        is_missing = remote == target and not ours and len(values) > 0
        right = fetch_refspec(remote, prefix_of(repository))
        if is_missing or any(value != right for value in ours):
            remotes.append(remote)
    return remotes


def repair(repository: Repository) -> bool:
    """Let `git fetch REMOTE` bring memories, too, and under no other name; return whether something
    was changed."""
    remotes = wrong(repository)
    for remote in remotes:
        for line in filter(is_for_memories, _lines(repository).get(remote, [])):
            config.unset(repository.common_dir, f"remote.{remote}.fetch", line)
        line = fetch_refspec(remote, prefix_of(repository))
        config.add(repository.common_dir, f"remote.{remote}.fetch", line)
    return bool(remotes)


def _is_mentioned(repository: Repository) -> bool:
    """Return whether the configuration speaks of our refs at all; most never do, and git is not
    asked."""
    try:
        return REMOTES.encode() in (repository.common_dir / "config").read_bytes()
    except OSError:
        return False


def _lines(repository: Repository) -> dict[str, list[str]]:
    """Return what each remote fetches."""
    lines: dict[str, list[str]] = {}
    for key, value in config.read_matching(repository.common_dir, r"^remote\..*\.fetch$"):
        remote = key.removeprefix("remote.").removesuffix(".fetch")
        lines.setdefault(remote, []).append(value)
    return lines


def find_remote(repository: Repository, name: str = "") -> str:
    """The remote memories go through: as asked, `treering.remote`, origin, or the only one."""
    remotes = repository.remotes()
    remote = name or repository.config("treering.remote") or (remotes[0] if remotes else "")
    if not remote:
        raise SyncRefused(
            "This repository has no remote.", hint="`git remote add origin URL` adds one."
        )
    if remote not in remotes:
        names = (
            f"There are: {', '.join(remotes)}."
            if remotes
            else "`git remote add NAME URL` adds one."
        )
        raise SyncRefused(f"There is no remote {remote!r}.", hint=names)
    return remote
