"""Packing in the background, beside writers who know nothing of it."""

import os
import time


def test_packing_never_prunes_what_is_being_written(repo, tmp_path):
    """`gc.pruneExpire=now`, set by a user for other reasons, broke 5 of 5 repositories once."""
    repo.is_damaged = True  # by the files that stand for loose objects below
    repo.git("config", "gc.pruneExpire", "now")
    for folder in range(256):
        for number in range(41):
            file = repo.git_dir / "objects" / f"{folder:02x}" / f"{number:038x}"
            file.parent.mkdir(exist_ok=True)
            file.touch()
    usual = repo.env["PATH"]
    told = _git_that_tells(repo, tmp_path)

    repo.remember("one more")

    packing = "-c gc.pruneExpire=2.weeks.ago gc --auto"  # asked for after other questions
    until = time.monotonic() + 60
    while packing not in _read(told) and time.monotonic() < until:
        time.sleep(0.02)
    repo.env["PATH"] = usual
    assert packing in _read(told)


def _read(file):
    return file.read_text(encoding="utf-8") if file.exists() else ""


def test_captures_beside_packing_lose_nothing(repo):
    """Objects and refs move into packs under the writers' feet."""
    writers = [repo.writer() for _ in range(3)]
    for number, writer in enumerate(writers):
        writer.wait_until_ready()
        writer.say(*(("", f"writer {number} thought {n}") for n in range(40)))

    while any(len(writer.acknowledged) < 40 for writer in writers):
        repo.git("gc", "-q")
        repo.git("pack-refs", "--all", "--prune")
        for writer in writers:
            for _ in range(min(10, 40 - len(writer.acknowledged))):
                writer.hear()
            assert writer.errors == []

    assert {i for writer in writers for i in writer.acknowledged} == set(repo.stored())


def _git_that_tells(repo, tmp_path):
    """Put a git before git that only writes down what it was asked."""
    told = tmp_path / "told"
    shim = tmp_path / "shim" / "git"
    shim.parent.mkdir()
    script = f'#!/bin/sh\necho "$@" > {told}.new && mv {told}.new {told}\n'
    shim.write_text(script, encoding="utf-8")
    shim.chmod(0o755)
    repo.env["PATH"] = f"{shim.parent}{os.pathsep}{repo.env['PATH']}"
    return told
