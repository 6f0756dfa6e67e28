"""Places in the committed files of the lines that an agent read or is about to change."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from treering.actions.briefing import FileLines
from treering.actions.why.source import SourceFile, name_path, read_source
from treering.actions.workspace import Workspace
from treering.errors import TreeringError
from treering.git.blame import compare_lines
from treering.hooks.tools import TouchedLines


def list_lines(workspace: Workspace, touched: Sequence[TouchedLines], cwd: str) -> list[FileLines]:
    """Return the files and the lines of each, in the order given; no lines where all of a file is
    meant. What is not in the repository is left out."""
    head = workspace.position().head
    found: list[FileLines] = []
    for piece in touched:
        try:
            path = name_path(workspace, str(Path(cwd, piece.path)))
            source = read_source(workspace, path, head, is_past=False)
        except (TreeringError, ValueError):
            continue
        if not source.is_committed or source.is_opaque:
            continue
        if piece.is_whole and piece.old:  # told after the edit: as the file was before it
            source = source._replace(edited=piece.old.encode())
        if piece.old or piece.is_whole:
            if ranges := list(_list_changed(source, piece)):
                found.append((source, ranges))
        elif not piece.first:
            found.append((source, []))
        elif lines := _count(piece, source.size):
            found.append((source, [lines]))
    return found


def _count(piece: TouchedLines, size: int) -> tuple[int, int] | None:
    """The lines read, counted from the start, as far as the file has them."""
    first, last = (number if number > 0 else size + 1 + number for number in piece[1:3])
    first, last = max(first, 1), min(last, size)
    return (first, last) if first <= last else None


def _list_changed(source: SourceFile, piece: TouchedLines) -> Iterator[tuple[int, int]]:
    """The lines that an edit changes; where it only adds some, those that it names around them."""
    shown = source.shown
    if piece.is_whole:
        for shift in compare_lines(shown, piece.new.encode()):
            if shift.old_count:
                yield shift.old_first, shift.old_first + shift.old_count - 1
        return
    old, new = piece.old.strip("\n").encode(), piece.new.strip("\n").encode()
    at = shown.find(old) if old else -1
    if at < 0:
        return
    start = shown.count(b"\n", 0, at) + 1
    shifts = [shift for shift in compare_lines(old + b"\n", new + b"\n") if shift.old_count]
    for shift in shifts:
        first = start + shift.old_first - 1
        yield first, first + shift.old_count - 1
    if not shifts:
        yield start, start + old.count(b"\n")
