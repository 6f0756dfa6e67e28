"""checkpoint: the state of a piece of work, saved to be resumed, and what changed since.

A checkpoint is a memory of its branch. Unlike other memories it is an event: the same words saved
an hour later are a new one, or the newest would not be the last.
"""

from collections.abc import Callable, Sequence
from typing import NotRequired, TypedDict

from treering.actions import inputs
from treering.actions.card import Card, CardMaker
from treering.actions.drain import drain_briefly
from treering.actions.remember import Remembered, remember
from treering.actions.searcher import SLACK
from treering.actions.workspace import Position, Workspace
from treering.errors import Invalid, StoreDamaged
from treering.git import diff
from treering.model.memory import Memory, derive_id
from treering.model.query import Filters, parse
from treering.store.view import Copy, View
from treering.text import secrets

_MOST_FILES = 200


class CodeSince(TypedDict):
    """Changes of the code since; `known` is false where the commit of then is not here."""

    commits: int
    files: list[str]
    files_total: NotRequired[int]
    known: NotRequired[bool]


class CheckpointLoaded(TypedDict):
    checkpoint: Card | None
    summary: str
    next_steps: list[str]
    open_files: list[str]
    since: CodeSince
    pending: NotRequired[int]


def save(
    workspace: Workspace,
    *,
    summary: str,
    next_steps: Sequence[str],
    open_files: Sequence[str] = (),
    session: str = "",
    branch: str = "",
    caller: str = "",
) -> Remembered:
    """Save the state of the work on a branch."""
    text = inputs.clean_content(summary, "summary")
    steps = [step for raw in next_steps if (step := inputs.line_given(raw, "next step"))]
    files = [name for raw in open_files if (name := inputs.line_given(raw, "open file"))]
    secrets.refuse(*steps, *files)
    content = text + _section(steps)
    details = {"next_steps": steps, "open_files": files}
    memory_id = _same_as_last(workspace, content, files, branch) or derive_id(
        "checkpoint", f"{content}\0{workspace.now()}"
    )
    return remember(
        workspace,
        content,
        type="checkpoint",
        files=_inside(workspace, files),
        session=session,
        branch=branch,
        id=memory_id,
        caller=caller,
        details={key: value for key, value in details.items() if value},
    )


def _section(steps: Sequence[str]) -> str:
    """Next steps as part of the text, so that they are found by searching and seen by reading."""
    return "\n\nNext steps:\n" + "\n".join(f"- {step}" for step in steps) if steps else ""


def _same_as_last(workspace: Workspace, content: str, files: list[str], branch: str) -> str:
    """The id of the last checkpoint where this one would only repeat it."""
    position = workspace.position(branch)
    last = newest(workspace, workspace.view_from(position))
    if last is None or last.layer.branch != position.scope.branch:
        return ""
    memory = last.memory()
    same = (memory.content, _texts(memory, "open_files")) == (content, files)
    return memory.id if same and memory.commit == (position.head or "") else ""


def _inside(workspace: Workspace, files: Sequence[str]) -> list[str]:
    """Return those that lie in the repository; an open file elsewhere is kept by name alone."""
    names = []
    for name in files:
        try:
            inputs.path_given(workspace, name)
        except Invalid:
            continue
        names.append(name)
    return names


def load_all(workspace: Workspace, *, session: str = "", branch: str = "") -> CheckpointLoaded:
    """Load the last checkpoint, once what hooks noted is written down, if that is quick."""
    pending = drain_briefly(workspace)
    answer = load(workspace, session=session, branch=branch)
    if pending:
        answer["pending"] = pending
    return answer


OPERATIONS: dict[str, Callable[..., Remembered | CheckpointLoaded]] = {
    "save": save,
    "load": load_all,
}


def load(workspace: Workspace, *, session: str = "", branch: str = "") -> CheckpointLoaded:
    """The last checkpoint seen from a branch, and what happened to the code since."""
    position = workspace.position(branch)
    view = workspace.view_from(position)
    place = newest(workspace, view, session=session)
    if place is None:
        return {
            "checkpoint": None,
            "summary": "",
            "next_steps": [],
            "open_files": [],
            "since": {"commits": 0, "files": []},
        }
    memory = place.memory()
    return {
        "checkpoint": _describe(workspace, view, place, memory),
        "summary": summary_of(memory),
        "next_steps": _texts(memory, "next_steps"),
        "open_files": _texts(memory, "open_files"),
        "since": since(workspace, position, memory),
    }


def newest(workspace: Workspace, view: View, *, session: str = "") -> Copy | None:
    """The last checkpoint of the nearest branch that has one: work on a branch is resumed where the
    branch was left, whatever was written down elsewhere meanwhile."""
    search_view, now = workspace.searcher.knowledge_view(view), workspace.clock()
    result = search_view.index.search(
        parse("", now),
        search_view.ranks,
        filters=Filters(types=("checkpoint",), session=session),
        order="newest",
        now=now,
        limit=None,
    )
    places = [(hit, place) for hit in result.hits if (place := search_view.place(hit.blob))]
    if not places:
        return None
    branches = [layer.branch for layer in view.layers]
    nearest = min(branches.index(place.layer.branch) for _, place in places)
    own_hits = [hit for hit, place in places if place.layer.branch == branches[nearest]]
    for hit in search_view.break_ties(result._replace(hits=tuple(own_hits[:SLACK])), "newest").hits:
        if (place := search_view.place(hit.blob)) and place.try_memory():
            return place
    return None


def summary_of(memory: Memory) -> str:
    """Return what was written, without the next steps that were put below it."""
    return memory.content.removesuffix(_section(_texts(memory, "next_steps")))


def next_steps_of(memory: Memory) -> list[str]:
    return _texts(memory, "next_steps")


def _texts(memory: Memory, key: str) -> list[str]:
    items = memory.details.get(key)
    return [str(item) for item in items] if isinstance(items, list) else []


def _describe(workspace: Workspace, view: View, place: Copy, memory: Memory) -> Card:
    cards = CardMaker(workspace, view, None)
    return cards.make(place, memory)._replace(
        version=place.blob,
        session=memory.session,
        commit=memory.commit,
        withheld=cards.flags.withholds(place) or None,
    )


def since(workspace: Workspace, position: Position, memory: Memory) -> CodeSince:
    """The commits and files between the code of a checkpoint and that of the branch now."""
    repository = workspace.repository
    old, new = memory.commit and repository.resolve(memory.commit), position.head
    if not old or not new:
        return {"commits": 0, "files": [], "known": False}
    commits = repository.apart(new, old)[0]
    try:
        names = diff.list_paths(repository, new, old)
    except StoreDamaged:  # a clone without trees, which are not fetched for this
        names = []
    answer: CodeSince = {"commits": commits, "files": names[:_MOST_FILES]}
    if len(names) > _MOST_FILES:
        answer["files_total"] = len(names)
    return answer
