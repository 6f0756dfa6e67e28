"""What commits change: their files from git's raw listing, and their patches as fingerprints.

A fingerprint is the patch without line numbers, as `git patch-id` has it, but with white space, so
that two different indentations stay different. Most comparisons end before it: changes of other
files are different, and changes between the same blobs are equal.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from treering.git import process
from treering.git.repository import Repository

# Nothing of the user's may decide how a patch looks.
ENVIRONMENT = {"GIT_ATTR_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
_TREES = ("diff-tree", "--stdin", "--always", "--root", "-r", "--no-renames", "--full-index")
_RAW = ("--raw", "-z", "--no-abbrev", "--ignore-submodules=none")
_PATCH = (
    *("--patch", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers"),
    *("--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--submodule=short", "--ignore-submodules=none", "-O/dev/null"),
)
_AT_ONCE = 500


class CommitRange(NamedTuple):
    """From one commit to another; from nothing when there is no older one."""

    new: str
    old: str = ""


class FileChange(NamedTuple):
    """One file's mode and blob on both sides, as git writes them; zeros where it is not there."""

    path: bytes
    old: bytes
    new: bytes


#: In the place of a file's mode and blob when nothing is known of it.
UNKNOWN = b""

Shape = tuple[tuple[bytes, bytes, bytes], ...]


class Patches:
    """Changes looked up so far; those of targets can be found by what they do."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._files: dict[CommitRange, tuple[FileChange, ...]] = {}
        self._prints: dict[CommitRange, bytes] = {}
        self._found_by_shape: dict[Shape, list[CommitRange]] = {}
        self._found_by_path: dict[bytes, list[CommitRange]] = {}
        self._to_find: set[CommitRange] = set()
        self._lines = lru_cache(maxsize=64)(self._read_lines)

    def read(self, steps: Iterable[CommitRange], until: float) -> None:
        """Look up steps that are not known yet; TookTooLong when the time is over.

        What was read by then is kept, so that the next one to ask gets further.
        """
        new = [step for step in dict.fromkeys(steps) if step not in self._files]
        for some in _batches(new):
            listed = self._ask(some, _RAW, until).split(b"\0")
            self._files.update(zip(some, _parse(listed), strict=True))

    def read_to_find(self, steps: Iterable[CommitRange], until: float) -> None:
        """The same for steps of a target: `alike` and `touching` find them from now on."""
        new = [step for step in dict.fromkeys(steps) if step not in self._to_find]
        for some in _batches(new):
            self.read(some, until)
            for step in some:
                self._found_by_shape.setdefault(self.shape(step), []).append(step)
                for file in self._files[step]:
                    self._found_by_path.setdefault(file.path, []).append(step)
            self._to_find.update(some)

    def alike(self, step: CommitRange) -> list[CommitRange]:
        """The targets' steps of the same shape: none other can have the same patch."""
        return self._found_by_shape.get(self.shape(step), [])

    def touching(self, path: bytes) -> list[CommitRange]:
        """The targets' steps that change a file."""
        return self._found_by_path.get(path, [])

    def files(self, step: CommitRange) -> tuple[FileChange, ...]:
        """What a step that was read changes, by path."""
        return self._files[step]

    def shape(self, step: CommitRange) -> Shape:
        """Which files a step changes and how their modes: equal patches have equal shapes."""
        return tuple((file.path, file.old[:6], file.new[:6]) for file in self._files[step])

    def are_same(self, one: CommitRange, other: CommitRange) -> bool:
        """Whether two steps lead from the same blobs to the same blobs."""
        return self._files[one] == self._files[other]

    def fingerprints(self, steps: Sequence[CommitRange], until: float) -> dict[CommitRange, bytes]:
        """The patches of steps, as hashes; TookTooLong when the time is over."""
        new = [step for step in dict.fromkeys(steps) if step not in self._prints]
        for some in _batches(new):
            lines = self._ask(some, _PATCH, until).split(b"\n")
            self._prints.update(zip(some, _hash(lines), strict=True))
        return {step: self._prints[step] for step in steps}

    def lacks_a_line(self, change: FileChange, now: bytes) -> bool:
        """Whether a file as it is now surely lacks a line that a change of it added.

        Only of a file that was there before and is there now: one that came or went may have
        another name on the other side.
        """
        if now == UNKNOWN or any(not _is_file(side) for side in (change.old, change.new, now)):
            return False
        added = self._lines(change.new) - self._lines(change.old) - {b""}
        return not added <= self._lines(now)

    def _read_lines(self, side: bytes) -> frozenset[bytes]:
        return frozenset(self._repository.objects.blob(side[7:].decode("ascii")).split(b"\n"))

    def adds_of_its_own(self, merges: Sequence[str], until: float) -> bool:
        """Whether one of some merges holds lines that none of its parents had."""
        if not merges:
            return False
        arguments = ("diff-tree", "--stdin", "--cc", "--no-commit-id", *_PATCH)
        feed = "".join(f"{merge}\n" for merge in merges).encode()
        return bool(self._run(arguments, feed, until).strip())

    def _ask(self, steps: Sequence[CommitRange], how: Sequence[str], until: float) -> bytes:
        feed = "".join(f"{step.new} {step.old}".rstrip() + "\n" for step in steps).encode()
        return self._run((*_TREES, *how), feed, until)

    def _run(self, arguments: Sequence[str], feed: bytes, until: float) -> bytes:
        return process.run(
            self._repository.git_dir,
            *plain(self._repository.git_dir),
            *arguments,
            feed=feed,
            env=ENVIRONMENT,
            seconds=time_left(until),
        )


def plain(git_dir: Path) -> tuple[str, ...]:
    """Options that leave the user's settings out.

    Inside the git dir there are no .gitattributes, which may make text binary or name programs.
    """
    return (
        *("-C", str(git_dir)),
        *("-c", "core.quotePath=true"),
        *("-c", "core.attributesFile="),
        *("-c", "diff.suppressBlankEmpty=false"),
        *("-c", "diff.indentHeuristic=true"),
    )


def is_nothing(side: bytes) -> bool:
    """Whether a side of a change says that the file is not there."""
    return side.startswith(b"000000")


def _is_file(side: bytes) -> bool:
    return side.startswith(b"100")


def time_left(until: float) -> float:
    """Seconds until a moment of the monotonic clock; TookTooLong when it has passed."""
    left = until - time.monotonic()
    if left <= 0:
        raise process.TookTooLong("The time is over.")
    return left


def _batches(steps: Sequence[CommitRange]) -> Iterator[Sequence[CommitRange]]:
    for at in range(0, len(steps), _AT_ONCE):
        yield steps[at : at + _AT_ONCE]


def _parse(fields: Sequence[bytes]) -> Iterator[tuple[FileChange, ...]]:
    """The files of each commit: its id, then for each file modes, blobs and status, then the path.

    A path stands where a path is due, so it may look like anything.
    """
    files: list[FileChange] = []
    rest = iter(fields)
    next(rest)  # the first commit's id; the ids of the others end the one before
    for field in rest:
        if field.startswith(b":"):
            old_mode, new_mode, old, new, _ = field[1:].split(b" ")
            files.append(FileChange(next(rest), old_mode + b" " + old, new_mode + b" " + new))
        else:  # also the empty field after the last commit
            yield tuple(files)
            files = []


def _hash(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The hash of each commit's patch.

    Lines of content start with a space, a sign or a backslash, so that the others cannot be
    mistaken. Blob ids count only where git shows no content.
    """
    patch, blobs = None, b""
    for line in lines:
        if line[:1] in b" +-\\" and line:
            content = line
        elif line.startswith(b"@@"):
            content = b"@@"
        elif line.startswith(b"index "):
            blobs = line.split(b" ")[1]
            continue
        elif line.startswith(b"Binary files "):
            content = blobs
        elif len(line) in (40, 64) and b" " not in line:
            if patch is not None:
                yield patch.digest()
            patch = hashlib.sha256()
            continue
        else:
            content = line
        if patch is not None and line:
            patch.update(content + b"\n")
    if patch is not None:
        yield patch.digest()
