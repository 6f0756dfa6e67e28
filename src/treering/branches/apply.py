"""Carrying a plan out, one line at a time, each complete in itself.

A crash between two steps leaves something the next run completes: a promoted scope whose ref is
still there is known by what its promotions hold; a trashed one by its trash ref.
"""

import contextlib
import time
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from treering.branches import promotion
from treering.branches.landing.judge import Judge, Landing, Target
from treering.branches.long_lived import code_position
from treering.branches.names import last_write, scope_now
from treering.branches.overlay import is_captured, list_not_taken, read_special, was_shared
from treering.branches.plan import PlanLine, plan
from treering.branches.rewrites import successors
from treering.branches.survey import RESTORED, survey
from treering.branches.trunk import trunk_tips
from treering.branches.verdict import LandedVersions
from treering.branches.versions import ScopeHistory
from treering.errors import Conflict, StorageFailed, TreeringError
from treering.git import config, reflog, refs
from treering.git.lock import Held
from treering.git.objects import Person
from treering.model import document
from treering.model.scope import KEEP, TRASH, Scope
from treering.store import heads, message
from treering.store.history import kept_back
from treering.store.message import NOTE, CodePosition, Message
from treering.store.store import Store
from treering.store.trees import Listing
from treering.store.vault import Documents, Vault
from treering.text.masking import mask, mask_branch

#: The evidence of a promotion of failed attempts alone.
LESSONS: Final = "lessons"


class Actor(NamedTuple):
    """Whoever applies: the lock, the name and the time commits get, and the trunk as it is in this
    call."""

    store: Store
    held: Held
    person: Person
    seconds: float
    trunk: str

    def code_of(self, scope: Scope) -> CodePosition:
        """Return where the code of a scope's branch is now."""
        repository = self.store.repository
        head = repository.tip_of(scope.branch)
        return code_position(repository, scope.branch, head)

    def write(self, vault: Vault, scope: Scope, documents: Documents, why: Message) -> str:
        """Write memories to a scope, and return the commit."""
        return heads.write(
            vault, self.held, scope, documents, why, person=self.person, seconds=self.seconds
        )


def apply(actor: Actor, vault: Vault, line: PlanLine, *, keep_lessons: bool = False) -> PlanLine:
    """Do what a line says; one that failed comes back with what went wrong as reason."""
    try:
        match line.action:
            case "keep":
                _keep(actor, vault, line)
            case "promote":
                _promote(actor, vault, line)
            case "trash":
                _trash(actor, vault, line, keep_lessons)
            case "lessons":  # of a branch that waits for gc, where it can be restored
                if keep_lessons and vault.head(line.scope):
                    _keep_lessons(actor, vault, line)
            case "rename":
                rename(actor.held, vault, line.scope, Scope(line.into))
                remember_tip(actor, vault, Scope(line.into))
            case "aside":
                rename_aside(actor, vault, line.scope, Scope(line.into))
            case "stack":  # a hint only: if it cannot be written, git's own log still tells
                with contextlib.suppress(StorageFailed):
                    folder = vault.repository.common_dir
                    config.put(folder, f"branch.{line.branch}.treeringbase", line.into)
            case "revive" if line.trashed:
                heads.append_to_own_head(vault, actor.held, line.scope, [line.tip], "revived")
                vault.move_ref(actor.held, line.trashed.ref, None, old=line.tip, why="revived")
                remember_tip(actor, vault, line.scope)
    except TreeringError as error:
        return line._replace(verdict="unsure", action="keep", reason=error.message)
    return line


def order_lines(lines: list[PlanLine]) -> list[int]:
    """The order to do lines in; a scope moves on before another one gets its name."""
    order = sorted(range(len(lines)), key=lambda number: _rank(lines[number]))
    renames = {lines[n].scope.branch: n for n in order if lines[n].action == "rename"}
    moving: list[int] = []
    for number in renames.values():
        chain = [number]
        while (after := renames.get(lines[chain[-1]].into)) is not None and after not in chain:
            chain.append(after)
        moving += [one for one in reversed(chain) if one not in moving]
    at = iter(moving)
    return [next(at) if lines[n].action == "rename" else n for n in order]


def _rank(line: PlanLine) -> int:
    """Names are cleared, then given, before anything is put into the scopes that bear them."""
    if line.verdict == "recreated":
        return 0
    return {"rename": 1, "revive": 2}.get(line.action, 3)


def _keep(actor: Actor, vault: Vault, line: PlanLine) -> None:
    """Write down where a living branch is, so that it can be judged once it is gone."""
    if line.verdict != "live" or line.scope.is_detached or line.branch == actor.trunk:
        return
    remember_tip(actor, vault, line.scope)
    _follow_rewrites(actor, vault, line)
    _note_code(actor, vault, line)


def _note_code(actor: Actor, vault: Vault, line: PlanLine) -> None:
    """Write down where the code is, once for each reason: something that was said waits for its
    commit, or the branch has its first commit. It is as the plan saw it: once a long-lived branch
    has it, nobody else can tell where the branch left that one."""
    own, now = vault.head(line.scope), line.code
    if own is None or now is None or not now.has_own_commits:
        return
    last = last_write(vault, own)
    if last is None:
        return  # all of it came from elsewhere, with its code
    before = message.read(last.message).code
    if before.head == now.head:
        return
    if before.is_dirty or not before.has_own_commits:
        now = now._replace(branch=mask_branch(line.scope.branch))
        why = Message(NOTE, f"note where {mask(line.scope.branch)} is", now)
        actor.write(vault, line.scope, {}, why)


def _follow_rewrites(actor: Actor, vault: Vault, line: PlanLine) -> None:
    """Let memories name the commit that took the place of the one they were made at."""
    repository, trunk = actor.store.repository, actor.trunk
    tip = repository.tip_of(line.branch)
    if tip is None:
        return
    listing = vault.snapshot_at(line.scope, line.tip).listing()
    # What was kept back from the trunk stays as it is: as a new version it would be promoted.
    there = vault.tip(Scope(trunk))
    held = kept_back(vault, there) if there else {}
    memories = {
        i: memory
        for i, blob in listing.items()
        if (i, blob) not in held and (memory := vault.try_memory(blob))
    }
    # A commit memory that another one replaced speaks of the old commit, and stays with it.
    memories = {i: m for i, m in memories.items() if m.status != "superseded" or m.type != "commit"}
    commits = [memory.commit for memory in memories.values() if memory.commit]
    targets = [Target(trunk, at) for at in trunk_tips(repository)]
    new_commits = successors(
        repository, line.branch, tip, targets, commits, Judge.open(actor.store)
    )
    followers = [
        m._replace(commit=new_commits[m.commit])
        for m in memories.values()
        if m.commit in new_commits
    ]
    if followers:
        documents = {memory.id: document.dump(memory) for memory in followers}
        subject = f"follow {len(documents)} memories to rewritten commits"
        why = Message("follow", subject, actor.code_of(line.scope), tuple(documents))
        actor.write(vault, line.scope, documents, why)


def remember_tip(actor: Actor, vault: Vault, scope: Scope) -> None:
    repository = actor.store.repository
    if vault.is_private or scope.is_detached or scope.branch == actor.trunk:
        return
    tip, name = repository.tip_of(scope.branch), KEEP + scope.component
    last_tip = refs.read(repository.handle, name)
    if tip and tip != last_tip:
        vault.move_ref(actor.held, name, tip, old=last_tip, why="keep")


def _promote(actor: Actor, vault: Vault, line: PlanLine) -> None:
    if not line.trashed:
        line = promotion.put_behind(actor, vault, line)
    promotion.promote(vault, actor.held, line.scope, line.heads, line.landed)
    if line.drops:
        _drop(actor, vault, line)
    elif not line.trashed:
        remember_tip(actor, vault, line.scope)
        _note_code(actor, vault, line)
    remember_tip(actor, vault, Scope(line.into))


def _drop(actor: Actor, vault: Vault, line: PlanLine) -> None:
    """The ref goes once all of it is where its code landed; else it stays."""
    here = vault.snapshot_at(line.scope, line.tip)
    left = set(promotion.list_all(vault, here, vault.snapshot(Scope(line.into))))
    for into in dict.fromkeys([line.into, *(some.into for some in line.landed)]):
        left = list_not_taken(vault, left, vault.snapshot(Scope(into)))
    if left:
        return
    if not vault.is_private and not was_shared(vault, line.scope):
        target = vault.snapshot(Scope(line.into)).listing()
        own = {mid: blob for mid, blob in here.listing().items() if mid not in target}
        special = read_special(vault, own.values())
        captured = {m: b for m, b in own.items() if b in special and is_captured(special[b])}
        _keep_private(actor, vault, line, Scope(line.into), captured)
    if line.trashed:
        vault.move_ref(actor.held, line.trashed.ref, None, old=line.tip, why="promoted")
    elif vault.head(line.scope):
        heads.move_head(vault, actor.held, line.scope, None, why="promoted")
        forget_tip(actor, vault, line.scope)


def forget_tip(actor: Actor, vault: Vault, scope: Scope) -> None:
    name = KEEP + scope.component
    if tip := refs.read(vault.repository.handle, name):
        vault.move_ref(actor.held, name, None, old=tip, why="judged")


def _trash(actor: Actor, vault: Vault, line: PlanLine, keep_lessons: bool) -> None:
    """Our own head is put away; what other clones say is theirs. One ref move, however many
    memories there are. It is judged again there, when nothing but its own commits may tell where
    its code was: another branch may have its name."""
    _note_code(actor, vault, line)
    own = vault.head(line.scope)
    if own is None:
        return
    if keep_lessons:
        _keep_lessons(actor, vault, line)
    there = refs.list_refs(vault.repository.common_dir, f"{TRASH}{line.scope.component}/")
    if own not in there.values():
        name = trash_name(vault, line.scope, actor.seconds)
        vault.move_ref(actor.held, name, own, old=None, why="trash")
    heads.move_head(vault, actor.held, line.scope, None, why="trash")
    forget_tip(actor, vault, line.scope)


def trash_name(vault: Vault, scope: Scope, seconds: float, ending: str = "") -> str:
    """A name in the trash that nothing has yet."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))
    names_there = refs.list_refs(vault.repository.common_dir, f"{TRASH}{scope.component}/")
    names = (
        f"{TRASH}{scope.component}/{stamp}{f'-{n}' if n > 1 else ''}{ending}"
        for n in range(1, 10_000)
    )
    return next(name for name in names if name not in names_there)


def _keep_lessons(actor: Actor, vault: Vault, line: PlanLine) -> None:
    """Keep what an abandoned branch tried and saw fail: we tried this. It is for everyone, or, if
    the branch was never shared, for the private trunk."""
    trunk = Scope(actor.trunk)
    there = vault.snapshot(trunk)
    lessons = _find_lessons(vault, line.scope, line.tip)
    own = {mid: blob for mid, blob in lessons.items() if mid not in there.listing()}
    if not vault.is_private and not was_shared(vault, line.scope):
        _keep_private(actor, vault, line, trunk, own)
        return
    refused = kept_back(vault, there.tip) if there.tip else {}
    some = tuple(one for one in sorted(own.items()) if one not in refused)
    if some:
        landing = Landing(LESSONS, trunk.branch)
        landed = LandedVersions(trunk.branch, landing, some)
        promotion.promote(vault, actor.held, line.scope, line.heads, [landed])


def _keep_private(
    actor: Actor, vault: Vault, line: PlanLine, into: Scope, some: Mapping[str, str]
) -> None:
    """Keep memories of a branch that was never shared in a private scope, seen by you alone."""
    there = actor.store.private.snapshot(into).listing() if actor.store.private else {}
    documents = {
        memory_id: vault.repository.objects.blob(blob)
        for memory_id, blob in sorted(some.items())
        if memory_id not in there
    }
    if documents:
        private = actor.store.make_private(actor.held)
        subject = f"keep {len(documents)} memories of {mask(line.scope.branch)}"
        code = CodePosition(mask_branch(into.branch))
        actor.write(private, into, documents, Message("capture", subject, code, tuple(documents)))


def list_lessons(vault: Vault, line: PlanLine) -> tuple[str, ...]:
    """List the failed attempts of a branch that a plan puts away."""
    return tuple(sorted(_find_lessons(vault, line.scope, line.tip)))


def _find_lessons(vault: Vault, scope: Scope, tip: str) -> Listing:
    """Return the failed attempts of a scope."""
    listing = vault.snapshot_at(scope, tip).listing()
    failed = {
        blob
        for blob, memory in read_special(vault, listing.values()).items()
        if memory.details.get("outcome") == "failed" and not memory.is_forgotten
    }
    return {memory_id: blob for memory_id, blob in listing.items() if blob in failed}


def take_back_promotion(
    actor: Actor, vault: Vault, source: Scope, target: Scope, ids: Collection[str] = ()
) -> promotion.Brought:
    """Undo what was promoted, as if it had not been; the scope it came from is there again."""
    brought = promotion.find_brought(vault, source, target, ids)
    if not brought.versions:
        return brought
    promotion.keep_back(actor, vault, target, brought)
    if vault.tip(source) is None and brought.sources:
        if trashed := _find_trashed(vault, source, brought.sources):
            vault.move_ref(actor.held, *trashed, old=None, why="trash")
        else:
            heads.append_to_own_head(vault, actor.held, source, brought.sources, "restored")
            mark_restored(actor, vault, source, {})
    return brought


def _find_trashed(vault: Vault, scope: Scope, tips: Collection[str]) -> tuple[str, str] | None:
    """The ref in the trash from which a scope was promoted, by its log, and what it was at."""
    folder = vault.repository.common_dir / "logs" / TRASH / scope.component
    for log in sorted(folder.glob("*"), reverse=True):
        for line in reversed(reflog.lines(log)):
            if line.new in tips:
                return f"{TRASH}{scope.component}/{log.name}", line.new
    return None


def mark_restored(actor: Actor, vault: Vault, scope: Scope, documents: Documents) -> None:
    """Put a commit on top of what came back, with what had to be written for that: so it is not
    judged again at once, and is shared on."""
    subject = f"restore memories of {mask(scope.branch)}"
    actor.write(
        vault, scope, documents, Message(RESTORED, subject, actor.code_of(scope), tuple(documents))
    )


def drop_private(actor: Actor, scope: Scope, ids: Collection[str]) -> int:
    """Take memories out of a private scope: they are shared now, or where they came from. Return
    how many there were."""
    private = actor.store.private
    there = private.snapshot(scope).listing() if private else {}
    some = sorted(there.keys() & set(ids))
    if private and some:
        code = CodePosition(mask_branch(scope.branch))
        why = Message("capture", f"drop {len(some)} private copies", code, tuple(some))
        actor.write(private, scope, dict.fromkeys(some), why)
    return len(some)


def take_lessons_back(actor: Actor, vault: Vault, scope: Scope, tip: str) -> int:
    """Give a branch back what it gave to the trunk when it was dropped; return how many that
    were."""
    target = Scope(actor.trunk)
    if not vault.is_private and not was_shared(vault, scope):
        return drop_private(actor, target, _find_lessons(vault, scope, tip))
    with contextlib.suppress(Conflict):  # somebody went on with it there: it stays
        brought = promotion.find_brought(vault, scope, target, kind=LESSONS)
        if tip in brought.sources:
            promotion.keep_back(actor, vault, target, brought)
            return len(brought.versions)
    return 0


def rename(held: Held, vault: Vault, old: Scope, new: Scope) -> None:
    """The memories of a branch follow its name, and its last known tip with them."""
    heads.rename(vault, held, old, new)
    name = KEEP + old.component
    if last_tip := refs.read(vault.repository.handle, name):
        there = refs.read(vault.repository.handle, KEEP + new.component)
        if there is None:
            vault.move_ref(held, KEEP + new.component, last_tip, old=None, why="renamed")
        vault.move_ref(held, name, None, old=last_tip, why="renamed")


def rename_aside(actor: Actor, vault: Vault, scope: Scope, aside: Scope) -> None:
    """Move what a branch before the present one left under its name out of the way, with the last
    tip that is known of that branch."""
    own, keep = vault.head(scope), KEEP + aside.component
    last = last_write(vault, own) if own else None
    rename(actor.held, vault, scope, aside)
    if last and not vault.is_private and refs.read(vault.repository.handle, keep) is None:
        left = reflog.left_after(actor.store.repository, scope.branch, last.time)
        if left and actor.store.repository.resolve(left):
            vault.move_ref(actor.held, keep, left, old=None, why="keep")


# --- one scope, before it is written to -----------------------------------------------------------


def claim_name(actor: Actor, vault: Vault, scope: Scope) -> None:
    """Before a write: let the scope have the branch's name, and be the branch's own."""
    now = scope_now(actor.store.repository, vault, scope)
    if now == scope:
        return
    if vault.head(scope):
        _clear_name(actor, vault, scope)
    if now is not None and vault.head(scope) is None and vault.head(now):
        rename(actor.held, vault, now, scope)


def _clear_name(actor: Actor, vault: Vault, scope: Scope) -> None:
    """Give what another branch left under this name to the one it belongs to, or move it aside."""
    repository = actor.store.repository
    judge = Judge.open(actor.store)
    lines = plan(repository, vault, survey(actor.store, vault), judge)
    if any(line.scope == scope and line.action == "rename" for line in lines):
        # Its new name may be taken in turn.
        named = [line for line in lines if line.action in ("rename", "aside")]
        for number in order_lines(named):
            apply(actor, vault, named[number])
    elif tip := vault.head(scope):
        oldest = ScopeHistory(repository, vault.history.read(vault, [tip]), tip).oldest
        rename_aside(actor, vault, scope, scope.aside(oldest))
