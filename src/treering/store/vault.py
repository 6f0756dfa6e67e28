"""A vault: one git repository's memory refs. The user's repository is one, private.git another."""

from collections.abc import Mapping
from typing import Any

from treering.clock import Clock, wall_clock
from treering.errors import FormatTooNew, StorageFailed, StoreDamaged
from treering.git import pack, refs
from treering.git.lock import Held
from treering.git.objects import BLOB, TREE, Person
from treering.git.repository import Repository
from treering.model import document, scope
from treering.model.document import FORMAT
from treering.model.memory import Memory
from treering.model.scope import Scope, is_utf8
from treering.store import message
from treering.store.dates import newest
from treering.store.message import Message
from treering.store.snapshot import Snapshot
from treering.store.trees import Listing, Trees

_MOST_PARSED = 20_000
_MOST_SNAPSHOTS = 1_000
#: From here on one pack is cheaper than trees written and synced one by one.
_MANY_MERGED = 10
#: Whose commits merges are: no person's.
NOBODY = Person("treering", "treering@invalid")


class Vault:
    """The memories of one repository, by scope. Reads are lock-free; writing asks for the lock."""

    def __init__(
        self, repository: Repository, *, is_private: bool = False, clock: Clock = wall_clock
    ) -> None:
        self.repository = repository
        self.is_private = is_private
        self.clock = clock
        self.trees = Trees(repository)
        self._snapshots: dict[tuple[Scope, str | None], Snapshot] = {}
        #: (source commit, target commit, which part) -> what of the one the other has taken over.
        self.taken_over: dict[tuple[str, str, str], Listing] = {}
        #: Scope -> what was last found out about it being left over, and from which state.
        self.left_over: dict[Scope, tuple[tuple[Any, ...], bool]] = {}
        #: Tip -> the promotions in its history.
        self.promotions: dict[str, list[Any]] = {}
        self._parsed: dict[str, Memory] = {}

    # --- reading ----------------------------------------------------------------------------------

    def tip(self, of: Scope) -> str | None:
        """The newest commit of a scope: ours, else what a fetch saw, else None."""
        return refs.read(self.repository.handle, of.ref) or self._fetched_tip(of)

    def _fetched_tip(self, of: Scope) -> str | None:
        for remote in self.repository.remotes():
            name = f"{scope.REMOTES}{remote}/heads/{of.component}"
            if tip := refs.read(self.repository.handle, name):
                return tip
        return None

    def scopes(self) -> dict[Scope, str]:
        """Every scope there is and its tip, fetched ones included where we have none of our own."""
        tips: dict[Scope, str] = {}
        for prefix in (scope.HEADS, *self._fetched_heads()):
            for name, tip in refs.list_refs(self.repository.common_dir, prefix).items():
                component = name.removeprefix(prefix)
                if not is_utf8(component):
                    continue  # no answer could name it; doctor does
                owner = Scope.of_component(component, self._full_name(component, tip))
                if owner:
                    tips.setdefault(owner, tip)
        return tips

    def _fetched_heads(self) -> list[str]:
        return [f"{scope.REMOTES}{remote}/heads/" for remote in self.repository.remotes()]

    def _full_name(self, component: str, tip: str) -> str:
        if "%+" not in component:
            return ""
        try:
            return message.read(self.repository.objects.commit(tip).message).code.branch
        except StoreDamaged:
            return ""

    def snapshot(self, of: Scope) -> Snapshot:
        """The scope as it is now.

        Where the newest commit cannot be read, the newest one in the ref's log that can: a damaged
        tip hides its own change, not the memories before it.
        """
        try:
            return self.snapshot_at(of, self.tip(of))
        except StoreDamaged:
            for earlier in self.intact_tips(of):
                return self.snapshot_at(of, earlier)
            raise

    def snapshot_at(self, of: Scope, tip: str | None) -> Snapshot:
        """The scope as of one of its commits (None: before the first); never changes, so kept."""
        snapshot = self._snapshots.get((of, tip))
        if snapshot is None:
            snapshot = Snapshot(self.repository, self.trees, of, tip)
            if len(self._snapshots) >= _MOST_SNAPSHOTS:
                self._snapshots.clear()
            self._snapshots[of, tip] = snapshot
        return snapshot

    def intact_tips(self, of: Scope) -> list[str]:
        """Earlier tips of a scope, newest first, whose commit and tree can be read."""
        intact = []
        for tip in refs.reflog(self.repository.common_dir, of.ref):
            try:
                self.snapshot_at(of, tip)
            except StoreDamaged:
                continue
            intact.append(tip)
        return intact

    def scope_of(self, commit: str) -> Scope:
        """The scope a memory commit was made for."""
        branch = message.read(self.repository.objects.commit(commit).message).code.branch
        return Scope(branch)

    def blob_at(self, commit: str, memory_id: str) -> str | None:
        """The blob of a memory in the tree of any commit."""
        return self.snapshot_at(Scope(""), commit).blob(memory_id)

    def file_at(self, commit: str, path: str) -> str | None:
        """The blob at a path of ours in the tree of any commit."""
        return self.trees.blob(self.repository.objects.commit(commit).tree, path)

    def memory(self, blob: str) -> Memory:
        """The memory in a blob, parsed once a process; InvalidDocument when it is none."""
        memory = self._parsed.get(blob)
        if memory is None:
            memory = document.parse(self.repository.objects.blob(blob))
            if len(self._parsed) >= _MOST_PARSED:
                self._parsed.clear()
            self._parsed[blob] = memory
        return memory

    # --- writing ----------------------------------------------------------------------------------

    def commit(
        self,
        held: Held,  # noqa: ARG002 - asked for so that nobody writes without it
        to: Scope,
        files: Mapping[str, bytes | None],
        why: Message,
        *,
        person: Person,
        seconds: float,
        merging: str | None = None,
    ) -> str:
        """Write files (None: remove) to a scope in one commit, and return it once it is on disk.

        `merging` is a commit of another scope that this one takes over: the second parent, or the
        only one where the scope has nothing yet.

        1 objects, each synced; 2 the ref, from the value it is expected to have; 3 read back.
        A kill before 2 leaves unreachable objects, after 2 a complete commit.
        """
        old = refs.read(self.repository.handle, to.ref)
        parent = old or self._fetched_tip(to)
        objects = self.repository.objects
        root = None
        if parent:
            before = objects.commit(parent)
            self._refuse_newer_format(before.message)
            root = before.tree

        if len(files) >= pack.MANY:
            tree = pack.write_tree(self.repository, parent, files)
        else:
            tree = self._write_files(root, files)
        parents = tuple(tip for tip in (parent, merging) if tip)
        commit = objects.write_commit(tree, parents, person, int(seconds), why.as_text())
        refs.move(
            self.repository.handle, self.repository.common_dir, to.ref, commit, old=old, why=why.op
        )
        self._read_back(to, commit, tree)
        return commit

    def merge(
        self,
        held: Held,
        to: Scope,
        other: str,
        files: Mapping[str, bytes | str | None],
        why: Message,
    ) -> str:
        """Put another history of a scope together with ours, and return the merge commit.

        `files` are changes against the smaller of the two tips. Nothing in the commit is of this
        clone or this moment, so that two clones that merge the same tips make the same commit, and
        do not answer each other's merges for ever.
        """
        old = refs.read(self.repository.handle, to.ref)
        if old is None:
            raise StoreDamaged(f"The scope {to.branch} is gone.")
        objects = self.repository.objects
        parents = tuple(sorted((old, other)))
        tips = [objects.commit(tip) for tip in parents]
        for tip in tips:
            self._refuse_newer_format(tip.message)
        if len(files) >= _MANY_MERGED:
            tree = pack.write_tree(self.repository, parents[0], files)
        else:
            blobs = {
                p: objects.write_blob(d) if isinstance(d, bytes) else d for p, d in files.items()
            }
            tree = self.write_folder(tips[0].tree, blobs)
        seconds = newest([tip.time for tip in tips], self.clock())
        commit = objects.write_commit(tree, parents, NOBODY, seconds, why.as_text())
        self.move_ref(held, to.ref, commit, old=old, why="sync: merged")
        self._read_back(to, commit, tree)
        return commit

    def move_ref(
        self,
        held: Held,  # noqa: ARG002 - asked for so that nobody writes without it
        name: str,
        new: str | None,
        *,
        old: str | None,
        why: str,
    ) -> None:
        """Move one of our refs from the value it is expected to have; None is absence."""
        refs.move(self.repository.handle, self.repository.common_dir, name, new, old=old, why=why)

    def _refuse_newer_format(self, text: str) -> None:
        if (number := message.read(text).format) > FORMAT:
            raise FormatTooNew(
                f"These memories have format {number}; this treering knows {FORMAT}."
            )

    def _write_files(self, root: str | None, files: Mapping[str, bytes | None]) -> str:
        write = self.repository.objects.write_blob
        blobs = {path: None if data is None else write(data) for path, data in files.items()}
        return self.write_folder(root, blobs)

    def write_folder(self, base: str | None, blobs: Mapping[str, str | None]) -> str:
        """The tree `base` with blobs put in or taken out; only changed folders are written."""
        objects = self.repository.objects
        lines: dict[str, tuple[int, str] | None] = {}
        folders: dict[str, dict[str, str | None]] = {}
        for path, blob in blobs.items():
            first, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(first, {})[rest] = blob
            else:
                lines[first] = (BLOB, blob) if blob else None
        for name, below in folders.items():
            old = self.trees.folder(base, name)
            lines[name] = (TREE, self.write_folder(old, below))
        return objects.write_tree(base, lines)

    def _read_back(self, to: Scope, commit: str, tree: str) -> None:
        objects = self.repository.objects
        there = refs.read(self.repository.handle, to.ref) == commit
        if not (there and objects.exists(commit) and objects.exists(tree)):
            raise StorageFailed(f"The commit {commit} is not on disk after it was written.")

    def pack_if_many(self) -> None:
        """Let git pack loose objects in the background, once there are many."""
        pack.pack_if_many(self.repository.common_dir)
