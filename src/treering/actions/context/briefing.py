"""What an agent is told unasked: a few headlines, and where the work was left.

It costs every session and every prompt of every agent, so it is short, and silent where there is
nothing to say. Headlines only: whatever is inside a memory is read on request. What bears any flag
is left out, and the text of others is never repeated.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from treering.actions.checkpoint import load
from treering.actions.context.turn import Turn
from treering.actions.flags import Flags
from treering.actions.marks import NO_MARKS, Marks, is_out_of_force, mark_blobs
from treering.actions.origin import YOU, attribute
from treering.actions.searcher import SearchView
from treering.actions.workspace import Workspace
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago
from treering.model.memory import Memory
from treering.model.query import Query
from treering.model.taxonomy import BOOKKEEPING_TYPES, TYPES
from treering.search import Entry
from treering.store.view import Copy
from treering.text.fence import fence, fresh_nonce
from treering.text.flags import unless_flagged

_TOLD_TYPES = frozenset(TYPES) - BOOKKEEPING_TYPES
_NEWEST = 60
_MOST_HITS = 8
_LONGEST_PROMPT = 2000
_LONGEST_LINE = 160
_MORE = "More: the tools `recall` and `read`, or `treering recall WORDS`."


def opening(workspace: Workspace, budget: int, turn: Turn | None = None) -> str:
    """For the start of a session: the checkpoint to resume, then the newest of the branch and of
    what it stands on. Empty where nothing is remembered."""
    turn = turn or Turn(None, "")
    position = workspace.position()
    search_view = workspace.searcher.knowledge_view(workspace.view_from(position))
    if not search_view.ranks:
        return ""
    entries = search_view.index.newest(search_view.ranks, _NEWEST, _TOLD_TYPES)
    entries.sort(key=lambda entry: search_view.ranks[entry.blob])  # the nearest layer first
    marks = mark_blobs(workspace, search_view, [entry.blob for entry in entries], position.head)
    entries.sort(key=lambda e: is_out_of_force(e.type, e.outcome, marks.get(e.blob, NO_MARKS)))
    headlines = turn.once(_headlines(workspace, search_view, entries))
    where = unless_flagged(f"branch {position.scope.branch}", "this branch")
    header = f"what this repository remembers on {where}"
    return turn.end(_tell(chain(_resume(workspace), headlines), header, budget))


def relevant(workspace: Workspace, prompt: str, budget: int, turn: Turn | None = None) -> str:
    """For a prompt: headlines of what it is about, failed attempts first; empty where nothing
    is."""
    from treering.search.analysis import question_terms

    turn = turn or Turn(None, "")
    words = prompt[:_LONGEST_PROMPT]
    question = set(question_terms(words)) if words.strip() else set()
    if not question:
        return ""
    search_view = workspace.searcher.knowledge_view(workspace.view())
    index = search_view.index
    result = index.search(
        Query(words, words), search_view.ranks, mode="text", now=workspace.clock(), limit=_MOST_HITS
    )
    entries = [entry for hit in result.hits if (entry := index.entry(hit.blob))]
    near = [
        entry
        for entry in entries
        if entry.type in _TOLD_TYPES and _is_about(search_view, entry, question)
    ]
    near.sort(key=lambda entry: entry.outcome != "failed")
    lines = turn.once(_headlines(workspace, search_view, near))
    header = "what this repository remembers that may concern the prompt"
    return turn.end(_tell(lines, header, budget))


def _is_about(search_view: SearchView, entry: Entry, question: set[str]) -> bool:
    """Whether a memory shares enough with a prompt. A search always finds the best there is; two
    words in common, one of them in its headline, are the least that is worth an interruption."""
    from treering.search.analysis import terms

    place = search_view.place(entry.blob)
    memory = place.try_memory() if place else None
    if memory is None:
        return False
    head = question & set(terms(" ".join((memory.title, memory.topic, *memory.tags))))
    files = question & set(terms(" ".join(file.path for file in memory.files)))
    common = head | files | (question & set(terms(memory.content)))
    return bool(head | files) and len(common) >= min(2, len(question))


def _headlines(
    workspace: Workspace, search_view: SearchView, entries: Iterable[Entry]
) -> Iterator[str]:
    flags, head = Flags(workspace), workspace.position().head
    for entry in entries:
        place = search_view.place(entry.blob)
        memory = place.try_memory() if place else None
        if place and memory and not flags.of(place):
            marks = mark_blobs(workspace, search_view, [place.blob], head)
            yield _headline(workspace, place, memory, marks.get(place.blob, NO_MARKS))


def _headline(workspace: Workspace, place: Copy, memory: Memory, truth: Marks) -> str:
    whose = attribute(workspace, place.blob, memory)
    marks = [memory.type, place.layer.branch, ago(whose.modified, workspace.clock())]
    if memory.outcome in UNSUCCESSFUL:
        marks.insert(0, memory.outcome)
    marks = truth.words + marks
    if whose.origin != YOU:
        marks.append(f"by {_names(memory.author, *whose.edited_by)}")
    return f"- {memory.id} {_short(memory.title)} [{', '.join(marks)}]"


def _names(*people: str) -> str:
    return ", ".join(person.partition(" <")[0] for person in people)


def _resume(workspace: Workspace) -> list[str]:
    """Where the work was left: in words where they are the user's own, else by title."""
    answer = load(workspace)
    checkpoint = answer["checkpoint"]
    if not checkpoint or checkpoint.get("flags"):
        return []
    when = ago(checkpoint["created"], workspace.clock())
    if checkpoint["origin"] != YOU:
        who = _names(checkpoint["author"])
        return [f"Checkpoint {checkpoint['id']} by {who}, {when}: {_short(checkpoint['title'])}"]
    lines = [f"Checkpoint {checkpoint['id']}, {when}: {_short(answer['summary'])}"]
    lines += [f"  next: {_short(step)}" for step in answer["next_steps"][:3]]
    if commits := answer["since"]["commits"]:
        lines.append(f"  since then: {commits} commits, {len(answer['since']['files'])} files")
    return lines


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"


def _tell(lines: Iterable[str], header: str, budget: int) -> str:
    """As many lines as fit into the budget, between marks that say they are data.

    Lines are asked for one at a time: each is a memory read.
    """
    nonce = fresh_nonce()
    body, text = "", ""
    for line in lines:
        body += f"{line}\n"
        longer = fence(body, nonce, f"treering: {header}") + f"\n{_MORE}"
        if len(longer) > budget:
            break
        text = longer
    return text
