"""Commits as memories: what a commit says and changes, in the form a memory keeps it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from treering.errors import StorageFailed, StoreDamaged
from treering.git.diff import CommitRange, FileChange, RangeDiff, diff
from treering.git.process import TookTooLong
from treering.git.repository import Repository
from treering.model.dates import format_moment
from treering.model.memory import MAX_CONTENT, FileRef, Memory, derive_id, title_of, trim
from treering.text.hygiene import clean_line
from treering.text.masking import mask, split_files

#: What `treering.capture` may say.
CAPTURES = ("sparing", "all", "none")

_LONGEST_MESSAGE = MAX_CONTENT // 4
#: Looked at beyond that, so that no part of a credential is left at the cut.
_BEYOND = 8_192
_MOST_FILES = 50
_LONGEST_PATH = 400
_MOST_TRAILERS = 20
_TRAILER = r"([A-Za-z][A-Za-z0-9-]{1,40}): (\S.{0,300})"
_PATCHED_UP = ("fixup! ", "squash! ", "amend! ")
_BOT = r"\[bot\]|\bbot@|noreply@github\.com.*dependabot|^dependabot|^renovate"
#: "Bump x from 1 to 2", "chore(deps): update y to v3", "update dev dependencies".
_BUMP = (
    r"(?:(?:build|chore|ci|deps|fix)(?:\([\w./ -]{0,40}\))?!?: ?)?"
    r"(?:bump|update|upgrade|pin|lock)s?(?:ed)? (?:"
    r"(?:[\w@./-]+ ){1,3}(?:from v?\d\S* )?to v?\d\S*(?: in \S+)?"
    r"|(?:[\w./-]+ ){0,3}(?:dependenc(?:y|ies)|requirements|lock ?files?|pre-commit hooks?)"
    r")(?: \(#\d+\))?\.?"
)
_GITLINK = b"160000"
_BATCH_SIZE = 200
_DIFF_TIMEOUT = 60.0


class CodeCommit(NamedTuple):
    """One commit: what it says, and what it changed against its first parent.

    Credentials are masked in all of it. A file whose name holds one is in `masked_files` instead:
    under a name that is not its own nobody could look whether it has changed since.
    """

    oid: str
    parents: tuple[str, ...]
    author: str
    time: int
    message: str
    files: tuple[FileRef, ...] = ()
    changed: int = 0
    insertions: int = 0
    deletions: int = 0
    masked_files: tuple[str, ...] = ()
    #: Characters of a message that is too long to be kept.
    left_out: int = 0


def memory_id(oid: str) -> str:
    """The id of the memory of a commit."""
    return derive_id("commit", oid)


def commits(
    repository: Repository,
    oids: Iterable[str],
    *,
    seconds: float | None = None,
    is_wanted: Callable[[CodeCommit], bool] = lambda commit: True,  # noqa: ARG005
) -> Iterator[CodeCommit]:
    """Yield those of some commits that are still here, with what they change; one git for many.

    What is not wanted comes first and without its changes, which take longest to find out. With
    `seconds` TookTooLong is raised when that is not enough; without, a commit so large that git
    does not come to an end with it comes without its changes.
    """
    there = [commit for oid in dict.fromkeys(oids) if (commit := _read(repository, oid))]
    present = [commit for commit in there if is_wanted(commit)]
    wanted = {commit.oid for commit in present}
    yield from (commit for commit in there if commit.oid not in wanted)
    for at in range(0, len(present), _BATCH_SIZE):
        some = present[at : at + _BATCH_SIZE]
        for commit, changes in zip(some, _changes(repository, some, seconds), strict=True):
            kept = islice(filter(None, map(_file, changes.files)), _MOST_FILES)
            files, masked_files = split_files(tuple(kept))
            yield commit._replace(
                files=files,
                changed=len(changes.files),
                insertions=changes.insertions,
                deletions=changes.deletions,
                masked_files=masked_files,
            )


def _read(repository: Repository, oid: str) -> CodeCommit | None:
    try:
        info = repository.objects.commit(oid)
    except (StoreDamaged, UnicodeDecodeError):
        return None  # pruned since, or not here at all
    author = clean_line(mask(info.author))[:300]
    message = mask(info.message[: _LONGEST_MESSAGE + _BEYOND])
    left_out = max(0, len(info.message) - _LONGEST_MESSAGE)
    return CodeCommit(oid, info.parents, author, info.time, message, left_out=left_out)


def is_left_out(commit: CodeCommit, capture: str) -> bool:
    """Return whether `treering.capture` passes a commit over."""
    return capture == "none" or (capture == "sparing" and bool(routine_of(commit)))


def routine_of(commit: CodeCommit) -> str:
    """Return what makes a commit tell nothing new, in one word for all of its kind, or ""."""
    if len(commit.parents) > 1:
        return "merges"
    if commit.message.startswith(_PATCHED_UP):
        return "fixups"
    if re.search(_BOT, commit.author, re.IGNORECASE):
        return "bots"
    return "dependency bumps" if is_dependency_bump(commit.message) else ""


def is_dependency_bump(message: str) -> bool:
    """Return whether a message says only that a dependency has another version. One with a body may
    say why, and that is worth keeping; trailers say nothing of the kind."""
    subject, _, body = message.strip().partition("\n")
    if body.strip() and not trailers(message):
        return False
    return bool(re.fullmatch(_BUMP, subject.strip(), re.IGNORECASE))


def memory_of(commit: CodeCommit, *, session: str = "", agent: str = "") -> Memory:
    """The memory of a commit, made in a session."""
    text = trim(commit.message)[:_LONGEST_MESSAGE]
    if commit.left_out:
        text += f"\n\n[{commit.left_out} more characters: git show {commit.oid[:12]}]"
    moment = format_moment(commit.time)
    details: dict[str, object] = {
        "files": commit.changed,
        "insertions": commit.insertions,
        "deletions": commit.deletions,
    }
    if commit.masked_files:
        details["masked_files"] = list(commit.masked_files)
    if lines := trailers(text):
        details["trailers"] = lines
    return Memory(
        id=memory_id(commit.oid),
        type="commit",
        title=title_of(text) if text else f"Commit {commit.oid[:12]} without a message",
        content=text or f"Commit {commit.oid[:12]} has no message.",
        created=moment,
        modified=moment,
        confidence=1.0,
        source="hook",
        author=commit.author,
        agent=agent,
        session=session,
        commit=commit.oid,
        files=commit.files,
        details=details,
    )


def trailers(message: str) -> dict[str, list[str]]:
    """The trailers of a message: its last paragraph, when every line of it is one."""
    lines = message.strip().rpartition("\n\n")[2].splitlines()
    matches = [re.fullmatch(_TRAILER, line) for line in lines]
    values: dict[str, list[str]] = {}
    if "\n\n" in message and all(matches):
        for match in matches[:_MOST_TRAILERS]:
            if match:
                values.setdefault(match[1], []).append(match[2])
    return values


# --- what commits change --------------------------------------------------------------------------


def _changes(
    repository: Repository, some: Sequence[CodeCommit], seconds: float | None
) -> Iterator[RangeDiff]:
    ranges = [CommitRange(commit.oid, next(iter(commit.parents), "")) for commit in some]
    try:
        return diff(repository, ranges, seconds=seconds or _DIFF_TIMEOUT, counts_lines=True)
    except StorageFailed as error:
        if seconds and isinstance(error, TookTooLong):
            raise
        # Also where a shallow clone lacks a parent: the message alone is worth keeping.
        return iter([RangeDiff(())] * len(some))


def _file(change: FileChange) -> FileRef | None:
    """A file that is there after the commit, under a name a memory can hold."""
    mode, _, blob = change.new.partition(b" ")
    try:
        name = change.path.decode()
    except UnicodeDecodeError:
        return None
    is_here = mode not in (b"000000", _GITLINK)
    if not is_here or len(name) > _LONGEST_PATH or not name.isprintable():
        return None
    return FileRef(name, blob.decode("ascii"))


_OVERRULES = (
    r"(?im)^[ \t]*overrules:[ \t]*(?:treering://memory/)?([0-9a-z]{4,12})\b[ \t]*(.{0,400})$"
)
_MOST_OVERRULED = 50


def read_overruled(message: str) -> list[tuple[str, str]]:
    """The ids that a message names, whole or their beginnings, and the reason of each."""
    found = re.findall(_OVERRULES, message)[:_MOST_OVERRULED]
    return [(name.lower(), reason.strip()) for name, reason in found]
