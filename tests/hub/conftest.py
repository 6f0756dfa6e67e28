"""Repositories, a remote and a hub, all of them real."""

import io
import json
import os
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from conftest import TREERING, Repo, make_repo
from treering.cli.main import main


class HubAtHand:
    """A hub as people use it: the program, outside of any repository."""

    def __init__(self, folder: Path, place: str) -> None:
        self.folder = folder
        self.place = place

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """In this process, which saves a second each time."""
        out, err = io.StringIO(), io.StringIO()
        before = os.environ.get("TREERING_HUB")
        os.environ["TREERING_HUB"] = self.place
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main(list(words))
        finally:
            os.environ.pop("TREERING_HUB")
            if before is not None:
                os.environ["TREERING_HUB"] = before
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    def start(self, *words: str) -> subprocess.Popen[str]:
        """As a process of its own, outside of any repository."""
        return subprocess.Popen(
            [str(TREERING), *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TREERING_HUB": self.place},
        )

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def error(self, *words: str) -> dict[str, str]:
        done = self.run(*words, "--json")
        assert done.returncode == 1, f"exit {done.returncode}: {done.stdout} {done.stderr}"
        error: dict[str, str] = json.loads(done.stderr)["error"]
        return error

    def update(self, *names: str) -> dict[str, str]:
        """What became of each repository."""
        done = self.run("hub", "update", *names, "--json")
        return {line["name"]: line["status"] for line in json.loads(done.stdout)["repos"]}

    def titles(self, query: str = "", *, repos: str = "all") -> list[tuple[str, str]]:
        answer = self.json("recall", query, "--repos", repos)
        return [(hit["repo"], hit["title"]) for hit in answer["results"]]


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], Repo]:
    """A repository with a commit, by name."""

    def make_one(name: str) -> Repo:
        repo = make_repo(tmp_path / name)
        repo.commit_file("README.md")
        return repo

    return make_one


@pytest.fixture
def remote_of(tmp_path: Path) -> Callable[[Repo], str]:
    """A bare repository that a repository pushes its code and memories to."""

    def make_remote(repo: Repo) -> str:
        path = tmp_path / f"{repo.path.name}.git"
        repo.git("init", "-q", "--bare", "-b", "main", str(path))
        repo.git("remote", "add", "origin", str(path))
        repo.git("push", "-q", "origin", "main")
        repo.tr.sync()
        return path.as_uri()

    return make_remote


@pytest.fixture
def hub(tmp_path: Path) -> HubAtHand:
    outside = tmp_path / "outside"
    outside.mkdir()
    return HubAtHand(outside, str(tmp_path / "the hub"))
