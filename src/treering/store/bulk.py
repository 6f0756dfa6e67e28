"""Many blobs at once, through `git fast-import`: one pack instead of thousands of loose files."""

from collections.abc import Iterable, Iterator, Mapping

from treering.git import process
from treering.git.objects import blob_id
from treering.git.repository import Repository

#: From here on a pack is cheaper than loose objects (fast-import itself unpacks below 100).
MANY = 200


def write_blobs(repository: Repository, files: Mapping[str, bytes]) -> dict[str, str]:
    """Write the bytes of each path and return its blob id; on disk when this returns.

    Only blobs go through fast-import: trees, commit and ref move stay on the one write path.
    """
    ids = {path: blob_id(data) for path, data in files.items()}
    process.feed(
        repository.common_dir,
        *("-c", "core.fsync=pack,pack-metadata,loose-object"),
        *("-c", "core.fsyncMethod=fsync"),
        *("-c", "fastimport.unpackLimit=1"),
        *("fast-import", "--quiet", "--done"),
        chunks=_stream(files.values()),
    )
    return ids


def _stream(blobs: Iterable[bytes]) -> Iterator[bytes]:
    for data in blobs:
        yield b"blob\ndata %d\n%b\n" % (len(data), data)
    yield b"done\n"
