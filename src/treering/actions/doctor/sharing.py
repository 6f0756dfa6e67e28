"""What is fetched and from where; a remote may offer anything, and any number of it."""

from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.actions.workspace import Workspace
from treering.git import refs
from treering.model.scope import REMOTES
from treering.store.vault import Vault
from treering.sync import refspec

#: More fetched refs than these are counted, not read.
_MOST_FETCHED = 1_000


def sharing(workspace: Workspace, may_repair: bool) -> Iterator[Finding]:
    repository = workspace.repository
    if wrong := refspec.wrong(repository):
        fixed = may_repair and refspec.repair(repository)
        said = f"`git fetch {wrong[0]}` does not bring memories, or puts them under another name."
        yield Finding("fetch-refspec", "warning", said, "treering doctor", fixed=fixed)
    if repository.is_shallow:
        said = "This clone is shallow: what two people changed is merged without its history."
        yield Finding("shallow", "info", said, "git fetch --unshallow")


def list_fetched(vault: Vault) -> list[tuple[str, str]]:
    """The refs remotes were seen to have, as many as are looked at."""
    return list(refs.list_refs(vault.repository.common_dir, REMOTES).items())[:_MOST_FETCHED]


def strange_remotes(vault: Vault) -> Iterator[Finding]:
    found = refs.list_refs(vault.repository.common_dir, REMOTES)
    for remote in sorted({_remote_of(name) for name in found} - set(vault.repository.remotes())):
        yield Finding(
            "gone-remote",
            "info",
            f"Memories were fetched from {remote!r}, which is not a remote any more.",
            f"git for-each-ref --format='delete %(refname)' {REMOTES}{remote} | "
            "git update-ref --stdin",
        )
    if len(found) > _MOST_FETCHED:
        said = f"{len(found)} scopes were fetched. {_MOST_FETCHED} of them were checked."
        yield Finding("many-scopes", "info", said, "Nothing has to be done.")


def _remote_of(name: str) -> str:
    return name.removeprefix(REMOTES).rpartition("/heads/")[0]
