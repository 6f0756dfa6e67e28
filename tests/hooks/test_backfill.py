"""backfill: history from before there were hooks."""

import pytest

from conftest import Repo


@pytest.fixture
def old(repo) -> Repo:
    """A repository with a past: a trunk, a merged branch and one under way."""
    for n in range(5):
        repo.commit_file(f"m{n}.txt", message=f"main {n}")
    repo.switch("merged", create=True).commit_file("x.txt", message="merged work")
    repo.switch("main")
    repo.now += 5 * 3600
    repo.commit_file("m5.txt", message="main 5")
    repo.git("merge", "-q", "--no-edit", "merged")
    repo.switch("feature", create=True).commit_file("f.txt", message="feature work")
    return repo.switch("main")


def test_history_is_captured_where_it_belongs(old) -> None:
    answer = old.json("backfill")

    assert (answer["captured"], answer["skipped"]) == (9, 1)
    assert answer["branches"] == {"main": 8, "feature": 1}
    commits = {m["title"] for m in old.tr.exported(branch="main") if m["type"] == "commit"}
    assert commits == {"add README.md", "merged work", *(f"main {n}" for n in range(6))}
    assert "feature work" in old.titles("feature")


def test_sessions_are_found_in_the_past_too(old) -> None:
    old.tr.backfill(branch="main")

    found = old.tr.recall(type="session", branch="main", order="oldest").results
    counts = [old.tr.read(r.id).details["count"] for r in found]
    assert counts == [7]  # the work on the merged branch followed without a pause


def test_second_time_nothing_is_new(old) -> None:
    old.tr.backfill()
    before = old.refs()

    answer = old.tr.backfill()

    assert (answer.captured, answer.branches) == (0, {})
    assert old.refs() == before


def test_one_commit_of_memories_a_branch(old) -> None:
    old.tr.backfill()

    assert old.git("rev-list", "--count", "refs/treering/heads/main") == "1"


def test_since_and_branch(old) -> None:
    answer = old.json("backfill", "--since", "2026-02-02T05:00:00Z", "--branch", "main")

    assert answer["branches"] == {"main": 1}
    assert old.error("backfill", "--branch", "nowhere")["code"] == "branch_not_found"


def test_hooks_and_backfill_make_the_same_memories(old, noting) -> None:
    """Ids come from the commits, so it does not matter who was first."""
    old.commit_file("h.txt", message="by hook")
    old.tr.drain()
    old.tr.backfill()

    titles = [m["title"] for m in old.tr.exported(branch="main") if m["type"] == "commit"]
    assert len(titles) == len(set(titles)) == 9


def test_many_commits_go_through_the_bulk_path(repo) -> None:
    stream = "".join(
        f"commit refs/heads/main\ncommitter Ada <a@x> {1_700_000_000 + n * 60} +0000\n"
        f"data 8\nstep {n:03}\n" + ("from refs/heads/main^0\n" if n == 0 else "")
        + f"M 100644 inline f{n}\ndata 1\nx\n"
        for n in range(300)
    )  # fmt: skip
    repo.git("fast-import", "--quiet", feed=stream)

    answer = repo.tr.backfill()

    assert answer.captured == 301
    assert repo.git("rev-list", "--count", "refs/treering/heads/main") == "1"
    assert len(repo.git("ls-tree", "-r", "--name-only", "refs/treering/heads/main").split()) > 301


def test_a_commit_that_joins_a_session_in_a_later_batch_counts_once(repo, monkeypatch) -> None:
    """A session needs two commits: with the second one the first is written again."""
    monkeypatch.setattr("treering.actions.backfill.BATCH", 1)
    for n in range(3):
        repo.commit_file(f"m{n}.txt", message=f"main {n}")

    answer = repo.tr.backfill()

    assert (answer.captured, answer.skipped, answer.branches) == (4, 0, {"main": 4})


def test_a_huge_message_is_cut_before_it_is_looked_at(repo, monkeypatch) -> None:
    """And the memory says how much was left out, and where it is."""
    texts = []

    def watch(text: str) -> str:
        texts.append(len(text))
        return text

    monkeypatch.setattr("treering.capture.commits.mask", watch)
    message = "Huge\n\n" + "word " * 400_000
    repo.git("commit", "-q", "--allow-empty", "-F", "-", feed=message)

    repo.tr.backfill()

    hit = next(h for h in repo.tr.recall("huge", type="commit").results if h.title == "Huge")
    content = repo.tr.read(hit.id).content
    assert max(texts) < 100_000
    assert len(content) < 70_000
    assert content.endswith(f"more characters: git show {repo.git('rev-parse', 'HEAD')[:12]}]")
