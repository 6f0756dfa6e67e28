"""The hub as people meet it, in a folder and in a database: the same questions and answers."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from conftest import Repo
from hub.conftest import HubAtHand

Make = Callable[[str], Repo]


def test_one_question_finds_it_in_whichever_repository(either: HubAtHand, make: Make) -> None:
    """The whole point: nobody has to know where it was solved."""
    make("api").tr.remember("Use WAL mode: readers never block", type="decision")
    make("web").tr.remember("Retry with backoff when the queue is full", type="decision")
    for name in ("api", "web"):
        either.json("hub", "add", name, str(either.folder.parent / name))

    assert either.update() == {"api": "updated", "web": "updated"}

    answer = either.json("recall", "queue full", "--repos", "all")
    first = answer["results"][0]
    assert (first["repo"], first["branch"]) == ("web", "main")
    assert first["title"] == "Retry with backoff when the queue is full"
    assert [(repo["name"], repo["behind"]) for repo in answer["repos"]] == [
        ("api", False),
        ("web", False),
    ]
    assert all(repo["updated"] for repo in answer["repos"])


def test_from_a_remote_comes_what_all_clones_pushed(
    either: HubAtHand, make: Make, remote_of: Callable[[Repo], str], tmp_path: Path
) -> None:
    """Each clone has a ref of its own there, and the hub sees them as one."""
    ada = make("api")
    ada.tr.remember("Ada found the leak in the pool")
    url = remote_of(ada)
    ada.git("clone", "-q", url, str(tmp_path / "ben"))
    ben = Repo(tmp_path / "ben")
    ben.git("config", "user.name", "Ben")
    ben.git("config", "user.email", "ben@example.org")
    ben.tr.remember("Ben found the leak in the cache")
    ben.tr.sync()

    either.json("hub", "add", "api", url)
    either.update()

    assert {title for _, title in either.titles("leak")} == {
        "Ada found the leak in the pool",
        "Ben found the leak in the cache",
    }


def test_only_what_landed_and_is_shared_is_there(
    either: HubAtHand, make: Make, remote_of: Callable[[Repo], str]
) -> None:
    """Work under way and private notes are nobody else's business."""
    repo = make("api")
    repo.tr.remember("Landed: parsers are generated")
    repo.tr.remember("Private: I dislike the parsers", private=True)
    repo.switch("wip", create=True).commit_file("wip.py")
    repo.tr.remember("Under way: parsers by hand")
    url = remote_of(repo)
    either.json("hub", "add", "near", str(repo.path))
    either.json("hub", "add", "far", url)
    either.json("hub", "add", "whole", url, "--all-branches")
    either.update()

    assert either.titles("parsers", repos="near") == [("near", "Landed: parsers are generated")]
    assert either.titles("parsers", repos="far") == [("far", "Landed: parsers are generated")]
    assert {title for _, title in either.titles("parsers", repos="whole")} == {
        "Landed: parsers are generated",
        "Under way: parsers by hand",
    }
    everything = [path for path in Path(either.place).rglob("*") if path.is_file()]
    assert not any(b"I dislike" in path.read_bytes() for path in everything)


def test_what_was_forgotten_revised_or_superseded_is_so_after_the_next_update(
    either: HubAtHand, make: Make
) -> None:
    repo = make("api")
    old = repo.tr.remember("Backups go to tape")
    bad = repo.tr.remember("Backups are never needed")
    either.json("hub", "add", "api", str(repo.path))
    either.update()

    repo.tr.remember("Backups go to the object store", supersedes=old.id)
    repo.tr.forget([bad.id])
    behind = either.json("recall", "backups", "--repos", "all")
    either.update()

    assert behind["repos"][0]["behind"]
    answer = either.json("recall", "backups", "--repos", "all")
    assert [hit["title"] for hit in answer["results"]] == ["Backups go to the object store"]
    assert answer["withheld"] == {"superseded": 1, "deleted": 1}
    assert not answer["repos"][0]["behind"]


def test_an_update_with_nothing_new_says_so(either: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("Use WAL mode")
    either.json("hub", "add", "api", str(repo.path))

    assert [either.update()["api"], either.update()["api"]] == ["updated", "unchanged"]


def test_a_repository_that_is_gone_is_named_and_left_as_it_was(
    either: HubAtHand, make: Make
) -> None:
    """The others are updated all the same, and what was known is still found."""
    for name in ("gone", "here"):
        make(name).tr.remember(f"{name}: the cache is warm")
        either.json("hub", "add", name, str(either.folder.parent / name))
    either.update()
    shutil.rmtree(either.folder.parent / "gone")

    done = either.run("hub", "update", "--json")

    lines = {line["name"]: line for line in json.loads(done.stdout)["repos"]}
    assert done.returncode == 0
    assert lines["gone"]["status"] == "failed"
    assert lines["gone"]["error"]
    assert lines["here"]["status"] == "unchanged"
    answer = either.json("recall", "cache warm", "--repos", "all")
    assert {hit["repo"] for hit in answer["results"]} == {"gone", "here"}
    assert {repo["name"]: repo["behind"] for repo in answer["repos"]} == {
        "gone": True,
        "here": False,
    }


def test_read_takes_a_name_and_an_id(either: HubAtHand, make: Make) -> None:
    for name in ("api", "web"):
        repo = make(name)
        made = repo.tr.remember("Use WAL mode: readers never block", id="7k2m9qx4c0wd")
        other = repo.tr.remember("The report reads all day")
        repo.tr.link(made.id, other.id)
        either.json("hub", "add", name, str(repo.path))
    either.update()

    whole = either.json("read", "web:7k2m")

    assert (whole["repo"], whole["branch"], whole["content"]) == (
        "web",
        "main",
        "Use WAL mode: readers never block",
    )
    assert [link["title"] for link in whole["links"]] == ["The report reads all day"]
    assert whole["repos"][0]["name"] == "web"
    error = either.error("read", "7k2m9qx4c0wd", "--repos", "all")
    assert error["code"] == "ambiguous_id"
    assert "web:7k2m9qx4c0wd" in error["message"]
    assert either.error("read", "nope:7k2m")["code"] == "repo_not_found"
    assert either.error("read", "web:zzzz")["code"] == "memory_not_found"


def test_equal_texts_in_two_repositories_are_two_hits_that_name_each_other(
    either: HubAtHand, make: Make
) -> None:
    for name in ("api", "web", "app"):
        repo = make(name)
        text = "Use WAL mode: readers never block" if name != "app" else "Use WAL mode at night"
        repo.tr.remember(text, type="decision")
        either.json("hub", "add", name, str(repo.path))
    either.update()

    hits = either.json("recall", "wal mode readers block", "--repos", "all")["results"]

    equal = {hit["repo"]: hit for hit in hits if "readers" in hit["title"]}
    assert set(equal) == {"api", "web"}
    assert equal["api"]["similar"] == [f"web:{equal['web']['id']}"]
    assert equal["web"]["similar"] == [f"api:{equal['api']['id']}"]
    assert all("similar" not in hit for hit in hits if hit["repo"] == "app")


def test_context_tells_what_others_know(either: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("Retry the payment with an idempotency key", type="decision")
    either.json("hub", "add", "api", str(repo.path))
    either.update()

    answer = either.json(
        "context", "--task", "payment retries", "--repos", "all", "--budget", "900"
    )

    entries = [*answer["high"], *answer["medium"], *answer["low"]]
    assert [(entry["repo"], entry["title"]) for entry in entries] == [
        ("api", "Retry the payment with an idempotency key")
    ]
    assert f"api:{entries[0]['id']}" in answer["text"]
    assert answer["used"] == len(answer["text"]) <= 900
    assert answer["repos"][0]["name"] == "api"


def test_pages_follow_each_other(either: HubAtHand, make: Make) -> None:
    repo = make("api")
    for number in range(5):
        repo.tr.remember(f"Deploy note {number}: check the {'abcde'[number] * 6} gauge")
    either.json("hub", "add", "api", str(repo.path))
    either.update()

    seen, cursor = [], ""
    for _ in range(3):
        words = ["recall", "deploy note", "--repos", "all", "-n", "2", "--cursor", cursor]
        answer = either.json(*words)
        seen += [hit["id"] for hit in answer["results"]]
        cursor = answer["cursor"]

    assert (len(seen), len(set(seen)), cursor) == (5, 5, "")
    made_up = ["recall", "deploy", "--repos", "all", "--cursor", "2-aaaaaaaaaaaa"]
    assert either.error(*made_up)["code"] == "invalid"


def test_removed_is_removed(either: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("Use WAL mode")
    either.json("hub", "add", "api", str(repo.path))
    either.update()

    assert either.json("hub", "remove", "api") == {"removed": "api"}

    assert either.json("hub", "list") == {"repositories": []}
    assert not [*Path(either.place).rglob("mirror.git")]


def test_a_name_that_is_used_again_is_granted_to_nobody(either: HubAtHand, make: Make) -> None:
    """A token was for the repository that had the name, not for whichever is called so next."""
    path = str(make("api").path)
    either.json("hub", "add", "api", path)
    either.json("hub", "grant", "ci", "--repos", "api")

    either.json("hub", "remove", "api")
    either.json("hub", "add", "api", path)

    assert either.json("hub", "status")["tokens"][0]["repos"] == []


def test_names_that_are_nearly_right(either: HubAtHand, make: Make) -> None:
    either.json("hub", "add", "acme/api", str(make("api").path))

    for words in (
        ("recall", "x", "--repos", "acme/apl"),
        ("read", "acme/apl:e149f1y1bbkm"),
        ("hub", "update", "acme/apl"),
        ("hub", "remove", "acme/apl"),
        ("hub", "grant", "ci", "--repos", "acme/apl"),
    ):
        error = either.error(*words)
        assert error["code"] == "repo_not_found", words
        assert "Did you mean acme/api?" in error["hint"], words


# --- around a memory, and its past ----------------------------------------------------------------


def test_links_lead_both_ways_and_on(either: HubAtHand, make: Make) -> None:
    """As `read` shows them in the repository itself, and only within it."""
    repo, other = make("api"), make("web")
    cause = repo.tr.remember("The pool runs dry under load")
    fix = repo.tr.remember("Give back each connection in a finally block")
    rule = repo.tr.remember("Every borrowed thing is given back in finally")
    other.tr.remember("Another's memory of the same id", id=fix.id)
    other.tr.remember("A stranger links to that", links=[f"relates_to:{fix.id}"])
    repo.tr.link(fix.id, cause.id, relation="solves")
    repo.tr.link(rule.id, fix.id, relation="relates_to")
    for one in (repo, other):
        either.json("hub", "add", one.path.name, str(one.path))
    either.update()

    def ends(hops: int) -> set[tuple[str, str, str, int]]:
        links = either.json("read", f"api:{fix.id}", "--links", str(hops))["links"]
        return {(ln["direction"], ln["relation"], ln["id"], ln["depth"]) for ln in links}

    own = repo.tr.read(fix.id).links
    assert ends(1) == {(ln.direction, ln.relation, ln.id, ln.depth) for ln in own}
    assert {("out", "solves", cause.id, 1), ("in", "relates_to", rule.id, 1)} <= ends(1)
    far = either.json("read", f"api:{cause.id}", "--links", "2")["links"]
    assert (rule.id, 2) in {(ln["id"], ln["depth"]) for ln in far}
    assert ends(0) == set()


def test_recall_follows_links(either: HubAtHand, make: Make) -> None:
    repo = make("api")
    cause = repo.tr.remember("The pool runs dry under load")
    fix = repo.tr.remember("Give back each borrowed thing in a finally block")
    repo.tr.link(fix.id, cause.id, relation="solves")
    either.json("hub", "add", "api", str(repo.path))
    either.update()
    words = ["recall", "pool dry load", "--repos", "all", "--mode", "text"]

    answer = either.json(*words, "--expand", "1")

    assert [hit["id"] for hit in either.json(*words)["results"]] == [cause.id]
    assert [hit["id"] for hit in answer["results"]] == [cause.id, fix.id]
    linked = answer["results"][1]
    assert (linked["via"], linked["why"], linked["repo"]) == (cause.id, ["linked:solves"], "api")
    others = either.json(*words, "--expand", "1", "--relation", "relates_to")
    assert [hit["id"] for hit in others["results"]] == [cause.id]


def test_a_folder_knows_the_past(hub: HubAtHand, make: Make) -> None:
    """It has the commits: what happened, and what it said before."""
    repo = make("api")
    made = repo.tr.remember("The cache is warmed at night")
    repo.tr.revise(made.id, content="The cache is warmed at noon")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()

    answer = hub.json("read", f"api:{made.id}", "--history")

    assert [event["op"] for event in answer["history"]] == ["revise", "remember"]
    first = answer["history"][-1]["commit"]
    before = hub.json("read", f"api:{made.id}", "--at", first)
    assert (before["content"], before["repo"]) == ("The cache is warmed at night", "api")
    assert hub.error("read", f"api:{made.id}", "--at", "1999-01-01")["code"] == "memory_not_found"
    assert hub.error("read", f"api:{made.id}", "--at", "whenever")["code"] == "invalid"


def test_what_cannot_be_asked_is_told(either: HubAtHand, database: HubAtHand, make: Make) -> None:
    """With a hint where to ask it."""
    repo = make("api")
    made = repo.tr.remember("The cache is warmed at night")
    for one in {either.place: either, database.place: database}.values():
        one.json("hub", "add", "api", str(repo.path))
        one.update()

    errors = [
        either.error("recall", "cache", "--repos", "all", "--at", "yesterday"),
        either.error("recall", "cache", "--repos", "all", "--branch", "main"),
        either.error("read", f"api:{made.id}", "--branch", "main"),
        database.error("read", f"api:{made.id}", "--history"),
        database.error("read", f"api:{made.id}", "--at", "yesterday"),
    ]

    assert {error["code"] for error in errors} == {"invalid"}
    assert all(error["hint"] for error in errors)


def test_prompts_are_found_by_who_asks_for_them(either: HubAtHand, make: Make) -> None:
    api = make("api")
    api.tr.prompts("save", name="drain", content="Drain the retry queue by hand")
    api.tr.remember("The retry queue is drained at night", type="insight")
    either.json("hub", "add", "api", str(api.path))
    either.update()

    found = either.json("recall", "retry queue", "--repos", "all")["results"]
    asked = either.json("recall", "retry queue", "--repos", "all", "--type", "prompt")["results"]
    context = either.json("context", "--task", "drain the retry queue", "--repos", "all")

    assert [hit["type"] for hit in found] == ["insight"]
    assert [hit["title"] for hit in asked] == ["drain"]
    assert "by hand" not in context["text"]
