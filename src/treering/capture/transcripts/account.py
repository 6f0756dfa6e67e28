"""A transcript told in short: what was asked, what was done, what came out, turn by turn."""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from treering.capture.transcripts.transcript import SolvedError, Transcript, TranscriptTurn
from treering.text.hygiene import clean_line
from treering.text.masking import mask
from treering.text.secrets import secrets_in

_MAX_ACCOUNT = 7500
_LONGEST_TITLE = 300
#: Characters of a prompt and of an answer, from the most to the least that is worth keeping.
_CUTS = ((2000, 4000), (1200, 1600), (600, 900), (300, 600))
_LONGEST_COMMAND = 160
_MOST_FILES = 10
_MOST_SOLVED = 5
_LONGEST_PATH = 400


def first_prompt(transcript: Transcript) -> str:
    """Return what the session was begun for, in a line."""
    return next(
        (_brief(turn.prompt, _LONGEST_TITLE) for turn in transcript.turns if turn.prompt), ""
    )


def tell(transcript: Transcript, root: Path | None) -> str:
    """Tell the turns that something was asked in or came of: all of them as far as they fit, else
    each cut, and if that is too much the first, and as many of the last ones as there is room
    for."""
    turns = [turn for turn in transcript.turns if turn.prompt or turn.has_result]
    for cuts in _CUTS[:-1]:
        parts = [_tell(turn, transcript, root, cuts) for turn in turns]
        if sum(map(len, parts)) + 2 * len(parts) <= _MAX_ACCOUNT:
            return "\n\n".join(parts)
    first = _tell(turns[0], transcript, root, _CUTS[-1]) if turns else ""
    last: deque[str] = deque()
    room = _MAX_ACCOUNT - len(first)
    for turn in reversed(turns[1:]):
        part = _tell(turn, transcript, root, _CUTS[-1])
        room -= len(part) + 2
        if room < 0:
            break
        last.appendleft(part)
    left_out = len(turns) - 1 - len(last)
    gap = [f"({left_out} more turns)"] if left_out > 0 else []
    return "\n\n".join([first, *gap, *last])


def _tell(
    turn: TranscriptTurn, transcript: Transcript, root: Path | None, cuts: tuple[int, int]
) -> str:
    return "\n".join(_lines(turn, transcript, root, cuts))


def _lines(
    turn: TranscriptTurn, transcript: Transcript, root: Path | None, cuts: tuple[int, int]
) -> Iterator[str]:
    if turn.prompt:
        yield f"Asked: {_brief(turn.prompt, cuts[0])}"
    if paths := paths_below(root, transcript.cwd, turn.files):
        more = len(paths) - _MOST_FILES
        yield f"Changed: {', '.join(paths[:_MOST_FILES])}" + (f" and {more} more" * (more > 0))
    for solved in turn.solved[:_MOST_SOLVED]:
        yield f"Solved: {_tell_solved(solved)}"
    if turn.words:
        yield f"Said: {_brief(turn.words, cuts[1])}"


def _tell_solved(solved: SolvedError) -> str:
    failed, worked = (_brief(text, _LONGEST_COMMAND) for text in (solved.failed, solved.worked))
    error = f" ({_brief(solved.error, _LONGEST_COMMAND)})" if solved.error else ""
    later = "it worked later" if failed == worked else f"`{worked}` worked later"
    return f"`{failed}` failed{error}, {later}"


def _brief(text: str, most: int) -> str:
    """The beginning of a text, in a line. Masked first: half a credential is not known as one."""
    line = clean_line(mask(text))
    if len(line) <= most:
        return line
    return (line[:most].rpartition(" ")[0] or line[:most]).rstrip(" ,.;:") + "…"


def paths_below(root: Path | None, cwd: str, paths: Iterable[str]) -> list[str]:
    """Return those of some paths that lie in the work tree, from its top; none that holds a
    credential."""
    below = (_path_below(root, cwd, path) for path in paths) if root else ()
    return [path for path in dict.fromkeys(below) if path and not secrets_in(path)]


def _path_below(root: Path, cwd: str, path: str) -> str:
    whole = PurePath(os.path.normpath(PurePath(cwd, path)))
    for top in (root, root.resolve()):
        if whole.is_absolute() and whole.is_relative_to(top):
            name = whole.relative_to(top).as_posix()
            is_fit = name.isprintable() and len(name) <= _LONGEST_PATH and name != "."
            return name if is_fit and name.partition("/")[0] != ".git" else ""
    return ""
