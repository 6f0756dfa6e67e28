"""Promotion: what a branch learned, put into the scope its code landed in.

A commit whose only parents are the source's heads, and whose tree holds exactly what landed, blobs
as they are. It says by itself what it took, and whoever judges the same makes the same commit. The
target joins it like the head of another clone.

Checkpoints and progress notes speak of work that is over, and so do commits that were rewritten.
They are not taken along. They stay readable in the history behind the promotion.
"""

from collections.abc import Collection, Iterable, Sequence

from treering.branches.landing.judge import Landing
from treering.branches.overlay import own_part, own_saved
from treering.branches.verdict import LandedFiles
from treering.git import pack
from treering.git.lock import Held
from treering.model.scope import Scope
from treering.store import heads, layout
from treering.store.dates import newest
from treering.store.holding import is_held
from treering.store.message import PROMOTE, CodePosition, Message
from treering.store.snapshot import Snapshot
from treering.store.vault import NOBODY, Vault
from treering.text.masking import mask, mask_branch

BY_HAND = "by hand"


def by_hand(into: str) -> Landing:
    """A landing that nobody asked the code about."""
    return Landing("none", into, None, "Asked for by hand.", is_partial=False, bound="")


def promote(
    vault: Vault, held: Held, source: Scope, tips: Sequence[str], landed: Iterable[LandedFiles]
) -> None:
    """Let each branch have what landed in it."""
    by_target: dict[str, list[str]] = {}
    for files in landed:
        by_target.setdefault(files.into, []).append(write(vault, source, tips, files))
    for into, commits in by_target.items():
        put(vault, held, Scope(into), commits)


def put(vault: Vault, held: Held, target: Scope, commits: Collection[str]) -> None:
    """Say promotions on our own head of the target, unless what is seen there has them already."""
    view = vault.tip(target)
    new = [c for c in commits if not (view and is_held(vault.repository, c, view))]
    if new:
        heads.put(vault, held, target, new, PROMOTE)


def write(vault: Vault, source: Scope, tips: Sequence[str], landed: LandedFiles) -> str:
    """A promotion as a commit; no ref is moved."""
    objects = vault.repository.objects
    files = dict(landed.files)
    if len(files) >= pack.MANY:
        tree = pack.write_tree(vault.repository, None, files)
    else:
        tree = vault.write_folder(None, files)
    parents = tuple(sorted(tips))
    kind, name = landed.landing.evidence, mask(source.without_owner.branch)
    said = Message(
        op=PROMOTE,
        subject=f"promote {len(landed.ids)} memories of {name}",
        code=CodePosition(mask_branch(landed.into), landed.landing.merged_as),
        memories=landed.ids,
        promoted_from=name,
        promoted_into=mask_branch(landed.into),
        merged_as=landed.landing.merged_as or "",
        merge_kind=kind if kind != "none" else BY_HAND,
    )
    seconds = newest([objects.commit(parent).time for parent in parents], vault.clock())
    return objects.write_commit(tree, parents, NOBODY, seconds, said.as_text())


def list_all(vault: Vault, source: Snapshot, target: Snapshot) -> tuple[tuple[str, str], ...]:
    """What of a scope is not in another one yet, landed or not, without what stays behind."""
    memories = own_part(vault, source, target)
    below = target.listing()
    files = {
        layout.path_of(memory_id): blob
        for memory_id, blob in memories.items()
        if below.get(memory_id) != blob and not _stays(vault, blob)
    }
    files |= {
        layout.saved_path(key): blob for key, blob in own_saved(vault, source, target).items()
    }
    return tuple(sorted(files.items()))


def is_taken_over(vault: Vault, source: Snapshot, target: Snapshot) -> bool:
    """Whether every copy in the source is in the target, was forgotten, or is of a kind that stays
    behind: only then may its ref go. Containment is not content, so trees are asked."""
    return not any(
        not _is_forgotten(vault, path, blob) for path, blob in list_all(vault, source, target)
    )


def _stays(vault: Vault, blob: str) -> bool:
    memory = vault.try_memory(blob)
    return memory is not None and memory.is_passing


def _is_forgotten(vault: Vault, path: str, blob: str) -> bool:
    memory = vault.try_memory(blob) if layout.id_of_path(path) else None
    return memory is not None and memory.is_forgotten
