"""History without a memory's text: every commit that held it made again with a tombstone instead.

Nothing of this clone or this moment goes into the new commits, so that two clones that take the
same memory out of the same history end at the same commits, and meet again without a merge.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from treering.errors import TreeringError
from treering.git.binding import GIT_OBJECT_TREE, without_fsync
from treering.git.objects import BLOB, TREE
from treering.model import document
from treering.model.memory import Memory
from treering.store import layout
from treering.store.tree_diff import MemoryCommit, read_log
from treering.store.vault import Vault

TEXT = "redacted"
_LONG_AGO = "1970-01-01T00:00:00Z"


class RedactedHistory(NamedTuple):
    """Old commit -> new, where they differ, and the blobs whose text is gone."""

    commits: dict[str, str]
    blobs: frozenset[str]


def tombstone(memory_id: str, old: Memory | None) -> Memory:
    """What stays of a memory: that it was there."""
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
        for commit in read_log(vault, revisions):
            work.take(commit)
    return RedactedHistory(work.commits, frozenset(work.blobs))


class _Redaction:
    def __init__(self, vault: Vault, ids: tuple[str, ...]) -> None:
        self._vault = vault
        self._objects = vault.repository.objects
        self._ids = ids
        self._trees: dict[tuple[str, str], str] = {}
        self.commits: dict[str, str] = {}
        self.blobs: dict[str, str] = {}  # with text -> without

    def take(self, commit: MemoryCommit) -> None:
        raw = self._objects.raw_commit(commit.oid)
        new = self._clean(raw)
        if new != raw:
            self.commits[commit.oid] = self._objects.write_raw_commit(new)

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
            try:
                old: Memory | None = self._vault.memory(blob)
            except TreeringError:
                old = None
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
