"""A survey: what refs, reflogs and scopes say about every branch that has memories."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from treering.branches.long_lived import long_lived_tips
from treering.branches.names import earlier_scope, is_left_over
from treering.branches.tips import last_tips
from treering.branches.trunk import former_names, trunk_of
from treering.errors import StoreDamaged
from treering.git import reflog, refs
from treering.git.repository import Repository
from treering.model.scope import HEADS, TRASH, VIEWS, Scope
from treering.store import message
from treering.store.ancestry import contains
from treering.store.heads import list_heads
from treering.store.store import Store
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
        scope = Scope.of_component(component, read_branch(vault, tip))
        if scope and stamp:
            entries.append(TrashedScope(name, scope, tip, stamp))
    yield from sorted(entries, key=lambda entry: entry.stamp, reverse=True)


def read_branch(vault: Vault, tip: str) -> str:
    """Return the branch that a memory commit was made for, "" where that cannot be read."""
    try:
        return vault.scope_of(tip).branch
    except StoreDamaged:
        return ""


#: What is done last in a scope that was brought back by hand.
RESTORED = "restore-scope"


class SurveyedScope(NamedTuple):
    """One scope of one vault, and what is known of its branch."""

    scope: Scope
    tip: str
    heads: tuple[str, ...]  # the memory commits it is made of
    branch_tip: str | None  # the local branch, or None
    on_remote: bool
    last_tips: tuple[str, ...]  # where the code was last seen, newest first
    is_restored: bool = False  # brought back by hand, and nothing was written since
    is_left_over: bool = False  # of a branch before the one that has the name now
    is_ours: bool = True  # or what a fetch saw
    trashed: TrashedScope | None = None


class Survey(NamedTuple):
    """Everything a plan is made from."""

    trunk: str
    long_lived: dict[str, list[str]]  # the trunk first: name -> tips
    branches: dict[str, str]
    scopes: tuple[SurveyedScope, ...]
    trash: tuple[SurveyedScope, ...]
    former: frozenset[str]  # what the trunk was called before
    renames: dict[str, str]  # old name -> the branch that carries on
    copies: dict[str, str]  # branch without a scope -> what it was copied from
    held: frozenset[str]  # commits some worktree's HEAD is detached at


def survey(store: Store, vault: Vault) -> Survey:
    """Look at one vault's scopes beside the user's branches."""
    repository, trunk = store.repository, trunk_of(store.repository)
    branches = repository.branches()
    ours = set(refs.list_refs(vault.repository.common_dir, HEADS))
    scopes = vault.scopes()
    mine = {scope: tip for scope, tip in scopes.items() if scope.ref in ours}
    left_over = {s for s, tip in mine.items() if is_left_over(repository, vault, s, tip)}
    with_scope = {scope.branch for scope in mine.keys() - left_over}
    without = [branch for branch in branches if branch not in with_scope]
    fetched = vault.fetched_scopes({scope.branch for scope in scopes})
    remotes = [repository.remote_branches(remote) for remote in repository.remotes()]
    entries = (
        SurveyedScope(
            scope=scope,
            tip=tip,
            heads=tuple(list_heads(vault, scope) or fetched.get(scope, ())),
            branch_tip=branches.get(scope.branch),
            on_remote=scope not in left_over and any(scope.branch in one for one in remotes),
            last_tips=() if scope in left_over else last_tips(repository, scope),
            is_restored=read_op(vault, tip) == RESTORED,
            is_left_over=scope in left_over,
            is_ours=scope in mine,
        )
        for scope, tip in scopes.items()
    )
    trash = []
    for entry in list_trash(vault):
        is_there = entry.scope.branch in branches
        tips = () if is_there else last_tips(repository, entry.scope)
        trash.append(
            SurveyedScope(entry.scope, entry.tip, (entry.tip,), None, False, tips, trashed=entry)
        )
    return Survey(
        trunk=trunk,
        long_lived=long_lived_tips(repository),
        branches=branches,
        scopes=tuple(entries),
        trash=tuple(trash),
        former=frozenset(former_names(repository, trunk)),
        renames=_renames(repository, vault, without, scopes)
        | _renames_done(repository, vault, {*branches} - {*without}, scopes, ours),
        copies={b: s for b in without if (s := reflog.find_copy_source(repository, b))},
        held=frozenset(_list_detached_heads(repository)),
    )


def judge_life(entry: SurveyedScope, survey: Survey) -> Literal["live", "gone", "detached"]:
    """Tell whether the branch of a scope is there, as far as this clone can know: of what others
    wrote it cannot know more, and the trunk is never gone."""
    if entry.scope.is_detached:
        return "detached"
    is_trunk = entry.scope.branch in (survey.trunk, *survey.former)
    is_there = bool(entry.branch_tip) or entry.on_remote or not entry.is_ours
    return "live" if is_trunk or (is_there and not entry.is_left_over) else "gone"


def local_scopes(vault: Vault) -> dict[Scope, str]:
    """The scopes we have something to say in, and what they are now."""
    return _list_scopes(vault, HEADS)


def seen_scopes(vault: Vault) -> dict[Scope, str]:
    """The scopes that are ours, or others' work that we take part in, and what they are now."""
    return local_scopes(vault) | _list_scopes(vault, VIEWS)


def _list_scopes(vault: Vault, prefix: str) -> dict[Scope, str]:
    scopes: dict[Scope, str] = {}
    for name, tip in refs.list_refs(vault.repository.common_dir, prefix).items():
        if scope := vault.scope_named(name.removeprefix(prefix), tip):
            scopes[scope] = vault.tip_or(scope, tip)
    return scopes


def read_op(vault: Vault, tip: str) -> str:
    """Return what was done last in a scope, "" where that cannot be read."""
    try:
        return message.read(vault.repository.objects.commit(tip).message).op
    except StoreDamaged:
        return ""


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


def _renames_done(
    repository: Repository,
    vault: Vault,
    branches: Iterable[str],
    scopes: dict[Scope, str],
    ours: set[str],
) -> dict[str, str]:
    """Branches whose memories have followed them, where a remote still has these under the former
    name: no branch is gone there."""
    new_names: dict[str, str] = {}
    for branch in branches:
        for name, _ in reflog.renames(repository, branch):
            old, own = Scope(name), vault.head(Scope(branch))
            is_fetched = old in scopes and old.ref not in ours
            if own and is_fetched and contains(vault.repository, own, scopes[old]):
                new_names.setdefault(name, branch)
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
