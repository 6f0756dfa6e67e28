"""The trunk as memories record it: what most people's newest memory commits call it.

A clone of a clone, a shallow one or a restored mirror has no other way to know. Counting reads many
commits, so the result is kept until a fetch brings others.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from weakref import WeakKeyDictionary

from treering.branches.remote_answers import is_branch_name
from treering.errors import StoreDamaged
from treering.git import files, refs
from treering.git.objects import CommitInfo
from treering.git.repository import Repository
from treering.model.scope import REMOTES, Scope, is_utf8
from treering.store import message
from treering.store.fetched import list_fetched

#: So many of the newest memory commits are asked; of those who wrote them, each has one voice.
_MOST_COMMITS = 500

_State = list[list[int]]
_known: WeakKeyDictionary[Repository, tuple[_State, list[str]]] = WeakKeyDictionary()


def list_recorded(repository: Repository, usual: Iterable[str]) -> list[str]:
    """The names fetched memories give the trunk, most voices first; where nothing was fetched or
    says so, what those of branches with `usual` names say, and of the one we are on."""
    return _list_fetched(repository) or _count(_read_own(repository, usual))


def _read_own(repository: Repository, usual: Iterable[str]) -> Iterator[CommitInfo]:
    """The newest memory commit of each: what this clone knew itself is not worth a long look."""
    for branch in filter(is_utf8, dict.fromkeys((*usual, repository.head().branch or ""))):
        with suppress(StoreDamaged):
            if tip := refs.read(repository.handle, Scope(branch).ref):
                yield repository.objects.commit(tip)


def _list_fetched(repository: Repository) -> list[str]:
    state = _state(repository)
    if not any(state):
        return []
    if _known.get(repository, ([], []))[0] != state:
        _known[repository] = (state, _load(repository, state))
    return _known[repository][1]


def _state(repository: Repository) -> _State:
    """Changes whenever a fetched ref does: a ref is written beside and moved into its folder, or
    packed."""
    top = str(repository.common_dir)
    places = [f"{top}/packed-refs"]
    for remote in repository.remotes():
        places.append(f"{top}/{REMOTES}{remote}/heads")
        clones = repository.common_dir / f"{REMOTES}{remote}/clones"
        with suppress(OSError):
            places += (str(folder) for folder in sorted(clones.iterdir()))
    return [list(files.state_of(place)) for place in places]


def _load(repository: Repository, state: _State) -> list[str]:
    """From the file of the last count, if nothing was fetched since; else counted."""
    path = repository.common_dir / "treering" / "cache" / "trunk.json"
    if (names := _read(path, state)) is not None:
        return names
    tips = [head.tip for head in list_fetched(repository)]
    names = _count(repository.objects.newest(tips, _MOST_COMMITS))
    if tips:
        text = json.dumps({"state": state, "names": names})
        files.keep_file(path, text, levels=2)
    return names


def _read(path: Path, state: _State) -> list[str] | None:
    try:
        kept = json.loads(files.read_file(path))
        names = kept["names"] if kept["state"] == state else None
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return names if isinstance(names, list) and all(map(is_branch_name, names)) else None


def _count(commits: Iterable[CommitInfo]) -> list[str]:
    """Names by the number of people whose newest record says so; of equal ones the newer first."""
    voices: dict[str, str] = {}
    for commit in commits:
        name = message.read(commit.message).code.trunk
        if name and is_branch_name(name):
            voices.setdefault(commit.author, name)
    return [name for name, _ in Counter(voices.values()).most_common()]
