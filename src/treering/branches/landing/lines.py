"""The lines that changes add and remove, and how many of a branch's a trunk step has as well.

Lines are counted from both sides of a file, so that no diff has to be made and no version of git
has a say in it. What only moved is no change. For the graded test a line is its letters and digits:
indentation, quotes and commas are what formatters and mergers change.
"""

import hashlib
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from treering.git.diff import FileChange
from treering.git.objects import read_blobs
from treering.git.repository import Repository

#: Fewer letters and digits say nothing: `else`, `end`, brackets.
FEWEST_LETTERS = 4
#: A larger file is compared as a whole.
_MAX_FILE = 1024 * 1024
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_OTHERS = bytes(b for b in range(128) if b not in _LETTERS and b != ord("\n"))

_WORD = re.compile(rb"[A-Za-z0-9]{2,}")
#: From so many files on it is worth while to start git for them.
_ASK_GIT_FROM = 24

#: Lines with a sign in front, and how many of each.
Lines = Counter[bytes]


class TooMuchToRead(Exception):
    """More bytes of files would have to be read than one branch may cost."""


class LineReader:
    """Reads the lines of files, each file once while it is at hand; counts what it reads."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.bytes_left = 0
        self._texts: dict[str, bytes] = {}
        self._read = lru_cache(maxsize=64)(self._read_text)

    def change(self, file: FileChange) -> Lines | None:
        """The lines a change adds and removes, as they are; None where it is not text."""
        middle = self._middle(file)
        return None if middle is None else _subtract(*middle, fewest=0)

    def loose_change(self, file: FileChange) -> Lines:
        """The letters and digits of the lines that a change adds and removes."""
        old, new = self._middle(file) or (b"", b"")
        return _subtract(
            old.translate(None, _OTHERS), new.translate(None, _OTHERS), fewest=FEWEST_LETTERS
        )

    def lacks_a_line(self, file: FileChange, now: bytes) -> bool:
        """Return whether a file as it is now, b"" where that is not known, surely lacks a line that
        a change of it added.

        Only of a file that was there before and is there now: one that came or went may have
        another name on the other side.
        """
        if not all(side.startswith(b"100") for side in (file.old, file.new, now)):
            return False
        if (change := self.change(file)) is None or (text := self._read(now)) is None:
            return False
        text = b"\n%b\n" % text
        return any(
            b"\n%b\n" % line[1:] not in text for line in change if line[:1] == b"+" and line[1:]
        )

    def _middle(self, file: FileChange) -> tuple[bytes, bytes] | None:
        """Both sides of a change without the lines before and after all that differs."""
        old, new = self._read(file.old), self._read(file.new)
        return None if old is None or new is None else _trim(old, new)

    def prepare(self, files: Iterable[FileChange]) -> None:
        """Have the text of some files at hand, in the place of those prepared before."""
        sides = {side for file in files for side in (file.old, file.new)}
        oids = {side[7:].decode("ascii") for side in sides if side.startswith(b"100")}
        self._texts = {oid: text for oid, text in self._texts.items() if oid in oids}
        new = oids - self._texts.keys()
        if len(new) >= _ASK_GIT_FROM:
            git_dir = self._repository.git_dir
            self._texts |= read_blobs(git_dir, sorted(new), largest=_MAX_FILE)

    def _read_text(self, side: bytes) -> bytes | None:
        """The text of a file, b"" where there is none; None for a link, a module or no text."""
        if side.startswith(b"000000"):
            return b""
        if not side.startswith(b"100"):
            return None
        objects, oid = self._repository.objects, side[7:].decode("ascii")
        text = self._texts.get(oid)
        size = objects.size(oid) if text is None else len(text)
        if size > _MAX_FILE:
            return None
        if size > self.bytes_left:
            raise TooMuchToRead
        self.bytes_left -= size
        if text is None:
            text = objects.blob(oid)
        return None if b"\0" in text[:8000] else text


def _trim(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Cut whole lines that are the same off both ends: most changes are small, most files not."""
    shortest = min(len(old), len(new))
    start = bisect(range(shortest), False, key=lambda at: old[: at + 1] != new[: at + 1])
    start = old.rfind(b"\n", 0, start) + 1
    size = bisect(
        range(shortest - start),
        False,
        key=lambda at: old[len(old) - at - 1 :] != new[len(new) - at - 1 :],
    )
    newline = old.find(b"\n", len(old) - size)
    after = len(old) - newline - 1 if newline >= 0 else 0
    return old[start : len(old) - after], new[start : len(new) - after]


def _subtract(old: bytes, new: bytes, *, fewest: int) -> Lines:
    before, after = Counter(old.split(b"\n")), Counter(new.split(b"\n"))
    change: Lines = Counter()
    for sign, lines in ((b"+", after - before), (b"-", before - after)):
        change.update({sign + line: count for line, count in lines.items() if len(line) >= fewest})
    return change


def hash_lines(reader: LineReader, files: Sequence[FileChange]) -> bytes | None:
    """Return what some changes add and remove in which files, as a hash; None where that says too
    little.

    Blobs count only where there are no lines.
    """
    patch = hashlib.sha256()
    says_something = False
    for file in files:
        patch.update(b"\0%b\0%b %b\n" % (file.path, file.old[:6], file.new[:6]))
        change = reader.change(file)
        if change is None:
            patch.update(file.old + file.new)
            says_something = True
        for line, count in sorted((change or {}).items()):
            patch.update(b"%d %b\n" % (count, line))
            letters = line.translate(None, _OTHERS)
            says_something = says_something or len(letters) >= FEWEST_LETTERS
    return patch.digest() if says_something else None


# --- graded ---------------------------------------------------------------------------------------


class Share(NamedTuple):
    """The share of a branch's lines that some other changes have as well."""

    there: int
    total: int
    silent: tuple[bytes, ...] = ()  # paths of the branch of which they say nothing

    @property
    def part(self) -> float:
        return self.there / self.total if self.total else 0.0


class BranchLines:
    """The lines of a branch's whole difference, by path."""

    def __init__(self, reader: LineReader, files: Iterable[FileChange]) -> None:
        self._reader = reader
        self._files = {file.path: file for file in files}
        self.by_path = {path: reader.loose_change(file) for path, file in self._files.items()}
        self.total = sum(lines.total() for lines in self.by_path.values())

    def potential(self, paths: Iterable[bytes]) -> int:
        """Return how many of the lines are in some files."""
        return sum(self.by_path[path].total() for path in paths if path in self.by_path)

    def read(self, files: Iterable[FileChange]) -> dict[bytes, Lines]:
        """Return what another change does to the branch's files.

        A file that it takes away, and the branch does not, tells nothing of the lines in it.
        """
        return {
            file.path: self._reader.loose_change(file)
            for file in files
            if file.path in self._files
            and (not file.is_removed or self._files[file.path].is_removed)
        }

    def share(self, others: Mapping[bytes, Lines]) -> Share:
        count, silent = 0, []
        for path, lines in self.by_path.items():
            there = (lines & others[path]).total() if path in others else 0
            count += there
            if path not in others or (lines and not there):
                silent.append(path)
        return Share(count, self.total, tuple(silent))

    def share_of_words(self, files: Iterable[FileChange]) -> Share:
        """The same by words, for a branch of so few lines that one reworded leaves none."""
        there = {file.path: file for file in files}
        count = total = 0
        for path, file in self._files.items():
            words = _split(self._reader.change(file))
            total += words.total()
            if path in there:
                count += (words & _split(self._reader.change(there[path]))).total()
        return Share(count, total)

    def share_of(self, files: Sequence[FileChange], others: Mapping[bytes, Lines]) -> Share | None:
        """The same for what survived of one of the branch's commits; None if it has no lines."""
        count = total = changed = 0
        for file in files:
            lines = self._reader.loose_change(file)
            left = lines & self.by_path.get(file.path, Counter())
            changed += lines.total()
            total += left.total()
            count += (left & others.get(file.path, Counter())).total()
        return Share(count, total) if changed else None


def _split(lines: Lines | None) -> Lines:
    """The words of lines, each with its line's sign."""
    words: Lines = Counter()
    for line, count in (lines or {}).items():
        for word in _WORD.findall(line):
            words[line[:1] + word] += count
    return words


def add_up(changes: Iterable[Mapping[bytes, Lines]]) -> dict[bytes, Lines]:
    """Several changes as if they were one."""
    together: dict[bytes, Lines] = {}
    for change in changes:
        for path, lines in change.items():
            together.setdefault(path, Counter()).update(lines)
    return together
