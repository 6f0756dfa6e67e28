"""A command of the user's own: fed once, read once, within a deadline and a size.

It is started without a shell, in a session of its own, so that everything it started itself ends
with it when time is up.
"""

import contextlib
import os
import shlex
import signal
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from treering.errors import WriterFailed

if TYPE_CHECKING:
    from subprocess import Popen

_LONGEST_COMPLAINT = 300


def answer_of(line: str, feed: bytes, *, cwd: Path, seconds: float, most: int) -> bytes:
    """What the command prints; WriterFailed where it fails, takes too long or says too much."""
    import subprocess
    import tempfile

    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                _words(line),
                cwd=cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,
            )
        except OSError as error:
            raise WriterFailed(f"The writer cannot be started: {error.strerror}.") from error
        with process:
            answer, is_late = _exchange(process, feed, seconds, most)
        if is_late:
            raise WriterFailed(f"The writer took longer than {seconds:g} seconds.")
        if len(answer) > most:
            raise WriterFailed(f"The writer wrote more than {most // 1024} KB.")
        if process.returncode:
            raise WriterFailed(
                f"The writer ended with code {process.returncode}: {_last_words(complaints)}"
            )
        return answer


def _words(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise WriterFailed(f"The writer's command cannot be read: {error}.") from error
    if not words:
        raise WriterFailed("The writer's command is empty.")
    return words


def _exchange(
    process: "Popen[bytes]", feed: bytes, seconds: float, most: int
) -> tuple[bytes, bool]:
    """Feed it from a thread, so that neither side waits for the other; never read beyond `most`."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        _end(process)

    deadline = threading.Timer(seconds, stop)
    feeding = threading.Thread(target=_feed, args=(process.stdin, feed), daemon=True)
    deadline.start()
    feeding.start()
    try:
        answer = process.stdout.read(most + 1) if process.stdout else b""
        if len(answer) > most:
            _end(process)
        process.wait()
    except BaseException:
        _end(process)
        raise
    finally:
        deadline.cancel()
        feeding.join(1)
    return answer, late.is_set()


def _feed(pipe: IO[bytes] | None, data: bytes) -> None:
    if pipe:
        with contextlib.suppress(OSError, ValueError):  # it need not read what it is given
            pipe.write(data)
        with contextlib.suppress(OSError, ValueError):
            pipe.close()


def _end(process: "Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _last_words(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read(64 * 1024).decode(errors="replace").strip().splitlines()
    return lines[-1][:_LONGEST_COMPLAINT] if lines else "no message"
