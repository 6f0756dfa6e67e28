"""What it costs to write: one capture against bare pygit2, an import against git fast-import.

Floor a is the least a capture could be: blob, two trees, commit, ref, by plain pygit2 with fsync.
Floor b writes the very objects treering does: three trees, and a line in the ref's log.
"""

import functools
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from unittest import mock

import pygit2
from pygit2.enums import FileMode

from benchmarks._bench import (
    ENVIRONMENT,
    git,
    heading,
    interleaved,
    milliseconds,
    ratio,
    repository,
    row,
)
from treering import Treering
from treering.actions.workspace import Workspace

REF = "refs/treering/heads/main"
SIZES = (0, 10_000, 100_000)
_WORDS = ("cache", "token", "ref", "branch", "lock", "index", "retry", "schema", "timeout", "queue",
          "socket", "tenant", "invoice", "latency", "snapshot", "replica", "commit", "reader",
          "writer", "session", "cookie", "header", "payload", "migration", "worker")  # fmt: skip


def main(quick: bool) -> None:
    captures(SIZES[:2] if quick else SIZES, rounds=40 if quick else 200)
    print()
    imports(1_000 if quick else 10_000, rounds=3)
    print()
    sizes(200 if quick else 2_000)


def thought(number: int) -> str:
    """About 800 bytes of text nobody else has."""
    words = random.Random(number)  # the same texts in every run
    text = " ".join(words.choice(_WORDS) for _ in range(110))
    return f"Thought {number} about {words.choice(_WORDS)}\n\n{text}."


def records(folder: Path, count: int) -> Path:
    path = folder / "records.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            record = {"content": thought(number), "type": "insight", "tags": ["bench"]}
            file.write(json.dumps(record) + "\n")
    return path


# --- one capture ---------------------------------------------------------------------------------


def captures(sizes: tuple[int, ...], rounds: int) -> None:
    heading("one capture, in one process", "treering", "floor a", "floor b", "ours / a", "ours / b")
    taken = {}
    for size in sizes:
        times = _captures(size, rounds)
        taken[size] = times["ours"]
        row(
            f"  with {size:,} memories",
            *(milliseconds(times[name]) for name in ("ours", "a", "b")),
            ratio(times["ours"], times["a"], 1.5) if size else f"{times['ours'] / times['a']:.2f}x",
            f"{times['ours'] / times['b']:.2f}x",
        )
    most = max(sizes)
    row(f"  flat from 0 to {most:,}", ratio(taken[most], taken[0], 2))


def _captures(size: int, rounds: int) -> dict[str, float]:
    with repository() as path, tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(path)
        treering = Treering(workspace)
        if size:
            treering.import_path(records(Path(folder), size))
            git(path, "repack", "-adq")
            # Else a thread would do it beside the first captures.
            workspace.neighbourhood.catch_up_alone(workspace.view_of_all())
        else:
            treering.remember("the first one")
        numbers = itertools.count(size)
        return interleaved(
            rounds,
            {
                "ours": lambda: treering.remember(thought(next(numbers)), type="insight"),
                "a": floor(path, "a", ["memories"], has_log=False),
                "b": floor(path, "b", [], has_log=True),
            },
        )


def floor(path: Path, name: str, below: list[str], *, has_log: bool) -> Callable[[], None]:
    """One capture by plain pygit2, on top of the tree treering has (or a folder of it)."""
    pygit2.settings.enable_fsync_gitdir(True)
    repo = pygit2.Repository(str(path))
    ref = f"refs/bench/{name}"
    tree = repo.references[REF].peel(pygit2.Commit).tree
    for folder in below:
        tree = tree[folder]
    who = pygit2.Signature("Ada Lovelace", "ada@example.org")
    repo.references.create(ref, repo.create_commit(None, who, who, "start", tree.id, []))
    if has_log:
        log = path / ".git" / "logs" / ref
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
    document = ("---\n" + "key: value of a field\n" * 12 + "---\n").encode()
    shards = "0123456789abcdefghjkmnpqrstvwxyz"

    def put(tree: pygit2.Tree | None, names: list[str], blob: pygit2.Oid) -> pygit2.Oid:
        builder = repo.TreeBuilder(tree) if tree is not None else repo.TreeBuilder()
        if len(names) == 1:
            builder.insert(names[0], blob, FileMode.BLOB)
        else:
            inner = tree[names[0]] if tree is not None and names[0] in tree else None
            builder.insert(names[0], put(inner, names[1:], blob), FileMode.TREE)
        return builder.write()

    numbers = itertools.count()

    def capture() -> None:
        number = next(numbers)
        file = os.urandom(6).hex()
        shard = shards[number % 32] + shards[number // 32 % 32]
        blob = repo.create_blob(document + thought(number).encode() + file.encode())
        parent = repo.references[ref].peel(pygit2.Commit)
        names = [*([] if below else ["memories"]), shard, f"{shard}{file[2:]}.md"]
        root = put(parent.tree, names, blob)
        commit = repo.create_commit(None, who, who, f"capture {number}", root, [parent.id])
        repo.references[ref].set_target(commit, "capture")

    return capture


# --- many at once --------------------------------------------------------------------------------


def imports(count: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given = records(Path(folder), count)
        stream = _fast_import_stream(given)

        ways: dict[str, Callable[[Path], object]] = {
            "written": lambda path: _import_unindexed(path, given),
            "program": lambda path: _treering(path, "import", str(given)),
            "git": lambda path: git(path, "fast-import", "--quiet", feed=stream),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                with repository() as path:
                    taken[name].append(_seconds(functools.partial(way, path)))
    middle = {name: median(times) for name, times in taken.items()}
    heading(f"import of {count:,} memories", "seconds", "/ fast-import")
    row("  git fast-import of the same blobs", f"{middle['git']:.2f} s")
    ours = middle["written"]
    row("  treering import, without its index", f"{ours:.2f} s", ratio(ours, middle["git"], 3))
    row("  treering import, the program, to searchable", f"{middle['program']:.2f} s")


def _import_unindexed(path: Path, given: Path) -> None:
    """git makes nothing searchable, so for the comparison neither do we."""
    with mock.patch("treering.actions.imports.imports.catch_up"):
        Treering.open(path).import_path(given)


def _fast_import_stream(given: Path) -> bytes:
    """The blobs a treering import makes, as one commit for git fast-import."""
    with repository() as path:
        Treering.open(path).import_path(given)
        files = git(path, "ls-tree", "-r", REF).decode().splitlines()
        lines = [line.split() for line in files]
        asked = "".join(f"{oid}\n" for _, _, oid, _ in lines).encode()
        answer = git(path, "cat-file", "--batch", feed=asked)
    blobs, commit, at = [], [b"commit refs/bench/all\ncommitter A <a@b> 0 +0000\ndata 0\n"], 0
    for mark, (_, _, _, name) in enumerate(lines, 1):
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        data = answer[end + 1 : end + 1 + size]
        at = end + size + 2
        blobs.append(b"blob\nmark :%d\ndata %d\n%b\n" % (mark, size, data))
        commit.append(b"M 100644 :%d %b\n" % (mark, name.encode()))
    return b"".join([*blobs, *commit])


def _seconds(run: Callable[[], object]) -> float:
    return interleaved(1, {"it": run}, warm_up=0)["it"]


def _treering(path: Path, *arguments: str) -> None:
    program = Path(sys.executable).with_name("treering")
    subprocess.run(
        [program, *arguments], cwd=path, env=ENVIRONMENT, capture_output=True, check=True
    )


# --- on disk -------------------------------------------------------------------------------------


def sizes(count: int) -> None:
    heading(f"bytes per memory, {count:,} captures", "loose", "packed", "text alone")
    with repository() as path:
        treering = Treering.open(path)
        for number in range(count):
            treering.remember(thought(number), type="insight")
        loose = _objects_size(path)
        git(path, "gc", "-q", "--prune=now")
        packed = _objects_size(path)
    text = sum(len(thought(number)) for number in range(count))
    row("  remembered one by one", *(f"{size / count:,.0f}" for size in (loose, packed, text)))


def _objects_size(path: Path) -> int:
    """What the object files take on disk, in whole blocks."""
    files = (path / ".git" / "objects").rglob("*")
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file())
