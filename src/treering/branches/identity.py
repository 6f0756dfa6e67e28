"""Which scopes of one name are one life: two people may both call their work `wip`.

Long-lived branches are one by name. Other work is the same where its memories share a commit, or
its code shares commits of its own. A commit of the trunk in both, an equal name of an upstream, or
equal patches say nothing. Once one, always one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from treering.branches.long_lived import is_long_lived, long_lived_tips
from treering.clock import Clock
from treering.errors import StoreDamaged
from treering.git import reflog
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.model.value import NamedTuple
from treering.store.heads import list_heads
from treering.store.store import Store
from treering.store.vault import Vault
from treering.text.masking import mask_branch

#: one: the same work; doubt: its code is said to be of our branch, and is not here; apart: other
#: work under the same name.
Comparison = Literal["one", "doubt", "apart"]

_OID = "[0-9a-f]{40}"
#: Of more heads of one name, none of them ours, nobody asks whose work they are.
_MOST_COMPARED = 50


class CodeKinship:
    """Asks code and logs whose work has the name of a branch."""

    def __init__(self, repository: Repository, vault: Vault) -> None:
        self._repository = repository
        self._vault = vault
        #: Scope and heads of several works -> those of the first.
        self._works: dict[tuple[Scope, frozenset[str]], list[str]] = {}

    def choose(self, of: Scope, heads: Sequence[str], *, is_sure: bool) -> list[str]:
        if is_one_by_name(self._repository, of):
            return list(heads)
        if not _is_here(self._repository, of) and not list_heads(self._vault, of):
            return self._choose_first(of, heads)
        life = Life(self._repository, self._vault, of)
        answers = ("one",) if is_sure else ("one", "doubt")
        return [head for head in heads if life.compare(head) in answers]

    def _choose_first(self, of: Scope, heads: Sequence[str]) -> list[str]:
        """Where nothing of a name is here: of several works that have it the one that was begun
        first. The others are shown by whose they are."""
        merge_base = self._vault.repository.merge_base
        if len(heads) > _MOST_COMPARED or all(merge_base(heads[0], head) for head in heads[1:]):
            return list(heads)
        key = (of, frozenset(heads))
        if key not in self._works:
            works = _group(heads, {head: self._list_signs(of, head, heads) for head in heads})
            self._works[key] = min(works, key=self._begin) if works else []
        return [head for head in heads if head in self._works[key]]

    def _list_signs(self, of: Scope, head: str, heads: Sequence[str]) -> frozenset[str]:
        """What heads of one work share: memory commits, commits of code, or the name of a branch on
        a remote whose code is not here."""
        near = [other for other in heads if self._vault.repository.merge_base(head, other)]
        try:
            code = read_codes(self._vault, of.branch, head)
        except StoreDamaged:
            return frozenset(near)
        upstream = code.upstreams.get(mask_branch(of.branch))
        is_unknown = upstream and self._repository.resolve(upstream) is None
        own = list_own(self._repository, code)
        return own.union(near, ["doubt"] if is_unknown else [])

    def _begin(self, heads: Sequence[str]) -> tuple[int, str]:
        """When a work was begun."""
        from treering.git import log

        objects, folder = self._vault.repository.objects, self._vault.repository.common_dir
        roots = {root for head in heads for root in log.list_roots(folder, head)}
        return min((objects.commit(root).time, root) for root in roots)

    def is_of_others(self, of: Scope) -> bool:
        return not is_long_lived(self._repository, of.branch) and not _is_here(self._repository, of)


def open_store(repository: Repository, clock: Clock) -> Store:
    """The store of a repository, whose shared vault tells other work of a branch's name apart."""
    store = Store(repository, clock)
    store.shared.kinship = CodeKinship(repository, store.shared)
    return store


def _group(heads: Sequence[str], signs: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Heads by what they share, directly or through another one."""
    works: list[tuple[set[str], list[str]]] = []
    for head in heads:
        near = [work for work in works if not work[0].isdisjoint(signs[head])]
        works = [work for work in works if work not in near]
        all_signs = set(signs[head]).union(*(work[0] for work in near))
        works.append((all_signs, [*(one for work in near for one in work[1]), head]))
    return [some for _, some in works]


def is_one_by_name(repository: Repository, of: Scope) -> bool:
    """Whether all that bears a name is seen as one: long-lived branches, and names that only one
    piece of work can have."""
    return of.is_detached or of.is_aside or is_long_lived(repository, of.branch)


def _is_here(repository: Repository, of: Scope) -> bool:
    return bool(repository.tip_of(of.branch)) or repository.head().branch == of.branch


class NamedCode(NamedTuple):
    """What memories say of the code beside them."""

    commits: tuple[str, ...]
    #: Those that were in no long-lived branch then, or in the branch's own upstream, whatever
    #: landed since.
    own: frozenset[str]
    upstreams: dict[str, str]  # the newest of each that is named


class Life:
    """What this clone knows of the work under a name: its memories, and the code it made."""

    def __init__(self, repository: Repository, vault: Vault, scope: Scope) -> None:
        self._repository = repository
        self._vault = vault
        self._scope = scope
        self._heads = list_heads(vault, scope)

    def compare(self, head: str) -> Comparison:
        """Whether what another clone says is of this work."""
        try:
            if any(self._vault.repository.merge_base(head, own) for own in self._heads):
                return "one"
            code = read_codes(self._vault, self._scope.branch, head)
        except StoreDamaged:
            return "apart"
        if not self._own_commits.isdisjoint(list_own(self._repository, code)):
            return "one"
        upstream = code.upstreams.get(mask_branch(self._scope.branch))
        if upstream and self._repository.resolve(upstream) is None:
            return "doubt"
        return "apart"

    @cached_property
    def _own_commits(self) -> frozenset[str]:
        """The commits of the branch that no long-lived one has, or had when they were made."""
        branch = self._scope.branch
        log = reflog.of_branch(self._repository, branch)
        places = [self._repository.tip_of(branch), *(line.new for line in log)]
        upstreams = [f"refs/remotes/{remote}/{branch}" for remote in self._repository.remotes()]
        here = NamedCode(tuple(filter(None, places)), reflog.list_made(log, upstreams), {})
        codes = [here, *(read_codes(self._vault, self._scope.branch, head) for head in self._heads)]
        return list_own(self._repository, *codes)


def list_own(repository: Repository, *codes: NamedCode) -> frozenset[str]:
    """The commits of some code that no long-lived branch has, or had when they were named."""
    limits = [tip for tips in long_lived_tips(repository).values() for tip in tips]
    commits = dict.fromkeys(commit for code in codes for commit in code.commits)
    here = [commit for commit in commits if repository.resolve(commit)]
    own = frozenset(repository.history(here, without=limits)) if here else frozenset()
    return own.union(*(code.own for code in codes))


def read_codes(vault: Vault, name: str, head: str) -> NamedCode:
    """The code that a history of memories of a branch names."""
    codes: dict[str, None] = {}
    own: dict[str, None] = {}
    upstreams: dict[str, str] = {}
    keys = ["Code-Head", "Code-Base", "Code-Upstream"]
    from treering.git import log

    rows = log.read_trailers(vault.repository.common_dir, head, keys)
    for _, heads, bases, places in rows:
        oids = dict.fromkeys(code for code in heads.split() if re.fullmatch(_OID, code))
        codes |= oids
        own |= oids if bases and bases != heads else {}
        branch, _, commit = places.partition("\n")[0].rpartition(" ")
        if branch and re.fullmatch(_OID, commit):
            upstreams.setdefault(branch, commit)
            own |= {commit: None} if branch == mask_branch(name) else {}
    return NamedCode((*codes, *upstreams.values()), frozenset(own), upstreams)
