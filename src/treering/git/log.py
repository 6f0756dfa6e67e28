"""History as git tells it: logs, lists of commits and counts, each as plain values.

A revision is whatever names a commit, or all refs of a prefix by `below`. What commits change
against each other is in diff.py, what refs hold on to in reach.py.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from treering.git import config, process

_FIELDS = "%H%n%P%n%ct%n%an <%ae>%n%B"
_AS_BYTES = ("-z", "--no-show-signature", "--no-color")
#: libgit2 knows no replacements, so that its answers and git's would not fit together.
_NO_REPLACEMENTS = {"GIT_NO_REPLACE_OBJECTS": "1"}
_RAW_MERGE = rb":+((?:\d{6} )+)((?:[0-9a-f]{40} )+)[A-Z]+"
#: From this version on, `git log --decorate` shows only branches, tags and the like by itself.
_FEW_DECORATIONS = (2, 39)


class LogCommit(NamedTuple):
    """A commit as the log tells it; `time` in seconds since the epoch."""

    oid: str
    parents: tuple[str, ...]
    time: int
    author: str
    body: bytes

    @property
    def message(self) -> str:
        return self.body.decode(errors="replace")


def below(prefix: str) -> str:
    """A revision that stands for every ref below a prefix."""
    return f"--glob={prefix}*"


def read_log(
    git_dir: Path,
    revisions: Iterable[str],
    *,
    without: Iterable[str] = (),
    containing: Sequence[str] = (),
    most: int | None = None,
    is_oldest_first: bool = False,
    is_walked: bool = True,
) -> Iterator[LogCommit]:
    """The commits of some revisions and not of others, newest first.

    `containing` are words, one of which a message must hold. Unless it `is_walked`, only the
    commits that are named are told of, in no order.
    """
    arguments, lines = _select(revisions, without)
    if arguments is None:
        return
    text = process.run(
        git_dir,
        *("log", *_AS_BYTES, f"--format={_FIELDS}", "--fixed-strings"),
        *(f"--grep={words}" for words in containing),
        *([f"--max-count={most}"] if most else ()),
        *(["--reverse", "--topo-order"] if is_oldest_first else ()),
        *([] if is_walked else ["--no-walk=unsorted"]),
        *(*arguments, "--"),
        feed=lines,
    )
    yield from filter(None, map(_parse_commit, text.split(b"\0")))


def _select(
    revisions: Iterable[str], without: Iterable[str]
) -> tuple[list[str] | None, bytes | None]:
    """Return how git is told of revisions: as arguments, and what it reads; None where there are
    none.

    Ids go by standard input, since there may be more of them than a command line holds.
    """
    names, others = list(dict.fromkeys(revisions)), list(dict.fromkeys(without))
    if not names:
        return None, None
    ids = [name for name in names if not _is_glob(name)]
    ids += [f"^{name}" for name in others if not _is_glob(name)]
    # Before `--not`: older gits let that hide what they read, too.
    arguments = ["--stdin", *filter(_is_glob, names), "--not", *filter(_is_glob, others)]
    return arguments, "".join(f"{name}\n" for name in ids).encode(errors="surrogateescape")


def _is_glob(revision: str) -> bool:
    return revision.startswith("--glob=")


def _parse_commit(record: bytes) -> LogCommit | None:
    fields = record.split(b"\n", 4)
    if len(fields) < 5:
        return None
    oid, parents, time, author, body = fields
    return LogCommit(
        oid=oid.decode(),
        parents=tuple(parents.decode().split()),
        time=int(time) if re.fullmatch(rb"-?\d{1,15}", time) else 0,
        author=author.decode(errors="replace"),
        body=body,
    )


def read_all_commits(git_dir: Path, containing: str) -> Iterator[LogCommit]:
    """Every commit whose message holds some words, also those that no ref leads to.

    Every object is looked at, so this is for rare questions.
    """
    objects = process.run(
        git_dir,
        *("cat-file", "--batch-all-objects", "--unordered", "--buffer"),
        "--batch-check=%(objecttype) %(objectname)",
    )
    kinds = (line.split(" ") for line in objects.decode("ascii").splitlines())
    oids = [oid for kind, oid in kinds if kind == "commit"]
    yield from read_log(git_dir, oids, containing=[containing], is_walked=False)


def list_addresses(
    git_dir: Path, revisions: Sequence[str], *, without: Sequence[str], most: int
) -> set[str]:
    """Return who wrote and committed the newest commits of some revisions and of all branches."""
    text = process.run(
        git_dir,
        *("log", f"--max-count={most}", "--no-show-signature", "--format=%ae%n%ce"),
        *("--ignore-missing", *revisions, "--branches", "--remotes", "--not", *without, "--"),
        may_fail=(128,),
    )
    return {line.strip() for line in text.decode(errors="replace").splitlines()} - {""}


def shows_all_decorations(git_dir: Path, pattern: str) -> bool:
    """Return whether `git log --decorate` would name refs that only a pattern of theirs takes out.

    Where it would not, setting the pattern would make it show refs that it left out before.
    """
    patterns = [value for _, value in config.read_levels(git_dir, "log.excludeDecoration")]
    if pattern in patterns:
        return False
    sets = [value for _, value in config.read_levels(git_dir, "log.initialDecorationSet")]
    return bool(patterns) or sets == ["all"] or process.version() < _FEW_DECORATIONS


# --- drawn ----------------------------------------------------------------------------------------


class GraphLine(NamedTuple):
    """A line of a drawn history: git's strokes, and the commit that stands there, if any."""

    strokes: str
    commit: LogCommit | None = None
    subject: str = ""
    trailer: str = ""


def draw(git_dir: Path, tips: Iterable[str], *, most: int, trailer: str) -> Iterator[GraphLine]:
    """Some histories as git draws them, newest first, with what each commit says to a trailer."""
    field = f"%(trailers:key={trailer},valueonly,separator=%x2C)"
    text = process.run(
        git_dir,
        *("log", "--graph", "--topo-order", f"--max-count={most}", "--no-show-signature"),
        *("--no-color", f"--format=%x01%H%x02%P%x02%ct%x02%an%x02%s%x02{field}", *tips, "--"),
    )
    for line in text.decode(errors="replace").splitlines():
        strokes, _, rest = line.partition("\x01")
        if not rest:
            yield GraphLine(strokes.rstrip())
            continue
        oid, parents, time, author, subject, value = rest.split("\x02", 5)
        commit = LogCommit(oid, tuple(parents.split()), int(time), author, b"")
        yield GraphLine(strokes.rstrip(), commit, subject, value)


# --- with the files that commits change -----------------------------------------------------------


class CommitFile(NamedTuple):
    """A file that a commit changed: its mode and blob in each parent, and then in the commit."""

    path: str
    modes: tuple[str, ...]
    blobs: tuple[str, ...]


def read_changes(
    git_dir: Path,
    revisions: Iterable[str],
    *,
    without: Iterable[str],
    most: int = 0,
    may_lack: bool = True,
    is_walked: bool = True,
) -> Iterator[tuple[LogCommit, list[CommitFile]]]:
    """Commits with their files, parents first; of a merge the files that none of its parents has.

    With `may_lack` a damaged history tells less, and is no error. Unless it `is_walked`, only the
    commits that are named are told of.
    """
    arguments, lines = _select(revisions, without)
    if arguments is None:
        return
    text = process.run(
        git_dir,
        *("-c", "log.showRoot=true", "log", *_AS_BYTES, f"--format={_FIELDS}"),
        *("-c", "--raw", "-r", "--no-abbrev", "--no-renames"),
        *(["--reverse", "--topo-order"] if is_walked else ["--no-walk=unsorted"]),
        *([f"--max-count={most}"] if most else ()),
        *(["--ignore-missing"] if may_lack else ()),
        *(*arguments, "--"),
        feed=lines,
        may_fail=(128,) if may_lack else (),
    )
    yield from _parse_changes(text.split(b"\0"))


def _parse_changes(tokens: Iterable[bytes]) -> Iterator[tuple[LogCommit, list[CommitFile]]]:
    """Each commit is a token, followed by two for each of its files: what happened, and the path.

    A message cannot be taken for a file: every commit's token starts with its id.
    """
    commit: LogCommit | None = None
    files: list[CommitFile] = []
    stream = iter(tokens)
    for token in stream:
        text = token.lstrip(b"\n")
        if raw := re.fullmatch(_RAW_MERGE, text):
            path = next(stream, b"").decode(errors="replace")
            modes, blobs = raw[1].decode().split(), raw[2].decode().split()
            files.append(CommitFile(path, tuple(modes), tuple(blobs)))
        elif text:  # git puts an empty one before the files of a merge
            if commit:
                yield commit, files
            commit, files = _parse_commit(text), []
    if commit:
        yield commit, files


# --- commits alone --------------------------------------------------------------------------------


def count_branch_commits(git_dir: Path) -> int:
    """Count the commits of all branches, merges left out; 0 where git cannot tell."""
    result = process.ask(git_dir, "rev-list", "--count", "--no-merges", "--branches")
    return int(result.out) if result.code == 0 else 0


def list_commits(
    git_dir: Path,
    tips: Iterable[str],
    *,
    without: Iterable[str] = (),
    since: float | None = None,
) -> list[str]:
    """The commits of some histories and not of others, children before parents."""
    arguments, lines = _select(tips, without)
    if arguments is None:
        return []
    text = process.run(
        git_dir,
        *("rev-list", "--topo-order"),
        *([f"--since={int(since)}"] if since is not None else ()),
        *arguments,
        feed=lines,
    )
    return text.decode("ascii").split()


def read_parents(
    git_dir: Path,
    tips: Iterable[str],
    *,
    without: Iterable[str] = (),
    seconds: float | None = None,
) -> dict[str, tuple[str, ...]]:
    """The commits of some histories and not of others, each with its parents, children before
    parents, replaced by none."""
    arguments, lines = _select(tips, without)
    if arguments is None:
        return {}
    text = process.run(
        git_dir,
        *("rev-list", "--parents", "--topo-order", *arguments),
        feed=lines,
        env=_NO_REPLACEMENTS,
        seconds=seconds,
    )
    rows = (line.split(" ") for line in text.decode("ascii").splitlines())
    return {commit: tuple(parents) for commit, *parents in rows}


def count_commits(git_dir: Path, revisions: Iterable[str], *, without: Iterable[str] = ()) -> int:
    """Return how many commits some revisions have that others have not; 0 where one is not here."""
    arguments, lines = _select(revisions, without)
    if arguments is None:
        return 0
    text = process.run(
        git_dir, "rev-list", "--count", *arguments, "--", feed=lines, may_fail=(128,)
    )
    return int(text or 0)


# --- notes ----------------------------------------------------------------------------------------

NOTES = "refs/notes/"


def list_notes_refs(git_dir: Path, pattern: str = NOTES) -> list[str]:
    """The refs of notes that fit a pattern."""
    text = process.run(git_dir, "for-each-ref", "--format=%(refname)", "--", pattern)
    return text.decode(errors="replace").split()


def read_notes(git_dir: Path, ref: str) -> Iterator[tuple[str, str]]:
    """The commits that have a note, and what it says."""
    words = process.run(git_dir, "notes", f"--ref={ref}", "list").decode().split()
    for blob, commit in zip(words[0::2], words[1::2], strict=True):
        data = process.run(git_dir, "cat-file", "blob", blob)
        yield commit, data.decode("utf-8", errors="replace")
