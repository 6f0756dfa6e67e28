"""The change commits of histories: who changed which memory, and who knew of what.

Merges and promotions are no changes: they only put together what others changed.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from treering.errors import StoreDamaged
from treering.git import process
from treering.git.libgit2 import GIT_OBJECT_TREE
from treering.git.objects import BLOB, TREE
from treering.store import layout, message
from treering.store.vault import Vault

#: What a sync's own merges say; two clones make the very same commit.
MERGE = "sync"
#: Operations that carry what others changed.
CARRYING = (MERGE, "promote")
#: A longer message is none of ours; its commit is looked at by its tree.
_LONGEST_MESSAGE = 64 * 1024
_NAMED = rb"^Treering-Memory: ([0-9a-z]{12})$"
#: Path in a scope's tree -> blob.
Files = dict[str, str]


class Commit(NamedTuple):
    """A commit as the log tells it."""

    oid: str
    parents: tuple[str, ...]
    time: int
    body: bytes
    is_left: bool = False  # of two histories compared, in the first

    @property
    def op(self) -> str:
        found = re.findall(rb"^Treering-Op: ([\w-]+)$", self.body[-_LONGEST_MESSAGE:], re.MULTILINE)
        return found[-1].decode() if found else ""

    @property
    def is_change(self) -> bool:
        return len(self.parents) < 2 and self.op not in CARRYING

    @property
    def named(self) -> frozenset[str] | None:
        """The memories it says it changed; None where only its tree can tell."""
        if len(self.body) > _LONGEST_MESSAGE or not self.op:
            return None
        found = frozenset(name.decode() for name in re.findall(_NAMED, self.body, re.MULTILINE))
        return found or None


def logged(vault: Vault, *revisions: str) -> Iterator[Commit]:
    """Commits of a range, parents before their children."""
    text = process.run(
        vault.repository.common_dir,
        *("log", "-z", "--reverse", "--topo-order", "--format=%H%n%P%n%ct%n%m%B"),
        *("--left-right", "--no-show-signature", "--no-color", *revisions, "--"),
    )
    for record in text.split(b"\0"):
        fields = record.split(b"\n", 3)
        if len(fields) == 4:
            oid, parents, time, body = fields
            yield Commit(
                oid.decode(), tuple(parents.decode().split()), int(time), body[1:],
                is_left=body[:1] == b"<",
            )  # fmt: skip


def changed_apart(vault: Vault, one: str, other: str) -> tuple[set[str], set[str]]:
    """The files that were changed in each of two histories and not in the other."""
    commits = list(logged(vault, f"{one}...{other}"))
    return (
        _changed_paths(vault, (commit for commit in commits if commit.is_left)),
        _changed_paths(vault, (commit for commit in commits if not commit.is_left)),
    )


def _changed_paths(vault: Vault, commits: Iterator[Commit]) -> set[str]:
    """The files that the change commits among these changed."""
    found: set[str] = set()
    for commit in commits:
        if not commit.is_change:
            continue
        if (named := commit.named) is not None:
            found |= {layout.path_of(memory_id) for memory_id in named}
        else:
            found |= _by_tree(vault, commit)
    return found


def _by_tree(vault: Vault, commit: Commit) -> set[str]:
    try:
        now = tree_of(vault, commit.oid)
        before = tree_of(vault, commit.parents[0]) if commit.parents else None
        return set(differing(vault, before, now))
    except StoreDamaged:
        return set()


def tree_of(vault: Vault, commit: str) -> str:
    return vault.repository.objects.commit(commit).tree


def differing(
    vault: Vault, one: str | None, other: str | None
) -> dict[str, tuple[str | None, str | None]]:
    """Files of ours that two trees do not share; equal folders are not even looked into."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for folder in layout.FOLDERS:
        ours, theirs = _child(vault, one, folder), _child(vault, other, folder)
        if ours == theirs:
            continue
        if folder != layout.MEMORIES:
            _compare(found, folder, _files(vault, ours), _files(vault, theirs))
            continue
        for name, left, right in _shards_apart(vault, ours, theirs):
            _compare(found, f"{folder}/{name}", *_memories_apart(vault, name, left, right))
    return found


def _shards_apart(
    vault: Vault, one: str | None, other: str | None
) -> Iterator[tuple[str, str | None, str | None]]:
    """The shards that differ, with their trees.

    There are a thousand, of which a capture changes one: whole lines are compared before any is
    taken apart.
    """
    lines = [vault.shard_lines(tree) if tree else frozenset() for tree in (one, other)]
    sides: list[dict[str, str]] = []
    for mine, theirs in (lines, lines[::-1]):
        apart = [layout.shard_in(line) for line in mine - theirs]
        if None in apart:  # something foreign lies there: the slow way knows how long it is
            sides = [_shards(vault, tree) for tree in (one, other)]
            break
        sides.append(dict(pair for pair in apart if pair))
    left, right = sides
    for name in sorted(left.keys() | right.keys()):
        if left.get(name) != right.get(name):
            yield name, left.get(name), right.get(name)


def _compare(
    found: dict[str, tuple[str | None, str | None]], folder: str, one: Files, other: Files
) -> None:
    for name, blob in one.items():
        if other.get(name) != blob:
            found[f"{folder}/{name}"] = (blob, other.get(name))
    for name in other.keys() - one.keys():
        found[f"{folder}/{name}"] = (None, other[name])


def _child(vault: Vault, tree: str | None, name: str) -> str | None:
    return vault.repository.objects.child(tree, name, GIT_OBJECT_TREE) if tree else None


def _shards(vault: Vault, tree: str | None) -> dict[str, str]:
    lines = vault.repository.objects.tree(tree) if tree else []
    return {
        line.name: line.oid for line in lines if line.mode == TREE and layout.is_shard(line.name)
    }


def _memories_apart(
    vault: Vault, shard: str, one: str | None, other: str | None
) -> tuple[Files, Files]:
    """The memories of a shard that two trees do not share, on each side; as for shards, only lines
    that differ are taken apart."""
    size = layout.LINE.size
    raw = [vault.repository.objects.raw_tree(tree) if tree else b"" for tree in (one, other)]
    if not any(len(text) % size for text in raw):
        left, right = (set(layout.LINE.iter_unpack(text)) for text in raw)
        if all(layout.is_plain(line, shard) for line in left ^ right):
            return _named(left - right), _named(right - left)
    return _listed(vault, shard, one), _listed(vault, shard, other)


def _named(lines: set[tuple[bytes, bytes, bytes, bytes]]) -> Files:
    return {layout.file_of(memory_id.decode()): blob.hex() for _, memory_id, _, blob in lines}


def _listed(vault: Vault, shard: str, tree: str | None) -> Files:
    listing = vault.shard(shard, tree) if tree else {}
    return {layout.file_of(memory_id): blob for memory_id, blob in listing.items()}


def _files(vault: Vault, tree: str | None) -> Files:
    lines = vault.repository.objects.tree(tree) if tree else []
    return {
        line.name: line.oid for line in lines if line.mode == BLOB and layout.name_in(line.name)
    }


def shallow_commits(vault: Vault) -> frozenset[str]:
    """Where the history of a shallow clone was cut off."""
    try:
        text = (vault.repository.common_dir / "shallow").read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(text.split())


class History:
    """Everything that two tips were made of, read at once: a merge that needs it needs all."""

    def __init__(self, vault: Vault, tips: Sequence[str]) -> None:
        self._vault = vault
        self.commits = list(logged(vault, *dict.fromkeys(tips)))

    @cached_property
    def cut(self) -> frozenset[str]:
        """Commits whose parents are not here, in a shallow clone."""
        return shallow_commits(self._vault) & {commit.oid for commit in self.commits}

    @cached_property
    def _by_path(self) -> dict[str, list[Commit]]:
        found: dict[str, list[Commit]] = {}
        for commit in self.commits:
            if commit.is_change:
                named = commit.named
                paths = map(layout.path_of, named) if named else _by_tree(self._vault, commit)
                for path in paths:
                    found.setdefault(path, []).append(commit)
        return found

    def changes(self, path: str) -> list[Commit]:
        """The commits that changed a file."""
        return self._by_path.get(path, [])

    def knew(self, commits: Sequence[Commit]) -> dict[str, frozenset[str]]:
        """For each of some commits, which of the others are in its history."""
        bits = {commit.oid: 1 << number for number, commit in enumerate(commits)}
        seen: dict[str, int] = {}
        for commit in self.commits:
            known = 0
            for parent in commit.parents:
                known |= seen.get(parent, 0)
            seen[commit.oid] = known | bits.get(commit.oid, 0)
        return {
            commit.oid: frozenset(
                oid for oid, bit in bits.items() if seen[commit.oid] & bit and oid != commit.oid
            )
            for commit in commits
        }

    def bases(self, commit: Commit) -> dict[str, str]:
        """The blobs a commit's overlay copies were made from."""
        if b"Treering-Base: " not in commit.body:
            return {}
        return dict(message.read(commit.body.decode(errors="replace")).bases)
