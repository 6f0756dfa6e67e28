"""Several objects on disk at once: written one after the other, and waited for together.

libgit2 waits for the disk at each object, twice. Where many are written for one commit, the disk
can take them together: they are written without waiting, then all files and their folders are
synced side by side, which a journal does in one go. Only after that a ref may name them.

libgit2's switch is one for the whole process. So whoever writes meanwhile, to another repository,
waits for the end: `disk_turn` is taken by every write.
"""

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from treering.errors import StorageFailed
from treering.git.binding import is_synced, without_fsync

disk_turn = threading.RLock()
_AT_ONCE = 8


@contextmanager
def sync_together(common_dir: Path) -> Iterator[list[str]]:
    """Write objects inside, and put their ids into the list; they are on disk when it is left."""
    oids: list[str] = []
    with disk_turn:
        must_sync = is_synced()
        with without_fsync():
            yield oids
    if must_sync:
        try:
            _sync(common_dir / "objects", oids)
        except OSError as error:
            raise StorageFailed(f"Memories could not be written: {error.strerror}.") from error


def _sync(folder: Path, oids: Iterable[str]) -> None:
    paths = [folder / oid[:2] / oid[2:] for oid in dict.fromkeys(oids)]
    _sync_all([*paths, *{path.parent for path in paths}, folder])


def _sync_all(paths: list[Path]) -> None:
    """Sync files or folders side by side. One that is not there is in a pack, and synced."""
    errors: list[OSError] = []

    def sync_some(some: list[Path]) -> None:
        for path in some:
            try:
                with suppress(FileNotFoundError):
                    _sync_one(path)
            except OSError as error:
                errors.append(error)

    parts = [paths[start::_AT_ONCE] for start in range(min(_AT_ONCE, len(paths)))]
    threads = [threading.Thread(target=sync_some, args=(part,)) for part in parts[1:]]
    for thread in threads:
        thread.start()
    sync_some(parts[0])
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def _sync_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
