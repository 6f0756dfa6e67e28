"""Files planted where derived ones belong: nothing in them runs, and no link leads out.

A folder of a cloned repository may itself be a repository, with an index, caches and links its
author made; they belong to whoever cloned it, so that no owner check tells them from our own.
"""

import json
import os
import pickle
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.read import keep_output
from treering.actions.workspace import Workspace

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of Whoosh's escapes
    from whoosh.fields import ID, Schema
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import TOC

TEXTS = ("Use WAL mode: readers never block", "Cache rendered templates", "Retry the webhook")
QUESTION = "wal readers"


class Bomb:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = str(marker)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.marker,)


def put_away(folder: Path) -> None:
    """In one move: a process in the background may still be at work in there."""
    folder.rename(Path(tempfile.mkdtemp(dir=folder.parent.parent.parent)) / "used")


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """A repository with every kind of derived file in it."""
    repo.cli("backfill", "--all")  # without records the whole index is not made
    for text in TEXTS:
        repo.cli("remember", text)
        repo.cli("recall", "--limit", "1")
    return repo


def derived(repo: Repo) -> list[Path]:
    folder = repo.path / ".git" / "treering"
    found = [path for name in ("index", "state") for path in (folder / name).rglob("*")]
    found += [folder / "treering.db", *folder.glob("treering.db-*")]
    return sorted(path for path in found if path.is_file())


def repo_titles(repo: Repo) -> list[str]:
    """What the program finds."""
    return [hit["title"] for hit in repo.json("recall", QUESTION)["results"]]


def use(repo: Repo) -> None:
    """Everything that reads or writes derived files, as new processes would."""
    assert repo.tr.remember("Rotate tokens weekly").id
    workspace = Workspace.open(repo.path, clock=repo.clock, one_shot=True)
    brief = Treering(workspace)
    assert [hit.title for hit in brief.recall(QUESTION, limit=1).results] == [TEXTS[0]]
    assert brief.recall(limit=1).cursor
    keep_output(workspace, "an answer that was cut")
    assert repo.tr.context(task=QUESTION)["text"]
    assert repo.tr.reindex().indexed
    repo.tr.doctor()


def _plain(bomb: Bomb, path: Path) -> bool:
    path.write_bytes(pickle.dumps(bomb))
    return True


def _as_a_table_of_contents(bomb: Bomb, path: Path) -> bool:
    """Whoosh's own list of segments, of a later generation than any."""
    if path.suffix != ".toc":
        return False
    TOC(Schema(id=ID), [bomb], 99).write(FileStorage(str(path.parent)), path.name.split("_")[1])
    return True


@pytest.mark.parametrize("plant", [_plain, _as_a_table_of_contents])
def test_no_planted_pickle_is_ever_loaded(
    indexed: Repo, tmp_path: Path, plant: Callable[[Bomb, Path], bool]
) -> None:
    """In place of each derived file in turn, and as a list of segments beside it."""
    marker, kept = tmp_path / "it-ran", tmp_path / "kept"
    folder = indexed.path / ".git" / "treering"
    shutil.copytree(folder, kept)
    files = [path.relative_to(folder) for path in derived(indexed)]

    for name in files:
        if not plant(Bomb(marker), folder / name):
            continue

        assert repo_titles(indexed)[0] == TEXTS[0], name
        use(indexed)
        assert not marker.exists(), name
        put_away(folder)
        shutil.copytree(kept, folder)
    assert len(files) >= 6


def test_an_index_planted_in_a_bare_repository_runs_nothing(indexed: Repo, tmp_path: Path) -> None:
    """A cloned repository whose folder `docs` is a bare repository with an index in it."""
    marker, cloned = tmp_path / "it-ran", tmp_path / "cloned"
    bare = cloned / "docs"
    cloned.mkdir()
    indexed.git("clone", "-q", "--mirror", ".", str(bare))
    shutil.copytree(indexed.path / ".git" / "treering", bare / "treering")
    for file in list((bare / "treering" / "index").iterdir()):
        _as_a_table_of_contents(Bomb(marker), file)
    there = Repo(bare)

    there.cli("recall", QUESTION)
    there.cli("hook", "agent", "claude", "SessionStart", feed=json.dumps({"cwd": str(bare)}))
    named = there.cli("-C", str(bare), "recall", QUESTION)

    assert not marker.exists()
    assert named.returncode != 0 or TEXTS[0] in named.stdout


# --- links ----------------------------------------------------------------------------------------


@pytest.fixture
def treasure(tmp_path: Path) -> Iterator[Path]:
    """A folder of the user's own; nothing in it may change."""
    folder = tmp_path / "home" / "documents"
    (folder / "data-old").mkdir(parents=True)
    for number in range(20):
        (folder / f"{number:012x}").write_text(f"letter {number}", encoding="utf-8")
    (folder / "data-old" / "thesis").write_text("years of work", encoding="utf-8")
    os.utime(folder / "data-old", (1, 1))
    before = _contents(folder)
    yield folder
    assert _contents(folder) == before


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(
    "name", ["index", "state", "state/pages", "state/outputs", "index/sorting-1"]
)
def test_a_link_in_place_of_a_derived_folder_is_not_followed(
    indexed: Repo, treasure: Path, name: str
) -> None:
    """Old pages, temporary files and abandoned builds are deleted: never those of somebody else."""
    folder = indexed.path / ".git" / "treering"
    planted = folder / name
    shutil.rmtree(planted, ignore_errors=True)
    planted.parent.mkdir(exist_ok=True)
    planted.symlink_to(treasure, target_is_directory=True)

    use(indexed)


def test_a_link_in_place_of_our_folder_is_not_followed(indexed: Repo, treasure: Path) -> None:
    """Nor where all of it lies elsewhere."""
    folder = indexed.path / ".git" / "treering"
    put_away(folder)
    folder.symlink_to(treasure, target_is_directory=True)

    use(indexed)


def test_links_in_place_of_derived_files_are_neither_read_nor_written(
    indexed: Repo, treasure: Path, tmp_path: Path
) -> None:
    """Each of them in turn leads to a letter, then to a place where nothing is yet."""
    letter = treasure / f"{3:012x}"
    folder, kept = indexed.path / ".git" / "treering", tmp_path / "kept"
    shutil.copytree(folder, kept)
    for name in [path.relative_to(folder) for path in derived(indexed)]:
        for target in (letter, treasure / "not-there-yet"):
            (folder / name).unlink()
            (folder / name).symlink_to(target)

            use(indexed)

            put_away(folder)
            shutil.copytree(kept, folder, dirs_exist_ok=True)


def test_derived_files_of_another_user_are_left_alone(
    indexed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a group that shares a repository, each has an index and pages of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = indexed.path / ".git" / "treering"
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    for path in [folder / "index", folder / "state", *derived(indexed)]:
        os.chown(path, 4711, -1)
    before = _contents(folder)

    first = indexed.json("recall", "--limit", "1")
    second = indexed.json("recall", "--limit", "1", "--cursor", first["cursor"])

    assert first["results"][0]["id"] != second["results"][0]["id"]
    assert list((tmp_path / "cache" / "treering").rglob("*.toc"))
    assert {n: d for n, d in _contents(folder).items() if "state-" not in n} == before
