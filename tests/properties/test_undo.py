"""Undo is the inverse: whatever is done and taken back as the answer says, every view is what it
was before, and still is after the next gc."""

import contextlib
import copy
import gc
import io
import json
import random
import shlex
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo, make_repo
from treering.cli.main import main

BRANCHES = ("main", "feat", "idea")
SENTENCES = (
    "Sessions live in Redis.", "We name tables in the singular.", "Retries made the queue longer.",
    "The parser reads one byte at a time.", "Backups run at four in the morning.",
    "Every request has a deadline.", "Colours come from one palette file.",
    "Migrations never drop a column.", "The cache is keyed by content.", "Logs are JSON lines.",
    "Feature flags expire after a month.", "Uploads go through the gateway.",
)  # fmt: skip


class Life:
    """A repository with memories on three branches, and what can be done with it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.sentences = self.chance.sample(SENTENCES, len(SENTENCES))
        self.repo = make_repo(folder / "repo")
        self.repo.commit_file("README.md")
        self.ids: list[str] = []
        self.before: dict[str, Any] = {}
        #: Nothing is erased, and a branch has a copy of its own of what it wrote to: what was new
        #: is counted as forgotten, and what is the trunk's may be told of the branch.
        self.is_written = False
        for branch in BRANCHES:
            if branch != "main":
                self.repo.switch("main").switch(branch, create=True)
                self.repo.commit_file(f"{branch}.txt")
            for number in range(self.chance.randint(2, 4)):
                self.remember(branch, number)
            for _ in range(2):
                self.change(branch)
        self.run("treering prompts save review 'Look at {{it}}.'")
        self.repo.switch(self.chance.choice(BRANCHES))

    def copy(self, folder: Path) -> "Life":
        """The same life, to go on elsewhere."""
        other = copy.deepcopy(self)
        shutil.copytree(self.repo.path, folder / "repo")
        other.repo = Repo(folder / "repo")
        other.repo.now = self.repo.now
        return other

    def remember(self, branch: str, number: int) -> None:
        made = self.repo.tr.remember(
            self.sentences.pop(),
            type=self.chance.choice(("decision", "insight", "convention")),
            outcome=self.chance.choice(("", "", "failed")),
            tags=[branch],
            private=number > 1 and self.chance.random() < 0.4,
        )
        self.ids.append(made.id)

    def change(self, branch: str) -> None:
        """Something said of what is visible here, be it the trunk's."""
        seen = [hit.id for hit in self.repo.tr.recall(branch=branch, limit=100).results]
        one, other = self.chance.sample(seen, 2)
        if self.chance.random() < 0.5:
            self.repo.tr.revise(one, append=f"Seen on {branch}.", branch=branch)
        else:
            self.repo.tr.link(one, other, branch=branch)

    def run(self, command: str) -> Any:
        """A command as it was printed."""
        if command.startswith("git "):
            return self.repo.git(*shlex.split(command)[1:])
        found = self.ask(*shlex.split(command)[1:])
        assert "error" not in found, f"{command}: {found}"
        return found

    def ask(self, *words: str) -> Any:
        """The answer of a command, or its error."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = main([*words, "-C", str(self.repo.path), "--json"])
        gc.unfreeze()  # a command is a process as a rule, and keeps all it imported
        return json.loads(error.getvalue() if code else out.getvalue())

    def look(self) -> dict[str, Any]:
        """Everything that any view shows."""
        shown: dict[str, Any] = {}
        for branch in BRANCHES:
            here = ("--branch", branch)
            hits, shown[f"recall {branch}"] = self._recall(*here)
            prompts = self.ask("prompts", "list", *here)
            shown[f"prompts {branch}"] = [one["name"] for one in prompts.get("prompts", ())]
            for memory_id in hits:
                shown[f"read {memory_id} {branch}"] = [
                    self._plain(self.ask("read", memory_id, *here))
                ]
        _, shown["recall all"] = self._recall("--scope", "all")
        status = self.ask("status")
        memories = status["memories"]
        shown["status"] = [memories["visible"], *sorted(memories["by_type"].items())]
        shown["tags"] = [(one["tag"], one["count"]) for one in status["top_tags"]]
        if not self.is_written:
            shown["counts"] = [memories["by_status"], memories["total"], status["links"]]
            shown["branches"] = [(one["branch"], one["memories"]) for one in status["branches"]]
        return shown

    def _recall(self, *words: str) -> tuple[list[str], list[object]]:
        """The ids that a listing has, and what it says of them."""
        answer = self.ask("recall", "--limit", "100", *words)
        withheld = answer.get("withheld", {})
        withheld.pop("deleted" if self.is_written else "", None)
        results = answer.get("results", ())
        return [one["id"] for one in results], [*map(self._plain, results), withheld]

    def _plain(self, fields: dict[str, Any]) -> str:
        """Without when and by which commit something was said: an undo is a change, too."""
        left_out = {"modified", "version", "history", "score", "why", "uri", "commit", "similar"}
        left_out |= {
            "standing",
            "landed",
        }  # what landed in code has landed, whatever is undone here
        left_out |= {"branch", "layer"} if self.is_written else set()
        return json.dumps({k: v for k, v in fields.items() if k not in left_out}, sort_keys=True)

    def differences(self) -> list[str]:
        """What is not as it was, a line each."""
        before, now = (
            {f"{k}: {x}" for k, v in look.items() for x in v} for look in (self.before, self.look())
        )
        return sorted(
            [f"- {line}" for line in before - now] + [f"+ {line}" for line in now - before]
        )


# --- what is done, and how it is taken back -------------------------------------------------------


def promote(life: Life) -> list[str]:
    life.before = life.look()
    branch = life.chance.choice(("feat", "idea"))
    return [life.run(f"treering promote {branch}")["back"]]


def land(life: Life) -> list[str]:
    """A branch lands, stays or is deleted, and gc follows."""
    life.repo.switch("main")
    if life.chance.random() < 0.5:
        life.repo.git("merge", "-q", "--no-ff", "-m", "land feat", "feat")
    else:
        life.repo.git("merge", "-q", "--squash", "feat")
        life.repo.git("commit", "-q", "-m", "land feat")
    if life.chance.random() < 0.5:
        life.repo.git("branch", "-q", "-D", "feat")
    life.before = life.look()
    return _gc(life)


def drop(life: Life) -> list[str]:
    """A branch is thrown away."""
    life.repo.switch("main")
    life.repo.git("branch", "-q", "-D", "idea")
    life.before = life.look()
    return _gc(life)


def stack(life: Life) -> list[str]:
    life.before = life.look()
    life.repo.git("branch", "-q", "-c", "feat", "copy")
    return _gc(life)


def rename(life: Life) -> list[str]:
    life.before = life.look()
    life.repo.git("branch", "-q", "-m", "feat", "other")
    return _gc(life)


def _gc(life: Life) -> list[str]:
    lines = life.run("treering gc")["plan"]
    return [
        command for line in lines[::-1] if line["back"] for command in line["back"].split(" && ")
    ]


def forget(life: Life) -> list[str]:
    _write(life)
    memory_id = life.chance.choice(_visible(life))
    life.run(f"treering forget {memory_id}")
    return [f"treering forget {memory_id} --restore"]


def revise(life: Life) -> list[str]:
    _write(life)
    memory_id = life.chance.choice(_visible(life))
    life.run(f"treering revise {memory_id} --append 'Again.' --tag-add again --outcome success")
    return [f"treering revert {memory_id}"]


def link(life: Life) -> list[str]:
    _write(life)
    one, other = life.chance.sample(_visible(life), 2)
    life.run(f"treering link {one} follows {other}")
    return [f"treering revert {one}"]


def unlink(life: Life) -> list[str]:
    one, other = life.chance.sample(_visible(life), 2)
    life.run(f"treering link {one} follows {other} --confidence 0.9")
    _write(life)
    life.run(f"treering link {one} follows {other} --remove")
    return [f"treering link {one} follows {other} --confidence 0.9"]


def merge(life: Life) -> list[str]:
    _write(life)
    ids = " ".join(f"--id {one}" for one in life.chance.sample(_shared(life), 2))
    done = life.run(f"treering maintain merge {ids} --content 'Both in one.' --apply")
    return done["merged"][0]["back"].split(" && ")


def summarize(life: Life) -> list[str]:
    _write(life)
    ids = " ".join(f"--id {one}" for one in life.chance.sample(_visible(life), 2))
    done = life.run(f"treering maintain summarize {ids} --content 'In short.' --apply")
    return done["summaries"][0]["back"].split(" && ")


def dedupe(life: Life) -> list[str]:
    one = life.chance.choice(_visible(life))
    for kind in ("decision", "insight"):
        made = life.run(f"treering remember 'Said twice, word by word.' --type {kind}")
        life.ids.append(made["id"])
    life.run(f"treering link {one} follows {made['id']}")
    _write(life)
    return life.run("treering maintain dedupe --apply")["back"].split(" && ")


def entities(life: Life) -> list[str]:
    for name in ("redis", "redis-server"):
        life.ids.append(life.run(f"treering entities add {name} --kind technology")["id"])
    _write(life)
    done = life.run("treering entities merge redis redis-server --apply")
    ways = [done["back"]]
    deleted = life.run("treering entities delete redis")
    return [deleted["back"], *ways]


def take_in(life: Life) -> list[str]:
    _write(life)
    lines = [{"content": f"Imported, {n}", "branch": b} for n, b in enumerate(("main", "feat"))]
    file = life.repo.path.parent / "in.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return life.run(f"treering import {file}")["back"].split(" && ")


def sync(life: Life) -> list[str]:
    """Somebody else changed or forgot what is shared."""
    remote = life.repo.path.parent / "remote.git"
    life.repo.git("init", "-q", "--bare", "-b", "main", str(remote))
    life.repo.git("remote", "add", "origin", str(remote))
    life.repo.git("push", "-q", "origin", *BRANCHES)
    life.run("treering sync")
    life.repo.git("clone", "-q", str(remote), "../other")
    other = Repo(life.repo.path.parent / "other")
    other.now = life.repo.now
    other.git("config", "user.name", "Bob")
    other.git("config", "user.email", "bob@example.org")
    other.tr.sync()
    one, *rest = (hit.id for hit in other.tr.recall(branch="main").results)
    other.tr.revise(one, append="Seen by Bob.", branch="main")
    if rest and life.chance.random() < 0.5:
        other.tr.forget(rest, branch="main")
    other.tr.sync()
    life.before = life.look()
    scopes = life.run("treering sync")["scopes"]
    return [f"treering restore {s['branch']} --before-sync" for s in scopes if s.get("undo")]


def _write(life: Life) -> None:
    life.is_written = True
    life.before = life.look()


def _shared(life: Life) -> list[str]:
    hits = life.repo.tr.recall(limit=100).results
    return sorted(hit.id for hit in hits if not hit.private)


def _visible(life: Life) -> list[str]:
    return sorted(hit.id for hit in life.repo.tr.recall(limit=100).results)


DEEDS: tuple[Callable[[Life], list[str]], ...] = (
    promote, land, drop, stack, rename, forget, revise, link, unlink, merge, summarize, dedupe,
    entities, take_in, sync,
)  # fmt: skip


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Life]:
    """Lives as they are before the deed, each made once."""
    return cache(lambda seed: Life(tmp_path_factory.mktemp("life"), seed))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 12))]
)
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__)
def test_what_is_taken_back_was_never_done(
    deed: Callable[[Life], list[str]], seed: int, begin: Callable[[int], Life], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # Nobody tidies up beside it.
    monkeypatch.setattr("treering.cli.invocation.start_process", lambda *_, **__: None)
    life = begin(seed).copy(tmp_path)

    for command in deed(life):
        life.run(command)

    assert life.differences() == []
    life.run("treering gc")
    assert life.differences() == []
