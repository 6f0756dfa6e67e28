"""The way back from a sync: the tip a scope had before, where the sync hid, dropped or overwrote
memories of ours. Anyone who may push can do so in good form; nobody should have to dig for it."""

import calendar
import time
from collections.abc import Iterator
from typing import NamedTuple

from treering.branches.apply import Actor
from treering.branches.survey import read_branch
from treering.git import refs
from treering.model.scope import UNDO, Scope
from treering.store.merge.replay import is_redacted
from treering.store.vault import Vault

_KEPT_FOR = 30 * 24 * 60 * 60
_MAX_UNDO_REFS = 30
_STAMP = "%Y%m%dT%H%M%SZ"
_MANY, _SOME = 10, 2


class EarlierTip(NamedTuple):
    """A scope as it was before a sync."""

    ref: str
    scope: Scope
    tip: str
    stamp: str

    @property
    def when(self) -> float:
        try:
            return calendar.timegm(time.strptime(self.stamp[:16], _STAMP))
        except ValueError:
            return 0.0


class Effect(NamedTuple):
    """The effect of a deed on the memories, prompts and templates a scope had."""

    files: int
    changed: int  # or hidden
    hidden: int

    @property
    def is_large(self) -> bool:
        """Return whether someone should be told: more than ten, or more than a tenth."""
        return self.changed > _MANY or (self.changed > _SOME and self.changed * 10 > self.files)

    def __str__(self) -> str:
        return f"{self.changed} of {self.files} memories were changed, {self.hidden} of them hidden"


def keep(actor: Actor, vault: Vault, scope: Scope, tip: str) -> str:
    """Write down where a scope was, and let go of what is too old or too much."""
    stamp = time.strftime(_STAMP, time.gmtime(actor.seconds))
    earlier = list(list_before(vault, scope))
    stamps_there = {before.stamp for before in earlier}
    stamps = (stamp if n == 1 else f"{stamp}-{n}" for n in range(1, 10_000))
    name = f"{UNDO}{scope.component}/{next(s for s in stamps if s not in stamps_there)}"
    vault.move_ref(actor.held, name, tip, old=None, why="sync: before")
    for number, before in enumerate(earlier, 2):
        if number > _MAX_UNDO_REFS or before.when < actor.seconds - _KEPT_FOR:
            vault.move_ref(actor.held, before.ref, None, old=before.tip, why="sync: too old")
    return name


def list_before(vault: Vault, scope: Scope | None = None) -> Iterator[EarlierTip]:
    """The ways back there are, newest first: of one scope, or of all."""
    prefix = f"{UNDO}{scope.component}/" if scope else UNDO
    tips = []
    for ref, tip in refs.list_refs(vault.repository.common_dir, prefix).items():
        component, _, stamp = ref.removeprefix(UNDO).partition("/")
        whose = scope or Scope.of_component(component, read_branch(vault, tip))
        if whose and stamp:
            tips.append(EarlierTip(ref, whose, tip, stamp))
    yield from sorted(tips, key=lambda before: (before.when, before.ref), reverse=True)


def measure(vault: Vault, before: str, after: str | None) -> Effect:
    """Return what the way from one tip to another did to what was there."""
    pairs = overwritten(vault, before, after)
    count = sum(
        now is None or (is_forgotten(vault, now) and not is_forgotten(vault, was))
        for was, now in pairs.values()
    )
    there = vault.snapshot_at(Scope(""), before)
    return Effect(len(there.listing()), len(pairs), count)


def overwritten(vault: Vault, before: str, now: str | None) -> dict[str, tuple[str, str | None]]:
    """The memories that are no longer what they were: the blob then, and now, by id.

    What was redacted since is not among them: it must not come back.
    """
    return {
        memory_id: (was, blob)
        for memory_id, (was, blob) in vault.diff(before, now).items()
        if was and not is_redacted(vault.try_memory(blob))
    }


def is_forgotten(vault: Vault, blob: str) -> bool:
    """Return whether a blob is a memory that was forgotten."""
    memory = vault.try_memory(blob)
    return memory is not None and memory.is_forgotten
