"""Work on threads: the loop goes on answering while git and the index are at it.

A call that the client gives up goes on until it next tells its progress, and ends there: long
work looks after itself between its steps, short work is done before anyone could stop it.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

_AT_ONCE = 8
_BETWEEN = 0.1  # seconds between two reports of progress
Result = TypeVar("Result")
Report = Callable[[float, float], Awaitable[None]]


class Cancelled(BaseException):
    """The client no longer waits. Like an interrupt it is no error that anyone should mend."""


class Progress:
    """What long work calls between its steps: tells the client, or ends the work."""

    def __init__(self, loop: asyncio.AbstractEventLoop, report: Report) -> None:
        self._loop = loop
        self._report = report
        self._told = time.monotonic()
        self.is_given_up = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        if self.is_given_up.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self._told >= _BETWEEN or done == total:
            self._told = now
            asyncio.run_coroutine_threadsafe(_tell(self._report, done, total), self._loop)


async def _tell(report: Report, done: int, total: int) -> None:
    await report(done, total)


class Threads:
    """A few worker threads; each keeps its libgit2 handles from call to call."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="treering")
        self._underway: set[Progress] = set()

    async def run(self, work: Callable[[Progress], Result], report: Report) -> Result:
        loop = asyncio.get_running_loop()
        steps = Progress(loop, report)
        self._underway.add(steps)
        try:
            return await loop.run_in_executor(self._pool, work, steps)
        except asyncio.CancelledError:
            steps.is_given_up.set()
            raise
        finally:
            self._underway.discard(steps)

    def close(self) -> None:
        for steps in self._underway:
            steps.is_given_up.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


@asynccontextmanager
async def threads(_: Any) -> AsyncIterator[Threads]:
    """The threads of one server, from its start to its end."""
    pool = Threads()
    try:
        yield pool
    finally:
        pool.close()
