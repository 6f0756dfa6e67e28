"""What is about to leave this machine, looked at once more: history forgets no credential."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.errors import StoreDamaged
from treering.model.scope import Scope
from treering.store import layout
from treering.store.message import KEEP
from treering.store.vault import Vault
from treering.text import secrets
from treering.text.masking import mask


class Leak(NamedTuple):
    """A file that holds what looks like a credential: a memory by its id, else by its name."""

    what: str
    kind: str


class NewFile(NamedTuple):
    """A version of a file that a remote does not have yet."""

    path: str
    blob: str


#: Head -> the versions that its history brings to a remote for the first time.
Departures = Mapping[str, Sequence[NewFile]]


def list_departures(vault: Vault, heads: Iterable[str], there: Iterable[str]) -> Departures:
    """What heads would let a remote see that no head there has."""
    here = [head for head in there if vault.repository.objects.exists(head)]
    return {head: list(dict.fromkeys(_list_new_files(vault, head, here))) for head in heads}


def _list_new_files(vault: Vault, head: str, there: Sequence[str]) -> Iterator[NewFile]:
    commits = vault.history.read(vault, [head], without=there)
    for oid, changes in vault.history.read_changes(vault, commits).items():
        if len(commits[oid].parents) > 1 or commits[oid].op == KEEP:
            continue  # what it puts together, or back, is in the others
        yield from (NewFile(change.path, change.blob) for change in changes if change.blob)


def find_leaks(vault: Vault, files: Iterable[NewFile]) -> Iterator[Leak]:
    """The credentials in some files."""
    for path, blob in files:
        try:
            text = vault.repository.objects.blob(blob).decode(errors="replace")
        except StoreDamaged:
            continue  # too large to be ours, or not here
        for kind in secrets.secrets_in(text):
            yield Leak(layout.id_of_path(path) or path, kind)


def warn_of_name(scope: Scope) -> str:
    """What to tell about a branch whose name holds a credential, else "". The name is the ref, and
    nothing can be taken out of it, so it is no reason to keep the memories here."""
    kinds = secrets.secrets_in(scope.branch)
    if not kinds:
        return ""
    return (
        f"the name of the branch {mask(scope.branch)} holds what looks like a credential "
        f"({', '.join(kinds)}), and is shared with its memories: rename the branch"
    )
