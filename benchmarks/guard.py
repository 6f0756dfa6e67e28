"""Guard: is a decision named when a change takes it back, and how often does guard speak otherwise?

    python -m benchmarks guard --histories DIR [--half tuning|reporting] [--part NAME]
                               [--scratch DIR] [--quick]

DIR holds bare clones: sde-bench (vectorize-io), boltons (mahmoud), and others for the rest.

    tasks     sde-bench: a commit with a reason, which a later one silently undoes. Half of the
              tasks is left to others to score and never opened (`_sde_bench.half_of`).
    refixed   other histories: a commit took lines away that another had written with a reason, and
              a third one put them back ("restore", "again", "regression", `Fixes:`).
              Is the reason named by guard at the moment of the removal?
    ordinary  the same histories: findings per 100 commits, reverts that say so left out. With
              `--half`, every other history by name.
    cpu       user and system time of `treering guard` for a pull request of 50 files on top of
              20,000 commits, each of which was captured, every other one with a reason
"""

import random
import re
import resource
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from benchmarks._bench import git, heading, repository, row
from benchmarks._sde_bench import (
    TREERING,
    build,
    capture,
    find_clone,
    find_deciding_commit,
    make_base,
    read_tasks,
    run,
)
from treering import Treering
from treering.answers import GuardFinding
from treering.text.passages import reason_of_message

PARTS = ("tasks", "refixed", "ordinary", "cpu")
NOISE_GOAL = 15  # findings per 100 ordinary commits
CPU_GOAL = 2.0
ORDINARY = 100  # commits of each history
NEWEST = 1_500  # commits of each history that ordinary ones are chosen from
FEWEST_LETTERS = 15  # of a line that was taken away and put back
FARTHEST = 1_500  # commits between a removal and what put the lines back
PUT_BACK = (
    r"(?i)\b(?:restor(?:e[sd]?|ing)|again|re-?add(?:s|ed)?|reinstate[sd]?"
    r"|regression|bring back|accidental(?:ly)?|by mistake)\b"
    r"|^Fixes: [0-9a-f]{7,40}"
)
SOURCES = (".py", ".go", ".js", ".ts", ".rs", ".c", ".java")
REVERT = r"(?i)\brevert|\bback out"


def main(
    histories: Path | None = None,
    scratch: Path | None = None,
    half: str = "",
    part: str = "",
    quick: bool = False,
) -> None:
    if part and part not in PARTS:
        print(f"No part {part}: {', '.join(PARTS)}.")
        return
    if histories is None and part != "cpu":
        print("Give --histories DIR, a folder of bare clones: only cpu is measured.")
    keep = nullcontext(str(scratch)) if scratch else tempfile.TemporaryDirectory()
    with keep as folder:
        place = Path(folder).resolve()
        place.mkdir(parents=True, exist_ok=True)
        if histories is not None:
            clones = {path.name: _bare(path) for path in sorted(histories.resolve().iterdir())}
            if part in ("", "tasks"):
                _measure_tasks(clones, place, half, quick)
            names = [n for n in clones if not n.endswith(("sde-bench", "boltons"))]
            chosen = {"tuning": names[::2], "reporting": names[1::2]}.get(half, names)
            for name in chosen[: 1 if quick else None]:
                if part in ("", "refixed", "ordinary"):
                    _measure_history(name, clones[name], place, part, quick)
        if part in ("", "cpu"):
            _measure_cpu(quick)


def _bare(path: Path) -> Path:
    return path / "repo" if (path / "repo").is_dir() else path


def _name_commits(findings: tuple[GuardFinding, ...]) -> list[str]:
    return [finding.memory.commit or "" for finding in findings]


# --- part: tasks ----------------------------------------------------------------------------------


def _measure_tasks(clones: Mapping[str, Path], place: Path, half: str, quick: bool) -> None:
    data, base = find_clone(clones, "sde-bench"), make_base(clones, place)
    ranks: dict[str, Counter[str]] = defaultdict(Counter)
    missed: list[str] = []
    tasks = [task for task in read_tasks(data, half) if task.kind == "history"]
    for task in tasks[:: 4 if quick else 1]:
        path = build(task, data, base, place)
        decision = find_deciding_commit(path)
        found = _name_commits(Treering.open(path).guard("HEAD~1..HEAD").findings)
        rank = "first" if found[:1] == [decision] else "later" if decision in found else "missed"
        ranks[task.half][rank] += 1
        missed += [task.name] if rank == "missed" else []
    for name, counts in sorted(ranks.items(), reverse=True):
        heading(f"silent reverts, {name} half: {counts.total()} tasks", "first", "later", "missed")
        row("  deciding commit", *(str(counts[rank]) for rank in ("first", "later", "missed")))
    if missed:
        print(f"    missed: {', '.join(missed)}")


# --- other histories ------------------------------------------------------------------------------


def _measure_history(name: str, clone: Path, place: Path, part: str, quick: bool) -> None:
    path = place / f"guard-{name}"
    try:
        if not path.exists():
            tip = git(clone, "rev-parse", "HEAD").decode().strip()
            capture(path, clone, tip)
    except subprocess.CalledProcessError as error:  # a clone that is not complete
        shutil.rmtree(path, ignore_errors=True)
        print(f"  {name} is left out: {error.stderr.decode(errors='replace').strip()[:200]}")
        return
    if part in ("", "refixed"):
        _measure_refixed(name, path, 5 if quick else 30)
    if part in ("", "ordinary"):
        _measure_ordinary(name, path, 20 if quick else ORDINARY)


def _measure_ordinary(name: str, path: Path, most: int) -> None:
    treering = Treering.open(path)
    log = git(path, "log", "--first-parent", f"--max-count={NEWEST}", "--format=%H %P%x09%s")
    lines = [line.split("\t", 1) for line in log.decode(errors="replace").splitlines()]
    pairs = [oids.split()[:2] for oids, subject in lines if not re.search(REVERT, subject)]
    pairs = [pair for pair in pairs if len(pair) == 2]
    chosen = random.Random(1).sample(pairs, min(most, len(pairs)))
    counts = []
    for commit, parent in chosen:
        counts.append(len(treering.guard(f"{parent}..{commit}").findings))
    noise = 100 * sum(counts) / len(counts)
    spoke = sum(map(bool, counts))
    heading(f"ordinary commits, {name}: {len(counts)}", "per 100", "goal", "spoke on", "most")
    verdict = f"{NOISE_GOAL} {'ok' if noise <= NOISE_GOAL else 'MISSED'}"
    row("  findings", f"{noise:.0f}", verdict, str(spoke), str(max(counts)))


class Removal(NamedTuple):
    """A commit that took lines away which came back, and the one that had given their reason."""

    parent: str
    commit: str
    reason: str


def _measure_refixed(name: str, path: Path, most: int) -> None:
    treering = Treering.open(path)
    ranks: Counter[str] = Counter()
    for case in _find_removals(path, most):
        found = _name_commits(treering.guard(f"{case.parent}..{case.commit}").findings)
        is_first = found[:1] == [case.reason]
        ranks["first" if is_first else "later" if case.reason in found else "missed"] += 1
    heading(f"taken away and put back, {name}: {ranks.total()}", "first", "later", "missed")
    row("  earlier reason", *(str(ranks[rank]) for rank in ("first", "later", "missed")))


class Patch(NamedTuple):
    """A commit with the telling lines it takes out of each file and puts in."""

    oid: str
    parent: str
    message: str
    removed: dict[str, set[str]]
    added: dict[str, set[str]]


def _read_patches(path: Path) -> Iterator[Patch]:
    """All commits but merges, newest first."""
    options = ("--no-merges", "-p", "-U0", "--no-renames", "--no-color", "--no-ext-diff")
    log = git(path, "log", *options, "--format=%x00%H %P%x01%B%x01").decode(errors="replace")
    for text in log.split("\0")[1:]:
        head, message, diff = text.split("\x01", 2)
        oid, *parents = head.split()
        removed: dict[str, set[str]] = defaultdict(set)
        added: dict[str, set[str]] = defaultdict(set)
        name = ""
        for line in diff.splitlines():
            if line.startswith("--- a/"):
                name = line[6:]
            elif (
                re.match(r"[+-](?![+-]{2})", line)
                and len(re.sub(r"\W", "", line)) >= FEWEST_LETTERS
            ):
                (added if line[0] == "+" else removed)[name].add(line[1:].strip())
        if parents:
            yield Patch(oid, parents[0], message, removed, added)


def _find_removals(path: Path, most: int) -> list[Removal]:
    patches = list(_read_patches(path))
    cases: list[Removal] = []
    for number, patch in enumerate(patches):
        if len(cases) == most:
            break
        if not re.search(PUT_BACK, patch.message, re.MULTILINE):
            continue
        for name, lines in patch.added.items():
            if not name.endswith(SOURCES):
                continue
            case = _find_removal(path, patches[number + 1 : number + FARTHEST], name, lines)
            if case and case not in cases:
                cases.append(case)
                break
    return cases


def _find_removal(path: Path, earlier: list[Patch], name: str, lines: set[str]) -> Removal | None:
    for patch in earlier:
        back = (patch.removed.get(name, set()) & lines) - patch.added.get(name, set())
        if 5 * len(back) < max(len(lines), 1) or re.search(REVERT, patch.message):
            continue
        blame = git(path, "blame", "-l", "-s", "-w", "-M", patch.parent, "--", name)
        rows = (line.split(" ", 1) for line in blame.decode(errors="replace").splitlines())
        writers = Counter(
            oid.lstrip("^") for oid, text in rows if text.partition(") ")[2].strip() in back
        )
        for writer, _ in writers.most_common():
            message = git(path, "log", "-1", "--format=%B", writer).decode(errors="replace")
            if reason_of_message(message):
                return Removal(patch.parent, patch.oid, writer)
        return None
    return None


# --- part: cpu ------------------------------------------------------------------------------------


def _measure_cpu(quick: bool) -> None:
    commits, files = (2_000, 50) if quick else (20_000, 50)
    with repository() as path:
        git(path, "fast-import", "--quiet", feed=_make_history(commits))
        git(path, "reset", "-q", "--hard", "work")
        git(path, "switch", "-q", "-C", "main")
        git(path, "branch", "-q", "-D", "work")
        run([TREERING, "backfill"], path)
        git(path, "switch", "-q", "-c", "change")
        for name in sorted(path.glob("src/*/*.py"))[:files]:
            lines = name.read_text().splitlines(keepends=True)
            name.write_text("".join(lines[:10] + lines[14:]) + "added = 1\n")
        git(path, "commit", "-q", "-a", "-m", "A large change")
        heading(f"pull request of {files} files, {commits} commits", "CPU", "goal", "findings")
        for word in ("first time", "again"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            answer = run([TREERING, "guard", "--json"], path)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            verdict = f"{CPU_GOAL:.0f} s {'ok' if taken <= CPU_GOAL else 'MISSED'}"
            found = answer.count(b'"acknowledged"')
            row(f"  treering guard, {word}", f"{taken:.2f} s", verdict, str(found))
            if b'"warnings": []' not in answer:
                print(f"    {answer.decode().partition('warnings')[2][:300]}")


def _make_history(commits: int) -> bytes:
    """Commits of three lines each in 500 files, as git fast-import reads them."""
    chance, texts, stream = random.Random(3), dict[str, list[str]](), list[str]()
    for number in range(commits):
        file = chance.randrange(500)
        name = f"src/part{file % 20}/module{file}.py"
        lines = texts.setdefault(name, [])
        at = chance.randrange(len(lines) + 1)
        lines[at:at] = [f"value_{number}_{n} = compute({number}, {n})\n" for n in range(3)]
        del lines[200:]
        text = "".join(lines)
        reason = f"\n\nWithout value_{number}_1 the importer gave up half-way." * (number % 2)
        message = f"Fix values of step {number}{reason}\n"
        stream.append(
            f"commit refs/heads/work\ncommitter Ada Lovelace <ada@example.org> "
            f"{1_600_000_000 + 3600 * number} +0000\ndata {len(message)}\n{message}"
            f"M 100644 inline {name}\ndata {len(text)}\n{text}\n"
        )
    return "".join(stream).encode()
