"""Two histories of one scope made into one, on real repositories."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from conftest import Repo
from treering.store.history import HistoryCommit
from treering.store.merge.join import join
from treering.store.vault import Vault

MAIN = "refs/treering/heads/main"


@pytest.fixture
def pair(repo: Repo, tmp_path: Path) -> tuple[Repo, Repo]:
    """A repository with one memory, and a copy of it."""
    repo.tr.remember("Use WAL mode\n\nReaders never block.", type="decision")
    shutil.copytree(repo.path, tmp_path / "other")
    other = Repo(tmp_path / "other")
    other.now = repo.now + 1000
    return repo, other


def bring(here: Repo, there: Repo) -> tuple[str, str]:
    """Both tips, in one repository."""
    here.git("fetch", "-q", str(there.path), f"+{MAIN}:refs/other")
    return here.git("rev-parse", MAIN), here.git("rev-parse", "refs/other")


def test_what_one_side_changed_is_taken_as_it_is(pair: tuple[Repo, Repo]) -> None:
    """No blob is written anew, so versions hold."""
    one, other = pair
    mine = one.tr.remember("mine", type="insight")
    yours = other.tr.remember("yours", type="insight")

    found = join(one.workspace.store.shared, bring(one, other))

    assert not found.ids
    assert list(found.documents.values()) in ([mine.version], [yours.version])


def test_the_outcome_does_not_depend_on_whose_tip_is_named_first(pair: tuple[Repo, Repo]) -> None:
    one, other = pair
    memory = one.tr.recall().results[0].id
    one.tr.revise(memory, tags_add=["one"])
    other.tr.revise(memory, append="Seen on xfs.")
    tips = bring(one, other)

    vault = one.workspace.store.shared

    assert join(vault, tips) == join(vault, tuple(reversed(tips)))
    assert join(vault, tips).ids == (memory,)


def test_imports_that_name_no_memories_are_known_by_their_trees(pair: tuple[Repo, Repo]) -> None:
    """Above 50 memories a commit says only how many."""
    one, other = pair
    memory = one.tr.recall().results[0].id
    lines = "\n".join(f'{{"content": "thought {n}"}}' for n in range(60))
    (one.path.parent / "many.jsonl").write_text(lines, encoding="utf-8")
    one.tr.import_path(one.path.parent / "many.jsonl")
    other.tr.revise(memory, title="WAL")

    found = join(one.workspace.store.shared, bring(one, other))

    assert not found.ids
    assert len(found.documents) in (1, 60)


def test_what_a_commit_changed_is_known_by_its_tree(pair: tuple[Repo, Repo]) -> None:
    """A commit may say one thing and do another."""
    one, other = pair
    memory = one.tr.recall().results[0].id
    for repo, title in ((one, "first"), (other, "second")):
        repo.tr.revise(memory, title=title)
        tree = repo.git("rev-parse", f"{MAIN}^{{tree}}")
        before = repo.git("rev-parse", f"{MAIN}~1")
        lie = repo.git("commit-tree", tree, "-p", before, "-m", "x\n\nTreering-Op: revise\n"
                       "Treering-Memory: 000000000000")  # fmt: skip
        repo.git("update-ref", MAIN, lie)

    found = join(one.workspace.store.shared, bring(one, other))

    assert found.ids == (memory,)
    assert found.notes == ()


def test_in_a_shallow_clone_the_ends_are_merged_and_said_so(
    pair: tuple[Repo, Repo], tmp_path: Path
) -> None:
    """History that is not here cannot be replayed."""
    one, other = pair
    memory = one.tr.recall().results[0].id
    one.tr.revise(memory, tags_add=["one"])
    other.tr.revise(memory, title="WAL")
    one.git("init", "-q", str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow")
    url = one.path.as_uri()
    shallow.git("fetch", "-q", "--depth=1", url, f"{MAIN}:{MAIN}")
    shallow.git("fetch", "-q", "--depth=1", other.path.as_uri(), f"{MAIN}:refs/other")

    tips = shallow.git("rev-parse", MAIN), shallow.git("rev-parse", "refs/other")
    found = join(shallow.workspace.store.shared, tips)

    assert len(found.notes) == 1
    assert b"title: WAL" in next(iter(found.documents.values()))  # type: ignore[operator]


def test_a_memory_with_very_many_changes_is_merged_by_its_ends(
    pair: tuple[Repo, Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To play all of them again takes the square of their number; the answer says so."""
    one, other = pair
    memory = one.tr.recall().results[0].id
    for number in range(3):
        one.tr.revise(memory, tags_add=[f"one-{number}"])
        other.tr.revise(memory, append=f"Seen on disk {number}.")
    tips, vault = bring(one, other), one.workspace.store.shared
    assert join(vault, tips).notes == ()
    monkeypatch.setattr("treering.store.merge.join.MOST_CHANGES", 5)
    monkeypatch.setattr("treering.store.merge.join.replay", None)

    found = join(vault, tips)

    assert found == join(vault, tuple(reversed(tips)))
    assert found.notes == (f"{memory} was merged without its history",)
    (text,) = found.documents.values()
    assert isinstance(text, bytes)
    assert b"one-2" in text
    assert b"Seen on disk 2." in text


def test_the_work_of_a_merge_grows_with_the_changes(
    pair: tuple[Repo, Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice the revisions are twice the looks at commits, also where a branch was promoted."""
    one, other = pair
    memory = one.tr.recall().results[0].id
    one.switch("feature", create=True).commit_file("f.txt")
    one.tr.revise(memory, tags_add=["feature"])
    one.switch("main").git("merge", "-q", "--no-ff", "-m", "land", "feature")
    one.tr.gc()
    work = Counter[int]()
    blob_at, revisions = Vault.blob_at, 0

    def compare(commit: HistoryCommit, there: object) -> bool:
        work[revisions] += 1
        return tuple.__eq__(commit, there)  # type: ignore[arg-type]

    def look(vault: Vault, commit: str, memory_id: str) -> str | None:
        work[revisions] += 1
        return blob_at(vault, commit, memory_id)

    for revisions in (10, 20):
        for number in range(10):
            one.tr.revise(memory, tags_add=[f"one-{revisions}-{number}"])
            other.tr.revise(memory, tags_add=[f"other-{revisions}-{number}"])
        tips, vault = bring(one, other), one.workspace.store.shared
        with monkeypatch.context() as patch:
            patch.setattr(HistoryCommit, "__eq__", compare)
            patch.setattr(Vault, "blob_at", look)
            assert join(vault, tips).ids == (memory,)

    assert 0 < work[20] <= 2.2 * work[10]


def test_what_was_redacted_stays_away_however_often_it_was_changed(
    pair: tuple[Repo, Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    memory = one.tr.recall().results[0].id
    for number in range(3):
        other.tr.revise(memory, append=f"Seen on disk {number}.")
    one.tr.redact(memory)
    monkeypatch.setattr("treering.store.merge.join.MOST_CHANGES", 1)
    vault = one.workspace.store.shared

    found = join(vault, bring(one, other))

    texts = [t if isinstance(t, bytes) else vault.repository.objects.blob(t)
             for t in found.documents.values() if t]  # fmt: skip
    assert not any(b"Seen on disk" in text for text in texts)
