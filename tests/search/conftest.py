"""Memories without git: blobs are made up, and `read` hands out what was remembered."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from treering.derived.content import MemoryRows
from treering.derived.database import Database
from treering.model.memory import Memory, derive_id
from treering.model.query import parse
from treering.search.engine import Index
from treering.search.hits import SearchResult
from treering.search.understanding import SemanticSearch

NOW = 1_767_225_600.0  # 2026-01-01
LONG_AGO = "2025-01-01T00:00:00Z"


class Library:
    """The memories of a test, and an index over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memories: dict[str, Memory] = {}
        self.reads: list[str] = []
        self.embedder: Any = None
        self.own_words = ""
        self._index: Index | None = None

    def remember(self, title: str, content: str = "", **fields: Any) -> str:
        """Add a memory; returns its blob id."""
        content = content or title
        fields.setdefault("created", LONG_AGO)
        fields.setdefault("modified", fields["created"])
        fields.setdefault("type", "insight")
        fields.setdefault("id", derive_id("test", title + content))
        memory = Memory(title=title, content=content, **fields)
        blob = hashlib.sha1(repr(memory).encode()).hexdigest()
        self.memories[blob] = memory
        return blob

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        for blob in blobs:
            self.reads.append(blob)
            if blob in self.memories:
                yield blob, self.memories[blob]

    def fresh(self) -> Index:
        """An index as a new process would have it."""
        models = [self.embedder] if self.embedder else []
        understanding = SemanticSearch(
            Database(self.folder), models, own_words=lambda: self.own_words
        )
        rows = MemoryRows(Database(self.folder), clock=lambda: NOW)
        return Index(self.folder / "index", rows, self.read, understanding)

    @property
    def index(self) -> Index:
        if self._index is None:
            self._index = self.fresh()
        return self._index

    def recall(self, text: str = "", **options: Any) -> SearchResult:
        """Catch up and search everything remembered."""
        index = options.pop("index", None) or self.index
        visible = options.pop("visible", None) or dict.fromkeys(self.memories, 0)
        index.catch_up(visible)
        options = {"mode": "text", "now": NOW, "limit": 10} | options
        return index.search(parse(text, NOW), visible, **options)

    def titles(self, text: str = "", **options: Any) -> list[str]:
        return [self.memories[hit.blob].title for hit in self.recall(text, **options).hits]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "index")


@pytest.fixture(scope="session")
def library_at() -> type[Library]:
    return Library


@pytest.fixture
def three(library: Library) -> Library:
    """A library with three memories that have little in common."""
    library.remember("Use JWT for authentication", "Stateless tokens for every service.")
    library.remember("Retry the payment webhook", "It fails with ERR_1234 now and then.")
    library.remember("Cache rendered templates", "Rendering took 80 ms a page.")
    return library


@pytest.fixture
def make_library(tmp_path: Path) -> Callable[[str], Library]:
    return lambda name: Library(tmp_path / name)
