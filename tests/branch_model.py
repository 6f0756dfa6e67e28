"""Where memories belong, said by a small program that knows git's history and no code of ours.

It follows the principles in docs/explanation/branch-life.md. Every version of a memory speaks of
some commit. It must be seen on the branch it was said on while that is there, and on each
long-lived branch its code was in when someone asked (gc); it must not be seen on any other. Where
the principles leave it open, both answers are right: `may` is then larger than `must`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pygit2 import Repository

#: A file's path, and what a commit wrote there.
Change = tuple[str, str]


class CodeHistory:
    """The commits of a repository, and what each of them did."""

    def __init__(self, path: Path) -> None:
        self.repository = Repository(str(path))
        self.history = cache(self._history)
        self.changes = cache(self._changes)
        self.patch = cache(self._patch)
        #: Commit -> those that took its place when it was amended.
        self.rewrites: dict[str, str] = {}

    def _history(self, tip: str) -> frozenset[str]:
        return frozenset(str(commit.id) for commit in self.repository.walk(tip))

    def parents(self, commit: str) -> list[str]:
        return [str(parent) for parent in self.repository[commit].parent_ids]

    def _changes(self, commit: str) -> frozenset[Change]:
        """What a commit did by itself; a merge did nothing."""
        parents = self.parents(commit)
        if len(parents) > 1:
            return frozenset()
        return self.difference(parents[0] if parents else None, commit)

    def _patch(self, commit: str) -> tuple[frozenset[Change], frozenset[Change]]:
        """What a commit did, and what it took the place of: to add a file is not to change it."""
        parent = next(iter(self.parents(commit)), None)
        return self.changes(commit), self._files(parent) - self._files(commit)

    def difference(self, old: str | None, new: str) -> frozenset[Change]:
        return self._files(new) - self._files(old)

    def _files(self, commit: str | None) -> frozenset[Change]:
        tree = self.repository[commit].tree if commit else ()
        return frozenset((str(entry.name), str(entry.id)) for entry in tree)

    def content(self, tip: str) -> frozenset[Change]:
        """All that was ever done in a history: a revert takes nothing back."""
        return frozenset().union(*map(self.changes, self.history(tip)))

    def base(self, one: str, other: str) -> str | None:
        base = self.repository.merge_base(one, other)
        return str(base) if base else None

    def has(self, tip: str, commit: str | None) -> bool:
        return commit is not None and commit in self.history(tip)

    def main_line(self, tip: str) -> set[str]:
        """A branch's own line, without what merges brought."""
        line = [tip]
        while parents := self.parents(line[-1]):
            line.append(parents[0])
        return set(line)

    def first_on_top(self, tip: str, of: str, without: Iterable[str]) -> str | None:
        """The oldest commit on a branch's line above another that is in no long-lived branch."""
        return self.first_above(tip, of, set().union(*map(self.history, without)))

    def first_above(self, tip: str, of: str, without: set[str]) -> str | None:
        """The oldest commit on a branch's line above another, and none of some."""
        below = self.history(of) | without
        at, first = tip, None
        while at not in below:
            first = at
            parents = self.parents(at)
            if not parents:
                break
            at = parents[0]
        return first

    def has_landed(self, commit: str, tips: Iterable[str], target: str, *, is_sure: bool) -> bool:
        """Whether a commit, an equal patch, or what took its place is in a branch, or one of
        `tips`, with the commit in its history, is there as a whole. What changes nothing cannot be
        looked for. If it need not be sure, an equal patch may be a part of another one."""
        if self.has(target, commit):
            return True
        there = self.content(target)
        patches = {self.patch(other) for other in self.history(target)}

        def is_there(step: str) -> bool:
            mine = self.changes(step)
            return bool(mine) and (self.patch(step) in patches or (mine <= there and not is_sure))

        if is_there(commit):
            return True
        for tip in tips:
            if self.has(tip, commit):
                whole = self.difference(self.base(tip, target), tip)
                own = [o for o in self.history(tip) - self.history(target) if self.changes(o)]
                are_there = bool(own) and all(map(is_there, own))
                # What came there in pieces may be somebody else's work.
                is_whole = bool(whole) and (
                    any(whole <= new for new, _ in patches) if is_sure else whole <= there
                )
                # What cancels out with what came in since is still there, patch by patch.
                if is_whole or (are_there and (whole or not is_sure)):
                    return True
        instead = self.rewrites.get(commit)
        return instead is not None and self.has_landed(instead, tips, target, is_sure=is_sure)


@dataclass(eq=False)
class Life:
    """One branch from its creation to its end, whatever it is called meanwhile."""

    name: str
    tip: str
    base: "Life | None" = None
    is_base_known: bool = True  # git wrote down what it was made from
    start: str = ""  # where it was made, if on top of another branch
    is_alive: bool = True
    is_long_lived: bool = False
    tips: set[str] = field(default_factory=set)  # everywhere it has been
    positions: set[str] = field(default_factory=set)  # where something was written
    #: Where it had commits of its own, and where the long-lived branches were then.
    own_tips: dict[str, frozenset[str]] = field(default_factory=dict)
    own: list["Version"] = field(default_factory=list)  # what must be seen on it
    may: list["Version"] = field(default_factory=list)  # what may be seen on it besides


@dataclass(eq=False)
class Version:
    """Something said, once: a memory, or a mark that was added to one."""

    memory: str
    mark: str
    marks: frozenset[str]  # all the memory had then
    life: Life
    at: str
    #: The commits it may speak of: it must have landed where all of them have, and may have where
    #: one has.
    code: set[str]
    known: frozenset[str] = frozenset()  # the commits there were
    is_waiting: bool = False  # for the first commit on top
    is_doubtful: bool = False  # the principles leave open what it speaks of
    is_of_trunk: bool = False


class Model:
    """Every life and every version."""

    def __init__(self, code: CodeHistory, tip: str) -> None:
        self.code = code
        self.main = Life("main", tip, is_long_lived=True, tips={tip})
        self.lives = [self.main]
        self.versions: list[Version] = []
        self.landed: dict[Life, set[Version]] = {}
        self.may_have_landed: dict[Life, set[Version]] = {}
        self.forgotten: set[str] = set()  # ever, anywhere: then only leaks are looked for

    @property
    def alive(self) -> list[Life]:
        return [life for life in self.lives if life.is_alive]

    @property
    def long_lived(self) -> list[Life]:
        return [life for life in self.lives if life.is_long_lived]

    def begin(self, life: Life) -> None:
        self.lives.append(life)
        self.go(life, life.tip)

    def go(self, life: Life, tip: str) -> None:
        """A branch is at a commit now."""
        life.tip = tip
        life.tips.add(tip)
        if tip not in life.own_tips and self.has_own_commits(life, tip):
            life.own_tips[tip] = frozenset(o.tip for o in self.long_lived if o is not life)

    def has_own_commits(self, life: Life, tip: str) -> bool:
        others = [other.tip for other in self.long_lived if other is not life]
        return not any(self.code.has(other, tip) for other in others)

    # --- what is said -----------------------------------------------------------------------------

    def say(
        self, life: Life, memory: str, mark: str, marks: frozenset[str], *, is_clean: bool
    ) -> None:
        self.settle(life)
        has_own = life is not self.main and self.has_own_commits(life, life.tip)
        version = Version(
            memory, mark, marks, life, life.tip,
            code={life.tip} if has_own else set(),
            known=frozenset().union(*(other.tips for other in self.lives)),
            is_waiting=not (has_own and is_clean),
            is_doubtful=has_own and life.start == life.tip,
            is_of_trunk=life is self.main,
        )  # fmt: skip
        life.own.append(version)
        life.positions.add(life.tip)
        self.versions.append(version)

    def settle(self, life: Life) -> None:
        """A place of the code is written down: what waited for its commit may have it now."""
        if life.tip in life.own_tips:
            for version in self.versions:
                if version.life is life and version.is_waiting and version.at != life.tip:
                    self._settle(version, life)

    def _settle(self, version: Version, life: Life) -> None:
        first = self.code.first_on_top(life.tip, version.at, life.own_tips[life.tip])
        if self.code.has(life.tip, version.at) and first:
            # What a merge brought elsewhere was made on the branch all the same.
            lines = set().union(*map(self.code.main_line, life.own_tips[life.tip]))
            version.code = {first, self.code.first_above(life.tip, version.at, lines) or first}
        else:  # reset or rewritten: what follows is not on top of it
            version.code |= {first} if first else set()
            version.is_doubtful = True
        # What was there before it was said was not made on top of it.
        version.is_doubtful |= first in version.known
        # A branch that was fast-forwarded to cannot be told from one that never had a commit.
        lines = [self.code.main_line(other.tip) for other in self.long_lived if other is not life]
        version.is_doubtful |= any(life.tip in line for line in lines)
        version.is_waiting = False

    # --- what gc does -----------------------------------------------------------------------------

    def judge(self) -> None:
        for life in self.lives:
            self.settle(life)
        for target in (*self.long_lived, *self.long_lived):  # what came into one may go on
            for version in self.versions:
                if version.life is target or version.is_of_trunk:
                    continue
                if self._must_have_landed(version, target):
                    self.landed.setdefault(target, set()).add(version)
                if self._may_have_landed(version, target):
                    self.may_have_landed.setdefault(target, set()).add(version)
        for life in self.lives:
            self._hand_on(life)

    def _must_have_landed(self, version: Version, target: Life) -> bool:
        if version.is_doubtful or not version.code:
            return False
        tips = {*version.life.positions, version.life.tip}
        has_landed = self.code.has_landed
        return all(has_landed(at, tips, target.tip, is_sure=True) for at in version.code)

    def _may_have_landed(self, version: Version, target: Life) -> bool:
        if self._may_be_in(version, target.tip):
            return True
        return any(
            self.code.has_landed(self._arrival(version, via), via.tips, target.tip, is_sure=False)
            for via in self.long_lived
            if via is not target and version in self.may_have_landed.get(via, ())
        )

    def _may_be_in(self, version: Version, tip: str) -> bool:
        tips = set().union(*(life.tips for life in self.lives))
        has_landed, codes = self.code.has_landed, set(version.code)
        if version.is_waiting:  # the branch was reset, and its log still tells what was on top
            for at, others in version.life.own_tips.items():
                if self.code.has(at, version.at) and at not in version.known:
                    codes |= {self.code.first_on_top(at, version.at, others) or at}
        return any(has_landed(at, tips, tip, is_sure=False) for at in codes)

    def _arrival(self, version: Version, via: Life) -> str:
        """The commit with which a version came into a long-lived branch: from there it goes on
        with that one."""
        step = via.tip
        while (parents := self.code.parents(step)) and self._may_be_in(version, parents[0]):
            step = parents[0]
        return step

    def _hand_on(self, life: Life) -> None:
        """What is left of a branch goes into those that were built on it."""
        if not life.is_alive:
            for other in self.alive:
                if any(self.code.has(other.tip, tip) for tip in life.tips - {life.start}):
                    other.may += [v for v in (*life.own, *life.may) if v not in other.may]

    # --- what is seen -----------------------------------------------------------------------------

    def must_show(self, life: Life) -> set[str]:
        wanted = {version.memory for version in self._must_show(self.main)}
        at: Life | None = life
        while at and at.is_alive:
            wanted |= {version.memory for version in self._must_show(at)}
            at = at.base if at.is_base_known else None
        return wanted - self.forgotten

    def must_mark(self, life: Life) -> set[tuple[str, str]]:
        """Marks that were made on a branch, or came to it."""
        versions = self._must_show(life)
        return {(v.memory, v.mark) for v in versions if v.mark and v.memory not in self.forgotten}

    def _must_show(self, life: Life) -> list[Version]:
        return [*life.own, *self.landed.get(life, ())]

    def may_show(self, life: Life) -> dict[str, frozenset[str]]:
        """Memory -> the marks it may have."""
        seen: dict[str, frozenset[str]] = {}
        lives = [self.main]
        at: Life | None = life
        while at:
            lives.append(at)
            at = at.base
        for one in lives:
            for version in (*one.own, *one.may, *self.may_have_landed.get(one, ())):
                seen[version.memory] = seen.get(version.memory, frozenset()) | version.marks
        return seen

    def must_stay(self) -> set[str]:
        """What speaks of no commit yet is in no trash."""
        return {v.memory for v in self.versions if not v.code and not v.is_doubtful}
