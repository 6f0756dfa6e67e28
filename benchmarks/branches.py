"""Whether memories follow the life of branches: leaks, recall and false drops, and what it costs.

Each life is a repository of its own, with the branch that is followed, a sibling that lives on, and
a trunk, each with memories. After every event it is asked what each of them finds. A leak is a
memory found where only another branch could know it; a false drop is a memory of a living or landed
branch that is in the trash only, or gone.
"""

import itertools
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks._bench import ENVIRONMENT, git, heading, milliseconds, repository, row
from benchmarks._replay import cpu
from treering import Treering
from treering.actions.workspace import Workspace
from treering.branches import layers
from treering.branches.landing.judge import Judge
from treering.branches.plan import plan
from treering.branches.survey import survey

SEED = 20_260_202
START = 1_770_000_000


def main(quick: bool = False) -> None:
    print(f"seed {SEED}")
    heading("what happened", "leaks", "recall", "false drops")
    total = Score()
    for name, script in ROWS.items():
        score = lived(script)
        told(f"  {name}", score)
        total.add(score)
    lives = 30 if quick else 200
    by_fate: dict[str, Score] = {}
    choose = random.Random(SEED)
    for _ in range(lives):
        fate = choose.choice(FATES)
        score = lived(lambda life, fate=fate: wandered(life, choose, fate))  # type: ignore[misc]
        by_fate.setdefault(fate, Score()).add(score)
        total.add(score)
    for fate, score in sorted(by_fate.items()):
        told(f"  random: {fate} ({score.lives} lives)", score)
    told(f"all {total.lives} lives", total)
    print()
    resolving(20 if quick else 100)
    surveying(*((60, 1_000) if quick else (200, 5_000)))
    dropping(400 if quick else 2_000)
    if total.leaks or total.drops or total.missing:
        print("MISSED: leaks, false drops and memories not found must all be 0")
        sys.exit(1)


@dataclass
class Score:
    lives: int = 0
    looks: int = 0
    leaks: int = 0
    wanted: int = 0
    missing: int = 0
    drops: int = 0

    def add(self, other: "Score") -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def told(what: str, score: Score) -> None:
    found = score.wanted - score.missing
    row(what, f"{score.leaks}/{score.looks}", f"{found}/{score.wanted}", str(score.drops))


# --- one life ------------------------------------------------------------------------------------


@dataclass
class Life:
    """A repository in which a branch is followed."""

    path: Path
    now: float = START
    name: str = "feature"  # what the branch is called
    is_here: bool = True
    on_main: set[str] = field(default_factory=set)
    on_develop: set[str] | None = None  # None: there is no such branch
    own: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)  # the sibling's
    thrown: set[str] = field(default_factory=set)  # of branches that are gone, landed nowhere
    score: Score = field(default_factory=lambda: Score(lives=1))
    number: int = 0

    def git(self, *arguments: str) -> str:
        self.now += 60
        stamp = f"{int(self.now)} +0000"
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=ENVIRONMENT | {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def clock(self) -> float:
        self.now += 1
        return self.now

    @property
    def tr(self) -> Treering:
        return Treering.open(self.path, clock=self.clock)

    # --- events ---

    def learn(self, branch: str = "") -> str:
        self.number += 1
        text = f"thought {self.number} of {branch or self.name}"
        return self.tr.remember(text, type="insight", branch=branch or self.name).id

    def remember(self) -> None:
        self.own.add(self.learn())

    def commit(self, branch: str = "") -> None:
        self.number += 1
        self.git("switch", "-q", branch or self.name)
        (self.path / f"f{self.number}.txt").write_text(f"{self.number}\n" * 3, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-q", "-m", f"work {self.number}")

    def start(self) -> None:
        self.git("switch", "-q", "-c", self.name, "main")
        self.is_here = True

    def rename(self) -> None:
        self.number += 1
        new = f"renamed/{self.number}"
        self.git("branch", "-m", self.name, new)
        self.name = new

    def amend(self) -> None:
        self.git("switch", "-q", self.name)
        self.git("commit", "-q", "--amend", "-m", "amended")

    def rework(self) -> None:
        """Amend what the last commit did."""
        self.git("switch", "-q", self.name)
        for name in self.git("show", "--format=", "--name-only").split():
            (self.path / name).write_text(f"reworked {self.number}\n" * 3, encoding="utf-8")
        self.git("commit", "-q", "--amend", "-a", "-m", "reworked")

    def throw_back(self, how: str = "reset -q --hard main") -> None:
        """The work is thrown away, the branch goes on: what was learned stays there."""
        self.git("switch", "-q", self.name)
        self.git(*how.format(self.name).split())

    def remember_before_the_commit(self) -> None:
        self.git("switch", "-q", self.name)
        (self.path / "half-done.txt").write_text("half done\n", encoding="utf-8")
        self.remember()
        self.commit()

    def rebase(self) -> None:
        self.commit("main")
        self.git("switch", "-q", self.name)
        self.git("rebase", "-q", "main")

    def land(self, how: str, into: str = "main", tip: str = "") -> None:
        """Land the branch; with `tip` a branch that is gone, as a host would."""
        if how == "fast-forward":
            self.rebase()
        else:
            self.commit(into)
        self.git("switch", "-q", into)
        tip = tip or self.name
        if how == "squash":
            self.git("merge", "-q", "--squash", tip)
            self.git("commit", "-q", "-m", "squashed")
        elif how == "rebase":
            self.git("cherry-pick", f"{into}..{tip}")
        else:
            option = "--ff-only" if how == "fast-forward" else "--no-ff"
            self.git("merge", "-q", option, "--no-edit", tip)

    def delete(self) -> None:
        self.git("switch", "-q", "main")
        self.git("branch", "-q", "-D", self.name)
        self.is_here = False

    def gc(self, *, has_landed: bool = False) -> None:
        if has_landed:
            self.on_main |= self.own
        elif not self.is_here:
            self.thrown |= self.own
        if not self.is_here:
            self.own = set()
        self.tr.gc()

    # --- looks ---

    def found(self, branch: str) -> set[str]:
        return {hit.id for hit in self.tr.recall(branch=branch, limit=50).results}

    def look(self) -> None:
        """What main, the sibling and the branch find, against what they should."""
        self.expect("main", self.on_main)
        self.expect("sibling", self.on_main | self.others)
        if self.on_develop is not None:
            self.expect("develop", self.on_main | self.on_develop)
        if self.is_here:
            self.expect(self.name, self.on_main | self.own)
        kept = self.held("refs/treering/heads")
        known = self.on_main | self.own | self.others | (self.on_develop or set())
        self.score.drops += len(known - kept)
        self.score.drops += len(self.thrown - kept - self.held("refs/treering/trash"))

    def expect(self, branch: str, wanted: set[str]) -> None:
        found = self.found(branch)
        self.score.looks += 1
        self.score.leaks += len(found - wanted)
        self.score.wanted += len(wanted)
        self.score.missing += len(wanted - found)

    def held(self, under: str) -> set[str]:
        """Ids in the newest trees of our refs, as git lists them."""
        ids = set()
        for ref in self.git("for-each-ref", "--format=%(refname)", under).split():
            names = self.git("ls-tree", "-r", "--name-only", ref).split()
            ids |= {name.rpartition("/")[2].removesuffix(".md") for name in names}
        return ids


def lived(script: Callable[[Life], None]) -> Score:
    with repository() as path:
        life = Life(path)
        life.on_main.add(life.learn("main"))
        life.git("switch", "-q", "-c", "sibling", "main")
        life.commit("sibling")
        life.others.add(life.learn("sibling"))
        life.start()
        script(life)
        life.look()
    return life.score


def worked(life: Life) -> None:
    for event in (life.commit, life.remember, life.commit, life.look):
        event()


# --- the rows of the table -----------------------------------------------------------------------


def renamed(life: Life) -> None:
    worked(life)
    life.rename()
    life.look()
    life.remember()
    life.look()
    life.rename()
    life.gc()


def copied(life: Life) -> None:
    worked(life)
    life.git("branch", "-c", life.name, "copy")
    life.gc()
    life.expect("copy", life.on_main | life.own)


def landed(how: str, *, is_deleted: bool) -> Callable[[Life], None]:
    def script(life: Life) -> None:
        worked(life)
        life.land(how)
        if is_deleted:
            life.delete()
        life.gc(has_landed=True)
        life.look()
        life.gc(has_landed=True)

    return script


def into_another(life: Life) -> None:
    worked(life)
    life.git("switch", "-q", "-c", "top", life.name)
    life.commit("top")
    mine = life.own | {life.learn("top")}
    life.delete()
    life.gc()
    life.thrown = set()
    life.expect("top", life.on_main | mine)
    life.score.drops += len(mine - life.held("refs/treering/heads"))


def never_landed(life: Life) -> None:
    worked(life)
    life.delete()
    life.gc()
    life.look()
    life.tr.restore(life.name)
    life.expect(life.name, life.on_main | life.thrown)


def not_sure(life: Life) -> None:
    life.remember()
    mine = set(life.own)
    life.delete()
    life.gc()
    life.score.drops += len(mine - life.held("refs/treering/heads"))


def recreated(life: Life) -> None:
    worked(life)
    life.thrown |= life.own
    life.own = set()
    life.delete()
    life.start()
    life.look()
    life.remember()
    life.look()
    life.gc()


def comes_back(life: Life) -> None:
    worked(life)
    mine, tip = set(life.own), life.git("rev-parse", life.name)
    life.delete()
    life.gc()
    life.look()
    life.git("branch", life.name, tip)
    life.is_here, life.own, life.thrown = True, mine, set()
    life.gc()


def rewritten(life: Life) -> None:
    worked(life)
    life.amend()
    life.look()
    life.rebase()
    life.look()
    life.gc()


def thrown_back(how: str) -> Callable[[Life], None]:
    def script(life: Life) -> None:
        worked(life)
        life.throw_back(how)
        life.gc()
        life.look()
        old, life.own = life.own, set()
        life.commit()
        life.remember()
        new = set(life.own)
        life.own = old | new
        life.land("merge")
        life.on_main |= new
        life.gc()

    return script


def goes_on(life: Life) -> None:
    """Squashed, and then more: only the first part is known on the trunk."""
    worked(life)
    life.land("squash")
    life.on_main |= life.own
    life.commit()
    life.remember()
    life.gc()
    life.look()
    life.remember_before_the_commit()
    life.gc()


def picked(life: Life) -> None:
    """One commit of two."""
    life.commit()
    life.remember()
    first, tip = set(life.own), life.git("rev-parse", "HEAD")
    life.commit()
    life.remember()
    life.git("switch", "-q", "main")
    life.git("cherry-pick", tip)
    life.on_main |= first
    life.gc()


def said_before(life: Life) -> None:
    life.remember_before_the_commit()
    life.look()
    life.land("squash")
    life.gc(has_landed=True)


def by_way_of_develop(how: str) -> Callable[[Life], None]:
    def script(life: Life) -> None:
        life.git("branch", "develop", "main")
        life.on_develop = set()
        worked(life)
        life.land(how, "develop")
        life.delete()
        life.on_develop, life.own = life.own, set()
        life.gc()
        life.look()
        life.git("switch", "-q", "main")
        life.git("merge", "-q", "--no-ff", "--no-edit", "develop")
        life.on_main |= life.on_develop
        life.gc()

    return script


def landed_after_all(how: str) -> Callable[[Life], None]:
    """gc came before the pull: what it put away is judged again."""

    def script(life: Life) -> None:
        worked(life)
        mine, tip = set(life.own), life.git("rev-parse", life.name)
        life.delete()
        life.gc()
        life.look()
        life.land(how, tip=tip)
        life.thrown -= mine
        life.on_main |= mine
        life.gc()

    return script


def landed_from_aside(life: Life) -> None:
    """The name has other work by now, and then the old lands."""
    worked(life)
    mine, tip = set(life.own), life.git("rev-parse", life.name)
    life.delete()
    life.own = set()
    life.start()
    life.remember()
    life.look()
    life.land("squash", tip=tip)
    life.on_main |= mine
    life.gc()


def reworked(life: Life) -> None:
    worked(life)
    life.rework()
    life.look()
    life.rebase()
    life.land("squash")
    life.gc(has_landed=True)


def in_another_clone(life: Life) -> None:
    """An agent's clone, thrown away once it had pushed; the work is squashed on the host."""
    host, clone = life.path.with_name("host.git"), life.path.with_name("clone")
    life.git("init", "-q", "--bare", "-b", "main", str(host))
    life.git("remote", "add", "origin", str(host))
    life.git("push", "-q", "origin", "main")
    life.tr.sync(remote="origin")
    life.git("clone", "-q", str(host), str(clone))
    agent = Life(clone, life.now, "agent", number=100)
    agent.git("config", "user.name", "Agent")
    agent.git("config", "user.email", "agent@example.org")
    agent.start()
    worked_there = (agent.commit, agent.remember)
    for event in worked_there:
        event()
    agent.git("push", "-q", "origin", "agent")
    agent.tr.sync(remote="origin")
    shutil.rmtree(clone)
    life.now = agent.now
    life.git("fetch", "-q")
    life.tr.sync(remote="origin")
    life.look()
    life.land("squash", tip="origin/agent")
    life.on_main |= agent.own
    life.gc()
    shutil.rmtree(host)


KINDS = ("merge", "fast-forward", "squash", "rebase")
RESETS = ("reset -q --hard main", "switch -q -C {} main", "checkout -q -B {} main")
ROWS: dict[str, Callable[[Life], None]] = {
    "renamed": renamed,
    "copied": copied,
    **{f"landed by {how}": landed(how, is_deleted=False) for how in KINDS},
    **{f"deleted after landing by {how}": landed(how, is_deleted=True) for how in KINDS},
    "deleted after landing in another branch": into_another,
    "deleted, never landed": never_landed,
    "deleted, not sure": not_sure,
    "re-created": recreated,
    "comes back": comes_back,
    "amended or rebased": rewritten,
    **{f"thrown back by {how.split()[0]}": thrown_back(how) for how in RESETS},
    "goes on after it landed": goes_on,
    "one of two commits picked": picked,
    "said before its commit": said_before,
    **{f"by way of develop, by {how}": by_way_of_develop(how) for how in KINDS if "f" not in how},
    **{f"dropped, then landed by {how}": landed_after_all(how) for how in KINDS if "f" not in how},
    "name used again, then the old landed": landed_from_aside,
    "reworked, then squashed": reworked,
    "in a clone that was thrown away": in_another_clone,
}
FATES = (*(f"landed by {how}" for how in KINDS), "thrown away", "thrown away, name used again",
         "lives on", "dropped, then landed", "thrown back", "goes on")  # fmt: skip


def wandered(life: Life, choose: random.Random, fate: str) -> None:
    """Some work in any order, then one of the fates."""
    life.commit()
    life.remember()
    for _ in range(choose.randint(1, 5)):
        events = (life.commit, life.remember, life.remember_before_the_commit, life.rename,
                  life.amend, life.rework, life.rebase, life.gc)  # fmt: skip
        choose.choice(events)()
        life.look()
    if fate.startswith("landed"):
        life.land(fate.removeprefix("landed by "))
        if choose.random() < 0.7:
            life.delete()
        life.gc(has_landed=True)
    elif fate.startswith("thrown"):
        life.delete()
        if choose.random() < 0.5:
            life.gc()
        life.thrown |= life.own
        life.own = set()
        if fate.endswith("again"):
            life.start()
            life.look()
            life.remember()
            life.commit()
    elif fate == "dropped, then landed":
        landed_after_all(choose.choice(["merge", "squash", "rebase"]))(life)
    elif fate == "thrown back":
        thrown_back(choose.choice(RESETS))(life)
    elif fate == "goes on":
        goes_on(life)
    life.look()
    life.gc(has_landed=fate.startswith("landed"))


# --- what it costs -------------------------------------------------------------------------------


def resolving(rounds: int, branches: int = 50) -> None:
    """Layers are resolved anew at every call, so that has to be cheap."""
    with repository() as path:
        workspace = Workspace.open(path)
        tr = Treering(workspace)
        for number in range(branches):
            git(path, "switch", "-q", "-c", f"b{number}", "main")
            tr.remember(f"thought {number}", type="insight")
        taken = []
        for name in itertools.islice(itertools.cycle(f"b{n}" for n in range(branches)), rounds):
            started = time.perf_counter()
            standing = workspace.position(name)
            layers.view_of(workspace.store, standing.scope, standing.head)
            taken.append(time.perf_counter() - started)
    took = median(taken)
    row(f"resolving layers, {branches} branches", milliseconds(took), goal(took, 0.002))


def surveying(branches: int, commits: int) -> None:
    """A survey and its plan, most of it in git."""
    with repository() as path:
        git(path, "fast-import", "--quiet", "--force", feed=history(branches, commits).encode())
        git(path, "repack", "-adq")
        tr = Treering.open(path)
        for number in range(branches):
            tr.remember(f"thought {number}", type="insight", branch=f"b{number}")
        git(path, "reset", "-q", "--hard", "main")
        gone = [f"b{number}" for number in range(0, branches, 2)]
        git(path, "branch", "-q", "-D", *gone)
        workspace = Workspace.open(path)
        started, used = time.perf_counter(), cpu()
        found = survey(workspace.store, workspace.store.shared)
        surveyed = cpu() - used
        lines = plan(
            workspace.repository, workspace.store.shared, found, Judge(workspace.repository)
        )
        took, used = time.perf_counter() - started, cpu() - used
    what = f"survey + plan, {len(lines)} scopes, {commits:,} commits"
    row(what, f"{took:.2f} s")
    row("  processor time", f"{used:.2f} s", goal(used, 5))
    row("  of which the survey", f"{surveyed:.2f} s")


def dropping(memories: int) -> None:
    """`treering gc` where a branch is gone, by what became of it and how many memories it has."""
    for what in ("never landed", "landed", "landed, never pushed"):
        few, many = (_drop(what, count) for count in (memories // 10, memories))
        cells = (f"{few:.2f} s", f"{many:.2f} s", f"{many / few:.2f}x", goal(many / few, 1.5))
        row(f"gc: {what}, {memories // 10:,} and {memories:,}", *cells)


def _drop(what: str, memories: int) -> float:
    with repository() as path:
        git(path, "switch", "-q", "-c", "feature")
        git(path, "commit", "-q", "--allow-empty", "-m", "work")
        tr = Treering.open(path)
        for number in range(memories):
            tr.remember(f"thought {number}", type="insight")
        if what == "landed":
            git(path, "init", "-q", "--bare", str(path.with_name("host.git")))
            git(path, "remote", "add", "origin", str(path.with_name("host.git")))
            git(path, "push", "-q", "origin", "main", "feature")
            tr.sync()
            git(path, "push", "-q", "origin", ":feature")
        _run_treering(path, "recall", "thought")  # as somebody will have done
        git(path, "switch", "-q", "main")
        how = ("merge", "-q", "--no-ff", "feature") if what != "never landed" else ("status",)
        git(path, *how)
        git(path, "branch", "-q", "-D", "feature")
        taken = []
        for number in range(3):
            copy = path.with_name(f"copy{number}")
            shutil.copytree(path, copy)
            started = cpu()
            _run_treering(copy, "gc")
            taken.append(cpu() - started)
        return min(taken)


def _run_treering(path: Path, *arguments: str) -> None:
    program = str(Path(sys.executable).with_name("treering"))
    subprocess.run(
        [program, *arguments], cwd=path, env=ENVIRONMENT, check=True, capture_output=True
    )


def goal(took: float, most: float) -> str:
    return "ok" if took < most else "MISSED"


def history(branches: int, commits: int) -> str:
    """A trunk from which branches of two commits leave; each third one is squashed later."""
    told, mark = [], 0

    def commit(ref: str, parent: int, files: dict[str, str]) -> int:
        nonlocal mark
        mark += 1
        told.append(f"commit refs/heads/{ref}\nmark :{mark}\n")
        told.append(f"committer A <a@b> {START - 2_000_000 + mark} +0000\ndata 0\n")
        told.append(f"from :{parent}\n" if parent else "")
        for name, text in files.items():
            told.append(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n")
        return mark

    step, at = max(1, commits // (branches + 1)), 0
    for number in range(commits):
        at = commit("main", at, {f"src/f{number % 300}.txt": f"{number}\n" * 20})
        branch = number // step
        if number % step == 0 and branch < branches:
            work = {f"b{branch}/{part}.txt": f"{branch} {part}\n" * 5 for part in "xy"}
            tip = at
            for name, text in work.items():
                tip = commit(f"b{branch}", tip, {name: text})
            if branch % 3 == 0:
                at = commit("main", at, work)
    return "".join(told)


if __name__ == "__main__":
    main(quick="--quick" in sys.argv)
