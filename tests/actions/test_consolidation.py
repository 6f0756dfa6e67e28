"""dedupe, merge, summarize, enrich: found by the index, written by a reader, nothing lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from treering.errors import BlockedSecret, Invalid, NeedsModel
from treering.text.values import jsonable

POSTGRES = "Use PostgreSQL for primary storage because of JSONB support"


def maintain(repo: Repo, op: str, **given: Any) -> dict[str, Any]:
    answer: dict[str, Any] = jsonable(repo.tr.maintain(op, **given))
    return answer


# --- dedupe --------------------------------------------------------------------------------------


def test_copies_are_found_and_nothing_is_touched(repo: Repo) -> None:
    """The answer says which copy would stay and what to call."""
    first = repo.tr.remember(POSTGRES, type="decision")
    second = repo.tr.remember(POSTGRES.replace(" ", "  "), type="decision")
    repo.tr.remember("Retries use a back-off with jitter", type="pattern")
    before = repo.refs()

    answer = maintain(repo, "dedupe")

    (group,) = answer["groups"]
    assert (answer["op"], answer["dry_run"], answer["total"]) == ("dedupe", True, 1)
    assert (group["ids"], group["score"], group["exact"]) == ([first.id, second.id], 1.0, True)
    assert group["keep"] == first.id
    assert "maintain dedupe" in group["next"]
    assert repo.refs() == before


def test_copies_go_in_one_commit_and_their_links_follow(repo: Repo) -> None:
    """Nothing a copy added is lost: tags, files, links out, links in."""
    target = repo.tr.remember("The storage module wraps the driver", type="component")
    first = repo.tr.remember(POSTGRES, type="decision", tags=["db"], confidence=0.9)
    copy = repo.tr.remember(
        POSTGRES, type="insight", tags=["DB", "storage"], topic="backend",
        links=[f"affects:{target.id}"], files=["README.md"],
    )  # fmt: skip
    linking = repo.tr.remember(
        "Migrations run at start", type="pattern", links=[f"depends_on:{copy.id}"]
    )
    commits = repo.git("rev-list", "--count", "refs/treering/heads/main")

    answer = maintain(repo, "dedupe", dry_run=False)

    kept = repo.tr.read(first.id)
    assert (answer["removed"], answer["links_moved"]) == ([copy.id], 1)
    assert (kept.tags, kept.topic, kept.confidence) == (("db", "storage"), "backend", 0.9)
    assert {(n.direction, n.relation, n.id) for n in kept.links} == {
        ("out", "affects", target.id),
        ("in", "depends_on", linking.id),
    }
    assert [file.path for file in kept.stale.files] == ["README.md"]
    assert repo.tr.read(copy.id).status == "deleted"
    assert int(repo.git("rev-list", "--count", "refs/treering/heads/main")) == int(commits) + 1
    assert repo.json("log")["entries"][0]["op"] == "dedupe"
    assert repo.tr.forget([copy.id], restore=True).restored == (copy.id,)


def test_alike_is_shown_and_never_removed(repo: Repo) -> None:
    """Texts that mostly agree may differ in the word that matters."""
    one = repo.tr.remember("The session timeout of the gateway is set to 30 seconds", type="config")
    two = repo.tr.remember("The session timeout of the gateway is set to 60 seconds", type="config")

    answer = maintain(repo, "dedupe", dry_run=False)

    (group,) = answer["groups"]
    assert (group["exact"], set(group["ids"]), answer["removed"]) == (False, {one.id, two.id}, [])
    assert 0.8 <= group["score"] < 1
    assert "maintain merge" in group["next"]
    assert repo.tr.recall("timeout").total == 2
    assert maintain(repo, "dedupe", threshold=0.99)["groups"] == []


def test_a_copy_of_another_type_hides_nothing_that_is_alike(repo: Repo) -> None:
    """Whichever of the copies is older, what is like the one that stays is shown beside it."""
    other = repo.tr.remember(POSTGRES, type="insight")
    kept = repo.tr.remember(POSTGRES, type="decision", confidence=0.9)
    alike = repo.tr.remember(f"Always {POSTGRES}", type="decision")

    copies, near = maintain(repo, "dedupe")["groups"]

    assert (copies["exact"], copies["ids"]) == (True, [kept.id, other.id])
    assert (near["exact"], near["ids"]) == (False, [kept.id, alike.id])


def test_the_copy_others_see_is_kept(repo: Repo) -> None:
    """The trunk's before the branch's, the shared before the private."""
    on_trunk = repo.tr.remember(POSTGRES, type="decision")
    repo.switch("feature", create=True)
    on_branch = repo.tr.remember(POSTGRES, type="insight")
    hidden = repo.tr.remember(POSTGRES, type="context", private=True, tags=["secret-project"])

    answer = maintain(repo, "dedupe", dry_run=False)

    assert set(answer["removed"]) == {on_branch.id, hidden.id}
    assert repo.tr.read(on_trunk.id).tags == ()  # what is private adds nothing to what is shared
    assert repo.tr.read(on_trunk.id, branch="main").status == "active"


def test_captured_memories_are_no_copies(repo: Repo) -> None:
    """Two commits with one message are two commits."""
    for n in range(2):
        repo.tr.remember(f"Fix typo{' ' * n}\nin the manual", type="commit")

    assert maintain(repo, "dedupe")["groups"] == []


def test_forgotten_and_superseded_memories_are_left_alone(repo: Repo) -> None:
    """They no longer say anything."""
    old = repo.tr.remember(POSTGRES, type="decision")
    gone = repo.tr.remember(POSTGRES, type="insight")
    repo.tr.remember(f"{POSTGRES} and more", type="decision", supersedes=old.id)
    repo.tr.forget([gone.id])

    assert maintain(repo, "dedupe")["groups"] == []


def test_many_memories_are_not_compared_each_with_each(repo: Repo, tmp_path: Path) -> None:
    """Candidates come from the index: a thousand unlike texts cost few comparisons."""
    import treering.actions.tidying as choice

    words = [f"w{n}x" for n in range(500)]
    lines = [
        json.dumps({"type": "insight", "content": " ".join(words[n % 83 :: 83 - n % 7])})
        for n in range(300)
    ]
    lines += [
        json.dumps({"type": "insight", "content": f"{POSTGRES} {end}"}) for end in ("a1", "b1")
    ]
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    repo.tr.import_path(file)
    compared = 0
    shared = choice.share_of_terms

    def counted(one: str, other: str) -> float:
        nonlocal compared
        compared += 1
        return shared(one, other)

    choice.share_of_terms = counted
    try:
        groups = maintain(repo, "dedupe", query="PostgreSQL", threshold=0.7)["groups"]
        maintain(repo, "dedupe")
    finally:
        choice.share_of_terms = shared

    assert [len(group["ids"]) for group in groups] == [2]
    assert compared < 300 * 299 / 2 / 10


# --- merge ---------------------------------------------------------------------------------------


def test_merging_shows_the_texts_to_whoever_writes(repo: Repo) -> None:
    """With ids the answer holds what is needed to write, and how to hand it in."""
    one = repo.tr.remember("Use PostgreSQL for storage", type="decision")
    two = repo.tr.remember("We store JSON in PostgreSQL", type="decision")

    answer = maintain(repo, "merge", ids=[one.id, two.id])

    (group,) = answer["groups"]
    assert (answer["dry_run"], group["ids"], group["exact"]) == (True, [one.id, two.id], False)
    assert [m["content"] for m in group["memories"]] == [
        "Use PostgreSQL for storage", "We store JSON in PostgreSQL",
    ]  # fmt: skip
    assert f"--ids {one.id} --ids {two.id}" in group["next"]


def test_a_merge_is_one_new_memory_that_supersedes_the_old(repo: Repo) -> None:
    """Links follow, the past stays readable."""
    user = repo.tr.remember("The report service", type="component")
    one = repo.tr.remember("Use PostgreSQL", type="decision", tags=["db"], topic="backend/db")
    two = repo.tr.remember(
        "Store JSON in PostgreSQL", type="decision", tags=["json"], topic="backend/storage",
        confidence=0.6, links=[f"affects:{user.id}"],
    )  # fmt: skip
    linking = repo.tr.remember("Back-ups", type="pattern", links=[f"uses:{one.id}"])

    shown = maintain(repo, "merge", ids=[one.id, two.id], content="PostgreSQL, JSONB included")
    answer = maintain(
        repo, "merge", ids=[one.id, two.id], content="PostgreSQL, JSONB included", dry_run=False
    )

    (merged,) = answer["merged"]
    new = repo.tr.read(merged["id"])
    assert shown["groups"][0]["would"] == {
        "title": "PostgreSQL, JSONB included", "type": "decision", "tags": ["db", "json"],
        "supersede": [one.id, two.id],
    }  # fmt: skip
    assert (merged["superseded"], merged["links_moved"]) == ([one.id, two.id], 1)
    assert (new.type, new.tags, new.topic, new.confidence) == (
        "decision", ("db", "json"), "backend", 0.6,
    )  # fmt: skip
    assert {(n.direction, n.relation, n.id) for n in new.links} == {
        ("out", "supersedes", one.id),
        ("out", "supersedes", two.id),
        ("out", "affects", user.id),
        ("in", "uses", linking.id),
    }
    assert repo.tr.read(one.id).status == "superseded"
    assert repo.tr.read(one.id).details["superseded_by"] == merged["id"]
    assert [r.id for r in repo.tr.recall("PostgreSQL").results] == [merged["id"]]


def test_the_text_of_one_of_them_keeps_that_one(repo: Repo) -> None:
    """Whoever finds nothing to add to the oldest says so by its own words."""
    one = repo.tr.remember("Use PostgreSQL", type="decision", title="Storage")
    two = repo.tr.remember("Use Postgres", type="decision", tags=["db"])

    answer = maintain(repo, "merge", ids=[one.id, two.id], content="Use PostgreSQL", dry_run=False)

    assert answer["merged"][0]["id"] == one.id
    assert answer["merged"][0]["superseded"] == [two.id]
    kept = repo.tr.read(one.id)
    assert (kept.status, kept.title, kept.tags) == ("active", "Storage", ("db",))


def test_without_a_text_nobody_pretends(repo: Repo) -> None:
    """The error says what is missing, and nothing was written."""
    one = repo.tr.remember("Use PostgreSQL", type="decision")
    two = repo.tr.remember("Use Postgres", type="decision")
    before = repo.refs()

    error = repo.error("maintain", "merge", "--id", one.id, "--id", two.id, "--apply")

    assert error["code"] == "needs_model"
    assert "content" in error["hint"]
    assert repo.error("maintain", "summarize", "--query", "Use", "--apply")["code"] == "needs_model"
    assert repo.refs() == before


def test_merging_is_asked_for_precisely(repo: Repo) -> None:
    """One memory, no memory, or private beside shared: none of them can be merged."""
    one = repo.tr.remember("shared", type="insight")
    own = repo.tr.remember("private", type="insight", private=True)

    for ids in ([one.id], [one.id, own.id], []):
        with pytest.raises(Invalid):
            repo.tr.maintain("merge", ids=ids, content="text", dry_run=False)
    two = repo.tr.remember("another", type="insight")
    with pytest.raises(BlockedSecret):
        repo.tr.maintain(
            "merge", ids=[one.id, two.id], content=f"key AKIA{'Z7Q4' * 4}", dry_run=False
        )


# --- summarize -----------------------------------------------------------------------------------


def test_topics_with_several_memories_are_offered(repo: Repo) -> None:
    """By topic, else by tag; a summary of all of them ends the matter."""
    ids = [
        repo.tr.remember(f"{word} is checked first", type="pattern", topic="auth/tokens").id
        for word in ("Signature", "Issuer", "Expiry")
    ]
    for word in ("small", "large", "odd"):
        repo.tr.remember(f"Keep {word} files apart", type="convention", tags=["files"])
    repo.tr.remember("alone", type="insight", topic="misc")

    offered = maintain(repo, "summarize")
    answer = maintain(
        repo, "summarize", ids=ids, content="How tokens are checked: in order.", dry_run=False
    )

    assert [(g["about"], len(g["ids"])) for g in offered["groups"]] == [
        ("tag:files", 3), ("topic:auth/tokens", 3),
    ]  # fmt: skip
    (summary,) = answer["summaries"]
    new = repo.tr.read(summary["id"])
    assert (new.type, new.topic, summary["derived_from"]) == ("context", "auth/tokens", ids)
    assert {(n.relation, n.id) for n in new.links} == {("derived_from", mid) for mid in ids}
    assert repo.tr.read(ids[0]).status == "active"
    assert [g["about"] for g in maintain(repo, "summarize")["groups"]] == ["tag:files"]


def test_a_summary_of_something_private_is_private(repo: Repo) -> None:
    """Nothing that was private is pushed in other words."""
    one = repo.tr.remember("shared", type="insight")
    own = repo.tr.remember("own", type="insight", private=True)

    answer = maintain(
        repo, "summarize", ids=[one.id, own.id], content="Both in short", dry_run=False
    )

    assert repo.tr.read(answer["summaries"][0]["id"]).private


def test_what_a_query_finds_is_one_group(repo: Repo) -> None:
    """A question is a subject, too."""
    repo.tr.remember("Retry with jitter", type="pattern")
    repo.tr.remember("Retry at most three times", type="pattern")
    repo.tr.remember("Unrelated", type="pattern")

    (group,) = maintain(repo, "summarize", query="retry")["groups"]

    assert (len(group["ids"]), group["about"]) == (2, "retry")
    assert len(group["memories"]) == 2
    with pytest.raises(Invalid):
        repo.tr.maintain("summarize", content="of nothing", dry_run=False)


# --- enrich --------------------------------------------------------------------------------------


def test_words_suggest_tags_files_and_a_topic(repo: Repo) -> None:
    """From the text, from tags in use, from neighbours, from the code."""
    for text in ("Storage uses connection pooling", "Storage retries on a lost connection"):
        repo.tr.remember(text, type="pattern", tags=["storage"], topic="backend/db")
    bare = repo.tr.remember(
        "Use PostgreSQL as storage because of JSONB support, README.md says how; nowhere.md is not "
        "there and this first line runs on and on",
        type="decision",
    )
    before = repo.refs()

    (memory,) = maintain(repo, "enrich", ids=[bare.id])["memories"]

    assert memory["suggest"] == {
        "tags_add": ["storage", "postgresql", "jsonb"],
        "title": "Use PostgreSQL as storage because of JSONB support, README.md says how",
        "topic": "backend/db",
        "files": ["README.md"],
    }
    assert repo.refs() == before


def test_suggestions_are_taken_over(repo: Repo) -> None:
    """By rules what rules can do; the rest is named."""
    bare = repo.tr.remember("Use PostgreSQL", type="decision")

    (memory,) = maintain(repo, "enrich", dry_run=False)["memories"]

    assert (memory["id"], memory["changed"]) == (bare.id, ["tags"])
    assert memory["needs_model"] == ["context"]
    assert repo.tr.read(bare.id).tags == ("postgresql",)
    assert repo.tr.read(bare.id).version == memory["version"]
    with pytest.raises(NeedsModel):
        repo.tr.maintain("enrich", ids=[bare.id], dry_run=False)


def test_a_better_text_is_handed_in(repo: Repo) -> None:
    """The id stays, the old text stays in history."""
    bare = repo.tr.remember("pg good", type="decision")

    answer = maintain(
        repo, "enrich", ids=[bare.id], content="PostgreSQL\n\nIt has JSONB.", dry_run=False
    )

    assert set(answer["memories"][0]["changed"]) == {"content", "title"}
    read = repo.tr.read(bare.id, history=True)
    assert (read.title, read.content) == ("PostgreSQL", "PostgreSQL\n\nIt has JSONB.")
    assert [event.op for event in read.history] == ["enrich", "remember"]
