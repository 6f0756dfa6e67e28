"""Work in a process of its own, whose answer is waited for only so long.

A client waits for its hooks, and kills those that take too long. So what asks for the disk or the
lock is done by a child that may take its time, and finish after us. No timer inside one process
could promise that, as a signal or thread waits for whatever C code holds the interpreter.
"""

import os
import select
import signal
import time
from collections.abc import Callable

_LIFETIME = 120  # seconds; a child that hangs for longer is of no use to anyone
_CHUNK = 65_536

Say = Callable[[bytes], None]


def answer_within(seconds: float, work: Callable[[Say], None]) -> bytes:
    """Return what `work` says, if it says it in time. Nothing is waited for after that."""
    until = time.monotonic() + seconds
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        _work(work, writing)
    os.close(writing)
    return _read(reading, until)


def _work(work: Callable[[Say], None], writing: int) -> None:
    """The child: in a session of its own, with none of the client's streams held open."""
    try:
        os.setsid()
        signal.alarm(_LIFETIME)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)

        def say(answer: bytes) -> None:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(answer)

        work(say)
    finally:
        os._exit(0)


def _read(reading: int, until: float) -> bytes:
    """The whole answer. Half of one counts as none."""
    answer = b""
    while True:
        seconds = until - time.monotonic()
        if seconds <= 0 or not select.select([reading], [], [], seconds)[0]:
            return b""
        part = os.read(reading, _CHUNK)
        if not part:
            return answer
        answer += part
