"""Memories by blob, as the index asks for them."""

from collections.abc import Iterable, Iterator

from treering.errors import TreeringError
from treering.git.binding import GitError
from treering.model.memory import Memory
from treering.store.store import Store


class MemoryReader:
    """Reads memories from whichever vault has them; what is no memory is passed over."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """Yield each blob with its memory, dated as it claims."""
        return ((blob, memory) for blob in blobs if (memory := self._parse(blob)))

    def _parse(self, blob: str) -> Memory | None:
        try:
            for vault in self._store.vaults():
                if memory := vault.peek(blob):
                    return memory
                if vault.repository.objects.exists(blob):
                    return vault.memory(blob)
        except (TreeringError, GitError):
            return None  # no memory, or a damaged one
        return None
