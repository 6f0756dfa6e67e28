"""Many blobs in one go: git keeps at hand what deltas are made against, libgit2 starts anew."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from treering.git import process


def read_blobs(git_dir: Path, oids: Iterable[str], *, largest: int) -> Iterator[tuple[str, bytes]]:
    """The bytes of blobs, without those that are not here or larger than `largest`."""
    asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
    sizes = process.run(git_dir, "cat-file", "--batch-check", feed=asked)
    small = []
    for line in sizes.decode("ascii").splitlines():
        oid, kind, *rest = line.split(" ")  # or the id and "missing"
        if kind == "blob" and int(rest[0]) <= largest:
            small.append((oid, int(rest[0])))
    feed = "".join(f"{oid}\n" for oid, _ in small).encode()
    text = process.run(git_dir, "cat-file", "--batch", "--buffer", feed=feed) if small else b""
    at = 0
    for oid, size in small:
        start = text.index(b"\n", at) + 1
        yield oid, text[start : start + size]
        at = start + size + 1
