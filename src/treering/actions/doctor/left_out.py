"""What others did to our scopes: left out, put back, changed, and the way back."""

from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.actions.workspace import Workspace
from treering.branches import undo
from treering.branches.survey import local_scopes
from treering.errors import TreeringError
from treering.git import refs
from treering.git.lock import Held
from treering.model.dates import format_moment
from treering.model.scope import Scope
from treering.store.absence import find_loss, list_kept, put_back, tell


def find_left_out(workspace: Workspace, held: Held | None) -> Iterator[Finding]:
    scopes = local_scopes(workspace.store.shared)
    for scope, tip in scopes.items():
        yield from _find_vanished(workspace, held, scope, tip)
    for kept in list_kept(workspace.store.shared, list(scopes.values()), whole=True):
        said = (
            f"{kept.files} files of {kept.branch} were left out by {kept.author} in "
            f"{kept.commit[:12]} and put back."
        )
        yield Finding("kept", "info", said, "Ask them. Nothing was lost.")


def ways_back(workspace: Workspace) -> Iterator[Finding]:
    """Syncs that changed or hid much of what was here."""
    vault = workspace.store.shared
    for before in undo.list_before(vault):
        try:
            tip = refs.read(vault.repository.handle, before.scope.ref)
            effect = undo.measure(vault, before.tip, tip) if tip else None
        except TreeringError:
            continue
        if effect and effect.is_large:
            branch = before.scope.branch
            said = f"Since a sync at {format_moment(before.when)} {effect} on {branch}."
            fix = f"If nobody wanted that: treering restore {branch} --before-sync"
            yield Finding("undo", "info", said, fix)


def _find_vanished(
    workspace: Workspace, held: Held | None, scope: Scope, tip: str
) -> Iterator[Finding]:
    """Files that are in the history of a scope and were taken away by nobody's word."""
    vault = workspace.store.shared
    try:
        loss = find_loss(vault, scope, tip, None)
        if loss and held:
            whole = put_back(vault, scope, tip, loss)
            vault.move_ref(held, scope.ref, whole, old=tip, why="doctor: put back")
    except TreeringError:
        return  # a history that cannot be read has a finding of its own
    for kept in tell(vault, scope, loss):
        said = (
            f"{kept.files} files of {kept.branch} were left out by {kept.author} in "
            f"{kept.commit[:12]}, and nobody forgot them."
        )
        yield Finding("vanished", "error", said, "treering doctor", fixed=held is not None)
