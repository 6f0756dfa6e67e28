"""Verdicts on a scope: where its memories landed, version by version, and which are left."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from treering.branches.landing.judge import Judge, Landing, Target
from treering.branches.overlay import find_left_behind, list_not_taken, read_special
from treering.branches.rewrites import follow_amends, follow_detached, successors
from treering.branches.versions import MemoryVersion, ScopeHistory
from treering.git.repository import Repository
from treering.model.memory import Memory
from treering.model.scope import Scope
from treering.store.history import HistoryCommit, kept_back, read_readable
from treering.store.message import CodePosition
from treering.store.vault import Vault

#: Evidence that commits became one.
SQUASHES = frozenset({"squash", "noop"})
#: Positions of one scope that are held against a branch, newest first, and how many closely.
_MOST_POSITIONS = 30
_CLOSE = 3


class LandedVersions(NamedTuple):
    """Versions that came into a branch with one of its commits, and are to be taken over there."""

    into: str
    landing: Landing
    versions: tuple[tuple[str, str], ...]  # id and blob
    #: Memories of commits that became one: they stay behind, and its memory goes along.
    behind: tuple[tuple[str, str], ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(sorted(memory_id for memory_id, _ in self.versions))


class ScopeVerdict(NamedTuple):
    """Versions to be taken over, and those that have landed nowhere."""

    landed: tuple[LandedVersions, ...]
    rest: tuple[MemoryVersion, ...]
    #: Why the rest may have landed all the same; "" when nothing speaks for it.
    doubt: str = ""
    #: How a part of the branch's code landed, where the rest did not; "" when none did.
    part: str = ""


class ScopeJudge:
    """Holds scopes against the long-lived branches."""

    def __init__(
        self,
        repository: Repository,
        vault: Vault,
        judge: Judge,
        long_lived: Mapping[str, Sequence[str]],
        tips: Iterable[str],
    ) -> None:
        self._repository = repository
        self._vault = vault
        self._judge = judge
        self._targets = {
            name: [Target(name, tip) for tip in tips] for name, tips in long_lived.items()
        }
        #: What was said of commits, by the target, and whether each was judged by itself.
        self._landings: dict[tuple[str, str, bool], Landing] = {}
        self._tips = tuple(tips)
        #: The scope that is judged, and the commits that are looked at closely for it.
        self._scope: Scope
        self._history: ScopeHistory
        self._close: frozenset[str]

    @cached_property
    def commits(self) -> dict[str, HistoryCommit]:
        """The histories of all scopes that will be asked about."""
        return read_readable(self._vault, self._tips)

    def verdict(
        self,
        scope: Scope,
        tip: str,
        last_tips: Sequence[CodePosition],
        others: Mapping[str, str] = MappingProxyType({}),
        *,
        is_alive: bool = False,
    ) -> ScopeVerdict:
        """Judge one scope; `others` are branches besides the long-lived ones, by name and tip.

        Of a branch that is alive only the tip is looked at closely: it will be judged again.
        """
        self._scope = scope
        self._history = history = ScopeHistory(self._repository, self.commits, tip, last_tips)
        positions = last_tips[:1] if is_alive else (*last_tips, *history.positions[:_CLOSE])
        self._close = frozenset(at.head for at in positions if at.head)
        changes = self._vault.history.read_changes(
            self._vault, (commit.oid for commit in history.commits)
        )
        versions = list(history.versions(changes))
        wanted = {name: targets for name, targets in self._targets.items() if name != scope.branch}
        wanted |= {name: [Target(name, at)] for name, at in others.items() if name not in wanted}
        landed: list[LandedVersions] = []
        has_landed: set[tuple[str, str]] = set()
        taken_back = ""
        for name, targets in wanted.items():
            found = self._list_landed(versions, targets)
            there = self._vault.tip(Scope(name))
            held = kept_back(self._vault, there).keys() if there else set()
            those = {(version.id, version.blob) for version in found}
            taken_back = taken_back if those.isdisjoint(held) else name
            has_landed |= those - held
            landed += self._choose(name, found, held)
        rest = self._list_rest(tip, versions, has_landed)
        doubt = "" if is_alive else self._doubt(rest)
        if taken_back and rest and not is_alive:
            doubt = f"Its code landed in {taken_back}; its memories were kept back by hand."
        part = ""
        if rest and not is_alive:
            part = "Its other memories landed." if has_landed else self._find_part(wanted)
        return ScopeVerdict(tuple(landed), tuple(rest), doubt, part)

    # --- what has landed --------------------------------------------------------------------------

    def _list_landed(
        self, versions: Iterable[MemoryVersion], targets: Sequence[Target]
    ) -> dict[MemoryVersion, Landing]:
        landed: dict[MemoryVersion, Landing] = {}
        by_version: dict[tuple[str, str], Landing] = {}
        by_code: dict[str | None, Landing | None] = {None: None}
        for version in versions:
            if version.parts:
                whole = [by_version.get((version.id, part)) for part in version.parts]
                landing = whole[-1] if all(whole) else None
            else:
                if version.code not in by_code:
                    by_code[version.code] = self._landing_of(version.code or "", targets)
                landing = by_code[version.code]
            if landing:
                landed[version] = by_version[version.id, version.blob] = landing
        return landed

    def _landing_of(self, code: str, targets: Sequence[Target]) -> Landing | None:
        """Return how a commit came into a branch: by itself, or with a later one that was built on
        it."""
        if not targets or self._repository.resolve(code) is None:
            return None
        if self._judge.is_in(code, targets):
            return self._landing(code, targets)
        return self._landing_with(code, targets) or self._landing_of_rewritten(code, targets)

    def _landing_with(self, code: str, targets: Sequence[Target]) -> Landing | None:
        """With a later commit that was built on it, or by itself."""
        for commit in self._list_heads_with(code):
            landing = self._landing(commit, targets)
            if landing.evidence == "cherry":
                # With its own one of them: it goes on to other branches with that, not the newest.
                alone = self._landing(code, targets, is_alone=True)
                return landing._replace(merged_as=alone.merged_as or landing.merged_as)
            if landing.evidence != "none":
                return landing
        landing = self._landing(code, targets, is_alone=True)
        return landing if landing.evidence != "none" else None

    def _list_heads_with(self, code: str) -> Iterator[str]:
        heads = [at.head for at in self._history.positions[:_MOST_POSITIONS] if at.head]
        yield from (head for head in heads if self._repository.is_ancestor(code, head))
        if code not in heads:
            yield code

    def _landing_of_rewritten(self, code: str, targets: Sequence[Target]) -> Landing | None:
        """An amended or rebased commit landed with the one that took its place, or with one that
        was built on that."""
        repository, branch = self._repository, self._scope.branch
        instead = code
        for at in self._history.positions[:1]:
            new = successors(repository, branch, at.head or "", targets, [code], self._judge)
            instead = new.get(code, code)
        if instead == code:
            # Nobody may have seen the branch since: then HEAD's log still tells of an amend.
            instead = follow_amends(repository, branch, code)
        landing = self._landing_with(instead, targets) if instead != code else None
        return landing._replace(evidence="rewritten") if landing else None

    def _landing(
        self, commit: str, targets: Sequence[Target], *, is_alone: bool = False
    ) -> Landing:
        key = (commit, targets[0].name, is_alone)
        if key not in self._landings:
            ask = self._judge.landing_of_commit if is_alone else self._judge.landing
            self._landings[key] = ask(commit, targets, is_quick=commit not in self._close)
        return self._landings[key]

    # --- what is to be taken over -----------------------------------------------------------------

    def _choose(
        self, into: str, landed: Mapping[MemoryVersion, Landing], held: Set[tuple[str, str]]
    ) -> Iterator[LandedVersions]:
        """The newest version of each memory that has landed and is not there yet; where that is
        held back, none.

        Two that nobody put together are both taken, in promotions of their own: a tree has room for
        one.
        """
        by_id: dict[str, list[MemoryVersion]] = {}
        for version in landed:
            by_id.setdefault(version.id, []).append(version)
        newest = {memory_id: self._list_newest(some) for memory_id, some in by_id.items()}
        wanted = {(version.id, version.blob) for some in newest.values() for version in some}
        todo = list_not_taken(self._vault, wanted, self._vault.snapshot(Scope(into))) - held
        special = read_special(self._vault, {blob for _, blob in todo})
        left_behind = find_left_behind(self._vault, self._scope, special)
        groups: dict[tuple[str, str, int], list[tuple[str, str]]] = {}
        by_key: dict[tuple[str, str, int], Landing] = {}
        for memory_id, versions in newest.items():
            number = 0
            for version in versions:
                landing, memory = landed[version], special.get(version.blob)
                stays = version.blob in left_behind
                if memory and memory.type == "commit" and landing.evidence in SQUASHES:
                    stays = memory.is_passing  # the squash takes the place of the others
                if stays or (memory_id, version.blob) not in todo:
                    continue
                key = (landing.merged_as or "", str(landing.evidence), number)
                groups.setdefault(key, []).append((memory_id, version.blob))
                by_key[key] = landing
                number += 1
        for key, some in sorted(groups.items()):
            landing = by_key[key]._replace(into=into)
            behind = {one for one in some if self._is_squashed(special.get(one[1]), landing)}
            rest = tuple(sorted(set(some) - behind))
            yield LandedVersions(into, landing, rest, tuple(sorted(behind)))

    def _is_squashed(self, memory: Memory | None, landing: Landing) -> bool:
        """Return whether a memory is of a commit that became another one."""
        if self._vault.is_private or landing.evidence not in SQUASHES or not landing.merged_as:
            return False
        if memory is None or memory.type != "commit":
            return False
        return memory.commit not in ("", landing.merged_as)

    def _list_newest(self, versions: Sequence[MemoryVersion]) -> list[MemoryVersion]:
        """The versions that no later one was made from."""
        newest: list[MemoryVersion] = []
        for version in reversed(versions):
            if not any(
                version.blob == later.blob
                or self._vault.repository.is_ancestor(version.commit, later.commit)
                for later in newest
            ):
                newest.append(version)
        return newest

    # --- what is left -----------------------------------------------------------------------------

    def _list_rest(
        self, tip: str, versions: Sequence[MemoryVersion], landed: set[tuple[str, str]]
    ) -> list[MemoryVersion]:
        """Return what the scope holds now that has landed nowhere and is in no long-lived
        branch."""
        current = {(v.id, v.blob): v for v in versions}
        here = self._vault.snapshot_at(self._scope, tip).listing().items() - landed
        for name in self._targets:
            if here and name != self._scope.branch:
                here = list_not_taken(self._vault, here, self._vault.snapshot(Scope(name)))
        rest, special = [], read_special(self._vault, {blob for _, blob in here})
        for one in sorted(here):
            memory = special.get(one[1])
            if memory is None or not (memory.is_passing or memory.is_forgotten):
                rest.append(current.get(one, MemoryVersion(*one, tip)))
        return rest

    def _doubt(self, rest: Sequence[MemoryVersion]) -> str:
        """Return why what is left may have landed, or will yet."""
        for version in rest:
            if version.code is None and not version.parts:
                return "What it speaks of was never committed, as far as is known here."
            if version.code and self._repository.resolve(version.code) is None:
                remote = next(iter(self._repository.remotes()), "REMOTE")
                return (
                    f"Its commit {version.code[:12]} is not here, so it cannot be judged. "
                    f"`git fetch {remote} {version.code}` may bring it."
                )
        heads = {at.head for at in self._history.positions}
        codes = {version.code for version in rest}
        asked = sorted(self._landings.items(), key=lambda item: item[0][2])  # with others first
        for (at, _, is_alone), landing in asked:
            if at not in codes and (is_alone or at not in heads):
                continue
            if landing.bound:
                return f"Not everything was looked at: {landing.bound}"
            if landing.is_partial and not landing.picked:  # what was picked is judged by itself
                return landing.reason
        if any(code and self._was_rebased(code) for code in codes):
            return "It was rebased and landed, and what became of a commit of it is not known."
        return ""

    def _find_part(self, wanted: Mapping[str, Sequence[Target]]) -> str:
        """Return how commits of a branch landed of which the newest did not: some by themselves, or
        all up to one of them."""
        places = [(at.head, at.base) for at in self._history.positions[:_CLOSE] if at.head]
        for targets in wanted.values():
            for head, base in places if targets else ():
                whole = self._landing(head, targets)
                if whole.picked:
                    return whole.reason
                own = self._judge.own_commits(head, targets)[1:_MOST_POSITIONS]
                for commit in (*own, *self._list_merged(head, base, targets)):
                    landing = self._landing(commit, targets)
                    if landing.evidence != "none" or landing.picked:
                        return landing.reason
        return ""

    def _list_merged(self, head: str, base: str | None, targets: Sequence[Target]) -> Iterator[str]:
        """Yield the newest commit that each target has of a branch, where the branch had it before:
        it began at `base`, as was written down then."""
        for target in targets:
            there = self._repository.merge_base(head, target.tip)
            if base and there and there != base and self._repository.is_ancestor(base, there):
                yield there

    def _was_rebased(self, code: str) -> bool:
        """Return whether HEAD's log tells that a commit was among those that were rewritten, and
        what came of them has landed: it may have been melted into another one, or left out."""
        return any(
            self._landing(commit, targets).evidence != "none"
            for place in follow_detached(self._repository, code)[:-1]
            for commit in self._list_heads_with(place)
            for targets in self._targets.values()
            if targets
        )
