"""What a change is about to overrule: the lines it takes away or replaces, with their reasons."""

import time
from collections.abc import Iterator

from treering.actions.why.answers import Overruled, OverruledFile
from treering.actions.why.source import SourceFile, is_text
from treering.actions.why.why import Inquest, rank
from treering.actions.workspace import Workspace
from treering.errors import Invalid, StoreDamaged, TreeringError
from treering.git import diff
from treering.git.blame import compare_lines
from treering.git.diff import CommitRange, FileChange

_MOST_FILES = 300
_MOST_MEMORIES = 10
_SECONDS = 20.0
_LARGEST = 4 * 1024 * 1024
_FILES = (b"100644", b"100755")


def list_overruled(
    workspace: Workspace, one: str, other: str, *, private: bool = False
) -> Overruled:
    """What the code of `other` changes of what `one` had when they parted."""
    old, new = _resolve(workspace, one), _resolve(workspace, other)
    base = workspace.repository.merge_base(old, new) or old
    inquest = Inquest(workspace, at=base, branch=one, private=private)
    files, notes = [], []
    until = time.monotonic() + _SECONDS
    changes = list(_list_changes(workspace, base, new))
    for number, (path, before, after) in enumerate(changes):
        if number >= _MOST_FILES or time.monotonic() > until:
            notes.append(f"{len(changes) - number} of {len(changes)} files were not looked at.")
            break
        if file := _explain(inquest, path, before, after):
            files.append(file)
    files.sort(key=lambda file: (-max((m.score for m in file.memories), default=0.0), file.path))
    return Overruled(base, tuple(files), (*inquest.blamer.notes, *notes))


def _resolve(workspace: Workspace, name: str) -> str:
    """The code of a branch, here or on a remote, or a revision; nothing is where we are."""
    repository = workspace.repository
    remotes = (f"{remote}/{name}" for remote in repository.remotes())
    names = (f"refs/heads/{name}", name, *remotes) if name else ("HEAD",)
    commit = next((oid for text in names if (oid := repository.resolve(text))), None)
    if commit is None:
        raise Invalid(f"The code of {name or 'HEAD'} is not here.", hint="`git fetch` brings it.")
    return commit


def _list_changes(
    workspace: Workspace, base: str, new: str
) -> Iterator[tuple[str, FileChange, str]]:
    """The files that a change touches and that were there: path, change, and the blob after it."""
    repository = workspace.repository
    changes = diff.diff_one(repository, CommitRange(new, base))
    names = diff.find_renames(repository.git_dir, base, new)
    for change in changes:
        if change.old.partition(b" ")[0] not in _FILES:
            continue
        path = change.path.decode(errors="surrogateescape")
        after = change.new.partition(b" ")[2].decode("ascii")
        if path in names:
            after = repository.blob_at(new, names[path]) or after
        yield path, change, after


def _explain(inquest: Inquest, path: str, change: FileChange, after: str) -> OverruledFile | None:
    blob = change.old.partition(b" ")[2].decode("ascii")
    try:
        before, text = _read(inquest, blob), _read(inquest, after)
    except StoreDamaged:
        return None
    if not (is_text(before) and is_text(text)):
        return None
    ranges = [
        (shift.old_first, shift.old_first + shift.old_count - 1)
        for shift in compare_lines(before, text)
        if shift.old_count
    ]
    source = SourceFile(path, inquest.commit, blob, before)
    try:
        parts = inquest.explain(source, ranges) if ranges else []
    except TreeringError:
        return None
    if not parts:
        return None
    scores = rank(parts)
    ids = [
        memory_id
        for memory_id in scores
        if not all(p.reasons[memory_id].is_since for p in parts if memory_id in p.reasons)
    ][:_MOST_MEMORIES]
    return OverruledFile(
        path,
        tuple(inquest.describe(path, part, ids, has_code=True) for part in parts),
        inquest.list_memories(path, parts, ids, scores),
    )


def _read(inquest: Inquest, blob: str) -> bytes:
    if not blob.strip("0"):
        return b""  # it is gone
    return inquest.workspace.repository.objects.blob(blob, most=_LARGEST)
