"""A team of clones around one remote, of which one person may be hostile."""

import os
import re
import subprocess
import time
from collections.abc import Mapping

import pytest

from conftest import Repo
from sync.conftest import CLONES, Team, clone, origin, remote_refs, seen  # noqa: F401  fixtures

FUTURE = 4_070_908_800  # 2099-01-01
PAST = 86_400  # 1970-01-02


class Forger:
    """Someone with push rights who writes memory commits by hand, with any name and any date.

    They go on top of what is there: to the ref of the clone that said it, or to one nobody has seen
    before.
    """

    def __init__(self, repo: Repo, *, is_theirs: bool) -> None:
        self.repo = repo
        self._is_theirs = is_theirs

    def aim(self, scope: str = "main") -> tuple[str, str]:
        """The ref to push to, and the commit to go on top of, if there is one."""
        own = f"{CLONES}mallory00000/{scope}"
        there = {r: t for r, t in remote_refs(self.repo).items() if r.endswith(f"/{scope}")}
        theirs = sorted(there.keys() - {own})
        assert len(theirs) <= 1, "whose ref is meant?"
        ref = theirs[0] if theirs and self._is_theirs else own
        return ref, there.get(ref) or (there[theirs[0]] if theirs else "")

    def push(
        self,
        files: Mapping[str, str],
        *,
        name: str = "Mallory <mallory@example.org>",
        when: float = 0,
        op: str = "revise",
        scope: str = "main",
    ) -> str:
        """One commit on top of a scope that puts texts at paths."""
        git = self._git
        ref, tip = self.aim(scope)
        if tip:
            git("fetch", "-q", "origin", f"{CLONES}*:refs/seen/*", "--force")
        index = {"GIT_INDEX_FILE": str(self.repo.path / "forged-index")}
        git("read-tree", *([tip] if tip else ["--empty"]), env=index)
        for path, text in files.items():
            blob = git("hash-object", "-w", "--stdin", feed=text)
            git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
        tree = git("write-tree", env=index)
        who, _, address = name.rstrip(">").partition(" <")
        stamp = f"@{int(when or time.time())} +0000"
        person = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", who), ("EMAIL", address), ("DATE", stamp))
        }
        message = f"{op}\n\nTreering-Op: {op}\nCode-Branch: {scope}\n"
        parents = ["-p", tip] if tip else []
        commit = git("commit-tree", tree, *parents, "-m", message, env=person)
        git("push", "-q", "origin", f"{commit}:{ref}")
        return commit

    def _git(self, *arguments: str, feed: str = "", env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.repo.path, input=feed, capture_output=True, text=True,
            check=False, env=os.environ | (env or {}),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def document(
    memory_id: str,
    title: str,
    *,
    kind: str = "decision",
    date: str = "2026-02-02T02:40:00Z",
    author: str = "Mallory <mallory@example.org>",
    details: str = "",
) -> str:
    """A memory as someone may write it by hand."""
    more = f"details: {details}\n" if details else ""
    return (
        f"---\nid: {memory_id}\ntype: {kind}\ntitle: {title}\nauthor: {author}\n"
        f"status: active\nconfidence: 0.8\ncreated: {date}\nmodified: {date}\n{more}---\n{title}\n"
    )


def path_of(memory_id: str) -> str:
    return f"memories/{memory_id[:2]}/{memory_id}.md"


def raw(repo: Repo, memory_id: str, scope: str = "main") -> str:
    """A memory's file as git has it."""
    return repo.git("show", f"{seen(repo, scope)}:{path_of(memory_id)}") + "\n"


def reword(text: str, new: str) -> str:
    """The same file with another title and text."""
    head, _, _ = re.sub(r"(?m)^title: .*$", f"title: {new}", text).rpartition("---\n")
    return f"{head}---\n{new}\n"


@pytest.fixture(params=["theirs", "own"])
def forger(clone: Team, request: pytest.FixtureRequest) -> Forger:  # noqa: F811
    return Forger(clone("mallory"), is_theirs=request.param == "theirs")
