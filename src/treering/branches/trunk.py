"""The trunk: the branch everything lands on, known locally and by its remotes.

Looked for at every call, so nothing here starts a process or reads more than a few refs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from treering.branches.remote_answers import RemoteAnswer, is_branch_name, keep_answer, read_answers
from treering.errors import StoreDamaged
from treering.git import files, refs
from treering.git.objects import CommitInfo
from treering.git.repository import Repository
from treering.model.scope import REMOTES, Scope, is_utf8
from treering.model.value import NamedTuple
from treering.store import message
from treering.store.fetched import list_fetched

if TYPE_CHECKING:
    from treering.git.remote import RemoteListing

_USUAL = ("main", "master", "trunk", "develop")
#: Names of branches that others may land on, too, and folders of such.
_OFTEN_NAMES, _OFTEN_FOLDERS = ("dev", "next"), ("release/", "stable/")
#: So many of the newest memory commits are asked; of those who wrote them, each has one voice.
_MOST_COMMITS = 500

_MOST_VOICES = 64  # that are kept

_RefState = list[list[int]]
#: Who wrote a memory commit, and which name of the trunk it records.
_Voice = tuple[str, str]
_known_names: WeakKeyDictionary[Repository, tuple[_RefState, list[str]]] = WeakKeyDictionary()
_known_voices: WeakKeyDictionary[Repository, dict[str, _Voice]] = WeakKeyDictionary()


class TrunkName(NamedTuple):
    """The trunk's name, and whether someone told it: a guess is recorded nowhere."""

    name: str
    is_told: bool


def trunk_of(repository: Repository) -> str:
    return find_trunk(repository).name


def find_trunk(repository: Repository) -> TrunkName:
    """Which branch is the trunk.

    1 `treering.trunk`, the first of several
    2 what most people's memories record, by its new name where it was renamed
    3 the remote's HEAD, if its name is usual or no branch has a usual one
    4 a guess: the first usual name there is; else the only branch, or what HEAD names
    """
    if named := repository.config_values("treering.trunk"):
        return TrunkName(named[0], True)
    usual = usual_names(repository)
    for name in list_recorded(repository, usual):
        if new := _renamed_to(repository, name):
            return TrunkName(new, True)
        if _exists(repository, name):
            return TrunkName(name, True)
    first = _first_usual(repository, usual)
    return _remote_head(repository, usual, first) or TrunkName(first or _guess(repository), False)


def usual_names(repository: Repository) -> list[str]:
    named = repository.config("init.defaultBranch") or ""
    return list(dict.fromkeys((*_USUAL, named) if is_branch_name(named) else _USUAL))


def is_often_long_lived(name: str) -> bool:
    return name in _OFTEN_NAMES or name.startswith(_OFTEN_FOLDERS)


def _first_usual(repository: Repository, usual: list[str]) -> str:
    """The first usual name of a branch here or on a remote, else of memories that were fetched: a
    build often has the code of one branch, and the memories of all."""
    for has in (has_branch, _has_fetched_scope):
        for name in usual:
            if has(repository, name):
                return name
    return ""


def _remote_head(repository: Repository, usual: list[str], first: str) -> TrunkName | None:
    """What a remote calls its HEAD, as it last said, else as it was cloned.

    A clone of someone's clone was told the branch that one is on; that it is the trunk is believed
    where the remote itself listed its branches, and none has a usual name.
    """
    answers = read_answers(repository)
    for remote in dict.fromkeys((*answers, *repository.remotes())):
        answer = answers.get(remote)
        head = (answer and answer.head) or repository.remote_head(remote) or ""
        head = _renamed_to(repository, head) or head if head else ""
        if not is_branch_name(head) or not (answer or _exists(repository, head)):
            continue  # after a prune `refs/remotes/*/HEAD` may name what is no more
        if head in usual:
            return TrunkName(head, True)
        if not first and not (answer and any(name in answer.branches for name in usual)):
            return TrunkName(head, answer is not None)
    return None


def _guess(repository: Repository) -> str:
    """In a repository without any usual name: the branch HEAD names, while it is the only one."""
    others = list(repository.branches())
    if len(others) > 1:
        return _USUAL[0]
    return others[0] if others else repository.head().branch or _USUAL[0]


# --- what there is --------------------------------------------------------------------------------


def has_branch(repository: Repository, name: str) -> bool:
    """Whether there is such a branch, here or on a remote."""
    return bool(repository.tip_of(name)) or any(
        repository.remote_tip_of(remote, name) for remote in repository.remotes()
    )


def _exists(repository: Repository, name: str) -> bool:
    """Whether there is such a branch, or memories of one."""
    return has_branch(repository, name) or bool(_scope_tips(repository, name))


def _has_fetched_scope(repository: Repository, name: str) -> bool:
    return bool(_fetched_tips(repository, name))


def _scope_tips(repository: Repository, name: str) -> list[str]:
    if not is_utf8(name):
        return []
    return [*_read_refs(repository, [Scope(name).ref]), *_fetched_tips(repository, name)]


def _fetched_tips(repository: Repository, name: str) -> list[str]:
    component = Scope(name).component
    return [head.tip for head in list_fetched(repository) if head.component == component]


def _read_refs(repository: Repository, names: Iterable[str]) -> list[str]:
    found = []
    for name in names:
        try:
            found.append(refs.read(repository.handle, name))
        except StoreDamaged:
            continue
    return [tip for tip in found if tip]


# --- names it had before --------------------------------------------------------------------------


def former_names(repository: Repository, trunk: str) -> list[str]:
    """The names the trunk had before a remote renamed it; memories under them are its own."""
    answers = read_answers(repository).values()
    found = [name for answer in answers if answer.head == trunk for name in answer.former]
    found += [
        name for name in _list_pruned(repository) if _pruned_became(repository, name) == trunk
    ]
    return [name for name in dict.fromkeys(found) if name != trunk]


def _renamed_to(repository: Repository, name: str) -> str:
    for answer in read_answers(repository).values():
        if name in answer.former:
            return answer.head
    return _pruned_became(repository, name) if name in _list_pruned(repository) else ""


def _list_pruned(repository: Repository) -> list[str]:
    """Branches that were a remote's HEAD when it was cloned, and which a prune found gone."""
    heads = ((remote, repository.remote_head(remote)) for remote in repository.remotes())
    return [name for r, name in heads if name and not repository.remote_tip_of(r, name)]


def _pruned_became(repository: Repository, name: str) -> str:
    """The branch of a usual name that holds the last commit known of one that is gone."""
    if has_branch(repository, name):
        return ""
    last = _recorded_code(repository, name)
    for usual in usual_names(repository):
        if usual != name and _holds(repository, tips_of(repository, usual), last):
            return usual
    return ""


def note_listing(
    repository: Repository, remote: str, listing: RemoteListing, memories: bool
) -> None:
    """Keep what a remote just said, and see whether it renamed the trunk."""
    before = read_answers(repository).get(remote)
    head = listing.head if is_branch_name(listing.head) else ""
    branches = {name: oid for name, oid in listing.branches.items() if is_branch_name(name)}
    usual = usual_names(repository)
    trunks = list_recorded(repository, usual)
    earlier = [
        *(before.former if before else ()),
        *([before.head] if before and before.head else []),
        *trunks,
    ]
    former = [
        name
        for name in dict.fromkeys(earlier)
        if name != head
        and name not in branches
        and _is_now(repository, remote, name, head, branches, before)
    ]
    wanted = [head, *trunks, *usual, *repository.config_values("treering.trunk")]
    wanted += sorted(name for name in branches if is_often_long_lived(name))
    answer = RemoteAnswer(head, branches, memories, tuple(former))
    keep_answer(repository, remote, answer, wanted)


def _is_now(
    repository: Repository,
    remote: str,
    name: str,
    head: str,
    branches: dict[str, str],
    before: RemoteAnswer | None,
) -> bool:
    """Whether a branch that a remote no longer has is now the one of its HEAD.

    Where the history that would tell is not here, it is believed, unless the branch still is.
    """
    if before and name in before.former and head == before.head:
        return True
    usual = usual_names(repository)
    if head not in usual and (name in usual or any(other in branches for other in usual)):
        return False  # the clone of someone who works on that branch
    known = [before.branches.get(name) if before else None, repository.remote_tip_of(remote, name)]
    last = [tip for tip in known if tip]
    last = last or [tip for tip in (repository.tip_of(name),) if tip]
    last = last or _recorded_code(repository, name)
    tips = [*([branches[head]] if head in branches else []), *tips_of(repository, head)]
    holds = _holds(repository, tips, last)
    return repository.tip_of(name) is None if holds is None else holds


def _recorded_code(repository: Repository, name: str) -> list[str]:
    """The code that the newest memories of a branch were made beside."""
    found: list[str | None] = []
    for tip in _scope_tips(repository, name):
        try:
            code = message.read(repository.objects.commit(tip).message).code
        except StoreDamaged:
            continue
        found += [code.head, code.base]
    return [oid for oid in dict.fromkeys(found) if oid]


def _holds(repository: Repository, tips: list[str], commits: list[str]) -> bool | None:
    """Whether one of the tips has one of some commits in its history; None: it cannot be told."""
    if any(repository.is_ancestor(commit, tip) for commit in commits for tip in tips):
        return True
    here = [repository.resolve(oid) for oid in (*tips, *commits)]
    is_known = bool(tips and commits) and all(here) and not repository.is_shallow
    return False if is_known else None


# --- where its code is ----------------------------------------------------------------------------


def tips_of(repository: Repository, branch: str) -> list[str]:
    """Where a branch's code is: here, and what each remote was last seen to have.

    A pull request squashed on the server is in origin/main long before it is in main.
    """
    tips = [repository.tip_of(branch)]
    tips += [repository.remote_tip_of(remote, branch) for remote in repository.remotes()]
    return list(dict.fromkeys(tip for tip in tips if tip))


def trunk_tips(repository: Repository, trunk: str) -> list[str]:
    return tips_of(repository, trunk)


def is_in_trunk(repository: Repository, trunk: str, commit: str) -> bool:
    return any(repository.is_ancestor(commit, tip) for tip in trunk_tips(repository, trunk))


# --- as memories record it: a clone of a clone, a shallow one or a restored mirror has no other way
# to know. Counting reads many commits, so the result is kept until a fetch brings others. ---------


def list_recorded(repository: Repository, usual: Iterable[str]) -> list[str]:
    """The names fetched memories give the trunk, most voices first; where nothing was fetched or
    says so, what those of branches with `usual` names say, and of the one we are on."""
    return _list_fetched(repository) or _count_voices(_read_own(repository, usual))


def _read_own(repository: Repository, usual: Iterable[str]) -> Iterator[_Voice]:
    """The newest memory commit of each: what this clone knew itself is not worth a long look."""
    known = _known_voices.setdefault(repository, {})
    for branch in filter(is_utf8, dict.fromkeys((*usual, repository.head().branch or ""))):
        with suppress(StoreDamaged):
            if tip := refs.read(repository.handle, Scope(branch).ref):
                yield known.get(tip) or _note_voice(known, repository.objects.commit(tip))


def _note_voice(known: dict[str, _Voice], commit: CommitInfo) -> _Voice:
    """What a commit says, kept: every call asks the same few."""
    if len(known) >= _MOST_VOICES:
        known.clear()
    known[commit.oid] = voice = _voice_of(commit)
    return voice


def _list_fetched(repository: Repository) -> list[str]:
    state = _fetched_state(repository)
    if not any(state):
        return []
    if _known_names.get(repository, ([], []))[0] != state:
        _known_names[repository] = (state, _load_names(repository, state))
    return _known_names[repository][1]


def _fetched_state(repository: Repository) -> _RefState:
    """Changes whenever a fetched ref does: a ref is written beside and moved into its folder, or
    packed."""
    top = repository.common_dir
    places = [top / "packed-refs"]
    for remote in repository.remotes():
        places.append(top / f"{REMOTES}{remote}/heads")
        with suppress(OSError):
            places += sorted((top / f"{REMOTES}{remote}/clones").iterdir())
    return [list(files.state_of(str(place))) for place in places]


def _load_names(repository: Repository, state: _RefState) -> list[str]:
    """From the file of the last count, if nothing was fetched since; else counted."""
    path = repository.common_dir / "treering" / "cache" / "trunk.json"
    if (names := _read_names(path, state)) is not None:
        return names
    tips = [head.tip for head in list_fetched(repository)]
    names = _count_voices(map(_voice_of, repository.objects.newest(tips, _MOST_COMMITS)))
    if tips:
        text = json.dumps({"state": state, "names": names})
        files.keep_file(path, text, levels=2)
    return names


def _read_names(path: Path, state: _RefState) -> list[str] | None:
    try:
        kept = json.loads(files.read_file(path))
        names = kept["names"] if kept["state"] == state else None
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return names if isinstance(names, list) and all(map(is_branch_name, names)) else None


def _voice_of(commit: CommitInfo) -> _Voice:
    name = message.read(commit.message).code.trunk
    return commit.author, name if is_branch_name(name) else ""


def _count_voices(records: Iterable[_Voice]) -> list[str]:
    """Names by the number of people whose newest record says so; of equal ones the newer first."""
    voices: dict[str, str] = {}
    for author, name in records:
        if name:
            voices.setdefault(author, name)
    return [name for name, _ in Counter(voices.values()).most_common()]
