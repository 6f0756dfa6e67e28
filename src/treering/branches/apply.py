"""Carrying a plan out, one line at a time, each complete in itself.

A crash between two steps leaves something the next run completes: a promoted scope whose ref is
still there is known by its tip being reachable from the target; a trashed one by its trash ref.
"""

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from treering.branches import promotion
from treering.branches.landing.judge import Target
from treering.branches.plan import PlanLine
from treering.branches.rewrites import successors
from treering.branches.trunk import trunk_of, trunk_tips
from treering.errors import StorageFailed, TreeringError
from treering.git import config, refs
from treering.git.lock import Held
from treering.git.objects import Person
from treering.model import document
from treering.model.scope import KEEP, TRASH, Scope
from treering.store import layout
from treering.store.message import CodePosition, Message
from treering.store.store import Store
from treering.store.vault import Vault
from treering.text.masking import mask

CodeOf = Callable[[Scope], CodePosition]


class Actor(NamedTuple):
    """Whoever applies: the lock, the name and the time commits get."""

    store: Store
    held: Held
    person: Person
    seconds: float
    code_of: CodeOf


def apply(
    actor: Actor, vault: Vault, lines: Iterable[PlanLine], *, keep_lessons: str = ""
) -> list[PlanLine]:
    """Do what the lines say; the ones that failed come back with what went wrong as reason."""
    results = list(lines)
    for number in _in_turn(results):
        line = results[number]
        try:
            _ACTIONS[line.action](actor, vault, line, keep_lessons)
        except TreeringError as error:
            results[number] = line._replace(verdict="unsure", action="keep", reason=error.message)
    return results


def _in_turn(lines: list[PlanLine]) -> list[int]:
    """The order to do lines in; a scope moves on before another one gets its name."""
    order = sorted(range(len(lines)), key=lambda number: _turn(lines[number]))
    renames = {lines[n].scope.branch: n for n in order if lines[n].action == "rename"}
    moving: list[int] = []
    for number in renames.values():
        chain = [number]
        while (after := renames.get(lines[chain[-1]].into)) is not None and after not in chain:
            chain.append(after)
        moving += [one for one in reversed(chain) if one not in moving]
    at = iter(moving)
    return [next(at) if lines[n].action == "rename" else n for n in order]


def _turn(line: PlanLine) -> int:
    """Names are cleared, then given, before anything is put into the scopes that bear them."""
    if line.verdict == "recreated":
        return 0
    return {"rename": 1, "revive": 2}.get(line.action, 3)


def _keep(actor: Actor, vault: Vault, line: PlanLine, _: str) -> None:
    """Write down where a living branch is, so that it can be judged once it is gone."""
    trunk = trunk_of(actor.store.repository)
    if line.verdict != "live" or line.scope.is_detached or line.branch == trunk:
        return
    remember_tip(actor, vault, line.scope)
    _follow_rewrites(actor, vault, line, trunk)


def _follow_rewrites(actor: Actor, vault: Vault, line: PlanLine, trunk: str) -> None:
    """Let memories name the commit that took the place of the one they were made at."""
    repository = actor.store.repository
    tip = repository.tip_of(line.branch)
    if tip is None:
        return
    memories = {}
    for memory_id, blob in vault.snapshot_at(line.scope, line.tip).listing().items():
        try:
            memories[memory_id] = vault.memory(blob)
        except TreeringError:
            continue
    # A commit memory that another one replaced speaks of the old commit, and stays with it.
    memories = {i: m for i, m in memories.items() if m.status != "superseded" or m.type != "commit"}
    commits = [memory.commit for memory in memories.values() if memory.commit]
    targets = [Target(trunk, at) for at in trunk_tips(repository, trunk)]
    new_commits = successors(repository, line.branch, tip, targets, commits)
    followers = [
        replace(m, commit=new_commits[m.commit])
        for m in memories.values()
        if m.commit in new_commits
    ]
    if followers:
        files: dict[str, bytes | None] = {layout.path_of(m.id): document.dump(m) for m in followers}
        ids = tuple(memory.id for memory in followers)
        subject = f"follow {len(ids)} memories to rewritten commits"
        why = Message("follow", subject, actor.code_of(line.scope), ids)
        vault.commit(actor.held, line.scope, files, why, person=actor.person, seconds=actor.seconds)


def remember_tip(actor: Actor, vault: Vault, scope: Scope) -> None:
    repository = actor.store.repository
    if vault.is_private or scope.is_detached or scope.branch == trunk_of(repository):
        return
    tip, name = repository.tip_of(scope.branch), KEEP + scope.component
    last_tip = refs.read(repository.handle, name)
    if tip and tip != last_tip:
        vault.move_ref(actor.held, name, tip, old=last_tip, why="keep")


def _promote(actor: Actor, vault: Vault, line: PlanLine, _: str) -> None:
    promote(actor, vault, line.scope, line.tip, Scope(line.into), line)
    if line.drops:
        _drop(actor, vault, line)
    else:
        remember_tip(actor, vault, line.scope)
    remember_tip(actor, vault, Scope(line.into))


def promote(
    actor: Actor, vault: Vault, source: Scope, tip: str, target: Scope, line: PlanLine
) -> None:
    """Put what is the source's own into the target, in one commit."""
    here, there = vault.snapshot_at(source, tip), vault.snapshot(target)
    work = promotion.prepare(vault, here, there)
    if work.is_nothing and there.tip and vault.repository.is_ancestor(tip, there.tip):
        return  # done before, by us or by another clone
    read = vault.repository.objects.blob
    files: dict[str, bytes | None] = {
        layout.path_of(memory_id): read(blob) for memory_id, blob in work.taken.items()
    }
    files |= {layout.path_of(memory_id): data for memory_id, data in work.merged.items()}
    files |= {
        layout.saved_path(key): data if isinstance(data, bytes) else read(data)
        for key, data in work.saved.items()
    }
    why = Message(
        op="promote",
        subject=f"promote {len(work.ids)} memories of {mask(source.branch)}",
        code=actor.code_of(target),
        memories=work.ids,
        promoted_from=mask(source.branch),
        merged_as=line.merged_as,
        merge_kind=line.evidence if line.evidence != "none" else "by hand",
    )
    vault.commit(
        actor.held, target, files, why, person=actor.person, seconds=actor.seconds, merging=tip
    )


def _drop(actor: Actor, vault: Vault, line: PlanLine) -> None:
    """The ref goes once all of it is in the target; what is not can still be restored."""
    here, there = vault.snapshot_at(line.scope, line.tip), vault.snapshot(Scope(line.into))
    if not promotion.is_taken_over(vault, here, there):
        _trash(actor, vault, line, "")
        return
    vault.move_ref(actor.held, line.scope.ref, None, old=line.tip, why="promoted")
    forget_tip(actor, vault, line.scope)


def forget_tip(actor: Actor, vault: Vault, scope: Scope) -> None:
    name = KEEP + scope.component
    if last_tip := refs.read(vault.repository.handle, name):
        vault.move_ref(actor.held, name, None, old=last_tip, why="judged")


def _trash(actor: Actor, vault: Vault, line: PlanLine, keep_lessons: str) -> None:
    """One ref move, however many memories there are."""
    if keep_lessons:
        _keep_lessons(actor, vault, line, Scope(keep_lessons))
    if not _is_in_trash(vault, line):
        vault.move_ref(
            actor.held,
            trash_name(vault, line.scope, actor.seconds),
            line.tip,
            old=None,
            why="trash",
        )
    vault.move_ref(actor.held, line.scope.ref, None, old=line.tip, why="trash")
    forget_tip(actor, vault, line.scope)


def _is_in_trash(vault: Vault, line: PlanLine) -> bool:
    prefix = f"{TRASH}{line.scope.component}/"
    return line.tip in refs.list_refs(vault.repository.common_dir, prefix).values()


def trash_name(vault: Vault, scope: Scope, seconds: float) -> str:
    """A name in the trash that nothing has yet."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))
    names_there = refs.list_refs(vault.repository.common_dir, f"{TRASH}{scope.component}/")
    names = (
        f"{TRASH}{scope.component}/{stamp}{f'-{n}' if n > 1 else ''}" for n in range(1, 10_000)
    )
    return next(name for name in names if name not in names_there)


def _keep_lessons(actor: Actor, vault: Vault, line: PlanLine, trunk: Scope) -> None:
    """What an abandoned branch tried and saw fail, kept for everyone: we tried this."""
    listing = vault.snapshot_at(line.scope, line.tip).listing()
    there = vault.snapshot(trunk).listing()
    files: dict[str, bytes | None] = {}
    for memory_id, blob in listing.items():
        try:
            is_lesson = vault.memory(blob).details.get("outcome") == "failed"
        except TreeringError:
            continue
        if is_lesson and memory_id not in there:
            files[layout.path_of(memory_id)] = vault.repository.objects.blob(blob)
    if files:
        ids = tuple(path.rpartition("/")[2].removesuffix(".md") for path in files)
        name = mask(line.branch)
        subject = f"keep-lessons {len(ids)} memories of {name}"
        why = Message("keep-lessons", subject, actor.code_of(trunk), ids, promoted_from=name)
        vault.commit(actor.held, trunk, files, why, person=actor.person, seconds=actor.seconds)


def _rename(actor: Actor, vault: Vault, line: PlanLine, _: str) -> None:
    rename(actor.held, vault, line.scope, line.tip, Scope(line.into))
    remember_tip(actor, vault, Scope(line.into))


def rename(held: Held, vault: Vault, old: Scope, tip: str, new: Scope) -> None:
    """The ref of a branch's memories follows its name; the new one is there before the old goes."""
    refs.copy_log(vault.repository.common_dir, old.ref, new.ref)
    vault.move_ref(held, new.ref, tip, old=None, why=f"renamed from {old.branch}")
    vault.move_ref(held, old.ref, None, old=tip, why=f"renamed to {new.branch}")
    name = KEEP + old.component
    if last_tip := refs.read(vault.repository.handle, name):
        vault.move_ref(held, name, None, old=last_tip, why="renamed")


def _stack(_: Actor, vault: Vault, line: PlanLine, __: str) -> None:
    """A hint only: if it cannot be written, git's own log still tells."""
    with contextlib.suppress(StorageFailed):
        config.put(vault.repository.common_dir, f"branch.{line.branch}.treeringbase", line.into)


def _revive(actor: Actor, vault: Vault, line: PlanLine, _: str) -> None:
    if line.trashed is None:
        return
    if vault.tip(line.scope):  # written to since it is back
        promote(actor, vault, line.scope, line.tip, line.scope, line)
    else:
        vault.move_ref(actor.held, line.scope.ref, line.tip, old=None, why="revived")
    vault.move_ref(actor.held, line.trashed.ref, None, old=line.tip, why="revived")
    remember_tip(actor, vault, line.scope)


_ACTIONS: dict[str, Callable[[Actor, Vault, PlanLine, str], None]] = {
    "keep": _keep,
    "promote": _promote,
    "trash": _trash,
    "rename": _rename,
    "stack": _stack,
    "revive": _revive,
}
