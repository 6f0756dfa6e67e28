"""Branches that others land on: the trunk, and those like it."""

from collections.abc import Iterator
from itertools import islice
from weakref import WeakKeyDictionary

from treering.branches.trunk import (
    has_branch,
    is_often_long_lived,
    tips_of,
    trunk_of,
    usual_names,
)
from treering.git import reflog, refs
from treering.git.repository import Repository
from treering.store.message import CodePosition
from treering.text.masking import mask_branch

#: How the log of a branch begins that is as old as the repository.
_FIRST = ("commit (initial)", "clone: ")
#: So far back a merge is looked for.
_MOST_COMMITS = 2_000

_Tips = tuple[str, ...]
_known: WeakKeyDictionary[Repository, dict[tuple[_Tips, _Tips], bool]] = WeakKeyDictionary()


def long_lived(repository: Repository) -> list[str]:
    """Every branch others land on, the trunk first; `tips_of` says where each is."""
    trunk = trunk_of(repository)
    there = [repository.remote_branches(remote) for remote in repository.remotes()]
    all_names = set(repository.branches()).union(*there)
    often = sorted(filter(is_often_long_lived, all_names))
    names = [trunk, *repository.config_values("treering.trunk")]
    names += [name for name in usual_names(repository) if has_branch(repository, name)]
    names += [name for name in often if _took_in_others(repository, name, trunk)]
    return list(dict.fromkeys(names))


def long_lived_tips(repository: Repository) -> dict[str, list[str]]:
    """Return where each of them is, here and at remotes."""
    return {name: tips_of(repository, name) for name in long_lived(repository)}


def tips_at(repository: Repository, name: str, when: int) -> Iterator[str]:
    """Yield where a branch was at a moment, here and at remotes, as far as logs reach; else as it
    is. One that began with the repository was there, whatever the clock said."""
    for place in ("heads", *(f"remotes/{remote}" for remote in repository.remotes())):
        ref = f"refs/{place}/{name}"
        if now := refs.read(repository.handle, ref):
            log = reflog.of_ref(repository, ref)
            before = [line.new for line in log if line.when <= when]
            if log and not before:
                before = [log[0].new if log[0].said.startswith(_FIRST) else log[0].old]
            tip = before[-1] if before else now
            yield from [tip] if tip.strip("0") else []


def is_long_lived(repository: Repository, name: str) -> bool:
    """Return whether others land on a branch; for most names no history is looked at."""
    is_usual = name in usual_names(repository)
    if is_usual and has_branch(repository, name):
        return True
    trunk = trunk_of(repository)
    if name == trunk or name in repository.config_values("treering.trunk"):
        return True
    return not is_usual and is_often_long_lived(name) and _took_in_others(repository, name, trunk)


def _took_in_others(repository: Repository, name: str, trunk: str) -> bool:
    """Return whether a branch was merged into this one since it left the trunk; the trunk itself,
    merged to keep up, is no sign."""
    key = (tuple(tips_of(repository, name)), tuple(tips_of(repository, trunk)))
    known = _known.setdefault(repository, {})
    if key not in known:
        known[key] = any(_has_merge(repository, tip, key[1]) for tip in key[0])
    return known[key]


def _has_merge(repository: Repository, tip: str, trunks: _Tips) -> bool:
    line = {
        oid for trunk in trunks for oid in islice(repository.first_parents(trunk), _MOST_COMMITS)
    }
    for oid in islice(repository.first_parents(tip), _MOST_COMMITS):
        if oid in line:
            return False
        others = (repository.parents_of(oid) or ())[1:]
        if others and line.isdisjoint(others):
            return True
    return False


def code_position(repository: Repository, branch: str, head: str | None) -> CodePosition:
    """Return branch, commit, and the commit where the branch left the long-lived branches."""
    base = _find_base(repository, branch, head) if head else None
    return CodePosition(mask_branch(branch), head, base)


def as_made_on_branch(repository: Repository, at: CodePosition, branch: str) -> CodePosition:
    """A position of a commit that is known to have been made on a branch: what it left the
    long-lived branches at is below it, wherever it has landed since."""
    if at.head is None or at.has_own_commits or is_long_lived(repository, branch):
        return at
    parents = repository.parents_of(at.head)
    return at if parents is None else at._replace(base=next(iter(parents), None))


def _find_base(repository: Repository, branch: str, head: str) -> str | None:
    """The merge base with the long-lived branch that leaves the fewest commits of its own; the
    trunk has none."""
    if branch == trunk_of(repository):
        return head
    others = long_lived_tips(repository)
    tips = [tip for name, tips in others.items() if name != branch for tip in tips]
    from treering.branches.stack import is_at_its_start

    if head in tips or is_at_its_start(repository, branch, head):
        return head
    return repository.nearest_base(head, tips)
