"""What commits change, looked up once: their files, and their patches as fingerprints.

Most comparisons end before a fingerprint is made: changes of other files are different, and changes
between the same blobs are equal.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from treering.git import diff
from treering.git.diff import CommitRange, FileChange
from treering.git.process import time_left
from treering.git.repository import Repository

_AT_ONCE = 500

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
            diffs = diff.diff(self._repository, some, seconds=time_left(until))
            self._files.update((step, one.files) for step, one in zip(some, diffs, strict=True))

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
            prints = diff.hash_patches(self._repository, some, seconds=time_left(until))
            self._prints.update(zip(some, prints, strict=True))
        return {step: self._prints[step] for step in steps}

    def lacks_a_line(self, change: FileChange, now: bytes) -> bool:
        """Whether a file as it is now surely lacks a line that a change of it added.

        Only of a file that was there before and is there now: one that came or went may have
        another name on the other side.
        """
        if now == UNKNOWN or any(not _is_file(side) for side in (change.old, change.new, now)):
            return False
        new_lines = self._lines(change.new) - self._lines(change.old) - {b""}
        return not new_lines <= self._lines(now)

    def _read_lines(self, side: bytes) -> frozenset[bytes]:
        return frozenset(self._repository.objects.blob(side[7:].decode("ascii")).split(b"\n"))

    def adds_of_its_own(self, merges: Sequence[str], until: float) -> bool:
        """Whether one of some merges holds lines that none of its parents had."""
        if not merges:
            return False
        return diff.adds_lines(self._repository, merges, seconds=time_left(until))


def is_nothing(side: bytes) -> bool:
    """Whether a side of a change says that the file is not there."""
    return side.startswith(b"000000")


def _is_file(side: bytes) -> bool:
    return side.startswith(b"100")


def _batches(steps: Sequence[CommitRange]) -> Iterator[Sequence[CommitRange]]:
    for at in range(0, len(steps), _AT_ONCE):
        yield steps[at : at + _AT_ONCE]
