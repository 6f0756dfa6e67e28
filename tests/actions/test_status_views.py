"""status, looked at from each side."""

import pytest

from conftest import Repo

VERBS = {
    "remember", "recall", "read", "revise", "forget", "link", "graph", "entities", "checkpoint",
    "context", "prompts", "status", "maintain",
}  # fmt: skip


@pytest.fixture
def filled(repo: Repo) -> Repo:
    tr = repo.tr
    tr.remember("a", type="decision", topic="backend/db/wal", tags=["db"], confidence=0.9,
                files=["src/db/wal.py", "src/db/pool.py"])  # fmt: skip
    tr.remember("b", type="decision", topic="backend/db", tags=["db", "io"], confidence=0.3,
                files=["src/db/wal.py"])  # fmt: skip
    tr.remember("c", type="insight", topic="backend", files=["README.md"])
    tr.remember("d", type="insight", confidence=0.6)
    tr.remember("e", type="insight", topic="frontend/css/grid/rows")
    return repo


def test_topics_are_areas_topics_and_subtopics(filled: Repo) -> None:
    """With buckets for what has fewer levels, and the rest joined where it has more."""
    answer = filled.tr.status(view="topics")

    assert answer["areas"] == [
        {"area": "(none)", "count": 1, "topics": [
            {"topic": "(general)", "count": 1,
             "subtopics": [{"subtopic": "(general)", "count": 1}]}]},
        {"area": "backend", "count": 3, "topics": [
            {"topic": "(general)", "count": 1,
             "subtopics": [{"subtopic": "(general)", "count": 1}]},
            {"topic": "db", "count": 2, "subtopics": [
                {"subtopic": "(general)", "count": 1}, {"subtopic": "wal", "count": 1}]}]},
        {"area": "frontend", "count": 1, "topics": [
            {"topic": "css", "count": 1,
             "subtopics": [{"subtopic": "grid/rows", "count": 1}]}]},
    ]  # fmt: skip
    assert answer["recent"] == ["frontend/css/grid/rows", "backend", "backend/db", "backend/db/wal"]
    assert answer["confidence"] == {"low": 1, "medium": 1, "high": 3}
    backend = next(item for item in answer["topics"] if item["topic"] == "backend")
    assert (backend["count"], backend["confidence"]) == (3, [0.3, 0.9])


def test_types_tell_what_they_mean(filled: Repo) -> None:
    """Description, signal words and how many there are."""
    types = {item["type"]: item for item in filled.tr.status(view="types")["types"]}

    assert len(types) == 20
    assert types["decision"]["count"] == 2
    assert "decided" in types["decision"]["signal_words"]
    assert types["decision"]["description"] == "A choice that was made, and why."


def test_types_are_counted_the_most_frequent_first_and_equal_ones_by_name(filled: Repo) -> None:
    filled.tr.remember("f", type="convention")
    filled.tr.remember("g", type="api")

    by_type = filled.tr.status()["memories"]["by_type"]

    assert [*by_type.items()] == [("insight", 3), ("decision", 2), ("api", 1), ("convention", 1)]


def test_files_are_a_tree(filled: Repo) -> None:
    """Folders count what is named in them."""
    assert filled.tr.status(view="files")["tree"] == [
        {"name": "src", "count": 3, "children": [
            {"name": "db", "count": 3, "children": [
                {"name": "pool.py", "count": 1}, {"name": "wal.py", "count": 2}]}]},
        {"name": "README.md", "count": 1},
    ]  # fmt: skip


def test_health_names_every_verb(filled: Repo) -> None:
    """And what was written, what waits, and which model searches."""
    health = filled.tr.status(view="health")

    assert set(health["tools"]["available"]) == VERBS
    assert (health["tools"]["unavailable"], health["tools"]["total"]) == ([], 13)
    assert health["events"]["total"] == 5
    assert health["journal"]["pending"] == 0
    assert health["index"]["documents"] == 0  # status of health builds nothing
    assert {"setting", "model"} <= health["semantic"].keys()


def test_a_repository_that_cannot_be_written_says_which_verbs_are_left(
    filled: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent can then ask for what works. Root may write everywhere, so the look is replaced."""
    monkeypatch.setattr("treering.actions.status.os.access", lambda *_: False)

    tools = filled.tr.status(view="health")["tools"]

    assert "recall" in tools["available"]
    assert "remember" in {item["tool"] for item in tools["unavailable"]}
    assert len(tools["available"]) + len(tools["unavailable"]) == 13


def test_forgotten_memories_are_in_no_view(filled: Repo) -> None:
    """Counted once, in the summary's by_status."""
    for result in filled.tr.recall(type="decision").results:
        filled.tr.forget([result.id])

    assert filled.tr.status(view="tags") == {"tags": []}
    assert [f["path"] for f in filled.tr.status(view="files")["files"]] == ["README.md"]


@pytest.mark.parametrize(
    ("view", "lines"),
    [
        ("types", ["decision    2  A choice that was made, and why."]),
        ("topics", ["backend     3  0.30-0.90", "  db        2  0.30-0.90"]),
        ("tags", ["db  2", "io  1"]),
        ("files", ["src/         3", "  db/        3", "    wal.py   2", "README.md    1"]),
        ("branches", ["main  5  live"]),
        ("outputs", ["Nothing yet."]),
        ("summary", ["On main (trunk: main): 5 memories visible, 5 stored in all branches"]),
    ],
)
def test_views_are_aligned_tables(filled: Repo, view: str, lines: list[str]) -> None:
    """For people."""
    text = filled.cli("status", "--view", view).stdout.splitlines()

    for line in lines:
        assert line in text


def test_health_is_a_few_lines(filled: Repo) -> None:
    """One a subject."""
    text = filled.cli("status", "--view", "health").stdout

    assert "unavailable 0" in text
    assert text.splitlines()[0].startswith("index ")
