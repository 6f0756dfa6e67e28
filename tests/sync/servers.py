"""git's own servers, on this machine alone: a remote is not always a path."""

import base64
import os
import shutil
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


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
    skip_without("http-backend")
    Server.root = origin.parent
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}/origin.git"
    server.shutdown()
    server.server_close()
    thread.join()


@contextmanager
def serve_git(root: Path) -> Iterator[str]:
    """`git daemon`, which lets everybody read and write what is in a folder; its address."""
    skip_without("daemon")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    daemon = subprocess.Popen(
        [
            *("git", "daemon", "--export-all", "--enable=receive-pack", f"--base-path={root}"),
            *("--listen=127.0.0.1", f"--port={port}", "--reuseaddr"),
        ],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(port)
        yield f"git://127.0.0.1:{port}"
    finally:
        os.killpg(daemon.pid, 15)
        daemon.wait()


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("git daemon does not answer")


def skip_without(command: str) -> None:
    """Leave a test out where git comes without a part of it, and say so."""
    folder = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True)
    if not shutil.which(f"git-{command}", path=folder.stdout.strip()):
        warnings.warn(f"git {command} is not here, and what needs it is not tested", stacklevel=2)
        pytest.skip(f"git {command} is not here")
