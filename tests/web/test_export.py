"""The page as files: it can be read from a disk, and holds what may be shown."""

import re
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo


def export(repo: Repo, folder: Path, *options: str) -> dict[str, str]:
    """Every page, by its name."""
    repo.json("export", "--html", str(folder), *options)
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.html")
    }


@pytest.fixture
def known(repo: Repo) -> Repo:
    repo.commit_file("src/db.py", "timeout = 30\n")
    one = repo.tr.remember("Use WAL mode", type="decision", files=["src/db.py"], tags=["db"])
    two = repo.tr.remember("Readers never block, see treering://memory/" + one.id)
    repo.tr.link(two.id, one.id, relation="depends_on")
    repo.tr.remember("The plan I keep to myself", private=True, files=["src/db.py"])
    return repo


def test_every_link_leads_to_a_file(known: Repo, tmp_path: Path) -> None:
    pages = export(known, tmp_path / "page")

    assert {"index.html", "search.html", "branches.html", "files.html", "graph.html",
            "files/src/db.py.html"} <= pages.keys()  # fmt: skip
    for name, text in pages.items():
        for address in re.findall(r'(?:href|src)="([^"]*)"', text):
            file, _, _ = address.partition("#")
            assert not address.startswith(("/", "http")), (name, address)
            assert not file or (tmp_path / "page" / name).parent.joinpath(file).is_file(), address


def test_nothing_can_be_sent_and_no_script_runs(known: Repo, tmp_path: Path) -> None:
    for name, text in export(known, tmp_path / "page").items():
        assert "<form" not in text, name
        assert "<script" not in text, name


def test_private_memories_stay_unless_asked_for(known: Repo, tmp_path: Path) -> None:
    without = "".join(export(known, tmp_path / "shared").values())
    whole = "".join(export(known, tmp_path / "whole", "--private").values())

    assert "Use WAL mode" in without
    assert "myself" not in without
    assert "The plan I keep to myself" in whole


def test_a_branch_can_be_exported(known: Repo, tmp_path: Path) -> None:
    known.switch("feature", create=True).commit_file("f")
    known.tr.remember("Sessions live in Redis", type="decision")
    known.switch("main")

    assert "Redis" not in export(known, tmp_path / "main")["index.html"]
    assert "Redis" in export(known, tmp_path / "page", "--branch", "feature")["index.html"]


def test_all_and_html_exclude_each_other(known: Repo, tmp_path: Path) -> None:
    assert known.error("export", "--html", str(tmp_path / "page"), "--all")["code"] == "invalid"


def test_it_is_read_from_the_disk(known: Repo, tmp_path: Path, chromium: Any) -> None:
    export(known, tmp_path / "page")
    tab = chromium.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))

    tab.goto((tmp_path / "page" / "index.html").as_uri())
    tab.get_by_role("link", name="Files", exact=True).click()
    tab.get_by_role("link", name="src/", exact=True).click()
    tab.get_by_role("link", name="db.py", exact=True).click()
    tab.get_by_role("link", name="Use WAL mode").first.click()

    assert tab.get_by_role("heading", level=1).inner_text() == "Use WAL mode"
    assert tab.evaluate("getComputedStyle(document.body).display") == "grid"  # it has its style
    assert all(url.startswith("file://") for url in asked)
    tab.close()


@pytest.mark.parametrize("name", ["index.html", "memory/old.html"])
def test_no_file_is_replaced_and_no_older_page_stays(
    known: Repo, tmp_path: Path, name: str
) -> None:
    """What lies in the folder may be somebody's site, or an export with private memories."""
    file = tmp_path / "page" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")

    error = known.error("export", "--html", str(tmp_path / "page"))

    assert error["code"] == "invalid"
    assert file.read_text(encoding="utf-8") == "mine"
    command = error["hint"].strip("`").split()
    assert known.cli(*command[1:]).returncode == 0
