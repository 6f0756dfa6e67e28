"""Redactions, here and elsewhere: a redacted text is brought to no remote again.

A tombstone in the trunk tells of one. The text may be at the tip of a head, behind a promotion that
left it, or back from the trash. Only the clone in which `redact` was run replaces other clones'
heads on a remote. What somebody else redacted is put away here and can be restored; where many
memories are concerned, or some that the redactor did not write, nothing happens until somebody
agrees.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from treering.branches.apply import Actor, trash_name
from treering.branches.survey import REDACTED, list_trash, seen_scopes
from treering.branches.trunk import trunk_of
from treering.model.scope import Scope
from treering.store import message
from treering.store.fetched import LOST, list_fetched
from treering.store.heads import list_heads
from treering.store.redaction import (
    REDACT,
    is_text,
    is_tombstone,
    list_own,
    list_with_text,
    take_out,
)
from treering.store.vault import Vault
from treering.sync.incoming import IncomingScope
from treering.sync.leaks import Departures, NewVersion
from treering.sync.remote_state import RemoteState

#: So many memories somebody else may redact at once; more wait for a yes.
_MAX_AT_ONCE = 5
_MAX_NAMED = 3


class _Found(NamedTuple):
    """A memory that somebody redacted, whether its text is at a tip, and the head that says so."""

    id: str
    has_text: bool
    head: str


class Redactions:
    """Redactions that one sync finds."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        #: Memories that were redacted here, which no head on the remote says.
        self.unpublished: set[str] = set()
        #: Commit -> the same without what was redacted.
        self.commits: dict[str, str] = {}
        #: The part of it that replaces what other clones have on a remote.
        self.replaced: dict[str, str] = {}
        #: Memories whose redaction waits for a yes, and the heads that ask for it.
        self.waiting: set[str] = set()
        self.carriers: set[str] = set()
        self.notes: list[str] = []

    @property
    def _trunk(self) -> Scope:
        return Scope(trunk_of(self._vault.repository))

    def collect_unpublished(self, state: RemoteState) -> None:
        """Note the memories that our head of the trunk says were redacted, and no head there does.
        The text may be there where no tip shows it."""
        own, there = self._vault.head(self._trunk), state.tips(self._trunk)
        if own is None or own in there:
            return
        here = [tip for tip in there if self._vault.repository.objects.exists(tip)]
        redactions = self._vault.history.read(self._vault, [own], without=here, ops=(REDACT,))
        self.unpublished.update(*(self._read_ids(commit) for commit in redactions))

    def is_about(self, incoming: IncomingScope) -> bool:
        """Tell whether something that was redacted is among what comes in."""
        trunk = self._vault.tip(self._trunk)
        return any(True for _ in _list_redacted(self._vault, incoming, trunk))

    def apply_remote(self, actor: Actor, incoming: Collection[IncomingScope]) -> None:
        """Take what was redacted out of what we have; what others redacted can be restored."""
        trunk = self._vault.tip(self._trunk)
        found = [one for scope in incoming for one in _list_redacted(self._vault, scope, trunk)]
        ids = {one.id for one in found if one.has_text}
        ids |= list_with_text(self._vault, {*self.unpublished, *(one.id for one in found)} - ids)
        own = ids & list_own(self._vault)
        by_redactor: dict[str, set[str]] = {}
        written: set[str] = set()
        for memory_id, authors in self._find_redactors(ids - own, {o.head for o in found}).items():
            writers = self._list_writers(memory_id, incoming).intersection(authors)
            written |= {memory_id} if writers else set()
            by_redactor.setdefault(min(writers or authors, default=""), set()).add(memory_id)
        for who, some in by_redactor.items():
            waiting = some - written if len(some) <= _MAX_AT_ONCE else some
            self._wait(who, waiting)
            unseen = {o.scope: o.before for o in incoming if not list_heads(self._vault, o.scope)}
            self._trash_seen(actor, unseen, waiting)  # only a fetch saw it, and shows what is there
            self._put_away(actor, who, some - waiting, incoming)
        self.carriers = {one.head for one in found if one.id in self.waiting}
        self.take_out(actor, own)

    def _find_redactors(self, ids: Iterable[str], heads: Collection[str]) -> dict[str, set[str]]:
        """Find who says that memories were redacted: a history that was written again does not
        tell."""
        found: dict[str, set[str]] = {memory_id: set() for memory_id in ids}
        trunk = [self._vault.tip(self._trunk), *self._vault.fetched_heads(self._trunk)]
        tips = {*heads, *filter(None, trunk)} if found else set()
        for commit in self._vault.history.read(self._vault, tips, ops=(REDACT,)).values():
            for memory_id in found.keys() & self._read_ids(commit.oid):
                found[memory_id].add(commit.author)
        return found

    def _read_ids(self, commit: str) -> set[str]:
        """Read which memories a commit names."""
        return set(message.read(self._vault.repository.objects.commit(commit).message).memories)

    def _list_writers(self, memory_id: str, incoming: Iterable[IncomingScope]) -> set[str]:
        """List who wrote versions of a memory, in what was here before."""
        tips = [*seen_scopes(self._vault).values(), *(one.before for one in incoming if one.before)]
        commits = self._vault.history.read(self._vault, tips)
        changes = self._vault.history.read_changes(self._vault, commits, memory_id=memory_id)
        return {commits[oid].author for oid in changes if commits[oid].op != REDACT}

    def _wait(self, who: str, ids: Collection[str]) -> None:
        if ids:
            self.waiting.update(ids)
            self.notes.append(
                f"{_name(who)} redacted {_count(ids)}: this waits for you, and nothing was changed "
                f"here. `treering redact ID` agrees"
            )

    def _put_away(
        self, actor: Actor, who: str, ids: Collection[str], incoming: Collection[IncomingScope]
    ) -> None:
        """Take out what somebody else redacted, and keep what was seen in the trash: anyone who may
        push could redact anything, and thirty days are enough to notice."""
        if not ids:
            return
        vault = self._vault
        seen = {one.scope: one.before for one in incoming} | seen_scopes(vault)
        branches = self._trash_seen(actor, seen, ids)
        kept = {entry.ref for entry in list_trash(vault) if entry.is_redacted}
        fetched = list_fetched(vault.repository)
        kept |= {head.ref for head in fetched if head.kind != LOST}  # what others have is theirs
        self._rewrite(actor, ids, kept)
        back = "".join(f", `treering restore {branch}` brings it back here" for branch in branches)
        self.notes.append(f"{_name(who)} redacted {_count(ids)}{back}")

    def find_resurfacing(self, departures: Departures) -> set[str]:
        """The memories whose text would go out with some heads, and of which the head itself or the
        trunk has a tombstone: however the text, or the tombstone, came here."""
        trunk = self._vault.tip(self._trunk)
        return {
            memory_id
            for head, versions in departures.items()
            for memory_id, blob in versions
            if any(self._has_tombstone(tip, memory_id, blob) for tip in (head, trunk) if tip)
            and is_text(self._vault, blob)
        }

    def _has_tombstone(self, tip: str, memory_id: str, beside: str) -> bool:
        """Return whether a tip has a tombstone of a memory; as a rule it has just what goes out."""
        blob = self._vault.blob_at(tip, memory_id)
        return blob is not None and blob != beside and is_tombstone(self._vault, blob)

    def _trash_seen(
        self, actor: Actor, seen: Mapping[Scope, str | None], ids: Collection[str]
    ) -> list[str]:
        """Keep scopes in the trash as they were seen with the text of some memories."""
        vault, branches = self._vault, []
        for scope, tip in seen.items():
            blobs = [vault.blob_at(tip, memory_id) for memory_id in ids] if tip else []
            if tip and any(blob and is_text(vault, blob) for blob in blobs):
                aside = trash_name(vault, scope, actor.seconds, REDACTED)
                vault.move_ref(actor.held, aside, tip, old=None, why="sync: redacted by others")
                branches.append(scope.branch)
        return branches

    def take_back(self, actor: Actor, ids: Collection[str]) -> None:
        """Take texts out that a push would bring back to a remote."""
        own = list_own(self._vault).intersection(ids)
        self.take_out(actor, own)
        self._put_away(actor, "", set(ids) - own, ())

    def holds_waiting(self, versions: Iterable[NewVersion]) -> bool:
        """Return whether a text is among some versions whose redaction waits for a yes."""
        return any(
            memory_id in self.waiting and is_text(self._vault, blob) for memory_id, blob in versions
        )

    def hides_waiting(self, before: str | None, now: str | None) -> bool:
        """Return whether a text is gone whose redaction waits for a yes."""
        if before is None or now is None or before == now:
            return False
        pairs = [
            (self._vault.blob_at(before, memory_id), self._vault.blob_at(now, memory_id))
            for memory_id in self.waiting
        ]
        return any(
            was and is_text(self._vault, was) and blob and is_tombstone(self._vault, blob)
            for was, blob in pairs
        )

    def take_out(self, actor: Actor, ids: Collection[str]) -> None:
        """Take the text of memories that were redacted here out of all we have, and out of what
        other clones have on the remote."""
        if ids:
            kept = {entry.ref for entry in list_trash(self._vault) if entry.is_redacted}
            self.replaced |= self._rewrite(actor, ids, kept)

    def _rewrite(
        self, actor: Actor, ids: Collection[str], without: Collection[str]
    ) -> dict[str, str]:
        commits = take_out(self._vault, actor.held, sorted(ids), without=without).commits
        for old, new in self.commits.items():
            self.commits[old] = commits.get(new, new)
        self.commits |= commits
        return commits


def _name(author: str) -> str:
    return author.partition(" <")[0] or "somebody"


def _count(ids: Collection[str]) -> str:
    some = sorted(ids)
    names = ", ".join(some[:_MAX_NAMED]) + (", ..." if len(some) > _MAX_NAMED else "")
    return f"1 memory ({names})" if len(some) == 1 else f"{len(some)} memories ({names})"


def _list_redacted(vault: Vault, incoming: IncomingScope, trunk: str | None) -> Iterator[_Found]:
    """Find the memories that one of us has taken out for good, and whether another has the text of
    one at a tip."""
    ours = incoming.before
    for head in incoming.heads:
        root = vault.tree_of(ours) if ours else None
        for memory_id, (mine, theirs) in vault.trees.ahead(root, vault.tree_of(head)).items():
            at_trunk = vault.blob_at(trunk, memory_id) if trunk else None
            blobs = {mine, theirs, at_trunk} - {None}
            stones = {is_tombstone(vault, blob) for blob in blobs if blob}
            if True in stones:
                yield _Found(memory_id, False in stones, head)
