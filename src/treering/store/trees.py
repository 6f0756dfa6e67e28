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

#: The name of a shard, and the trees two trees of memories have there.
ShardChange = tuple[str, str | None, str | None]

_MOSTSHARDS = 40_000
_MOST_LISTINGS, _FEWEST_LISTINGS = 64, 6
_MOST_LISTED = 100_000
_MOST_FOLDERS = 8
_MOST_CHANGED = 64  # shards, from which on a listing is not made from another
_MOST_ROOTS = 20_000
_ALPHABET = ALPHABET.encode()
_OID = 20


#: A line of a shard, with a memory's id and its object, and how long it is.
_FILE = rb"(?s)100644 ([%s]{12})\.md\0(.{20})" % _ALPHABET
_FILE_SIZE = len(b"100644 .md\0") + 12 + _OID
#: The same of a folder of shards.
_SHARD = rb"(?s)40000 ([%s]{2})\0(.{20})" % _ALPHABET
_SHARD_SIZE = len(b"40000 \0") + 2 + _OID


class Trees:
    """A reader of our files in trees, with what was read so far."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._shards: dict[str, Listing] = {}
        self._folders: dict[str, dict[str, str]] = {}
        self._listings: dict[str, Listing] = {}
        self._apart: dict[tuple[str | None, str | None], list[ShardChange]] = {}
        self._roots: dict[str, str | None] = {}

    def lines(self, tree: str) -> list[TreeEntry]:
        """All lines of a tree; those whose name is there twice have no mode: they are no one's."""
        lines = self._repository.objects.tree(tree)
        names = Counter(line.name for line in lines)
        if len(names) == len(lines):
            return lines
        return [line if names[line.name] == 1 else line._replace(mode=0) for line in lines]

    def memories(self, root: str | None) -> str | None:
        """The tree that holds the memories of a scope."""
        if root is None:
            return None
        if root not in self._roots:
            if len(self._roots) >= _MOST_ROOTS:
                self._roots.clear()
            ours = (e for e in self.lines(root) if e.mode == TREE and e.name == layout.MEMORIES)
            self._roots[root] = next((entry.oid for entry in ours), None)
        return self._roots[root]

    # --- memories ---------------------------------------------------------------------------------

    def shards(self, memories: str) -> dict[str, str]:
        """The name and tree of every shard; not to be changed, it is shared."""
        trees = self._folders.get(memories)
        if trees is None:
            trees = self._read_shards(memories)
            if len(self._folders) >= _MOST_FOLDERS:
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

    def shard(self, name: str, tree: str) -> Listing:
        """The memories of one shard; not to be changed, it is shared."""
        key = name + tree  # a tree put under another name holds nothing of that shard
        listing = self._shards.get(key)
        if listing is None:
            if len(self._shards) > _MOSTSHARDS:
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

    def listing(self, memories: str) -> Listing:
        """Every memory of all shards; not to be changed, it is shared.

        A shard that cannot be read is passed over: doctor tells.
        """
        blobs = self._listings.pop(memories, None)  # used last, dropped last
        if blobs is None:
            blobs = self._follow(memories)
        if blobs is None:
            blobs = {}
            for name, tree in self.shards(memories).items():
                with contextlib.suppress(StoreDamaged):
                    blobs.update(self.shard(name, tree))
        return self._keep(memories, blobs)

    def _follow(self, memories: str) -> Listing | None:
        """A listing made from one of another tree that differs in a few shards; None for none."""
        shards = self.shards(memories)
        for other, listing in list(reversed(self._listings.items())):
            trees = self._folders.get(other)
            if trees is None or len(news := shards.items() ^ trees.items()) > _MOST_CHANGED:
                continue
            blobs = listing.copy()
            for name in {name for name, _ in news}:
                before, now = trees.get(name), shards.get(name)
                with contextlib.suppress(StoreDamaged):
                    for memory_id in self.shard(name, before) if before else ():
                        blobs.pop(memory_id, None)
                with contextlib.suppress(StoreDamaged):
                    blobs.update(self.shard(name, now) if now else {})
            return blobs
        return None

    def _keep(self, memories: str, listing: Listing) -> Listing:
        """Every capture makes a new listing of everything: a few large ones or many small."""
        self._listings[memories] = listing
        total = 0
        for number, (old, some) in enumerate(reversed(list(self._listings.items()))):
            total += len(some)
            if number >= _MOST_LISTINGS or (total > _MOST_LISTED and number >= _FEWEST_LISTINGS):
                self._listings.pop(old, None)  # a server's threads may be here together
        return listing

    # --- by id ------------------------------------------------------------------------------------

    def blob(self, root: str, memory_id: str) -> str | None:
        """The blob of one memory below a root."""
        tree = self.memories(root)
        return self.memory(tree, memory_id) if tree else None

    def memory(self, memories: str, memory_id: str) -> str | None:
        """The blob of one memory."""
        name = layout.shard_of(memory_id)
        tree = self.shards(memories).get(name)
        return self.shard(name, tree).get(memory_id) if tree else None

    def differing(self, one: str | None, other: str | None) -> Pairs:
        """Memories that two roots do not share; equal folders are not even looked into."""
        pairs: Pairs = {}
        ours, theirs = self.memories(one), self.memories(other)
        for name, before, after in self.shards_apart(ours, theirs):
            here, there = (self.shard(name, tree) if tree else {} for tree in (before, after))
            for memory_id in {memory_id for memory_id, _ in here.items() ^ there.items()}:
                pairs[memory_id] = (here.get(memory_id), there.get(memory_id))
        return pairs

    def ahead(self, one: str | None, other: str) -> Pairs:
        """The same without what only `one` has: what lacks most of it costs what it has itself."""
        pairs: Pairs = {}
        ours, theirs = self.memories(one), self.memories(other)
        if theirs is None or ours == theirs:
            return pairs
        before = self.shards(ours) if ours else {}
        for name, tree in self.shards(theirs).items():
            if (there := before.get(name)) != tree:
                here = self.shard(name, there) if there else {}
                for memory_id, blob in self.shard(name, tree).items():
                    if here.get(memory_id) != blob:
                        pairs[memory_id] = (here.get(memory_id), blob)
        return pairs

    def changed_shards(
        self, one: str | None, other: str | None
    ) -> Iterator[tuple[str, Listing | None, Listing | None]]:
        """The shards two trees of memories do not share, with what is in both; None for one that
        cannot be read."""
        for name, before, after in self.shards_apart(one, other):
            yield name, self._try_shard(name, before), self._try_shard(name, after)

    def _try_shard(self, name: str, tree: str | None) -> Listing | None:
        try:
            return self.shard(name, tree) if tree else {}
        except StoreDamaged:
            return None

    def shards_apart(self, one: str | None, other: str | None) -> Iterator[ShardChange]:
        """The shards that differ, with their trees; the pairs asked for last are remembered."""
        if one == other:
            return iter(())
        apart = self._apart.get((one, other))
        if apart is None:
            before, after = (self.shards(tree) if tree else {} for tree in (one, other))
            names = sorted({name for name, _ in before.items() ^ after.items()})
            apart = [(name, before.get(name), after.get(name)) for name in names]
            if len(self._apart) >= _MOST_FOLDERS:
                self._apart.clear()
            self._apart[one, other] = apart
        return iter(apart)


class Snapshot:
    """The memories of `scope` as of the commit `tip` (None: it has none yet)."""

    def __init__(self, repository: Repository, trees: Trees, scope: Scope, tip: str | None) -> None:
        self._repository = repository
        self._trees = trees
        self.scope = scope
        self.tip = tip
        self._root = repository.objects.commit(tip).tree if tip is not None else None
        self._memories = trees.memories(self._root)
        if self._memories:
            trees.shards(self._memories)  # without it nothing can be listed: damaged as a whole

    @property
    def key(self) -> tuple[Scope, str | None]:
        """Return a key: what it holds depends on nothing else."""
        return (self.scope, self._memories)

    def blob(self, memory_id: str) -> str | None:
        """The blob of one memory, from its shard alone, however many there are."""
        return self._trees.memory(self._memories, memory_id) if self._memories else None

    def starting_with(self, prefix: str) -> Iterator[tuple[str, str]]:
        """The memories whose id starts with `prefix` (two characters or more), from one shard."""
        name = layout.shard_of(prefix)
        if tree := self.shard_tree(name):
            pairs = self.shard(name, tree).items()
            yield from (pair for pair in pairs if pair[0].startswith(prefix))

    def shards(self) -> dict[str, str]:
        """The name and tree of every shard."""
        return self._trees.shards(self._memories) if self._memories else {}

    def shard_tree(self, name: str) -> str | None:
        return self._trees.shards(self._memories).get(name) if self._memories else None

    def listing(self) -> Listing:
        """Every memory's id and blob; not to be changed, it is shared."""
        return self._trees.listing(self._memories) if self._memories else {}

    def shard(self, name: str, tree: str) -> Listing:
        """The memories of one shard, given its name and tree; not to be changed, it is shared."""
        return self._trees.shard(name, tree)
