"""The heads of a scope, and what they are together.

Every clone says what it has to say on a head of its own. What is seen is all heads joined: a commit
that anyone who knows the same heads makes the same way, so it is never shared. A new memory goes on
our own head alone. Only who changes what others brought puts the change on top of both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from treering.errors import StoreDamaged, TreeringError
from treering.git import refs
from treering.git.binding import without_fsync
from treering.git.lock import Held
from treering.git.objects import Person
from treering.model.scope import Scope
from treering.store.ancestry import contains, list_contained, read_news
from treering.store.message import JOIN, CodePosition, Message
from treering.store.vault import NOBODY, Documents, Vault
from treering.text.masking import mask, mask_branch

if TYPE_CHECKING:  # what joins heads is imported where several are joined
    from treering.store.merge.join import JoinResult

_MOST_JOINS = 16
#: What the log of a ref says of a scope that followed a branch, before its former name.
RENAMED = "renamed from "
_Joins = dict[tuple[Scope, frozenset[str]], "tuple[str, JoinResult | None]"]
#: Scope and heads -> what they are together, and what was decided on the way.
_joins: WeakKeyDictionary[Vault, _Joins] = WeakKeyDictionary()


def list_heads(vault: Vault, scope: Scope) -> list[str]:
    """The heads a scope's view is made of, our own included; those that hold others alone."""
    own, view = vault.head(scope), refs.read(vault.repository.handle, scope.view_ref)
    if view is None:
        return [own] if own else []
    try:
        joined = list_joined(vault, view)
    except StoreDamaged:
        joined = ()  # what was joined is seen where it was fetched to
    if own is None or own in joined:
        return list(joined)
    return list_independent(vault, [own], joined)


def list_joined(vault: Vault, view: str) -> tuple[str, ...]:
    """The heads a view was made of; one that is no join is a head itself."""
    commit = vault.repository.objects.commit(view)
    return commit.parents if vault.is_join(view) else (view,)


def list_independent(
    vault: Vault, heads: Collection[str], known: Collection[str] = ()
) -> list[str]:
    """The heads that no other one holds, sorted. Of those `known` none holds another, so only what
    is new in the others costs."""
    unique = sorted({*heads, *known})
    if len(unique) < 2:
        return unique
    if len(unique) == 2:
        pairs = (unique, unique[::-1])
        return [head for head, other in pairs if not contains(vault.repository, other, head)]
    graph = read_news(vault.repository, [head for head in unique if head not in known], known)
    below = {parent for parents in graph.values() for parent in parents}
    reached = [h for h in unique if h in below or (h not in known and h not in graph)]
    held = list_contained(vault.repository, unique, reached)
    return [head for head in unique if head not in held]


def combine(
    vault: Vault,
    scope: Scope,
    heads: Collection[str],
    *,
    known: Collection[str] = (),
    before: str | None = None,
) -> tuple[str, JoinResult | None]:
    """The commit that heads are together: the only one that no other holds, or their join, which is
    written; no ref is moved. Of those `known` none holds another; with `before`, what they were
    together, only what is new costs."""
    alone = list_independent(vault, heads, known)
    if len(alone) == 1:
        return alone[0], None
    from treering.store.merge.join import join

    result = join(vault, alone, before=before)
    tree = vault.write_tree(result.base, result.documents)
    return _commit_join(vault, scope, alone, tree), result


def combine_for_view(
    vault: Vault,
    scope: Scope,
    heads: Collection[str],
    *,
    known: Collection[str] = (),
    before: str | None = None,
) -> tuple[str, JoinResult | None]:
    """The same, for who only looks: of thousands of heads it is made once. The disk is not waited
    for, since it can be made again."""
    key, joins = (scope, frozenset((*heads, *known))), _joins.setdefault(vault, {})
    if key not in joins or not vault.repository.objects.exists(joins[key][0]):
        if len(joins) >= _MOST_JOINS:
            joins.clear()
        with without_fsync():
            joins[key] = combine(vault, scope, heads, known=known, before=before)
    return joins[key]


def _commit_join(vault: Vault, scope: Scope, heads: Sequence[str], tree: str) -> str:
    """A join as a commit. Nothing in it is of this clone or this moment."""
    from treering.store.dates import newest

    objects = vault.repository.objects
    parents = tuple(sorted(heads))
    seconds = newest([objects.commit(head).time for head in parents], vault.clock())
    text = Message(JOIN, mask(scope.branch), CodePosition(mask_branch(scope.branch))).as_text()
    return objects.write_commit(tree, parents, NOBODY, seconds, text)


# --- writing -------------------------------------------------------------------------------------


def write(
    vault: Vault,
    held: Held,
    to: Scope,
    documents: Documents,
    why: Message,
    *,
    person: Person,
    seconds: float,
) -> str:
    """Write memories to a scope in one commit on our own head, and return it.

    Where another head has one of them, the commit goes on top of that one, too: it knows what it
    changes.
    """
    own, view = vault.head(to), vault.tip(to)
    for head in list_joined(vault, view) if view else ():
        vault.refuse_newer_format(head)
    others = [head for head in list_heads(vault, to) if head != own]
    if view and own is None and not others:
        others = vault.fetched_heads(to)
    holders: list[str] = []
    if view and any(vault.blob_at(view, key) for key in documents):
        holders = [head for head in others if any(vault.blob_at(head, key) for key in documents)]
    parent = own
    if holders:
        parent, _ = combine(vault, to, [*holders, *([own] if own else [])])
    commit = vault.commit(
        held, to, documents, why, parent=parent, old=own, person=person, seconds=seconds
    )
    if others and view:
        others = [head for head in others if head not in holders]
        _renew_view(vault, held, to, commit, others, view, documents)
    return commit


def _renew_view(
    vault: Vault,
    held: Held,
    scope: Scope,
    commit: str,
    others: Sequence[str],
    view: str,
    ids: Iterable[str],
) -> None:
    """The view after a commit of ours, which knew all that others did to its memories: what it
    wrote stands, and nothing else is different."""
    old = refs.read(vault.repository.handle, scope.view_ref)
    heads = [commit, *others]
    if not others:
        new = commit
    else:
        blobs = {memory_id: vault.blob_at(commit, memory_id) for memory_id in ids}
        with without_fsync():  # it can be made again
            tree = vault.write_loose_tree(vault.tree_of(view), blobs)
            new = _commit_join(vault, scope, heads, tree)
    set_view(vault, held, scope, new, old=old)


def set_view(vault: Vault, held: Held, scope: Scope, view: str | None, *, old: str | None) -> None:
    """Let a scope be seen as `view`; no ref is needed where that is our own head."""
    new = None if view == vault.head(scope) else view
    if new != old:
        vault.move_ref(held, scope.view_ref, new, old=old, why="view")


def append_to_own_head(
    vault: Vault, held: Held, scope: Scope, heads: Collection[str], why: str
) -> str:
    """Let our own head say what some commits say, too: a promotion, or other heads to be folded.

    Returns the new own head.
    """
    own = vault.head(scope)
    new, _ = combine(vault, scope, [*heads, *([own] if own else [])])
    if new != own:
        move_head(vault, held, scope, new, why=why)
    return new


def move_head(vault: Vault, held: Held, scope: Scope, new: str | None, *, why: str) -> None:
    """Move our own head of a scope, and the view with it. Without a head the scope is no longer
    ours: what others say can still be seen where they say it."""
    own, view = vault.head(scope), refs.read(vault.repository.handle, scope.view_ref)
    others = [head for head in list_heads(vault, scope) if head != own]
    if own is None and view is None:
        # What was seen so far, and is to be seen on.
        others = vault.fetched_heads(scope)
    if new != own:
        vault.move_ref(held, scope.ref, new, old=own, why=why)
    if new is None:
        set_view(vault, held, scope, None, old=view)
    elif others:
        whole, _ = combine(vault, scope, [new], known=others)
        set_view(vault, held, scope, whole, old=view)


def rename(vault: Vault, held: Held, old: Scope, new: Scope) -> None:
    """Our own head gets another name; the new ref is there before the old one goes."""
    own = vault.head(old)
    if own is None:
        return
    view = vault.tip(old)
    if vault.head(new) is None:
        refs.copy_log(vault.repository.common_dir, old.ref, new.ref)
    append_to_own_head(vault, held, new, [own], RENAMED + old.branch)
    if view and view != own and vault.tip(new) == vault.head(new):
        set_view(vault, held, new, view, old=None)
    move_head(vault, held, old, None, why=f"renamed to {new.branch}")


def add_heads_to_view(
    vault: Vault, held: Held, scope: Scope, heads: Collection[str]
) -> tuple[str | None, JoinResult | None]:
    """Let the view of a scope have more heads; a head once seen stays known."""
    view = vault.tip(scope)
    known = list_heads(vault, scope)
    if not known and not heads:
        return None, None
    old = refs.read(vault.repository.handle, scope.view_ref)
    before = view if view and set(list_joined(vault, view)) <= {*known, *heads} else None
    new, result = combine_for_view(vault, scope, heads, known=known, before=before)
    set_view(vault, held, scope, new, old=old)
    return new, result


def repair_view(vault: Vault, scope: Scope, view: str, own: str | None) -> str | None:
    """The view of a scope whose head moved on, and whose ref did not, or which was lost on its way
    to disk: a writer was killed, or the power went. Nothing but objects is written; where that
    cannot be, our own head is seen."""
    try:
        heads: Collection[str] = list_joined(vault, view)
    except StoreDamaged:
        heads = vault.fetched_heads(scope)
    some = [*heads, *([own] if own else [])]
    try:
        return combine_for_view(vault, scope, some)[0] if some else None
    except TreeringError:
        return own


def read_merged(vault: Vault, scope: Scope, heads: Sequence[str]) -> str:
    """Return what some heads are together, for a look; the newest of them where that cannot be
    written down."""
    try:
        return combine_for_view(vault, scope, heads)[0]
    except TreeringError:
        return max(heads, key=lambda head: (vault.repository.objects.commit(head).time, head))
