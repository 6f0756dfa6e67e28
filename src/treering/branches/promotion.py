"""Promotion: what a branch learned, put into the scope its code landed in.

A commit whose only parents are the source's heads, and whose tree holds exactly what landed, blobs
as they are. It says by itself what it took, and whoever judges the same makes the same commit. The
target joins it like the head of another clone. Of a branch that was never shared the parents are a
history made for it, which holds what landed and nothing else.

Checkpoints and progress notes speak of work that is over, and so do commits that were rewritten.
They are not taken along. They stay readable in the history behind the promotion.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from treering.branches.landing.judge import Landing
from treering.branches.overlay import (
    find_left_behind,
    list_not_taken,
    read_special,
    was_shared,
)
from treering.branches.verdict import LandedVersions
from treering.capture.commits import commits as read_code_commits
from treering.capture.commits import memory_id, memory_of
from treering.errors import Conflict
from treering.git import pack, refs
from treering.git.lock import Held
from treering.model import document
from treering.model.memory import Link, Memory
from treering.model.scope import LANDED, Scope
from treering.store import heads, layout
from treering.store.ancestry import contains
from treering.store.dates import newest
from treering.store.history import kept_back, list_open, list_ours, promotions
from treering.store.message import KEEP_BACK, PROMOTE, CodePosition, Message, read
from treering.store.trees import Snapshot
from treering.store.vault import NOBODY, Vault
from treering.text.masking import mask, mask_branch, mask_memory

if TYPE_CHECKING:
    from treering.branches.apply import Actor
    from treering.branches.plan import PlanLine

BY_HAND = "by hand"
_MOST_NAMED = 200


def by_hand(into: str) -> Landing:
    """A landing that nobody asked the code about."""
    return Landing(into=into, reason="Asked for by hand.")


def promote(
    vault: Vault, held: Held, source: Scope, tips: Sequence[str], landed: Iterable[LandedVersions]
) -> None:
    """Let each branch have what landed in it."""
    by_target: dict[str, list[str]] = {}
    is_unshared = not vault.is_private and not was_shared(vault, source)
    for some in landed:
        if is_unshared:
            special = read_special(vault, {blob for _, blob in some.versions})
            behind = find_left_behind(vault, source, special)
            taken = tuple(one for one in some.versions if one[1] not in behind)
            if not taken:
                continue
            some = some._replace(versions=taken)
            commit = write(vault, Scope(""), write_chain(vault, tips, some), some)
            # Which branch it came from, and what that had said, is remembered only here.
            name = LANDED + commit
            if refs.read(vault.repository.handle, name) is None:
                said = heads.combine(vault, source, tips)[0]
                vault.move_ref(held, name, said, old=None, why=PROMOTE)
        else:
            commit = write(vault, source, tips, some)
        by_target.setdefault(some.into, []).append(commit)
    for into, commits in by_target.items():
        # On our own head of the target, unless what is seen there has them already.
        view = vault.tip(Scope(into))
        if new := [c for c in commits if not (view and contains(vault.repository, view, c))]:
            heads.append_to_own_head(vault, held, Scope(into), new, PROMOTE)


def write(vault: Vault, source: Scope, tips: Sequence[str], landed: LandedVersions) -> str:
    """A promotion as a commit; no ref is moved. What was kept back is promoted again: judges leave
    it out, so somebody asked for it."""
    objects, ids, blobs = vault.repository.objects, landed.ids, dict(landed.versions)
    tree = vault.find_tree(blobs) or vault.write_tree(None, blobs)
    parents = tuple(sorted(tips))
    kind, name = landed.landing.evidence, mask(source.branch)
    target = vault.tip(Scope(landed.into))
    held = kept_back(vault, target) if target else {}
    whose = f" of {name}" if name else ""
    said = Message(
        op=PROMOTE,
        subject=f"promote {len(ids)} memories{whose}",
        code=CodePosition(mask_branch(landed.into), landed.landing.merged_as),
        memories=ids,
        promoted_from=name,
        promoted_into=mask_branch(landed.into),
        merged_as=landed.landing.merged_as or "",
        merge_kind=kind if kind != "none" else BY_HAND,
        # When some of it was last kept back.
        promoted_again=max((held.get(one, 0) for one in landed.versions), default=0),
    )
    seconds = newest([objects.commit(parent).time for parent in parents], vault.clock())
    return objects.write_commit(tree, parents, NOBODY, seconds, said.as_text())


def write_chain(vault: Vault, tips: Sequence[str], landed: LandedVersions) -> list[str]:
    """Write the changes that led to what landed as a history of their own, and return its tip.

    Nothing else of a branch that was never shared may be reachable from the trunk: neither its
    name, nor what did not land, nor later versions of what did.
    """
    wanted, objects = dict(landed.versions), vault.repository.objects
    blobs: dict[str, str] = {}
    chain: list[pack.ChainCommit] = []
    commits = vault.history.read(vault, tips)
    changes = vault.history.read_changes(vault, commits)
    is_whole, below = True, tuple[str, ...]()  # all of one line was taken: its trees will do
    for commit in commits.values():
        new = {
            memory_id: blob
            for memory_id, blob, _ in changes[commit.oid]
            if blob
            and memory_id in wanted
            and blobs.get(memory_id) not in (wanted[memory_id], blob)
        }
        is_whole &= len(new) == len(changes[commit.oid]) and commit.parents == below
        below = (commit.oid,)
        if not new or not commit.is_change:
            continue
        blobs |= new
        head, _, body = objects.raw_commit(commit.oid).partition(b"\n\n")
        said = read(body.decode(errors="replace"))
        subject = said.subject if len(said.memories) == len(new) == 1 else f"{said.op} memories"
        text = Message(
            said.op,
            subject,
            said.code._replace(branch=mask_branch(landed.into)),
            tuple(new),
            {key: blob for key, blob in said.bases.items() if key in new},
        ).as_text()
        who = [ln for ln in head.split(b"\n") if ln.startswith((b"author ", b"committer "))]
        tree = head[5:45].decode() if is_whole else ""
        files = {layout.path_of(memory_id): blob for memory_id, blob in new.items()}
        chain.append(pack.ChainCommit(who, text.encode(), files, tree))
    tip = pack.write_chain(vault.repository, chain)
    return [tip] if tip else []


# --- squashed -------------------------------------------------------------------------------------


def put_behind(actor: "Actor", vault: Vault, line: "PlanLine") -> "PlanLine":
    """Supersede the memories of squashed commits by the memory of the commit they landed as, which
    names them all; return the line with that one in their place.

    On the trunk "wip (1)" to "wip (5)" tell nothing that the squash does not tell, and hide what
    does. So they stay behind the promotion, like commits that were rewritten. Where it is not known
    what they became, or where the branch's code was, they go along as ever.
    """
    code = _last_code(vault, line.scope) if any(some.behind for some in line.landed) else None
    new: dict[str, Memory] = {}
    landed = []
    for some in line.landed:
        merged_as = some.landing.merged_as or ""
        landing = new.get(memory_id(merged_as)) if some.behind and code else None
        if some.behind and code and landing is None:
            landing = _landing_memory(actor, vault, some.into, merged_as)
        versions = dict(some.versions)
        if landing is None:
            versions |= dict(some.behind)
        else:
            memories = [m for _, blob in some.behind if (m := vault.try_memory(blob))]
            memories.sort(key=lambda memory: (memory.created, memory.id))
            new |= {memory.id: memory.supersede(landing.id) for memory in memories}
            names = [f"{memory.commit[:12]} {memory.title}" for memory in memories]
            # What was never pushed is not named where everyone will see it.
            named = _name(landing, memories, names if was_shared(vault, line.scope) else [])
            new[landing.id] = mask_memory(named)
            versions[landing.id] = ""
        landed.append(some._replace(versions=tuple(versions.items()), behind=()))
    if not new or code is None:
        return line._replace(landed=tuple(landed))
    documents = {memory.id: document.dump(memory) for memory in new.values()}
    subject = f"put {len(new)} squashed commits of {mask(line.scope.branch)} behind"
    why = Message("capture", subject, code, tuple(new))
    commit = actor.write(vault, line.scope, documents, why)
    written = {memory_id: vault.blob_at(commit, memory_id) or "" for memory_id in documents}
    return line._replace(
        tip=vault.tip(line.scope) or commit,
        heads=tuple(heads.list_heads(vault, line.scope)),
        landed=tuple(
            some._replace(
                versions=tuple(sorted((mid, blob or written[mid]) for mid, blob in some.versions))
            )
            for some in landed
        ),
    )


def _landing_memory(actor: "Actor", vault: Vault, into: str, merged_as: str) -> Memory | None:
    """The memory of the commit they became, as the target has it, or made now."""
    blob = vault.snapshot(Scope(into)).blob(memory_id(merged_as))
    if blob and (memory := vault.try_memory(blob)):
        return memory
    return next(map(memory_of, read_code_commits(actor.store.repository, [merged_as])), None)


def _name(landing: Memory, squashed: list[Memory], lines: list[str]) -> Memory:
    """The memory of a squash with the commits that went into it."""
    before = landing.details.get("squashed")
    known = [str(name) for name in before] if isinstance(before, list) else []
    links = {link.edge: link for link in landing.links}
    links |= {("supersedes", m.id): Link("supersedes", m.id, 1.0, "system") for m in squashed}
    if names := list(dict.fromkeys([*known, *lines]))[:_MOST_NAMED]:
        landing = landing.with_details(squashed=names)
    return landing._replace(links=tuple(links.values()))


def _last_code(vault: Vault, scope: Scope) -> CodePosition | None:
    """Return where the branch's code was when something was last said on it."""
    for head in filter(None, (vault.head(scope), *heads.list_heads(vault, scope))):
        code = read(vault.repository.objects.commit(head).message).code
        if code.head:
            return code
    return None


# --- taken back -----------------------------------------------------------------------------------


class Brought(NamedTuple):
    """Versions that promotions of one moment brought into a scope, by id, and what
    was there before them, if anything."""

    versions: dict[str, tuple[str, str | None]]
    #: The heads they took it from.
    sources: tuple[str, ...] = ()


def find_brought(
    vault: Vault, source: Scope, target: Scope, ids: Collection[str] = (), *, kind: str = ""
) -> Brought:
    """Return what is in the target because the source was promoted: some memories in their newest
    version, else all that came last. Conflict where somebody changed it there since."""
    tip = vault.tip(target)
    if tip is None:
        return Brought({})
    name, into = mask(source.branch), mask_branch(target.branch)
    held = kept_back(vault, tip)
    found = Brought({})
    for done in promotions(vault, tip):
        said = done.said
        if (said.promoted_from, said.promoted_into) != (name, into):
            continue
        sources = (done.kept_source,) if done.kept_source else done.sources
        if (kind and said.merge_kind != kind) or (found.versions and sources != found.sources):
            continue
        joined, below = _find_join(vault, target, tip, done.commit)
        for key, blob in list_ours(vault, done.commit):
            was = vault.blob_at(below, key) if below else None
            is_meant = not ids or key in ids
            if not is_meant or key in found.versions or (key, blob) in held or was == blob:
                continue
            if vault.blob_at(tip, key) != vault.blob_at(joined, key):
                raise Conflict(
                    f"{key} was changed on {target.branch} since.",
                    hint="`treering log ID` shows what happened, `treering revert ID` goes back.",
                )
            found = Brought(found.versions | {key: (blob, was)}, sources)
    return found


def _find_join(vault: Vault, scope: Scope, tip: str, promotion: str) -> tuple[str, str | None]:
    """The commit with which a promotion came into a scope, and what the scope was before it."""
    for commit in list_open(vault.history.read(vault, [tip]), tip):
        if promotion in commit.parents and len(commit.parents) > 1:
            said = {oid: vault.repository.objects.commit(oid).message for oid in commit.parents}
            others = [oid for oid, text in said.items() if not read(text).is_promotion]
            return commit.oid, heads.read_merged(vault, scope, others) if others else None
    return promotion, None


def keep_back(actor: "Actor", vault: Vault, target: Scope, brought: Brought) -> None:
    """Make the target what it was before the promotions, and write down that their versions are not
    to come again by themselves."""
    before = {key: was for key, (_, was) in brought.versions.items()}
    lines = (f"{key} {blob}" for key, (blob, _) in sorted(brought.versions.items()))
    subject = f"keep {len(before)} memories back from {mask(target.branch)}"
    code = actor.code_of(target)
    why = Message(KEEP_BACK, subject, code, tuple(sorted(before)), kept_back=tuple(lines))
    # A clock may have been set back: what was promoted again before is kept back later.
    again = [done.said.promoted_again for done in promotions(vault, vault.tip(target) or "")]
    moment = max(actor.seconds, *(one + 1 for one in again), 0)
    actor._replace(seconds=moment).write(vault, target, before, why)


def list_all(vault: Vault, source: Snapshot, target: Snapshot) -> tuple[tuple[str, str], ...]:
    """Return what of a scope is not in another one yet, landed or not, without what stays
    behind."""
    missing = source.listing().items() - target.listing().items()
    memories = list_not_taken(vault, missing, target)
    special = read_special(vault, {blob for _, blob in memories})
    behind = find_left_behind(vault, source.scope, special)
    return tuple(sorted((memory_id, blob) for memory_id, blob in memories if blob not in behind))


def is_taken_over(vault: Vault, source: Snapshot, target: Snapshot) -> bool:
    """Return whether every copy in the source is in the target, was forgotten, or is of a kind that
    stays behind: only then may its ref go. Containment is not content, so trees are asked."""
    left = list_all(vault, source, target)
    special = read_special(vault, {blob for _, blob in left})
    return all(blob in special and special[blob].is_forgotten for _, blob in left)
