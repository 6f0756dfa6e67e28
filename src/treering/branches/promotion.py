"""Promotion: what a branch learned, put into the scope its code landed in.

One commit on the target, with the source's tip as second parent (as only parent where the target
has nothing yet), so that history stays reachable. Blobs are taken as they are: two clones that
promote the same scope make the same tree. Only a memory changed on both sides is made anew, from
all its changes, as a sync would.

Checkpoints and progress notes speak of work that is over, and so do commits that were rewritten.
They are not taken along; they stay readable in the history behind the second parent.
"""

from typing import NamedTuple

from treering.branches.overlay import own_part, own_saved
from treering.errors import TreeringError
from treering.git import log
from treering.git.objects import blob_id
from treering.model.memory import Memory
from treering.store import layout, message
from treering.store.merge.join import HistoryMerge
from treering.store.snapshot import Snapshot
from treering.store.vault import Vault


class Promotion(NamedTuple):
    """What a promotion would write: blobs as they are, merged bytes, and what to tell about it."""

    taken: dict[str, str]
    merged: dict[str, bytes]
    notes: tuple[str, ...]
    saved: dict[str, str | bytes]  # prompts and templates: key -> blob, or merged bytes

    @property
    def ids(self) -> tuple[str, ...]:
        return (*self.taken, *self.merged)

    @property
    def is_nothing(self) -> bool:
        return not (self.taken or self.merged or self.saved)


def prepare(vault: Vault, source: Snapshot, target: Snapshot) -> Promotion:
    """Work a promotion out, without writing anything."""
    blobs: dict[str, str] = {}
    bytes_of: dict[str, bytes] = {}
    notes: list[str] = []
    below = target.listing()
    bases = _bases(vault, source, target)
    meeting = HistoryMerge(vault, [tip for tip in (source.tip, target.tip) if tip])
    for memory_id, blob in own_part(vault, source, target).items():
        theirs = _memory(vault, blob)
        if theirs is not None and theirs.is_passing:
            notes.append(f"{memory_id} ({theirs.type}) stays in the branch's history")
            continue
        there = below.get(memory_id)
        if there == blob:
            continue
        ours = _memory(vault, there) if there else None
        if there is None or there == bases.get(memory_id) or ours is None or theirs is None:
            blobs[memory_id] = blob
            continue
        outcome = meeting.outcome(layout.path_of(memory_id), there, blob)
        notes += outcome.notes or [f"{memory_id} was changed on both sides: both changes are kept"]
        if isinstance(outcome.data, bytes):
            if blob_id(outcome.data) != there:
                bytes_of[memory_id] = outcome.data
        elif outcome.data and outcome.data != there:
            blobs[memory_id] = outcome.data
    saved = _choose_saved(vault, source, target, bases, meeting, notes)
    return Promotion(blobs, bytes_of, tuple(notes), saved)


def is_taken_over(vault: Vault, source: Snapshot, target: Snapshot) -> bool:
    """Whether every copy in the source is in the target, was forgotten, or is of a kind that stays
    behind: only then may its ref go. Containment is not content, so trees are asked."""
    work = prepare(vault, source, target)
    deletions = {mid for mid, blob in work.taken.items() if _is_forgotten(vault, blob)}
    return not (work.taken.keys() - deletions or work.merged or work.saved)


def _is_forgotten(vault: Vault, blob: str) -> bool:
    memory = _memory(vault, blob)
    return memory is not None and memory.is_forgotten


def _choose_saved(
    vault: Vault,
    source: Snapshot,
    target: Snapshot,
    bases: dict[str, str],
    meeting: HistoryMerge,
    notes: list[str],
) -> dict[str, str | bytes]:
    """Prompts and templates to take over; one changed on both sides is made from all changes."""
    below = target.saved()
    prompts: dict[str, str | bytes] = {}
    for key, blob in own_saved(vault, source, target).items():
        there = below.get(key)
        if there == blob:
            continue
        if there in (None, bases.get(key)):
            prompts[key] = blob
            continue
        outcome = meeting.outcome(layout.saved_path(key), there, blob).data or there or blob
        notes.append(f"{key} was changed on both sides: both changes are kept")
        if there not in (outcome, blob_id(outcome) if isinstance(outcome, bytes) else None):
            prompts[key] = outcome
    return prompts


def _memory(vault: Vault, blob: str) -> Memory | None:
    try:
        return vault.memory(blob) if blob else None
    except TreeringError:
        return None


def _bases(vault: Vault, source: Snapshot, target: Snapshot) -> dict[str, str]:
    """The blob each overlay copy was made from, by the trailers of the commits that made them."""
    if source.tip is None:
        return {}
    commits = log.read_log(
        vault.repository.common_dir,
        [source.tip],
        without=[target.tip] if target.tip else [],
        containing=["Treering-Base: "],
    )
    bases: dict[str, str] = {}
    for commit in reversed(list(commits)):
        bases.update(message.read(commit.message).bases)
    return bases
