"""Differences of commits: files from git's raw listing, and patches as fingerprints.

A fingerprint is the patch without line numbers, as `git patch-id` has it, but with white space, so
that two different indentations stay different. Nothing of the user's decides how a patch looks.
"""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from treering.errors import StoreDamaged
from treering.git import process
from treering.git.binding import GitError, load_enums
from treering.git.repository import Repository

#: No attributes of the machine, and no commits in the place of others.
ENVIRONMENT = {"GIT_ATTR_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
_TREES = ("diff-tree", "--stdin", "--always", "--root", "-r", "--no-renames", "--full-index")
_RAW = ("--raw", "-z", "--no-abbrev", "--ignore-submodules=none")
_PATCH = (
    *("--patch", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers"),
    *("--no-color", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--submodule=short", "--ignore-submodules=none", "-O/dev/null"),
)


#: Options of libgit2: a file that became a link is one change; content is not looked at.
_INCLUDE_TYPECHANGE, _SKIP_BINARY_CHECK = 1 << 6, 1 << 13


class CommitRange(NamedTuple):
    """From one commit to another; from nothing when there is no older one."""

    new: str
    old: str = ""


class FileChange(NamedTuple):
    """One file's mode and blob on both sides, as git writes them; zeros where it is not there."""

    path: bytes
    old: bytes
    new: bytes

    @property
    def is_added(self) -> bool:
        return self.old.startswith(b"000000")

    @property
    def is_removed(self) -> bool:
        return self.new.startswith(b"000000")


class RangeDiff(NamedTuple):
    """The files that differ between two commits, and how many lines, where they were counted."""

    files: tuple[FileChange, ...]
    insertions: int = 0
    deletions: int = 0


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


def diff(
    repository: Repository,
    ranges: Sequence[CommitRange],
    *,
    seconds: float,
    counts_lines: bool = False,
) -> Iterator[RangeDiff]:
    """Return what differs in each of some ranges; TookTooLong when git needs longer than
    `seconds`."""
    counts = ("--numstat",) if counts_lines else ()
    text = _run(repository, (*_TREES, *_RAW, *counts), _lines(ranges), seconds)
    return _parse(text.split(b"\0"))


def diff_one(repository: Repository, step: CommitRange) -> tuple[FileChange, ...]:
    """The files that differ between two commits, by path, without a process."""
    load_enums()  # of the modes of files
    old, new = (_look_up_tree(repository, commit) for commit in (step.old, step.new))
    options = {"flags": _INCLUDE_TYPECHANGE | _SKIP_BINARY_CHECK, "context_lines": 0}
    try:
        if old is None:
            deltas = new.diff_to_tree(swap=True, **options).deltas
        else:
            deltas = old.diff_to_tree(new, **options).deltas
        sides = ((delta.old_file, delta.new_file) for delta in deltas)
        return tuple(
            sorted(FileChange(two.raw_path, _describe(one), _describe(two)) for one, two in sides)
        )
    except (KeyError, ValueError, GitError, OSError) as error:
        raise StoreDamaged(f"The tree of {step.new} cannot be compared: {error}") from error


def _look_up_tree(repository: Repository, commit: str) -> Any:
    if not commit:
        return None
    try:
        return repository.handle.look_up(repository.objects.commit(commit).tree)
    except (KeyError, ValueError, GitError, OSError) as error:
        raise StoreDamaged(f"The tree of {commit} is not here.") from error


def _describe(side: Any) -> bytes:
    """As git's raw listing has it."""
    return b"%06o %b" % (side.mode, str(side.id).encode())


def list_paths(repository: Repository, commit: str, since: str = "") -> list[str]:
    """List the files of a commit, or those that it does not share with another one, if their names
    are text."""
    changes = diff_one(repository, CommitRange(commit, since))
    names = (change.path.decode(errors="replace") for change in changes)
    return [name for name in names if name.isprintable()]


def hash_patches(
    repository: Repository, ranges: Sequence[CommitRange], *, seconds: float
) -> Iterator[bytes]:
    """The patch of each of some ranges, as a hash; TookTooLong as above."""
    text = _run(repository, (*_TREES, *_PATCH), _lines(ranges), seconds)
    return _hash(text.split(b"\n"))


def adds_lines(repository: Repository, merges: Iterable[str], *, seconds: float) -> bool:
    """Return whether one of some merges holds lines that none of its parents had."""
    lines = "".join(f"{merge}\n" for merge in merges).encode()
    arguments = ("diff-tree", "--stdin", "--cc", "--no-commit-id", *_PATCH)
    return bool(_run(repository, arguments, lines, seconds).strip())


class ChangedFile(NamedTuple):
    """A file that a change touches, under its names before and after; a side that is not there has
    no blob. Links and submodules have none either."""

    old_path: str
    new_path: str
    old_blob: str
    new_blob: str


def list_changed_files(
    repository: Repository, old: str, new: str, seconds: float | None = None
) -> list[ChangedFile]:
    """The files that differ between a commit and a later one, renames seen through; TookTooLong as
    above. Without a later one it is the index that is compared.
    """
    verb, *what = ("diff-tree", "-r", old, new) if new else ("diff-index", "--cached", old)
    options = (*_RAW, "-M", "-O/dev/null")
    text = process.run(repository.git_dir, verb, *options, *what, env=ENVIRONMENT, seconds=seconds)
    fields = iter(text.decode(errors="surrogateescape").split("\0"))
    files = []
    for field in fields:
        if not field:
            continue
        old_mode, new_mode, old_blob, new_blob, status = field[1:].split(" ")
        path = next(fields)
        now = next(fields) if status[:1] in "RC" else path
        if {old_mode[:3], new_mode[:3]} <= {"100", "000"} and status[:1] not in "CU":
            blobs = (blob if blob.strip("0") else "" for blob in (old_blob, new_blob))
            files.append(ChangedFile(path, now, *blobs))
    return files


def find_first_change(
    git_dir: Path, span: str, paths: Sequence[str], address: str, seconds: float
) -> str:
    """The first commit of a span in which somebody changed one of some files, or ""."""
    return _ask_about_paths(
        git_dir,
        *("--reverse", "--fixed-strings", f"--author=<{address}>", span, "--", *paths),
        seconds=seconds,
    ).partition("\n")[0]


def find_removal(git_dir: Path, tip: str, path: str, seconds: float) -> str:
    """The last step of a branch that took a path away, or ""; a merge is one step."""
    options = ("-1", "-m", "--first-parent", "--no-renames", "--diff-filter=D")
    return _ask_about_paths(git_dir, *options, tip, "--", path, seconds=seconds).strip()


def _ask_about_paths(git_dir: Path, *arguments: str, seconds: float) -> str:
    literal = ENVIRONMENT | {"GIT_LITERAL_PATHSPECS": "1"}
    text = process.run(
        git_dir, "log", "--format=%H", *arguments, env=literal, may_fail=(128,), seconds=seconds
    )
    return text.decode(errors="replace")


def _lines(ranges: Iterable[CommitRange]) -> bytes:
    return "".join(f"{new} {old}".rstrip() + "\n" for new, old in ranges).encode()


def _run(repository: Repository, arguments: Sequence[str], lines: bytes, seconds: float) -> bytes:
    return process.run(
        repository.git_dir,
        *plain(repository.git_dir),
        *arguments,
        feed=lines,
        env=ENVIRONMENT,
        seconds=seconds,
    )


def _parse(fields: Iterable[bytes]) -> Iterator[RangeDiff]:
    """Each commit's id, then `:modes blobs status` and the path of each file, then line counts.

    A path stands where a path is due, so it may look like anything.
    """
    files: list[FileChange] = []
    insertions = deletions = 0
    rest = iter(fields)
    next(rest)  # the first commit's id; the ids of the others end the one before
    for field in rest:
        if field.startswith(b":"):
            old_mode, new_mode, old, new, _ = field[1:].split(b" ")
            files.append(FileChange(next(rest), old_mode + b" " + old, new_mode + b" " + new))
        elif b"\t" in field:
            more, less, _ = field.split(b"\t", 2)
            insertions += int(more) if more != b"-" else 0
            deletions += int(less) if less != b"-" else 0
        else:  # also the empty field after the last commit
            yield RangeDiff(tuple(files), insertions, deletions)
            files, insertions, deletions = [], 0, 0


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


_OLDEST = (2, 38)  # the first git with `merge-tree --write-tree`
_SETTINGS = (
    *("-c", "merge.renames=true"),
    *("-c", "merge.directoryRenames=conflict"),
    *("-c", "merge.renameLimit=1000"),
    *("-c", "merge.renormalize=false"),
    *("-c", "merge.default=text"),
    *("-c", "diff.algorithm=histogram"),
)


class TrialMerge:
    """Tries merges of commits, where git can do that."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._version: tuple[int, ...] = ()

    def is_possible(self) -> bool:
        self._version = self._version or process.version()
        return self._version >= _OLDEST

    def changes_nothing(self, commit: str, tip: str, until: float) -> bool:
        """Return whether merging `tip` into `commit` succeeds and leaves its tree as it is."""
        with tempfile.TemporaryDirectory(prefix="treering-") as folder:
            merge = process.run(
                make_apart(Path(folder)),
                *plain(Path(folder)),
                *_SETTINGS,
                *("merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", commit, tip),
                may_fail=(1,),  # a conflict
                env=ENVIRONMENT | borrow(Path(folder), self._repository.common_dir),
                seconds=process.time_left(until),
            )
        return merge == b"%b\0" % self._repository.objects.commit(commit).tree.encode()


def make_apart(folder: Path) -> Path:
    """A git dir of our own: a dry run leaves no loose objects in the user's, and a merge driver
    that the user's repository names, in its configuration and attributes, is not known here."""
    (folder / "refs").mkdir()
    (folder / "objects").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    return folder


def borrow(folder: Path, common_dir: Path) -> dict[str, str]:
    """Objects are read from the user's repository, and where its history ends is known from it."""
    # Quoted as git quotes paths, since a plain colon would part the path in two.
    path = str(common_dir / "objects").replace("\\", "\\\\").replace('"', '\\"')
    return {
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{path}"',
        "GIT_SHALLOW_FILE": str(common_dir / "shallow"),
    }
