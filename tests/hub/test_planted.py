"""Links, pipes, folders and sockets in place of every file and folder of a hub: every verb ends."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import forking
from conftest import Repo
from hostile.test_planted_kinds import KINDS, LONGEST, plant
from hub.conftest import HubAtHand

VERBS = (
    ("recall", "tokens", "--repos", "all"),
    ("hub", "list"),
    ("hub", "status"),
    ("hub", "update"),
    ("hub", "grant", "ci", "--repos", "all"),
    ("hub", "revoke", "old"),
    ("hub", "remove", "api"),
)
FOLDERS = (
    "index",
    "state",
    "repositories",
    "repositories/api",
    "repositories/api/mirror.git",
)
#: Files of the user's own, called like what a killed update leaves.
OWN = ("victim", "tmp_idx_0123", "shallow.lock")


@pytest.fixture
def used(hub: HubAtHand, make: Callable[[str], Repo]) -> HubAtHand:
    make("api").tr.remember("Tokens are opaque", type="decision")
    hub.json("hub", "add", "api", str(hub.folder.parent / "api"))
    hub.update()
    hub.run("hub", "grant", "old", "--repos", "all")
    hub.titles("tokens")
    return hub


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A repository of the user's own, in which git is at work."""
    folder = tmp_path / "elsewhere"
    subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
    for name in OWN:
        (folder / name).write_bytes(b"mine\n")
        (folder / "objects" / "pack" / name).write_bytes(b"mine\n")
    return folder


def play(hub: HubAtHand, planted: str) -> None:
    environment = os.environ | {"TREERING_HUB": hub.place}
    for words in VERBS:
        try:
            done = forking.run(words, hub.folder, environment=environment, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{words} waits for {planted}")
        assert b"internal" not in done.stderr, f"{words} with {planted}: {done.stderr.decode()}"


def read_all(folder: Path) -> dict[str, bytes]:
    names = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


@pytest.mark.parametrize("kind", KINDS)
def test_every_verb_ends_where_all_files_of_a_hub_are_something_else(
    used: HubAtHand, elsewhere: Path, kind: str
) -> None:
    place, before = Path(used.place), read_all(elsewhere)
    names = [name for name in read_all(place) if "mirror.git" not in name]

    for name in names:
        plant(place / name, kind, elsewhere)
    play(used, f"{kind} for {len(names)} files")

    assert len(names) > 8
    assert read_all(elsewhere) == before


@pytest.mark.parametrize("name", FOLDERS)
def test_nothing_is_changed_behind_a_link_in_place_of_a_folder_of_a_hub(
    used: HubAtHand, elsewhere: Path, name: str
) -> None:
    folder, before = Path(used.place) / name, read_all(elsewhere)
    shutil.rmtree(folder, ignore_errors=True)
    folder.symlink_to(elsewhere, target_is_directory=True)

    play(used, f"a link for {name}")

    assert read_all(elsewhere) == before
