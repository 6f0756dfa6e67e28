"""What remotes said when they were last asked: HEAD, branches that others land on, and whether they
have memories. Kept in a small file until the next sync, so that only that needs the network.

A remote is a stranger: names it chose are checked when they are read, and are never more than data.
"""

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from treering.git import files
from treering.git.binding import reference_is_valid_name
from treering.git.repository import Repository
from treering.model.value import NamedTuple

_FILE = "treering/cache/remotes.json"
#: Beyond this much the file is not ours, and beyond so many branches a remote is not believed.
_MOST_BYTES, _MOST_BRANCHES = 256 * 1024, 200
_OID = r"[0-9a-f]{40}"


class RemoteAnswer(NamedTuple):
    """What one remote said; `former` are names the branch of its HEAD had before."""

    head: str
    branches: dict[str, str]
    has_memories: bool
    former: tuple[str, ...] = ()


_State = tuple[int, ...]
_known: WeakKeyDictionary[Repository, tuple[_State, dict[str, object]]] = WeakKeyDictionary()


def read_answers(repository: Repository) -> dict[str, RemoteAnswer]:
    """What each remote said, `treering.remote` first; one whose url is another by now said nothing
    yet."""
    lines = _read(repository)
    first = repository.config("treering.remote")
    names = sorted(repository.remotes(), key=lambda name: name != first) if lines else []
    pairs = ((name, _parse(lines.get(name), _mark(repository, name))) for name in names)
    return {name: answer for name, answer in pairs if answer}


def keep_answer(
    repository: Repository, remote: str, answer: RemoteAnswer, wanted: Iterable[str]
) -> None:
    """Write down what a remote said: of its branches the first of the `wanted` names."""
    chosen = [name for name in dict.fromkeys(wanted) if name in answer.branches]
    line = {
        "url": _mark(repository, remote),
        "head": answer.head,
        "branches": {name: answer.branches[name] for name in chosen[:_MOST_BRANCHES]},
        "memories": answer.has_memories,
        "former": list(answer.former),
    }
    lines = _read(repository)
    if lines.get(remote) != line:
        there = {name: lines[name] for name in repository.remotes() if name in lines}
        text = json.dumps(there | {remote: line}, indent=1, sort_keys=True)
        files.keep_file(repository.common_dir / _FILE, text + "\n", levels=2)


def is_branch_name(name: object) -> bool:
    """Whether a name from elsewhere can be a branch's, and be shown."""
    if not isinstance(name, str) or not name.isprintable() or len(name) > 250:
        return False
    return bool(reference_is_valid_name(f"refs/heads/{name}"))


def _mark(repository: Repository, remote: str) -> str:
    """A url by its hash: it may hold a password."""
    url = repository.config(f"remote.{remote}.url") or ""
    return sha256(url.encode(errors="surrogateescape")).hexdigest()[:16]


def _read(repository: Repository) -> dict[str, object]:
    """The file's lines as they are, read anew when it was replaced."""
    path = f"{repository.common_dir}/{_FILE}"
    state = files.state_of(path)
    if not state:
        return {}
    if _known.get(repository, ((), {}))[0] != state:
        _known[repository] = (state, _load(Path(path)))
    return _known[repository][1]


def _load(path: Path) -> dict[str, object]:
    try:
        text = files.read_file(path)
        lines = json.loads(text) if len(text) <= _MOST_BYTES else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return lines if isinstance(lines, dict) else {}


def _parse(line: Any, mark: str) -> RemoteAnswer | None:
    """A line of the file, if all of it is as we write it."""
    if not isinstance(line, dict) or line.get("url") != mark:
        return None
    head, branches, former = line.get("head"), line.get("branches"), line.get("former")
    if not isinstance(branches, dict) or not isinstance(former, list):
        return None
    if head != "" and not is_branch_name(head):
        return None
    if not all(map(is_branch_name, (*branches, *former))) or not all(_oids(branches)):
        return None
    return RemoteAnswer(str(head), branches, line.get("memories") is True, tuple(former))


def _oids(branches: dict[str, object]) -> Iterator[bool]:
    return (isinstance(oid, str) and bool(re.fullmatch(_OID, oid)) for oid in branches.values())
