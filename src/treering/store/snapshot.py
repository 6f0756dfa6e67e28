"""One scope at one commit: a fixed set of memories, looked up by id or listed."""

from collections.abc import Iterator

from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import layout
from treering.store.trees import Listing, Trees


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
        tree = self._trees.folder(self._root, layout.MEMORIES)
        if tree:
            self._trees.shards(tree)  # without it nothing can be listed: damaged as a whole
        return tree

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
