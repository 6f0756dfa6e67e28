"""Whether `treering why` finds the reason of a line, and what it costs beside `git blame`.

Real commits are made again as branches of one to four commits, each with a decision of its own,
some made before the commit and some after it. Half of them name the files. The branches are
squashed, rebased or merged, and thrown away; gc lets the memories follow. The decisions say nothing
of the code, so that no word gives them away, and as many others name the same files. In the end,
a line that each commit wrote is asked about: is its decision the first reason?

The commits are this project's own, or those of the bare clones below `--histories`.
"""

import contextlib
import random
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks._bench import ENVIRONMENT, git, heading, repository, row
from treering import Treering
from treering.errors import TreeringError

FATES = ("squash", "rebase", "merge")
GOAL = 0.95
MOST_EXTRA = 0.060
FEWEST = 60  # commits of a history that is of use
SMALLEST = 12  # letters of a line that is asked about
LARGEST = 60_000  # bytes of a patch
START = 1_700_000_000


class Plant(NamedTuple):
    """A decision, and lines of the commit it was made for."""

    fate: str
    id: str
    lines: list[tuple[str, str]]


class Author:
    """Makes commits and memories, a minute apart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = START

    def clock(self) -> float:
        return float(self.now)

    def git(self, *words: str, feed: bytes | None = None) -> bytes:
        self.now += 60
        stamp = f"{self.now} +0000"
        dates = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        done = subprocess.run(
            ["git", *words], cwd=self.path, env=ENVIRONMENT | dates, input=feed,
            capture_output=True, check=True,
        )  # fmt: skip
        return done.stdout

    @property
    def tr(self) -> Treering:
        return Treering.open(self.path, clock=self.clock)


def main(quick: bool = False, histories: Path | None = None) -> None:
    places = sorted(histories.iterdir()) if histories else [Path(__file__).parents[1]]
    sources = [place for place in map(_bare, places) if len(list_commits(place, FEWEST)) == FEWEST]
    branches = 12 if quick else 72
    answers: dict[str, Counter[str]] = {fate: Counter() for fate in FATES}
    extras: list[float] = []
    used = 0
    for number, source in enumerate(sources):
        with repository() as path, contextlib.suppress(subprocess.CalledProcessError):
            plants = plant(Author(path), source, max(branches // len(sources), 3), number)
            ask(path, plants, answers)
            extras += measure(path, plants)
            used += 1
    heading(f"reasons of lines, {used} histories", "asked", "first", "of first 3", "none")
    total: Counter[str] = Counter()
    for fate in FATES:
        _tell(fate, answers[fate])
        total += answers[fate]
    _tell("all", total)
    share = total["first"] / max(total["asked"], 1)
    row("  planted reason first", f"{share:.1%} {'ok' if share >= GOAL else 'MISSED'}")
    extra = median(extras) if extras else 0.0
    verdict = "ok" if extra <= MOST_EXTRA else "MISSED"
    row("  beside git blame, warm", f"{extra * 1000:+.0f} ms {verdict}")


def _bare(source: Path) -> Path:
    return source / "repo" if (source / "repo").is_dir() else source


def _tell(name: str, counts: Counter[str]) -> None:
    asked = max(counts["asked"], 1)
    shares = [f"{counts[key]} ({counts[key] / asked:.0%})" for key in ("first", "near", "none")]
    row(f"  {name}", str(counts["asked"]), *shares)


# --- planting -------------------------------------------------------------------------------------


def plant(author: Author, source: Path, branches: int, seed: int) -> list[Plant]:
    """Make real commits again as branches with decisions, and land them."""
    chance = random.Random(seed)
    commits = list_commits(source, 4 * branches + 10)
    start = commits.pop(0)
    author.git("fetch", "-q", "--depth=1", f"file://{source}", start, "--update-shallow")
    author.git("read-tree", "-m", "-u", "FETCH_HEAD")
    author.git("commit", "-q", "-m", "Start from a real tree")
    plants: list[Plant] = []
    supply = iter(commits)
    for number in range(branches):
        fate = FATES[number % len(FATES)]
        distract(author, chance, number)
        made = grow(author, source, supply, f"work/{number}", chance, fate)
        if made:
            land(author, f"work/{number}", fate, number)
        plants += made
    return plants


def list_commits(source: Path, most: int) -> list[str]:
    """The newest first parents, oldest first."""
    try:
        text = git(source, "rev-list", "--first-parent", f"--max-count={most}", "HEAD")
    except (subprocess.CalledProcessError, OSError):
        return []  # not a repository, or an empty one
    return text.decode().split()[::-1]


def grow(
    author: Author,
    source: Path,
    supply: Iterator[str],
    branch: str,
    chance: random.Random,
    fate: str,
) -> list[Plant]:
    """A branch of one to four real commits, each with its decision."""
    author.git("switch", "-q", "-c", branch)
    plants: list[Plant] = []
    for _ in range(chance.randint(1, 4)):
        commit = next(supply, "")
        patch = git(source, "diff", "--binary", f"{commit}^1", commit) if commit else b""
        if not patch:
            continue
        try:
            author.git("apply", "--index", "--whitespace=nowarn", "-", feed=patch)
        except subprocess.CalledProcessError:
            continue  # it needs one that was left out
        subject = git(source, "log", "-1", "--format=%s", commit).decode(errors="replace").strip()
        lines = list_lines(author.path, patch) if len(patch) < LARGEST else []
        is_early = chance.random() < 0.5
        files = sorted({path for path, _ in lines})[:3] if chance.random() < 0.5 else []
        made = decide(author, chance, files) if is_early else ""
        author.git("commit", "-q", "-m", subject or "Change")
        made = made or decide(author, chance, files)
        if lines:
            plants.append(Plant(fate, made, lines))
    if chance.random() < 0.5:
        author.now += 1
        author.tr.remember(f"Attempt {chance.random()} led nowhere", type="insight")
    author.git("switch", "-q", "main")
    return plants


def decide(author: Author, chance: random.Random, files: list[str]) -> str:
    """A decision whose words have nothing to do with the code."""
    author.now += 1
    text = (
        f"Of two ways the {chance.choice(('first', 'second'))} was chosen, case {chance.random()}"
    )
    return author.tr.remember(text, type="decision", files=files).id


def distract(author: Author, chance: random.Random, number: int) -> None:
    """A decision on the trunk that names a file like those that are changed."""
    names = author.git("ls-files").decode(errors="replace").splitlines()
    chosen = chance.sample(names, min(3, len(names)))
    author.now += 1
    author.tr.remember(f"General case {number} {chance.random()}", type="decision", files=chosen)


def land(author: Author, branch: str, fate: str, number: int) -> None:
    """The trunk goes on by a file of its own, takes the branch in, and the branch is gone."""
    note = author.path / "landed" / f"{number}.txt"
    note.parent.mkdir(exist_ok=True)
    note.write_text(f"{number}\n")
    author.git("add", "landed")
    author.git("commit", "-q", "-m", f"Meanwhile {number}")
    if fate == "squash":
        author.git("merge", "-q", "--squash", branch)
        author.git("commit", "-q", "-m", f"Work {number} (#{number})")
    elif fate == "rebase":
        author.git("switch", "-q", branch)
        author.git("rebase", "-q", "main")
        author.git("switch", "-q", "main")
        author.git("merge", "-q", "--ff-only", branch)
    else:
        author.git("merge", "-q", "--no-ff", "-m", f"Merge pull request #{number}", branch)
    author.git("branch", "-q", "-D", branch)
    author.tr.gc()


def list_lines(path: Path, patch: bytes) -> list[tuple[str, str]]:
    """Lines that a patch adds and that stand only once in their file: path and text."""
    lines: list[tuple[str, str]] = []
    name = ""
    changed = patch.decode(errors="replace").split("\n")
    # What was only moved or indented has an older reason.
    old = {"".join(line[1:].split()) for line in changed if line.startswith(("-", " "))}
    for line in changed:
        if match := re.fullmatch(r"\+\+\+ b/(.+)", line):
            name = match[1]
        elif line.startswith("+") and len(re.findall(r"\w", line)) >= SMALLEST and name:
            text = line[1:]
            if "".join(text.split()) not in old and _place(path, name, text):
                lines.append((name, text))
    return lines[:: max(len(lines) // 8, 1)]


def _place(path: Path, name: str, text: str) -> int:
    """The number of a line that stands only once in a file, or 0."""
    try:
        lines = (path / name).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return 0
    return lines.index(text) + 1 if lines.count(text) == 1 else 0


# --- asking ---------------------------------------------------------------------------------------


def ask(path: Path, plants: list[Plant], answers: dict[str, Counter[str]]) -> None:
    tr = Treering.open(path)
    for item in plants:
        place = next((f"{n}:{at}" for n, text in item.lines if (at := _place(path, n, text))), "")
        if not place:
            continue  # later commits wrote over all of it
        try:
            ids = [memory.id for memory in tr.why(place).memories]
        except TreeringError as error:
            ids = []
            print(f"  {place}: {error}")
        counts = answers[item.fate]
        counts["asked"] += 1
        counts["first"] += ids[:1] == [item.id]
        counts["near"] += item.id in ids[:3]
        counts["none"] += not ids


def measure(path: Path, plants: list[Plant]) -> list[float]:
    """Seconds that a warm process needs more than git, for lines it was not asked about before."""
    tr = Treering.open(path)
    extras = []
    for item in plants[:20]:
        for name, text in item.lines[-1:]:
            number = _place(path, name, text)
            if not number:
                continue
            started = time.perf_counter()
            git(path, "blame", "-w", "-M", "-C20", f"-L{number},{number}", "HEAD", "--", name)
            between = time.perf_counter()
            tr.why(f"{name}:{number}")
            extras.append(time.perf_counter() - between - (between - started))
    return extras[2:]
