"""A survey: what refs, reflogs and scopes say about every branch that has memories."""

from collections.abc import Iterator
from typing import NamedTuple

from treering.branches.names import earlier_scope, is_left_over, list_made_here
from treering.branches.trunk import trunk_of, trunk_tips
from treering.errors import StoreDamaged
from treering.git import log, reflog, refs
from treering.git.repository import Repository
from treering.model.scope import HEADS, KEEP, TRASH, Scope
from treering.store import message
from treering.store.store import Store
from treering.store.vault import Vault

#: So many of the newest commits are asked where the code was.
_MOST_POSITIONS = 200


class TrashedScope(NamedTuple):
    """A dropped scope."""

    ref: str
    scope: Scope
    tip: str
    stamp: str


class SurveyedScope(NamedTuple):
    """One scope of one vault, and what is known of its branch."""

    scope: Scope
    tip: str
    branch_tip: str | None  # the local branch, or None
    on_remote: bool
    last_tip: str | None  # the last known code commit
    recorded: tuple[tuple[str, str], ...]  # (head, base) pairs written down with memories
    was_merged_by_name: bool
    is_restored: bool  # brought back by hand, and nothing was written since


class Survey(NamedTuple):
    """Everything a plan is made from."""

    trunk: str
    trunk_tips: tuple[str, ...]
    branches: dict[str, str]
    scopes: tuple[SurveyedScope, ...]
    trash: tuple[TrashedScope, ...]
    renames: dict[str, str]  # old name -> the branch that carries on
    copies: dict[str, str]  # branch without a scope -> what it was copied from
    held: frozenset[str]  # commits some worktree's HEAD is detached at


def survey(store: Store, vault: Vault) -> Survey:
    """Look at one vault's scopes beside the user's branches."""
    repository = store.repository
    trunk = trunk_of(repository)
    branches = repository.branches()
    scopes = local_scopes(vault)
    without = [
        branch
        for branch in branches
        if (tip := scopes.get(Scope(branch))) is None
        or is_left_over(repository, vault, Scope(branch), tip)
    ]
    return Survey(
        trunk=trunk,
        trunk_tips=tuple(trunk_tips(repository, trunk)),
        branches=branches,
        scopes=tuple(
            _survey_scope(repository, vault, s, t, branches, trunk) for s, t in scopes.items()
        ),
        trash=tuple(list_trash(vault)),
        renames=_renames(repository, vault, without, scopes),
        copies={b: s for b in without if (s := reflog.find_copy_source(repository, b))},
        held=frozenset(_list_detached_heads(repository)),
    )


def local_scopes(vault: Vault) -> dict[Scope, str]:
    """The scopes we hold ourselves; what a fetch saw is not ours to judge."""
    ours = set(refs.list_refs(vault.repository.common_dir, HEADS))
    return {scope: tip for scope, tip in vault.scopes().items() if scope.ref in ours}


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


def _survey_scope(
    repository: Repository,
    vault: Vault,
    scope: Scope,
    tip: str,
    branches: dict[str, str],
    trunk: str,
) -> SurveyedScope:
    branch_tip = branches.get(scope.branch)
    positions = _recorded_here(vault, scope, tip)
    remotes = repository.remotes()
    return SurveyedScope(
        scope=scope,
        tip=tip,
        branch_tip=branch_tip,
        on_remote=any(repository.remote_tip_of(remote, scope.branch) for remote in remotes),
        last_tip=branch_tip or last_tip(repository, scope, positions),
        recorded=positions,
        was_merged_by_name=_was_merged_by_name(repository, vault, trunk, scope.branch, tip),
        is_restored=_op_of(vault, tip) == "restore-scope",
    )


def _was_merged_by_name(
    repository: Repository, vault: Vault, trunk: str, branch: str, tip: str
) -> bool:
    """Since the branch was made; where its log is gone, since its first memory."""
    if lines := reflog.of_branch(repository, branch):
        since = lines[0].when
    else:
        since = log.first_time(vault.repository.common_dir, tip)
    return reflog.was_merged_by_name(repository, trunk, branch, since)


def _op_of(vault: Vault, tip: str) -> str:
    try:
        return message.read(vault.repository.objects.commit(tip).message).op
    except StoreDamaged:
        return ""


def last_tip(
    repository: Repository, scope: Scope, positions: tuple[tuple[str, str], ...]
) -> str | None:
    """The last known code commit of a branch that is gone: the newest of what was written down."""
    if scope.is_detached:
        return repository.resolve(scope.branch[1:])
    recent = refs.read(repository.handle, KEEP + scope.component)
    candidates = [
        recent,
        positions[0][0] if positions else None,
        reflog.last_left(repository, scope.branch),
    ]
    present = [tip for tip in candidates if tip and _time_of(repository, tip) is not None]
    if not present:
        return next((tip for tip in candidates if tip), None)
    # Clocks differ: a commit that others were built on is not the newest, whatever its date says.
    newest = [
        tip
        for tip in present
        if not any(tip != other and repository.is_ancestor(tip, other) for other in present)
    ]
    return max(newest, key=lambda tip: _time_of(repository, tip) or 0)


def _time_of(repository: Repository, commit: str) -> int | None:
    try:
        return repository.objects.commit(commit).time
    except StoreDamaged:
        return None


def _recorded_here(vault: Vault, scope: Scope, tip: str) -> tuple[tuple[str, str], ...]:
    """What this clone wrote down itself: a trailer of others decides nothing about a branch."""
    if vault.is_private:
        return read_code_positions(vault, tip)
    return read_code_positions(vault, tip, list_made_here(vault, scope))


def read_code_positions(
    vault: Vault, tip: str, among: frozenset[str] | None = None
) -> tuple[tuple[str, str], ...]:
    """Code-Head and Code-Base of the scope's own commits, newest first; with `among` of these."""
    branch = message.read(vault.repository.objects.commit(tip).message).code.branch
    rows = log.read_trailers(
        vault.repository.common_dir,
        tip,
        ["Code-Branch", "Code-Head", "Code-Base"],
        most=_MOST_POSITIONS,
        is_first_parent=among is None,
    )
    return tuple(
        (head, base)
        for oid, name, head, base in rows
        if head and (name == branch if among is None else oid in among)
    )


def _renames(
    repository: Repository, vault: Vault, without: list[str], scopes: dict[Scope, str]
) -> dict[str, str]:
    """Branches without memories of their own that carry on another name's."""
    new_names: dict[str, str] = {}
    for branch in without:
        old = earlier_scope(repository, vault, branch)
        if old in scopes:
            new_names.setdefault(old.branch, branch)
    return new_names


def _list_detached_heads(repository: Repository) -> Iterator[str]:
    heads = [repository.common_dir / "HEAD"]
    heads += (repository.common_dir / "worktrees").glob("*/HEAD")
    for head in heads:
        try:
            text = head.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        if not text.startswith("ref:"):
            yield text
