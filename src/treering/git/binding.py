"""libgit2 through pygit2's C binding: the few names the rest of this package builds on.

Only submodules of pygit2 are named here, none of which needs the whole package, so that a process
that deferred it (see deferral.py) never loads what it does not use.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

from treering.git.deferral import is_deferred, load_binding

load_binding()  # before the names below are asked for

from pygit2._pygit2 import (  # noqa: E402
    GIT_OBJECT_BLOB,
    GIT_OBJECT_COMMIT,
    GIT_OBJECT_TREE,
    GitError,
    Oid,
    Patch,
    Repository,
    Signature,
    _cache_enums,
    discover_repository,
    init_file_backend,
    reference_is_valid_name,
)
from pygit2.errors import check_error  # noqa: E402
from pygit2.ffi import C, ffi  # noqa: E402
from pygit2.transaction import ReferenceTransaction  # noqa: E402

__all__ = [
    "GIT_OBJECT_BLOB",
    "GIT_OBJECT_COMMIT",
    "GIT_OBJECT_TREE",
    "ConfigEntry",
    "GitError",
    "Handle",
    "Oid",
    "Patch",
    "Signature",
    "cache_large_trees",
    "discover_repository",
    "is_synced",
    "load_enums",
    "read_config",
    "reference_is_valid_name",
    "set_fsync",
    "without_fsync",
]


_is_synced = [False]  # libgit2 cannot be asked
_NO_SEARCH = 1  # of git_repository_open_ext
_ATTRIBUTES_OF_COMMIT = 1 << 4  # of git_attr_options


class ConfigEntry(NamedTuple):
    """A line of configuration: libgit2's word for a key with its value."""

    name: str
    value: str | None  # None where the key stands alone
    level: int


class Handle(Repository):
    """An open repository: the C binding's class, with configuration and ref transactions.

    The path is a git dir, taken as it is: searching upwards from a damaged private.git would find
    the repository around it, and private memories would go there.
    """

    def __init__(self, path: str) -> None:
        super().__init__(init_file_backend(path, _NO_SEARCH))
        pointer = ffi.new("git_repository **")
        ffi.buffer(pointer)[:] = self._pointer[:]  # type: ignore[attr-defined]
        self._repo = pointer[0]
        load_enums()

    def lookup_reference(self, name: str) -> Any:
        """A ref by its name; KeyError when there is none.

        pygit2 1.20 never lets go of the string it is given, so each name is given as one string.
        """
        return super().lookup_reference(sys.intern(name))

    def look_up(self, oid: str) -> Any:
        """The object with this id; KeyError when there is none."""
        entry = self.git_object_lookup_prefix(Oid(hex=oid))
        if entry is None:
            raise KeyError(oid)
        return entry

    def config(self) -> "list[ConfigEntry]":
        """The configuration as it is now, all levels together."""
        pointer = ffi.new("git_config **")
        check_error(C.git_repository_config_snapshot(pointer, self._repo))
        return _entries(pointer[0])

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """Lock refs, and move them when the block ends well.

        pygit2's own `with` frees the locks of a commit that failed only when the garbage is
        collected; until then every other writer would wait for them.
        """
        transaction = ReferenceTransaction(self)
        try:
            yield transaction
            transaction.commit()
        finally:
            transaction.__exit__(GitError, None, None)  # with an error it only frees

    def ahead_behind(self, one: str, other: str) -> tuple[int, int]:
        """Return how many commits are reachable from `one` alone and from `other` alone."""
        ahead, behind = ffi.new("size_t*"), ffi.new("size_t*")
        ids = [ffi.new("git_oid *") for _ in range(2)]
        for target, oid in zip(ids, (one, other), strict=True):
            ffi.buffer(target)[:] = bytes.fromhex(oid)
        check_error(C.git_graph_ahead_behind(ahead, behind, self._repo, ids[0], ids[1]))
        return int(ahead[0]), int(behind[0])

    def hash_file(self, path: str) -> str:
        """The id of a file of the work tree as a blob, by libgit2's own filters alone."""
        oid = ffi.new("git_oid *")
        name = os.fsencode(path)
        kind = GIT_OBJECT_BLOB
        check_error(C.git_repository_hashfile(oid, self._repo, name, kind, ffi.NULL))
        return bytes(ffi.buffer(oid)[:20]).hex()

    def attribute(self, path: str, name: str) -> bool:
        """Return whether a file has an attribute, with whatever value; an attribute unset is
        none."""
        options = ffi.new("git_attr_options *")
        options.version = C.GIT_ATTR_OPTIONS_VERSION
        value = ffi.new("char **")
        check_error(
            C.git_attr_get_ext(value, self._repo, options, os.fsencode(path), name.encode())
        )
        return C.git_attr_value(value[0]) in (C.GIT_ATTR_VALUE_TRUE, C.GIT_ATTR_VALUE_STRING)

    def attribute_at(self, path: str, name: str, commit: str) -> bool | None:
        """Return what the attributes of a commit's tree and of the work tree say of a file: None
        where they say nothing, and false also for the word `false`."""
        options = ffi.new("git_attr_options *")
        options.version = C.GIT_ATTR_OPTIONS_VERSION
        options.flags = _ATTRIBUTES_OF_COMMIT
        ffi.buffer(ffi.addressof(options.attr_commit_id))[:] = bytes.fromhex(commit)
        value = ffi.new("char **")
        check_error(
            C.git_attr_get_ext(value, self._repo, options, os.fsencode(path), name.encode())
        )
        kind = C.git_attr_value(value[0])
        if kind == C.GIT_ATTR_VALUE_STRING:
            return bool(ffi.string(value[0]) != b"false")
        return {C.GIT_ATTR_VALUE_TRUE: True, C.GIT_ATTR_VALUE_FALSE: False}.get(kind)


def read_config(path: str) -> list[ConfigEntry]:
    """Read one file of configuration, with the files it takes in."""
    pointer = ffi.new("git_config **")
    check_error(C.git_config_open_ondisk(pointer, os.fsencode(path)), io=True)
    return _entries(pointer[0])


def _entries(config: Any) -> list[ConfigEntry]:
    """Read a configuration to its end, and free it.

    pygit2.config does the same, and loads all of pygit2.enums for it since 1.21.
    """
    iterator, entry = ffi.new("git_config_iterator **"), ffi.new("git_config_entry **")
    found = []
    try:
        check_error(C.git_config_iterator_new(iterator, config))
        try:
            while (code := C.git_config_next(entry, iterator[0])) != C.GIT_ITEROVER:
                check_error(code)
                name, value, level = entry[0].name, entry[0].value, entry[0].level
                found.append(ConfigEntry(_text(name), _text(value) if value else None, level))
        finally:
            C.git_config_iterator_free(iterator[0])
    finally:
        C.git_config_free(config)
    return found


def _text(pointer: Any) -> str:
    return bytes(ffi.string(pointer)).decode(errors="replace")


def load_enums() -> None:
    """Load the names that pygit2's object database needs to read raw objects.

    In a process that deferred pygit2 (see deferral.py) kinds and states are plain numbers: the C
    binding asks `pygit2.enums` for a class for each, and making those costs half of a Python start.
    Whoever runs the whole package gets its enums, because it asks for them again.
    """
    name = "pygit2.enums"
    if name in sys.modules or not is_deferred():
        import pygit2.options  # noqa: F401 - enums look for it on the package

        _cache_enums()
        return
    sys.modules[name] = _Numbers(name)
    try:
        _cache_enums()
    finally:
        del sys.modules[name]


class _Numbers(ModuleType):
    """A module in which every class is that of whole numbers."""

    def __getattr__(self, name: str) -> type[int]:
        if name.startswith("__"):
            raise AttributeError(name)
        return int


def cache_large_trees() -> None:
    """Let libgit2 remember trees of up to 256 KB instead of 4: a capture looks at the tree of all
    shards several times, and unpacking it each time cost more than writing it. One switch for the
    whole process.

    All in all at most 8 MB of them, where libgit2 would let 256 MB pile up: each capture leaves a
    new tree of all shards, which a server never asks for again after the next one."""
    limit, most = ffi.cast("size_t", 256 * 1024), ffi.cast("ssize_t", 8 * 1024 * 1024)
    kind = ffi.cast("int", GIT_OBJECT_TREE)
    check_error(C.git_libgit2_opts(C.GIT_OPT_SET_CACHE_OBJECT_LIMIT, kind, limit))
    check_error(C.git_libgit2_opts(C.GIT_OPT_SET_CACHE_MAX_SIZE, most))


def set_fsync(on: bool) -> None:
    """Return whether libgit2 syncs objects and refs to disk before it says they are written.

    Off by default in libgit2: a simulated power cut then took every memory of a ref. One switch
    for the whole process.
    """
    check_error(C.git_libgit2_opts(C.GIT_OPT_ENABLE_FSYNC_GITDIR, ffi.cast("int", on)))
    _is_synced[0] = on


def is_synced() -> bool:
    return _is_synced[0]


@contextmanager
def without_fsync() -> Iterator[None]:
    """Write many objects without waiting for the disk each time; the caller syncs it after."""
    was_synced = _is_synced[0]
    set_fsync(False)
    try:
        yield
    finally:
        set_fsync(was_synced)
