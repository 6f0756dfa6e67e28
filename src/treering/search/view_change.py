"""What is seen after a change, made from what was seen before it.

A capture changes one memory of a hundred thousand. What was derived from all of them is taken over
and changed where it differs. What is not known here is derived anew, when it is asked for.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import Corpus
from treering.search.visible import WITHHELD, VisibleEntries


class ViewChange(NamedTuple):
    """What was seen before, and the blobs that are not seen any more, or anew, or elsewhere."""

    before: Mapping[str, int]
    changed: frozenset[str]


def follow(
    old: VisibleEntries,
    snapshot: Corpus,
    visible: Mapping[str, int],
    changed: Iterable[str],
    *,
    is_free: bool = False,
) -> VisibleEntries | None:
    """The view of a snapshot that only adds to the one before, when some blobs changed; None where
    the one before lacked something, which may be there by now.

    Where nobody else uses the old view (`is_free`) it hands over what it has, and is of no more
    use; else that is copied.
    """
    if len(old.all) < len(old.visible):
        return None
    numbers = snapshot.numbers
    groups = {blob: numbers[blob] for blob in changed if blob in numbers}
    olds = {n for blob, n in groups.items() if blob in old.visible}
    new = {n for blob, n in groups.items() if blob in visible}
    change = _DocumentChange(old, olds, new, is_free)
    view = VisibleEntries(snapshot, visible, change.follow(old.all, new))
    _follow_statuses(view, change)
    _follow_sessions(view, change)
    hour, priors = old.kept_priors
    view.priors(hour).update({n: prior for n, prior in priors.items() if n not in olds | new})
    return view


class _DocumentChange(NamedTuple):
    """The documents that went and came, and whether sets may be changed where they are."""

    old: VisibleEntries
    olds: set[int]
    new: set[int]
    is_free: bool

    def follow(self, numbers: set[int], new: set[int]) -> set[int]:
        after = numbers if self.is_free else numbers.copy()
        after -= self.olds
        after |= new
        return after


def _follow_statuses(view: VisibleEntries, change: _DocumentChange) -> None:
    """What somebody asked the old view for, changed."""
    old, olds, new, _ = change
    entries, there, here = view.snapshot.entries, vars(old), vars(view)
    in_force = {n for n in new if entries[n].status not in WITHHELD}
    is_all_in_force = "in_force" in there and old.in_force is old.all
    if "by_status" in there:
        statuses = dict(old.by_status)
        for status in {entries[n].status for n in olds | new}:
            some = {n for n in new if entries[n].status == status}
            statuses[status] = change.follow(statuses.get(status, set()), some)
        here["by_status"] = {status: some for status, some in statuses.items() if some}
    if is_all_in_force:
        here["in_force"] = view.all if in_force == new else view.all - (new - in_force)
    elif "in_force" in there:
        here["in_force"] = change.follow(old.in_force, in_force)
    if "knowledge" in there:
        knowledge = {n for n in in_force if entries[n].type not in RECORD_TYPES}
        here["knowledge"] = change.follow(old.knowledge, knowledge)
    if "ids" in there:
        _follow_ids(view, change)


def _follow_ids(view: VisibleEntries, change: _DocumentChange) -> None:
    """An id that is gone may be that of another copy as well: then they are listed anew."""
    entries, ids = view.snapshot.entries, change.old.ids
    new_ids = {entries[n].id for n in change.new}
    if {entries[n].id for n in change.olds} <= new_ids:
        if new_ids - ids:
            ids = ids if change.is_free else ids.copy()
            ids |= new_ids
        vars(view)["ids"] = ids


def _follow_sessions(view: VisibleEntries, change: _DocumentChange) -> None:
    old, olds, new, _ = change
    entries, there, here = view.snapshot.entries, vars(old), vars(view)
    if "sessions" not in there:
        return
    in_force = {n for n in new if entries[n].status not in WITHHELD}
    groups: dict[str, set[int]] = defaultdict(set)
    for number in olds | in_force:
        if session := entries[number].session:
            groups[session].add(number)
    sessions, places = old.sessions, old.places if "places" in there else None
    if groups:
        sessions = dict(sessions)
        places = {n: at for n, at in places.items() if n not in olds} if places else places
    for session, numbers in groups.items():
        members = (set(sessions.pop(session, ())) - olds) | (numbers & in_force)
        if members:
            sessions[session] = sorted(members, key=view.session_order)
            if places is not None:
                places |= {n: at for at, n in enumerate(sessions[session])}
    here["sessions"] = sessions
    if places is not None:
        here["places"] = places
