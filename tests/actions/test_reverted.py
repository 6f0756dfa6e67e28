"""What was taken back in code does not stand as in force."""

import pytest

from conftest import Repo

START = "def connect():\n    return open('db')\n\n\ndef close():\n    pass\n"
CACHED = START.replace("return open('db')", "return cache.get('db') or open('db')")


def _commit(repo: Repo, text: str, message: str) -> str:
    repo.now += 60
    return repo.commit_file("db.py", text, message)


def _decide(repo: Repo) -> tuple[str, str]:
    """A branch with a decision and a lesson, and its commit."""
    _commit(repo, START, "Connect")
    repo.switch("cache", create=True)
    decision = repo.tr.remember(
        "Cache connections in the process", type="decision", files=["db.py"]
    ).id
    lesson = repo.tr.remember("A cache in Redis was slower", type="insight", outcome="failed").id
    _commit(repo, CACHED, "Cache connections")
    repo.switch("main")
    repo.now += 60
    return decision, lesson


def _squash(repo: Repo) -> str:
    repo.git("merge", "-q", "--squash", "cache")
    repo.git("commit", "-q", "-m", "Cache connections (#7)")
    repo.tr.gc()
    return repo.git("rev-parse", "HEAD").strip()


def _revert(repo: Repo, commit: str = "HEAD", *options: str) -> str:
    repo.now += 60
    repo.git("revert", "--no-edit", *options, commit)
    return repo.git("rev-parse", "HEAD").strip()


def _reverted(repo: Repo, memory_id: str) -> str | None:
    mark = repo.tr.read(memory_id).reverted
    return mark.commit if mark else None


def test_a_decision_whose_squash_was_reverted_says_so_at_every_door(repo: Repo) -> None:
    decision, lesson = _decide(repo)
    _squash(repo)
    other = repo.tr.remember("Close connections by hand", type="decision", files=["db.py"]).id
    assert _reverted(repo, decision) is None

    revert = _revert(repo)

    mark = repo.tr.read(decision).reverted
    assert mark is not None
    assert (mark.commit, mark.when[:2]) == (revert, "20")
    (hit,) = [hit for hit in repo.tr.recall("cache connections").results if hit.id == decision]
    assert hit.reverted == mark
    answer = repo.tr.context(task="cache connections", files=["db.py"])
    entries = [*answer["high"], *answer["medium"], *answer["low"]]
    marks = {entry.id: entry.reverted for entry in entries}
    assert marks[decision] == mark
    assert marks[other] is None
    text = answer["text"]
    assert text.index(other) < text.index(decision)
    assert text.index(lesson) < text.index(decision), "a lesson outlives the code"
    assert f"reverted by {revert[:12]}" in text
    assert repo.json("read", decision)["reverted"] == {"commit": revert, "when": mark.when}
    assert "reverted by" in repo.cli("recall", "cache connections").stdout
    doubts = {item.id: [d.reason for d in item.reasons] for item in repo.tr.review().items}
    assert "reverted" in doubts[decision]


def test_a_session_is_not_told_of_it_as_in_force(repo: Repo) -> None:
    from treering.actions.briefing import opening

    decision, _ = _decide(repo)
    _squash(repo)
    other = repo.tr.remember("Close connections by hand", type="decision").id
    _revert(repo)

    lines = opening(repo.workspace, 4000).text.splitlines()

    (told,) = [line for line in lines if f", {decision}, " in line]
    assert "reverted by" in told
    assert lines.index(told) > next(n for n, line in enumerate(lines) if other in line)


def test_it_is_no_reason_for_the_line_that_came_back(repo: Repo) -> None:
    decision, _ = _decide(repo)
    _squash(repo)
    assert decision in repo.tr.why("db.py:2").lines[0].memories
    _revert(repo)

    answer = repo.tr.why("db.py:2")

    assert decision not in answer.lines[0].memories
    assert decision not in [memory.id for memory in answer.memories]
    before = repo.tr.why("db.py:2", at="HEAD~1")
    assert decision in before.lines[0].memories, "it was the reason then"


def test_reverts_and_landings_are_counted(repo: Repo) -> None:
    decision, _ = _decide(repo)
    _squash(repo)

    marks = []
    reverts = [_revert(repo)]
    for _ in range(4):
        marks.append(_reverted(repo, decision))
        reverts.append(_revert(repo))
    marks.append(_reverted(repo, decision))

    assert marks == [reverts[0], None, reverts[2], None, reverts[4]]


@pytest.mark.parametrize("is_fresh", [False, True])
def test_it_is_gone_when_the_change_lands_again(repo: Repo, is_fresh: bool) -> None:
    """In whatever words, with other changes beside it; whether each step was seen, or all at
    once."""
    decision, _ = _decide(repo)
    _squash(repo)
    _revert(repo)
    if not is_fresh:
        assert _reverted(repo, decision)
    _commit(repo, CACHED + "\n# more\n", "Cache after all")
    landed = repo.git("rev-parse", "HEAD").strip()
    again = _reverted(repo, decision)
    revert = _revert(repo, landed)

    assert again is None
    assert _reverted(repo, decision) == revert


def test_a_message_alone_does_nothing(repo: Repo) -> None:
    """It proposes, the patch decides; half of the inverse is not enough."""
    decision, _ = _decide(repo)
    (repo.path / "more.py").write_text("more = 1\n")
    repo.git("add", "more.py")
    landing = _squash(repo)

    _commit(repo, CACHED + "# fast\n", f"Revert things\n\nThis reverts commit {landing}.")
    assert _reverted(repo, decision) is None
    _commit(repo, START + "# fast\n", f"Revert half\n\nThis reverts commit {landing}.")
    assert _reverted(repo, decision) is None


@pytest.mark.parametrize(
    "message",
    [
        'Revert "Cache connections (#7)" (#9)\n\nReverts acme/db#7',
        'Tidy up (#9)\n\n* Rename things\n\n* Revert "Cache connections"\n',
        "revert: Cache connections",
        "Back out the cache\n\nThis reverts commits {landing} and deadbee1.",
    ],
)
def test_hosts_and_people_word_it_in_their_own_way(repo: Repo, message: str) -> None:
    """Other changes beside it, and other lines around it, do not matter."""
    decision, _ = _decide(repo)
    landing = _squash(repo)
    _commit(repo, "import os\n" + CACHED, "Import os")

    commit = _commit(repo, "import os\n" + START + "# quiet\n", message.format(landing=landing))

    assert _reverted(repo, decision) == commit


def test_a_reverted_merge_takes_along_what_it_brought(repo: Repo) -> None:
    decision, _ = _decide(repo)
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'cache'", "cache")
    repo.tr.gc()
    repo.tr.backfill()
    (record,) = [m["id"] for m in repo.tr.exported() if m["title"] == "Cache connections"]
    assert _reverted(repo, decision) is None

    revert = _revert(repo, "HEAD", "-m", "1")

    assert _reverted(repo, decision) == revert
    assert _reverted(repo, str(record)) == revert
    _revert(repo)
    assert _reverted(repo, decision) is None


def test_a_branch_that_landed_commit_by_commit_is_taken_back_as_a_whole(repo: Repo) -> None:
    decision, _ = _decide(repo)
    repo.switch("cache")
    _commit(repo, CACHED + "\nsize = 10\n", "Limit the cache")
    repo.switch("main")
    repo.git("merge", "-q", "--ff-only", "cache")
    repo.tr.gc()

    _revert(repo)
    assert _reverted(repo, decision) is None, "the cache is still there"
    last = _revert(repo, "HEAD~2")

    assert _reverted(repo, decision) is not None
    assert last


def test_it_is_so_on_the_branch_that_has_the_revert(repo: Repo) -> None:
    decision, _ = _decide(repo)
    _squash(repo)
    repo.git("branch", "before")

    revert = _revert(repo)

    assert _reverted(repo, decision) == revert
    assert repo.tr.read(decision, branch="before").reverted is None
    assert repo.tr.read(decision, at="before").reverted is None


def test_a_commit_that_was_reverted_says_so_itself(repo: Repo) -> None:
    repo.commit_file("retry.py", "retries = 3\n", "Retry uploads three times")
    revert = _revert(repo)
    repo.tr.backfill()
    ids = {m["title"]: str(m["id"]) for m in repo.tr.exported() if m["type"] == "commit"}
    first = ids["Retry uploads three times"]

    assert _reverted(repo, first) == revert
    assert repo.tr.read(first).outdated_by is None
    assert repo.tr.read(first).newer is None
    links = repo.tr.read(ids['Revert "Retry uploads three times"']).links
    assert "supersedes" not in [link.relation for link in links]
    again = _revert(repo)
    repo.tr.backfill()
    assert _reverted(repo, first) is None
    assert _reverted(repo, ids['Revert "Retry uploads three times"']) == again


def test_what_is_kept_may_be_lost_or_broken(repo: Repo) -> None:
    decision, _ = _decide(repo)
    _squash(repo)
    revert = _revert(repo)
    assert _reverted(repo, decision) == revert

    for kept in repo.path.glob(".git/treering/treering.db"):
        kept.write_bytes(b"junk" * 1000)

    assert repo.json("read", decision)["reverted"]["commit"] == revert
