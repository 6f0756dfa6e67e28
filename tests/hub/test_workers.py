"""Processes that update repositories: several at once, and what befalls one befalls no other."""

import os
import sys
from pathlib import Path

import pytest

from treering.cli import caller, hub

#: A process that does what the name of its repository says, instead of updating it.
_ODD = """
import json, os, resource, signal, sys, time
name = sys.argv[-1]
if name.startswith("killed"):
    os.kill(os.getpid(), signal.SIGKILL)
if name.startswith("hangs"):
    open(sys.argv[1], "w").write(str(os.getpid()))
    time.sleep(60)
if name.startswith("waits"):
    while not (os.path.exists(sys.argv[1]) and open(sys.argv[1]).read()):
        time.sleep(0.01)
if name.startswith("broken"):
    sys.exit("Traceback")
print(json.dumps({"name": name, "status": "updated", "memories": os.getpid()}))
"""


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a process that hangs says which one it is."""
    file = tmp_path / "process"
    command = [sys.executable, "-c", _ODD, str(file)]
    monkeypatch.setattr(caller, "own_command", lambda *words: [*command, words[-1]])
    return file


def test_one_that_dies_or_hangs_costs_its_own_turn(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "UPDATE_SECONDS", 5.0)

    names = ["a", "killed", "b", "hangs", "broken", "c", "d"]
    results = {result.name: result for result in hub.update_apart("place", names)}

    assert {name for name in results if results[name].status == "updated"} == set("abcd")
    assert "signal 9" in results["killed"].error
    assert "5 seconds" in results["hangs"].error
    assert "exit code 1" in results["broken"].error
    processes = {results[name].memories for name in "abcd"}
    assert len(processes) == 4
    assert os.getpid() not in processes


def test_who_stops_leaves_no_process_behind(note: Path) -> None:
    """As with Ctrl-C in the middle of a round."""
    results = hub.update_apart("place", ["waits", "hangs"])
    first = next(results)

    results.close()

    assert first.name == "waits"
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_time_memory_and_files_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the process that updates, and in git below it."""
    from treering.hub.folder import FolderHub
    from treering.hub.hub import UpdateResult

    seen: list[tuple[int, int]] = []
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr("resource.setrlimit", lambda kind, pair: limits.append((kind, pair)))
    monkeypatch.setattr("signal.alarm", lambda seconds: seen.append((seconds, seconds)))
    monkeypatch.setattr(FolderHub, "update", lambda _, name: UpdateResult(name, "updated"))
    monkeypatch.setenv("TREERING_HUB_WORKER", "111 222 333")
    monkeypatch.setenv("TREERING_HUB", str(tmp_path))
    from treering.cli.main import main

    assert main(["hub", "update", "x", "--json"]) == 0

    seen += [pair for _, pair in limits]
    assert seen == [(333, 333), (111, 111), (222, 222)]
