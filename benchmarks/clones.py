"""Many clones at one remote: what they push, what is refused, and how soon all know the same.

Every clone remembers three facts, and syncs in rounds until nothing moves. Beside it git alone does
the same with the same objects: each clone fetches what is there, and pushes to a ref of its own.
The remote is a bare repository on this disk.

What a clone says and what it hears are told apart: the one grows with the clones, the other with
all that all of them said, in each of them.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks._bench import git, heading, row
from benchmarks._replay import cpu
from treering import Treering
from treering.actions import sync as sync_action
from treering.actions.searcher import catch_up
from treering.actions.sync import sync
from treering.actions.workspace import Workspace
from treering.errors import SyncRefused
from treering.git.remote import Remote
from treering.model import document
from treering.model.memory import Memory
from treering.model.scope import CLONES, HEADS, VIEWS

_FACTS = 3
_MAIN = f"{HEADS}main"
#: Heads that said nothing for a week would be folded.
_NOW = int(time.time())


def main(quick: bool) -> None:
    columns = ("pushes", "refused", "rounds", "commits/fact", "refs", "KB", "processor s", "git's")
    heading("clones at work", *columns)
    for count in (4, 8) if quick else (4, 15, 30, 60):
        with crowd(count) as team, without_index():
            tell(f"  {count} at once", team, in_parallel)
    crowds = (6, 12) if quick else (75, 150, 300)
    parts: list[tuple[int, Parts, Parts, Moment]] = []
    calls = {}
    for count in crowds:
        with crowd(count) as team, without_index():
            plain = tell(f"  {count} one after the other", team, one_by_one)
            parts.append((count, team.parts, plain, index_one(team.clones[-1])))
            calls[count] = time_calls(team.clones[-1], 5 if quick else 25)
    print()
    tell_parts(parts)
    print()
    heading("a call, ms", *calls[crowds[0]])
    with crowd(1) as team:
        row("  alone", *time_calls(team.clones[0], 5 if quick else 25).values())
    for count, times in calls.items():
        row(f"  {count} clones", *times.values())
    print()
    first_fetch(500 if quick else 12_000)


class Parts:
    """Processor time of many clones: of what they say, and of what they hear from others."""

    def __init__(self) -> None:
        self.said = 0.0
        self.heard = 0.0
        self.heads = 0  # that were heard, in all clones together
        self.idle = 0.0  # of one that has nothing to do

    @property
    def total(self) -> float:
        return self.said + self.heard


def tell_parts(parts: "Sequence[tuple[int, Parts, Parts, Moment]]") -> None:
    """What a clone takes to say what it has and to hear of one other, beside what a sync takes that
    finds nothing to do."""
    columns = (
        "nothing to do",
        "git's",
        "to say",
        "git's",
        "to hear a head",
        "git's",
        "to index it",
    )
    heading("a clone, ms", *columns)
    for count, ours, plain, index in parts:
        row(
            f"  {count} clones",
            f"{1000 * ours.idle:.0f}",
            f"{1000 * plain.idle:.0f}",
            f"{1000 * ours.said / count:.0f}",
            f"{1000 * plain.said / count:.0f}",
            f"{1000 * (ours.heard / count - ours.idle) / (ours.heads / count):.2f}",
            f"{1000 * (plain.heard / count - plain.idle) / (plain.heads / count):.2f}",
            f"{1000 * index.cpu / count:.2f}",
        )


class Team:
    """Clones of one remote, and what was counted while they synced."""

    def __init__(self, top: Path, clones: Sequence[Path]) -> None:
        self.origin = top / "origin.git"
        self.clones = clones
        self.pushes = 0
        self.refused = 0
        self.parts = Parts()

    def sync(self, clone: Path) -> None:
        """One sync; what it takes until it pushes, or ends, is to hear, and the rest to say.

        So it is where one goes after the other: processor time is that of the whole process.
        """
        moments = [Moment.now()]

        def note(what: str) -> None:
            if what.startswith("pushing"):
                moments.append(Moment.now())

        try:
            sync(Workspace.open(clone), on_stage=note)
        except SyncRefused:
            self.refused += 1
        moments.append(Moment.now())
        self.parts.heard += moments[0].until(moments[1]).cpu
        self.parts.said += moments[1].until(moments[-1]).cpu

    def views(self) -> set[bytes]:
        """What each clone sees, as commits."""
        found = set()
        for clone in self.clones:
            lines = git(clone, "for-each-ref", "--format=%(objectname)", f"{VIEWS}main", _MAIN)
            found.add(lines.split()[-1])
        return found


@contextmanager
def crowd(count: int) -> Iterator[Team]:
    """Clones that have remembered, and not shared yet."""
    top = Path(tempfile.mkdtemp(prefix="treering-bench-"))
    try:
        seed = top / "seed"
        git(top, "init", "-q", "-b", "main", str(seed))
        git(seed, "commit", "-q", "--allow-empty", "-m", "first")
        git(top, "clone", "-q", "--bare", str(seed), str(top / "origin.git"))
        clones = []
        for number in range(count):
            clone = top / f"clone{number}"
            git(top, "clone", "-q", str(top / "origin.git"), str(clone))
            git(clone, "config", "user.name", f"Person {number}")
            git(clone, "config", "user.email", f"p{number}@example.org")
            git(clone, "config", "gc.auto", "0")
            tr = Treering.open(clone)
            for fact in range(_FACTS):
                tr.remember(f"Fact {fact} of clone {number}: it holds.", type="insight")
            clones.append(clone)
        yield Team(top, clones)
    finally:
        shutil.rmtree(top, ignore_errors=True)  # a tidier may still be at work


Way = Callable[[Team], None]


def in_parallel(team: Team) -> None:
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        list(pool.map(team.sync, team.clones))


def one_by_one(team: Team) -> None:
    for clone in team.clones:
        team.sync(clone)


def tell(name: str, team: Team, play: Way) -> Parts:
    plain = play_plain(team)
    team.parts = Parts()
    rounds, started = 0, Moment.now()
    with counted(team):
        play(team)
        took = started.until(Moment.now())
        pushes, team.parts.heads = team.pushes, plain.heads
        first, team.parts = team.parts, Parts()
        while len(team.views()) > 1 and rounds < 10:
            rounds += 1
            play(team)
    team.parts = Parts()
    one_by_one(team)
    first.idle = team.parts.total / len(team.clones)
    team.parts = first
    commits = int(git(team.origin, "rev-list", "--count", f"--glob={CLONES}*"))
    refs = len(git(team.origin, "for-each-ref", "--format=.", CLONES).splitlines())
    size = int(git(team.origin, "count-objects", "-v").split(b"size: ")[1].split()[0])
    facts = _FACTS * len(team.clones)
    row(name, str(pushes), str(team.refused), str(rounds + 1), f"{commits / facts:.2f}", str(refs),
        str(size), f"{took.cpu:.1f}", f"{plain.total:.1f}")  # fmt: skip
    return plain


@contextmanager
def without_index() -> Iterator[None]:
    """Nobody asks in these clones, and to index is measured by itself."""
    make_ready = sync_action.catch_up
    sync_action.catch_up = lambda _: None
    try:
        yield
    finally:
        sync_action.catch_up = make_ready


def index_one(clone: Path) -> "Moment":
    """What it takes a clone to index all that was said, once."""
    started = Moment.now()
    catch_up(Workspace.open(clone))
    return started.until(Moment.now())


@contextmanager
def counted(team: Team) -> Iterator[None]:
    """Count the pushes that go out, and what of them is refused."""
    push = Remote._push

    def count(self: Remote, *arguments: object) -> object:
        results = push(self, *arguments)  # type: ignore[arg-type]
        team.pushes += 1
        team.refused += sum(not result.is_done for result in results)
        return results

    Remote._push = count  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        Remote._push = push  # type: ignore[method-assign]


def play_plain(team: Team) -> Parts:
    """What git alone takes for the same, in copies of the clones, at another remote: each brings
    here what is there, and pushes its own."""
    bare = team.origin.parent / "plain.git"
    git(bare.parent, "clone", "-q", "--bare", str(team.origin), str(bare))
    parts = Parts()
    for number, original in enumerate(team.clones):
        clone = bare.parent / "plain" / original.name
        shutil.copytree(original, clone)
        started = Moment.now()
        git(clone, "fetch", "-q", str(bare), "+refs/plain/*:refs/plain/*")
        fetched = Moment.now()
        git(clone, "push", "-q", str(bare), f"{_MAIN}:refs/plain/{number}")
        parts.heads += number
        parts.heard += started.until(fetched).cpu
        parts.said += fetched.until(Moment.now()).cpu
    started = Moment.now()
    for original in team.clones:
        git(bare.parent / "plain" / original.name, "ls-remote", "-q", str(bare), "refs/plain/*")
    parts.idle = started.until(Moment.now()).cpu / len(team.clones)
    shutil.rmtree(bare.parent / "plain")
    return parts


def time_calls(clone: Path, count: int) -> dict[str, str]:
    """What calls take in a clone that sees what all said: the middle one, in processor time."""
    tr = Treering.open(clone)
    ids = [hit.id for hit in tr.recall("fact", limit=count).results]
    calls: dict[str, Callable[[int], object]] = {
        "remember": lambda at: tr.remember(f"Call {at}: a new fact to know.", type="insight"),
        "recall": lambda at: tr.recall(f"fact {at} of clone"),
        "read": lambda at: tr.read(ids[at % len(ids)]),
        "revise": lambda at: tr.revise(ids[at % len(ids)], tags_add=[f"t{at}"]),
    }
    times = {}
    for name, call in calls.items():
        moments = [Moment.now()]
        for at in range(count):
            call(at)
            moments.append(Moment.now())
        took = [one.until(other).cpu for one, other in pairwise(moments)]
        times[name] = f"{1000 * median(took):.1f}"
    return times


def first_fetch(count: int) -> None:
    """A new clone of a remote with many heads, against `git fetch` of the same refs; and then, when
    there is nothing new, against `git ls-remote`."""
    top = Path(tempfile.mkdtemp(prefix="treering-bench-"))
    try:
        with crowd(1) as team:
            clone = team.clones[0]
            git(clone, "push", "-q", "origin", f"{_MAIN}:{CLONES}{'0' * 12}/main")
            feed = "".join(_one_head(number) for number in range(count))
            git(team.origin, "fast-import", "--quiet", "--force", feed=feed.encode())
            git(team.origin, "pack-refs", "--all")
            for name in ("ours", "plain"):
                # Without this a clone has all objects of its remote, and nothing is transferred.
                git(top, "clone", "-q", "--no-local", str(team.origin), str(top / name))
            moments: dict[str, Moment] = {}
            moments["start"] = Moment.now()
            answer = sync(
                Workspace.open(top / "ours"),
                "fetch",
                on_stage=lambda what: moments.update({what: Moment.now()}),
            )
            moments["end"] = Moment.now()
            git(top / "plain", "fetch", "-q", "origin", f"+{CLONES}*:refs/plain/*")
            moments["git"] = Moment.now()
            with without_index():
                sync(Workspace.open(top / "ours"))
            moments["again"] = Moment.now()
            git(top / "plain", "ls-remote", "-q", "origin", f"{CLONES}*")
            moments["listed"] = Moment.now()
            heading("the first fetch", "refs", "s", "processor s")
            print(f"  {answer.memories_fetched:,} memories")
            for what, begin, end in (
                ("fetched and seen", "start", "indexing"),
                ("indexed", "indexing", "end"),
                ("`git fetch` alone", "end", "git"),
                ("nothing new", "git", "again"),
                ("`git ls-remote` alone", "again", "listed"),
            ):
                took = moments[begin].until(moments[end])
                row(f"  {what}", f"{count:,}", f"{took.clock:.2f}", f"{took.cpu:.2f}")
    finally:
        shutil.rmtree(top, ignore_errors=True)  # a tidier may still be at work


class Moment(NamedTuple):
    """By the clock, and by the processor time used so far, which a busy machine does not change."""

    clock: float
    cpu: float

    @classmethod
    def now(cls) -> "Moment":
        return cls(time.perf_counter(), cpu())

    def until(self, end: "Moment") -> "Moment":
        return Moment(end.clock - self.clock, end.cpu - self.cpu)


def _one_head(number: int) -> str:
    """A head with one memory, as a clone pushes it."""
    memory_id = f"{number:012d}"[::-1]  # all over the shards, as chance has it
    text = document.dump(
        Memory(
            id=memory_id, type="insight", title=f"Fact {number}", content=f"Fact {number} holds.",
            created="2026-02-02T02:40:00Z", modified="2026-02-02T02:40:00Z",
        )
    ).decode()  # fmt: skip
    said = (
        f"remember insight {memory_id}: Fact {number}\n\nTreering-Op: remember\n"
        f"Treering-Memory: {memory_id}\nCode-Branch: main\n"
    )
    return (
        f"commit {CLONES}c{number:011d}/main\n"
        f"committer Person {number} <p{number}@example.org> {_NOW - 100_000 + number} +0000\n"
        f"data {len(said)}\n{said}\n"
        f"M 100644 inline memories/{memory_id[:2]}/{memory_id}.md\n"
        f"data {len(text)}\n{text}\n\n"
    )
