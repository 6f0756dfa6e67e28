"""The embedded hub as people meet it: repositories added, updated, asked."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo
from hub.conftest import HubAtHand

Make = Callable[[str], Repo]


def test_one_question_finds_it_in_whichever_repository(hub: HubAtHand, make: Make) -> None:
    """The whole point: nobody has to know where it was solved."""
    make("api").tr.remember("Use WAL mode: readers never block", type="decision")
    make("web").tr.remember("Retry with backoff when the queue is full", type="decision")
    for name in ("api", "web"):
        hub.json("hub", "add", name, str(hub.folder.parent / name))

    assert hub.update() == {"api": "updated", "web": "updated"}

    answer = hub.json("recall", "queue full", "--repos", "all")
    first = answer["results"][0]
    assert (first["repo"], first["branch"]) == ("web", "main")
    assert first["title"] == "Retry with backoff when the queue is full"
    assert [(repo["name"], repo["behind"]) for repo in answer["repos"]] == [
        ("api", False),
        ("web", False),
    ]
    assert all(repo["updated"] for repo in answer["repos"])


def test_it_works_outside_of_any_repository(hub: HubAtHand, make: Make) -> None:
    """As a process of its own: a person in their home folder."""
    make("api").tr.remember("Use WAL mode: readers never block")
    hub.json("hub", "add", "api", str(hub.folder.parent / "api"))
    hub.update()

    out, err = hub.start("recall", "wal", "--repos", "all").communicate(timeout=60)

    assert "Use WAL mode" in out, err


def test_only_those_named_are_asked(hub: HubAtHand, make: Make) -> None:
    for name in ("api", "web", "app"):
        make(name).tr.remember(f"The deploy of {name} is manual")
        hub.json("hub", "add", name, str(hub.folder.parent / name))
    hub.update()

    assert {repo for repo, _ in hub.titles("deploy", repos="api,app")} == {"api", "app"}


def test_from_a_remote_comes_what_all_clones_pushed(
    hub: HubAtHand, make: Make, remote_of: Callable[[Repo], str], tmp_path: Path
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

    hub.json("hub", "add", "api", url)
    hub.update()

    assert {title for _, title in hub.titles("leak")} == {
        "Ada found the leak in the pool",
        "Ben found the leak in the cache",
    }


def test_only_what_landed_and_is_shared_is_there(
    hub: HubAtHand, make: Make, remote_of: Callable[[Repo], str]
) -> None:
    """Work under way and private notes are nobody else's business."""
    repo = make("api")
    repo.tr.remember("Landed: parsers are generated")
    repo.tr.remember("Private: I dislike the parsers", private=True)
    repo.switch("wip", create=True).commit_file("wip.py")
    repo.tr.remember("Under way: parsers by hand")
    url = remote_of(repo)
    hub.json("hub", "add", "near", str(repo.path))
    hub.json("hub", "add", "far", url)
    hub.json("hub", "add", "whole", url, "--all-branches")
    hub.update()

    assert hub.titles("parsers", repos="near") == [("near", "Landed: parsers are generated")]
    assert hub.titles("parsers", repos="far") == [("far", "Landed: parsers are generated")]
    assert {title for _, title in hub.titles("parsers", repos="whole")} == {
        "Landed: parsers are generated",
        "Under way: parsers by hand",
    }
    everything = [path for path in Path(hub.place).rglob("*") if path.is_file()]
    assert not any(b"I dislike" in path.read_bytes() for path in everything)


def test_what_was_forgotten_revised_or_superseded_is_so_after_the_next_update(
    hub: HubAtHand, make: Make
) -> None:
    repo = make("api")
    old = repo.tr.remember("Backups go to tape")
    bad = repo.tr.remember("Backups are never needed")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()

    repo.tr.remember("Backups go to the object store", supersedes=old.id)
    repo.tr.forget([bad.id])
    behind = hub.json("recall", "backups", "--repos", "all")
    hub.update()

    assert behind["repos"][0]["behind"]
    answer = hub.json("recall", "backups", "--repos", "all")
    assert [hit["title"] for hit in answer["results"]] == ["Backups go to the object store"]
    assert answer["withheld"] == {"superseded": 1, "deleted": 1}
    assert not answer["repos"][0]["behind"]


def test_what_was_redacted_is_gone_from_every_file_of_the_hub(
    hub: HubAtHand, make: Make, remote_of: Callable[[Repo], str]
) -> None:
    """A hub that kept it would make redaction a lie."""
    repo = make("api")
    repo.tr.remember("The weather is fine")
    made = repo.tr.remember("The zebra password lies under the doormat")
    url = remote_of(repo)
    hub.json("hub", "add", "api", url)
    hub.update()
    repo.tr.redact(made.id)
    repo.tr.sync()

    hub.update()

    assert hub.titles("zebra") == []
    done = hub.run("read", f"api:{made.id}", "--json")
    assert "zebra" not in done.stdout + done.stderr
    mirror = next(Path(hub.place).rglob("mirror.git"))
    words = ["git", "--git-dir", str(mirror), "cat-file", "--batch-all-objects", "--batch"]
    assert b"zebra" not in subprocess.run(words, capture_output=True, check=True).stdout
    files = [file for file in mirror.parent.rglob("*") if file.is_file()]
    assert not [file for file in files if b"zebra" in file.read_bytes()]


def test_an_update_with_nothing_new_says_so(hub: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("Use WAL mode")
    hub.json("hub", "add", "api", str(repo.path))

    assert [hub.update()["api"], hub.update()["api"]] == ["updated", "unchanged"]


def test_a_repository_that_is_gone_is_named_and_left_as_it_was(hub: HubAtHand, make: Make) -> None:
    """The others are updated all the same, and what was known is still found."""
    for name in ("gone", "here"):
        make(name).tr.remember(f"{name}: the cache is warm")
        hub.json("hub", "add", name, str(hub.folder.parent / name))
    hub.update()
    shutil.rmtree(hub.folder.parent / "gone")

    done = hub.run("hub", "update", "--json")

    lines = {line["name"]: line for line in json.loads(done.stdout)["repos"]}
    assert done.returncode == 0
    assert lines["gone"]["status"] == "failed"
    assert lines["gone"]["error"]
    assert lines["here"]["status"] == "unchanged"
    answer = hub.json("recall", "cache warm", "--repos", "all")
    assert {hit["repo"] for hit in answer["results"]} == {"gone", "here"}
    assert {repo["name"]: repo["behind"] for repo in answer["repos"]} == {
        "gone": True,
        "here": False,
    }


def test_read_takes_a_name_and_an_id(hub: HubAtHand, make: Make) -> None:
    for name in ("api", "web"):
        repo = make(name)
        made = repo.tr.remember("Use WAL mode: readers never block", id="7k2m9qx4c0wd")
        other = repo.tr.remember("The report reads all day")
        repo.tr.link(made.id, other.id)
        hub.json("hub", "add", name, str(repo.path))
    hub.update()

    whole = hub.json("read", "web:7k2m")

    assert (whole["repo"], whole["branch"], whole["content"]) == (
        "web",
        "main",
        "Use WAL mode: readers never block",
    )
    assert [link["title"] for link in whole["links"]] == ["The report reads all day"]
    assert whole["repos"][0]["name"] == "web"
    error = hub.error("read", "7k2m9qx4c0wd", "--repos", "all")
    assert error["code"] == "ambiguous_id"
    assert "web:7k2m9qx4c0wd" in error["message"]
    assert hub.error("read", "nope:7k2m")["code"] == "repo_not_found"
    assert hub.error("read", "web:zzzz")["code"] == "memory_not_found"


def test_context_tells_what_others_know(hub: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("Retry the payment with an idempotency key", type="decision")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()

    answer = hub.json("context", "--task", "payment retries", "--repos", "all", "--budget", "900")

    entries = [*answer["high"], *answer["medium"], *answer["low"]]
    assert [(entry["repo"], entry["title"]) for entry in entries] == [
        ("api", "Retry the payment with an idempotency key")
    ]
    assert f"api:{entries[0]['id']}" in answer["text"]
    assert answer["used"] == len(answer["text"]) <= 900
    assert answer["repos"][0]["name"] == "api"


def test_a_repository_of_the_users_may_name_the_hub(hub: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("Use WAL mode")
    repo.git("config", "treering.hub", hub.place)

    repo.json("hub", "add", "api", ".")
    repo.json("hub", "update")

    assert repo.json("hub", "status")["place"] == hub.place
    assert repo.tr.recall("wal", repos=["all"]).results[0].repo == "api"


def test_names_and_places_that_cannot_be(hub: HubAtHand, make: Make) -> None:
    path = str(make("api").path)

    for name in ("all", "ALL", "a,b", "a:b", "../up", "", "-x", "a/../b", "x" * 101):
        assert hub.run("hub", "add", "--json", "--", name, path).returncode in (1, 2), name
    assert hub.error("hub", "add", "all", path)["code"] == "invalid"
    assert hub.error("hub", "add", "x", "/nowhere")["code"] == "not_a_repository"
    assert hub.error("hub", "add", "x", "https://ada:pw@example.org/x")["code"] == "invalid"
    assert hub.error("recall", "x", "--repos", "nope")["code"] == "repo_not_found"
    assert hub.error("hub", "remove", "nope")["code"] == "repo_not_found"
    hub.json("hub", "add", "api", path)
    assert hub.error("hub", "add", "api", path)["code"] == "invalid"
    assert hub.error("recall", "x", "--repos", "all", "--at", "HEAD")["code"] == "invalid"


def test_pages_follow_each_other(hub: HubAtHand, make: Make) -> None:
    repo = make("api")
    for number in range(5):
        repo.tr.remember(f"Deploy note {number}: check the {'abcde'[number] * 6} gauge")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()

    seen, cursor = [], ""
    for _ in range(3):
        words = ["recall", "deploy note", "--repos", "all", "-n", "2", "--cursor", cursor]
        answer = hub.json(*words)
        seen += [hit["id"] for hit in answer["results"]]
        cursor = answer["cursor"]

    assert (len(seen), len(set(seen)), cursor) == (5, 5, "")
    made_up = ["recall", "deploy", "--repos", "all", "--cursor", "2-aaaaaaaaaaaa"]
    assert hub.error(*made_up)["code"] == "invalid"


def test_removed_is_removed(hub: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("Use WAL mode")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()

    assert hub.json("hub", "remove", "api") == {"removed": "api"}

    assert hub.json("hub", "list") == {"repositories": []}
    assert not [*Path(hub.place).rglob("mirror.git")]


def test_without_repos_nothing_changes(make: Make) -> None:
    """Not a field more."""
    repo = make("api")
    repo.tr.remember("Use WAL mode")

    answer = repo.json("recall", "wal")

    assert "repos" not in answer
    assert "repo" not in answer["results"][0]


@pytest.mark.parametrize("words", [["hub", "list"], ["recall", "x", "--repos", "all"]])
def test_a_place_that_is_no_folder_is_told(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "file").write_text("x")

    error = HubAtHand(tmp_path, str(tmp_path / "file")).error(*words)

    assert error["code"] == "hub_unavailable"
