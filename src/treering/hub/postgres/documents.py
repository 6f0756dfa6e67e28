"""Memories as the database keeps them: their very bytes, by blob."""

from collections.abc import Iterable, Iterator
from typing import Any

from treering.errors import TreeringError
from treering.hub.shelves import split_mark
from treering.model import document
from treering.model.memory import Memory


class DocumentReader:
    """Reads memories for the check of phrases, and of what outdates what."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def read(self, marked: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        by_blob: dict[str, list[str]] = {}
        for one in marked:
            by_blob.setdefault(split_mark(one)[1], []).append(one)
        query = "SELECT blob, body FROM treering.document WHERE blob = ANY(%s)"
        for blob, body in self._connection.execute(query, (list(by_blob),)).fetchall():
            if memory := parse_body(body):
                yield from ((one, memory) for one in by_blob[blob])


def parse_body(body: bytes) -> Memory | None:
    """The memory in a document; None where it is none."""
    try:
        return document.parse(bytes(body))
    except TreeringError:
        return None
