"""Lives of branches as people lead them, played by git and treering in a real repository.

A life is a list of steps, and each step a name and a number that makes all its choices, so that any
list of them can be played: the shortest that still goes wrong is found by leaving some out.
"""

import contextlib
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from pygit2 import Tree

from branch_model import CodeHistory, Life, Model, Version
from conftest import Repo, make_repo, remove
from treering.actions.gc import GcAnswer

NAMES = ("a", "b", "c/d", "wip")
#: How often each thing is done, beside the others.
EVENTS = {
    "remember": 6, "remember_before_the_commit": 3, "remember_elsewhere": 1, "revise": 2,
    "forget": 0.4, "commit": 6, "edit": 1, "create": 5, "switch": 2, "amend": 2, "rebase": 2,
    "merge_trunk": 1, "merge_other": 1, "reset_to_trunk": 1.5, "reset_back": 1, "land": 5,
    "pick_one": 1.5, "land_a_part": 1.5, "release": 2, "delete": 3, "come_back": 1,
    "land_what_is_gone": 2, "rename": 1.5, "commit_on_trunk_by_mistake": 0.5, "gc": 5,
    "restore": 1.5, "work_in_a_clone": 0.7,
}  # fmt: skip


class Step(NamedTuple):
    """One thing that is done."""

    event: str
    seed: int


class WentWrong(AssertionError):
    """What is seen is not what the model says."""


class Player:
    """One repository, and the model beside it."""

    def __init__(self, path: Path) -> None:
        self.repo: Repo = make_repo(path)
        first = self.repo.commit_file("README.md")
        self.repo.git("branch", "develop")
        self.code = CodeHistory(path)
        self.model = Model(self.code, first)
        self.develop = Life("develop", first, is_long_lived=True, tips={first})
        self.model.begin(self.develop)
        self.here = self.model.main
        self.count = 0
        self.trash: set[str] = set()
        self.is_dirty = False
        self.names: dict[Life, set[str]] = {}  # all a branch was ever called
        self.played: list[Step] = []
        self.told: list[str] = []  # the same in words

    def play(self, steps: Iterable[Step]) -> None:
        for step in steps:
            self.played.append(step)
            self.repo.now += 5
            choose = random.Random(step.seed)
            getattr(self, step.event)(choose)
            self.look()
        self.gc(random.Random(0))
        self.look()

    def tell(self, text: str) -> None:
        self.told.append(text)

    # --- looks ------------------------------------------------------------------------------------

    def look(self) -> None:
        self._look_at_trash()
        held = self._held("refs/treering/heads/") | self._held("refs/treering/remotes/")
        lost = {v.memory for v in self.model.versions} - held - self._held("refs/treering/trash/")
        self._check(not lost, f"lost: {lost}")
        dropped = self.model.must_stay() - held
        self._check(not dropped, f"dropped, though it speaks of no commit yet: {dropped}")
        for life in self.model.alive:
            self._look_at(life)

    def _look_at(self, life: Life) -> None:
        shown = {
            str(memory["id"]): {tag for tag in memory.get("tags", ()) if tag.startswith("mark")}
            for memory in self.repo.tr.exported(branch=life.name)
        }
        may, must = self.model.may_show(life), self.model.must_show(life)
        leaks = {m: marks - may.get(m, frozenset()) for m, marks in shown.items()}
        leaks = {m: marks for m, marks in leaks.items() if marks or m not in may}
        self._check(not leaks, f"{life.name} shows what it must not: {leaks}")
        self._check(must <= shown.keys(), f"{life.name} does not show {must - shown.keys()}")
        marks = {(m, mark) for m, mark in self.model.must_mark(life) if mark not in shown[m]}
        self._check(not marks, f"{life.name} shows an old version: {marks}")

    def _look_at_trash(self) -> None:
        trash = {ref for ref in self.repo.refs() if "/trash/" in ref}
        self._check(trash <= self.trash, f"trashed, and nobody asked: {trash - self.trash}")

    def _check(self, is_right: bool, what: str) -> None:
        if not is_right:
            raise WentWrong(what)

    def _held(self, prefix: str) -> set[str]:
        """The memories in the newest trees of our refs."""
        repository = self.code.repository
        ids: set[str] = set()
        for name, oid in self.repo.refs().items():
            if name.startswith(prefix):
                ids |= set(_list_ids(repository[oid].tree))
        return ids

    # --- memories ---------------------------------------------------------------------------------

    def remember(self, _: random.Random, where: Life | None = None) -> None:
        self.count += 1
        life = where or self.here
        branch = life.name if where else ""
        done = self.repo.tr.remember(f"thought {self.count}", type="insight", branch=branch)
        self.tell(f"remember {self.count} on {life.name}: {done.id}{' (dirty)' * self.is_dirty}")
        self._say(life, done.id, "", frozenset())

    def remember_before_the_commit(self, choose: random.Random) -> None:
        """Said while the work lies in the work tree; it may be thrown away, too."""
        self._write(f"f{self.count}.txt")
        self.remember(choose)

    def remember_elsewhere(self, choose: random.Random) -> None:
        self._tidy()
        self.remember(choose, choose.choice(self.model.alive))

    def revise(self, choose: random.Random) -> None:
        shown = sorted(str(memory["id"]) for memory in self.repo.tr.exported())
        if shown:
            memory, self.count = choose.choice(shown), self.count + 1
            mark = f"mark{self.count}"
            self.repo.tr.revise(memory, tags_add=[mark])
            marks = frozenset(t for t in self.repo.tr.read(memory).tags if t.startswith("mark"))
            self.tell(f"revise {memory} on {self.here.name}: {mark}")
            self._check(mark in marks, f"{mark} is not seen where it was made")
            self._say(self.here, memory, mark, marks)

    def forget(self, choose: random.Random) -> None:
        shown = sorted(str(memory["id"]) for memory in self.repo.tr.exported())
        if shown:
            memory = choose.choice(shown)
            self.repo.tr.forget([memory])
            self.tell(f"forget {memory} on {self.here.name}")
            self.model.forgotten.add(memory)

    def _say(self, life: Life, memory: str, mark: str, marks: frozenset[str]) -> None:
        self.model.say(life, memory, mark, marks, is_clean=not self.is_dirty)

    # --- code -------------------------------------------------------------------------------------

    def git(self, *arguments: str) -> str:
        self.repo.now += 1
        return self.repo.git(*arguments)

    def try_git(self, *arguments: str) -> bool:
        """Whether git could; a conflict is left as if nobody had tried."""
        try:
            self.git(*arguments)
        except AssertionError:
            verb = arguments[0]
            if verb in ("rebase", "cherry-pick") or "--squash" not in arguments:
                with contextlib.suppress(AssertionError):
                    self.repo.git(verb, "--abort")
            self.repo.git("reset", "-q", "--hard")
            return False
        return True

    def _write(self, name: str) -> None:
        self.count += 1
        text = f"{self.count} of {name}\n" * 4
        (self.repo.path / name).write_text(text, encoding="utf-8")
        self.is_dirty = True

    def _tidy(self) -> None:
        """Throw away what was not committed."""
        if self.is_dirty:
            self.repo.git("reset", "-q", "--hard")
            self.repo.git("clean", "-qfd")
            self.is_dirty = False

    def _go_to(self, life: Life) -> None:
        if self.here is not life:
            self._tidy()
            self.git("switch", "-q", life.name)
            self.here = life

    def _moved(self, life: Life) -> None:
        self.model.go(life, self.repo.git("rev-parse", life.name))

    def commit(self, _: random.Random) -> None:
        if not self.is_dirty:
            self._write(f"f{self.count}.txt")
        self._commit("work")

    def _commit(self, what: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"{what} {self.count}")
        self.is_dirty = False
        self._moved(self.here)
        self.tell(f"{what} on {self.here.name}: {self.here.tip[:8]}")

    def edit(self, choose: random.Random) -> None:
        """Change a file again that the last commit changed."""
        files = sorted(path for path, _ in self.code.changes(self.here.tip))
        if files and not self.is_dirty:
            self._write(choose.choice(files))
            self._commit("edit")

    def switch(self, choose: random.Random) -> None:
        self._go_to(choose.choice(self.model.alive))

    def amend(self, choose: random.Random) -> None:
        life, old = self.here, self.here.tip
        files = sorted(path for path, _ in self.code.changes(old))
        if life.is_long_lived or not files or not self.model.has_own_commits(life, old):
            return
        self._tidy()
        if choose.random() < 0.7:
            self._write(choose.choice(files))
        self.git("commit", "-q", "--amend", "-a", "-m", f"amended {self.count}")
        self.is_dirty = False
        self._moved(life)
        self.code.rewrites[old] = life.tip
        self.tell(f"amend on {life.name}: {old[:8]} -> {life.tip[:8]}")

    def rebase(self, choose: random.Random) -> None:
        life, onto = self.here, choose.choice(self.model.long_lived)
        if not life.is_long_lived and self.model.has_own_commits(life, life.tip):
            self._tidy()
            if self.try_git("rebase", "-q", onto.name):
                self._moved(life)
                self.tell(f"rebase {life.name} onto {onto.name}: {life.tip[:8]}")

    def merge_trunk(self, choose: random.Random) -> None:
        """Keep up with a long-lived branch."""
        if self.here.is_long_lived:
            return
        self._merge(choose.choice(self.model.long_lived))

    def merge_other(self, choose: random.Random) -> None:
        """Build on what another branch does."""
        other = self._pick_life(choose)
        if other and other is not self.here and not self.here.is_long_lived:
            self._merge(other)

    def _merge(self, source: Life) -> None:
        self._tidy()
        if self.try_git("merge", "-q", "--no-edit", source.name):
            self._moved(self.here)
            self.tell(f"merge {source.name} into {self.here.name}: {self.here.tip[:8]}")

    def reset_to_trunk(self, choose: random.Random) -> None:
        """The work is thrown away, the branch goes on."""
        life = self.here
        if life.is_long_lived:
            return
        self._tidy()
        how = choose.choice(["reset -q --hard main", f"switch -q -C {life.name} main",
                             f"checkout -q -B {life.name} main"])  # fmt: skip
        self.git(*how.split())
        self._moved(life)
        self.tell(how + f" on {life.name}: {life.tip[:8]}")

    def reset_back(self, _: random.Random) -> None:
        life = self.here
        if not life.is_long_lived and self.model.has_own_commits(life, life.tip):
            self._tidy()
            self.git("reset", "-q", "--hard", "HEAD~1")
            self._moved(life)
            self.tell(f"reset --hard HEAD~1 on {life.name}: {life.tip[:8]}")

    # --- landing ----------------------------------------------------------------------------------

    def _pick_target(self, choose: random.Random) -> Life:
        return choose.choice([self.model.main, self.model.main, self.develop])

    def _pick_life(self, choose: random.Random, *, alive: bool = True) -> Life | None:
        lives = [o for o in self.model.lives if o.is_alive is alive and not o.is_long_lived]
        return choose.choice(lives) if lives else None

    def _land(self, tip: str, target: Life, how: str) -> None:
        if self.code.has(target.tip, tip):
            return
        self._go_to(target)
        self._tidy()
        if how == "squash":
            is_done = self.try_git("merge", "-q", "--squash", tip) and self._commit_if_any()
        elif how == "pick":
            own = self.git("rev-list", "--reverse", "--no-merges", f"{target.name}..{tip}").split()
            is_done = bool(own) and self.try_git("cherry-pick", *own)
        elif how == "forward":
            is_done = self.try_git("merge", "-q", "--ff-only", tip)
        else:
            is_done = self.try_git("merge", "-q", "--no-ff", "--no-edit", tip)
        self._moved(target)
        if is_done:
            self.tell(f"{how} {tip[:8]} into {target.name}: {target.tip[:8]}")

    def _commit_if_any(self) -> bool:
        if self.repo.git("status", "--porcelain"):
            self.count += 1
            self.git("commit", "-q", "-m", f"squashed {self.count}")
            return True
        return False

    def land(self, choose: random.Random) -> None:
        if life := self._pick_life(choose):
            how = choose.choice(["merge", "forward", "squash", "squash", "pick"])
            self._land(life.tip, self._pick_target(choose), how)

    def land_a_part(self, choose: random.Random) -> None:
        """A branch as it was; it has gone on since."""
        if life := self._pick_life(choose):
            own = sorted(self.code.history(life.tip) - self.code.history(self.model.main.tip))
            if own:
                how = choose.choice(["merge", "squash"])
                self._land(choose.choice(own), self._pick_target(choose), how)

    def pick_one(self, choose: random.Random) -> None:
        life, target = self._pick_life(choose), self._pick_target(choose)
        own = self.code.history(life.tip) - self.code.history(target.tip) if life else set()
        commits = [commit for commit in sorted(own) if self.code.changes(commit)]
        if commits:
            self._go_to(target)
            self._tidy()
            commit = choose.choice(commits)
            if self.try_git("cherry-pick", commit):
                self._moved(target)
                self.tell(f"cherry-pick {commit[:8]} to {target.name}: {target.tip[:8]}")

    def land_what_is_gone(self, choose: random.Random) -> None:
        """As on a host: the branch was deleted here, and perhaps judged, before it was merged."""
        if life := self._pick_life(choose, alive=False):
            how = choose.choice(["merge", "squash", "pick"])
            self._land(life.tip, self._pick_target(choose), how)

    def release(self, choose: random.Random) -> None:
        """Develop goes into the trunk, up to some commit."""
        line = self.git("rev-list", "--first-parent", "main..develop").split()
        if line:
            how = choose.choice(["merge", "merge", "squash"])
            self._land(choose.choice([line[0], choose.choice(line)]), self.model.main, how)

    # --- names ------------------------------------------------------------------------------------

    def create(self, choose: random.Random) -> None:
        name = self._free_name(choose)
        if name is None:
            return
        self._tidy()
        base = choose.choice([self.model.main, self.model.main, self.develop, self.here])
        self.git("switch", "-q", "-c", name, base.name)
        self._begin(name, base.tip, None if base is self.model.main else base)
        self.here = self.model.lives[-1]
        self.tell(f"create {name} from {base.name} at {base.tip[:8]}")

    def _begin(self, name: str, tip: str, base: Life | None) -> None:
        is_stacked = base is not None and not base.is_long_lived
        life = Life(name, tip, base, start=tip if is_stacked else "", tips={tip})
        self.names[life] = {name}
        left = self._left_under(name)
        if not any(self.code.has(trunk.tip, tip) for trunk in self.model.long_lived):
            self._inherit(life, left)
        elif name.startswith("agent"):  # what other clones remember is never another branch's
            life.may += left
        self.model.begin(life)

    def _inherit(self, life: Life, left: list[Version]) -> None:
        """What stands under a name is the branch's, unless it was made anew from a long-lived
        branch; what lies in the trash is, if it comes back."""
        ref = f"refs/treering/heads/{life.name.replace('/', '%2F')}"
        tip = self.repo.refs().get(ref)
        there = set(_list_ids(self.code.repository[tip].tree)) if tip else set()
        for version in left:
            life.may.append(version)
            if version.memory in there and not version.mark and life.tips == {life.tip}:
                life.own.append(version)

    def _left_under(self, name: str) -> list[Version]:
        lives = [o for o in self.model.lives if not o.is_alive and name in self.names[o]]
        versions = list(dict.fromkeys(v for o in lives for v in (*o.own, *o.may)))
        for version in versions:
            # No place of its commit was written down while the name was its own.
            version.is_doubtful |= version.is_waiting
        return versions

    def _free_name(self, choose: random.Random) -> str | None:
        taken = {life.name for life in self.model.alive}
        free = [name for name in NAMES if name not in taken]
        return choose.choice(free) if free else None

    def rename(self, choose: random.Random) -> None:
        life, name = self._pick_life(choose), self._free_name(choose)
        if life and name:
            self.git("branch", "-q", "-m", life.name, name)
            self.tell(f"rename {life.name} to {name}")
            life.name = name
            self.names[life].add(name)
            life.may += self._left_under(name)

    def delete(self, choose: random.Random) -> None:
        if life := self._pick_life(choose):
            if self.here is life:
                self._go_to(self.model.main)
            self.git("branch", "-q", "-D", life.name)
            life.is_alive = False
            self.tell(f"delete {life.name}")
            if len(self.names[life]) > 1:  # its log went with it, and told of its former name
                for version in life.own:
                    version.is_doubtful |= version.is_waiting

    def come_back(self, choose: random.Random) -> None:
        """Deleted by mistake: the same commits under the same name."""
        old = self._pick_life(choose, alive=False)
        if old and old.name not in {life.name for life in self.model.alive}:
            self.git("branch", "-q", old.name, old.tip)
            self._begin(old.name, old.tip, None)
            self.model.lives[-1].base, self.model.lives[-1].is_base_known = old.base, False
            self.tell(f"branch {old.name} {old.tip[:8]}")

    def commit_on_trunk_by_mistake(self, choose: random.Random) -> None:
        name = self._free_name(choose)
        if name:
            self._go_to(self.model.main)
            self.commit(choose)
            self.remember(choose)
            self.git("branch", "-q", name)
            life = Life(name, self.here.tip, tips={self.here.tip})
            self.names[life] = {name}
            life.may += self._left_under(name)
            self.model.begin(life)
            self.git("reset", "-q", "--hard", "HEAD~1")
            self._moved(self.here)
            self.tell(f"moved the commit to {name}: main {self.here.tip[:8]}")

    # --- clones -----------------------------------------------------------------------------------

    def work_in_a_clone(self, choose: random.Random) -> None:
        """An agent clones, works, pushes code and memories, and its clone is thrown away."""
        host, clone = self._share(), self.repo.path.with_name("clone")
        base = choose.choice(self.model.long_lived)
        self.repo.git("clone", "-q", str(host), str(clone))
        agent, name = Repo(clone), f"agent{self.count}"
        agent.now = self.repo.now
        agent.git("config", "user.name", "Agent")
        agent.git("config", "user.email", "agent@example.org")
        agent.git("switch", "-q", "--no-track", "-c", name, f"origin/{base.name}")
        self.count += 1
        tip = agent.commit_file(f"f{self.count}.txt", f"{self.count} of an agent\n" * 4)
        memory = agent.tr.remember(f"thought {self.count} of an agent", type="insight").id
        agent.git("push", "-q", "origin", name)
        agent.tr.sync(remote="origin")
        remove(clone)
        self.repo.now = agent.now
        self.repo.git("fetch", "-q", "origin")
        self.repo.tr.sync(remote="origin")
        life = Life(name, tip, is_alive=False)
        self.names[life] = {name}
        self.model.begin(life)
        self.model.say(life, memory, "", frozenset(), is_clean=True)
        self.tell(f"{name} from {base.name} in a clone: {tip[:8]}, {memory}")
        shown = {str(shown["id"]) for shown in self.repo.tr.exported(branch=name)}
        self._check(memory in shown, f"{name} does not show {memory}, which a sync brought")

    def _share(self) -> Path:
        host = self.repo.path.with_name("host.git")
        if not host.exists():
            self.repo.git("init", "-q", "--bare", "-b", "main", str(host))
            self.repo.git("remote", "add", "origin", str(host))
        self.repo.git("push", "-q", "origin", "main", "develop")
        self.repo.tr.sync(remote="origin")
        return host

    # --- gc ---------------------------------------------------------------------------------------

    def gc(self, _: random.Random) -> None:
        """Until there is nothing left to do: what was moved aside is judged from there."""
        before, branches = self.repo.refs(), self.repo.git("for-each-ref", "refs/heads")
        dry = self.repo.tr.gc(dry_run=True)
        self._check(self.repo.refs() == before, "a dry run changed something")
        done = self.repo.tr.gc()
        self.tell("gc: " + "; ".join(f"{p.branch} {p.verdict} {p.into}" for p in done.plan))
        self._check(_deeds(dry) <= _deeds(done), f"a dry run said otherwise: {dry} {done}")
        for _ in range(4):
            settled = self.repo.refs()
            self.repo.tr.gc()
            if self.repo.refs() == settled:
                break
        else:
            self._check(False, "gc never comes to an end")
        self._check(branches == self.repo.git("for-each-ref", "refs/heads"), "a branch moved")
        self.model.judge()
        self.trash = {ref for ref in self.repo.refs() if "/trash/" in ref}

    def restore(self, choose: random.Random) -> None:
        if not self.trash:
            return
        ref = choose.choice(sorted(self.trash))
        name = ref.split("/")[3].replace("%2F", "/")
        newest = max(other for other in self.trash if other.split("/")[3] == ref.split("/")[3])
        ids = self._held(newest)
        back = self.repo.tr.restore(name)
        self.tell(f"restore {name}: {ids}")
        self.trash = {ref for ref in self.repo.refs() if "/trash/" in ref}
        self._check(back.branch == name, f"{back.branch} came back instead of {name}")
        for version in self.model.versions:
            if version.memory in ids:
                version.is_doubtful = True  # what came back by hand is not judged again
        shown = {str(memory["id"]) for memory in self.repo.tr.exported(branch=name)}
        gone = ids - shown - self.model.forgotten
        self._check(not gone, f"restored, and not seen: {gone}")
        for life in self.model.alive:
            if life.name == name:
                life.may += [v for v in self.model.versions if v.memory in ids]


def _deeds(answer: GcAnswer) -> set[tuple[str, str, str]]:
    """What is done with branches; more may follow for one that others land in."""
    return {
        (line.branch, line.action, line.into)
        for line in answer.plan
        if line.action != "keep" and line.branch != "develop"
    }


def _list_ids(tree: Tree) -> Iterable[str]:
    for entry in tree:
        if isinstance(entry, Tree):
            yield from _list_ids(entry)
        else:
            yield str(entry.name).removesuffix(".md")


# --- many lives -----------------------------------------------------------------------------------


def make_steps(seed: int, count: int) -> list[Step]:
    choose = random.Random(seed)
    events = choose.choices(list(EVENTS), list(EVENTS.values()), k=count)
    return [Step(event, choose.randrange(1_000_000)) for event in events]


def shorten(steps: list[Step], goes_wrong: Callable[[list[Step]], bool]) -> list[Step]:
    """The steps without those that have nothing to do with it."""
    size = len(steps) // 2
    while size:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            if goes_wrong(fewer):
                steps = fewer
            else:
                at += size
        size //= 2
    return steps
