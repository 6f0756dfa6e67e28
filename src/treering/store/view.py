"""The view from one place: layers of scopes, the nearest copy of an id winning."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from treering.errors import AmbiguousId, MemoryNotFound, StoreDamaged
from treering.model.mark import mark_memory, unmark
from treering.model.memory import Memory, id_prefix
from treering.store.trees import Listing, Snapshot
from treering.store.vault import Vault


class Layer(NamedTuple):
    """One scope in a view; `kind` is the contract's word for where it stands."""

    kind: str
    vault: Vault
    snapshot: Snapshot
    #: What the layer below took over: a copy unchanged since then no longer covers the one there.
    taken_over: Listing | None = None
    #: The name it goes by, where the scope still has the one before a rename.
    name: str = ""
    #: The mark of its repository in a hub (see model/mark.py), which its ids and blobs bear.
    mark: str = ""

    @property
    def branch(self) -> str:
        return self.name or self.snapshot.scope.branch

    def blob(self, memory_id: str) -> str | None:
        if self.mark:
            if not memory_id.startswith(self.mark):
                return None
            blob = self.snapshot.blob(unmark(memory_id))
            return self.mark + blob if blob else None
        blob = self.snapshot.blob(memory_id)
        return None if self.taken_over and self.taken_over.get(memory_id) == blob else blob

    def read(self, blob: str) -> Memory:
        """Return the memory in a blob."""
        if self.mark:
            return mark_memory(self.vault.memory(unmark(blob)), self.mark)
        return self.vault.memory(blob)

    def try_read(self, blob: str) -> Memory | None:
        """Return the memory in a blob, or None where it cannot be read: doctor names it."""
        memory = self.vault.try_memory(unmark(blob) if self.mark else blob)
        return mark_memory(memory, self.mark) if memory and self.mark else memory

    def listing(self) -> Listing:
        """The memories this layer shows; not to be changed, it is shared."""
        found = self.snapshot.listing()
        if self.mark:
            return {self.mark + mid: self.mark + blob for mid, blob in found.items()}
        if not self.taken_over:
            return found
        return {mid: blob for mid, blob in found.items() if self.taken_over.get(mid) != blob}


class Copy(NamedTuple):
    """One copy of a memory: its blob, and the layer it was found in."""

    id: str
    blob: str
    layer: Layer

    @property
    def is_private(self) -> bool:
        return self.layer.vault.is_private

    def memory(self) -> Memory:
        return self.layer.read(self.blob)

    def try_memory(self) -> Memory | None:
        """The memory, or None where it cannot be read: doctor names it."""
        return self.layer.try_read(self.blob)


class View:
    """Layers looked at together, fixed at the tips they had when it was made."""

    def __init__(self, branch: str, layers: tuple[Layer, ...]) -> None:
        self.branch = branch
        self.layers = layers

    def without_private(self) -> "View":
        """The same, as anyone else who has this repository would see it."""
        shared = (layer for layer in self.layers if not layer.vault.is_private)
        return View(self.branch, tuple(shared))

    @cached_property
    def state(self) -> tuple[object, ...]:
        """Return what it shows, as a value: its scopes and tips, and what of them is taken over."""
        return tuple(
            (
                layer.kind,
                layer.name,
                layer.mark,
                layer.vault.is_private,
                layer.snapshot.tip,
                layer.snapshot.key,
                frozenset((layer.taken_over or {}).items()),
            )
            for layer in self.layers
        )

    def is_current(self) -> bool:
        """Return whether every layer is still where it was, under the name it goes by."""
        try:
            return all(
                layer.branch == layer.snapshot.scope.branch
                and layer.vault.tip(layer.snapshot.scope) == layer.snapshot.tip
                for layer in self.layers
            )
        except StoreDamaged:
            return False

    def place(self, memory_id: str) -> Copy | None:
        """The nearest copy of a memory, forgotten or not."""
        for layer in self.layers:
            if blob := layer.blob(memory_id):
                return Copy(memory_id, blob, layer)
        return None

    def narrow(self, text: str) -> "View":  # noqa: ARG002
        """Return the view without layers that cannot hold the memory meant by a text."""
        return self

    def find(self, text: str) -> Copy:
        """The memory meant by an id or a unique prefix of one."""
        prefix = id_prefix(text)
        if len(prefix) == 12:
            ids = {prefix}
        else:
            ids = {mid for layer in self.layers for mid, _ in layer.snapshot.starting_with(prefix)}
        if len(ids) > 1:
            some = ", ".join(sorted(ids)[:5])
            raise AmbiguousId(
                f"{text.strip()} matches {len(ids)} memories: {some}",
                hint="Give one more character.",
            )
        place = self.place(ids.pop()) if ids else None
        if place is None:
            raise MemoryNotFound(f"No memory {text.strip()} is visible on {self.branch}")
        return place

    @cached_property
    def visible(self) -> dict[str, Copy]:
        """The nearest copy of every id, forgotten ones included: they hide what is below."""
        nearest: dict[str, Copy] = {}
        for layer in self.layers:
            for memory_id, blob in layer.listing().items():
                if memory_id not in nearest:
                    nearest[memory_id] = Copy(memory_id, blob, layer)
        return nearest

    def ranks(self) -> dict[str, int]:
        """The visible blobs and the number of their layer, nearest 0: what `visible` shows, without
        a value of its own for each memory."""
        by_blob = self.ranks_of_all()
        above: set[str] = set()
        for rank, layer in enumerate(self.layers):
            listing = layer.listing()
            for memory_id in listing.keys() & above:
                if by_blob.get(listing[memory_id]) == rank:
                    del by_blob[listing[memory_id]]
            if rank < len(self.layers) - 1:
                above |= listing.keys()
        return by_blob

    def ranks_of_all(self) -> dict[str, int]:
        """Every blob of every layer and the number of the nearest layer that has it."""
        by_blob: dict[str, int] = {}
        for rank, layer in reversed(list(enumerate(self.layers))):
            by_blob.update(dict.fromkeys(layer.listing().values(), rank))
        return by_blob

    def copies(self) -> Iterator[Copy]:
        """Every copy in every layer, hidden ones included."""
        for layer in self.layers:
            for memory_id, blob in layer.listing().items():
                yield Copy(memory_id, blob, layer)
