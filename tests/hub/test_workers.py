"""Workers that update repositories: several at once, and what befalls one befalls no other."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from treering.hub import workers
from treering.hub.hub import RepositoryHub, UpdateResult

Deed = Callable[[], object]


class OddHub:
    """Updates by doing what each repository makes of it; no real one kills on demand."""

    def __init__(self, **deeds: Deed) -> None:
        self._deeds = deeds

    def update(self, name: str) -> UpdateResult:
        self._deeds.get(name, lambda: None)()
        return UpdateResult(name, "updated", memories=os.getpid())


def update(names: str, seconds: float = 30, at_once: int = 2, **deeds: Deed) -> dict[str, Any]:
    hub = cast(RepositoryHub, OddHub(**deeds))
    results = workers.update_each(hub, names.split(), seconds, at_once)
    return {result.name: result for result in results}


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_one_that_dies_or_hangs_costs_its_own_turn() -> None:
    results = update(
        "a killed b hangs c d", seconds=2, killed=kill_itself, hangs=lambda: time.sleep(60)
    )

    assert {name for name in results if results[name].status == "updated"} == set("abcd")
    assert "signal 9" in results["killed"].error
    assert "2 seconds" in results["hangs"].error


def test_a_worker_takes_one_after_the_other_and_is_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it learned is used again; what piles up in it does not stay for ever."""
    monkeypatch.setattr(workers, "_MOST_IN_A_ROW", 3)

    results = update("a b c d e f", at_once=1)

    processes = [results[name].memories for name in "abcdef"]
    assert len(set(processes[:3])) == 1
    assert len(set(processes)) == 2
    assert os.getpid() not in processes


def test_whatever_is_wrong_with_memory_is_said() -> None:
    def use_up() -> None:
        raise MemoryError

    assert "memory" in update("large", large=use_up)["large"].error


def test_who_stops_leaves_no_worker_behind(tmp_path: Path) -> None:
    """As with Ctrl-C in the middle of a round."""
    note = tmp_path / "process"

    def wait() -> None:
        note.write_text(str(os.getpid()))
        time.sleep(60)

    def follow() -> None:
        while not (note.exists() and note.read_text()):
            time.sleep(0.01)

    hub = cast(RepositoryHub, OddHub(slow=wait, quick=follow))
    results = workers.update_each(hub, ["quick", "slow"], at_once=2)
    first = next(results)

    results.close()

    assert first.name == "quick"
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)
