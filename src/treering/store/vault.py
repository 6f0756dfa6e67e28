"""A vault: one git repository's memory refs. The user's repository is one, private.git another."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cached_property

from treering.clock import Clock, wall_clock
from treering.errors import (
    FormatTooNew,
    InvalidDocument,
    StorageFailed,
    StoreDamaged,
    TreeringError,
)
from treering.git import pack, refs
from treering.git.lock import Held
from treering.git.objects import BLOB, TREE, Person, TreeEntry, hash_tree
from treering.git.repository import Repository
from treering.model import document, scope
from treering.model.document import FORMAT
from treering.model.memory import Memory
from treering.model.scope import Scope, is_utf8
from treering.store import layout, message
from treering.store.ancestry import contains
from treering.store.fetched import list_fetched
from treering.store.history import GitHistory
from treering.store.message import JOIN, Message
from treering.store.trees import Pairs, Snapshot, Trees

#: Memory id -> what it becomes: the bytes of a document, a blob there is, or nothing.
Documents = Mapping[str, bytes | str | None]

_MOST_PARSED = 20_000
#: Whose commits joins and promotions are: no person's.
NOBODY = Person("treering", "treering@invalid")


class ScopeNames:
    """Knows which scopes here and on remotes are one. Without code there are only names."""

    def name_there(self, remote: str, scope: Scope) -> Scope | None:  # noqa: ARG002
        """Return the scope as a remote calls it; None where the remote has other work, or none."""
        return scope

    def scope_here(self, remote: str, there: Scope) -> Scope:  # noqa: ARG002
        """Return the scope that holds what a remote has under a name."""
        return there


class Vault:
    """The memories of one repository, by scope. Reads are lock-free; writing asks for the lock."""

    def __init__(
        self, repository: Repository, *, is_private: bool = False, clock: Clock = wall_clock
    ) -> None:
        self.repository = repository
        self.is_private = is_private
        self.clock = clock
        self.trees = Trees(repository)
        self.make_history: Callable[[], GitHistory] = GitHistory
        self.remote_names = ScopeNames()
        self._parsed: dict[str, Memory] = {}

    # --- reading ----------------------------------------------------------------------------------

    @cached_property
    def history(self) -> GitHistory:
        """The reader of memory history."""
        return self.make_history()

    def head(self, of: Scope) -> str | None:
        """The newest commit of our own chain of a scope."""
        return refs.read(self.repository.handle, of.ref)

    def tip(self, of: Scope) -> str | None:
        """Return what a scope is now: our own head together with those of others, or what a fetch
        saw where we have nothing to say, or None."""
        own = self.head(of)
        view = refs.read(self.repository.handle, of.view_ref)
        if view is None:
            return own or self._read_merged(of, self.fetched_heads(of))
        with suppress(StoreDamaged):  # it is written without a sync, since it can be made again
            commit = self.repository.objects.commit(view)
            is_whole = self.repository.objects.exists(commit.tree)
            if own == view or (is_whole and own in (None, *commit.parents)):
                return view
        from treering.store.heads import repair_view  # after a crash alone

        return repair_view(self, of, view, own)

    def is_join(self, commit: str) -> bool:
        """Return whether a commit only puts heads together."""
        info = self.repository.objects.commit(commit)
        return len(info.parents) > 1 and message.read(info.message).op == JOIN

    def fetched_heads(self, of: Scope) -> list[str]:
        """Return what other clones say of a scope, as far as a fetch has seen it."""
        tips: dict[str, None] = {}
        for remote in self.repository.remotes():
            if there := self.remote_names.name_there(remote, of):
                found = list_fetched(self.repository, remote, there.component)
                tips.update((head.tip, None) for head in found)
        heads = self._without_oversized(tips)
        return self._without_trash(of, heads, self._list_trash()) if heads else []

    def _without_oversized(self, heads: Collection[str]) -> list[str]:
        """Look at what a fetch brought and no sync has looked at: it may be anything."""
        oversized = self.history.find_oversized(self, heads) if heads else ()
        return [head for head in heads if head not in oversized]

    def _list_trash(self) -> dict[str, list[str]]:
        """List what is in the trash, by the name of its scope."""
        tips: dict[str, list[str]] = {}
        for ref, tip in refs.list_refs(self.repository.common_dir, scope.TRASH).items():
            tips.setdefault(ref.removeprefix(scope.TRASH).partition("/")[0], []).append(tip)
        return tips

    def _without_trash(
        self, of: Scope, heads: list[str], trash: Mapping[str, Sequence[str]]
    ) -> list[str]:
        """A fetch brings nothing back from the trash."""
        tips = trash.get(of.component, ())
        return [h for h in heads if not any(contains(self.repository, tip, h) for tip in tips)]

    def _read_merged(self, of: Scope, heads: Sequence[str]) -> str | None:
        if len(heads) < 2:
            return heads[0] if heads else None
        from treering.store.heads import read_merged  # what is not ours is rarely asked for

        return read_merged(self, of, heads)

    def scopes(self) -> dict[Scope, str]:
        """Return every scope there is and its tip: ours, and what was fetched."""
        folder = self.repository.common_dir
        ours = refs.list_refs(folder, scope.HEADS) | refs.list_refs(folder, scope.VIEWS)
        tips: dict[Scope, str] = {}
        for name, tip in ours.items():
            # A ref that was emptied by a crash is doctor's to put back.
            if tip and (own := self.scope_named(name.rpartition("/")[2], tip)):
                tips[own] = self.tip_or(own, tip)
        for here, heads in self.fetched_scopes({own.branch for own in tips}).items():
            if here not in tips and (joined := self._read_merged(here, heads)):
                tips[here] = joined
        return dict(sorted(tips.items()))

    def fetched_scopes(self, known: Collection[str]) -> dict[Scope, list[str]]:
        """Return what other clones say of every scope, as far as fetches have seen it; `known` are
        branches of scopes that are here."""
        others: dict[tuple[str, str], list[str]] = {}
        seen = list(list_fetched(self.repository))
        readable = set(self._without_oversized({head.tip for head in seen}))
        for head in seen:
            if head.tip in readable:
                others.setdefault((head.remote, head.component), []).append(head.tip)
        if not others:
            return {}
        # Most of what remotes have is of branches that nobody here has, and needs no second look.
        names = {*self.repository.branches(), *known, self.repository.head().branch or ""}
        names |= {name for _, name in self.repository.upstreams().values()}
        fetched: dict[Scope, dict[str, None]] = {}
        for (remote, component), heads in others.items():
            if there := self.scope_named(component, heads[0]):
                is_known = there.branch in names
                here = self.remote_names.scope_here(remote, there) if is_known else there
                fetched.setdefault(here, {}).update(dict.fromkeys(heads))
        trash = self._list_trash()
        return {
            here: self._without_trash(here, list(heads), trash) for here, heads in fetched.items()
        }

    def scope_named(self, component: str, tip: str) -> Scope | None:
        """The scope that a name in refs stands for. A name that was cut stands in its commits; one
        that is not UTF-8 no answer could tell, and doctor does."""
        if not is_utf8(component):
            return None
        full = ""
        if "%+" in component:
            with suppress(StoreDamaged):
                full = self.scope_of(tip).branch
        return Scope.of_component(component, full)

    def tip_or(self, of: Scope, tip: str) -> str:
        """The tip of a scope, or another one where it cannot be read."""
        try:
            return self.tip(of) or tip
        except StoreDamaged:
            return tip

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
        """The scope as of one of its commits (None: before the first)."""
        return Snapshot(self.trees, of, tip, None if tip is None else self.tree_of(tip))

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
        return self.trees.blob(self.tree_of(commit), memory_id)

    def tree_of(self, commit: str) -> str:
        """The tree of any commit."""
        return self.repository.objects.commit(commit).tree

    def diff(self, one: str | None, other: str | None) -> Pairs:
        """The memories that two commits do not share; None is a commit without any."""
        roots = (self.tree_of(commit) if commit else None for commit in (one, other))
        return self.trees.differing(*roots)

    def memory(self, blob: str) -> Memory:
        """The memory in a blob, parsed once a process; InvalidDocument when it is none."""
        if memory := self._parsed.get(blob):
            return memory
        if (size := self.repository.objects.size(blob)) > document.MAX_BYTES:
            raise InvalidDocument("too-large", f"The document has {size} bytes.")
        memory = document.parse(self.repository.objects.blob(blob))
        self.note({blob: memory})
        return memory

    def note(self, memories: Mapping[str, Memory]) -> None:
        """Memories that were just written, by blob: whoever reads them next need not parse them."""
        if len(self._parsed) >= _MOST_PARSED:
            self._parsed.clear()
        self._parsed |= memories

    def try_memory(self, blob: str | None) -> Memory | None:
        """The memory in a blob, or None where it is none or cannot be read: doctor names it."""
        try:
            return self.memory(blob) if blob else None
        except TreeringError:
            return None

    # --- writing ----------------------------------------------------------------------------------

    def commit(
        self,
        held: Held,  # noqa: ARG002 - asked for so that nobody writes without it
        to: Scope,
        documents: Documents,
        why: Message,
        *,
        person: Person,
        seconds: float,
        parent: str | None,
        old: str | None,
    ) -> str:
        """Write memories to a scope in one commit, and return it once it is on disk.

        It goes on top of `parent`, and our own head moves to it from `old`.

        1 objects, each synced; 2 the ref, from the value it is expected to have; 3 read back.
        A kill before 2 leaves unreachable objects, after 2 a complete commit.
        """
        objects = self.repository.objects
        if parent:
            self.refuse_newer_format(parent)
        parents = (parent,) if parent else ()
        are_few = 1 < len(documents) < pack.MANY
        with objects.write_together(self.repository.common_dir) if are_few else nullcontext():
            tree = self.write_tree(parent, documents)
            commit = objects.write_commit(tree, parents, person, int(seconds), why.as_text())
        refs.move(
            self.repository.handle, self.repository.common_dir, to.ref, commit, old=old, why=why.op
        )
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

    def refuse_newer_format(self, commit: str) -> None:
        """FormatTooNew where a treering wrote that knows more than this one."""
        text = self.repository.objects.commit(commit).message
        if message.FORMAT_TRAILER not in text:
            return  # nearly all, and a write asks every head that is seen
        there = message.read(text).format
        if there > FORMAT:
            raise FormatTooNew(f"These memories have format {there}. This treering knows {FORMAT}.")

    def write_tree(self, base: str | None, documents: Documents) -> str:
        """The tree of a commit, or of none, with memories put in or taken out."""
        if len(documents) >= pack.MANY:
            files = {layout.path_of(memory_id): data for memory_id, data in documents.items()}
            return pack.write_tree(self.repository, base, files)
        return self.write_loose_tree(self.tree_of(base) if base else None, documents)

    def write_loose_tree(self, root: str | None, documents: Documents) -> str:
        """The same on top of a tree; only the shards that changed are written."""
        objects = self.repository.objects
        shards: dict[str, dict[str, tuple[int, str] | None]] = {}
        for memory_id, data in documents.items():
            blob = objects.write_blob(data) if isinstance(data, bytes) else data
            lines = shards.setdefault(layout.shard_of(memory_id), {})
            lines[layout.file_of(memory_id)] = (BLOB, blob) if blob else None
        if not shards:
            return objects.write_tree(root, {})
        memories = self.trees.memories(root)
        before = self.trees.shards(memories)
        folders = {n: (TREE, objects.write_tree(before.get(n), ls)) for n, ls in shards.items()}
        new = (TREE, objects.write_tree(memories, folders))
        return objects.write_tree(root, {layout.MEMORIES: new})

    def find_tree(self, blobs: Mapping[str, str]) -> str | None:
        """Return the tree of exactly some memories where it was written before, as it was where all
        of a scope is promoted; None where there is none."""
        shards: dict[str, list[TreeEntry]] = {}
        for memory_id, blob in blobs.items():
            file = TreeEntry(layout.file_of(memory_id), BLOB, blob)
            shards.setdefault(layout.shard_of(memory_id), []).append(file)
        folders = [TreeEntry(name, TREE, hash_tree(files)) for name, files in shards.items()]
        top = TreeEntry(layout.MEMORIES, TREE, hash_tree(folders))
        root = hash_tree([top])
        exists = self.repository.objects.exists
        is_here = all(map(exists, (root, top.oid, *(folder.oid for folder in folders))))
        return root if is_here else None

    def _read_back(self, to: Scope, commit: str, tree: str) -> None:
        objects = self.repository.objects
        if not (objects.exists(commit) and objects.exists(tree)):
            raise StorageFailed(f"The commit {commit} is not on disk after it was written.")
        # Who does not know our lock, or holds another file of its name, may have gone on from it.
        there = refs.read(self.repository.handle, to.ref)
        if there is None or not self.repository.is_ancestor(commit, there):
            raise refs.RefMoved(f"The ref {to.ref} moved to {there or 'nothing'} meanwhile.")

    def pack_if_many(self) -> None:
        """Let git pack loose objects in the background, once there are many."""
        pack.pack_if_many(self.repository.common_dir)
