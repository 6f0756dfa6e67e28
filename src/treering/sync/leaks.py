"""What is about to leave this machine, looked at once more: history forgets no credential."""

from collections.abc import Iterator

from treering.errors import StoreDamaged
from treering.git.log import below
from treering.model.scope import REMOTES, Scope
from treering.model.value import NamedTuple
from treering.store import layout
from treering.store.tree_diff import KEEP, differing, read_log, tree_of
from treering.store.vault import Vault
from treering.text import secrets
from treering.text.masking import mask


class Leak(NamedTuple):
    """A file that holds what looks like a credential: a memory by its id, else by its name."""

    what: str
    kind: str


class NewFiles:
    """What a push would bring to a remote; each history is read once."""

    def __init__(self, vault: Vault, remote: str) -> None:
        self.vault = vault
        self._remote = remote
        self._files: dict[str, list[tuple[str, str]]] = {}

    def list_of(self, tip: str) -> list[tuple[str, str]]:
        """Any version of any file that the remote does not have yet: its path and its blob."""
        if tip not in self._files:
            self._files[tip] = list(self._read(tip))
        return self._files[tip]

    def _read(self, tip: str) -> Iterator[tuple[str, str]]:
        vault, elsewhere = self.vault, below(f"{REMOTES}{self._remote}/")
        blobs: set[str] = set()
        for commit in read_log(vault, [tip], without=[elsewhere]):
            if len(commit.parents) > 1 or commit.op == KEEP:
                continue  # what it puts together, or back, is in the others
            before = tree_of(vault, commit.parents[0]) if commit.parents else None
            for path, (_, blob) in differing(vault, before, tree_of(vault, commit.oid)).items():
                if blob and blob not in blobs:
                    blobs.add(blob)
                    yield path, blob


def leaks(files: NewFiles, tip: str) -> Iterator[Leak]:
    """Credentials in any version of any file that a push would bring to a remote."""
    for path, blob in files.list_of(tip):
        try:
            text = files.vault.repository.objects.blob(blob).decode(errors="replace")
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
