"""The heads that no sync has looked at yet, and what is known to be whole of each.

What a fetch saw says nothing of that: with our line in its configuration any `git fetch` brings
heads, and nobody looks at them then.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from treering.git import refs
from treering.model.scope import HEADS, Scope
from treering.store import heads
from treering.store.ancestry import contains, list_below, list_contained, read_news
from treering.store.store import Store
from treering.sync.place import Place
from treering.sync.plan import is_wanted


class Sight(NamedTuple):
    """What is known of a remote: what a fetch saw before a head, and what a sync has looked at."""

    #: Head -> what its ref had before this sync.
    earlier: Mapping[str, str]
    #: Names of scopes and heads of them that are not ours.
    inspected: Collection[tuple[str, str]]
    #: Only what a fetch saw counts: a clone on one disk has objects that nobody fetched.
    is_narrow: bool


def list_unseen(store: Store, place: Place, sight: Sight) -> dict[Scope, dict[str, str | None]]:
    """The heads of each scope that are not seen with ours, or were not looked at, each with what is
    known to be whole of it, or None."""
    unseen: dict[Scope, dict[str, str | None]] = {}
    exists = store.repository.objects.exists
    for scope in place.heads:
        tips = [tip for tip in place.tips(scope) if not sight.is_narrow or tip in sight.earlier]
        tips = _leave_out_aside(store, scope, tips)
        ours = dict.fromkeys(heads.list_heads(store.shared, scope))
        if ours:
            tips = [tip for tip in tips if tip not in ours and exists(tip)]
            tips = _leave_out_own(store, place, scope, tips)
            bases = _list_news(store, scope, tips, ours, sight.earlier)
        else:
            is_ours = is_wanted(store.shared, scope)
            bases = {
                tip: _find_inspected(scope, sight.earlier.get(tip), sight)
                for tip in tips
                if (is_ours or (scope.component, tip) not in sight.inspected) and exists(tip)
            }
        if bases:
            unseen[scope] = bases
    return unseen


def _leave_out_aside(store: Store, scope: Scope, tips: list[str]) -> list[str]:
    """Leave out what belongs to a branch before the one that has the name now: it lies aside."""
    folder, prefix = store.repository.common_dir, f"{scope.ref}%7E"
    aside = [
        head
        for name, tip in refs.list_refs(folder, prefix).items()
        if (other := store.shared.scope_named(name.removeprefix(HEADS), tip))
        for head in heads.list_heads(store.shared, other)
    ]
    held = list_contained(store.repository, aside, tips) if aside else ()
    return [tip for tip in tips if tip not in aside and tip not in held]


def _leave_out_own(store: Store, place: Place, scope: Scope, tips: Collection[str]) -> list[str]:
    """Without what we said ourselves and have said more since, as before every push."""
    last, own = place.own_head(scope), store.shared.head(scope)
    is_past = last in tips and own and contains(store.repository, own, last)
    return [tip for tip in tips if not (is_past and tip == last)]


def _find_inspected(scope: Scope, tip: str | None, sight: Sight) -> str | None:
    return tip if tip and (scope.component, tip) in sight.inspected else None


def _list_news(
    store: Store,
    scope: Scope,
    tips: Collection[str],
    ours: Collection[str],
    earlier: Mapping[str, str],
) -> dict[str, str | None]:
    """Heads that say something ours do not. What is whole of one is the head it was made from,
    where that is one of ours, or all we see; nothing, where it has no past in common with us, or
    ours have it only behind a promotion, where nobody looked."""
    graph = read_news(store.shared.repository, tips, ours) if tips else {}
    held = list_contained(store.repository, ours, [tip for tip in tips if tip not in graph])
    bases: dict[str, str | None] = {}
    for tip in tips:
        if tip not in graph:
            bases |= {} if tip in held else {tip: None}
            continue
        below = list_below(graph, tip)
        known = [head for head in (earlier.get(tip), *below) if head in ours]
        is_sure = bool(known) and (len(below) == 1 or known[0] == earlier.get(tip))
        bases[tip] = known[0] if is_sure else store.shared.tip(scope) if below else None
    return bases
