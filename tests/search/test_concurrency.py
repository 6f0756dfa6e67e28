"""Several processes and threads on one index at once."""

import multiprocessing
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from treering.model.memory import Memory, derive_id
from treering.model.query import parse
from treering.search import Index
from treering.search.codec import DataFolder

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


def _catch_up_in_steps(folder: str, start: Any, found: Any) -> None:
    index = Index(Path(folder), read=_read)
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
        context.Process(target=_catch_up_in_steps, args=(str(tmp_path / "index"), start, found))
        for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    start.set()
    reports = [found.get(timeout=20) for _ in workers]
    for worker in workers:
        worker.join()

    assert reports == ["done", "done"]
    index = Index(tmp_path / "index", read=_read)
    index.catch_up(_blobs(60))
    assert index.documents() == 60
    assert index.search(parse("word7", NOW), _blobs(60), mode="text", now=NOW).total == 1


def test_a_held_lock_never_blocks(three: Any) -> None:
    """Another process writes: this one answers from the index and from memory, then catches up."""
    three.recall("token")
    data = next(three.folder.glob("data-*"))
    lock = DataFolder(data).lock("WRITELOCK")
    assert lock.acquire()
    three.remember("Rotate tokens weekly", "Old tokens leak.")

    assert "Rotate tokens weekly" in three.titles("tokens")
    assert "Rotate tokens weekly" not in three.fresh().entries()

    lock.release()
    three.index.tidy()
    assert len(three.fresh().entries()) == 4


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
    three.fresh().rebuild(list(three.memories))
    three.remember("Rotate tokens weekly", "Old tokens leak.")

    assert "Rotate tokens weekly" in three.titles("tokens")
    assert three.titles("authenticate") == ["Use JWT for authentication"]
    assert len(three.fresh().entries()) == 4


def test_threads_may_search_while_others_add(tmp_path: Path) -> None:
    """A server answers from worker threads."""
    index = Index(tmp_path / "index", read=_read)
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
    assert index.documents() == 30
