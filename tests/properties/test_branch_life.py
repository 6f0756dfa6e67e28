"""Any life a branch can lead, against a model of a few sets: nothing lost, nothing leaked."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from conftest import Repo, make_repo

NAMES = ("a", "b", "c/d", "e")
picks = st.integers(min_value=0, max_value=999)


@dataclass(eq=False)
class Life:
    """One branch from its creation to its end, whatever it is called meanwhile."""

    name: str
    base: "Life | None" = None
    names: set[str] = field(default_factory=set)  # all it was ever called
    code: set[str] = field(default_factory=set)  # the files its history added
    born_with: frozenset[str] = frozenset()
    ids: set[str] = field(default_factory=set)  # learned on it
    may: set[str] = field(default_factory=set)  # what its scope may hold
    tip: str = ""
    recorded: str = ""  # its commit when something was last written
    is_alive: bool = True
    is_mixed: bool = False  # its name has memories of an earlier life it cannot be told from

    @property
    def own_code(self) -> set[str]:
        return self.code - self.born_with


class BranchLife(RuleBasedStateMachine):
    """git and treering as a person uses them; after each step everything is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="treering-life-"))
        self.count = 0

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @initialize()
    def begin(self) -> None:
        self.repo: Repo = make_repo(self.folder / "repo")
        self.repo.commit_file("README.md")
        self.main = Life("main", names={"main"})
        self.here = self.main
        self.lives: list[Life] = []
        self.forgotten: set[str] = set()  # ever, anywhere
        self.known: set[str] = set()

    # --- helpers ----------------------------------------------------------------------------------

    @property
    def alive(self) -> list[Life]:
        return [life for life in self.lives if life.is_alive]

    def other(self, pick: int) -> Life:
        return self.alive[pick % len(self.alive)]

    def free_name(self, pick: int) -> str | None:
        taken = {life.name for life in self.alive}
        free = [name for name in NAMES if name not in taken]
        return free[pick % len(free)] if free else None

    def git(self, *arguments: str) -> str:
        self.repo.now += 1
        return self.repo.git(*arguments)

    def heads(self) -> str:
        return self.repo.git("for-each-ref", "refs/heads", "refs/tags") + self.repo.git(
            "rev-parse", "--symbolic-full-name", "HEAD"
        )

    def is_ancestor(self, old: str, new: str) -> bool:
        return self.repo.git("merge-base", old, new) == old

    def untouched(self, act: Callable[[], object]) -> object:
        """Do something of treering's: the user's branches stay as they are."""
        before = self.heads()
        done = act()
        assert self.heads() == before
        return done

    def shown(self, branch: str) -> set[str]:
        return {str(memory["id"]) for memory in self.repo.tr.exported(branch=branch)}

    def has_landed(self, life: Life) -> bool:
        return bool(life.own_code) and life.code <= self.main.code

    def judge(self, *, only_named: str = "") -> None:
        """What a plan may carry from scope to scope."""
        for life in self.lives:
            if only_named and (life.is_alive or only_named not in life.names):
                continue
            if self.has_landed(life):
                self.main.may |= life.may
            elif not life.is_alive and life.own_code:
                for other in self.alive:
                    if life.tip and self.is_ancestor(life.tip, other.tip):
                        other.may |= life.may

    def wrote(self, life: Life, *ids: str) -> None:
        self.judge(only_named=life.name)
        life.may |= set(ids)
        life.recorded = self.repo.git("rev-parse", life.name)

    # --- memories ---------------------------------------------------------------------------------

    @rule()
    def remember(self) -> None:
        self.count += 1
        text = f"thought {self.count}"
        done = self.untouched(lambda: self.repo.tr.remember(text, type="insight").id)
        self.wrote(self.here, str(done))
        self.here.ids.add(str(done))
        self.known.add(str(done))

    @rule(pick=picks)
    def remember_elsewhere(self, pick: int) -> None:
        """Without switching there."""
        life = [self.main, *self.alive][pick % (1 + len(self.alive))]
        self.count += 1
        text = f"thought {self.count}"
        done = self.untouched(
            lambda: self.repo.tr.remember(text, type="insight", branch=life.name).id
        )
        self.wrote(life, str(done))
        life.ids.add(str(done))
        self.known.add(str(done))

    @precondition(lambda self: self.known)
    @rule(pick=picks)
    def revise(self, pick: int) -> None:
        shown = sorted(self.shown(""))
        if shown:
            memory = shown[pick % len(shown)]
            self.count += 1
            tag = f"t{self.count}"
            self.untouched(lambda: self.repo.tr.revise(memory, tags_add=[tag]))
            self.wrote(self.here, memory)
            assert tag in self.repo.tr.read(memory).tags

    @precondition(lambda self: self.known)
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        shown = sorted(self.shown(""))
        if shown:
            memory = shown[pick % len(shown)]
            self.untouched(lambda: self.repo.tr.forget([memory]))
            self.wrote(self.here, memory)
            self.forgotten.add(memory)
            assert memory not in self.shown("")

    @precondition(lambda self: self.forgotten)
    @rule(pick=picks)
    def take_back(self, pick: int) -> None:
        hidden = sorted(self.forgotten & (self.here.may | self.main.may) - self.shown(""))
        if hidden:
            memory = hidden[pick % len(hidden)]
            self.untouched(lambda: self.repo.tr.forget([memory], restore=True))
            self.wrote(self.here, memory)
            assert memory in self.shown("")

    # --- branches ---------------------------------------------------------------------------------

    @rule(pick=picks, is_stacked=st.booleans(), names_main=st.booleans())
    def create(self, pick: int, is_stacked: bool, names_main: bool) -> None:
        """Also under the name of a branch that is gone."""
        name = self.free_name(pick)
        if name is None:
            return
        if not is_stacked and not names_main and self.here is not self.main:
            self.switch_to(self.main)
        base = self.here if is_stacked else self.main
        self.git("switch", "-q", "-c", name, *(["main"] if names_main and not is_stacked else []))
        life = Life(
            name,
            base=None if base is self.main else base,
            names={name},
            code=set(base.code),
            born_with=frozenset(base.code),
            tip=self.repo.git("rev-parse", "HEAD"),
        )
        self.inherit(life)
        self.lives.append(life)
        self.here = life

    def inherit(self, life: Life) -> None:
        """git cannot tell a name used again from the old branch where its history has the old tip;
        then the memories found under that name count as the branch's."""
        for old in self.lives:
            same = not old.is_alive and life.names & old.names
            if same and old.recorded and self.is_ancestor(old.recorded, life.tip):
                life.may |= old.may
                life.is_mixed = True

    def switch_to(self, life: Life) -> None:
        self.git("switch", "-q", life.name)
        self.here = life

    @precondition(lambda self: self.alive)
    @rule(pick=picks)
    def switch(self, pick: int) -> None:
        self.switch_to([self.main, *self.alive][pick % (1 + len(self.alive))])

    @rule()
    def commit(self) -> None:
        self.count += 1
        self.here.tip = self.repo.commit_file(f"f{self.count}.txt", f"{self.count}\n" * 3)
        self.here.code.add(f"f{self.count}.txt")

    @precondition(lambda self: self.alive)
    @rule(pick=picks, new=picks)
    def rename(self, pick: int, new: int) -> None:
        name = self.free_name(new)
        if name is not None:
            life = self.other(pick)
            self.git("branch", "-q", "-m", life.name, name)
            life.name = name
            life.names.add(name)
            self.inherit(life)

    @precondition(lambda self: self.alive)
    @rule(pick=picks, how=st.sampled_from(["merge", "forward", "squash", "pick"]))
    def land(self, pick: int, how: str) -> None:
        life = self.other(pick)
        if life.code <= self.main.code:
            return
        self.switch_to(self.main)
        if how == "squash":
            self.git("merge", "-q", "--squash", life.name)
            self.git("commit", "-q", "-m", f"squashed {life.name}")
        elif how == "pick":
            commits = self.git("rev-list", "--reverse", "--no-merges", f"main..{life.name}").split()
            for commit in commits:
                files = set(self.git("show", "--format=", "--name-only", commit).split())
                if not files <= self.main.code:
                    self.git("cherry-pick", commit)
        else:
            is_ahead = how == "forward" and self.is_ancestor(self.main_tip(), life.tip)
            option = "--ff-only" if is_ahead else "--no-ff"
            self.git("merge", "-q", option, "--no-edit", life.name)
        self.main.code |= life.code
        self.main.tip = self.main_tip()

    def main_tip(self) -> str:
        return self.repo.git("rev-parse", "main")

    @precondition(lambda self: self.alive)
    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        life = self.other(pick)
        if self.here is life:
            self.switch_to(self.main)
        self.git("branch", "-q", "-D", life.name)
        life.is_alive = False

    @precondition(lambda self: any(not life.is_alive for life in self.lives))
    @rule(pick=picks)
    def come_back(self, pick: int) -> None:
        """The same commits under the same name."""
        gone = [life for life in self.lives if not life.is_alive]
        old = gone[pick % len(gone)]
        if old.name not in {life.name for life in self.alive}:
            self.git("branch", old.name, old.tip)
            life = Life(old.name, names={old.name}, code=set(old.code), tip=old.tip)
            life.born_with = old.born_with
            self.inherit(life)
            self.lives.append(life)

    # --- gc ---------------------------------------------------------------------------------------

    @rule()
    def gc(self) -> None:
        landed = [life for life in self.lives if self.has_landed(life)]
        hidden = {
            memory
            for life in landed
            for memory in life.ids & self.forgotten
            if life.is_alive and not life.is_mixed and memory not in self.main.may
            and memory not in self.shown(life.name)
            and not any(memory in o.may for o in self.lives if o is not life)
        }  # fmt: skip
        refs = self.repo.refs()
        dry = self.repo.tr.gc(dry_run=True)
        assert self.repo.refs() == refs
        done = self.untouched(lambda: self.repo.tr.gc())
        assert dry.plan == done.plan  # type: ignore[attr-defined]
        self.judge()
        doubted = {line.branch for line in dry.plan if line.verdict == "unsure"}
        on_main = self.shown("main")
        assert not hidden & on_main
        for life in landed:
            if not life.names & doubted and not life.is_mixed:
                wanted = self.expected_to_land(life)
                assert wanted <= on_main, f"{life.name} landed: {wanted - on_main} {dry.plan}"
        again = self.repo.refs()
        twice = self.untouched(lambda: self.repo.tr.gc())
        assert self.repo.refs() == again, twice

    def expected_to_land(self, life: Life) -> set[str]:
        return life.ids - self.forgotten

    @precondition(lambda self: any("/trash/" in ref for ref in self.repo.refs()))
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        found = sorted(ref for ref in self.repo.refs() if "/trash/" in ref)
        name = found[pick % len(found)].split("/")[3].replace("%2F", "/")
        back = self.untouched(lambda: self.repo.tr.restore(name))
        assert back.branch == name  # type: ignore[attr-defined]
        for life in self.alive:
            if life.name == name:
                for old in self.lives:
                    if name in old.names:
                        life.may |= old.may
                        life.is_mixed = True

    # --- what always holds ------------------------------------------------------------------------

    @invariant()
    def nothing_is_lost(self) -> None:
        listed = self.repo.git(
            *("rev-list", "--objects", "--glob=refs/treering/heads", "--glob=refs/treering/trash")
        )
        held = {line.rpartition("/")[2].removesuffix(".md") for line in listed.splitlines()}
        assert self.known <= held

    @invariant()
    def nothing_leaks(self) -> None:
        if "refs/treering/heads/main" in self.repo.refs():
            held = {f.rpartition("/")[2].removesuffix(".md") for f in self.repo.files("main")}
            assert held & self.known <= self.main.may
        for life in [self.main, *self.alive]:
            allowed = self.main.may | life.may
            at = life.base
            while at:
                allowed |= at.may
                at = at.base
            shown = self.shown(life.name)
            assert shown <= allowed, f"{life.name} shows {shown - allowed}"

    @invariant()
    def a_branch_sees_its_own_and_what_is_below(self) -> None:
        for life in self.alive:
            wanted = self.main.ids | life.ids
            at = life.base
            while at and at.is_alive:
                wanted |= at.ids
                at = at.base
            missing = wanted - self.forgotten - self.shown(life.name)
            assert not missing, f"{life.name} does not show {missing}"


def _lived(examples: int, steps: int, *, is_fixed: bool) -> None:
    """Play lives; `is_fixed` the same ones each time, so that a red run means a change did it."""
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        BranchLife,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            derandomize=is_fixed,
        ),
    )


def test_no_short_life_of_branches_loses_or_leaks_a_memory() -> None:
    """The promise of the whole project, on lives nobody thought of."""
    _lived(8, 12, is_fixed=True)


@pytest.mark.deep
def test_no_long_life_of_branches_loses_or_leaks_a_memory() -> None:
    """The same, long enough for names to be used again and again."""
    _lived(150, 30, is_fixed=False)
