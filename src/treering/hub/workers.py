"""Updates in processes of their own, with limits: what a repository holds was made by others.

A history that takes for ever to join, a pack that would fill the disk or the memory: the worker
ends, its repository is named, and another worker goes on. Nothing of the parent's is shared but
the place of the hub. A worker that is done takes the next repository: what it learned about words
is half the work of a small one.
"""

import gc
import json
import os
import resource
import select
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from treering.errors import TreeringError
from treering.hub.hub import RepositoryHub, UpdateResult

#: Seconds for one repository, the first update of a large one included.
SECONDS = 1800.0
#: Bytes of one file: a pack of memories that is larger is not one of memories.
LARGEST_FILE = 4 * 1024**3
#: Repositories that are updated at once: most of the time of many is waiting for a network.
MOST_AT_ONCE = 4
_MOST_IN_A_ROW = 100  # repositories a worker takes, so that nothing piles up in it
_CHUNK = 65_536


def update_apart(hub: RepositoryHub, name: str, seconds: float = SECONDS) -> UpdateResult:
    """What `hub.update` says, or that it took too long or died."""
    [result] = update_each(hub, [name], seconds)
    return result


def update_each(
    hub: RepositoryHub, names: Iterable[str], seconds: float = SECONDS, at_once: int | None = None
) -> Iterator[UpdateResult]:
    """The same for several, as each is done."""
    names = list(names)
    count = min(at_once or min(MOST_AT_ONCE, os.cpu_count() or 1), len(names))
    workers: list[UpdateWorker] = []
    try:
        while names or workers:
            while names and len(workers) < count:
                workers.append(UpdateWorker.start(hub, workers))
                workers[-1].give(names.pop(0), seconds)
            for worker in _wait(workers):
                yield worker.result()
                if names and worker.is_fit:
                    worker.give(names.pop(0), seconds)
                else:
                    worker.end()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.kill()


def _wait(workers: "list[UpdateWorker]") -> "list[UpdateWorker]":
    """Those that have answered, ended, or used up their time."""
    while True:
        left = min(worker.until for worker in workers) - time.monotonic()
        pipes = select.select([worker.answers for worker in workers], [], [], max(left, 0))[0]
        done = [worker for worker in workers if worker.answers in pipes and worker.receive()]
        if done := done or [one for one in workers if one.until <= time.monotonic()]:
            return done


@dataclass
class UpdateWorker:
    """A child, and the repository it is at."""

    process: int
    orders: int
    answers: int
    name: str = ""
    seconds: float = 0.0
    until: float = 0.0
    count: int = 0
    said: bytes = b""
    is_fit: bool = True

    @classmethod
    def start(cls, hub: RepositoryHub, others: "list[UpdateWorker]") -> "UpdateWorker":
        orders_out, orders = os.pipe()
        answers, answers_in = os.pipe()
        child = os.fork()
        if child == 0:
            # Another's pipe that was open here would never end there, should the parent be killed.
            for pipe in (orders, answers, *(end for one in others for end in one.pipes)):
                os.close(pipe)
            _work(hub, orders_out, answers_in)
        os.close(orders_out)
        os.close(answers_in)
        return cls(child, orders, answers)

    @property
    def pipes(self) -> tuple[int, int]:
        return self.orders, self.answers

    def give(self, name: str, seconds: float) -> None:
        """The next repository."""
        self.name, self.seconds, self.said = name, seconds, b""
        self.until = time.monotonic() + seconds
        self.count += 1
        with suppress(OSError):  # it died, which its answers will tell
            os.write(self.orders, f"{name}\n".encode())

    def receive(self) -> bool:
        """Read what has come; whether it is a whole answer, or the worker's end."""
        part = os.read(self.answers, _CHUNK)
        self.said += part
        self.is_fit = bool(part) and self.count < _MOST_IN_A_ROW
        return not part or self.said.endswith(b"\n")

    def result(self) -> UpdateResult:
        """What became of the repository it was at."""
        if self.said.endswith(b"\n"):
            return UpdateResult(**json.loads(self.said))
        is_late, self.is_fit = self.until <= time.monotonic(), False
        status = self.kill()
        if is_late:
            message = f"It took more than {self.seconds:g} seconds."
        else:
            is_killed = os.WIFSIGNALED(status)
            how = f"signal {os.WTERMSIG(status)}" if is_killed else "an unknown error"
            message = f"The update ended by {how}."
        return UpdateResult(self.name, "failed", error=message)

    def end(self) -> None:
        """Let it go: it ends when no more orders come, and then what git left running does."""
        if self.process:
            os.close(self.orders)
            os.close(self.answers)
            os.waitpid(self.process, 0)
            with suppress(OSError):
                os.killpg(self.process, signal.SIGKILL)
            self.process = 0

    def kill(self) -> int:
        """End it with whatever it started; how it ended."""
        if not self.process:
            return 0
        child, self.process = self.process, 0
        os.close(self.orders)
        os.close(self.answers)
        is_over, status = os.waitpid(child, os.WNOHANG)
        for end in (os.killpg, os.kill):
            with suppress(OSError):
                end(child, signal.SIGKILL)
        return status if is_over else os.waitpid(child, 0)[1]


def _work(hub: RepositoryHub, orders: int, answers: int) -> None:
    """The child: in a session of its own, so that git and ssh below it end with it."""
    try:
        gc.freeze()  # what the parent made is not looked through again and again
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit is an error
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
        with os.fdopen(orders, encoding="utf-8") as names, os.fdopen(answers, "wb") as pipe:
            for name in names:
                result = _update(hub, name.removesuffix("\n"))
                pipe.write(json.dumps(result._asdict()).encode() + b"\n")
                pipe.flush()
    finally:
        os._exit(0)


def _update(hub: RepositoryHub, name: str) -> UpdateResult:
    try:
        return hub.update(name)
    except TreeringError as error:
        return UpdateResult(name, "failed", error=error.message)
    except MemoryError:
        return UpdateResult(name, "failed", error="It needs more memory than there is.")
