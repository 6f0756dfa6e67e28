"""Memories by blob, as the indexes ask for them."""

from collections.abc import Iterable, Iterator
from itertools import islice

from treering.derived.ledger import Ledger
from treering.errors import TreeringError
from treering.git.binding import GitError
from treering.model import document
from treering.model.memory import Memory
from treering.model.provenance import Version, when_said
from treering.store.store import Store
from treering.store.vault import Vault

_AT_ONCE = 500


class MemoryReader:
    """Reads memories from whichever vault has them; what is no memory is passed over."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger
        self._versions: dict[str, Version] = {}  # of those read last
        self._last: dict[str, Memory] = {}

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """With the dates that the ledger vouches for: the index orders and filters by them."""
        vaults = self._store.vaults()
        rest = iter(blobs)
        while batch := list(islice(rest, _AT_ONCE)):
            if len(batch) == 1 and (last := self._last.get(batch[0])):
                yield batch[0], last  # the small index has just asked for it
                continue
            self._versions = versions = self._ledger.versions(batch)
            for blob in batch:
                if memory := _parse(vaults, blob):
                    memory = self._ledger.date(memory, versions.get(blob))
                    self._last = {blob: memory}
                    yield blob, memory

    def read_texts(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """The same, with dates as they are claimed."""
        vaults = self._store.vaults()
        return ((blob, memory) for blob in blobs if (memory := _parse(vaults, blob)))

    def date_content(self, blob: str, memory: Memory) -> float:
        """When the content of a memory that was just read was said."""
        return when_said(memory, self._versions.get(blob))


def _parse(vaults: Iterable[Vault], blob: str) -> Memory | None:
    try:
        for vault in vaults:
            objects = vault.repository.objects
            if memory := vault.peek(blob):
                return memory
            if objects.exists(blob):
                memory = document.parse(objects.blob(blob))
                vault.note({blob: memory})  # the other index asks for it next
                return memory
    except (TreeringError, GitError):
        return None  # no memory, or a damaged one
    return None
