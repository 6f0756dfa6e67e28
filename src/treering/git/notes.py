"""git notes: what people hung on commits."""

from collections.abc import Iterator
from pathlib import Path

from treering.git import process

NOTES = "refs/notes/"


def list_refs(git_dir: Path, pattern: str = NOTES) -> list[str]:
    """The refs of notes that fit a pattern."""
    text = process.run(git_dir, "for-each-ref", "--format=%(refname)", "--", pattern)
    return text.decode(errors="replace").split()


def read_notes(git_dir: Path, ref: str) -> Iterator[tuple[str, str]]:
    """The commits that have a note, and what it says."""
    words = process.run(git_dir, "notes", f"--ref={ref}", "list").decode().split()
    for blob, commit in zip(words[0::2], words[1::2], strict=True):
        data = process.run(git_dir, "cat-file", "blob", blob)
        yield commit, data.decode("utf-8", errors="replace")
