"""recall: the right memory first, on the right branch, saying why."""

import shutil
from pathlib import Path

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.recall import Recalled
from treering.errors import BranchNotFound, Invalid

WAL = "Use WAL mode for SQLite"
RETRIES = "Payment retries use exponential backoff"
FLAKY = "The checkout test is flaky on CI"


def _titles(answer: Recalled) -> list[str]:
    return [result.title for result in answer.results]


def _index(repo: Repo) -> Path:
    return repo.path / ".git" / "treering" / "index"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A few memories of a small shop."""
    tr = repo.tr
    tr.remember("Use WAL mode for SQLite\n\nReaders never block writers.", type="decision",
                tags=["db", "perf"], topic="backend/db", confidence=0.9)  # fmt: skip
    tr.remember(
        "Payment retries use exponential backoff\n\nparse_retry_after() reads the header.",
        type="pattern", tags=["payments"], topic="backend/payments", confidence=0.6,
    )  # fmt: skip
    tr.remember("The checkout test is flaky on CI\n\nIt waits for ERR_1234.", type="issue",
                tags=["ci", "perf"], agent="codex", confidence=0.4)  # fmt: skip
    return repo


def test_a_question_finds_the_memory_that_answers_it(shop: Repo) -> None:
    """In words, not in field names."""
    answer = shop.tr.recall("why do readers not block?")

    assert _titles(answer)[0] == WAL
    assert "text" in answer.results[0].why
    assert answer.results[0].snippet is not None
    assert "Readers never block" in answer.results[0].snippet


@pytest.mark.parametrize("query", ["parse_retry_after", "retry after", "parse_retry()", "parse*"])
def test_identifiers_are_found_whole_and_in_parts(shop: Repo, query: str) -> None:
    """That is what people look for in code talk."""
    assert _titles(shop.tr.recall(query))[0] == RETRIES


def test_an_error_code_is_found(shop: Repo) -> None:
    """Copied from a log."""
    assert _titles(shop.tr.recall("ERR_1234")) == [FLAKY]


def test_an_empty_query_lists_newest_first(shop: Repo) -> None:
    """And the oldest first on request."""
    newest = _titles(shop.tr.recall())

    assert newest == [
        FLAKY,
        RETRIES,
        WAL,
    ]
    assert _titles(shop.tr.recall(order="oldest")) == newest[::-1]


def test_memories_of_one_second_are_listed_as_they_were_made(repo: Repo) -> None:
    """Dates are kept to the second; agents are faster."""
    tr = Treering.open(repo.path, clock=lambda: 1_770_000_000.0)
    titles = [f"thought {n}" for n in range(12)]
    for title in titles:
        tr.remember(title)

    assert _titles(tr.recall(limit=5)) == titles[:-6:-1]
    assert _titles(tr.recall(order="oldest")) == titles


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"type": "decisions"}, {WAL}),
        ({"tags": ["perf"]}, {WAL, FLAKY}),
        ({"tags": ["perf", "db"]}, {WAL}),
        ({"topic": "backend"}, {WAL, RETRIES}),
        ({"topic": "back"}, set()),
        ({"min_confidence": 0.5, "max_confidence": 0.8}, {RETRIES}),
        ({"agent": "codex"}, {FLAKY}),
        ({"author": "lovelace", "type": "issue"}, {FLAKY}),
        ({"query": "type:decision"}, {WAL}),
        ({"query": "tag:perf -tag:db"}, {FLAKY}),
        ({"query": "topic:backend/db"}, {WAL}),
        ({"query": "title:retries"}, {RETRIES}),
        ({"query": "confidence>0.8"}, {WAL}),
        ({"query": "ns:pattern"}, {RETRIES}),
        ({"query": "since:1h type:issue"}, {FLAKY}),
        ({"query": "until:2026-01-01"}, set()),
    ],
)  # fmt: skip
def test_filters_work_as_options_and_in_the_text(shop: Repo, options, found: set[str]) -> None:
    """The same words in both."""
    assert set(_titles(shop.tr.recall(**options))) == found


def test_orders_by_confidence(shop: Repo) -> None:
    """Highest first, or what needs a look first."""
    assert [r.confidence for r in shop.tr.recall(order="confidence").results] == [0.9, 0.6, 0.4]
    assert [r.confidence for r in shop.tr.recall(order="uncertain").results] == [0.4, 0.6, 0.9]


@pytest.mark.parametrize(
    "bad",
    [{"type": "nonsense"}, {"order": "best"}, {"mode": "magic"}, {"detail": "huge"},
     {"scope": "galaxy"}, {"since": "soon"}, {"cursor": "made-up"}, {"cursor": "0123456789ab.0"},
     {"limit": -1}, {"expand": 4}, {"min_confidence": 2}, {"query": "type:nonsense"}],
)  # fmt: skip
def test_bad_options_are_invalid(shop: Repo, bad: dict[str, object]) -> None:
    """Never a silently different answer."""
    with pytest.raises(Invalid):
        shop.tr.recall(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query",
    ['"unbalanced', "***", "(((", "a AND OR NOT", "x" * 12_000, "\x00\x07", "the of and", "-", ":",
     "type:", "\U0001f389"],
)  # fmt: skip
def test_any_query_gets_an_answer(shop: Repo, query: str) -> None:
    """People and agents type anything."""
    assert shop.tr.recall(query).total >= 0


def test_details_come_in_three_sizes(shop: Repo) -> None:
    """Light for lists, full for reading."""
    light = shop.tr.recall("WAL", detail="light").results[0]
    full = shop.tr.recall("WAL", detail="full").results[0]

    assert (light.snippet, light.content) == (None, None)
    assert full.content == "Use WAL mode for SQLite\n\nReaders never block writers."
    assert full.details == {}


def test_a_branch_recalls_its_own_and_the_trunks(shop: Repo) -> None:
    """With the layer each came from, and a count of what other branches know."""
    shop.switch("feature", create=True)
    shop.tr.remember("WAL needs a checkpoint thread", type="insight")

    here = shop.tr.recall("WAL")
    there = shop.tr.recall("WAL", branch="main")

    assert {(r.branch, r.layer) for r in here.results} == {("feature", "branch"), ("main", "trunk")}
    assert here.layers == ("feature", "main")
    assert _titles(there) == [WAL]
    assert there.withheld["other_branches"] == 1
    assert _titles(shop.tr.recall("WAL branch:main")) == _titles(there)
    with pytest.raises(BranchNotFound):
        shop.tr.recall("WAL", branch="never")


def test_every_branch_is_searched_on_request(shop: Repo) -> None:
    """And each hit says where it is from."""
    shop.git("branch", "one")
    shop.tr.remember("WAL on one", branch="one")

    answer = shop.tr.recall("WAL", scope="all")

    assert {(r.title, r.branch) for r in answer.results} == {
        ("WAL on one", "one"), (WAL, "main"),
    }  # fmt: skip
    assert _titles(shop.tr.recall("WAL", scope="trunk")) == [WAL]


def test_of_copies_in_several_scopes_the_one_of_the_branch_or_the_trunk_is_shown(
    repo: Repo,
) -> None:
    repo.switch("feat", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")
    repo.switch("main")
    repo.tr.promote("feat")

    (seen,) = repo.tr.recall("Redis", scope="all").results
    assert (seen.branch, seen.layer) == ("main", "trunk")


def test_what_is_replaced_or_forgotten_is_withheld_and_counted(shop: Repo) -> None:
    """Only what would have matched."""
    old = shop.tr.recall("WAL").results[0]
    shop.tr.remember("Use WAL2 mode", type="decision", supersedes=old.id)
    gone = shop.tr.recall("flaky").results[0]
    shop.tr.forget([gone.id])

    answer = shop.tr.recall("mode")

    assert _titles(answer) == ["Use WAL2 mode"]
    counts = {"superseded": 1, "deleted": 0, "other_branches": 0, "trash": 0, "records": 0}
    assert answer.withheld == counts
    assert _titles(shop.tr.recall("mode", status="superseded")) == [WAL]
    assert _titles(shop.tr.recall(status="deleted")) == [FLAKY]


def test_a_change_is_seen_at_once(shop: Repo) -> None:
    """Our own, another process's, or git's."""
    server = shop.tr
    assert _titles(server.recall("kubernetes")) == []

    other = Treering.open(shop.path, clock=shop.clock).remember("Deploy with Kubernetes")
    assert _titles(server.recall("kubernetes")) == ["Deploy with Kubernetes"]

    shop.git("update-ref", "refs/treering/heads/main", "refs/treering/heads/main~1")
    assert _titles(server.recall("kubernetes")) == []
    server.remember("Deploy with Kubernetes")
    server.revise(other.id, content="Deploy with Nomad")
    assert _titles(server.recall("nomad")) == ["Deploy with Nomad"]
    assert _titles(server.recall("kubernetes")) == []


@pytest.mark.parametrize("damage", ["delete", "zero", "garbage", "file"])
def test_a_damaged_index_is_rebuilt_unnoticed(shop: Repo, damage: str) -> None:
    """Derived state is tested by destroying it."""
    before = _titles(shop.tr.recall("flaky checkout"))
    index = _index(shop)
    if damage in ("delete", "file"):
        shutil.rmtree(index)
        if damage == "file":
            index.write_text("not a folder", encoding="utf-8")
    else:
        for file in index.rglob("*"):
            if file.is_file():
                file.write_bytes(b"" if damage == "zero" else b"\x80garbage" * 50)

    assert _titles(shop.tr.recall("flaky checkout")) == before == [FLAKY]
    assert _titles(shop.tr.recall("flaky checkout")) == before


def test_a_cursor_covers_everything_once_while_memories_are_added(repo: Repo) -> None:
    """Scores and listings move; what was there at the first page comes exactly once."""
    for n in range(23):
        repo.tr.remember(f"note {n} on caching")
    server = repo.tr
    for query in ("caching", ""):
        first = server.recall(query, limit=5)
        seen, cursor = [r.id for r in first.results], first.cursor
        while cursor:
            repo.tr.remember(f"another note {len(seen)} on caching {query}")
            page = server.recall(query, limit=5, cursor=cursor)
            assert page.total == first.total
            seen += [r.id for r in page.results]
            cursor = page.cursor

        assert len(seen) == len(set(seen)) == first.total


def test_a_cursor_belongs_to_its_question(shop: Repo) -> None:
    """Another question's cursor would skip what nobody has seen."""
    server = shop.tr
    cursor = server.recall(limit=1).cursor

    assert server.recall(limit=1, cursor=cursor).results
    with pytest.raises(Invalid):
        server.recall("WAL", limit=1, cursor=cursor)


def test_a_cursor_outlives_the_command_that_gave_it(shop: Repo) -> None:
    """Each command is a process of its own."""
    first = shop.json("recall", "--limit", "2")
    second = shop.json("recall", "--limit", "2", "--cursor", first["cursor"])

    assert first["total"] == second["total"] == 3
    assert {r["title"] for r in first["results"] + second["results"]} == {WAL, RETRIES, FLAKY}
    assert second["cursor"] == ""
    assert shop.error("recall", "wal", "--cursor", first["cursor"])["code"] == "invalid"


def test_links_are_followed_on_request(shop: Repo) -> None:
    """Hops and relations can be chosen."""
    wal = shop.tr.recall("WAL").results[0]
    pool = shop.tr.remember("Pool size is 8", links=[f"depends_on:{wal.id}"])
    shop.tr.remember("Dashboards", links=[f"mentions:{pool.id}"])

    one = shop.tr.recall("pool size", expand=1)
    two = shop.tr.recall("readers never block writers", expand=2, relation=["depends_on"])

    assert set(_titles(one)) == {"Pool size is 8", WAL, "Dashboards"}
    linked = next(r for r in one.results if r.title == WAL)
    assert (linked.why, linked.via) == (("linked:depends_on",), pool.id)
    assert "Pool size is 8" in _titles(two)
    assert "Dashboards" not in _titles(two)


def test_the_evolution_of_a_topic_is_one_call(repo: Repo) -> None:
    """Topic, relation supersedes, oldest first."""
    first = repo.tr.remember("Use MySQL", type="decision", topic="db")
    second = repo.tr.remember("Use Postgres", type="decision", topic="db", supersedes=first.id)
    repo.tr.remember("Use SQLite", type="decision", topic="db", supersedes=second.id)

    answer = repo.tr.recall(topic="db", relation=["supersedes"], expand=3, order="oldest")

    assert _titles(answer) == ["Use MySQL", "Use Postgres", "Use SQLite"]


def test_recall_as_of_a_commit_or_date(shop: Repo) -> None:
    """What did we know then?"""
    released = shop.commit_file("release.txt")
    shop.now += 86400
    shop.tr.remember("WAL is off again", type="decision")

    assert _titles(shop.tr.recall("WAL", at=released)) == [WAL]
    assert _titles(shop.tr.recall("WAL", at="2026-02-02")) == [WAL]
    assert shop.tr.recall(at="2026-01-01").total == 0


def test_hits_say_whether_their_files_changed(shop: Repo) -> None:
    """Stale memories are marked, not hidden."""
    shop.commit_file("src/pool.py", "one\n")
    shop.tr.remember("Pool size is 8", files=["src/pool.py"])
    fresh = shop.tr.recall("pool").results[0].stale
    shop.commit_file("src/pool.py", "two\n")

    stale = shop.tr.recall("file:src/pool.py").results[0].stale

    assert fresh is not None
    assert stale is not None
    assert (fresh.state, stale.state, stale.files[0].path) == ("fresh", "changed", "src/pool.py")


def test_a_misspelt_word_is_guessed(shop: Repo) -> None:
    """And `why` says so."""
    answer = shop.tr.recall("exponentail")

    assert _titles(answer) == [RETRIES]
    assert "spelling" in answer.results[0].why


def test_private_memories_are_recalled_and_marked(shop: Repo) -> None:
    """Here, and nowhere else."""
    shop.tr.remember("WAL surprises me", private=True)

    marks = {r.title: (r.private, r.layer) for r in shop.tr.recall("WAL").results}

    assert marks["WAL surprises me"] == (True, "private_trunk")
    assert marks[WAL] == (False, "trunk")


def test_reindex_counts(shop: Repo) -> None:
    """What no scope holds any more goes."""
    memory = shop.tr.recall("WAL").results[0]
    shop.tr.revise(memory.id, title="changed")
    shop.tr.recall()

    answer = shop.tr.reindex()

    assert (answer.indexed, answer.removed) == (3, 1)
    assert shop.tr.status()["index"] == {"documents": 3, "fresh": True}


def test_without_a_model_hybrid_is_text_and_says_so(shop: Repo) -> None:
    """Nothing pretends."""
    shop.git("config", "treering.semantic", "off")

    answer = shop.tr.recall("WAL", mode="hybrid")

    assert answer.mode == "text"
    assert answer.notes
