"""Our refs: listed, read, and moved only from the value they are expected to have.

Refs are listed from their files, because libgit2 walks every ref of the repository to find a few
(the files backend is the only one it opens, so this is exact).
"""

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from treering.errors import Conflict, StorageFailed, StoreDamaged
from treering.git.binding import GitError, Handle, Oid
from treering.git.files import ForeignFile, make_shared_folder, open_plain, read_plain
from treering.git.objects import disk_turn


class RefMoved(Conflict):
    """The ref is not where it was expected: something that does not know our lock moved it."""


# A ref lock is held for moments; one this old was left by a process that died.
STALE_LOCK = 5.0
_REF_LOCK_TIMEOUT = 10.0
#: Files of single refs below a prefix, from which on git puts them together.
MANY_LOOSE = 200
#: refs/treering/heads/<scope>: what has as many parts lies in a folder of all.
_SHARED_DEPTH = 3


def read(handle: Handle, name: str) -> str | None:
    """The object id a ref holds, or None when there is no such ref."""
    try:
        if stat.S_ISFIFO(os.stat(f"{handle.path}{name}").st_mode):  # which libgit2 would wait for
            raise StoreDamaged(f"The ref {name} is a pipe.")
    except (OSError, ValueError):
        pass  # packed, or of the repository whose worktree this is
    try:
        return str(handle.lookup_reference(name).target)
    except KeyError:
        return None
    except (GitError, ValueError, OSError) as error:
        raise StoreDamaged(f"The ref {name} cannot be read: {error}") from error


def list_refs(common_dir: Path, prefix: str, ending: str = "") -> dict[str, str]:
    """Every ref whose name starts with `prefix` and its object id, loose ones winning; with an
    `ending` those of that name in each folder of the prefix, at the cost of these alone.

    Loose ones are read first: git packs a ref before it takes its file away, so one that is packed
    between the two looks is seen twice, where the other order would see it in neither.
    """
    loose = dict(_loose(common_dir, prefix, ending))
    tips = dict(_read_packed(common_dir, prefix, ending)) | loose
    return dict(sorted(tips.items()))


def _read_packed(common_dir: Path, prefix: str, ending: str) -> Iterator[tuple[str, str]]:
    try:
        text = (common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return
    start, end = b" " + os.fsencode(prefix), os.fsencode(f"/{ending}" if ending else "")
    if start not in text or end + b"\n" not in text:
        return
    for line in text.splitlines():
        if line[40 : 40 + len(start)] == start and line.endswith(end):
            yield os.fsdecode(line[41:]), line[:40].decode("ascii", "replace")


def _loose(common_dir: Path, prefix: str, ending: str) -> Iterator[tuple[str, str]]:
    top, _, start = prefix.rpartition("/")
    folder = os.path.join(common_dir, top)
    for name in _names_ending(folder, ending) if ending else _names(folder):
        if name.startswith(start) and not name.endswith(".lock"):
            try:
                text = read_plain(os.path.join(common_dir, top, name))
                yield f"{top}/{name}", text[:4096].decode("ascii", "replace").strip()
            except (FileNotFoundError, ForeignFile):
                continue  # gone or packed meanwhile; packed ones are read after this
            except OSError as error:
                if error.errno != errno.ELOOP:  # a link
                    raise


def _names_ending(folder: str, ending: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [f"{entry.name}/{ending}" for entry in entries]
    except FileNotFoundError:
        return []
    return [name for name in names if os.path.isfile(os.path.join(folder, name))]


def _names(folder: str, above: str = "") -> Iterator[str]:
    """Files below a folder, as paths relative to it. With os and no pathlib: every call pays."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir():
            yield from _names(entry.path, f"{above}{entry.name}/")
        else:
            yield f"{above}{entry.name}"


def move(
    handle: Handle, common_dir: Path, name: str, new: str | None, *, old: str | None, why: str
) -> None:
    """Move a ref from `old` to `new` (None: absent), or raise RefMoved when it is elsewhere.

    Lock, look, move: the checked transaction guards against git itself and other tools, which know
    nothing of our own lock. The caller holds that lock, so a ref lock that outlives the timeout
    below belongs to a process that died, and is removed.
    """
    if new is not None:
        _keep_reflog(common_dir, name)
    until = time.monotonic() + _REF_LOCK_TIMEOUT
    while True:
        try:
            with disk_turn, handle.transaction() as transaction:
                transaction.lock_ref(name)
                if (there := read(handle, name)) != old:
                    raise RefMoved(f"The ref {name} moved to {there or 'nothing'} meanwhile.")
                _set(transaction, name, new, why)
        except (GitError, OSError, KeyError) as error:
            if not _is_for_now(error):
                raise StorageFailed(f"The ref {name} could not be moved: {error}") from error
            if not _remove_stale_lock(common_dir / f"{name}.lock") and time.monotonic() > until:
                raise StorageFailed(f"The ref {name} is locked: {error}") from error
            time.sleep(0.02)
        else:
            if new is None:
                _remove_empty_folder(common_dir, name)
            return


def set_together(
    common_dir: Path, new: Mapping[str, str], gone: Mapping[str, str] = MappingProxyType({})
) -> bool:
    """Let refs have new values and remove others that have these, all of it or nothing; return
    whether it was done. For the many refs of a fetch, which only we write."""
    from treering.git import process  # hardly any command moves many refs

    lines = [b"update %b\0%b\0\0" % (os.fsencode(n), oid.encode()) for n, oid in new.items()]
    lines += [b"delete %b\0%b\0" % (os.fsencode(n), oid.encode()) for n, oid in gone.items()]
    answer = process.ask(
        common_dir,
        *("update-ref", "--stdin", "-z", "--no-deref"),
        feed=b"".join(lines),
        env=process.without_hooks(common_dir),
    )
    return answer.code == 0


def pack_if_many(common_dir: Path, prefix: str) -> None:
    """Let git put all refs into its one file, once many below a prefix have files of their own:
    every look at them reads them all. Where that cannot be they stay as they are."""
    from treering.git import process

    with contextlib.suppress(OSError):
        if len(os.listdir(common_dir / prefix)) > MANY_LOOSE:
            process.ask(common_dir, "pack-refs", "--all")


def _remove_empty_folder(common_dir: Path, name: str) -> None:
    """Remove the folder that the last ref of a clone leaves behind: libgit2 makes one for the lock
    even of a packed ref, and every look at refs goes through it from then on. Folders in which
    others are at work stay: git may fail to make a file in one that goes."""
    if name.count("/") > _SHARED_DEPTH:
        for top in (common_dir, common_dir / "logs"):
            with contextlib.suppress(OSError):
                (top / name).parent.rmdir()


def _is_for_now(error: Exception) -> bool:
    """Return whether someone else is at the ref: its lock is there, or git just packed its folder
    away.

    By libgit2's words, as its exceptions do not tell; any other failure to lock (a full disk, say)
    is not worth waiting for.
    """
    words = str(error)
    return isinstance(error, KeyError) or "failed to lock file" in words or "File exists" in words


def _set(transaction: Any, name: str, new: str | None, why: str) -> None:
    if new is None:
        transaction.remove(name)
    else:
        # pygit2 1.20 fails on a Signature here; None means the user of the repository.
        transaction.set_target(name, Oid(hex=new), None, why)


def _remove_stale_lock(lock: Path) -> bool:
    try:
        age = abs(time.time() - lock.stat().st_mtime)  # a clock may have been set back
        if age < STALE_LOCK:
            return False
        lock.unlink()
    except OSError:
        return False
    return True


def _keep_reflog(common_dir: Path, name: str) -> None:
    """git logs refs outside refs/heads only where a log exists, so an empty one is made first."""
    log = common_dir / "logs" / name
    try:
        make_shared_folder(log.parent, levels=name.count("/") + 1)
        # libgit2 would go through a link, and wait for a pipe.
        os.close(open_plain(log, os.O_WRONLY | os.O_CREAT, 0o666))
    except OSError as error:
        raise StorageFailed(f"The log of {name} cannot be written: {error.strerror}.") from error


def reflog(common_dir: Path, name: str) -> list[str]:
    """The values a ref had, newest first, as its log tells."""
    return [move.new for move in reversed(moves(common_dir, name)[0])]


def list_logged_values(common_dir: Path, prefix: str) -> set[str]:
    """Every object the logs of some refs name, refs that are no more included."""
    names = (name for log in _logs(common_dir, prefix) for name in _read_values(log))
    return {name.decode("ascii") for name in names} - {"0" * 40}


class Move(NamedTuple):
    """A line of a ref's log: where it went, and why."""

    new: str
    why: str


def moves(common_dir: Path, name: str, start: int = 0) -> tuple[list[Move], int]:
    """Return what a ref's log says from a byte on, oldest first, and the byte to go on from next
    time.

    A log that became shorter was written anew, and is read from its beginning.
    """
    try:
        with os.fdopen(open_plain(common_dir / "logs" / name), "rb") as log:
            size = log.seek(0, os.SEEK_END)
            if size == start:
                return [], size
            log.seek(start if size > start else 0)
            lines = log.read().splitlines()
    except OSError:
        return [], 0
    pairs = (line.partition(b"\t") for line in lines if len(line) > 81)
    lines_read = [Move(_text(head[41:81]), _text(why)) for head, _, why in pairs]
    return lines_read, size


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def copy_log(common_dir: Path, old: str, new: str) -> None:
    """Let the log of a ref go with its name; where it cannot, less is known of the past."""
    there = common_dir / "logs" / new
    with contextlib.suppress(OSError):
        text = read_plain(common_dir / "logs" / old)
        make_shared_folder(there.parent, levels=new.count("/") + 1)
        with there.open("xb") as file:  # which follows no link
            file.write(text)


def forget_logs(common_dir: Path, prefix: str, gone: Collection[str]) -> None:
    """Empty the logs that name one of some commits, and keep logging: they are to be gone.

    Also the logs of refs that are no more; git and libgit2 leave some of them behind.
    """
    words = {oid.encode() for oid in gone}
    try:
        for log in _logs(common_dir, prefix):
            if not words.isdisjoint(_read_values(log)):
                os.close(open_plain(log, os.O_WRONLY | os.O_TRUNC))
    except OSError as error:
        raise StorageFailed(f"The logs of {prefix} cannot be emptied: {error.strerror}.") from error


def _logs(common_dir: Path, prefix: str) -> list[Path]:
    found = (common_dir / "logs" / prefix).rglob("*")
    return [path for path in found if path.is_file() and not path.is_symlink()]


def _read_values(log: Path) -> set[bytes]:
    """The values that the lines of a log say a ref had before and after."""
    lines = re.findall(rb"^([0-9a-f]{40}) ([0-9a-f]{40}) ", read_plain(log), re.MULTILINE)
    return {oid for line in lines for oid in line}


def overwrite(common_dir: Path, name: str, value: str) -> None:
    """Put a value into a ref whose own cannot be read, where a checked move is impossible."""
    path = common_dir / name
    beside = path.with_name(path.name + ".lock")
    try:
        make_shared_folder(path.parent, levels=name.count("/"))
        with beside.open("x", encoding="ascii") as file:
            file.write(f"{value}\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise StorageFailed(f"The ref {name} could not be repaired: {error.strerror}.") from error
