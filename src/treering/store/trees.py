"""The one reader of a scope's trees: what is ours in them, by mode, exact name and place.

A tree may come from anyone, so every verb asks here, whether it lists, looks up an id, compares two
trees or looks for damage. Ours is a line with exactly the mode we write, a name of our shape, in
the folder and shard it belongs to, and the only one of its name. All else is as if it were not
there. A tree that is none is StoreDamaged.

Trees are immutable, so what was read is remembered by their ids: after a change only the changed
shard is read again.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from treering.errors import StoreDamaged
from treering.git.objects import BLOB, TREE, TreeEntry
from treering.git.repository import Repository
from treering.model.memory import ALPHABET
from treering.model.scope import Scope
from treering.store import layout

#: Memory id -> blob id.
Listing = dict[str, str]
#: Memory id -> the blobs two trees have of it, None where one has nothing of ours.
Pairs = dict[str, tuple[str | None, str | None]]

_MAX_SHARDS = 40_000
_MAX_FOLDERS = 8
_ALPHABET = ALPHABET.encode()
_OID = 20


#: A line of a shard, with a memory's id and its object, and how long it is.
_FILE = rb"(?s)100644 ([%s]{12})\.md\0(.{20})" % _ALPHABET
_FILE_SIZE = len(b"100644 .md\0") + 12 + _OID
#: The same of a folder of shards.
_SHARD = rb"(?s)40000 ([%s]{2})\0(.{20})" % _ALPHABET
_SHARD_SIZE = len(b"40000 \0") + 2 + _OID


class Trees:
    """A reader of our files in trees, with the shards read so far."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._shards: dict[str, Listing] = {}
        self._folders: dict[str, dict[str, str]] = {}

    def lines(self, tree: str) -> list[TreeEntry]:
        """All lines of a tree; those whose name is there twice have no mode: they are no one's."""
        lines = self._repository.objects.tree(tree)
        names = Counter(line.name for line in lines)
        if len(names) == len(lines):
            return lines
        return [line if names[line.name] == 1 else line._replace(mode=0) for line in lines]

    def memories(self, root: str | None) -> str | None:
        """The tree that holds the memories of a scope."""
        lines = self.lines(root) if root else []
        ours = (e.oid for e in lines if e.mode == TREE and e.name == layout.MEMORIES)
        return next(ours, None)

    # --- memories ---------------------------------------------------------------------------------

    def shards(self, memories: str | None) -> dict[str, str]:
        """The name and tree of every shard; not to be changed, it is shared."""
        if memories is None:
            return {}
        trees = self._folders.get(memories)
        if trees is None:
            trees = self._read_shards(memories)
            if len(self._folders) >= _MAX_FOLDERS:
                self._folders.clear()
            self._folders[memories] = trees
        return trees

    def _read_shards(self, memories: str) -> dict[str, str]:
        raw = self._repository.objects.raw_tree(memories)
        pairs = re.findall(_SHARD, raw)
        trees = {name.decode(): tree.hex() for name, tree in pairs}
        if len(trees) * _SHARD_SIZE == len(raw):  # nothing lies between them, none is there twice
            return trees
        lines = self.lines(memories)
        return {e.name: e.oid for e in lines if e.mode == TREE and layout.is_shard(e.name)}

    def shard(self, name: str, tree: str | None) -> Listing:
        """The memories of one shard; not to be changed, it is shared."""
        if tree is None:
            return {}
        key = name + tree  # a tree put under another name holds nothing of that shard
        listing = self._shards.get(key)
        if listing is None:
            if len(self._shards) >= _MAX_SHARDS:
                self._shards.clear()
            listing = self._shards[key] = self._read_shard(name, tree)
        return listing

    def _read_shard(self, name: str, tree: str) -> Listing:
        raw = self._repository.objects.raw_tree(tree)
        pairs = re.findall(_FILE, raw)
        if len(pairs) * _FILE_SIZE == len(raw):  # nothing lies between them
            listing = {file.decode(): blob.hex() for file, blob in pairs}
            start = name.encode()
            if len(listing) == len(pairs) and all(file.startswith(start) for file, _ in pairs):
                return listing
        return {
            memory_id: line.oid
            for line in self.lines(tree)
            if line.mode == BLOB and (memory_id := layout.id_in(line.name, name))
        }

    def listing(self, memories: str | None) -> Listing:
        """Every memory of all shards. One that cannot be read is passed over: doctor tells."""
        blobs: Listing = {}
        for name, tree in self.shards(memories).items():
            with contextlib.suppress(StoreDamaged):
                blobs.update(self.shard(name, tree))
        return blobs

    def memory(self, memories: str | None, memory_id: str) -> str | None:
        """The blob of one memory, from its shard alone, however many there are."""
        name = layout.shard_of(memory_id)
        return self.shard(name, self.shards(memories).get(name)).get(memory_id)

    def blob(self, root: str | None, memory_id: str) -> str | None:
        """The blob of one memory below a root."""
        return self.memory(self.memories(root), memory_id)

    # --- two trees --------------------------------------------------------------------------------

    def differing(self, one: str | None, other: str | None) -> Pairs:
        """Memories that two roots do not share; equal folders are not even looked into."""
        only_here = {
            memory_id: (blob, None)
            for memory_id, (there, blob) in self.ahead(other, one).items()
            if there is None
        }
        return {**only_here, **self.ahead(one, other)}

    def ahead(self, one: str | None, other: str | None) -> Pairs:
        """The same without what only `one` has: what lacks most of it costs what it has itself."""
        pairs: Pairs = {}
        ours, theirs = self.memories(one), self.memories(other)
        if ours == theirs:
            return pairs
        before = self.shards(ours)
        for name, tree in self.shards(theirs).items():
            if (there := before.get(name)) != tree:
                here = self.shard(name, there)
                for memory_id, blob in self.shard(name, tree).items():
                    if here.get(memory_id) != blob:
                        pairs[memory_id] = (here.get(memory_id), blob)
        return pairs

    def shards_apart(
        self, one: str | None, other: str | None
    ) -> list[tuple[str, str | None, str | None]]:
        """The name of each shard that two trees of memories do not share, and its trees there."""
        before, after = self.shards(one), self.shards(other)
        names = sorted({name for name, _ in before.items() ^ after.items()})
        return [(name, before.get(name), after.get(name)) for name in names]


class Snapshot:
    """The memories of `scope` as of the commit `tip` (None: it has none yet)."""

    def __init__(self, trees: Trees, scope: Scope, tip: str | None, root: str | None) -> None:
        self._trees = trees
        self.scope = scope
        self.tip = tip
        self._memories = trees.memories(root)
        trees.shards(self._memories)  # without it nothing can be listed: damaged as a whole

    @property
    def key(self) -> tuple[Scope, str | None]:
        """Return a key: what it holds depends on nothing else."""
        return (self.scope, self._memories)

    def blob(self, memory_id: str) -> str | None:
        """The blob of one memory."""
        return self._trees.memory(self._memories, memory_id)

    def starting_with(self, prefix: str) -> Iterator[tuple[str, str]]:
        """The memories whose id starts with `prefix` (two characters or more), from one shard."""
        name = layout.shard_of(prefix)
        pairs = self.shard(name, self.shards().get(name)).items()
        return (pair for pair in pairs if pair[0].startswith(prefix))

    def shards(self) -> dict[str, str]:
        """The name and tree of every shard."""
        return self._trees.shards(self._memories)

    @cached_property
    def _listing(self) -> Listing:
        return self._trees.listing(self._memories)

    def listing(self) -> Listing:
        """Every memory's id and blob; not to be changed, it is shared."""
        return self._listing

    def shard(self, name: str, tree: str | None) -> Listing:
        """The memories of one shard, given its name and tree; not to be changed, it is shared."""
        return self._trees.shard(name, tree)
