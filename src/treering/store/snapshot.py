"""One scope at one commit: a fixed set of memories, looked up by id or listed.

Trees are immutable, so what a shard or all of them hold is remembered by their tree's id: after a
change only the changed shard is read again.
"""

import contextlib
from collections.abc import Iterator

from treering.errors import StoreDamaged
from treering.git.libgit2 import GIT_OBJECT_TREE
from treering.git.objects import BLOB, TREE
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import layout

#: Memory id -> blob id.
Listing = dict[str, str]

_MOST_SHARDS = 40_000
_MOST_LISTINGS, _FEWEST_LISTINGS = 64, 6
_MOST_LISTED = 100_000


class Trees:
    """What was read of trees so far, by tree id."""

    def __init__(self) -> None:
        self.shards: dict[str, Listing] = {}
        self.listings: dict[str, Listing] = {}

    def forget_some(self) -> None:
        if len(self.shards) > _MOST_SHARDS:
            self.shards.clear()

    def listing(self, tree: str) -> Listing | None:
        """What was read of all shards, if it is still known; used last, dropped last."""
        known = self.listings.pop(tree, None)
        return None if known is None else self.keep(tree, known)

    def keep(self, tree: str, listing: Listing) -> Listing:
        """Every capture makes a new listing of everything: a few large ones or many small."""
        self.listings[tree] = listing
        held = 0
        for number, (old, some) in enumerate(reversed(list(self.listings.items()))):
            held += len(some)
            if number >= _MOST_LISTINGS or (held > _MOST_LISTED and number >= _FEWEST_LISTINGS):
                self.listings.pop(old, None)  # a server's threads may be here together
        return listing


class Snapshot:
    """The memories of `scope` as of the commit `tip` (None: it has none yet)."""

    def __init__(self, repository: Repository, trees: Trees, scope: Scope, tip: str | None) -> None:
        self._repository = repository
        self._trees = trees
        self.scope = scope
        self.tip = tip
        self._root = repository.objects.commit(tip).tree if tip is not None else None
        self._memories = self._memories_tree()

    @property
    def key(self) -> tuple[Scope, str | None]:
        """What it holds depends on nothing else."""
        return (self.scope, self._memories)

    def _memories_tree(self) -> str | None:
        if self._root is None:
            return None
        objects = self._repository.objects
        tree = objects.child(self._root, layout.MEMORIES, GIT_OBJECT_TREE)
        if tree:
            objects.check_tree(tree)  # without it nothing can be listed: damaged as a whole
        return tree

    def blob(self, memory_id: str) -> str | None:
        """The blob of one memory: three tree look-ups, however many there are."""
        shard = self.shard_tree(layout.shard_of(memory_id))
        return self._repository.objects.file(shard, layout.file_of(memory_id)) if shard else None

    def starting_with(self, prefix: str) -> Iterator[tuple[str, str]]:
        """The memories whose id starts with `prefix` (two characters or more), from one shard."""
        if self._memories is None:
            return
        name = layout.shard_of(prefix)
        if tree := self.shard_tree(name):
            pairs = self.shard(name, tree).items()
            yield from (pair for pair in pairs if pair[0].startswith(prefix))

    def shards(self) -> Iterator[tuple[str, str]]:
        """The name and tree of every shard."""
        if self._memories is not None:
            for line in self._repository.objects.tree(self._memories):
                if line.mode == TREE and layout.is_shard(line.name):
                    yield line.name, line.oid

    def shard_tree(self, name: str) -> str | None:
        objects = self._repository.objects
        return objects.child(self._memories, name, GIT_OBJECT_TREE) if self._memories else None

    def listing(self) -> Listing:
        """Every memory's id and blob; not to be changed, it is shared.

        A shard that cannot be read is passed over: doctor tells.
        """
        if self._memories is None:
            return {}
        known = self._trees.listing(self._memories)
        if known is None:
            known = {}
            for name, tree in self.shards():
                with contextlib.suppress(StoreDamaged):
                    known.update(self.shard(name, tree))
            self._trees.keep(self._memories, known)
            self._trees.forget_some()
        return known

    def saved(self) -> Listing:
        """Prompts and templates: key -> blob. They are few, and rarely asked for."""
        objects = self._repository.objects
        found: Listing = {}
        for folder in layout.SAVED.values() if self._root else ():
            tree = objects.child(self._root, folder, GIT_OBJECT_TREE) if self._root else None
            for line in objects.tree(tree) if tree else ():
                if line.mode == BLOB and (name := layout.name_in(line.name)):
                    found[f"{folder}/{name}"] = line.oid
        return found

    def shard(self, name: str, tree: str) -> Listing:
        """The memories of one shard, given its name and tree; not to be changed, it is shared."""
        known = self._trees.shards.get(tree)
        if known is None:
            known = self._read_shard(name, tree)
            self._trees.shards[tree] = known
        return known

    def _read_shard(self, name: str, tree: str) -> Listing:
        """Lines of ours all have one length, so a shard that holds nothing else is cut at once."""
        objects = self._repository.objects
        raw = objects.raw_tree(tree)
        if len(raw) % layout.LINE.size == 0:
            lines = list(layout.LINE.iter_unpack(raw))
            if all(layout.is_plain(line, name) for line in lines):
                return {memory_id.decode(): blob.hex() for _, memory_id, _, blob in lines}
        return {
            memory_id: line.oid
            for line in objects.tree(tree)
            if line.mode == BLOB and (memory_id := layout.id_in(line.name, name))
        }
