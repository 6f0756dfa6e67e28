"""Packs: many files written at once, and loose objects put together when they pile up."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from treering.errors import StorageFailed
from treering.git.repository import Repository

#: From here on one pack is cheaper than syncing each object (fast-import itself unpacks below 100).
MANY = 40

_BRANCH = b"refs/treering/bulk"
_NOTHING = b"0" * 40
_MANY_LOOSE = 40  # in one of 256 folders: about 10,000 in all
#: Since git 2.42 asked by gc about every object, and not to be unset from outside.
_GC_HOOK = "gc.recentObjectsHook"


def write_tree(
    repository: Repository, parent: str | None, files: Mapping[str, bytes | str | None]
) -> str:
    """The tree of a commit with files put in or taken out, on disk when this returns.

    A file is its bytes, the id of a blob that is there, or None where it goes. One pack takes the
    place of thousands of loose objects. `git fast-import` makes trees only for a commit on a
    branch, so it gets one, and forgets it before it would write the ref: commit and ref move stay
    on the one write path.
    """
    answer = _import(repository, _stream(parent, files))
    mode, _, rest = answer.decode("ascii", "replace").partition(" ")
    tree = rest.removeprefix("tree ").strip()
    if mode != "040000" or len(tree) != 40:
        raise StorageFailed(f"git fast-import did not name a tree: {answer!r}")
    return tree


class ChainCommit(NamedTuple):
    """One commit of a history that is written as a whole."""

    #: Author and committer, as they stand in a commit.
    people: Sequence[bytes]
    message: bytes
    files: Mapping[str, str]  # path -> the id of a blob that is there
    tree: str = ""  # the id of a tree that is there and holds all of them, if one is known


def write_chain(repository: Repository, commits: Sequence[ChainCommit]) -> str:
    """Write commits that follow each other, from nothing on; return the last, or "" for none. No
    ref is moved."""
    if not commits:
        return ""
    return _import(repository, _stream_chain(commits)).decode("ascii", "replace").strip()


def _stream_chain(commits: Sequence[ChainCommit]) -> Iterator[bytes]:
    for mark, commit in enumerate(commits, 1):
        yield b"commit %b\nmark :%d\n" % (_BRANCH, mark)
        yield b"%b\ndata %d\n%b\n" % (
            b"\n".join(commit.people), len(commit.message), commit.message
        )  # fmt: skip
        if commit.tree:  # ten times as fast as making it again
            yield b'M 040000 %b ""\n' % commit.tree.encode()
            continue
        for path, blob in commit.files.items():
            yield b"M 100644 %b %b\n" % (blob.encode(), _quote(path))
    yield b"get-mark :%d\n" % len(commits)
    yield b"reset %b\nfrom %b\n\ndone\n" % (_BRANCH, _NOTHING)


def _import(repository: Repository, chunks: Iterable[bytes]) -> bytes:
    from treering.git import process

    return process.feed(
        repository.common_dir,
        *("-c", "core.fsync=pack,pack-metadata,loose-object"),
        *("-c", "core.fsyncMethod=fsync"),
        *("-c", "fastimport.unpackLimit=1"),
        *("fast-import", "--quiet", "--done"),
        chunks=chunks,
    )


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
    text = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'.encode(errors="surrogateescape")


def pack_if_many(git_dir: Path) -> None:
    """Start git's own packing in the background once loose objects pile up.

    libgit2 never packs, and each capture leaves about five loose objects, 25 times their packed
    size. One folder of 256 is looked at, another one each time, so that the look costs nothing.
    """
    folder = git_dir / "objects" / f"{time.time_ns() // 1000 % 256:02x}"
    with suppress(OSError):
        if sum(1 for _ in folder.iterdir()) > _MANY_LOOSE:
            pack(git_dir)


def pack(git_dir: Path) -> None:
    """Let git pack what piled up, in the background; not where that would ask a program."""
    from treering.git import config, process

    if config.read_all(git_dir, _GC_HOOK, is_local=False):
        return
    # A user's `gc.pruneExpire=now` would take objects a writer has not yet put into a ref.
    arguments = ("-c", "gc.pruneExpire=2.weeks.ago", "gc", "--auto", "--quiet")
    process.start_detached(git_dir, *arguments, env=process.without_hooks(git_dir))


def drop_unreachable(git_dir: Path) -> None:
    """Pack what refs hold and delete all else, now: only where nobody else writes."""
    from treering.git import process

    expire = ("-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now")
    arguments = (*expire, "gc", "--prune=now", "--quiet")
    process.run(git_dir, *arguments, env=process.without_hooks(git_dir))
