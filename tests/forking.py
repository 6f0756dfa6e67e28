"""The program as a process that need not import everything anew: forked off one that did.

To start Python and to import the program is nine tenths of what a short command costs. A server has
imported it and has run nothing of it. For each command it forks a process with arguments, a folder,
an environment and streams of its own. Tests about the start itself start the program.
"""

import atexit
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("treering")
# Variables that Python and libgit2 read when they start: a server that started with others cannot
# stand in.
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "TZ", "HOME", "XDG_", "GIT_CONFIG")
# What few commands use, and what needs extras.
NOT_IMPORTED = ("treering.hub.postgres", "treering.mcp.http", "treering.web", "treering.__main__")


def run(
    arguments: tuple[str, ...],
    folder: Path,
    feed: bytes = b"",
    environment: Mapping[str, str] = os.environ,
    timeout: float = 120,
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a folder, as a process of its own."""
    server = _server()
    if _settings(environment) == server.settings:
        return server.run(arguments, folder, feed, environment, timeout)
    return subprocess.run(
        [str(PROGRAM), *arguments],
        cwd=folder,
        input=feed,
        env=environment,
        timeout=timeout,
        capture_output=True,
        check=False,
    )


@cache
def _server() -> "Server":
    return Server()


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in environment.items() if key.startswith(READ_AT_START)}


class Server:
    """A process that has the program imported. It ends with the process that started it."""

    def __init__(self) -> None:
        self.settings = _settings(os.environ)
        self._lock = threading.Lock()
        self._requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.close)

    def close(self) -> None:
        self._requests.close()
        self._process.wait()

    def run(
        self,
        arguments: tuple[str, ...],
        folder: Path,
        feed: bytes,
        environment: Mapping[str, str],
        timeout: float,
    ) -> subprocess.CompletedProcess[bytes]:
        request = json.dumps([[str(PROGRAM), *arguments], str(folder), dict(environment)])
        pipes = [os.pipe() for _ in range(5)]
        (asked, ask), (stdin, fill), (out, stdout), (err, stderr), (told, tell) = pipes
        theirs = [asked, stdin, stdout, stderr, tell]
        with self._lock:
            socket.send_fds(self._requests, [b"."], theirs)
        for number in theirs:
            os.close(number)
        with ThreadPoolExecutor(3) as pool, os.fdopen(told) as status:
            pool.submit(_write, ask, request.encode())
            pool.submit(_write, fill, feed)
            errors = pool.submit(_read, err)
            limit = threading.Timer(timeout, os.kill, (int(status.readline()), signal.SIGKILL))
            limit.start()
            output = _read(out)
            code = int(status.read())
            limit.cancel()
        if limit.finished.is_set() and code == -signal.SIGKILL:
            raise subprocess.TimeoutExpired(arguments, timeout)
        return subprocess.CompletedProcess(arguments, code, output, errors.result())


def _read(number: int) -> bytes:
    with os.fdopen(number, "rb") as file:
        return file.read()


def _write(number: int, data: bytes) -> None:
    """Write all of it, or as much as the reader wants."""
    with os.fdopen(number, "wb", buffering=0) as file:
        try:
            while data:
                data = data[file.write(data) :]
        except BrokenPipeError:
            return


def _serve(requests: socket.socket) -> None:
    """Import the program, then fork for each request that comes."""
    sys.path[0] = str(PROGRAM.parent)
    from treering.git.deferral import defer_pygit2

    defer_pygit2()
    import treering
    from treering.cli import start

    for module in pkgutil.walk_packages(treering.__path__, "treering."):
        if not module.name.startswith(NOT_IMPORTED):
            importlib.import_module(module.name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who ends is waited for by nobody
    signal.signal(signal.SIGINT, signal.default_int_handler)
    while numbers := socket.recv_fds(requests, 1, 5)[1]:
        if os.fork() == 0:
            requests.close()
            _run(start.run, *numbers)
        for number in numbers:
            os.close(number)


def _run(start: Callable[[], None], asked: int, *streams: int) -> None:
    """Run one command in a process of its own, and tell how it ended."""
    *standard, tell = streams
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    command = os.fork()
    if command == 0:
        sys.argv, folder, environment = json.loads(_read(asked))
        for target, number in enumerate(standard):
            os.dup2(number, target)
        for number in streams:
            os.close(number)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        start()
    for number in (asked, *standard):
        os.close(number)
    os.write(tell, f"{command}\n".encode())
    _, status = os.waitpid(command, 0)
    os.write(tell, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
