"""What it costs to tell which branches have landed, and how often the answer is wrong.

The history is made by a random but fixed story: a trunk of one-line edits, and branches of one to
five commits that were squashed (some with a fix), rebased, merged, or left alone.

With `--histories` (a folder of bare clones) real branches are judged instead: see _replay.py.
"""

import random
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks._bench import git, heading, repository, row
from benchmarks._verdicts import tell
from treering.branches.landing.judge import Judge, Target
from treering.git.repository import Repository

FILES, LINES = 300, 120
FATES = ["squash"] * 8 + ["squash and fix"] * 2 + ["rebase"] * 2 + ["merge"] * 3 + ["none"] * 5
RIGHT = {
    "squash": {"squash", "noop", "cherry"},  # one commit, squashed, is a pick
    "squash and fix": {"noop"},
    "rebase": {"cherry", "noop"},
    "merge": {"ancestor"},
    "none": {"none"},
}

Files = dict[str, tuple[str, ...]]


class Edit(NamedTuple):
    path: str
    line: int
    text: str


class Branch(NamedTuple):
    name: str
    fate: str
    fork: int
    landing: int
    edits: list[list[Edit]]


def main(
    quick: bool = False,
    histories: Path | None = None,
    scratch: Path | None = None,
    half: str = "",
) -> None:
    if histories:
        tell(histories, scratch, half, quick)
        return
    commits, branches = (1_000, 40) if quick else (5_000, 200)
    with repository() as path:
        story = Story(commits, branches)
        git(path, "fast-import", "--quiet", "--force", feed=story.stream())
        git(path, "repack", "-adq")
        one, _ = judged(path, story.branches[:1])
        all, found = judged(path, story.branches)
    heading(f"{branches} branches, {commits:,} commits in trunk", "seconds", "a branch")
    row("  one branch", f"{one:.2f} s")
    verdict = "ok" if all < 5 else "MISSED"
    row("  all of them", f"{all:.2f} s {verdict}", f"{all / branches * 1000:.1f} ms")
    for fate in RIGHT:
        answers = Counter(found[b.name] for b in story.branches if b.fate == fate)
        wrong = sum(count for name, count in answers.items() if name not in RIGHT[fate])
        told = ", ".join(f"{count} {name}" for name, count in answers.most_common())
        print(f"  {fate:<16} {told:<40} {wrong} wrong")


def judged(path: Path, branches: list[Branch]) -> tuple[float, dict[str, str]]:
    """Seconds for all branches by a judge that knows nothing yet, and the evidence of each."""
    tips = dict(
        line.split(" ")
        for line in git(path, "for-each-ref", "--format=%(refname:short) %(objectname)")
        .decode()
        .splitlines()
    )
    started = time.perf_counter()
    judge = Judge(Repository.discover(path))
    trunk = [Target("main", tips["main"])]
    found = {branch.name: judge.landing(tips[branch.name], trunk).evidence for branch in branches}
    return time.perf_counter() - started, found


class Story:
    """Who edits what and when it lands, as a stream for git fast-import."""

    def __init__(self, commits: int, branches: int) -> None:
        self._choose = random.Random(7)  # the same story in every run
        self._commits = commits
        self._told: list[str] = []
        self._mark = 0
        self.branches = [self._branch(number) for number in range(branches)]

    def _branch(self, number: int) -> Branch:
        fork = self._choose.randrange(1, self._commits - 2)
        landing = min(self._commits - 1, fork + self._choose.randrange(1, 200))
        edits = [
            [self._edit(f"branch {number}") for _ in range(self._choose.randint(1, 3))]
            for _ in range(self._choose.randint(1, 5))
        ]
        return Branch(f"b{number}", FATES[number % len(FATES)], fork, landing, edits)

    def _edit(self, who: str) -> Edit:
        file = self._choose.randrange(FILES)
        line = self._choose.randrange(LINES)
        return Edit(f"src/part{file % 20}/f{file}.txt", line, f"{who} {self._choose.random()}")

    def stream(self) -> bytes:
        names = [f"src/part{file % 20}/f{file}.txt" for file in range(FILES)]
        files: Files = {name: tuple(f"{name} {line}" for line in range(LINES)) for name in names}
        main = self._commit("main", [Edit(name, 0, "first") for name in names], files, 0)
        tips: dict[str, int] = {}
        for number in range(self._commits):
            main = self._commit("main", [self._edit(f"trunk {number}")], files, main)
            for branch in self.branches:
                if branch.fork == number:
                    tips[branch.name] = self._worked(branch, dict(files), main)
                if branch.landing == number:
                    main = self._landed(branch, files, main, tips[branch.name])
        return "".join(self._told).encode()

    def _worked(self, branch: Branch, files: Files, at: int) -> int:
        for edits in branch.edits:
            at = self._commit(branch.name, edits, files, at)
        return at

    def _landed(self, branch: Branch, files: Files, main: int, tip: int) -> int:
        together = [edit for edits in branch.edits for edit in edits]
        if branch.fate == "squash and fix":
            path, line, _ = together[0]
            together.append(Edit(path, (line + LINES // 2) % LINES, "a fix"))
        if branch.fate.startswith("squash"):
            return self._commit("main", together, files, main)
        if branch.fate == "merge":
            return self._commit("main", together, files, main, tip)
        for edits in branch.edits if branch.fate == "rebase" else []:
            main = self._commit("main", edits, files, main)
        return main

    def _commit(self, ref: str, edits: list[Edit], files: Files, *parents: int) -> int:
        self._mark += 1
        told = [f"commit refs/heads/{ref}\nmark :{self._mark}\n"]
        told.append(f"committer A <a@b> {1_700_000_000 + self._mark} +0000\ndata 0\n")
        told += [
            f"{word} :{mark}\n"
            for word, mark in zip(("from", "merge"), parents, strict=False)
            if mark
        ]
        for path, line, text in edits:
            files[path] = (*files[path][:line], text, *files[path][line + 1 :])
        for path in {edit.path for edit in edits}:
            content = "\n".join(files[path]) + "\n"
            told.append(f"M 100644 inline {path}\ndata {len(content)}\n{content}\n")
        self._told += told
        return self._mark
