"""What the embedded hub knows of a repository, as a small file: replaced whole, or not at all."""

import json
from pathlib import Path
from typing import Any

from treering.errors import Invalid
from treering.git.files import read_file, replace_file
from treering.hub.hub import RepositoryRecord
from treering.hub.mirror import MirrorLayer, MirrorState
from treering.hub.names import check_name

_FILE = "repository.json"
_FORMAT = 1


def write_record(folder: Path, record: RepositoryRecord) -> None:
    state = record.state._asdict()
    state["layers"] = [layer._asdict() for layer in record.state.layers]
    values = {"format": _FORMAT, **record._asdict(), "state": state}
    text = json.dumps(values, indent=1, ensure_ascii=True)
    replace_file(folder / _FILE, text.encode(), mode=0o600, is_synced=True)


def read_record(folder: Path) -> RepositoryRecord | None:
    """The record in a folder; None where there is none that could be ours."""
    try:
        values = json.loads(read_file(folder / _FILE))
        if values.pop("format") != _FORMAT:
            return None
        state = values.pop("state")
        layers = tuple(MirrorLayer(**layer) for layer in state.pop("layers"))
        pairs: dict[str, Any] = {
            key: tuple(v) if isinstance(v, list) else v for key, v in state.items()
        }
        record = RepositoryRecord(**values, state=MirrorState(**pairs, layers=layers))
        check_name(record.name)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, Invalid):
        return None
    return record
