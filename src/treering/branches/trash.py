"""The trash: scopes that gc dropped, until someone restores or purges them."""

from collections.abc import Iterator
from typing import NamedTuple

from treering.errors import StoreDamaged
from treering.git import refs
from treering.model.scope import TRASH, Scope
from treering.store import message
from treering.store.vault import Vault

#: How the name of a scope in the trash ends that holds what was redacted.
REDACTED = "-redacted"


class TrashedScope(NamedTuple):
    """A dropped scope."""

    ref: str
    scope: Scope
    tip: str
    stamp: str

    @property
    def is_redacted(self) -> bool:
        """Return whether it was put away for a text in it that somebody redacted."""
        return self.stamp.endswith(REDACTED)


def list_trash(vault: Vault) -> Iterator[TrashedScope]:
    """Dropped scopes, newest first."""
    entries = []
    for name, tip in refs.list_refs(vault.repository.common_dir, TRASH).items():
        component, _, stamp = name.removeprefix(TRASH).partition("/")
        scope = Scope.of_component(component, _branch_of(vault, tip))
        if scope and stamp:
            entries.append(TrashedScope(name, scope, tip, stamp))
    yield from sorted(entries, key=lambda entry: entry.stamp, reverse=True)


def _branch_of(vault: Vault, tip: str) -> str:
    try:
        return message.read(vault.repository.objects.commit(tip).message).code.branch
    except StoreDamaged:
        return ""
