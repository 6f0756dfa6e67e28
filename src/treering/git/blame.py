"""The commit that wrote a line: `git blame` of committed text, within a time.

The work tree is never blamed: git would run the filters a repository names. Lines that are not
committed yet are told apart by comparing texts (see `compare_lines`). Nor is the configuration
asked: where `blame.ignoreRevsFile` names a file that is not there, git would refuse to answer.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from treering.git import process
from treering.git.binding import Patch
from treering.git.diff import ENVIRONMENT, borrow, make_apart, plain
from treering.git.repository import Repository

#: Options of blame from the one that sees most to the one that costs least.
EFFORTS = (("-w", "-M", "-C"), ("-w", "-M"), ("-w",))
_NO_SETTINGS = {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "0",
}  # fmt: skip
#: A pattern in the place of a path must not match others.
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
_GROUP = rb"([0-9a-f]{40}) (\d+) (\d+) (\d+)"
_ESCAPE = rb"\\([abfnrtv\"\\]|[0-7]{3})"
_ESCAPES = {
    b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v",
    b'"': b'"', b"\\": b"\\",
}  # fmt: skip


class LineRun(NamedTuple):
    """Lines that stand together and were written by one commit, in the file it had then."""

    first: int
    size: int
    commit: str
    path: str
    #: The number of the first line in that commit's version of the file.
    original: int


class FileHistory(NamedTuple):
    """The commits that changed one file, each with those of them that came right before it."""

    start: str
    parents: dict[str, tuple[str, ...]]
    #: Commits in which it first appeared: it may have had another name before.
    created: frozenset[str] = frozenset()


def read_histories(
    repository: Repository, tip: str, paths: Sequence[str], *, seconds: float
) -> dict[str, FileHistory]:
    """The history of each of some files, found in one walk for all of them.

    Blame walks from a file's last change through all history that lies between; what it has to walk
    through for many files is the same again and again. TookTooLong after `seconds`.
    """
    text = process.run(
        repository.git_dir,
        *plain(repository.git_dir),
        *("log", "--format=%x01%H %P", "--parents", "--raw", "-z", "--no-renames", "--no-abbrev"),
        *(tip, "--", *paths),
        env=ENVIRONMENT | _LITERAL,
        seconds=seconds,
    )
    parents: dict[str, tuple[str, ...]] = {}
    changed: dict[str, set[str]] = {path: set() for path in paths}
    created: dict[str, set[str]] = {path: set() for path in paths}
    for part in text.split(b"\x01")[1:]:
        head, *fields = re.split(rb"[\0\n]+", part.strip(b"\0\n"))
        oid, *before = head.decode("ascii").split()
        parents[oid] = tuple(before)
        for status, name in zip(fields[::2], fields[1::2], strict=False):
            path = name.decode(errors="surrogateescape")
            if path in changed:
                changed[path].add(oid)
                created[path] |= {oid} if status.endswith(b" A") else set()
    histories = {}
    for path in paths:
        history = _simplify(parents, changed[path])
        if history.start:
            histories[path] = history._replace(created=frozenset(created[path]))
    return histories


def _simplify(parents: dict[str, tuple[str, ...]], changed: set[str]) -> FileHistory:
    """A history with nothing in it but what changed one file, and the merges of such."""
    kept: dict[str, tuple[str, ...]] = {}
    stands_for: dict[str, str] = {}
    for oid in reversed(parents):  # older ones first
        before = {at: None for parent in parents[oid] if (at := stands_for.get(parent))}
        if oid in changed or len(before) > 1:
            kept[oid] = tuple(before)
            stands_for[oid] = oid
        elif before:
            stands_for[oid] = next(iter(before))
    newest = next(iter(parents), "")
    return FileHistory(stands_for.get(newest, ""), kept)


def blame(
    repository: Repository,
    commit: str,
    path: str,
    ranges: Iterable[tuple[int, int]] = (),
    *,
    options: Sequence[str] = EFFORTS[0],
    ignored: Sequence[str] = (),
    since: str = "",
    history: FileHistory | None = None,
    seconds: float | None = None,
) -> list[LineRun]:
    """Return who wrote the lines of a file as a commit has it; all of them where no range is given.

    Commits in `ignored` are passed over, as far as git can. What is older than `since` is taken for
    written there. With `history` nothing else is walked through. TookTooLong after `seconds`.
    """
    with tempfile.TemporaryDirectory(prefix="treering-") as name:
        folder = make_apart(Path(name))
        if history:
            commit, grafts = history.start, folder / "history"
            lines = (" ".join((oid, *before)) for oid, before in history.parents.items())
            grafts.write_text("\n".join(lines) + "\n", encoding="ascii")
            options = (*options, "-S", str(grafts))
        text = process.run(
            folder,
            *plain(folder),
            *("blame", "--incremental", *options),
            *(f"--ignore-rev={oid}" for oid in ignored),
            *(f"-L{first},{last}" for first, last in ranges),
            *(commit, *([f"^{since}"] if since else ()), "--", path),
            env=ENVIRONMENT | _NO_SETTINGS | borrow(folder, repository.common_dir),
            seconds=seconds,
        )
    return sorted(_parse(text.split(b"\n")))


def _parse(lines: Iterable[bytes]) -> Iterator[LineRun]:
    """Each group begins with `commit, line then, line now, count` and ends with the file's name."""
    group: tuple[str, int, int, int] | None = None
    for line in lines:
        if group is None:
            if match := re.fullmatch(_GROUP, line):
                group = (match[1].decode(), int(match[2]), int(match[3]), int(match[4]))
        elif line.startswith(b"filename "):
            oid, original, first, size = group
            yield LineRun(first, size, oid, _unquote(line[len(b"filename ") :]), original)
            group = None


def _unquote(name: bytes) -> str:
    """A name as git quotes it where it holds something unusual."""
    if name.startswith(b'"') and name.endswith(b'"') and len(name) > 1:
        name = re.sub(_ESCAPE, _unescape, name[1:-1])
    return name.decode(errors="surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    word = match[1]
    return _ESCAPES[word] if word in _ESCAPES else bytes([int(word, 8) & 255])


class LineShift(NamedTuple):
    """Lines of a new text that took the place of lines of an old one; either may be none."""

    old_first: int
    old_count: int
    new_first: int
    new_count: int

    @property
    def old(self) -> range:
        """Return the numbers of the old lines."""
        return range(self.old_first, self.old_first + self.old_count)

    @property
    def new(self) -> range:
        """Return the numbers of the new lines."""
        return range(self.new_first, self.new_first + self.new_count)


def compare_lines(old: bytes, new: bytes) -> list[LineShift]:
    """Return where two texts differ, in order; an empty side stands before its first line."""
    shifts = []
    for hunk in Patch.create_from(old, new, context_lines=0).hunks:
        # Of a side without lines git names the line before it.
        old_first = hunk.old_start + (hunk.old_lines == 0)
        new_first = hunk.new_start + (hunk.new_lines == 0)
        shifts.append(LineShift(old_first, hunk.old_lines, new_first, hunk.new_lines))
    return shifts


def last_change(git_dir: Path, commit: str, path: str, *, since: str = "") -> str:
    """The newest commit that changed a file, "" where none did; looked for down to `since`."""
    text = process.run(
        git_dir,
        *("rev-list", "--max-count=1", commit, *([f"^{since}"] if since else ()), "--", path),
        env=_LITERAL,
        may_fail=(128,),
    )
    return text.decode("ascii").strip()


def find_landing(git_dir: Path, commit: str, tip: str, *, seconds: float) -> str:
    """The merge along a branch's first parents that brought a commit into it, or ""."""
    text = process.run(
        git_dir,
        *("rev-list", "--parents", "--ancestry-path", f"{commit}..{tip}", "--"),
        seconds=seconds,
        may_fail=(128,),
    )
    rows = (line.split(" ") for line in text.decode("ascii").splitlines())
    parents = {oid: others for oid, *others in rows}
    at = tip
    while at in parents and parents[at] and parents[at][0] in parents:
        at = parents[at][0]
    if at not in parents or commit in parents[at][:1]:
        return ""  # it was made on the branch itself
    return at
