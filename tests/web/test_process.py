"""`treering web` as a program: what it prints, where it listens, how it ends."""

import http.client
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from conftest import TREERING, Repo

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{20,})")


class ServedPage:
    """A running server, the line it printed, and its port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [TREERING, "web", "--no-open", *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.line = self.process.stdout.readline().strip()
        match = ADDRESS.fullmatch(self.line)
        assert match, (self.line, self.process.poll())
        self.port, self.token = int(match[1]), match[2]

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        self.body = answer.read().decode()
        connection.close()
        return answer

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        output, errors = self.process.communicate(timeout=30)
        assert "Traceback" not in errors
        assert output == ""
        return self.process.returncode


def test_a_line_with_the_address_and_an_end_without_trouble(repo: Repo) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    served = ServedPage(repo.path)
    try:
        assert served.get("/").status == 403
        entered = served.get(f"/?token={served.token}")
        cookie = entered.headers["set-cookie"].partition(";")[0]
        assert served.get("/search?q=wal", Cookie=cookie).status == 200
        assert "Use WAL mode" in served.body
    finally:
        code = served.end()

    assert code == 0


def test_ctrl_c_ends_it_quietly(repo: Repo) -> None:
    served = ServedPage(repo.path)

    assert served.end(signal.SIGINT) in (0, 130)


def test_only_this_machine_is_served(repo: Repo) -> None:
    """The address it listens on is the loopback's, and no other's."""
    served = ServedPage(repo.path)
    try:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        port = f"{served.port:04X}"
        listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port}")}
    finally:
        served.end()

    assert listening == {f"0100007F:{port}"}


def test_a_taken_port_is_an_error(repo: Repo) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        error = repo.error("web", "--no-open", "--port", str(port))

    assert error["code"] == "storage_failed"
    assert str(port) in error["message"]


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_is_none(repo: Repo, port: str) -> None:
    assert repo.error("web", "--no-open", "--port", port)["code"] == "invalid"


def test_outside_a_repository(tmp_path: Path) -> None:
    done = subprocess.run(
        [TREERING, "web", "--no-open", "--json"],
        cwd=tmp_path,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert '"not_a_repository"' in done.stderr


def test_an_empty_repository_has_a_page(empty_repo: Repo) -> None:
    """Nothing is committed and nothing known: every view says so."""
    from web.pages import Browser

    page = Browser(empty_repo)

    for path in (
        "/", "/search", "/branches", "/files", "/review", "/graph", "/branches/main", "/told",
        "/remember",
    ):  # fmt: skip
        assert page.get(path).status == 200, path


def test_a_bare_repository_has_a_page(repo: Repo, tmp_path: Path) -> None:
    from web.pages import Browser

    subprocess.run(["git", "clone", "-q", "--bare", repo.path, tmp_path / "bare.git"], check=True)
    bare = Repo(tmp_path / "bare.git")
    bare.tr.remember("Use WAL mode", type="decision")
    page = Browser(bare)

    for path in ("/", "/search?q=wal", "/branches", "/files", "/files/README.md", "/review"):
        assert page.get(path).status == 200, path
