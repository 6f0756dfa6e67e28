"""Several processes and threads on one index at once."""

import multiprocessing
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from whoosh.index import TOC
from whoosh.writing import SegmentWriter

from treering.derived.content import MemoryRows
from treering.derived.database import Database
from treering.model.memory import Memory, derive_id
from treering.model.query import parse
from treering.search.engine import Index
from treering.search.index import IndexFolder

NOW = 1_767_225_600.0


def _memory(number: int) -> Memory:
    return Memory(
        id=derive_id("test", str(number)),
        type="insight",
        title=f"Shared token {number}",
        content=f"word{number} in common",
        created="2025-01-01T00:00:00Z",
        modified="2025-01-01T00:00:00Z",
    )


def _read(blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
    return ((blob, _memory(int(blob, 16))) for blob in blobs)


def _blobs(count: int) -> dict[str, int]:
    return {f"{number:040x}": 0 for number in range(count)}


def _open(folder: Path) -> Index:
    return Index(folder / "index", MemoryRows(Database(folder), clock=lambda: NOW), _read)


def _catch_up_in_steps(folder: str, start: Any, found: Any) -> None:
    index = _open(Path(folder))
    start.wait()
    for count in range(5, 65, 5):
        visible = _blobs(count)
        index.catch_up(visible)
        total = index.search(parse("token", NOW), visible, mode="text", now=NOW).total
        if total != count:
            found.put((count, total))
    found.put("done")


def test_processes_that_catch_up_at_once_all_see_everything(tmp_path: Path) -> None:
    """The same blobs are added twice and the lock is contended; every answer is complete."""
    context = multiprocessing.get_context("fork")
    start, found = context.Event(), context.Queue()
    workers = [
        context.Process(target=_catch_up_in_steps, args=(str(tmp_path), start, found))
        for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    start.set()
    reports = [found.get(timeout=20) for _ in workers]
    for worker in workers:
        worker.join()

    assert reports == ["done", "done"]
    index = _open(tmp_path)
    index.catch_up(_blobs(60))
    assert sorted(index.corpus().blobs) == sorted(_blobs(60))
    assert index.search(parse("word7", NOW), _blobs(60), mode="text", now=NOW).total == 1


def test_a_held_lock_never_blocks(three: Any) -> None:
    """Another process writes: this one answers from the index and from memory, then catches up."""
    three.recall("token")
    with IndexFolder(three.folder / "index").writing("knowledge"):
        three.remember("Rotate tokens weekly", "Old tokens leak.")
        assert "Rotate tokens weekly" in three.titles("tokens")

    three.remember("Tokens are rotated on Mondays")
    three.recall("tokens")

    assert three.recall("tokens", index=three.fresh()).total == three.recall("tokens").total
    assert sorted(three.fresh().corpus().blobs) == sorted(three.memories)


def test_what_another_process_added_is_not_read_again(three: Any) -> None:
    """Its segment is taken over instead."""
    other = three.fresh()
    three.recall("token", index=other)
    three.recall("token")
    three.remember("Rotate tokens weekly", "Old tokens leak.")
    three.recall("token", index=other)
    three.reads.clear()

    assert "Rotate tokens weekly" in three.titles("tokens")
    assert three.reads == []


def test_a_rebuild_elsewhere_is_followed(three: Any) -> None:
    """The folder a process has open may be replaced by another's rebuild."""
    three.recall("token")
    three.fresh().rebuild()
    three.remember("Rotate tokens weekly", "Old tokens leak.")

    assert "Rotate tokens weekly" in three.titles("tokens")
    assert three.titles("authenticate") == ["Use JWT for authentication"]
    assert three.fresh().corpus().count == 4


def test_threads_may_search_while_others_add(tmp_path: Path) -> None:
    """A server answers from worker threads."""
    index = _open(tmp_path)
    index.catch_up(_blobs(10))
    wrong: list[int] = []

    def searching() -> None:
        visible = _blobs(10)
        for _ in range(60):
            total = index.search(parse("token", NOW), visible, mode="text", now=NOW).total
            if total != 10:
                wrong.append(total)

    threads = [threading.Thread(target=searching) for _ in range(3)]
    for thread in threads:
        thread.start()
    for count in range(11, 31):
        index.catch_up(_blobs(count))
    for thread in threads:
        thread.join()

    assert wrong == []
    assert index.corpus().count == 30


def _die_while_committing(folder: str, step: str) -> None:
    index = _open(Path(folder))
    target = {"segment": SegmentWriter, "contents": TOC}[step]
    name = {"segment": "_assemble_segment", "contents": "write"}[step]
    setattr(target, name, lambda *_: os._exit(9))
    index.catch_up(_blobs(40))


@pytest.mark.parametrize("step", ["segment", "contents"])
def test_a_process_that_dies_while_it_writes_hides_nothing(tmp_path: Path, step: str) -> None:
    """Rows are there before the index is: the next process adds what is missing, once."""
    _open(tmp_path).catch_up(_blobs(10))
    context = multiprocessing.get_context("fork")
    process = context.Process(target=_die_while_committing, args=(str(tmp_path), step))
    process.start()
    process.join(20)
    assert process.exitcode == 9

    index = _open(tmp_path)
    found = index.search(parse("token", NOW), _blobs(40), mode="text", now=NOW, limit=50)

    assert found.total == 40
    assert sorted(index.corpus().blobs) == sorted(_blobs(40))
