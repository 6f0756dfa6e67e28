"""Which scopes of one name are one life: two people may both call their work `wip`.

Long-lived branches are one by name. Other work is the same where its memories share a commit, or
its code shares commits of its own. A commit of the trunk in both, an equal name of an upstream, or
equal patches say nothing. Once one, always one.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

from treering.branches.long_lived import is_long_lived, long_lived_tips
from treering.clock import Clock
from treering.errors import StoreDamaged
from treering.git import log, reflog
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store.heads import list_heads
from treering.store.store import Store
from treering.store.vault import Vault
from treering.text.masking import mask_branch

#: one: the same work; doubt: its code is said to be of our branch, and is not here; apart: other
#: work under the same name.
Comparison = Literal["one", "doubt", "apart"]

_OID = "[0-9a-f]{40}"


class CodeKinship:
    """Asks code and logs whose work has the name of a branch."""

    def __init__(self, repository: Repository, vault: Vault) -> None:
        self._repository = repository
        self._vault = vault

    def choose(self, of: Scope, heads: Sequence[str], *, is_sure: bool) -> list[str]:
        if is_one_by_name(self._repository, self._vault, of):
            return list(heads)
        life = Life(self._repository, self._vault, of)
        wanted = ("one",) if is_sure else ("one", "doubt")
        return [head for head in heads if life.compare(head) in wanted]

    def is_of_others(self, of: Scope) -> bool:
        return not is_long_lived(self._repository, of.branch) and not _is_here(self._repository, of)


def open_store(repository: Repository, clock: Clock) -> Store:
    """The store of a repository, whose shared vault tells other work of a branch's name apart."""
    store = Store(repository, clock)
    store.shared.kinship = CodeKinship(repository, store.shared)
    return store


def is_one_by_name(repository: Repository, vault: Vault, of: Scope) -> bool:
    """Whether all that bears a name is seen as one: long-lived branches, names that only one piece
    of work can have, and where we have nothing of that name."""
    if of.is_detached or of.is_aside or is_long_lived(repository, of.branch):
        return True
    return not _is_here(repository, of) and not list_heads(vault, of)


def _is_here(repository: Repository, of: Scope) -> bool:
    return bool(repository.tip_of(of.branch)) or repository.head().branch == of.branch


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
            codes, upstreams = read_codes(self._vault, head)
        except StoreDamaged:
            return "apart"
        if not self._own_commits.isdisjoint(self._list_own([*codes, *upstreams.values()])):
            return "one"
        upstream = upstreams.get(mask_branch(self._scope.branch))
        if upstream and self._repository.resolve(upstream) is None:
            return "doubt"
        return "apart"

    @cached_property
    def _own_commits(self) -> frozenset[str]:
        """The commits of the branch that no long-lived one has, now or ever."""
        log = reflog.of_branch(self._repository, self._scope.branch)
        places = [self._repository.tip_of(self._scope.branch), *(line.new for line in log)]
        codes = [commit for commit in places if commit]
        for head in self._heads:
            heads_codes, upstreams = read_codes(self._vault, head)
            codes += [*heads_codes, *upstreams.values()]
        return self._list_own(codes)

    def _list_own(self, codes: Iterable[str]) -> frozenset[str]:
        limits = [tip for tips in long_lived_tips(self._repository).values() for tip in tips]
        known = [code for code in dict.fromkeys(codes) if self._repository.resolve(code)]
        return frozenset(self._repository.history(known, without=limits)) if known else frozenset()


def read_codes(vault: Vault, head: str) -> tuple[list[str], dict[str, str]]:
    """The code commits that a history names, and the newest of each upstream it names."""
    codes: dict[str, None] = {}
    upstreams: dict[str, str] = {}
    rows = log.read_trailers(vault.repository.common_dir, head, ["Code-Head", "Code-Upstream"])
    for _, heads, places in rows:
        codes |= dict.fromkeys(code for code in heads.split() if re.fullmatch(_OID, code))
        branch, _, commit = places.partition("\n")[0].rpartition(" ")
        if branch and re.fullmatch(_OID, commit):
            upstreams.setdefault(branch, commit)
    return list(codes), upstreams
