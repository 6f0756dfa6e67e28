"""Which memories of a scope the small index holds: all that hooks did not write down.

A repository of a hundred thousand commits has as many records, and a few hundred things that
somebody said. Whoever wants those must not even list the others, so what is theirs in a scope is
kept in a file, with the tree it was taken from. When the scope has another tree, only the shards
that differ are looked at.

    knowledge/lists/<scope>    a checksum, and a line of JSON: the tree, and a blob by id

It is derived like the rest of the index: lost, broken or planted it is made again from the trees,
and whatever it names is looked up in the scope before it is shown.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from treering.errors import StoreDamaged, TreeringError
from treering.git.binding import GitError
from treering.git.files import check_folder, keep_file, make_folder, read_file
from treering.git.objects import MOST, read_blobs
from treering.model.changed_map import ChangedMap, flatten
from treering.model.pattern import lazy_pattern
from treering.model.taxonomy import CAPTURED_TYPES
from treering.store.trees import Listing, Trees
from treering.store.view import Layer, View

_VERSION = 1
# 1: all but commits and sessions

_LEVELS = 4  # our folder, the index, the small index, its lists
_KEPT = 64  # lists in memory
_MANY = 2_000  # blobs, from which on a process that reads them is worth its start
#: How a memory begins that we wrote down for a hook; what begins otherwise is read whole.
_CAPTURED = lazy_pattern(
    rb"---\nid: [0-9a-z]{12}\ntype: (?:%s)\n" % "|".join(sorted(CAPTURED_TYPES)).encode()
)
_SHAPE = lazy_pattern(r"(?:[0-9a-z]{12} )?[0-9a-f]{40}")


class KnowledgeList(NamedTuple):
    """What of one tree is not captured, by id, and how many memories there are in all."""

    tree: str
    listing: Mapping[str, str]
    total: int


_NOTHING = KnowledgeList("", {}, 0)


class KnowledgeLists:
    """The lists of one repository's scopes, in memory and on disk."""

    def __init__(self, folder: Path, *, may_wait: int = 0) -> None:
        """`may_wait` is how many changes of a list need not be written at once."""
        self._folder = folder
        self._lists: dict[tuple[str, str], KnowledgeList] = {}
        self._latest: dict[str, KnowledgeList] = {}
        self._may_wait = may_wait
        self._unwritten: dict[str, KnowledgeList] = {}

    def forget(self) -> None:
        """Make every list anew, when it is next asked for."""
        self._lists.clear()
        self._latest.clear()
        self._unwritten.clear()
        with suppress(OSError):
            check_folder(self._folder, levels=_LEVELS)
            for file in self._folder.iterdir():
                file.unlink()

    def ranks(self, view: View, *, every_copy: bool = False) -> dict[str, int]:
        """The blobs a view shows, and the number of their layer, as `View.ranks` gives them."""
        ranks: dict[str, int] = {}
        above: set[str] = set()
        for number, layer in enumerate(view.layers):
            listing = flatten(self._listing(layer))
            if above and not every_copy:
                blobs = [blob for memory_id, blob in listing.items() if memory_id not in above]
            else:
                blobs = list(listing.values())
            ranks = dict.fromkeys(blobs, number) | ranks
            above |= listing.keys()
        return ranks

    def blob(self, layer: Layer, memory_id: str) -> str | None:
        """The blob of one memory in a layer, unless it was captured or is taken over."""
        blob = self._of_tree(layer).listing.get(memory_id)
        return None if layer.taken_over and layer.taken_over.get(memory_id) == blob else blob

    @property
    def is_unwritten(self) -> bool:
        return bool(self._unwritten)

    def keep(self) -> None:
        """Write the lists that changed, for other processes."""
        while self._unwritten:
            self._write(*self._unwritten.popitem())

    def count_captured(self, view: View) -> int:
        """How many commits and sessions there are in the layers of a view."""
        lists = [self._of_tree(layer) for layer in view.layers]
        return sum(one.total - len(one.listing) for one in lists)

    def _listing(self, layer: Layer) -> Mapping[str, str]:
        """What a layer shows."""
        listing, taken = self._of_tree(layer).listing, layer.taken_over
        if not taken:
            return listing
        return {mid: blob for mid, blob in listing.items() if taken.get(mid) != blob}

    def _of_tree(self, layer: Layer) -> KnowledgeList:
        tree = layer.snapshot.key[1]
        if tree is None:
            return _NOTHING
        name = _name_of(layer)
        known = self._lists.get((name, tree))
        if known is None:
            known = before = self._latest.get(name) or self._read(name)
            if known.tree != tree:
                known, is_whole = _follow(layer, known, tree)
                is_little = before.tree and abs(known.total - before.total) <= self._may_wait
                if is_whole and is_little:
                    self._unwritten[name] = known
                elif is_whole:
                    self._write(name, known)
            if len(self._lists) >= _KEPT:
                self._lists.clear()
                self._latest.clear()
            self._lists[name, tree] = self._latest[name] = known
        return known

    def _read(self, name: str) -> KnowledgeList:
        """The list of a scope as it was last; nothing where it cannot be used."""
        try:
            check_folder(self._folder, levels=_LEVELS)
            crc, _, body = read_file(self._folder / name).partition(b" ")
            if crc != _checksum(body):
                return _NOTHING
            match json.loads(body):
                case [version, str(tree), dict(listing), int(total)] if version == _VERSION:
                    lines = [tree, *map(" ".join, listing.items())]
                    is_ours = all(map(_SHAPE.fullmatch, lines)) and len(listing) <= total
                    return KnowledgeList(tree, listing, total) if is_ours else _NOTHING
        except (OSError, ValueError, TypeError, RecursionError):
            return _NOTHING
        return _NOTHING

    def _write(self, name: str, known: KnowledgeList) -> None:
        """Keep a list for the next process; where that cannot be, it makes its own."""
        listing = dict(flatten(known.listing))
        body = json.dumps(
            [_VERSION, known.tree, listing, known.total], separators=(",", ":")
        ).encode()
        with suppress(OSError):
            make_folder(self._folder.parents[1], levels=2)  # this user's alone, like what is in it
        keep_file(self._folder / name, (_checksum(body) + b" " + body).decode(), levels=_LEVELS)


def _name_of(layer: Layer) -> str:
    """A file for each scope; the names of branches may be long, and credentials."""
    place = layer.snapshot.tip if layer.kind == "trash" else ""
    key = f"{layer.vault.is_private}\0{place}\0{layer.snapshot.scope.component}"
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()[:32]


def _follow(layer: Layer, before: KnowledgeList, tree: str) -> tuple[KnowledgeList, bool]:
    """The list of a tree, from that of an earlier one, and whether all of it could be read.

    A memory that was there before stays what it was; what is new is looked at.
    """
    total, is_whole = before.total, True
    olds: list[str] = []
    new: Listing = {}
    for _, old, now in _changed_shards(layer.vault.trees, before.tree, tree):
        if old is None:  # not there any more: nothing tells what was new
            return _follow(layer, _NOTHING, tree)
        is_whole &= now is not None
        total += len(now or ()) - len(old)
        olds += [memory_id for memory_id, blob in old.items() if (now or {}).get(memory_id) != blob]
        new |= {mid: blob for mid, blob in (now or {}).items() if old.get(mid) != blob}
    records = _find_captured(layer, new.values())
    changes: dict[str, str | None] = dict.fromkeys(olds)
    changes |= {mid: blob for mid, blob in new.items() if blob not in records}
    return KnowledgeList(tree, ChangedMap.of(before.listing, changes), total), is_whole


def _changed_shards(
    trees: Trees, before: str, tree: str
) -> Iterator[tuple[str, Listing | None, Listing | None]]:
    try:
        yield from trees.changed_shards(before or None, tree)
    except StoreDamaged:
        yield "", None, None  # the earlier tree is not there any more


def _find_captured(layer: Layer, blobs: Iterable[str]) -> set[str]:
    """Those that hooks wrote down; one that cannot be read is in doubt, and listed."""
    return {blob for blob, raw in _read(layer, list(blobs)) if _CAPTURED.match(raw)}


def _read(layer: Layer, blobs: list[str]) -> Iterator[tuple[str, bytes]]:
    repository = layer.vault.repository
    if len(blobs) >= _MANY:
        for at in range(0, len(blobs), _MANY):
            part = blobs[at : at + _MANY]
            yield from read_blobs(repository.git_dir, part, largest=MOST)
        return
    for blob in blobs:
        with suppress(TreeringError, GitError):
            yield blob, repository.objects.blob(blob)


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)
