"""The same over ssh and http: git does the talking, with whatever it is set up to use."""

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import Team, own_ref, remote_refs
from treering.errors import SyncRefused
from treering.sync import fetching


class Server(BaseHTTPRequestHandler):
    """git's own http server behind a password for writing."""

    root: Path
    password = base64.b64encode(b"ada:lovelace").decode()

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        path, _, query = self.path.partition("?")
        may_write = self.headers.get("Authorization") == f"Basic {self.password}"
        if "git-receive-pack" in self.path and not may_write:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        length = int(self.headers.get("Content-Length") or 0)
        done = subprocess.run(
            ["git", "-c", "http.receivepack=true", "http-backend"],
            input=self.rfile.read(length),
            capture_output=True,
            check=False,
            env=os.environ
            | {
                "GIT_PROJECT_ROOT": str(self.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type") or "",
                "CONTENT_LENGTH": str(length),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
                "REMOTE_USER": "ada" if may_write else "",
            },
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def served(origin: Path) -> Iterator[str]:
    """The address of the remote's folder over http."""
    Server.root = origin.parent
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}/origin.git"
    server.shutdown()
    server.server_close()
    thread.join()


def test_over_http_with_a_password(clone: Team, served: str) -> None:
    """Both ways; whoever has none may read, and is told what is missing to write."""
    ada, bob = clone("ada"), clone("bob")
    ada.git("remote", "set-url", "origin", f"http://ada:lovelace@{served}")
    bob.git("remote", "set-url", "origin", f"http://{served}")
    ada.tr.remember("Use WAL mode", type="decision")

    assert ada.tr.sync().pushed == 1
    assert bob.tr.sync("fetch").fetched == 1
    bob.tr.remember("Retry with jitter", type="pattern")
    with pytest.raises(SyncRefused) as error:
        bob.tr.sync()

    assert "permission" in error.value.hint
    assert bob.titles() == {"Use WAL mode", "Retry with jitter"}
    ada.git("remote", "set-url", "origin", f"http://{served}")
    assert ada.error("sync", "--remote", "nowhere")["code"] == "sync_refused"


def test_over_ssh_with_the_command_someone_chose(clone: Team, tmp_path: Path) -> None:
    """A stand-in for ssh, which runs what it is asked to run here."""
    command = tmp_path / "ssh"
    command.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n', encoding="utf-8")
    command.chmod(0o755)
    ada, bob = clone("ada"), clone("bob")
    for repo in (ada, bob):
        repo.git("config", "core.sshCommand", str(command))
        repo.git("config", "ssh.variant", "simple")
        repo.git("remote", "set-url", "origin", f"ssh://example.org{tmp_path}/origin.git")
    ada.tr.remember("Use WAL mode", type="decision")

    ada.tr.sync()
    bob.tr.sync()

    assert bob.titles() == {"Use WAL mode"}


def test_a_server_without_atomic_pushes_still_lets_promoted_scopes_go(
    clone: Team, origin: Path
) -> None:
    """First what was promoted, then the scope it came from."""
    Repo(origin).git("config", "receive.advertiseAtomic", "false")
    ada = clone("ada")
    ada.switch("work", create=True).commit_file("work.txt")
    ada.tr.remember("learned on work", type="insight")
    ada.tr.sync()
    ada.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "work")
    ada.git("branch", "-q", "-D", "work")
    ada.tr.gc()

    ada.tr.sync()

    assert list(remote_refs(ada)) == [own_ref(ada)]


@pytest.mark.parametrize("is_locked", [False, True])
def test_very_many_heads_come_at_once(
    clone: Team, monkeypatch: pytest.MonkeyPatch, is_locked: bool
) -> None:
    """Their refs are put into one file, without a folder for each; where git is at that file, they
    are fetched as few are. What moves later is followed either way."""
    monkeypatch.setattr(fetching, "_MANY", 2)
    people = [clone(name) for name in ("ada", "bob", "cleo", "dan")]
    for number, person in enumerate(people):
        person.tr.remember(f"fact {number}", type="insight")
        person.tr.sync("push")
    eve = clone("eve")
    lock = eve.path / ".git" / "packed-refs.lock"
    if is_locked:
        lock.touch()

    answer = eve.tr.sync()

    lock.unlink(missing_ok=True)
    assert eve.titles() == {f"fact {number}" for number in range(4)}
    assert answer.notes is None
    place = "refs/treering/remotes/origin/clones/"
    assert len([ref for ref in eve.refs() if ref.startswith(place)]) == 4
    assert (eve.path / ".git" / place).exists() is is_locked
    for number, person in enumerate(people):
        person.tr.remember(f"news {number}", type="insight")
        person.tr.sync()
    eve.tr.sync()
    assert len(eve.titles()) == 8
    assert eve.git("fsck") == ""
