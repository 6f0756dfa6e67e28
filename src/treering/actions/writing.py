"""A write under way: what is seen under the lock, and the one way by which memories are written."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from treering.branches.long_lived import as_made_on_branch, code_position
from treering.call import Advice, Call, ways
from treering.git.lock import Held
from treering.git.objects import blob_id
from treering.model import document
from treering.model.memory import Memory
from treering.model.scope import Scope
from treering.store import heads, message
from treering.store.message import CodePosition, Message
from treering.store.vault import Vault
from treering.store.view import Copy, View
from treering.text import secrets

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

#: What is done to memories, as the trailers of their commits name it.
WriteOp = Literal[
    "capture", "dedupe", "enrich", "forget", "import", "infer-links", "link", "merge",
    "prune-links", "remember", "restore", "revert", "revise", "summarize", "unlink",
]  # fmt: skip


class Position(NamedTuple):
    """Where a call acts: the scope it writes to, and the code that goes with it."""

    scope: Scope
    trunk: str
    head: str | None


class Change(NamedTuple):
    """A memory to be written, the copy it replaces or covers, and whether it is private."""

    memory: Memory
    replaces: Copy | None
    is_private: bool


class Writing:
    """A write under way: the lock is held, the view is as of now."""

    def __init__(
        self, workspace: "Workspace", lock: Held, position: Position, view: View | None = None
    ) -> None:
        self._workspace = workspace
        self._held = lock
        self.position = position
        self.view = view or workspace.view_from(position)
        self._commits: list[str] = []

    @property
    def back(self) -> Advice | None:
        """The commands that take back what was written so far."""
        branch = self.scope.branch
        calls = [Call("revert", oid[:12], branch=branch) for oid in reversed(self._commits)]
        return ways(*calls) if calls else None

    def note_around(
        self, changes: Iterable[Change], versions: Mapping[str, str], *, is_complete: bool
    ) -> None:
        """Add rows for what was written; `is_complete` says that all before it has rows."""
        around = self._workspace.neighbourhood
        around.note(self.scope, changes, versions, whole=is_complete)

    @property
    def scope(self) -> Scope:
        return self.position.scope

    @cached_property
    def code(self) -> CodePosition:
        at = self.position
        return code_position(self._workspace.repository, at.trunk, at.scope.branch, at.head)

    @cached_property
    def _code_under_way(self) -> CodePosition:
        """Where the code is, and whether there is more of it than what is committed: then what is
        said now is about the commit to come. It is only asked where that one can land by itself."""
        repository = self._workspace.repository
        if not self.code.has_own_commits or self.code.head != repository.head().commit:
            return self.code
        return self.code._replace(is_dirty=not repository.is_clean())

    @cached_property
    def _code_captured(self) -> CodePosition:
        """Where the code was when a hook noted a commit: it is the branch's own, though it may have
        landed by now."""
        return as_made_on_branch(self._workspace.repository, self.code, self.scope.branch)

    def commit(
        self, op: WriteOp, changes: Iterable[Change], *, allow_secret: bool = False
    ) -> dict[str, str]:
        """Write the changes, one commit a vault; the new version of each id.

        Every verb comes through here, so this is where credentials are refused, whichever field
        they are in. What the replaced copy held already is no news.
        """
        todo = tuple(changes)
        if not allow_secret:
            for change in todo:
                before = change.replaces.try_memory() if change.replaces else None
                texts = secrets.texts_of(before) if before else []
                secrets.refuse(*secrets.texts_of(change.memory), known=texts)
        versions: dict[str, str] = {}
        for is_private in (False, True):
            mine = [change for change in todo if change.is_private is is_private]
            if mine:
                versions |= self._commit(op, mine, is_private)
        return versions

    def _commit(self, op: WriteOp, changes: list[Change], is_private: bool) -> dict[str, str]:
        store = self._workspace.store
        vault = store.make_private(self._held) if is_private else store.shared
        documents = {c.memory.id: document.dump(c.memory) for c in changes}
        memories = tuple(change.memory for change in changes)
        why = Message(
            op=op,
            subject=message.subject(op, memories),
            code=self._code_captured if op == "capture" else self._code_under_way,
            memories=tuple(memory.id for memory in memories),
            bases=self._bases(changes),
        )
        self._put(vault, documents, why)
        blobs = {memory_id: blob_id(data) for memory_id, data in documents.items()}
        plain = filter(document.is_read_back_alike, memories)
        vault.note({blobs[memory.id]: memory for memory in plain})
        return blobs

    def _put(self, vault: Vault, documents: Mapping[str, bytes], why: Message) -> None:
        at = self._workspace
        commit = heads.write(
            vault, self._held, self.scope, documents, why, person=at.person, seconds=at.clock()
        )
        at.note_commit(vault, commit)
        self._commits.append(commit)

    def _bases(self, changes: list[Change]) -> dict[str, str]:
        """The blobs of lower layers that this scope now covers with its first own copies."""
        return {
            change.memory.id: below.blob
            for change in changes
            if (below := change.replaces) and below.layer.snapshot.scope != self.scope
        }
