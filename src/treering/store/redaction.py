"""History without a memory's text: every commit that held it made again with a tombstone instead.

Nothing of this clone or this moment goes into the new commits, so that two clones that take the
same memory out of the same history end at the same commits, and meet again without a merge.
"""

import os
import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from treering.errors import StorageFailed, StoreDamaged
from treering.git import reach, refs
from treering.git.binding import GIT_OBJECT_TREE, without_fsync
from treering.git.lock import Held
from treering.git.log import below, list_commits
from treering.git.objects import BLOB, TREE
from treering.model import document
from treering.model.memory import Memory
from treering.model.scope import HEADS, LANDED, PUSHED, REFS, REMOTES, SEEN, TRASH, UNDO, VIEWS
from treering.store import heads, layout
from treering.store.merge.replay import is_redacted
from treering.store.state import StateFolder
from treering.store.vault import Vault

TEXT = "redacted"
#: What a commit says that leaves a tombstone where the text never was.
REDACT = "redact"
#: What stands in the bytes of every tombstone.
TOMBSTONE = b"redacted: true"
#: Where refs lie that are moved to a history without the text.
REWRITTEN = (HEADS, TRASH, UNDO, PUSHED, REMOTES, SEEN, LANDED)
#: Where what others may see comes from.
_SHARED = (HEADS, VIEWS, REMOTES)
_LONG_AGO = "1970-01-01T00:00:00Z"
#: The memories that were redacted in this clone; it is not derived from anything.
_OWN = "redacted.json"


class RedactedHistory(NamedTuple):
    """Old commit -> new, where they differ, and the blobs whose text is gone."""

    commits: dict[str, str]
    blobs: frozenset[str]


def note_own(vault: Vault, ids: Iterable[str]) -> None:
    """Remember that `redact` was run here: only this clone replaces the text on remotes."""
    state = StateFolder(vault.repository.common_dir / "treering")
    if not state.write_json(_OWN, sorted({*list_own(vault), *ids})):
        raise StorageFailed(f"{state.folder / _OWN} could not be written.")


def list_own(vault: Vault) -> set[str]:
    """List the memories that were redacted in this clone."""
    ids = StateFolder(vault.repository.common_dir / "treering").read_json(_OWN)
    return {one for one in ids if isinstance(one, str)} if isinstance(ids, list) else set()


def tombstone(memory_id: str, old: Memory | None) -> Memory:
    """Return what stays of a memory: that it was there."""
    date = old.created if old else _LONG_AGO
    return Memory(
        id=memory_id,
        type=old.type if old else "context",
        title=TEXT,
        content=TEXT,
        created=date,
        modified=date,
        status="deleted",
        confidence=0.0,
        details={"redacted": True},
    )


def rewrite(vault: Vault, ids: Iterable[str], revisions: Sequence[str]) -> RedactedHistory:
    """Write the histories of some revisions again, without the text of some memories.

    Objects are written and no ref is moved; whoever calls holds the lock and syncs the disk.
    """
    work = _Redaction(vault, tuple(sorted(ids)))
    with without_fsync():
        for commit in reversed(list_commits(vault.repository.common_dir, revisions)):
            work.take(commit)
    return RedactedHistory(work.commits, frozenset(work.blobs))


def take_out(
    vault: Vault, held: Held, ids: Collection[str], *, without: Collection[str] = ()
) -> RedactedHistory:
    """Move our refs, but for those `without`, to histories without the text of some memories, and
    forget where they were.

    What remotes were seen to have is written again, too: a sync brings it there.
    """
    folder = vault.repository.common_dir
    pairs = (pair for p in REWRITTEN for pair in refs.list_refs(folder, p).items())
    names = {name: tip for name, tip in pairs if name not in without}
    views = {
        name: heads.list_joined(vault, view) for name, view in refs.list_refs(folder, VIEWS).items()
    }
    joined = [head for some in views.values() for head in some]
    tips = list(dict.fromkeys((*names.values(), *joined)))
    history = rewrite(vault, ids, tips) if tips else RedactedHistory({}, frozenset())
    with_text = history.commits.keys() | {
        commit for memory_id in ids for commit in _list_commits_with_text(vault, memory_id)
    }
    os.sync()  # one for all objects, before any ref names them
    for name, tip in names.items():
        if tip in history.commits:
            vault.move_ref(held, name, history.commits[tip], old=tip, why="redact")
    for name, some in views.items():
        if history.commits.keys() & set(some):
            _renew_view(vault, held, name, [history.commits.get(head, head) for head in some])
    for name, tip in refs.list_refs(folder, LANDED).items():
        if new := history.commits.get(name.removeprefix(LANDED)):
            vault.move_ref(held, LANDED + new, tip, old=None, why="redact")
            vault.move_ref(held, name, None, old=tip, why="redact")
    refs.forget_logs(folder, REFS, with_text)
    return history


def _renew_view(vault: Vault, held: Held, name: str, joined: Sequence[str]) -> None:
    own = refs.read(vault.repository.handle, HEADS + name.removeprefix(VIEWS))
    scope = vault.scope_of(joined[0])
    view, _ = heads.combine(vault, scope, [*joined, *([own] if own else [])])
    old = refs.read(vault.repository.handle, name)
    vault.move_ref(held, name, None if view == own else view, old=old, why="redact")


def _list_commits_with_text(vault: Vault, memory_id: str) -> set[str]:
    """Our commits that hold a memory's text, those included that only a log of ours still names."""
    folder, path, ours = vault.repository.common_dir, layout.path_of(memory_id), below(REFS)
    values = refs.list_logged_values(folder, REFS)
    versions = reach.find_versions(folder, [path], ours, also=values)
    brought = [commits for blob, commits in versions.items() if is_text(vault, blob)]
    return reach.find_descendants(folder, set().union(*brought), ours, also=values)


def list_with_text(vault: Vault, ids: Collection[str]) -> set[str]:
    """Return those of some memories whose text is in a history that we have, share or saw: also
    where no tip has it any more, as behind a promotion that left it."""
    if not ids:
        return set()
    paths = sorted(map(layout.path_of, ids))
    versions = reach.find_versions(vault.repository.common_dir, paths, *map(below, _SHARED))
    blobs = [blob for blob in versions if is_text(vault, blob)]
    memories = [vault.try_memory(blob) for blob in blobs]
    found = {memory.id for memory in memories if memory}
    return set(ids) if None in memories else found & set(ids)


def is_text(vault: Vault, blob: str) -> bool:
    """Return whether a blob holds more than that a memory was redacted."""
    return not is_redacted(vault.try_memory(blob))


def is_tombstone(vault: Vault, blob: str) -> bool:
    """Return whether a blob is what stays of a memory that was redacted. Hardly any is, so its
    bytes are looked at before it is read as a memory."""
    try:
        is_likely = TOMBSTONE in vault.repository.objects.blob(blob, most=document.MAX_BYTES)
    except StoreDamaged:
        return False
    return is_likely and is_redacted(vault.try_memory(blob))


class _Redaction:
    def __init__(self, vault: Vault, ids: tuple[str, ...]) -> None:
        self._vault = vault
        self._objects = vault.repository.objects
        self._ids = ids
        self._trees: dict[tuple[str, str], str] = {}
        self.commits: dict[str, str] = {}
        self.blobs: dict[str, str] = {}  # with text -> without

    def take(self, commit: str) -> None:
        raw = self._objects.raw_commit(commit)
        new = self._clean(raw)
        if new != raw:
            self.commits[commit] = self._objects.write_raw_commit(new)

    def _clean(self, raw: bytes) -> bytes:
        head, _, message = raw.partition(b"\n\n")
        lines = []
        for line in head.split(b"\n"):
            key, _, value = line.partition(b" ")
            if key == b"tree":
                line = b"tree " + self._tree(value.decode()).encode()
            elif key == b"parent":
                line = b"parent " + self.commits.get(value.decode(), value.decode()).encode()
            lines.append(line)
        new = b"\n".join(lines) + b"\n\n" + self._message(message)
        return raw if new == raw else _drop_signature(new)

    def _message(self, message: bytes) -> bytes:
        """Without the title in the subject, and without the name of a blob that is gone."""
        subject, newline, rest = message.partition(b"\n")
        for memory_id in self._ids:
            name = memory_id.encode()
            subject = re.sub(rb"^(\S+ \S+ " + name + rb": ).*", rb"\1" + TEXT.encode(), subject)
            base = rb"^(Treering-Base: " + name + rb" )([0-9a-f]{40})$"
            rest = re.sub(base, lambda m: m[1] + self._rebase(m[2]), rest, flags=re.MULTILINE)
            kept = rb"^(Kept-Back: " + name + rb" )[0-9a-f]{40}$"  # a tombstone never is
            rest = re.sub(kept, lambda m: m[1] + b"0" * 40, rest, flags=re.MULTILINE)
        return subject + newline + rest

    def _rebase(self, blob: bytes) -> bytes:
        """A copy's source may lie in a history that is not written again here."""
        return self.blobs.get(blob.decode(), blob.decode()).encode()

    def _tree(self, root: str) -> str:
        for memory_id in self._ids:
            tree = self._trees.get((root, memory_id))
            if tree is None:
                tree = self._trees[root, memory_id] = self._without(root, memory_id)
            root = tree
        return root

    def _without(self, root: str, memory_id: str) -> str:
        objects, shard = self._objects, layout.shard_of(memory_id)
        memories = objects.child(root, layout.MEMORIES, GIT_OBJECT_TREE)
        below = memories and objects.child(memories, shard, GIT_OBJECT_TREE)
        blob = objects.file(below, layout.file_of(memory_id)) if below else None
        if not (memories and below and blob):
            return root
        stone = self._stone(memory_id, blob)
        below = objects.write_tree(below, {layout.file_of(memory_id): (BLOB, stone)})
        memories = objects.write_tree(memories, {shard: (TREE, below)})
        return objects.write_tree(root, {layout.MEMORIES: (TREE, memories)})

    def _stone(self, memory_id: str, blob: str) -> str:
        if blob not in self.blobs:
            old = self._vault.try_memory(blob)
            stone = self._objects.write_blob(document.dump(tombstone(memory_id, old)))
            if stone == blob:
                return blob  # it is one already
            self.blobs[blob] = stone
        return self.blobs[blob]


def _drop_signature(raw: bytes) -> bytes:
    """Without a signature, which was for other bytes."""
    head, _, message = raw.partition(b"\n\n")
    head = re.sub(rb"\ngpgsig(-sha256)? [^\n]*(\n [^\n]*)*", b"", head)
    return head + b"\n\n" + message
