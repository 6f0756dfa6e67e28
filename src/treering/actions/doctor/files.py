"""Files beside the objects: locks and halves that a dead process left, modes, and the index."""

import os
import shutil
import stat
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from treering.actions.doctor import Finding, FindingCode
from treering.derived.database import BESIDE, FILE, Database
from treering.git import refs
from treering.git.files import check_folder, find_files
from treering.store.store import Store
from treering.store.vault import Vault

_OLD_TEMPORARY = 3600.0
_MANY_LOOSE = 20_000
#: Postings of an index that are read: those of thousands of memories.
_MAX_POSTINGS = 200_000
_HALVES = (
    "treering/private.git.new",
    "treering/index/VERSION.*",
    "treering/index/sorting-*",
    f"treering/state*/**/*.{'?' * 16}",
)


def stale_locks(folder: Path, may_repair: bool) -> Iterator[Finding]:
    for path in find_files(folder, "refs/treering/**/*.lock"):
        if _age(path) < refs.STALE_LOCK:
            continue
        yield Finding(
            "stale-lock",
            "warning",
            f"A lock was left behind by a process that died: {path.name}",
            "treering doctor",
            fixed=may_repair and _remove(path),
        )


def temporary_objects(folder: Path, may_repair: bool) -> Iterator[Finding]:
    halves = find_files(folder, "objects/??/tmp_object_git2_*")
    if old := [path for path in halves if _age(path) > _OLD_TEMPORARY]:
        is_whole = may_repair and _all_removed(old)
        yield Finding(
            "temporary-objects",
            "warning",
            f"{len(old)} half-written objects were left behind by processes that died.",
            "treering doctor",
            fixed=is_whole,
        )


def loose_objects(vault: Vault) -> Iterator[Finding]:
    loose = sum(1 for _ in (vault.repository.common_dir / "objects").glob("[0-9a-f][0-9a-f]/*"))
    if loose > _MANY_LOOSE:
        yield Finding("loose-objects", "info", f"{loose} loose objects take up space.", "git gc")


def find_leftovers(store: Store, may_repair: bool) -> Iterator[Finding]:
    """Yield what a process was still making beside its place when it died."""
    top = store.repository.common_dir
    halves = [path for pattern in _HALVES for path in find_files(top, pattern)]
    if old := [path for path in halves if _age(path) > _OLD_TEMPORARY]:
        yield Finding(
            "temporary-files",
            "warning",
            f"{len(old)} half-written files were left behind by processes that died.",
            "treering doctor",
            fixed=may_repair and _all_removed(old),
        )


def permissions(store: Store, may_repair: bool) -> Iterator[Finding]:
    """Nothing of ours is open to more people than the repository's own objects are."""
    folder = store.repository.common_dir
    ours = [store.lock_path, store.folder, store.folder / "private.git"]
    mode = _mode(folder / "objects") & 0o007
    for path in ours:
        if excess := _mode(path) & 0o007 & ~mode:
            yield Finding(
                "open-to-all",
                "warning",
                f"{path.name} can be read by users who cannot read the repository.",
                f"chmod o-rwx {path}",
                fixed=may_repair and _close(path, excess),
            )
    private = store.folder / "private.git"
    if os.path.lexists(private) and not store.is_private_ours():
        yield Finding(
            "foreign-private",
            "warning",
            f"{private} is another user's, or a link: what is in it is not shown to you, and your "
            "private memories are refused.",
            f"If it is yours: chown -R $(id -u) {private}",
        )
    foreign = [p for p in (folder / "refs" / "treering").rglob("*") if not os.access(p, os.W_OK)]
    if foreign and os.access(folder, os.W_OK):
        yield Finding(
            "not-writable",
            "error",
            f"{len(foreign)} refs of ours belong to someone else, for example {foreign[0].name}.",
            f"chown -R $(id -u) {folder / 'refs' / 'treering'}",
        )


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _close(path: Path, excess: int) -> bool:
    try:
        path.chmod(_mode(path) & ~excess)
    except OSError:
        return False
    return True


def _age(path: Path) -> float:
    try:
        return abs(time.time() - path.lstat().st_mtime)
    except OSError:
        return 0.0


def _all_removed(paths: list[Path]) -> bool:
    return not [path for path in paths if not _remove(path)]


def _remove(path: Path) -> bool:
    try:
        check_folder(path.parent, levels=2, is_own=False)  # nothing behind a link is ours
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _name_strangers(code: FindingCode, paths: list[Path], may_repair: bool) -> Iterator[Finding]:
    """Name what stands where a file of derived state belongs and is none; nobody reads it or writes
    through it, so the state in its place is missed until it goes."""
    for path in paths:
        yield Finding(
            code,
            "warning",
            f"{path.name} is {_describe(path)}. What belongs there is derived again.",
            "treering doctor",
            fixed=may_repair and _remove(path),
        )


def _describe(path: Path) -> str:
    kinds = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe"}
    kinds |= {stat.S_IFSOCK: "a socket", stat.S_IFREG: "a file"}
    return kinds.get(stat.S_IFMT(path.lstat().st_mode), "a device")


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def database(store: Store, derived: Database, may_repair: bool) -> Iterator[Finding]:
    """Look through the derived database; one that is damaged is emptied and filled as needed."""
    places = [store.folder / f"{FILE}{end}" for end in ("", *BESIDE)]
    strangers = [path for path in places if os.path.lexists(path) and not _is_plain(path)]
    yield from _name_strangers("database-damaged", strangers, may_repair)
    if strangers:
        if not may_repair:
            return
        derived.retry()
    error = derived.check()
    if derived.problem:
        yield Finding(
            "database-unused",
            "warning",
            f"{FILE} is not used: {derived.problem}. Answers are right, and slower.",
            "Update treering, or remove what is in its place.",
        )
    elif error:
        if may_repair:
            derived.clear()
        yield Finding(
            "database-damaged",
            "warning",
            f"{FILE} is damaged ({error}). What it held is derived again.",
            "treering doctor",
            fixed=may_repair and not derived.check(),
        )


def index(store: Store, may_repair: bool) -> Iterator[Finding]:
    """Read both indexes, of a very large one a part; a damaged one is built anew by the next
    recall."""
    from treering.search.index import NAMES, SORTING, IndexFolder, OpenIndex

    place = store.folder / "index"
    strangers = [place] if os.path.lexists(place) else []
    if place.is_dir() and not place.is_symlink():
        files = (path for path in place.iterdir() if not path.name.startswith(SORTING))
        strangers = [path for path in files if not _is_plain(path)]
    yield from _name_strangers("index-damaged", strangers, may_repair)
    if strangers and not may_repair:
        return
    folder = IndexFolder(place)
    for name in NAMES:
        try:
            for reader in folder.open(name, OpenIndex()).readers:
                for _ in islice(reader.iter_postings(), _MAX_POSTINGS):
                    pass
                for _ in reader.all_stored_fields():
                    pass
        except Exception as error:  # a damaged file fails in many ways, and each means the same
            if may_repair:
                folder.drop(name)
            yield Finding(
                "index-damaged",
                "warning",
                f"The index of {name} cannot be read ({type(error).__name__}). "
                "recall builds it again.",
                "treering reindex",
                fixed=may_repair and folder.generation(name) < 0,
            )
