"""Changes of commits, looked up once: their files, their lines, and their patches as fingerprints.

Most comparisons end before a fingerprint is made: changes of other files are different, and changes
between the same blobs are equal. Next come the lines: two changes that add and remove the same ones
in the same files are equal, whatever stands around them. Where lines say too little (they only
moved, or are brackets), git's patch with its context decides.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from treering.branches.landing.lines import LineReader, hash_lines
from treering.derived.database import Database
from treering.derived.patches import Files, Hash, PatchTable, key_of
from treering.git import diff
from treering.git.diff import CommitRange, FileChange
from treering.git.process import time_left
from treering.git.repository import Repository

_BATCH_SIZE = 500
_PREPARED = 40
#: So few steps are compared sooner than git starts.
_FEW_STEPS = 8

#: In the place of a file's mode and blob when nothing is known of it.
UNKNOWN = b""

Shape = tuple[tuple[bytes, bytes, bytes], ...]


class Patches:
    """Changes looked up so far; those of targets can be found by the files they change."""

    def __init__(self, repository: Repository, database: Database | None = None) -> None:
        self.lines = LineReader(repository)
        self._repository = repository
        self._files: dict[CommitRange, Files] = {}
        self._prints: dict[CommitRange, bytes] = {}
        self._of_targets: set[CommitRange] = set()  # the others are not kept
        self._table = PatchTable(database or Database(None))

    def read(self, steps: Iterable[CommitRange], until: float) -> None:
        """Look up steps that are not known yet; TookTooLong when the time is over."""
        new = [step for step in dict.fromkeys(steps) if step not in self._files]
        for some in _batches(new):
            self._files |= self._ask(some, until)

    def read_to_find(self, steps: Iterable[CommitRange], until: float) -> None:
        """The same for steps of a target: `touching` and `alike` find them from now on.

        What was read when the time is over is kept, so that the next one to ask gets further.
        """
        wanted = {step.new: step for step in steps}
        for some in _batches([wanted[commit] for commit in self._table.missing(wanted)]):
            files = self._ask(some, until)
            self._table.add({step.new: changes for step, changes in files.items()})

    def _ask(self, steps: Sequence[CommitRange], until: float) -> dict[CommitRange, Files]:
        if len(steps) <= _FEW_STEPS:
            return {step: diff.diff_one(self._repository, step) for step in steps}
        diffs = diff.diff(self._repository, steps, seconds=time_left(until))
        return {step: tuple(sorted(d.files)) for step, d in zip(steps, diffs, strict=True)}

    def touching(self, path: bytes | int) -> list[str]:
        """The targets' commits that change a file, given its path or the key of that."""
        return self._table.touching(path if isinstance(path, int) else key_of(path))

    def load(self, steps: Sequence[CommitRange], until: float) -> None:
        """Have the files of a target's steps at hand; what was lost on the way is read again."""
        new = [step for step in dict.fromkeys(steps) if step not in self._files]
        files = self._table.files([step.new for step in new])
        self._files |= {step: files[step.new] for step in new if step.new in files}
        self._of_targets |= {step for step in new if step.new in files}
        self.read(new, until)

    def files(self, step: CommitRange) -> Files:
        """Return what a step that was read or loaded changes, by path."""
        return self._files[step]

    def shape(self, step: CommitRange) -> Shape:
        """Return which files a step changes and how their modes: equal patches have equal
        shapes."""
        return tuple((file.path, file.old[:6], file.new[:6]) for file in self._files[step])

    def are_same(self, one: CommitRange, other: CommitRange) -> bool:
        """Return whether two steps lead from the same blobs to the same blobs."""
        return self._files[one] == self._files[other]

    def prepared(
        self, steps: Sequence[CommitRange], paths: Container[bytes] | None = None
    ) -> Iterator[CommitRange]:
        """Steps whose lines are wanted, in all or in some files: these are read many at a time."""
        for at in range(0, len(steps), _PREPARED):
            some = steps[at : at + _PREPARED]
            files = [file for step in some for file in self._files[step]]
            self.lines.prepare(file for file in files if paths is None or file.path in paths)
            yield from some

    def lines_hash(self, step: CommitRange) -> bytes | None:
        """The lines that a step adds and removes, as a hash; None where they say too little."""
        return hash_lines(self.lines, self._files[step])

    def lines_hashes(self, steps: Sequence[CommitRange]) -> dict[CommitRange, bytes | None]:
        """The same of a target's steps, which are kept."""
        known = self._table.hashes("lines", [step.new for step in steps])
        new = [step for step in steps if step.new not in known]
        found = {step: self.lines_hash(step) for step in self.prepared(new)}
        self._keep("lines", {step: lines or b"" for step, lines in found.items()})
        return found | {step: known[step.new] or None for step in steps if step.new in known}

    def _keep(self, column: Hash, hashes: Mapping[CommitRange, bytes]) -> None:
        kept = {step.new: found for step, found in hashes.items() if step in self._of_targets}
        self._table.add_hashes(column, kept)

    def fingerprints(self, steps: Sequence[CommitRange], until: float) -> dict[CommitRange, bytes]:
        """The patches of steps with their context, as hashes; TookTooLong when time is over."""
        kept = [step for step in steps if step in self._of_targets and step not in self._prints]
        known = self._table.hashes("patch_id", [step.new for step in kept]) if kept else {}
        self._prints |= {step: known[step.new] for step in kept if step.new in known}
        new = [step for step in dict.fromkeys(steps) if step not in self._prints]
        for some in _batches(new):
            hashes = diff.hash_patches(self._repository, some, seconds=time_left(until))
            prints = dict(zip(some, hashes, strict=True))
            self._keep("patch_id", prints)
            self._prints |= prints
        return {step: self._prints[step] for step in steps}

    def lacks_a_line(self, change: FileChange, now: bytes) -> bool:
        """Return whether a file as it is now surely lacks a line that a change of it added.

        Only of a file that was there before and is there now: one that came or went may have
        another name on the other side.
        """
        if now == UNKNOWN or not all(
            side.startswith(b"100") for side in (change.old, change.new, now)
        ):
            return False
        added = self.lines.change(change)
        return added is not None and self.lines.lacks(now, added)

    def adds_of_its_own(self, merges: Sequence[str], until: float) -> bool:
        """Return whether one of some merges holds lines that none of its parents had."""
        if not merges:
            return False
        return diff.adds_lines(self._repository, merges, seconds=time_left(until))


def is_nothing(side: bytes) -> bool:
    """Return whether a side of a change says that the file is not there."""
    return side.startswith(b"000000")


def _batches(steps: Sequence[CommitRange]) -> Iterator[Sequence[CommitRange]]:
    for at in range(0, len(steps), _BATCH_SIZE):
        yield steps[at : at + _BATCH_SIZE]
