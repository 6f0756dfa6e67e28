"""Two histories of one scope made into one, on real repositories."""

import shutil
from pathlib import Path

import pytest

from conftest import Repo
from treering.store.merge.join import join

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
    assert list(found.files.values()) in ([mine.version], [yours.version])


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
    assert len(found.files) in (1, 60)


def test_files_nobody_named_are_merged_by_their_ends(pair: tuple[Repo, Repo]) -> None:
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

    assert found.notes == (f"{memory} was merged without its history",)


def test_saved_prompts_are_woven(pair: tuple[Repo, Repo]) -> None:
    """Prompts and templates lie beside the memories; both people's lines stay."""
    one, other = pair
    one.tr.prompts("save", name="review", content="Look at tests.")
    shutil.rmtree(other.path)
    shutil.copytree(one.path, other.path)
    one.tr.prompts("save", name="review", content="Look at tests.\nAnd names.")
    other.tr.prompts("save", name="review", content="First, look at tests.")
    other.tr.prompts("save", name="note", kind="template", content="A note")

    found = join(one.workspace.store.shared, bring(one, other))

    woven = found.files["prompts/review.md"]
    assert isinstance(woven, bytes)
    assert woven.endswith(b"---\nFirst, look at tests.\nAnd names.\n")


def test_a_prompt_deleted_here_and_edited_there_stays(pair: tuple[Repo, Repo]) -> None:
    one, other = pair
    one.tr.prompts("save", name="review", content="Look at tests.")
    shutil.rmtree(other.path)
    shutil.copytree(one.path, other.path)
    other.now += 10
    one.tr.prompts("save", name="review", content="Look at tests, twice.")
    other.tr.prompts("delete", name="review", domain="project")

    tips = bring(one, other)
    found = join(one.workspace.store.shared, tips)

    kept = found.files.get("prompts/review.md")
    if kept is None:  # the smaller tip has it as it is
        kept = one.git("show", f"{min(tips)}:prompts/review.md").encode()
    assert b"twice" in kept
    assert b"deleted" not in kept


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
    assert b"title: WAL" in next(iter(found.files.values()))  # type: ignore[operator]
