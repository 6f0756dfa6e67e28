"""The embedded hub as people meet it: repositories added, updated, asked."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo
from hub.conftest import HubAtHand
from treering.hub.place import HubSetting
from treering.mcp.call import call
from treering.mcp.repository import ServedRepository
from treering.verbs import find_verb

Make = Callable[[str], Repo]


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
    assert find_word(hub, b"zebra") == []
    assert hub.titles("weather") == [("api", "The weather is fine")]


def find_word(hub: HubAtHand, word: bytes) -> list[Path]:
    """The files of a hub that hold a word."""
    files = [file for file in Path(hub.place).rglob("*") if file.is_file()]
    return [file for file in files if word in file.read_bytes()]


def test_what_was_taken_out_is_gone_from_every_file(hub: HubAtHand, make: Make) -> None:
    """And the name may be used again, by a repository that gets nothing of the first."""
    make("api").tr.remember("The zebra lies under the doormat")
    make("web").tr.remember("The weather is fine")
    for name in ("api", "web"):
        hub.json("hub", "add", name, str(hub.folder.parent / name))
    hub.update()
    assert find_word(hub, b"zebra") != []

    hub.json("hub", "remove", "api")

    assert find_word(hub, b"zebra") == []
    hub.json("hub", "add", "api", str(make("other").path))
    hub.update()
    assert hub.titles("zebra") == []
    assert hub.titles("weather") == [("web", "The weather is fine")]


def test_what_is_derived_may_be_deleted_at_any_time(hub: HubAtHand, make: Make) -> None:
    """Database and indexes are made again by whoever asks first."""
    repo = make("api")
    made = repo.tr.remember("Use WAL mode: readers never block")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()
    before = hub.json("recall", "wal", "--repos", "all")["results"]

    for file in Path(hub.place).glob("treering.db*"):
        file.unlink()
    shutil.rmtree(Path(hub.place) / "index")

    assert hub.json("recall", "wal", "--repos", "all")["results"] == before
    assert hub.json("read", f"api:{made.id}")["author"] == before[0]["author"]


def test_one_database_and_one_pair_of_indexes_answer(hub: HubAtHand, make: Make) -> None:
    for name in ("api", "web"):
        make(name).tr.remember(f"The {name} cache is warmed at night")
        hub.json("hub", "add", name, str(hub.folder.parent / name))
    hub.update()

    assert [file.name for file in Path(hub.place).glob("*.db")] == ["treering.db"]
    assert len([*Path(hub.place).rglob("index")]) == 1


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


def test_an_option_names_the_hub_before_all_else(
    hub: HubAtHand, make: Make, tmp_path: Path
) -> None:
    repo = make("api")
    repo.tr.remember("Use WAL mode")
    other = str(tmp_path / "another")

    hub.json("hub", "add", "api", str(repo.path), "--hub", other)
    hub.json("hub", "update", "--hub", other)

    assert hub.json("hub", "list") == {"repositories": []}
    answer = hub.json("recall", "wal", "--repos", "all", "--hub", other)
    assert [hit["repo"] for hit in answer["results"]] == ["api"]


def test_agents_of_a_repository_ask_the_hub(hub: HubAtHand, make: Make) -> None:
    """The same tools, with `repos`."""
    repo = make("api")
    repo.tr.remember("Use WAL mode: readers never block")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()
    served = ServedRepository(repo.path, hub=HubSetting(hub.place))

    answer = call(
        served, find_verb("recall"), {"query": "wal", "repos": "all"}, "x", lambda *_: None
    )

    assert not answer.is_error, answer.text
    assert json.loads(answer.text)["results"][0]["repo"] == "api"


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
