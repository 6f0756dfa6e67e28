"""Many files at once, through `git fast-import`: one pack instead of thousands of loose objects."""

from collections.abc import Iterator, Mapping

from treering.errors import StorageFailed
from treering.git import process
from treering.git.repository import Repository

#: From here on one pack is cheaper than syncing each object (fast-import itself unpacks below 100).
MANY = 40

_BRANCH = b"refs/treering/bulk"
_NOTHING = b"0" * 40


def write_tree(
    repository: Repository, parent: str | None, files: Mapping[str, bytes | str | None]
) -> str:
    """The tree of the commit `parent` with files put in (bytes, or the id of a blob that is there;
    None: taken out); on disk when this returns.

    fast-import makes trees only for a commit on a branch, so it gets one, and forgets it before it
    would write the ref: commit and ref move stay on the one write path.
    """
    said = process.feed(
        repository.common_dir,
        *("-c", "core.fsync=pack,pack-metadata,loose-object"),
        *("-c", "core.fsyncMethod=fsync"),
        *("-c", "fastimport.unpackLimit=1"),
        *("fast-import", "--quiet", "--done"),
        chunks=_stream(parent, files),
    )
    mode, _, rest = said.decode("ascii", "replace").partition(" ")
    tree = rest.removeprefix("tree ").strip()
    if mode != "040000" or len(tree) != 40:
        raise StorageFailed(f"git fast-import did not name a tree: {said!r}")
    return tree


def _stream(parent: str | None, files: Mapping[str, bytes | str | None]) -> Iterator[bytes]:
    for mark, data in enumerate(files.values(), 2):
        if isinstance(data, bytes):
            yield b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data)
    yield b"commit %b\nmark :1\ncommitter treering <treering> 0 +0000\ndata 0\n" % _BRANCH
    if parent:
        yield b"from %b\n" % parent.encode()
    for mark, (path, data) in enumerate(files.items(), 2):
        if data is None:
            yield b"D %b\n" % _quote(path)
        elif isinstance(data, str):
            yield b"M 100644 %b %b\n" % (data.encode(), _quote(path))
        else:
            yield b"M 100644 :%d %b\n" % (mark, _quote(path))
    yield b'\nls :1 ""\n'
    yield b"reset %b\nfrom %b\n\ndone\n" % (_BRANCH, _NOTHING)


def _quote(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'.encode(errors="surrogateescape")
