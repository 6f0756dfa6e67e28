"""How fresh the hub is: when a repository was last looked at, and whether it has gone on since."""

from treering.errors import TreeringError
from treering.hub.hub import RepositoryRecord
from treering.hub.names import RepoFreshness
from treering.hub.source import (
    choose_heads,
    digest_of,
    list_local,
    list_prefixes,
    open_local,
    read_heads,
)


def freshness_of(record: RepositoryRecord) -> RepoFreshness:
    return RepoFreshness(record.name, record.updated, is_behind(record))


def is_behind(record: RepositoryRecord) -> bool:
    """Never updated, not at the last try, or on this machine and moved on since.

    A remote is not asked: whoever recalls does not wait for a network.
    """
    if not record.updated or record.error:
        return True
    try:
        local = open_local(record.url)
        if local is None:
            return False
        components = None if record.all_branches else record.state.components
        all_heads = read_heads(list_local(local), list_prefixes(local))
        heads = choose_heads(all_heads, components)
    except (TreeringError, OSError):
        return True
    return digest_of(heads) != record.state.fingerprint
