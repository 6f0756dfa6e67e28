"""Links, pipes, folders and sockets in place of every file treering opens: every verb ends."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import forking
from conftest import Repo

KINDS = ("pipe", "folder", "socket", "link", "link to a pipe", "another user's")
#: Folders of ours, and those that git makes for us.
FOLDERS = (
    "treering",
    "treering/journal",
    "treering/state",
    "treering/index",
    "treering/private.git",
    "logs/refs/treering",
    "hooks",
)
#: SQLite's own, which come and go, and what a kill may leave.
BESIDE = ("treering/treering.db-wal", "treering/treering.db-shm", "treering/treering.db-journal")
OWN = ("victim", "VERSION.txt", "sorting-out", "notes.0123456789abcdef", "rows.lock")
VERBS = (
    ("remember", "Rotate tokens weekly"),
    ("recall", "tokens", "--limit", "1"),
    ("context", "--task", "tokens"),
    ("checkpoint",),
    ("hook", "work", "post-merge"),
    ("hook", "agent", "claude", "SessionStart"),
    ("status",),
    ("gc",),
    ("doctor",),
    ("init", "--client", "claude"),
)
#: The others, which open no files but these.
OTHER_VERBS = (
    ("sync",),
    ("log",),
    ("why", "a.py"),
    ("guard",),
    ("review",),
    ("graph",),
    ("diff",),
    ("entities",),
    ("prompts",),
    ("restore",),
    ("maintain", "enrich"),
    ("backfill",),
    ("export",),
    ("reindex",),
    ("uninstall", "--dry-run"),
)
#: Seconds for one verb, of which the lock may be waited for ten, on a machine that is busy.
LONGEST = 30


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory, _seed: Path) -> Path:
    """A repository in which everything that leaves a file was done."""
    folder = tmp_path_factory.mktemp("used") / "repo"
    shutil.copytree(_seed, folder)
    repo = Repo(folder)
    repo.now += 60
    repo.cli("init", "--client", "claude")
    repo.cli("remember", "Tokens are opaque", "--type", "decision")
    repo.cli("remember", "Tokens are mine", "--private")
    repo.commit_file("a.py")
    repo.cli("backfill", "--all")
    repo.cli("recall", "--limit", "1")
    repo.cli("checkpoint", "save", "half way")
    start = json.dumps({"cwd": str(folder), "session_id": "s1"})
    repo.cli("hook", "agent", "claude", "SessionStart", feed=start)
    repo.cli("gc")
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with files of the user's own, which are old and may be called like ours."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name in OWN:
        (folder / name).write_bytes(b"mine\n")
        os.utime(folder / name, (1_000_000, 1_000_000))
    return folder


def opened(git_dir: Path) -> list[str]:
    """The files of ours below a git directory; objects are git's."""
    found = [*git_dir.glob("treering*.lock"), *(git_dir / "treering").rglob("*")]
    found += (git_dir / "logs" / "refs" / "treering").rglob("*")
    found += (git_dir / "hooks").glob("p*[a-z]")
    names = [str(path.relative_to(git_dir)) for path in found if path.is_file()]
    return sorted({*(name for name in names if "/objects/" not in name), *BESIDE})


def plant(path: Path, kind: str, elsewhere: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "another user's":
        if os.geteuid() != 0:
            pytest.skip("only root can give a file to somebody else")
        path.touch()
        os.chown(path, 4711, -1)
        return
    path.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "socket":
            with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as one:
                one.bind(path.name)  # a socket's name has at most 107 bytes
        case "link":
            path.symlink_to(elsewhere / "victim")
        case _:
            if not (elsewhere / "pipe").exists():
                os.mkfifo(elsewhere / "pipe")
            path.symlink_to(elsewhere / "pipe")


def play(repo: Repo, planted: str, verbs: Sequence[tuple[str, ...]] = VERBS) -> None:
    """Some verbs, each as a process that is stopped, and fails the test, where it waits."""
    feed = json.dumps({"cwd": str(repo.path), "session_id": "s2"}).encode()
    for words in verbs:
        try:
            done = forking.run(words, repo.path, feed, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{words} waits for {planted}")
        assert b"internal" not in done.stderr, f"{words} with {planted}: {done.stderr.decode()}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_verb_ends_where_all_files_are_something_else(
    used: Path, tmp_path: Path, elsewhere: Path, kind: str
) -> None:
    """All but the locks, without which nothing is written at all."""
    repo = Repo(Path(shutil.copytree(used, tmp_path / "repo", symlinks=True)))
    git_dir = repo.path / ".git"
    names = [name for name in opened(git_dir) if not name.endswith(".lock")]

    for name in names:
        plant(git_dir / name, kind, elsewhere)
    play(repo, f"{kind} for {len(names)} files", (*VERBS, *OTHER_VERBS))

    assert len(names) > 15
    assert (elsewhere / "victim").read_bytes() == b"mine\n"
    assert "Tokens are opaque" in repo.git("log", "--all", "-p", "--format=")


@pytest.mark.parametrize("name", FOLDERS)
def test_nothing_is_made_behind_a_link_in_place_of_a_folder(
    used: Path, tmp_path: Path, elsewhere: Path, name: str
) -> None:
    repo = Repo(Path(shutil.copytree(used, tmp_path / "repo", symlinks=True)))
    folder = repo.path / ".git" / name
    shutil.rmtree(folder)
    folder.symlink_to(elsewhere, target_is_directory=True)

    play(repo, f"a link for {name}")

    left = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    assert left == dict.fromkeys(OWN, b"mine\n"), name


@pytest.mark.parametrize("kind", KINDS)
def test_git_never_waits_for_what_its_hooks_find(
    used: Path, tmp_path: Path, elsewhere: Path, kind: str
) -> None:
    """Neither a commit nor a push, nor is anything written through a link."""
    repo = Repo(Path(shutil.copytree(used, tmp_path / "repo", symlinks=True)))
    git_dir = repo.path / ".git"
    repo.git("init", "-q", "--bare", str(tmp_path / "origin"))
    repo.git("remote", "add", "origin", str(tmp_path / "origin"))
    repo.cli("config", "sync", "wait")
    for name in ("worker", "pushing", "guard"):
        plant(git_dir / "treering" / name, kind, elsewhere)
    plant(git_dir / "treering-worker.lock", kind, elsewhere)

    for words in (("commit", "-q", "--allow-empty", "-m", "one"), ("push", "-q", "origin", "main")):
        try:
            done = subprocess.run(
                ["git", *words], cwd=repo.path, timeout=LONGEST, check=False, capture_output=True
            )
        except subprocess.TimeoutExpired:
            pytest.fail(f"git {words[0]} waits for a {kind}")
        assert done.returncode == 0, done.stderr

    left = {name: (elsewhere / name).read_bytes() for name in OWN}
    assert left == dict.fromkeys(OWN, b"mine\n")


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_every_verb_ends_where_one_file_is_something_else(
    used: Path, tmp_path: Path, elsewhere: Path, kind: str
) -> None:
    for number, name in enumerate(opened(used / ".git")):
        repo = Repo(Path(shutil.copytree(used, tmp_path / str(number), symlinks=True)))
        plant(repo.path / ".git" / name, kind, elsewhere)
        play(repo, f"{kind} for {name}")
        assert (elsewhere / "victim").read_bytes() == b"mine\n"
