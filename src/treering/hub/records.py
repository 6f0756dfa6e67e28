"""A repository as the hub knows it: the small file of an embedded hub, replaced whole or not at
all, and how fresh that knowledge is."""

import json
from pathlib import Path
from typing import Any

from treering.errors import Invalid, TreeringError
from treering.git.files import read_file, replace_file
from treering.hub.hub import RepositoryRecord
from treering.hub.mirror import MirrorLayer, MirrorState
from treering.hub.names import RepoFreshness, check_name
from treering.hub.source import (
    choose_heads,
    digest_of,
    list_local,
    list_prefixes,
    open_local,
    read_heads,
)

_FILE = "repository.json"
_FORMAT = 1


def write_record(folder: Path, record: RepositoryRecord) -> None:
    values = {"format": _FORMAT, **record._asdict(), "state": state_values(record.state)}
    text = json.dumps(values, indent=1, ensure_ascii=True)
    replace_file(folder / _FILE, text.encode(), mode=0o600, is_synced=True)


def read_record(folder: Path) -> RepositoryRecord | None:
    """The record in a folder; None where there is none that could be ours."""
    try:
        values = json.loads(read_file(folder / _FILE))
        if values.pop("format") != _FORMAT:
            return None
        record = RepositoryRecord(**values | {"state": read_state(values["state"])})
        check_name(record.name)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, Invalid):
        return None
    return record


def state_values(state: MirrorState) -> dict[str, object]:
    """A state as it is written down."""
    return {**state._asdict(), "layers": [layer._asdict() for layer in state.layers]}


def read_state(values: dict[str, Any]) -> MirrorState:
    """The state in what was written down."""
    if not values:
        return MirrorState()
    layers = tuple(MirrorLayer(**layer) for layer in values["layers"])
    pairs: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }
    return MirrorState(**pairs | {"layers": layers})


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
