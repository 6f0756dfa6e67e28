"""A process that lives on, through everything that moves scopes, beside one that begins now."""

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.workspace import Workspace

WORDS = ("retry", "timeout", "pool", "cache", "ledger", "gateway", "invoice", "token", "queue")
STEPS = (
    "remember", "remember", "remember", "like", "revise", "supersede", "forget", "link", "private",
    "switch", "elsewhere", "sync", "promote", "merge",
)  # fmt: skip


class Life:
    """A repository that others push to, and the process whose answers are looked at."""

    def __init__(self, repo: Repo, folder: Path, seed: int) -> None:
        self.repo, self.dice = repo, random.Random(seed)
        remote = folder / "remote.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remote], check=True)
        repo.git("remote", "add", "origin", str(remote))
        repo.git("push", "-q", "origin", "main")
        subprocess.run(["git", "clone", "-q", remote, folder / "other"], check=True)
        self.other = Repo(folder / "other")
        self.other.git("config", "user.name", "Grace Hopper")
        self.other.git("config", "user.email", "grace@example.org")
        self.workspace: Workspace = repo.workspace
        self.lasting = Treering(self.workspace)
        for _ in range(4):
            self.remember()

    def text(self) -> str:
        words = self.dice.sample(WORDS, 4)
        return f"The {' and the '.join(words)} limit is {self.dice.randrange(99)} seconds"

    def ids(self) -> list[str]:
        visible = self.workspace.view().visible.items()
        return sorted(mid for mid, place in visible if not place.memory().is_forgotten)

    def step(self) -> None:
        getattr(self, self.dice.choice(STEPS))()

    def remember(self) -> None:
        kind = self.dice.choice(("decision", "insight", "progress"))
        self.lasting.remember(self.text(), type=kind, tags=self.dice.sample(WORDS, 2))

    def like(self) -> None:
        """Something else about what is there."""
        old = self.lasting.read(self.dice.choice(self.ids()))
        self.lasting.remember(f"{old.content} or {self.dice.randrange(99)}", type="decision")

    def private(self) -> None:
        self.lasting.remember(self.text(), type="decision", private=True)

    def revise(self) -> None:
        self.lasting.revise(self.dice.choice(self.ids()), content=self.text())

    def supersede(self) -> None:
        self.lasting.remember(self.text(), supersedes=[self.dice.choice(self.ids())])

    def forget(self) -> None:
        one = self.dice.choice(self.ids())
        self.lasting.forget([one])
        if self.dice.random() < 0.5:
            self.lasting.forget([one], restore=True)

    def link(self) -> None:
        one, other = self.dice.sample(self.ids(), 2)
        relation = self.dice.choice(("depends_on", "relates_to", "supersedes"))
        self.lasting.link(one, other, relation=relation)

    def switch(self) -> None:
        if "side" not in self.repo.git("branch"):
            self.repo.git("branch", "side")
        self.repo.switch(self.dice.choice(("main", "side")))

    def elsewhere(self) -> None:
        """Another process of the same repository."""
        self.repo.tr.remember(self.text(), type="decision")

    def sync(self) -> None:
        """Another clone has something to say, too."""
        self.other.now = self.repo.now
        self.other.tr.sync()
        self.other.tr.remember(self.text(), type="decision")
        self.other.tr.sync()
        self.lasting.sync()

    def promote(self) -> None:
        if self.repo.git("branch", "--show-current") == "side":
            self.lasting.remember(self.text(), type="decision")
            self.lasting.promote("side")

    def merge(self) -> None:
        """The code of a branch lands, and its memories follow."""
        self.repo.git("switch", "-q", "-C", "side")
        self.repo.commit_file(f"file{self.dice.randrange(10**6)}")
        self.lasting.remember(self.text(), type="decision")
        self.repo.switch("main")
        self.repo.git("merge", "-q", "--no-ff", "-m", "side landed", "side")
        self.lasting.gc()


def _answers(treering: Treering, ids: list[str], question: str) -> dict[str, Any]:
    """What every kind of question is answered with, but for what the time of asking decides."""
    hits = treering.recall(question, limit=50).results
    return {
        "reads": [treering.read(memory_id) for memory_id in ids],
        "hits": {
            h.id: (h.title, h.branch, h.layer, h.origin, h.outdated_by, h.newer) for h in hits
        },
        "network": treering.graph("stats"),
        "neighbors": [
            sorted(
                (n.id, n.relation, n.via) for n in treering.graph("neighbors", id=i, depth=2).nodes
            )
            for i in ids[:2]
        ],
    }


@pytest.mark.parametrize(
    "seed", [11, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(12, 20))]
)
def test_every_answer_is_that_of_a_process_that_begins_now(
    repo: Repo, tmp_path: Path, seed: int
) -> None:
    """Writes, links, branches, promotions and syncs, each of which changes what is kept."""
    life = Life(repo, tmp_path, seed)

    for _ in range(14):
        life.step()
        ids = life.dice.sample(life.ids(), 3)
        question = life.dice.choice(WORDS)
        mine = _answers(life.lasting, ids, question)
        assert mine == _answers(repo.tr, ids, question)
