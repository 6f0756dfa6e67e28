"""Repositories elsewhere: over http, git's own protocol and ssh, and servers that say nothing."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from conftest import Repo
from hub.conftest import HubAtHand
from sync.servers import Server
from treering.hub import mirror
from treering.hub.folder import FolderHub

Make = Callable[[str], Repo]
Remote = Callable[[Repo], str]
TEXT = "Use WAL mode for the payment store"


class LockedServer(Server):
    """git's own http server, of which one folder is behind a password for reading, too."""

    def _serve(self) -> None:
        is_known = self.headers.get("Authorization") == f"Basic {self.password}"
        if "locked" in self.path and not is_known:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        super()._serve()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of the folder of remotes over http."""
    LockedServer.root = tmp_path
    server = ThreadingHTTPServer(("127.0.0.1", 0), LockedServer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_over_http_and_where_a_password_is_wanted(
    either: HubAtHand, make: Make, remote_of: Remote, served: str
) -> None:
    """Nobody is asked for it: the repository is named, and the others are updated."""
    for name in ("api", "locked"):
        repo = make(name)
        repo.tr.remember(TEXT)
        remote_of(repo)
        either.json("hub", "add", name, f"{served}/{name}.git")

    done = either.run("hub", "update")

    assert "1 updated, 1 failed" in done.stdout
    assert "Authentication failed" in done.stdout + done.stderr
    assert either.titles("wal payment") == [("api", TEXT)]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[str]:
    """git's own server."""
    if not shutil.which("git-daemon", path=_exec_path()):
        pytest.skip("NO GIT DAEMON on this machine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["git", "daemon", "--export-all", "--listen=127.0.0.1", f"--port={port}"]
    process = subprocess.Popen([*words, f"--base-path={tmp_path}"], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"git://127.0.0.1:{port}"
    process.terminate()
    process.wait()


def _exec_path() -> str:
    return subprocess.run(
        ["git", "--exec-path"], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_over_gits_own_protocol(hub: HubAtHand, make: Make, remote_of: Remote, daemon: str) -> None:
    repo = make("api")
    repo.tr.remember(TEXT)
    remote_of(repo)
    hub.json("hub", "add", "api", f"{daemon}/api.git")

    assert hub.update() == {"api": "updated"}
    assert hub.update() == {"api": "unchanged"}
    assert hub.titles("wal payment") == [("api", TEXT)]


def test_over_ssh_that_refuses(
    hub: HubAtHand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ssh said is told, not what git makes of it."""
    command = tmp_path / "ssh"
    command.write_text('#!/bin/sh\necho "Host key verification failed." >&2\nexit 255\n')
    command.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(command))
    hub.json("hub", "add", "api", "ssh://example.org/api.git")

    done = hub.run("hub", "update")

    assert "It cannot be reached: Host key verification failed." in done.stdout + done.stderr


@pytest.mark.parametrize("scheme", ["http", "git"])
def test_a_server_that_accepts_and_says_nothing_is_given_up(
    hub: HubAtHand, make: Make, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, and the others are updated."""
    monkeypatch.setattr(mirror, "LOOK_SECONDS", 1.0)
    repo = make("api")
    repo.tr.remember(TEXT)
    hub.json("hub", "add", "api", str(repo.path))
    folder = FolderHub(Path(hub.place))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        hub.json("hub", "add", "mute", f"{scheme}://127.0.0.1:{port}/x.git")

        results = [folder.update(name) for name in ("mute", "api")]

    assert "git did not answer within 1.0 seconds" in results[0].error
    assert hub.titles("wal payment") == [("api", TEXT)]


@pytest.mark.parametrize("kind", ["remote", "folder"])
def test_memories_that_a_host_keeps_as_branches(
    hub: HubAtHand, make: Make, remote_of: Remote, kind: str
) -> None:
    """And code on branches of such names is left where it is."""
    repo = make("api")
    repo.git("config", "treering.remoteprefix", "refs/heads/treering")
    repo.tr.remember(TEXT)
    url = remote_of(repo)
    repo.git("push", "-q", "origin", "HEAD:refs/heads/treering/fix/main")
    path = url.removeprefix("file://")
    hub.json("hub", "add", "api", url if kind == "remote" else path)

    assert hub.update() == {"api": "updated"}

    assert hub.titles("wal payment") == [("api", TEXT)]
    assert not hub.json("hub", "list")["repositories"][0]["behind"]
    mirror_refs = repo.git(
        "--git-dir", str(next(Path(hub.place).rglob("mirror.git"))), "for-each-ref"
    )
    assert "fix" not in mirror_refs
