"""How far long work is, and whether anyone still waits for it.

A call that the client gives up goes on until it next tells its progress, and ends there: long
work looks after itself between its steps, short work is done before anyone could stop it.
"""

import threading
import time
from collections.abc import Callable

_BETWEEN = 0.1  # seconds between two reports of progress


class Cancelled(BaseException):
    """The client no longer waits. Like an interrupt it is no error that anyone should mend."""


class Progress:
    """What long work calls between its steps: tells the client, or ends the work."""

    def __init__(self, tell: Callable[[int, int], object]) -> None:
        self._tell = tell
        self._told = time.monotonic()
        self._done = 0
        self.is_cancelled = threading.Event()
        self.is_waited_for = True  # also when the client sends nothing any more

    def __call__(self, done: int, total: int) -> None:
        if self.is_cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        # The protocol wants each number to be greater than the one before.
        if done > self._done and (now - self._told >= _BETWEEN or done == total):
            self._told, self._done = now, done
            self._tell(done, total)
