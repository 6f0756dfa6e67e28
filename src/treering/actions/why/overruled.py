"""Memories that a change overrules: those that the lines it takes away stand for.

A line counts as taken away where its words are gone: not where only white space changed, where the
line was wrapped or quoted in another way (see `map_kept_lines`), or where it stands elsewhere after
the change. git blame leads from the others to the commits that wrote them, and `why` from there to
memories.

What somebody decided counts as soon as one of its lines is taken away. So does what names the file
and speaks of these lines, by names, values or words that are gone then. A commit with a reason in
its message counts only where the change takes back most of what it brought in: code is rewritten
every day, and hardly ever against the reason it was written for.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from treering.actions.staleness import find_spoken_lines
from treering.actions.why.bindings import BINDING
from treering.actions.why.line_ranges import map_kept_lines
from treering.actions.why.reasons import Via
from treering.actions.why.source import SourceFile, count_lines, is_text, read_change
from treering.actions.why.why import Explained, LineExplanation
from treering.errors import StoreDamaged, TreeringError
from treering.git.blame import LineShift, compare_lines
from treering.git.diff import ChangedFile
from treering.git.repository import Repository
from treering.model.memory import Memory
from treering.text.passages import reason_of_message
from treering.text.words import STOP_WORDS

_MAX_FILE = 4 * 1024 * 1024
#: How much of what a commit brought into a file has to go, and how much where its reason speaks of
#: so many of the words that go. Tuned by `python -m benchmarks guard`.
_TAKEN_BACK, _SOME_TAKEN_BACK = 0.6, 0.25
_FEWEST_SPOKEN, _MANY_SPOKEN = 2, 5
#: Words that a commit brought in; fewer are mostly the number of a version.
_FEWEST_WORDS = 3
#: How surely a way has to lead to a memory, and to one that names the file.
_SURE, _LIKELY = 0.8, 0.4
#: The weight of a memory that speaks of the lines, and was not said when they were written.
_SPEAKING = 0.5
_WORD = rb"\w+"
#: A line says something if it has a word of two letters.
_TELLING = rb"\w\w"


class OverruledMemory(NamedTuple):
    """A memory, and the lines of a file that stand for it and are taken away."""

    path: str
    memory: str
    ways: tuple[Via, ...]
    #: Runs of lines of the old side, first and last.
    lines: tuple[tuple[int, int], ...]
    #: How much the change takes from it, from 0 to 1.
    weight: float
    #: Where that is after the change; None where the file is gone.
    now: tuple[str, int] | None = None
    is_commit: bool = False


class _FileEdit(NamedTuple):
    """A file before and after a change, and the lines of it that were taken away."""

    path: str
    #: Its name after the change; "" where it is gone.
    new_path: str
    blob: str
    old: bytes
    new: bytes
    shifts: list[LineShift]
    removed: list[int]

    @property
    def ranges(self) -> list[tuple[int, int]]:
        return join_lines(self.removed)

    def find_now(self, number: int) -> tuple[str, int] | None:
        """Return where a line that was taken away would be after the change."""
        last = count_lines(self.new)
        if not self.new_path or not last:
            return None
        shift = next(shift for shift in self.shifts if number in shift.old)
        return self.new_path, max(1, min(shift.new_first, last))


def read_edits(repository: Repository, changes: Iterable[ChangedFile]) -> list[_FileEdit]:
    """Return the files of a change from which it takes lines away."""
    edits: list[_FileEdit] = []
    for change in changes:
        try:
            old, new = _read(repository, change.old_blob), _read(repository, change.new_blob)
        except StoreDamaged:
            continue  # not here, or too large
        if is_text(old) and is_text(new):
            shifts = compare_lines(old, new)
            name = change.new_path if change.new_blob else ""
            edits.append(_FileEdit(change.old_path, name, change.old_blob, old, new, shifts, []))
    added: Counter[bytes] = Counter()
    for edit in edits:
        lines = edit.new.split(b"\n")
        added.update(_strip(lines[n - 1]) for s in edit.shifts for n in s.new)
    found = [edit._replace(removed=_list_removed(edit, added)) for edit in edits]
    return [edit for edit in found if edit.removed]


def _read(repository: Repository, blob: str) -> bytes:
    if not blob:
        return b""  # it is gone, or was not there
    return repository.objects.blob(blob, most=_MAX_FILE)


def _list_removed(edit: _FileEdit, added: Counter[bytes]) -> list[int]:
    """Number the telling lines whose words a change takes away; `added` loses those that moved."""
    lines = edit.old.split(b"\n")
    wanted = {n for s in edit.shifts for n in s.old if re.search(_TELLING, lines[n - 1])}
    kept = map_kept_lines(edit.new, edit.old, wanted)
    removed = []
    for number in sorted(wanted - kept.keys()):
        key = _strip(lines[number - 1])
        if added[key] > 0:
            added[key] -= 1
        else:
            removed.append(number)
    return removed


def _strip(line: bytes) -> bytes:
    """A line without its white space, wherever that is."""
    return b"".join(line.split())


def join_lines(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of numbers that follow each other."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


class OverruleFinder:
    """Finds the memories that a change overrules, file by file."""

    def __init__(self, explanation: LineExplanation) -> None:
        self._explanation = explanation

    def find(self, edit: _FileEdit) -> list[OverruledMemory]:
        """List what the change of one file overrules."""
        source = SourceFile(edit.path, self._explanation.commit, edit.blob, edit.old)
        try:
            parts = self._explanation.explain(source, edit.ranges)
        except TreeringError:
            return []
        cut_off = self._explanation.blamer.cut_off
        parts = [part for part in parts if part.line_range.commit not in cut_off]
        finder = self._explanation.finder(edit.path)
        found: list[OverruledMemory] = []
        for memory_id in dict.fromkeys(mid for part in parts for mid in part.reasons):
            memory = finder.memory(memory_id)
            if memory is None or not is_guarded(memory):
                continue
            bound = [part for part in parts if _binds(part, memory, edit.path)]
            lines = {
                number
                for part in bound
                for number in range(part.line_range.first, part.line_range.last + 1)
            }
            numbers = sorted(lines.intersection(edit.removed))
            weight = self._weigh(edit, memory, bound, numbers) if numbers else 0.0
            if weight:
                ways = {via for part in bound for via in part.reasons[memory_id].ways}
                names = {edit.path, *(path for part in bound for path in part.line_range.paths)}
                if any(file.path in names for file in memory.files):
                    ways.add("file")
                runs, now = tuple(join_lines(numbers)), edit.find_now(numbers[0])
                is_commit = memory.type == "commit"
                found.append(
                    OverruledMemory(edit.path, memory_id, tuple(ways), runs, weight, now, is_commit)
                )
        return [*found, *self._find_speaking(edit, {item.memory for item in found})]

    def _find_speaking(self, edit: _FileEdit, known: set[str]) -> Iterator[OverruledMemory]:
        """Yield what names the file and speaks of the very lines, whenever it was said."""
        finder = self._explanation.finder(edit.path)
        for entry in finder.list_naming(edit.path):
            memory = finder.memory(entry.id) if entry.id not in known else None
            if memory is None or memory.type == "commit" or not is_guarded(memory):
                continue
            old, new = edit.old.decode(errors="replace"), edit.new.decode(errors="replace")
            if numbers := find_spoken_lines(memory, old, new, edit.removed):
                runs, now = tuple(join_lines(numbers)), edit.find_now(numbers[0])
                yield OverruledMemory(edit.path, memory.id, ("file",), runs, _SPEAKING, now)

    def _weigh(
        self, edit: _FileEdit, memory: Memory, bound: Sequence[Explained], numbers: Sequence[int]
    ) -> float:
        """Return how much the change takes from a memory; 0 where it does not overrule it. Nobody
        deletes a file by accident: the commits that wrote it do not speak then."""
        if memory.type != "commit":
            strengths = (part.reasons[memory.id].ways for part in bound)
            return max(ways.get(via, 0.0) for ways in strengths for via in BINDING)
        return self._weigh_commit(edit, memory, bound, numbers) if edit.new_path else 0.0

    def _weigh_commit(
        self, edit: _FileEdit, memory: Memory, bound: Sequence[Explained], numbers: Sequence[int]
    ) -> float:
        """The share of the words that a commit brought into a file which the change takes out. A
        smaller one will do where its reason speaks of some of them."""
        paths = dict.fromkeys(path for part in bound for path in part.line_range.paths)
        brought: Counter[bytes] = Counter()
        for path in paths:
            brought += self._read_brought(memory.commit, path)
        if brought.total() < _FEWEST_WORDS:
            return 0.0
        old, new = edit.old.split(b"\n"), edit.new.split(b"\n")
        gone = _count_words(old[number - 1] for number in numbers)
        gone -= _count_words(new[n - 1] for shift in edit.shifts for n in shift.new)
        gone &= brought
        share = gone.total() / brought.total()
        spoken = len({*map(bytes.lower, gone)} & _list_telling_words(memory.content))
        if share < (_SOME_TAKEN_BACK if spoken >= _FEWEST_SPOKEN else _TAKEN_BACK):
            return 0.0
        return round(0.7 * share + 0.3 * min(spoken, _MANY_SPOKEN) / _MANY_SPOKEN, 4)

    def _read_brought(self, commit: str, path: str) -> Counter[bytes]:
        """The words that a commit has in a file and its parent has not."""
        try:
            old, new = read_change(self._explanation.workspace.repository, commit, path)
        except StoreDamaged:
            return Counter()
        before, after = old.split(b"\n"), new.split(b"\n")
        shifts = compare_lines(old, new)
        words = _count_words(after[n - 1] for shift in shifts for n in shift.new)
        return words - _count_words(before[n - 1] for shift in shifts for n in shift.old)


def _count_words(lines: Iterable[bytes]) -> Counter[bytes]:
    return Counter(word for line in lines for word in re.findall(_WORD, line))


def _list_telling_words(text: str) -> set[bytes]:
    """The words of a message that may be those of code."""
    words = (word.lower() for word in re.findall(r"\w+", text))
    return {word.encode() for word in words if len(word) > 2 and word not in STOP_WORDS}


def _binds(part: Explained, memory: Memory, path: str) -> bool:
    """Return whether lines stand for a memory.

    A commit has to be the one that wrote them. Anything else was said while they were written, or,
    where nothing is known of that, came with the branch that wrote them. What names the file needs
    less to be about its lines.
    """
    reason = part.reasons.get(memory.id)
    if reason is None or reason.is_since:
        return False
    if memory.type == "commit":
        return reason.ways.get("commit", 0.0) >= _SURE
    names = {path, *part.line_range.paths}
    is_named = any(file.path in names for file in memory.files)
    lines = max((other.ways.get("lines", 0.0) for other in part.reasons.values()), default=0.0)
    way: Via = "lines" if lines >= _SURE else "branch"
    strength = max(reason.ways.get(way, 0.0), reason.ways.get("lines", 0.0))
    return strength >= (_LIKELY if is_named else _SURE) and (is_named or not memory.files)


def is_guarded(memory: Memory) -> bool:
    """Return whether a memory is one of those that a change may overrule: decisions, conventions,
    failed attempts, root causes, and commits that give a reason."""
    if memory.type == "commit":
        return bool(reason_of_message(memory.content))
    return memory.type in ("decision", "convention", "insight") or memory.outcome == "failed"
