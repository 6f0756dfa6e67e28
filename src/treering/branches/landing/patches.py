"""Changes of commits, looked up once: their files, their lines, and their patches as fingerprints.

Most comparisons end before a fingerprint is made: changes of other files are different, and changes
between the same blobs are equal. Next come the lines: two changes that add and remove the same ones
in the same files are equal, whatever stands around them. Where lines say too little (they only
moved, or are brackets), git's patch with its context decides.

What targets' commits change against their first parents is kept. None of it ever changes, and a
trunk only grows: the next run reads what is new.

    patches         commit -> the files it changes, with modes and blobs; once they were asked for,
                    a hash of the lines it adds and removes (empty: they say too little), and the
                    patch id, with context
    patches_paths   path -> the commits that change it
"""

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from treering.branches.landing.lines import LineReader, hash_lines
from treering.derived.database import Database, Row, select
from treering.git import diff
from treering.git.diff import CommitRange, FileChange
from treering.git.process import time_left
from treering.git.repository import Repository

if TYPE_CHECKING:
    import sqlite3

_BATCH_SIZE = 500
_PREPARED = 40
#: So few steps are compared sooner than git starts.
_FEW_STEPS = 8

Files = tuple[FileChange, ...]
Shape = tuple[tuple[bytes, bytes, bytes], ...]


class Patches:
    """Changes looked up so far; those of targets can be found by the files they change."""

    def __init__(self, repository: Repository, database: Database | None = None) -> None:
        self.lines = LineReader(repository)
        self._repository = repository
        self._database = database or Database(None)
        self._files: dict[CommitRange, Files] = {}
        self._prints: dict[CommitRange, bytes] = {}
        self._of_targets: set[CommitRange] = set()  # the others are not kept

    def read(self, steps: Iterable[CommitRange], until: float) -> None:
        """Look up steps that are not known yet; TookTooLong when the time is over."""
        new = [step for step in dict.fromkeys(steps) if step not in self._files]
        for some in _batches(new):
            self._files |= self._ask(some, until)

    def read_to_find(self, steps: Iterable[CommitRange], until: float) -> None:
        """The same for steps of a target: `touching` finds them from now on.

        What was read when the time is over is kept, so that the next one to ask gets further.
        """
        wanted = {step.new: step for step in steps}
        known = {oid.hex() for (oid,) in self._select("oid", wanted)}
        for some in _batches([step for commit, step in wanted.items() if commit not in known]):
            self._keep_files(self._ask(some, until))

    def _ask(self, steps: Sequence[CommitRange], until: float) -> dict[CommitRange, Files]:
        if len(steps) <= _FEW_STEPS:
            return {step: diff.diff_one(self._repository, step) for step in steps}
        diffs = diff.diff(self._repository, steps, seconds=time_left(until))
        return {step: tuple(sorted(d.files)) for step, d in zip(steps, diffs, strict=True)}

    def _keep_files(self, files: Mapping[CommitRange, Files]) -> None:
        def change(db: "sqlite3.Connection") -> None:
            for step, changes in files.items():
                row = (bytes.fromhex(step.new), b"\0".join(p for file in changes for p in file))
                cursor = db.execute(
                    "INSERT OR IGNORE INTO patches VALUES (NULL, ?, ?, NULL, NULL)", row
                )
                if cursor.rowcount:
                    paths = [(_key_of(file.path), cursor.lastrowid) for file in changes]
                    db.executemany("INSERT OR IGNORE INTO patches_paths VALUES (?, ?)", paths)

        self._database.ensure(change)

    def touching(self, path: bytes) -> list[str]:
        """List the targets' commits that change a file."""
        query = "SELECT oid FROM patches JOIN patches_paths USING (number) WHERE path = ?"
        return [oid.hex() for (oid,) in self._database.rows(query, (_key_of(path),))]

    def load(self, steps: Iterable[CommitRange], until: float) -> None:
        """Have the files of a target's steps at hand; what was lost on the way is read again."""
        new = {step.new: step for step in steps if step not in self._files}
        oids, nothing = list(map(bytes.fromhex, new)), dict[CommitRange, Files]()
        found = self._database.ask(
            lambda db: {
                new[oid.hex()]: _split(text)
                for oid, text in select(db, "oid, files", "patches", "oid", oids)
            },
            nothing,
        )
        self._files |= found
        self._of_targets |= found.keys()
        self.read(new.values(), until)

    def files(self, step: CommitRange) -> Files:
        """Return what a step that was read or loaded changes, by path."""
        return self._files[step]

    def shape(self, step: CommitRange) -> Shape:
        """Return which files a step changes and how their modes: equal patches have equal
        shapes."""
        return tuple((file.path, file.old[:6], file.new[:6]) for file in self._files[step])

    def prepared(
        self, steps: Sequence[CommitRange], paths: Container[bytes] | None = None
    ) -> Iterator[CommitRange]:
        """Steps whose lines are wanted, in all or in some files: these are read many at a time."""
        for at in range(0, len(steps), _PREPARED):
            some = steps[at : at + _PREPARED]
            files = [file for step in some for file in self._files[step]]
            self.lines.prepare(file for file in files if paths is None or file.path in paths)
            yield from some

    # --- hashes -----------------------------------------------------------------------------------

    def lines_hash(self, step: CommitRange) -> bytes | None:
        """The lines that a step adds and removes, as a hash; None where they say too little."""
        return hash_lines(self.lines, self._files[step])

    def lines_hashes(self, steps: Sequence[CommitRange]) -> dict[CommitRange, bytes | None]:
        """The same of a target's steps, which are kept."""
        known = self._load_hashes("lines", steps)
        new = [step for step in steps if step not in known]
        found = {step: self.lines_hash(step) or b"" for step in self.prepared(new)}
        self._keep_hashes("lines", found)
        return {step: lines or None for step, lines in (known | found).items()}

    def fingerprints(self, steps: Sequence[CommitRange], until: float) -> dict[CommitRange, bytes]:
        """The patches of steps with their context, as hashes; TookTooLong when time is over."""
        new = [step for step in dict.fromkeys(steps) if step not in self._prints]
        self._prints |= self._load_hashes("patch_id", new)
        for some in _batches([step for step in new if step not in self._prints]):
            hashes = diff.hash_patches(self._repository, some, seconds=time_left(until))
            prints = dict(zip(some, hashes, strict=True))
            self._keep_hashes("patch_id", prints)
            self._prints |= prints
        return {step: self._prints[step] for step in steps}

    def _load_hashes(
        self, column: Literal["lines", "patch_id"], steps: Iterable[CommitRange]
    ) -> dict[CommitRange, bytes]:
        wanted = {step.new: step for step in steps if step in self._of_targets}
        rows = self._select(f"oid, {column}", wanted)
        return {wanted[oid.hex()]: found for oid, found in rows if found is not None}

    def _keep_hashes(
        self, column: Literal["lines", "patch_id"], hashes: Mapping[CommitRange, bytes]
    ) -> None:
        statement = f"UPDATE patches SET {column} = ? WHERE oid = ?"  # noqa: S608  our own word
        rows = [
            (found, bytes.fromhex(step.new))
            for step, found in hashes.items()
            if step in self._of_targets
        ]
        if rows:
            self._database.ensure(lambda db: db.executemany(statement, rows) and None)

    def _select(self, columns: str, commits: Iterable[str]) -> list[Row]:
        return self._database.select(columns, "patches", "oid", map(bytes.fromhex, commits))

    def adds_of_its_own(self, merges: Sequence[str], until: float) -> bool:
        """Return whether one of some merges holds lines that none of its parents had."""
        if not merges:
            return False
        return diff.adds_lines(self._repository, merges, seconds=time_left(until))


def _key_of(path: bytes) -> int:
    """Return a path as a number that SQLite can hold."""
    digest = hashlib.blake2b(path, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _split(text: bytes) -> Files:
    fields = text.split(b"\0") if text else []
    return tuple(FileChange(*fields[at : at + 3]) for at in range(0, len(fields), 3))


def _batches(steps: Sequence[CommitRange]) -> Iterator[Sequence[CommitRange]]:
    for at in range(0, len(steps), _BATCH_SIZE):
        yield steps[at : at + _BATCH_SIZE]
