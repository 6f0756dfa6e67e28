"""What a view costs beside the verb it shows, and how many branches the river takes.

    python -m benchmarks web [--quick]

Views are asked as a browser asks, in this process, in turn with the verbs they show. CPU time, that
of git included, medians. The goal is 50 ms more than the verb at 10,000 memories.
"""

import json
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from benchmarks._bench import git, heading, interleaved, milliseconds, repository, row
from benchmarks.search import Corpus
from treering.actions.checkpoint import checkpoint
from treering.actions.gc import gc
from treering.actions.graph import graph
from treering.actions.handover import list_told
from treering.actions.history import diff
from treering.actions.read import read
from treering.actions.recall import recall
from treering.actions.review import review
from treering.actions.status import share_state, status
from treering.actions.why.why import why
from treering.actions.workspace import Workspace
from treering.mcp.repository import ServedRepository
from treering.web.app import make_app
from treering.web.guard import Keys
from treering.web.rendering import make_environment
from treering.web.river import draw_river, list_lives
from treering.web.visit import Notices, Site

GOAL = 0.050
PORT = 8123


def main(quick: bool = False) -> None:
    memories = 1_000 if quick else 10_000
    with repository() as path:
        _fill(path, memories)
        compare(path, rounds=5 if quick else 9)
    draw(200 if quick else 2_000)


def _fill(path: Path, count: int) -> None:
    """Memories over 200 files, a branch with some of its own, and one in a hundred linked."""
    corpus = Corpus(count)
    (path / "src").mkdir()
    for number in range(200):
        (path / "src" / f"file{number}.py").write_text("x = 1\n" * 40, encoding="utf-8")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "files")
    file = path / "memories.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number, memory in enumerate(corpus.memories.values()):
            fields: dict[str, Any] = {"content": memory.content, "title": memory.title}
            fields["files"] = [f"src/file{number % 200}.py"]
            lines.write(json.dumps(fields) + "\n")
    workspace = Workspace.open(path)
    from treering.actions.imports.imports import import_path
    from treering.actions.remember import remember

    import_path(workspace, file)
    file.unlink()
    git(path, "switch", "-q", "-c", "feature")
    for number in range(20):
        remember(workspace, f"The report number {number} reads from a snapshot", type="decision")


def compare(path: Path, rounds: int) -> None:
    place = ServedRepository(path, is_named=True)
    workspace = place.workspace()
    keys = Keys.make()
    site = Site(place, make_environment(time.time), keys, Notices(), is_read_only=False)
    client = TestClient(make_app(site, PORT), base_url=f"http://127.0.0.1:{PORT}")
    client.cookies.set(f"treering-{PORT}", keys.token)
    ours = _list_verbs(workspace)
    id = recall(workspace, "report", limit=1).results[0].id
    addresses = {
        "Today": "/", "Search": "/search?q=report+snapshot", "Search, all": "/search",
        "a memory": f"/memory/{id}", "Branches": "/branches", "Files": "/files",
        "a file": "/files/src/file1.py", "Review": "/review", "Graph": f"/graph?id={id}",
        "Pull request": "/pull-request", "Told": "/told",
    }  # fmt: skip
    ours["a memory"] = lambda: read(workspace, id, history=True)
    ours["Graph"] = lambda: (
        graph(workspace, "stats"),
        graph(workspace, "neighbors", id=id),
    )
    heading("view", "its verbs", "the view", "goal +50 ms")
    for name, address in addresses.items():
        _compare(name, ours[name], client, address, 1 if name == "Review" else rounds)


def _compare(
    name: str, verb: Callable[[], object], client: TestClient, address: str, rounds: int
) -> None:
    ways = {"verb": verb, "view": lambda: _get(client, address)}
    taken = interleaved(rounds, ways, warm_up=min(rounds, 2), clock=spend)
    more = taken["view"] - taken["verb"]
    verdict = "ok" if more <= GOAL else "MISSED"
    row(
        name, milliseconds(taken["verb"]), milliseconds(taken["view"]),
        f"{more * 1000:+.0f} ms {verdict}",
    )  # fmt: skip


def spend() -> float:
    """The CPU seconds of this process and its children so far."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _get(client: TestClient, address: str) -> None:
    answer = client.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address}: {answer.status_code}")


def _list_verbs(workspace: Workspace) -> dict[str, Callable[[], object]]:
    """What each view shows, asked as any door asks it."""
    return {
        "Today": lambda: (
            recall(workspace, records="none", order="newest", limit=16),
            recall(workspace, type="decision", records="none", order="newest", limit=8),
            checkpoint(workspace, "load"),
            share_state(workspace),
            status(workspace, view="branches"),
        ),
        "Search": lambda: recall(workspace, "report snapshot", limit=20),
        "Search, all": lambda: recall(workspace, limit=20),
        "Branches": lambda: (gc(workspace, dry_run=True), status(workspace, view="branches")),
        "Files": lambda: status(workspace, view="files"),
        "a file": lambda: (
            status(workspace, view="files"),
            why(workspace, "src/file1.py:1-40", at="HEAD", limit=100),
            recall(workspace, file="src/file1.py", limit=30, order="newest"),
        ),
        "Review": lambda: review(workspace, limit=10),
        "Pull request": lambda: diff(workspace, "main..feature"),
        "Told": lambda: list_told(workspace),
    }


def draw(branches: int) -> None:
    """The river of many branches, a third of them landed and a third thrown away."""
    with repository() as path:
        _make_branches(path, branches)
        workspace = Workspace.open(path)
        list_lives(workspace)  # the index is there from now on
        taken = interleaved(
            3,
            {"gathered": lambda: list_lives(workspace), "drawn": lambda: _draw(workspace)},
            warm_up=1,
            clock=spend,
        )
        picture = _draw(workspace)
        heading("the river", "gathered", "with drawing", "size")
        row(
            f"{branches} branches", milliseconds(taken["gathered"]), milliseconds(taken["drawn"]),
            f"{len(picture) / 1e6:.2f} MB",
        )  # fmt: skip


def _draw(workspace: Workspace) -> str:
    return str(draw_river(list_lives(workspace)))


def _make_branches(path: Path, count: int) -> None:
    git(path, "config", "treering.fsync", "false")  # the disk is not what is measured
    file = path / "memories.jsonl"
    day = 1_700_000_000
    with file.open("w", encoding="utf-8") as lines:
        for number in range(count):
            for step in range(3):
                when = day + number * 20_000 + step * 30_000
                stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
                fields: Mapping[str, object] = {
                    "content": f"Branch {number} learned lesson {step}", "created": stamp,
                    "branch": f"work/{number}", "modified": stamp,
                }  # fmt: skip
                lines.write(json.dumps(fields) + "\n")
    workspace = Workspace.open(path)
    from treering.actions.imports.imports import import_path

    import_path(workspace, file)
    file.unlink()
