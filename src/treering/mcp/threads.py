"""Work on threads, for the SDK's loop: it goes on answering while git and the index are at it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from treering.mcp.protocol import Progress

AT_ONCE = 8
Result = TypeVar("Result")
Report = Callable[[float, float], Awaitable[None]]


class Threads:
    """A few worker threads; each keeps its libgit2 handles from call to call."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="treering")
        self._underway: set[Progress] = set()

    async def run(self, work: Callable[[Progress], Result], report: Report) -> Result:
        loop = asyncio.get_running_loop()

        async def tell(done: int, total: int) -> None:
            await report(done, total)

        steps = Progress(
            lambda done, total: asyncio.run_coroutine_threadsafe(tell(done, total), loop)
        )
        self._underway.add(steps)
        try:
            return await loop.run_in_executor(self._pool, work, steps)
        except asyncio.CancelledError:
            steps.is_cancelled.set()
            raise
        finally:
            self._underway.discard(steps)

    def close(self) -> None:
        for steps in self._underway:
            steps.is_cancelled.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


@asynccontextmanager
async def threads(_: Any) -> AsyncIterator[Threads]:
    """The threads of one server, from its start to its end."""
    pool = Threads()
    try:
        yield pool
    finally:
        pool.close()
