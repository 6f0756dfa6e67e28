"""Any life a memory can lead on two branches, shared and private, against a dictionary.

The model knows nothing of git: a layer is a dictionary from id to what the memory says, the nearest
layer wins, and what is changed is copied into the layer of the branch one stands on.
"""

import shutil
import tempfile
from dataclasses import dataclass, replace
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

from conftest import Repo, make_repo, remove
from treering.errors import MemoryNotFound

picks = st.integers(min_value=0, max_value=999)
WORDS = ("cache", "lock", "merge", "thread")


@dataclass(frozen=True)
class Said:
    """What the model knows of a memory."""

    content: str
    tags: frozenset[str] = frozenset()
    status: str = "active"
    outcome: str = ""
    links: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()  # those of them that somebody asked for

    @property
    def is_forgotten(self) -> bool:
        return self.status == "deleted"


class MemoryLife(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="treering-memory-"))
        self.layers: dict[tuple[str, bool], dict[str, Said]] = {
            (branch, private): {} for branch in ("main", "work") for private in (False, True)
        }
        self.count = 0

    def teardown(self) -> None:
        remove(self.folder)

    @initialize()
    def begin(self) -> None:
        self.repo: Repo = make_repo(self.folder / "repo")
        self.repo.commit_file("README.md")
        self.repo.git("branch", "work")
        self.branch = "main"
        for private in (False, True, False):  # so that there is something to change from the start
            self.remember_new(WORDS[0], private=private)

    # --- the model --------------------------------------------------------------------------------

    def seen_from(self, branch: str) -> list[dict[str, Said]]:
        """The layers a branch sees, nearest first."""
        names = [branch] if branch == "main" else [branch, "main"]
        return [self.layers[name, private] for name in names for private in (True, False)]

    def visible(self, branch: str) -> dict[str, Said]:
        found: dict[str, Said] = {}
        for layer in reversed(self.seen_from(branch)):
            found |= layer
        return found

    def is_private(self, memory_id: str) -> bool:
        """The vault of the nearest copy: a change stays where its memory is."""
        nearest = next(layer for layer in self.seen_from(self.branch) if memory_id in layer)
        return any(nearest is self.layers[name, True] for name in ("main", "work"))

    def put(self, memory_id: str, said: Said) -> None:
        self.layers[self.branch, self.is_private(memory_id)][memory_id] = said

    def chosen(self, pick: int, *, forgotten: bool = False) -> tuple[str, Said] | None:
        seen = self.visible(self.branch)
        ids = sorted(i for i, said in seen.items() if said.is_forgotten is forgotten)
        return (ids[pick % len(ids)], seen[ids[pick % len(ids)]]) if ids else None

    # --- what may happen --------------------------------------------------------------------------

    @rule(private=st.booleans(), tag=st.sampled_from(WORDS))
    def remember(self, private: bool, tag: str) -> None:
        self.remember_new(tag, private=private)

    def remember_new(self, tag: str, *, private: bool) -> None:
        self.count += 1
        content = f"thought number {self.count} on the {tag}"
        answer = self.repo.tr.remember(content, tags=[tag], private=private, type="insight")
        links = frozenset(link["target"] for link in answer.links)
        self.layers[self.branch, private][answer.id] = Said(content, frozenset([tag]), links=links)

    @rule(pick=picks)
    def remember_again(self, pick: int) -> None:
        """The same content once more is the same memory, and nothing changes; what was private so
        far is shared from then on."""
        if found := self.chosen(pick):
            content, before = found[1].content, self.repo.refs()
            names = ["main"] if self.branch == "main" else ["main", self.branch]
            shared: dict[str, Said] = {}
            for name in names:
                shared |= self.layers[name, False]
            there = {i for i, s in shared.items() if s.content == content and not s.is_forgotten}
            answer = self.repo.tr.remember(content, type="insight")
            assert bool(answer.duplicate) == bool(there)
            if there:
                assert answer.id in there
                assert self.repo.refs() == before
            else:
                self.layers[self.branch, False][answer.id] = Said(
                    content, links=frozenset(link["target"] for link in answer.links)
                )

    @rule(pick=picks, tag=st.sampled_from(WORDS))
    def revise(self, pick: int, tag: str) -> None:
        if found := self.chosen(pick):
            memory_id, said = found
            self.count += 1
            content = f"revised {self.count}"
            self.repo.tr.revise(memory_id, content=content, tags_add=[tag], outcome="success")
            changed = replace(said, content=content, tags=said.tags | {tag}, outcome="success")
            self.put(memory_id, changed)

    @rule(pick=picks)
    def expect_the_wrong_version(self, pick: int) -> None:
        if found := self.chosen(pick):
            with pytest.raises(Exception, match="version"):
                self.repo.tr.revise(found[0], title="x", expect="0" * 40)

    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        if found := self.chosen(pick):
            self.repo.tr.forget([found[0]])
            self.put(found[0], replace(found[1], status="deleted"))

    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        if found := self.chosen(pick, forgotten=True):
            self.repo.tr.forget([found[0]], restore=True)
            self.put(found[0], replace(found[1], status="active"))

    @rule(one=picks, other=picks)
    def link(self, one: int, other: int) -> None:
        source, target = self.chosen(one), self.chosen(other)
        if source and target and source[0] != target[0]:
            self.repo.tr.link(source[0], target[0])
            if target[0] not in source[1].made:  # else nothing changes, so nothing is copied
                new = {"links": source[1].links | {target[0]}, "made": source[1].made | {target[0]}}
                self.put(source[0], replace(source[1], **new))

    @precondition(lambda self: self.count > 0)
    @rule()
    def switch(self) -> None:
        self.branch = "work" if self.branch == "main" else "main"
        self.repo.git("switch", "-q", self.branch)

    @rule()
    def tidy(self) -> None:
        """git's own housekeeping, and a store whose derived state is gone."""
        self.repo.git("gc", "-q")
        shutil.rmtree(self.repo.path / ".git" / "treering" / "index", ignore_errors=True)

    # --- what always holds ------------------------------------------------------------------------

    @invariant()
    def each_branch_sees_what_the_model_sees(self) -> None:
        for branch in ("main", "work"):
            expected = {i: s for i, s in self.visible(branch).items() if not s.is_forgotten}
            found = {m["id"]: m for m in self.repo.tr.exported(branch=branch, private=True)}
            assert found.keys() == expected.keys(), branch
            for memory_id, said in expected.items():
                memory = found[memory_id]
                assert memory["content"] == said.content
                assert set(memory.get("tags", [])) == said.tags
                assert memory.get("details", {}).get("outcome", "") == said.outcome
                assert said.links <= {link["target"] for link in memory.get("links", [])}

    @invariant()
    def private_memories_are_not_in_the_shared_repository(self) -> None:
        private = {i for (_, p), layer in self.layers.items() if p for i in layer}
        shared = {i for (_, p), layer in self.layers.items() if not p for i in layer}
        listed = self.repo.git("rev-list", "--objects", "--glob=refs/treering/*")
        held = {line.rpartition("/")[2].removesuffix(".md") for line in listed.splitlines()}
        assert not (private - shared) & held

    @invariant()
    def what_is_forgotten_is_not_found(self) -> None:
        forgotten = [i for i, s in self.visible(self.branch).items() if s.is_forgotten]
        if forgotten:
            shown = {hit.id for hit in self.repo.tr.recall(limit=1000).results}
            assert not shown & set(forgotten)
            with pytest.raises(MemoryNotFound):
                self.repo.tr.revise(forgotten[0], title="new")


def _lived(examples: int, steps: int, *, is_fixed: bool) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        MemoryLife,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            derandomize=is_fixed,
        ),
    )


def test_no_short_life_of_memories_differs_from_a_dictionary() -> None:
    """The verbs do what they say, whatever came before."""
    _lived(5, 15, is_fixed=True)


@pytest.mark.deep
def test_no_long_life_of_memories_differs_from_a_dictionary() -> None:
    """The same, longer and never the same twice."""
    _lived(300, 30, is_fixed=False)
