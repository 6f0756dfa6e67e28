"""Standard input and output as the wire: one JSON message a line, and nothing else on it.

The SDK has such a transport, but takes longer to import than most clients wait before they show
their tools, and hands each message through three threads. Here lines are read on one thread and
answered on the one that has the answer. What was asked before the input ended is still answered.
"""

import os
import select
import threading
from typing import TYPE_CHECKING

from treering.mcp.conversation import Conversation, Work
from treering.mcp.protocol import CutLine, Message, encode

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from treering.mcp.methods import Methods

_FINISH_TIMEOUT = 10.0  # seconds for calls under way when the input ends
_PIECE = 64 * 1024
_THREADS = 8
LONGEST = 8 * 1024 * 1024


def serve(methods: "Methods") -> None:
    """Serve one client until it closes its end."""
    wire = Wire()
    workers = Workers()
    conversation = Conversation(methods, wire.send, workers.start)
    while (line := wire.read_line()) is not None:
        conversation.hear(line)
    if not wire.is_broken:
        conversation.finish(_FINISH_TIMEOUT)


class Workers:
    """A few threads, made when there is something to do; each keeps its libgit2 handles."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None

    def start(self, work: Work) -> None:
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # not before the handshake

            self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="treering")
        self._pool.submit(work)


class Wire:
    """The two descriptors: lines from one, messages to the other."""

    def __init__(self) -> None:
        self._source, self._sink = _take(0), _take(1)
        self._lock = threading.Lock()
        self._wake, self._waker = os.pipe()
        self._rest = bytearray()
        self._is_at_end = False
        self.is_broken = False

    # --- reading ----------------------------------------------------------------------------------

    def read_line(self) -> bytes | None:
        """The next line, without its end; of one that is too long, its beginning. None where there
        is none any more, or nobody reads what we write."""
        length = 0
        while (at := self._rest.find(b"\n", length)) < 0:
            length = len(self._rest)
            if length > LONGEST:
                return self._pass_over()
            if not self._read_more():
                line, self._rest = bytes(self._rest), bytearray()
                return line or None
        line = bytes(self._rest[:at])
        del self._rest[: at + 1]
        return line

    def _read_more(self) -> bool:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        ready = [fd for fd, _ in poll.poll()]
        if self._wake in ready or self._is_at_end:
            return False
        part = os.read(self._source, _PIECE)
        self._is_at_end = not part
        self._rest += part
        return bool(part)

    def _pass_over(self) -> CutLine:
        """The beginning of a line without end, and what comes after it stays to be read."""
        start = CutLine(self._rest[:_PIECE])
        self._rest.clear()
        while self._read_more():
            at = self._rest.find(b"\n")
            if at >= 0:
                del self._rest[: at + 1]
                break
            self._rest.clear()
        return start

    # --- writing ----------------------------------------------------------------------------------

    def send(self, message: Message) -> None:
        """Write one message, whole, whichever thread has it."""
        data = memoryview(encode(message))
        with self._lock:
            try:
                while data and not self.is_broken:
                    data = data[os.write(self._sink, data) :]
            except OSError:  # nobody is there to read any answer
                self.is_broken = True
                os.write(self._waker, b"x")


def _take(fd: int) -> int:
    """The wire on a descriptor of its own: what else prints goes to standard error, and what reads
    finds nothing, so that no stray word of a library or a child can break a message."""
    wire_fd = os.dup(fd)
    other = os.open(os.devnull, os.O_RDONLY) if fd == 0 else os.dup(2)
    os.dup2(other, fd)
    os.close(other)
    return wire_fd
