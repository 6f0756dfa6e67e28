"""Packs: many files written at once, and loose objects put together when they pile up."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from treering.errors import StorageFailed
from treering.git.repository import Repository

#: From here on one pack is cheaper than writing and syncing each object: with 10 files a third of
#: the processor time less, with 39 a quarter is left (fast-import itself unpacks below 100).
MANY = 10

_BRANCH = b"refs/treering/bulk"
_NOTHING = b"0" * 40
#: zlib's memory is taken and given back for each object, and glibc asks the kernel each time unless
#: it may keep some: half of the processor time of 2,000 small commits.
_KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(32 << 20)}
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
    lines = [b"commit %b\nmark :1\ncommitter treering <treering> 0 +0000\ndata 0\n" % _BRANCH]
    if parent:
        lines.append(b"from %b\n" % parent.encode())
    for path, data in files.items():
        if data is None:
            lines.append(b"D %b\n" % _quote(path))
        elif isinstance(data, str):
            lines.append(b"M 100644 %b %b\n" % (data.encode(), _quote(path)))
        else:
            lines.append(b"M 100644 inline %b\ndata %d\n%b\n" % (_quote(path), len(data), data))
    answer = _import(repository, [*lines, b'\nls :1 ""\n'])
    mode, _, rest = answer.partition(" ")
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
    lines: list[bytes] = []
    for mark, commit in enumerate(commits, 1):
        lines += [b"commit %b\nmark :%d\n" % (_BRANCH, mark), *(b"%b\n" % p for p in commit.people)]
        lines.append(b"data %d\n%b\n" % (len(commit.message), commit.message))
        if commit.tree:  # ten times as fast as making it again
            lines.append(b'M 040000 %b ""\n' % commit.tree.encode())
        else:
            named = commit.files.items()
            lines += [b"M 100644 %b %b\n" % (blob.encode(), _quote(path)) for path, blob in named]
    return _import(repository, [*lines, b"get-mark :%d\n" % len(commits)]) if commits else ""


def _import(repository: Repository, lines: Sequence[bytes]) -> str:
    """Return what fast-import answers; the branch it was given is none when it ends."""
    from treering.git import process

    answer = process.run(
        repository.common_dir,
        *("-c", "core.fsync=pack,pack-metadata,loose-object"),
        *("-c", "core.fsyncMethod=fsync"),
        *("-c", "fastimport.unpackLimit=1"),
        *("fast-import", "--quiet", "--done"),
        env=_KEEP_MEMORY,
        feed=b"".join([*lines, b"reset %b\nfrom %b\n\ndone\n" % (_BRANCH, _NOTHING)]),
    )
    return answer.decode("ascii", "replace").strip()


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

    if config.read_levels(git_dir, _GC_HOOK):
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
