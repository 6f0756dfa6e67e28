"""What was redacted, here or elsewhere: taken out of all we have, and brought to no remote again.

A tombstone in the trunk tells of it. The text may be at the tip of a head, behind a promotion that
left it, or back from the trash.
"""

from collections.abc import Collection, Iterator

from treering.branches.apply import Actor, trash_name
from treering.branches.trash import REDACTED, list_trash
from treering.branches.trunk import trunk_of
from treering.git import log, refs
from treering.model.scope import HEADS, Scope
from treering.store import layout, message
from treering.store.redaction import REDACT, is_text, is_tombstone, list_with_text, take_out
from treering.store.tree_diff import tree_of
from treering.store.vault import Vault
from treering.sync.incoming import IncomingScope
from treering.sync.leaks import Departures
from treering.sync.place import Place


class Redactions:
    """What one sync finds to be redacted."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._untold: set[str] = set()
        #: Commit -> the same without what was redacted.
        self.commits: dict[str, str] = {}

    @property
    def _trunk(self) -> Scope:
        return Scope(trunk_of(self._vault.repository))

    def note_untold(self, place: Place) -> None:
        """Note the memories that our head of the trunk says were redacted, and no head there does.
        The text may be there where no tip shows it."""
        own, there = self._vault.head(self._trunk), place.tips(self._trunk)
        if own is None or own in there:
            return
        here = [tip for tip in there if self._vault.repository.objects.exists(tip)]
        words, folder = [f"Treering-Op: {REDACT}"], self._vault.repository.common_dir
        for commit in log.read_log(folder, [own], without=here, containing=words):
            self._untold.update(message.read(commit.message).memories)

    def hear(self, actor: Actor, incoming: Collection[IncomingScope]) -> None:
        """Take out of all we have what somebody redacted, here or there."""
        trunk = self._vault.tip(self._trunk)
        found = [one for scope in incoming for one in _list_redacted(self._vault, scope, trunk)]
        ids = {memory_id for memory_id, has_text in found if has_text}
        others = {*self._untold, *(memory_id for memory_id, _ in found)} - ids
        self.take_out(actor, ids | list_with_text(self._vault, others))

    def list_returned(self, departures: Departures) -> set[str]:
        """The memories whose text would go out with some heads, and of which the head itself or the
        trunk has a tombstone: however the text, or the tombstone, came here."""
        trunk = self._vault.tip(self._trunk)
        return {
            memory_id
            for head, files in departures.items()
            for path, blob in files
            if (memory_id := layout.id_of_path(path))
            and any(self._has_tombstone(tip, memory_id, blob) for tip in (head, trunk) if tip)
            and is_text(self._vault, blob)
        }

    def _has_tombstone(self, tip: str, memory_id: str, beside: str) -> bool:
        """Whether a tip has a tombstone of a memory; as a rule it has just what goes out."""
        blob = self._vault.blob_at(tip, memory_id)
        return blob is not None and blob != beside and is_tombstone(self._vault, blob)

    def take_out(self, actor: Actor, ids: Collection[str]) -> None:
        """Take the text of some memories out of all we have.

        Our own of before goes to the trash, and what is there for such a reason stays: anyone who
        may push could redact anything, and thirty days are enough to notice.
        """
        if not ids:
            return
        vault = self._vault
        own = refs.list_refs(vault.repository.common_dir, HEADS)
        kept = {entry.ref for entry in list_trash(vault) if entry.is_redacted}
        commits = take_out(vault, actor.held, sorted(ids), without=kept).commits
        for name, tip in own.items():
            if tip in commits and (scope := vault.scope_named(name.removeprefix(HEADS), tip)):
                aside = trash_name(vault, scope, actor.seconds, REDACTED)
                vault.move_ref(actor.held, aside, tip, old=None, why="sync: redacted by others")
        self.commits |= commits


def _list_redacted(
    vault: Vault, incoming: IncomingScope, trunk: str | None
) -> Iterator[tuple[str, bool]]:
    """The memories that one of us has taken out for good, and whether another has the text of one
    at a tip."""
    ours = incoming.before
    for head in incoming.heads:
        root = tree_of(vault, ours) if ours else None
        for path, (mine, theirs) in vault.trees.ahead(root, tree_of(vault, head)).items():
            memory_id = layout.id_of_path(path)
            if memory_id is None:
                continue
            at_trunk = vault.blob_at(trunk, memory_id) if trunk else None
            blobs = {mine, theirs, at_trunk} - {None}
            stones = {is_tombstone(vault, blob) for blob in blobs if blob}
            if True in stones:
                yield memory_id, False in stones
