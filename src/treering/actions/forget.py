"""forget: hide memories, and bring them back. Nothing is erased: history keeps what was written."""

from collections.abc import Sequence
from dataclasses import dataclass

from treering.actions import inputs
from treering.actions.searcher import SearchView
from treering.actions.workspace import Change, Workspace, Writing
from treering.errors import Invalid
from treering.model.memory import Memory
from treering.store.view import Copy


@dataclass(frozen=True, slots=True)
class Forgotten:
    forgotten: tuple[str, ...] | None = None
    links_hidden: int | None = None
    restored: tuple[str, ...] | None = None


def forget(
    workspace: Workspace,
    ids: Sequence[str],
    *,
    reason: str = "",
    restore: bool = False,
    branch: str = "",
) -> Forgotten:
    """Forget several memories, or restore them: all or none."""
    if not ids:
        raise Invalid("No memory was named.", hint="Give one or more ids.")
    why = inputs.text_given(reason, "reason")

    if not restore:
        # May build the index: not under the lock.
        workspace.searcher.search_view(workspace.view(branch))

    def attempt(writing: Writing) -> Forgotten:
        places = {place.id: place for place in (writing.view.find(text) for text in ids)}
        todo = [place for place in places.values() if place.memory().is_forgotten is restore]
        count = 0 if restore else _links_of(workspace.searcher.search_view(writing.view), todo)
        now = workspace.now()

        def turn(memory: Memory) -> Memory:
            return (memory.restore() if restore else memory.forget(why)).touch(now)

        changes = [Change(turn(place.memory()), place, place.is_private) for place in todo]
        if changes:
            writing.commit("restore" if restore else "forget", changes)
        all_ids = tuple(places)
        return Forgotten(restored=all_ids) if restore else Forgotten(all_ids, count)

    return workspace.write(branch, attempt)


def _links_of(search_view: SearchView, places: list[Copy]) -> int:
    """How many links are no longer shown once these memories are hidden."""
    return len({edge for place in places for edge in search_view.network.around(place.id)})
