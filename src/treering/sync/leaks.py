"""The last look at what is about to leave this machine: history forgets no credential."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.errors import StoreDamaged
from treering.model.scope import Scope
from treering.store.message import KEEP
from treering.store.vault import Vault
from treering.text import secrets
from treering.text.masking import mask


class Leak(NamedTuple):
    """A memory that holds what looks like a credential."""

    id: str
    kind: str


class NewVersion(NamedTuple):
    """A version of a memory that a remote does not have yet."""

    id: str
    blob: str


#: Head -> the versions that its history brings to a remote for the first time.
Departures = Mapping[str, Sequence[NewVersion]]


def list_departures(vault: Vault, heads: Iterable[str], there: Iterable[str]) -> Departures:
    """Return what heads would let a remote see that no head there has."""
    here = [head for head in there if vault.repository.objects.exists(head)]
    departures: dict[str, list[NewVersion]] = {}
    for head in heads:
        commits = vault.history.read(vault, [head], without=here)
        departures[head] = [
            NewVersion(change.id, change.blob)
            for oid, changes in vault.history.read_changes(vault, commits).items()
            # What puts something together, or back, has it from the others.
            if len(commits[oid].parents) < 2 and commits[oid].op != KEEP
            for change in changes
            if change.blob
        ]
    return departures


def find_leaks(vault: Vault, versions: Iterable[NewVersion]) -> Iterator[Leak]:
    """The credentials in some versions."""
    for memory_id, blob in versions:
        try:
            text = vault.repository.objects.blob(blob).decode(errors="replace")
        except StoreDamaged:
            continue  # too large to be ours, or not here
        for kind in secrets.secrets_in(text):
            yield Leak(memory_id, kind)


def warn_of_name(scope: Scope) -> str:
    """Return what to tell about a branch whose name holds a credential, else "". The name is the
    ref, and nothing can be taken out of it, so it is no reason to keep the memories here."""
    kinds = secrets.secrets_in(scope.branch)
    if not kinds:
        return ""
    return (
        f"the name of the branch {mask(scope.branch)} holds what looks like a credential "
        f"({', '.join(kinds)}), and is shared with its memories: rename the branch"
    )
