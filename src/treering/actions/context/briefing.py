"""What an agent is told unasked: a few headlines, and where the work was left.

It costs every session and every prompt of every agent, so it is short, and silent where there is
nothing to say. Headlines only: whatever is inside a memory is read on request. Flagged memories of
others are left out before anything is counted, and each writer gets a share: nobody can silence
the others by writing much.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest

from treering.actions.checkpoint import load
from treering.actions.context.turn import Turn
from treering.actions.flags import Flags
from treering.actions.marks import NO_MARKS, Marks, is_out_of_force, mark_blobs
from treering.actions.origin import YOU, attribute, name_writer
from treering.actions.searcher import SearchView
from treering.actions.workspace import Workspace
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago
from treering.model.memory import Memory
from treering.model.provenance import Contributor
from treering.model.query import Query
from treering.model.taxonomy import BOOKKEEPING_TYPES, TYPES
from treering.search import Entry
from treering.store.view import Copy
from treering.text.fence import fence, fresh_nonce
from treering.text.flags import unless_flagged

_TOLD_TYPES = frozenset(TYPES) - BOOKKEEPING_TYPES
_NEWEST = 2000
_MOST_FOUND, _MOST_HITS = 40, 8
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
    newest = search_view.index.newest(search_view.ranks, _NEWEST, _TOLD_TYPES)
    newest.sort(key=lambda entry: search_view.ranks[entry.blob])  # the nearest layer first
    entries = _leave_out_flagged(workspace, search_view, newest)
    marks = mark_blobs(workspace, search_view, [entry.blob for entry in entries], position.head)
    entries.sort(key=lambda e: is_out_of_force(e.type, e.outcome, marks.get(e.blob, NO_MARKS)))
    lines = turn.once(_headlines(workspace, search_view, _share(workspace, entries)))
    where = unless_flagged(f"branch {position.scope.branch}", "this branch")
    header = f"what this repository remembers on {where}"
    flagged = len(newest) - len(entries)

    def name_left_out(told: int) -> str:
        counts = {"flagged": flagged, "more": max(len(entries) - told, 0)}
        words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        return f"Left out: {words}. {_MORE}" if words else _MORE

    return turn.end(_tell(_resume(workspace), lines, header, budget, name_left_out))


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
        Query(words, words), search_view.ranks, mode="text", now=workspace.clock(),
        limit=_MOST_FOUND,
    )  # fmt: skip
    found = [entry for hit in result.hits if (entry := index.entry(hit.blob))]
    entries = _leave_out_flagged(workspace, search_view, found)[:_MOST_HITS]
    near = [
        entry
        for entry in entries
        if entry.type in _TOLD_TYPES and _is_about(search_view, entry, question)
    ]
    near.sort(key=lambda entry: entry.outcome != "failed")
    lines = turn.once(_headlines(workspace, search_view, near))
    header = "what this repository remembers that may concern the prompt"
    return turn.end(_tell([], lines, header, budget, lambda _: _MORE))


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


def _leave_out_flagged(
    workspace: Workspace, search_view: SearchView, entries: Iterable[Entry]
) -> list[Entry]:
    flags = Flags(workspace)
    places = ((entry, search_view.place(entry.blob)) for entry in entries)
    return [entry for entry, place in places if place and not flags.withholds(place)]


def _share(workspace: Workspace, entries: Sequence[Entry]) -> Iterator[Entry]:
    """Take turns among writers, in the order of their first entry."""
    versions = workspace.ledger.versions(entry.blob for entry in entries)
    names: dict[tuple[Contributor, ...], str] = {}
    by_writer: dict[str, list[Entry]] = {}
    for entry in entries:
        version = versions.get(entry.blob)
        people = version.people if version else ()
        if people not in names:
            names[people] = name_writer(workspace, people)
        by_writer.setdefault(names[people], []).append(entry)
    for turn in zip_longest(*by_writer.values()):
        yield from filter(None, turn)


def _headlines(
    workspace: Workspace, search_view: SearchView, entries: Iterable[Entry]
) -> Iterator[str]:
    head = workspace.position().head
    for entry in entries:
        place = search_view.place(entry.blob)
        memory = place.try_memory() if place else None
        if place and memory:
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
    if not checkpoint or checkpoint.get("withheld"):
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


def _tell(
    resume: Sequence[str],
    lines: Iterable[str],
    header: str,
    budget: int,
    end: Callable[[int], str],
) -> str:
    """As many lines as fit into the budget, between marks that say they are data; `end` is called
    with the number of memories told, and says what follows.

    Lines are asked for one at a time: each is a memory read.
    """
    nonce = fresh_nonce()
    body, text = "", ""
    for number, line in enumerate(chain(resume, lines), 1 - len(resume)):
        body += f"{line}\n"
        fenced = fence(body, nonce, f"treering: {header}")
        longer = f"{fenced}\n{end(max(number, 0))}"
        if len(longer) > budget and not text:
            longer = f"{fenced}\n{_MORE}"
        if len(longer) > budget:
            break
        text = longer
    return text
