"""Pipes, folders, sockets and links where files of derived state belong."""

import os
import socket
from pathlib import Path

import pytest

from conftest import Repo
from treering.derived import database


def _plant(place: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if place.is_dir():
        place.rename(place.with_name("aside"))
    place.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to(place.parent / "nowhere")
        case _:
            monkeypatch.chdir(place.parent)  # the path of a socket must be short
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(place.name)


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("index", "pipe", "index-damaged"),
        ("index", "link", "index-damaged"),
        ("index/VERSION", "pipe", "index-damaged"),
        ("index/_knowledge_1.toc", "folder", "index-damaged"),
        ("index/knowledge_WRITELOCK", "socket", "index-damaged"),
        ("index/records_WRITELOCK", "folder", "index-damaged"),
        ("treering.db", "pipe", "database-damaged"),
        ("treering.db", "folder", "database-damaged"),
        ("treering.db-wal", "link", "database-damaged"),
    ],
)
def test_doctor_names_it_and_puts_it_right(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, name: str, kind: str, code: str
) -> None:
    repo.tr.remember("Cache the totals", type="decision")
    repo.tr.remember("Add up totals once", type="commit")
    repo.tr.recall("totals")
    database.close_all()
    place = repo.path / ".git" / "treering" / name
    _plant(place, kind, monkeypatch)

    seen = repo.tr.doctor(dry_run=True)
    mended = repo.tr.doctor()
    after = repo.tr.doctor()

    assert [(found.code, found.fixed) for found in seen.findings] == [(code, False)]
    assert f"{place.name} is a {kind}" in seen.findings[0].message
    assert (code, True) in [(found.code, found.fixed) for found in mended.findings]
    assert (mended.ok, after.findings) == (True, ())
    assert len(repo.tr.recall("totals").results) == 2
    assert not place.is_symlink()
    assert not place.exists() or place.is_dir() == (name == "index")
