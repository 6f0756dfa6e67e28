"""Rows of memory history, held against what git itself shows."""

from pathlib import Path

from conftest import Repo
from sync.conftest import Team
from treering.derived.database import Database
from treering.derived.history import History
from treering.store.history import GitHistory, HistoryCommit

SCOPES = ("refs/treering/heads", "refs/treering/views", "refs/treering/remotes")


def read(repo: Repo, history: History, tips: list[str]) -> dict[str, HistoryCommit]:
    vault = repo.workspace.store.shared
    commits = history.read(vault, tips)
    assert commits == GitHistory().read(vault, tips)
    return commits


def list_tips(repo: Repo) -> list[str]:
    lines = repo.git("for-each-ref", "--format=%(objectname)", *SCOPES).split()
    return list(dict.fromkeys(lines))


def check(repo: Repo, history: History) -> dict[str, HistoryCommit]:
    """Compare every row with plain git, commit by commit; return the commits."""
    tips = list_tips(repo)
    commits = read(repo, history, tips)
    assert set(commits) == set(repo.git("rev-list", *tips).split())
    order = list(commits)
    for oid, changes in history.read_changes(repo.workspace.store.shared, commits).items():
        commit = commits[oid]
        parents = repo.git("log", "-1", "--format=%P", oid).split()
        assert list(commit.parents) == parents
        assert all(order.index(parent) < order.index(oid) for parent in parents)
        now, *before = (blobs(repo, one) for one in (oid, *parents))
        if commit.is_promotion:
            assert {change.id: change.blob for change in changes} == now
            continue
        paths = {path for tree in (now, *before) for path in tree}
        new = {p for p in paths if all(tree.get(p) != now.get(p) for tree in before or [{}])}
        assert {change.id for change in changes} == new
        for change in changes:
            assert change.blob == now.get(change.id, "")
            if old := {tree[change.id] for tree in before if change.id in tree}:
                assert set(change.before) == old
    return commits


def blobs(repo: Repo, commit: str) -> dict[str, str]:
    lines = repo.git("ls-tree", "-r", commit).splitlines()
    return {Path(path).stem: line.split()[2] for line, path in (row.split("\t") for row in lines)}


def test_rows_are_what_git_shows_of_changes_joins_and_promotions(
    clone: Team,
) -> None:
    ada, ben = clone("ada"), clone("ben")
    kept = ada.tr.remember("Retries use jitter.", type="decision")
    ada.tr.sync()
    ben.tr.sync()
    ada.tr.revise(kept.id, content="Retries use jitter and a cap.")
    ben.tr.revise(kept.id, tags_add=["retry"])
    ben.tr.remember("The cap is ten seconds.", type="insight")
    ada.tr.sync(), ben.tr.sync(), ada.tr.sync()
    ada.switch("feat", create=True).commit_file("a.txt")
    ada.tr.remember("Jitter is uniform.", type="decision")
    ada.tr.forget([kept.id])
    ada.switch("main").git("merge", "-q", "--ff-only", "feat")
    ada.tr.gc(dry_run=False)

    commits = check(ada, History(Database()))

    assert any(commit.is_promotion for commit in commits.values())
    assert any(len(commit.parents) > 1 for commit in commits.values())


def test_reading_bit_by_bit_gives_the_rows_of_reading_at_once(repo: Repo) -> None:
    """A capture adds one commit without starting git; the first look reads all of them by git."""
    history, whole = History(Database()), History(Database())
    first = repo.tr.remember("Locks are advisory.", type="decision")
    read(repo, history, list_tips(repo))
    for number in range(3):
        repo.tr.revise(first.id, content=f"Locks are advisory, case {number}.")
        read(repo, history, list_tips(repo))
    for number in range(20):
        repo.tr.remember(f"Fact {number}.", type="insight")

    tips = list_tips(repo)

    assert read(repo, history, tips) == (commits := read(repo, whole, tips))
    vault = repo.workspace.store.shared
    assert history.read_changes(vault, commits) == whole.read_changes(vault, commits)


def test_a_deepened_clone_reads_its_history_again(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.tr.remember(f"Fact {number}.", type="insight")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow")
    spec = "refs/treering/heads/*:refs/treering/heads/*"
    shallow.git("fetch", "-q", "--depth=1", "origin", spec)
    history = History(Database())
    (cut,) = read(shallow, history, list_tips(shallow)).values()

    shallow.git("fetch", "-q", "--unshallow", "origin", spec)

    assert cut.is_cut
    assert len(read(shallow, history, list_tips(shallow))) == 3
