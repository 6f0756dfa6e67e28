"""The trunk: the branch everything lands on, known locally and by its remotes.

It is asked for at every call, so nothing here starts a process or reads more than a few refs. What
a remote said when it was last asked is kept in git's configuration, one line per remote, until the
next sync. A remote is a stranger: names it chose are checked, and are never more than data.
"""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from treering.errors import StorageFailed, StoreDamaged
from treering.git import config, refs
from treering.git.binding import reference_is_valid_name
from treering.git.repository import Repository
from treering.model.scope import Scope, is_utf8
from treering.store import message
from treering.store.fetched import list_fetched

if TYPE_CHECKING:
    from treering.git.remote import RemoteListing

_USUAL = ("main", "master", "trunk", "develop")
#: Names of branches that others may land on, too, and folders of such.
_OFTEN_NAMES, _OFTEN_FOLDERS = ("dev", "next"), ("release/", "stable/")


def trunk_of(repository: Repository) -> str:
    """Return the name of the trunk, which is found once in a call.

    1 `treering.trunk`, the first of several
    2 the remote's HEAD, if its name is usual or no branch there has a usual one
    3 the first usual name there is; else the only branch, or what HEAD names
    """
    return repository.find_once("trunk", lambda: _find_trunk(repository))


def _find_trunk(repository: Repository) -> str:
    if named := repository.config_values("treering.trunk"):
        return named[0]
    for answer in read_answers(repository).values():
        if answer.head:
            return _pruned_became(repository, answer.head) or answer.head
    usual = usual_names(repository)
    for remote in repository.remotes():  # as it was cloned
        head = repository.remote_head(remote) or ""
        if head in _list_pruned(repository):
            head = _pruned_became(repository, head) or head
        is_there = is_branch_name(head) and has_branch(repository, head)
        if is_there and (head in usual or not _first_usual(repository, usual)):
            return head
    return _first_usual(repository, usual) or _guess(repository)


def usual_names(repository: Repository) -> list[str]:
    named = repository.config("init.defaultBranch") or ""
    return list(dict.fromkeys((*_USUAL, named) if is_branch_name(named) else _USUAL))


def is_often_long_lived(name: str) -> bool:
    return name in _OFTEN_NAMES or name.startswith(_OFTEN_FOLDERS)


def _first_usual(repository: Repository, usual: list[str]) -> str:
    """Return the first usual name of a branch here or on a remote, else of memories that were
    fetched: a build often has the code of one branch, and the memories of all."""
    there = (name for name in usual if has_branch(repository, name))
    fetched = (name for name in usual if _fetched_tips(repository, name))
    return next(chain(there, fetched), "")


def _guess(repository: Repository) -> str:
    """In a repository without any usual name: the branch HEAD names, while it is the only one."""
    others = list(repository.branches())
    if len(others) > 1:
        return _USUAL[0]
    return others[0] if others else repository.head().branch or _USUAL[0]


def is_branch_name(name: object) -> bool:
    """Return whether a name from elsewhere can be a branch's, and be shown."""
    if not isinstance(name, str) or not name.isprintable() or len(name) > 250:
        return False
    return bool(reference_is_valid_name(f"refs/heads/{name}"))


# --- what there is --------------------------------------------------------------------------------


def has_branch(repository: Repository, name: str) -> bool:
    """Return whether there is such a branch, here or on a remote."""
    return bool(repository.tip_of(name)) or any(
        repository.remote_tip_of(remote, name) for remote in repository.remotes()
    )


def _fetched_tips(repository: Repository, name: str) -> list[str]:
    if not is_utf8(name):
        return []
    component = Scope(name).component
    return [head.tip for head in list_fetched(repository) if head.component == component]


# --- what remotes said ----------------------------------------------------------------------------


class RemoteAnswer(NamedTuple):
    """A remote's trunk as it said: its name, its commit, and the names it had before."""

    head: str
    tip: str
    has_memories: bool
    former: tuple[str, ...] = ()


def read_answers(repository: Repository) -> dict[str, RemoteAnswer]:
    """Return what each remote said, `treering.remote` first; one whose url has changed since said
    nothing yet."""
    first = repository.config("treering.remote")
    answers = {}
    for remote in sorted(repository.remotes(), key=lambda name: name != first):
        line = repository.config(f"remote.{remote}.treering")
        if line and (answer := _parse_answer(line, _mark_url(repository, remote))):
            answers[remote] = answer
    return answers


def _parse_answer(line: str, mark: str) -> RemoteAnswer | None:
    """Read one line, if all of it is as `note_listing` writes it."""
    fields: dict[str, list[str]] = {}
    for word in line.split(" "):
        key, _, value = word.partition("=")
        fields.setdefault(key, []).append(value)
    head, tip = fields.get("head", [""])[0], fields.get("tip", [""])[0]
    former = tuple(fields.get("former", ()))
    if fields.get("url") != [mark] or (tip and not re.fullmatch("[0-9a-f]{40}", tip)):
        return None
    if not all(map(is_branch_name, (*([head] if head else ()), *former))):
        return None
    return RemoteAnswer(head, tip, fields.get("memories") == ["yes"], former)


def _mark_url(repository: Repository, remote: str) -> str:
    """Return a hash of a remote's url: the url may hold a password."""
    url = repository.config(f"remote.{remote}.url") or ""
    return sha256(url.encode(errors="surrogateescape")).hexdigest()[:16]


def note_listing(
    repository: Repository, remote: str, listing: RemoteListing, has_memories: bool
) -> None:
    """Keep what a remote just said, and see whether it renamed the trunk."""
    before, trunk = read_answers(repository).get(remote), trunk_of(repository)
    names = usual_names(repository)
    remembered = [name for name in names if _fetched_tips(repository, name)]
    usual = [name for name in names if name in listing.branches] or remembered
    head = listing.head if is_branch_name(listing.head) else ""
    if head not in usual and usual:
        head = usual[0]  # the clone of someone who works on that branch
    # In a clone made after a rename only the memories know the former name.
    earlier = [*(before.former if before else ()), before.head if before else "", trunk]
    earlier += remembered
    former = [
        name
        for name in dict.fromkeys(filter(None, earlier))
        if head and name != head and name not in listing.branches
        and (
            (before and name in before.former and head == before.head)
            or _is_now(repository, remote, name, head, listing.branches, before)
        )
    ]  # fmt: skip
    words = [f"url={_mark_url(repository, remote)}", f"memories={'yes' if has_memories else 'no'}"]
    words += [f"head={head}", f"tip={listing.branches.get(head, '')}"] if head else []
    line = " ".join([*words, *(f"former={name}" for name in former)])
    if repository.config(f"remote.{remote}.treering") != line:
        with suppress(StorageFailed):  # a repository that may only be read asks again next time
            config.put(repository.common_dir, f"remote.{remote}.treering", line)


def _is_now(
    repository: Repository,
    remote: str,
    name: str,
    head: str,
    branches: dict[str, str],
    before: RemoteAnswer | None,
) -> bool:
    """Return whether a branch that a remote no longer has is now the one of its HEAD.

    Where the history that would tell is not here, it is believed, unless the branch still is.
    """
    known = [before.tip if before and before.head == name else "", repository.tip_of(name)]
    known.insert(1, repository.remote_tip_of(remote, name))
    last = next(([tip] for tip in known if tip), []) or _recorded_code(repository, name)
    tips = [*([branches[head]] if head in branches else []), *tips_of(repository, head)]
    holds = _holds(repository, tips, last)
    return repository.tip_of(name) is None if holds is None else holds


# --- names it had before --------------------------------------------------------------------------


def former_names(repository: Repository, trunk: str) -> list[str]:
    """Return the names the trunk had before a remote renamed it; memories under them are its
    own."""
    answers = read_answers(repository).values()
    found = [name for answer in answers if answer.head == trunk for name in answer.former]
    pruned = [*_list_pruned(repository), *(answer.head for answer in answers if answer.head)]
    found += [name for name in pruned if _pruned_became(repository, name) == trunk]
    return [name for name in dict.fromkeys(found) if name != trunk]


def _list_pruned(repository: Repository) -> list[str]:
    """Return branches that were a remote's HEAD when it was cloned, and which a prune found
    gone."""
    heads = ((remote, repository.remote_head(remote)) for remote in repository.remotes())
    return [name for r, name in heads if name and not repository.remote_tip_of(r, name)]


def _pruned_became(repository: Repository, name: str) -> str:
    """Return the branch of a usual name that holds the last commit known of one that is gone."""
    if has_branch(repository, name):
        return ""
    last = _recorded_code(repository, name)
    for usual in usual_names(repository):
        if usual != name and _holds(repository, tips_of(repository, usual), last):
            return usual
    return ""


def _recorded_code(repository: Repository, name: str) -> list[str]:
    """Return the code that the newest memories of a branch were made beside."""
    found: list[str | None] = []
    tips = _fetched_tips(repository, name)
    if is_utf8(name):
        with suppress(StoreDamaged):
            tips += filter(None, [refs.read(repository.handle, Scope(name).ref)])
    for tip in tips:
        try:
            code = message.read(repository.objects.commit(tip).message).code
        except StoreDamaged:
            continue
        found += [code.head, code.base]
    return [oid for oid in dict.fromkeys(found) if oid]


def _holds(repository: Repository, tips: list[str], commits: list[str]) -> bool | None:
    """Return whether one of the tips has one of some commits in its history; None: it cannot be
    told."""
    if any(repository.is_ancestor(commit, tip) for commit in commits for tip in tips):
        return True
    here = [repository.resolve(oid) for oid in (*tips, *commits)]
    is_known = bool(tips and commits) and all(here) and not repository.is_shallow
    return False if is_known else None


# --- where its code is ----------------------------------------------------------------------------


def tips_of(repository: Repository, branch: str) -> list[str]:
    """Return where a branch's code is: here, and what each remote was last seen to have.

    A pull request squashed on the server is in origin/main long before it is in main.
    """
    tips = [repository.tip_of(branch)]
    tips += [repository.remote_tip_of(remote, branch) for remote in repository.remotes()]
    return list(dict.fromkeys(tip for tip in tips if tip))


def trunk_tips(repository: Repository) -> list[str]:
    return tips_of(repository, trunk_of(repository))


def is_in_trunk(repository: Repository, commit: str) -> bool:
    return any(repository.is_ancestor(commit, tip) for tip in trunk_tips(repository))
