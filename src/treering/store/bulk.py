"""Many files at once, through `git fast-import`: one synced pack, not thousands of loose objects."""

import os
from collections.abc import Iterator, Mapping

from treering.errors import StorageFailed
from treering.git import process, refs
from treering.git.repository import Repository
from treering.model.scope import IMPORT

#: From here on a pack is cheaper than loose objects (fast-import itself unpacks below 100).
MANY = 200


def write_tree(
    repository: Repository, parent: str | None, files: Mapping[str, bytes | None]
) -> str:
    """The tree of `parent` with files put in or taken out (None); on disk when this returns.

    fast-import gives trees only to commits, so it makes one on a ref of its own; both are dropped
    again, and commit and ref move stay on the one write path.
    """
    ref = f"{IMPORT}{os.getpid()}"
    process.feed(
        repository.common_dir,
        *("-c", "core.fsync=pack,pack-metadata,loose-object,reference"),
        *("-c", "fastimport.unpackLimit=1"),
        *("fast-import", "--quiet", "--done", "--force"),
        chunks=_stream(ref, parent, files),
    )
    commit = refs.read(repository.handle, ref)
    if commit is None:
        raise StorageFailed("git fast-import left no commit behind.")
    tree = repository.objects.commit(commit).tree
    process.run(repository.common_dir, "update-ref", "-d", ref)
    return tree


def _stream(ref: str, parent: str | None, files: Mapping[str, bytes | None]) -> Iterator[bytes]:
    yield f"commit {ref}\ncommitter treering <treering@invalid> 0 +0000\ndata 0\n".encode()
    if parent:
        yield f"from {parent}\n".encode()
    for path, data in files.items():
        if data is None:
            yield f"D {path}\n".encode()
        else:
            yield b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(data), data)
    yield b"done\n"
