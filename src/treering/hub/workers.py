"""An update in a process of its own, with limits: what a repository holds was made by others.

A history that takes for ever to join, a pack that would fill the disk or the memory: the child
ends, and its repository is named. Nothing of the parent's is shared but the place of the hub.
"""

import json
import os
import resource
import select
import signal
import time
from contextlib import suppress

from treering.errors import TreeringError
from treering.hub.hub import RepositoryHub, UpdateResult

#: Seconds for one repository, the first update of a large one included.
SECONDS = 1800.0
#: Bytes of one file: a pack of memories that is larger is not one of memories.
LARGEST_FILE = 4 * 1024**3
_AT_ONCE = 65_536


def update_apart(hub: RepositoryHub, name: str, seconds: float = SECONDS) -> UpdateResult:
    """What `hub.update` says, or that it took too long or died."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(hub, name, writing)
    os.close(writing)
    try:
        answer = _read(reading, time.monotonic() + seconds)
    except BaseException:
        _kill(child)
        raise
    finally:
        os.close(reading)
    if answer is None:
        _kill(child)
        return UpdateResult(name, "failed", error=f"It took more than {seconds:g} seconds.")
    _, status = os.waitpid(child, 0)
    try:
        return UpdateResult(**json.loads(answer))
    except (ValueError, TypeError):
        how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "an unknown error"
        return UpdateResult(name, "failed", error=f"The update ended by {how}.")


def _work(hub: RepositoryHub, name: str, writing: int) -> None:
    """The child: in a session of its own, so that git and ssh below it end with it."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit is an error
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
        try:
            result = hub.update(name)
        except TreeringError as error:
            result = UpdateResult(name, "failed", error=error.message)
        except MemoryError:
            result = UpdateResult(name, "failed", error="It needs more memory than there is.")
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(result._asdict()).encode())
    finally:
        os._exit(0)


def _read(reading: int, until: float) -> bytes | None:
    """All that comes until the child ends; None when time is up."""
    answer = b""
    while True:
        seconds = until - time.monotonic()
        if seconds <= 0 or not select.select([reading], [], [], seconds)[0]:
            return None
        part = os.read(reading, _AT_ONCE)
        if not part:
            return answer
        answer += part


def _kill(child: int) -> None:
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    with suppress(OSError):
        os.kill(child, signal.SIGKILL)
    with suppress(OSError):
        os.waitpid(child, 0)
