"""Staleness: compare what a memory says of its files with the code of the branch recalled on.

A file changes for many reasons. What counts is whether the names, values and lines that a memory
speaks of are still there; only where none of them was in its files does any change count. Whoever
writes a memory also decides how much there is to compare, so files, bytes and questions to git are
limited for each memory and for each answer.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Literal, NamedTuple

from treering.errors import StorageFailed, TreeringError
from treering.git.binding import GitError
from treering.git.repository import Repository
from treering.model.memory import FileRef, Memory
from treering.model.provenance import address_of
from treering.model.taxonomy import RECORD_TYPES
from treering.text.words import STOP_WORDS

State = Literal["fresh", "moved", "changed", "gone", "unknown"]
#: From best to worst; a memory is as stale as its worst file.
STATES: tuple[State, ...] = ("fresh", "moved", "changed", "gone", "unknown")

MAX_FILES = 20
MAX_LOST = 5
_MAX_TERMS = 40
_MAX_TEXT = 20_000
_MAX_FILE_BYTES = 256 * 1024
_MAX_ANSWER_BYTES = 1024 * 1024
_MAX_GIT_CALLS = 12
_GIT_SECONDS, _ALL_GIT_SECONDS = 1.0, 3.0
_MAX_MOVES = 5

_CODE = r"`{1,3}([^`]{2,2000})`{1,3}"
_QUOTED = r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|(?<!\w)'([^'\n]{2,80})'(?!\w)"
#: A name with an underscore, a hump, a digit or brackets behind it; an option.
_NAME = (
    r"\b(?:[A-Za-z]\w*_\w+|_\w{2,}|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]{2,}\d\w*"
    r"|[A-Za-z]\w+(?=\(\)))\b|(?<!\S)--?[a-z][\w-]{2,}"
)
_CODE_PART = r"\w+|[^\w\s]"
_NUMBER = r"(?<![\w.])\d+(?:[._]\d+)*"
_WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+"
#: What a memory says is not so, or is to go: its absence is no reason to doubt the memory.
_DENIED = (
    r"(?i)\b(?:(?:never|not|no longer|instead of|rather than|remove|drop|delete|replaces?)\s{1,4}"
    r"(?:use |using |call |calling |set to |to |the |a )?(?:`[^`\n]{1,80}`|\S{1,80})"
    r"|from \d\S{0,20})"
)
#: A key and the value it is given: `TIMEOUT = 30`, `"backend": "redis"`, `sleep(30)`.
_PAIR = (
    r"(?<![\w-])([A-Za-z_][\w-]{0,80}+)[\"']?(?:[ \t]?:[ \t]?[\w.\[\]|]{1,40}+(?=[ \t]?=))?"
    r"[ \t]{0,8}+(?:[:=]{1,2}>?[ \t]{0,8}+[\"']?(\w[\w./+-]{0,80}+)|\(?(\d[\d._]{0,40}+))"
)
_SHARED_WORDS, _MAX_LINES = 2, 5
_PREFIX = 4


class FileState(NamedTuple):
    path: str
    state: State
    now: str | None = None


class Stale(NamedTuple):
    """`lost` are things the memory speaks of that were in its files when it was said and are not
    now; `more` counts files that were not looked at."""

    state: State
    files: tuple[FileState, ...]
    lost: tuple[str, ...] | None = None
    more: int | None = None


class _File(NamedTuple):
    """A file of a memory: as it was when the memory was said, and as it is now."""

    path: str
    state: State
    now: str | None = None
    blob: str = ""
    blob_now: str = ""


class _CodeText:
    """A file's text, made ready to be asked."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, term: str) -> bool:
        """Return whether some tokens stand in the text one after the other, however spaced."""
        if any(word not in self._text for word in term.split()):
            return False
        if term.isalnum() or term.replace("_", "").isalnum():
            return bool(re.search(rf"(?<!\w){term}(?!\w)", self._text))
        return f" {term} " in self._tokens

    @cached_property
    def _tokens(self) -> str:
        return f" {' '.join(re.findall(_CODE_PART, self._text))} "

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        return {
            (key, _normalize_value(word or number))
            for key, word, number in re.findall(_PAIR, self._text)
        }

    @cached_property
    def lines(self) -> dict[str, frozenset[str]]:
        """Each line, with the beginnings of its words."""
        return {
            key: frozenset(_prefixes(line))
            for line in self._text.splitlines()
            if (key := " ".join(line.split()))
        }


class _Quotations:
    """Words of a memory that may be quoted from code."""

    def __init__(self, memory: Memory) -> None:
        text = re.sub(_DENIED, " ", f"{memory.title}\n{memory.content}"[:_MAX_TEXT])
        code = [line for span in re.findall(_CODE, text) for line in span.split("\n")]
        code += re.findall(r"(?m)^(?: {4}|\t)(.{2,200})$", text)
        names = [name for line in code for name in re.findall(r"[A-Za-z_]\w{2,}", line)]
        quotes = map("".join, re.findall(_QUOTED, text))
        terms = [*re.findall(_NAME, text), *names, *code, *quotes]
        paths = [file.path for file in memory.files[:MAX_FILES]]
        own = {*map(_tokenize, paths), *re.findall(r"\w+", " ".join(paths))}
        tokens = dict.fromkeys(map(_tokenize, terms))
        #: Names and quotations, as tokens; the names of the files themselves are in every version.
        self.terms = [t for t in tokens if re.search(r"\w\w", t) and t not in own][:_MAX_TERMS]
        self.numbers = [
            _tokenize(n) for n in dict.fromkeys(re.findall(_NUMBER, text)) if len(n) > 1
        ][:_MAX_TERMS]
        self._values = {_normalize_value(word) for word in re.findall(r"\w[\w./+-]*", text)}
        self._values |= {_normalize_value(number) for number in re.findall(_NUMBER, text)}
        self._words = frozenset(_prefixes(text))

    def find_terms(self, text: _CodeText) -> set[str]:
        """Names, quotations, and values with what they are given to."""
        found = {term for term in self.terms if text.holds(term)}
        pairs = ((key, value) for key, value in text.pairs if value in self._values)
        return found | {
            f"{key} {value}"
            for key, value in pairs
            if key.lower() != value and self._words.intersection(_prefixes(key, shortest=3))
        }

    def find_numbers(self, text: _CodeText) -> set[str]:
        return {number for number in self.numbers if text.holds(number)}

    def shares_words(self, message: str) -> bool:
        return len(self._words.intersection(_prefixes(message))) >= _SHARED_WORDS

    def find_lines(self, text: _CodeText) -> set[str]:
        """The few lines that share most words with the memory, two or more."""
        shared = {line: len(words & self._words) for line, words in text.lines.items()}
        most = max(shared.values(), default=0)
        lines = {line for line, count in shared.items() if count == most}
        return lines if most >= _SHARED_WORDS and len(lines) <= _MAX_LINES else set()


def find_spoken_lines(memory: Memory, old: str, new: str, removed: Iterable[int]) -> list[int]:
    """Of some lines that a file lost, those that a memory speaks of: they hold names, values or
    words of it that the file has no longer."""
    subject, after = _Quotations(memory), _CodeText(new)
    closest = subject.find_lines(_CodeText(old)) - after.lines.keys()
    lines, found = old.split("\n"), []
    for number in removed:
        line = _CodeText(lines[number - 1])
        terms = subject.find_terms(line) or subject.find_numbers(line)
        is_lost = terms - subject.find_terms(after) - subject.find_numbers(after)
        if is_lost or not closest.isdisjoint(line.lines):
            found.append(number)
    return found


class CodeTree:
    """The committed tree of one branch, asked about the files of memories for one answer.

    `effort` multiplies what may be read, for answers about every memory there is.
    """

    def __init__(self, repository: Repository, commit: str | None, effort: int = 1) -> None:
        self._repository = repository
        self._git_dir = repository.common_dir
        self._commit = commit
        self._texts: dict[str, _CodeText | None] = {}
        self._moves: dict[tuple[str, str], str | None] = {}
        self._bytes_left = effort * _MAX_ANSWER_BYTES
        self._calls_left = effort * _MAX_GIT_CALLS
        self._until = 0.0

    def staleness(self, memory: Memory) -> Stale | None:
        """Return None for a memory that names no files, and for records: they tell what was."""
        if not memory.files or memory.type in RECORD_TYPES:
            return None
        files = [self._look_up(file, memory.commit) for file in memory.files[:MAX_FILES]]
        lost: set[str] = set()
        if any(file.state in ("changed", "moved") for file in files):
            files, lost = self._compare(memory, files)
        return Stale(
            max((file.state for file in files), key=STATES.index),
            tuple(FileState(file.path, file.state, file.now) for file in files),
            tuple(sorted(lost)[:MAX_LOST]) or None,
            max(len(memory.files) - MAX_FILES, 0) or None,
        )

    def _look_up(self, file: FileRef, since: str) -> _File:
        """Compare a file as a whole, by its blob, wherever it is now."""
        if self._commit is None:
            return _File(file.path, "unknown")
        before = file.blob or (self._repository.blob_at(since, file.path) if since else None) or ""
        if there := self._repository.blob_at(self._commit, file.path):
            return _File(file.path, "fresh" if there == before else "changed", None, before, there)
        if not before:  # named before it was ever committed, or a folder
            return _File(file.path, "unknown")
        now, is_certain = self._follow(file.path, since)
        if now:
            there = self._repository.blob_at(self._commit, now) or ""
            return _File(file.path, "moved", now, before, there)
        is_unknown = self._repository.is_shallow or not is_certain
        return _File(file.path, "unknown" if is_unknown else "gone")

    def _compare(self, memory: Memory, files: list[_File]) -> tuple[list[_File], set[str]]:
        """Decide about files that changed by what the memory speaks of."""
        now = [self._read(file.blob_now) for file in files if file.blob_now]
        if None in now:  # too large, not text, or more than one answer may read
            return self._compare_whole(memory, files), set()
        subject, texts = _Quotations(memory), [text for text in now if text]
        before = [
            self._read(file.blob) or self._read_at(memory.commit, file.path) or _CodeText("")
            for file in files
        ]

        there = _union(map(subject.find_terms, texts))
        found = [subject.find_terms(text) for text in before]
        if there - _union(found):  # said first, then carried out
            first = self._find_first_own(memory, files)
            early = [
                subject.find_terms(self._read_at(first, file.path) or _CodeText(""))
                for file in files
            ]
            carried_out = _union(early) - _union(found)
            found = early if carried_out else [terms & there for terms in found]
            if not any(found):
                return [_settle(file, is_changed=False) for file in files], set()
        if not any(found):
            there = _union(map(subject.find_numbers, texts))
            found = [subject.find_numbers(text) for text in before]
        is_named = any(found)
        if is_named:
            lost = _union(found) - there
        else:
            found = [subject.find_lines(text) for text in before]
            if not any(found):
                if any(map(subject.find_lines, texts)):  # carried out, in other words
                    return [_settle(file, is_changed=False) for file in files], set()
                return self._compare_whole(memory, files), set()
            lost = {line for line in _union(found) if not any(line in t.lines for t in texts)}
        settled = [
            _settle(file, is_changed=bool(terms & lost))
            for file, terms in zip(files, found, strict=True)
        ]
        return settled, lost if is_named else set()

    def _compare_whole(self, memory: Memory, files: list[_File]) -> list[_File]:
        """Count any change, but for the first one of the memory's author where it carries the
        memory out: the file was being edited when the memory was said (its text was never
        committed), or the message of the commit speaks of the same as a decision."""
        return [
            file._replace(state="fresh")
            if file.state == "changed" and self._is_carried_out(memory, file)
            else file._replace(state="unknown")
            if file.state == "changed" and not file.blob
            else file
            for file in files
        ]

    def _is_carried_out(self, memory: Memory, file: _File) -> bool:
        is_committed = file.blob == self._repository.blob_at(memory.commit, file.path) or (
            file.blob and self._repository.find_blob(file.blob)
        )
        if is_committed and memory.type != "decision":
            return False
        first = self._find_first_own(memory, [file])
        if not first or self._repository.blob_at(first, file.path) != file.blob_now:
            return False
        message = self._repository.objects.commit(first).message
        return not is_committed or _Quotations(memory).shares_words(message)

    # --- texts ------------------------------------------------------------------------------------

    def _read_at(self, commit: str, path: str) -> _CodeText | None:
        return self._read(self._repository.blob_at(commit, path) or "") if commit else None

    def _read(self, blob: str) -> _CodeText | None:
        """Read a blob's text once per answer; None where it is not text, or too much."""
        if blob not in self._texts:
            self._texts[blob] = None
            most = min(_MAX_FILE_BYTES, self._bytes_left)
            with suppress(TreeringError, GitError):
                data = self._repository.objects.blob(blob, most=most)
                if b"\0" not in data:
                    self._bytes_left -= len(data)
                    self._texts[blob] = _CodeText(data.decode(errors="replace"))
        return self._texts[blob]

    # --- history ----------------------------------------------------------------------------------

    def _find_first_own(self, memory: Memory, files: list[_File]) -> str:
        """Find the first commit after a memory was said in which its author changed its files."""
        address, since = address_of(memory.author), self._repository.resolve(memory.commit)
        paths = [file.path for file in files if file.blob_now]
        if not since or not address or not paths or not self._may_ask():
            return ""
        from treering.git import diff  # here and below: most memories ask git nothing

        with suppress(StorageFailed):
            span = f"{since}..{self._commit}"
            return diff.find_first_change(self._git_dir, span, paths, address, _GIT_SECONDS)
        return ""

    def _follow(self, path: str, since: str) -> tuple[str | None, bool]:
        """Find the present name of a file that is gone, and say whether the answer is certain.

        The step of the branch that took the path away knows its new name, however long ago it was.
        What a squash brought under another name never had the old one here: it is compared with
        where the memory was said.
        """
        if (path, since) not in self._moves:
            if not path.isprintable() or not self._may_ask():
                return None, False
            try:
                self._moves[path, since] = self._find_move(path) or self._find_move(path, since)
            except StorageFailed:
                return None, False
        return self._moves[path, since], True

    def _find_move(self, path: str, since: str = "") -> str | None:
        from treering.git import diff

        head = self._commit or ""
        old, new = since, head
        for _ in range(_MAX_MOVES):
            if not since:
                new = diff.find_removal(self._git_dir, head, path, _GIT_SECONDS)
                old = f"{new}^" if new else ""
            commit = self._repository.resolve(old) if old else None
            if commit is None:
                return None
            files = diff.list_changed_files(self._repository, commit, new, _GIT_SECONDS)
            moves = (file.new_path for file in files if file.old_path == path != file.new_path)
            name = next(moves, None)
            if name is None or self._repository.blob_at(head, name):
                return name
            path, since = name, ""
        return None

    def _may_ask(self) -> bool:
        """Return whether git may be asked once more: a few times, for a few seconds in all."""
        self._until = self._until or time.monotonic() + _ALL_GIT_SECONDS
        self._calls_left -= 1
        return self._calls_left >= 0 and time.monotonic() < self._until


def _settle(file: _File, *, is_changed: bool) -> _File:
    if is_changed:
        return file._replace(state="changed")
    return file._replace(state="fresh") if file.state == "changed" else file


def _union(found: Iterable[set[str]]) -> set[str]:
    return {term for terms in found for term in terms}


def _tokenize(text: str) -> str:
    return " ".join(re.findall(_CODE_PART, text))


def _normalize_value(word: str) -> str:
    """A value without its unit: `30s`, `1_000`, `redis.`"""
    number = re.match(r"\d+(?:[._]\d+)*", word)
    return (number[0] if number else word).replace("_", "").rstrip(".").lower()


def _prefixes(text: str, shortest: int = _PREFIX) -> Iterator[str]:
    """The beginnings of the words of a text, and of the parts of its names."""
    for word in re.findall(_WORD, text):
        if len(word) >= shortest and (lower := word.lower()) not in STOP_WORDS:
            yield lower[:_PREFIX]
