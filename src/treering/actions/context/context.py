"""context: what matters now for these files and this task, in one text of a given length.

The text is ready to be put before an agent: between marks that say it is data, each memory with
where it is from. What bears the signs of an order to the agent is left out of it, and named.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from treering.actions import inputs
from treering.actions.answers import uri_of
from treering.actions.checkpoint import load
from treering.actions.context.budget import Headline, pack
from treering.actions.context.candidates import ContextCandidates
from treering.actions.drain import drain_briefly
from treering.actions.flags import Flags
from treering.actions.staleness import CodeTree
from treering.actions.workspace import Workspace
from treering.errors import Invalid
from treering.model.relevance import RelevanceCase, relevance
from treering.store.view import Copy
from treering.text.fence import fence, fresh_nonce
from treering.text.flags import unless_flagged

_MOST = 40  # memories read to make one context
_LARGEST = 100_000


class _ContextRequest(NamedTuple):
    task: str
    files: tuple[str, ...]
    recent_files: tuple[str, ...]
    budget: int
    template: str
    branch: str


def context(
    workspace: Workspace,
    *,
    task: str = "",
    files: Sequence[str] = (),
    recent_files: Sequence[str] = (),
    budget: int = 2000,
    template: str = "",
    branch: str = "",
) -> dict[str, Any]:
    """The contract's answer; `text` never has more characters than the budget."""
    if not 1 <= budget <= _LARGEST:
        raise Invalid(f"budget is {budget}, not between 1 and {_LARGEST:,} characters.")
    pending = drain_briefly(workspace)
    standing = workspace.position(branch)
    asked = _ContextRequest(
        task=inputs.text_given(task, "task"),
        files=_paths(workspace, files),
        recent_files=_paths(workspace, recent_files),
        budget=budget,
        template=template,
        branch=standing.scope.branch,
    )
    checkpoint = load(workspace, branch=branch)
    if checkpoint["checkpoint"] and checkpoint["checkpoint"].get("flags"):
        checkpoint = {"checkpoint": None}
    view = workspace.view_from(standing)
    search_view = workspace.searcher.search_view(view)
    found = ContextCandidates(workspace, search_view, asked.branch).gather(
        asked.task, asked.files, asked.recent_files
    )
    code = CodeTree(workspace.repository, standing.head)
    flags = Flags(workspace)
    entries, flagged = [], []
    for entry, case in found[:_MOST]:
        place = search_view.place(entry.blob)
        made = _read(workspace, place, case, code) if place else None
        if place and made and flags.of(place):
            flagged.append(made.id)
        elif made:
            entries.append(made)
    workspace.settle()
    entries.sort(key=lambda entry: -entry.score)
    text, shown = _text(workspace, asked, entries, checkpoint)
    return {
        "budget": budget,
        "used": len(text),
        "text": text,
        **{group: _list_entries(shown, group) for group in ("high", "medium", "low")},
        "left_out": len(entries) - len(shown),
        "flagged": flagged,
        "branch": asked.branch,
        "checkpoint": checkpoint["checkpoint"],
        **({"pending": pending} if pending else {}),
    }


def _paths(workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
    """Paths inside the repository; an agent may also have other files open, which say nothing."""
    found: dict[str, None] = {}
    for path in paths:
        try:
            found[inputs.path_given(workspace, path)] = None
        except Invalid:
            continue
    return tuple(found)


def _read(
    workspace: Workspace, place: Copy, case: RelevanceCase, code: CodeTree
) -> Headline | None:
    memory = place.try_memory()
    if memory is None:
        return None
    dated = workspace.ledger.date(memory, workspace.ledger.version(place.blob))
    stale = code.staleness(memory)
    state = stale.state if stale else ""
    said = relevance(case._replace(stale=state))
    return Headline(
        id=memory.id,
        type=memory.type,
        title=memory.title,
        content=memory.content,
        branch=place.layer.branch,
        author=memory.author,
        created=dated.created,
        stale=state,
        score=said.score,
        why=said.why,
        group=said.group,
        tags=memory.tags,
        topic=memory.topic,
        status=memory.status,
        confidence=memory.confidence,
        modified=dated.modified,
    )


def _list_entries(shown: Sequence[Headline], group: str) -> list[dict[str, Any]]:
    return [
        {
            "id": entry.id,
            "uri": uri_of(entry.id),
            "title": entry.title,
            "type": entry.type,
            "branch": entry.branch,
            "score": entry.score,
            "why": list(entry.why),
        }
        for entry in shown
        if entry.group == group
    ]


def _text(
    workspace: Workspace,
    asked: _ContextRequest,
    entries: Sequence[Headline],
    checkpoint: Mapping[str, Any],
) -> tuple[str, list[Headline]]:
    """The text and the entries in it; what does not fit is left out from the end."""
    nonce = fresh_nonce()
    branch = unless_flagged(asked.branch, "this one")
    header = f"what is remembered about this repository, branch: {branch}"
    if asked.template:
        return _fill_template(workspace, asked, entries, checkpoint, nonce, header)
    room = asked.budget - len(fence("", nonce, header))
    while room > 0:
        body, shown = pack(entries, checkpoint, room, workspace.clock())
        text = fence(body, nonce, header) if body else ""
        if len(text) <= asked.budget:
            return text, shown
        room -= len(text) - asked.budget  # marks that were taken out left longer words behind
    return "", []


def _fill_template(
    workspace: Workspace,
    asked: _ContextRequest,
    entries: Sequence[Headline],
    checkpoint: Mapping[str, Any],
    nonce: str,
    header: str,
) -> tuple[str, list[Headline]]:
    """A saved template filled with as many memories as fit."""
    from treering.actions.prompts.prompts import template_named
    from treering.actions.prompts.render import TemplateMemories
    from treering.model.template import render

    values: dict[str, Any] = {
        "task": asked.task,
        "query": asked.task,
        "branch": asked.branch,
        "files": list(asked.files),
        "recent_files": list(asked.recent_files),
        "checkpoint": dict(checkpoint) if checkpoint["checkpoint"] else "",
    }
    made = template_named(workspace, asked.template, {*values, "memories", "count"}, asked.branch)
    for count in range(len(entries), -1, -1):
        memories = TemplateMemories(entry.as_fields() for entry in entries[:count])
        text = fence(render(made, {**values, "memories": memories, "count": count}), nonce, header)
        if len(text) <= asked.budget:
            return text, list(entries[:count])
    raise Invalid(
        f"The template {asked.template} does not fit into {asked.budget} characters.",
        hint="Give a larger budget, or shorten the template.",
    )
