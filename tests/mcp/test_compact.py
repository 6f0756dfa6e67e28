"""What agents are not told because they would assume it, and what they always are."""

import subprocess
import sys
from pathlib import Path

import pytest

from treering.mcp.compact import compact_answer

TREERING = Path(sys.executable).with_name("treering")
BODY = "Readers never block while a writer is at it, so the dashboard stays quick."


def _answers(agent, *calls):
    async def story(it):
        return [await it.answer(tool, **arguments) for tool, arguments in calls]

    return agent(story)


def test_a_usual_hit_is_what_it_says_and_no_more(agent, repo):
    """Active, shared, its own, of this branch, quite sure: nobody has to be told."""
    repo.tr.remember(f"Use WAL mode\n\n{BODY}", type="decision", tags=["db"])

    (answer,) = _answers(agent, ("recall", {"query": "wal readers"}))

    (hit,) = answer["results"]
    assert hit.keys() == {"id", "type", "title", "tags", "created", "snippet"}
    assert hit["created"] == "2026-02-02"
    assert hit["snippet"] == BODY
    assert "query" not in answer
    assert (answer["branch"], answer["total"], answer["cursor"]) == ("main", 1, "")
    assert "withheld" not in answer


@pytest.mark.parametrize(
    ("why", "is_said"),
    [
        (["text"], False),
        (["text", "title", "tag"], False),
        (["text", "title", "semantic"], False),
        (["semantic"], True),
        (["synonym", "semantic"], True),
        (["text", "spelling"], True),
    ],
)
def test_what_led_to_a_hit_is_said_where_it_was_not_its_own_words(why, is_said):
    """An agent should know when nothing of what it asked for stands there."""
    hit = {"id": "7k2m9qx4c0wd", "type": "decision", "title": "Use WAL mode", "why": why}

    answer = compact_answer("recall", {}, {"branch": "main", "results": [hit]}, 0.0)

    assert ("why" in answer["results"][0]) == is_said


def test_what_is_not_usual_is_said(agent, repo):
    """Another branch, another author, a doubt, another state, a file that has changed."""
    repo.commit_file("src/db.py", "one")
    repo.tr.remember("Pool of five", type="config", confidence=0.5, files=["src/db.py"])
    repo.commit_file("src/db.py", "two")
    kept = repo.tr.remember("Kept to myself", type="insight", private=True)
    repo.tr.revise(kept.id, status="needs-review")
    repo.git("config", "user.name", "Ben")
    repo.git("config", "user.email", "ben@example.org")
    repo.switch("feature", create=True)

    (answer,) = _answers(agent, ("recall", {}))

    by_title = {hit["title"]: hit for hit in answer["results"]}
    doubtful, private = by_title["Pool of five"], by_title["Kept to myself"]
    assert doubtful["branch"] == private["branch"] == "main"
    assert doubtful["confidence"] == 0.5
    assert doubtful["author"].startswith("Ada")
    assert doubtful["origin"] == "teammate"
    assert doubtful["stale"]["files"] == [{"path": "src/db.py", "state": "changed"}]
    assert private["private"] is True
    assert private["status"] == "needs-review"


def test_fresh_files_are_plain_paths(agent, repo):
    """Their state is worth a word when it is another one."""
    repo.commit_file("src/db.py", "one")
    memory = repo.tr.remember(f"Use WAL mode\n\n{BODY}", type="decision", files=["src/db.py"])

    found, whole = _answers(agent, ("recall", {"query": "wal"}), ("read", {"id": memory.id}))

    assert found["results"][0]["files"] == whole["files"] == ["src/db.py"]
    assert "stale" not in found["results"][0]
    assert whole["stale"] == {"state": "fresh"}


def test_full_detail_has_every_field(agent, repo):
    """Who asks for all of it gets what `--json` prints."""
    repo.tr.remember(f"Use WAL mode\n\n{BODY}", type="decision", tags=["db"])

    (answer,) = _answers(agent, ("recall", {"query": "wal", "detail": "Full"}))

    printed = repo.json("recall", "wal", "--detail", "full")
    assert answer.keys() == printed.keys()
    assert answer["results"][0].keys() == printed["results"][0].keys()
    assert answer["results"][0]["uri"].endswith(answer["results"][0]["id"])


def test_the_command_line_says_everything(repo):
    """Programs read it, and programs like fields that are always there."""
    repo.tr.remember("Use WAL mode", type="decision")

    (hit,) = repo.json("recall", "wal")["results"]

    assert {"uri", "layer", "private", "status", "score", "why", "author", "modified"} <= hit.keys()


def test_a_receipt_is_short(agent, repo):
    """An agent writes often, and wants to know where it went."""
    stored, again, guessed = _answers(
        agent,
        ("remember", {"content": f"Use WAL mode\n\n{BODY}", "type": "decision"}),
        ("remember", {"content": f"Use WAL mode\n\n{BODY}", "type": "decision"}),
        ("remember", {"content": "We decided to use Postgres because it scales"}),
    )

    assert stored.keys() == {"id", "type", "branch", "version"}
    assert len(stored["version"]) == 12
    assert again == stored | {"duplicate": True}
    assert guessed["classified"]["by"] == "heuristic"


def test_what_was_found_beside_it_is_in_the_receipt(agent, repo):
    """Similar memories and links are the reason to answer at all."""
    known = repo.tr.remember(f"Use WAL mode\n\n{BODY}", type="decision")

    (answer,) = _answers(
        agent, ("remember", {"content": f"Use WAL mode now\n\n{BODY}", "type": "decision"})
    )

    assert answer["similar"][0]["id"] == known.id
    assert answer["similar"][0]["score"] > 0.5


def test_read_leaves_out_what_is_empty(agent, repo):
    """Everything else is there, usual or not."""
    memory = repo.tr.remember(f"Use WAL mode\n\n{BODY}", type="decision")

    (whole,) = _answers(agent, ("read", {"id": memory.id, "history": True}))

    printed = repo.json("read", memory.id, "--history")
    empty = {key for key, value in printed.items() if value in ("", [], {})}
    assert whole.keys() == printed.keys() - empty - {"uri"}
    assert printed["version"].startswith(whole["version"])
    assert whole["history"][0]["when"] == "2026-02-02"
    assert whole["private"] is False


def test_a_short_version_is_enough_to_expect(agent, repo):
    """What an answer says is what the next call may be given."""

    async def story(it):
        stored = await it.answer("remember", content="First", type="insight")
        fine = await it.answer("revise", id=stored["id"], append="more", expect=stored["version"])
        old = await it.error("revise", id=stored["id"], append="x", expect=stored["version"])
        eight = await it.answer(
            "revise", id=stored["id"], append="y", expect=fine["version"][:8].upper()
        )
        past = await it.answer("read", id=stored["id"], at=stored["version"])
        short = await it.error("revise", id=stored["id"], append="z", expect="abcdef1")
        return old, eight, past, short

    old, eight, past, short = agent(story)
    assert old["code"] == "conflict"
    assert eight["changed"] == ["content"]
    assert past["content"] == "First"
    assert short["code"] == "invalid"


def test_context_names_its_memories_briefly(agent, repo):
    """The text has them already; the lists say why."""
    repo.tr.remember(f"Use WAL mode\n\n{BODY}", type="decision")

    (answer,) = _answers(agent, ("context", {"task": "wal mode for the database"}))

    entries = [entry for group in ("high", "medium", "low") for entry in answer[group]]
    assert [entry["title"] for entry in entries] == ["Use WAL mode"]
    assert entries[0].keys() == {"id", "title", "why"}
    assert entries[0]["why"] == ["task"]
    assert "checkpoint" not in answer


def test_what_others_say_about_a_memory_passes_through():
    """Whatever is added about its truth, its repository or its way here is not for us to cut."""
    extra = {
        "outdated_by": {"id": "b", "title": "New", "type": "x", "how": "supersedes"},
        "newer": {"id": "c", "title": "Newer", "type": "x", "how": "value", "private": False},
        "reverted": {"commit": "9fceb02d0ae598e95dc970b74767f19372d61af8", "when": "2026-02-01"},
        "outcome": "failed",
        "via": ["lines"],
        "landed": {"branch": "main", "status": "active"},
        "repo": "web",
    }
    hit = {"id": "a", "title": "Old", "type": "decision", "private": False, "layer": "trunk"}
    counts = {"superseded": 2, "trash": 1}
    answer = {"branch": "main", "results": [hit | extra], "withheld": counts | {"deleted": 0}}
    answer["repos"] = [{"name": "web", "updated": "2026-02-01T10:00:00Z", "behind": False}]

    short = compact_answer("recall", {}, answer, 0.0)

    assert short["results"] == [{"id": "a", "title": "Old", "type": "decision"} | extra]
    assert short["withheld"] == counts
    assert short["repos"] == answer["repos"]


@pytest.mark.parametrize(
    ("snippet", "title", "rest"),
    [
        ("# Use WAL mode Readers never block", "Use WAL mode", "Readers never block"),
        ("Use WAL mode: readers never block", "Use WAL mode", "readers never block"),
        ("Use WAL mode", "Use WAL mode", None),
        ("Use WAL …", "Use WAL mode for it all", None),
        ("… readers never block", "Use WAL mode", "… readers never block"),
    ],
)
def test_a_snippet_does_not_repeat_the_title(snippet, title, rest):
    hit = {"id": "a", "title": title, "type": "decision", "snippet": snippet}

    (short,) = compact_answer("recall", {}, {"results": [hit]}, 0.0)["results"]

    assert short.get("snippet") == rest


def test_dates_of_the_last_day_keep_their_hour():
    """Which of two came first matters while both are of today."""
    hit = {"id": "a", "title": "x", "type": "y", "created": "2026-02-01T10:00:00Z"}
    young = hit | {"modified": "2026-02-03T09:00:00Z"}
    answer = {"results": [hit | {"modified": "2026-02-01T23:00:00Z"}, young]}

    old, new = compact_answer("recall", {}, answer, 1_770_112_800.0)["results"]  # 02-03, 10:00

    assert old == {"id": "a", "title": "x", "type": "y", "created": "2026-02-01"}
    assert new["modified"] == "2026-02-03T09:00:00Z"


def test_lists_are_announced_only_when_they_changed(repo):
    """A client reads a list again when it is told to; most calls change nothing."""
    import json

    def calls(*asked):
        hello = {"protocolVersion": "2025-06-18", "capabilities": {},
                 "clientInfo": {"name": "test", "version": "1"}}  # fmt: skip
        lines = [
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            *(
                {"jsonrpc": "2.0", "id": n, "method": "tools/call",
                 "params": {"name": tool, "arguments": arguments}}
                for n, (tool, arguments) in enumerate(asked, 1)
            ),
        ]  # fmt: skip
        done = subprocess.run(
            [TREERING, "mcp"], cwd=repo.path, capture_output=True, check=True, text=True,
            input="".join(json.dumps(line) + "\n" for line in lines),
        )  # fmt: skip
        told = (json.loads(line).get("method") for line in done.stdout.splitlines())
        return [method for method in told if method]

    known = repo.tr.remember("Known", type="insight").id

    assert calls(
        ("remember", {"content": "Known", "type": "insight"}),
        ("checkpoint", {"op": "load"}),
        ("revise", {"id": known, "type": "insight"}),
        ("maintain", {"op": "gc"}),
        ("maintain", {"op": "dedupe"}),
        ("prompts", {"op": "list"}),
        ("recall", {}),
    ) == []  # fmt: skip
    assert calls(("remember", {"content": "New", "type": "insight"})) == [
        "notifications/resources/list_changed"
    ]
    assert calls(("prompts", {"op": "save", "name": "go", "content": "Go on"})) == [
        "notifications/prompts/list_changed"
    ]


def test_standing_is_said_of_others_proposals_alone():
    """What landed is the usual case, and one's own proposals are known."""
    hit = {"id": "a", "title": "Old", "type": "decision", "branch": "feature", "origin": "teammate"}
    landed = {"branch": "x", "merged_as": "9fceb02d0ae598e95dc970b74767f19372d61af8"}
    cards = [
        hit | {"standing": "proposed"},
        hit | {"standing": "accepted", "landed": landed},
        hit | {"standing": "proposed", "origin": "you"},
        hit | {"standing": "proposed", "branch": "main"},
    ]

    short = compact_answer("recall", {}, {"branch": "main", "results": cards}, 0.0)["results"]

    assert [card.get("standing") for card in short] == ["proposed", None, None, None]
    assert not any("landed" in card for card in short)
