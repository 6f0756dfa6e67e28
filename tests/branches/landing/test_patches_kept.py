"""What was learned of the trunk is kept, and is worth nothing when it is damaged."""

import sqlite3

import pytest

from branches.landing.landings import edit, feature, judged, squash
from treering.branches.landing.patches import Patches
from treering.derived.database import FILE


@pytest.fixture
def kept_at(tmp_path):
    return tmp_path / "kept" / "landing" / FILE


@pytest.fixture
def asked(monkeypatch):
    """Every step that git was asked for."""
    steps = []
    ask = Patches._ask

    def listen(self, some, until):
        steps.extend(some)
        return ask(self, some, until)

    monkeypatch.setattr(Patches, "_ask", listen)
    return steps


def test_next_run_reads_only_what_is_new(repo, kept_at, asked):
    """A trunk of years is read once."""
    tip = feature(repo)
    commit = squash(repo)
    for number in range(5):
        repo.commit_file(f"later-{number}.txt")
    first = judged(repo, tip, folder=kept_at.parent)
    asked.clear()
    newest = repo.commit_file("newest.txt")

    second = judged(repo, tip, folder=kept_at.parent)

    assert first == second
    assert second.merged_as == commit
    assert [step.new for step in asked if step.new not in repo.git("rev-list", tip)] == [newest]


@pytest.mark.parametrize("harm", ["gone", "zeroed", "cut", "text", "another version"])
def test_damaged_file_changes_no_answer(repo, kept_at, harm):
    """Derived state is tested by destroying it."""
    tip = feature(repo)
    edit(repo, 12, "near")
    squash(repo, fix=True)
    edit(repo, 10, "later")
    before = judged(repo, tip, folder=kept_at.parent)
    destroy(kept_at, harm)

    after = [judged(repo, tip, folder=kept_at.parent) for _ in range(2)]

    assert before.evidence == "noop"
    assert after == [before, before]


def destroy(path, harm):
    data = path.read_bytes()
    if harm == "gone":
        path.unlink()
    elif harm == "zeroed":
        path.write_bytes(bytes(len(data)))
    elif harm == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif harm == "text":
        path.write_bytes(b"hello\n" * 1000)
    else:
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()


def test_file_that_is_a_link_is_not_followed(repo, kept_at, tmp_path):
    """A link in a shared repository may lead to anything."""
    tip = feature(repo)
    commit = squash(repo)
    kept_at.parent.mkdir(parents=True, mode=0o700)
    mine = tmp_path / "mine.db"
    mine.write_bytes(b"")
    kept_at.symlink_to(mine)

    found = judged(repo, tip, folder=kept_at.parent)

    assert ("squash", commit) == (found.evidence, found.merged_as)
    assert mine.read_bytes() == b""


def test_lines_of_the_trunk_are_hashed_once(repo, kept_at, monkeypatch):
    """A second run takes the hashes of the trunk's commits from their rows."""
    tip = feature(repo)
    edit(repo, 12, "near")
    squash(repo)
    hashed = []
    hash_one = Patches.lines_hash
    monkeypatch.setattr(Patches, "lines_hash", lambda *a: hashed.append(a[1]) or hash_one(*a))

    runs = []
    for _ in range(2):
        hashed.clear()
        found = judged(repo, tip, folder=kept_at.parent)
        trunk = repo.git("rev-list", "main").split()
        runs.append((found, [step.new in trunk for step in hashed].count(True)))

    assert runs[0][0] == runs[1][0]
    assert runs[0][1] > runs[1][1] == 0
