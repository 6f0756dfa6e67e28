"""Links inferred: at capture, for what was there before, and pruned when outlived."""

import json

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.remember import Remembered
from treering.git import lock


def _linked(answer: Remembered) -> list[tuple[str, str, str]]:
    return [(ln["relation"], ln["target"], ln["by"]) for ln in answer.links]


# --- at capture ----------------------------------------------------------------------------------


def test_a_dependency_named_by_its_title_is_linked(repo: Repo) -> None:
    """In the commit of the memory itself, with a reason, and seen by everyone who reads it."""
    store = repo.tr.remember("Session store", type="component")

    answer = repo.tr.remember("Login page\n\nIt depends on the session store.", type="component")

    assert _linked(answer) == [("depends_on", store.id, "system")]
    assert "Session store" in answer.links[0]["reason"]
    assert answer.links[0]["confidence"] >= 0.8
    (link,) = repo.tr.read(answer.id).links
    assert (link.id, link.by, link.reason) == (store.id, "system", answer.links[0]["reason"])
    assert repo.git("rev-list", "--count", "refs/treering/heads/main") == "2"


def test_half_of_the_files_in_common_is_a_link_and_less_a_suggestion(repo: Repo) -> None:
    """One file of many says little."""
    one = repo.tr.remember("Alpha", files=["a.py", "b.py"], type="insight")

    half = repo.tr.remember("Beta", files=["b.py", "c.py"], type="insight")
    less = repo.tr.remember("Gamma", files=["a.py", "x.py", "y.py", "z.py"], type="insight")

    assert _linked(half) == [("relates_to", one.id, "system")]
    assert half.links[0]["confidence"] == 0.8
    assert "b.py" in half.links[0]["reason"]
    assert _linked(less) == []
    (suggested,) = less.suggested_links
    assert (suggested.relation, suggested.target) == ("relates_to", one.id)
    assert suggested.confidence < 0.8
    assert "a.py" in suggested.reason


def test_a_file_that_everyone_names_links_nobody(repo: Repo) -> None:
    """Else every memory of a small project hangs together."""
    for number in range(14):
        repo.tr.remember(f"Thought {number} about birds", files=["README.md"], type="insight")

    answer = repo.tr.remember("Something else", files=["README.md"], type="insight")

    assert answer.links == ()


def test_at_most_five_links_and_suggestions_together(repo: Repo) -> None:
    """An answer stays short, and a memory's links stay worth following."""
    for word in ("one", "two", "three", "four", "five", "six", "seven"):
        repo.tr.remember(f"Number {word}", files=["a.py"], type="insight")

    answer = repo.tr.remember("Another", files=["a.py"], type="insight")

    assert len(answer.links) == 5
    assert answer.suggested_links == ()


def test_session_decision_and_supersession(repo: Repo) -> None:
    """The other certain rules, through the door."""
    session = repo.tr.remember("Outage of the 4th", type="session", session="s1")
    member = repo.tr.remember("Retry three times", type="decision", session="s1")
    newer = repo.tr.remember(
        "Retry five times\n\nThis replaces the earlier decision.", type="decision"
    )
    part = repo.tr.remember("Client\n\nImplements retry five times.", type="component")

    assert ("part_of", session.id, "system") in _linked(member)
    assert ("supersedes", member.id, "system") in _linked(newer)
    assert ("implements", newer.id, "system") in _linked(part)
    assert repo.tr.read(member.id).status == "active"


def test_what_is_alike_is_suggested_and_never_linked(repo: Repo) -> None:
    """Titles, tags and time; of 462 automatic links by likeness elsewhere, 56 were of use."""
    one = repo.tr.remember("Slow login on Mondays", type="issue", tags=["auth", "speed"])

    answer = repo.tr.remember("Slow login on Fridays", type="issue", tags=["auth", "speed"])

    assert answer.links == ()
    assert [s.target for s in answer.suggested_links] == [one.id]


def test_near_duplicates_are_named(repo: Repo) -> None:
    """Of any type, with a score; never the memory itself, never a forgotten one."""
    text = "Use write-ahead logging for the store, so that readers never wait for the writer"
    one = repo.tr.remember(text, type="decision")

    answer = repo.tr.remember(text + " at all", type="insight")

    assert [(s.id, s.title) for s in answer.similar] == [(one.id, text)]
    assert 0.8 <= answer.similar[0].score <= 1
    repo.tr.forget([one.id, answer.id])
    assert repo.tr.remember(text + ", ever", type="pattern").similar == ()


def test_what_failed_before_is_a_warning(repo: Repo) -> None:
    """The outcome may have come later than the decision."""
    one = repo.tr.remember("Use MongoDB for sessions", type="decision")
    repo.tr.revise(one.id, outcome="failed", reason="lost writes")

    answer = repo.tr.remember("Use MongoDB for user sessions", type="decision")
    said = repo.cli("remember", "Use MongoDB for all sessions", "-t", "decision").stdout

    (warning,) = answer.warnings or ()
    assert one.id in warning
    assert "failed" in warning
    assert "warning: A similar decision failed before" in said


def test_only_what_is_visible_counts(repo: Repo) -> None:
    """The table of clues knows every branch; an answer knows only this one."""
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.tr.remember("Session store", type="component", files=["s.py"])
    repo.switch("main")

    answer = repo.tr.remember("Login uses Session store", type="component", files=["s.py"])

    assert (answer.links, answer.suggested_links, answer.similar) == ((), (), ())


def test_an_old_version_does_not_count(repo: Repo) -> None:
    """Revised elsewhere, by a program that knows nothing of the table."""
    one = repo.tr.remember("Session store", type="component")
    repo.tr.revise(one.id, title="Something else entirely", content="Other words")

    answer = repo.tr.remember("Login page\n\nIt uses Session store.", type="component")

    assert answer.links == ()


def test_a_shared_memory_never_tells_of_a_private_one(repo: Repo) -> None:
    """A link's reason may hold the other's title, and links are pushed."""
    secret = repo.tr.remember("Takeover plan", type="component", private=True)

    shared = repo.tr.remember("Budget\n\nIt depends on Takeover plan.", type="component")
    private = repo.tr.remember(
        "Budget two\n\nIt depends on Takeover plan.", type="component", private=True
    )

    assert shared.links == ()
    assert [s.target for s in shared.suggested_links] == [secret.id]
    assert _linked(private)[0] == ("depends_on", secret.id, "system")


@pytest.mark.parametrize("harm", ["zero", "garbage", "gone", "folder"])
def test_a_broken_database_costs_a_capture_nothing(repo: Repo, harm: str) -> None:
    """It is derived: whatever happens to it, the memory is stored, and the next one is linked."""
    repo.tr.remember("Session store", type="component")
    table = repo.path / ".git" / "treering" / "treering.db"
    assert table.exists()
    if harm == "gone":
        table.unlink()
    elif harm == "folder":
        table.unlink()
        table.mkdir()
    else:
        table.write_bytes(b"" if harm == "zero" else b"SQLite format 3\0" + b"junk" * 4096)

    first = repo.tr.remember("Login page\n\nIt uses Session store.", type="component")
    second = repo.tr.remember("Profile page\n\nIt uses Session store.", type="component")

    assert repo.tr.read(first.id).title == "Login page"
    assert second.links


def test_a_new_process_finds_what_another_wrote(repo: Repo) -> None:
    """The table is shared; what came in without it is read on the way."""
    repo.json("remember", "Session store", "-t", "component")
    lines = [{"content": "Token mint", "type": "component"}, {"content": "Key ring"}]
    (repo.path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    repo.json("import", "in.jsonl")

    text = "Login page\n\nIt uses Session store. It depends on Token mint."
    answer = repo.json("remember", text, "-t", "component")

    assert {link["relation"] for link in answer["links"]} == {"depends_on"}
    assert len(answer["links"]) == 2
    assert set(answer) >= {"links", "suggested_links", "similar"}


# --- removed for good ----------------------------------------------------------------------------


def test_a_link_taken_away_is_not_inferred_again(repo: Repo) -> None:
    """Not by the backfill, not from the other end, and not when it is remembered anew."""
    one = repo.tr.remember("Alpha", files=["a.py"], type="insight")
    two = repo.tr.remember("Beta", files=["a.py"], type="insight")

    repo.tr.link(two.id, one.id, remove=True)

    assert repo.tr.read(two.id).details["unlinked"] == [one.id]
    assert repo.tr.infer_links(dry_run=False).links == ()
    repo.tr.forget([two.id])
    again = repo.tr.remember("Beta", files=["a.py"], type="insight")
    assert (again.id, again.links) == (two.id, ())
    assert repo.tr.infer_links(dry_run=False).links == ()
    repo.tr.link(two.id, one.id)
    assert "unlinked" not in repo.tr.read(two.id).details


def test_links_taken_away_on_two_branches_both_stay_away(repo: Repo) -> None:
    """The lists are merged, or a promotion would bring one of the links back."""
    ids = [repo.tr.remember(text, files=["a.py"], type="insight").id for text in ("A", "B")]
    three = repo.tr.remember("C", files=["a.py"], type="insight").id
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.tr.link(three, ids[0], remove=True)
    repo.switch("main")
    repo.tr.link(three, ids[1], remove=True)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "feature")

    repo.tr.gc()

    now = repo.tr.read(three)
    assert set(now.details["unlinked"]) == set(ids)
    assert now.links == ()


# --- for what was there before -------------------------------------------------------------------


def _imported(repo: Repo, *records: dict[str, object]) -> None:
    path = repo.path / "in.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    repo.tr.import_path(path)


def test_the_backfill_shows_first_and_then_links_in_one_commit(repo: Repo) -> None:
    """Imported memories get what a capture would have given them; `modified` stays."""
    _imported(
        repo,
        {"content": "Session store", "type": "component", "created": "2026-01-01T00:00:00Z"},
        {"content": "Login page\n\nIt uses Session store.", "type": "component"},
        {"content": "Profile page\n\nIt uses Session store.", "type": "component"},
    )
    before = repo.refs()

    shown = repo.tr.infer_links()

    assert (shown.dry_run, len(shown.links), shown.total) == (True, 2, 2)
    assert repo.refs() == before
    done = repo.tr.infer_links(dry_run=False)
    assert done.links == shown.links
    assert (
        repo.git(
            "rev-list", "--count", f"{before['refs/treering/heads/main']}..refs/treering/heads/main"
        )
        == "1"
    )
    source = repo.tr.read(shown.links[0].source)
    assert (source.links[0].by, source.modified) == ("system", source.created)
    assert repo.tr.infer_links(dry_run=False).links == ()


def test_the_backfill_is_narrowed_by_ids_query_type_and_limit(repo: Repo) -> None:
    """And by how sure it must be."""
    _imported(
        repo,
        {"content": "Session store", "type": "component"},
        {"content": "Login page\n\nIt uses Session store.", "type": "component"},
        {"content": "Outage\n\nWhoever is on call needs Session store.", "type": "insight"},
    )

    def count(**asked: object) -> int:
        return len(repo.tr.infer_links(**asked).links)

    login = repo.tr.recall("login").results[0].id
    assert count() == 2
    assert count(ids=[login]) == 1
    assert count(query="outage") == 1
    assert count(type="insight") == 1
    assert count(limit=1) == 1
    assert count(min_confidence=0.99) == 0


def test_pruning_takes_weak_system_links_and_old_temporal_ones(repo: Repo) -> None:
    """What a person made stays, unless it only said `at about the same time`."""
    made = [repo.tr.remember(text, type="insight").id for text in ("A", "B", "C", "D")]
    target, now = made[0], "2026-01-01T00:00:00Z"
    _imported(
        repo,
        {
            "content": "Everything", "type": "insight", "created": now,
            "links": [
                {"relation": "relates_to", "target": target, "confidence": 0.1, "by": "system"},
                {"relation": "follows", "target": made[1], "confidence": 0.9, "by": "user"},
                {"relation": "uses", "target": made[2], "confidence": 0.1, "by": "user"},
                {"relation": "affects", "target": made[3], "confidence": 0.9, "by": "system"},
            ],
        },
    )  # fmt: skip
    source = repo.tr.recall("everything").results[0].id
    repo.now += 60 * 86_400

    shown = repo.tr.prune_links()
    assert {link.relation for link in shown.links} == {"relates_to", "follows"}
    assert len(repo.tr.read(source).links) == 4

    repo.tr.prune_links(dry_run=False)

    assert {n.relation for n in repo.tr.read(source).links} == {"uses", "affects"}
    assert repo.tr.prune_links().links == ()


def test_much_that_is_new_is_noted_beside_the_captures(repo: Repo) -> None:
    """A capture does not wait for ten thousand memories nobody noted; a later one is linked."""
    many = ({"content": f"Thought {n} of bird {n * 7}", "type": "insight"} for n in range(150))
    _imported(repo, {"content": "Session store", "type": "component"}, *many)
    repo.workspace.database.clear()
    workspace = repo.workspace
    treering = Treering(workspace)

    first = treering.remember("Login page\n\nIt uses Session store.", type="component")
    thread = workspace.neighbourhood._reading
    assert thread is not None
    thread.join()
    second = treering.remember("Profile page\n\nIt uses Session store.", type="component")

    assert (len(first.links), len(second.links)) == (0, 1)


def test_a_command_leaves_the_noting_to_another_process(repo: Repo) -> None:
    """What `treering reindex --tidy` does in the background once the command is done."""
    many = ({"content": f"Thought {n} of bird {n * 7}", "type": "insight"} for n in range(150))
    _imported(repo, {"content": "Session store", "type": "component"}, *many)

    assert repo.cli("reindex", "--tidy").returncode == 0
    answer = repo.json("remember", "Login page\n\nIt uses Session store.", "-t", "component")

    assert len(answer["links"]) == 1


def test_an_import_leaves_the_clues_ready(repo: Repo) -> None:
    """The first capture after it costs what later ones do, and is linked like them."""
    many = ({"content": f"Thought {n} of bird {n * 7}", "type": "insight"} for n in range(150))
    _imported(repo, {"content": "Session store", "type": "component"}, *many)
    workspace = repo.workspace

    answer = Treering(workspace).remember("Login page\n\nIt uses Session store.", type="component")

    assert len(answer.links) == 1
    assert workspace.neighbourhood._reading is None


def test_only_one_process_notes_at_a_time(repo: Repo) -> None:
    """Twenty captures of a table that was lost must not start twenty readings of everything."""
    many = ({"content": f"Thought {n} of bird {n * 7}", "type": "insight"} for n in range(150))
    _imported(repo, {"content": "Session store", "type": "component"}, *many)
    workspace = repo.workspace
    workspace.neighbourhood.catch_up_alone(workspace.view_of_all())
    repo.workspace.database.clear()

    with lock.hold(workspace.state.folder / "rows.lock"):
        workspace.neighbourhood.catch_up_alone(workspace.view_of_all())
        busy = repo.workspace.rows.catch_up(workspace.view_of_all(), 100)
    workspace.neighbourhood.catch_up_alone(workspace.view_of_all())

    assert busy is False
    assert repo.workspace.rows.catch_up(workspace.view_of_all(), 0)
