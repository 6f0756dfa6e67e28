"""enrich: what would make memories easier to find, from their words and their neighbours.

Tags, topic, files and a shorter title come by rules. A better text does not: someone has to write
it, and what it would be for is said under `needs_model`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypedDict

from treering.actions import inputs
from treering.actions.revise import diff_fields
from treering.actions.tidying import Rewrite, TidyCandidates, tags_of, text_given
from treering.actions.workspace import Position, Workspace, Writing
from treering.call import Advice, Call
from treering.errors import Invalid, NeedsModel
from treering.model.memory import FileRef, Memory, title_of
from treering.model.query import Query
from treering.model.taxonomy import BOOKKEEPING_TYPES
from treering.search.entry import Entry
from treering.store.view import Copy
from treering.text import secrets
from treering.text.extraction import paths_in, tags_for, title_for

_NEIGHBOURS = 5
_ALONE = 400  # characters from which on a text without any structure is hard to read


class Suggestions(TypedDict, total=False):
    """What rules would add to a memory; what they have nothing for is left out."""

    tags_add: tuple[str, ...]
    title: str
    topic: str
    files: list[str]


@dataclass(frozen=True, slots=True)
class Enriched:
    """One memory: what is suggested, what only a writer can do, and what was changed."""

    id: str
    title: str
    suggest: Suggestions
    needs_model: tuple[str, ...]
    next: str
    changed: tuple[str, ...] | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Enrichment:
    memories: tuple[Enriched, ...]
    total: int


def enrich(
    workspace: Workspace,
    *,
    branch: str = "",
    ids: Sequence[str] = (),
    type: str = "",
    query: str = "",
    content: str = "",
    title: str = "",
    limit: int = 20,
    dry_run: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Enrichment:
    """Suggest tags, title, topic and files; without `dry_run` take them over, with the text given
    in `content`."""
    if (content or title) and len(ids) != 1:
        raise Invalid("A text is for one memory.", hint="Name it with one id.")
    candidates = TidyCandidates(
        workspace, branch=branch, ids=ids, type=type, query=query, progress=progress
    )
    text = text_given(content) if content else ""
    secrets.refuse(title)
    is_named = bool(ids or query)
    entries = [entry for entry in candidates.entries if is_named or _is_bare(entry)]
    position = workspace.position(branch)
    places = candidates.locate(entries)
    drafts_of_all = (_Draft(workspace, position, candidates, place) for place in places)
    useful = (draft for draft in drafts_of_all if is_named or draft.has_suggestions)
    drafts = list(islice(useful, limit))
    if dry_run:
        return Enrichment(tuple(draft.describe() for draft in drafts), len(entries))
    for draft in drafts:
        draft.take(text, title)
    if ids and not any(draft.is_changed for draft in drafts):
        raise NeedsModel("Rules have nothing more to add: someone has to write a better text.")
    return Enrichment(_write(workspace, branch, drafts), len(entries))


def _is_bare(entry: Entry) -> bool:
    """Return whether a memory is hard to find: no tags, or a title that runs on."""
    return entry.type not in BOOKKEEPING_TYPES and (not entry.tags or bool(title_for(entry.title)))


class _Draft:
    """A memory on its way to be better found."""

    def __init__(
        self, workspace: Workspace, position: Position, candidates: TidyCandidates, place: Copy
    ) -> None:
        self.place = place
        self.memory = place.memory()
        self.is_rewritten = False
        self._files = _files(workspace, position, self.memory)
        self._suggestions = _suggest(workspace, candidates, self.memory)
        if self._files:
            self._suggestions["files"] = [file.path for file in self._files]

    @property
    def has_suggestions(self) -> bool:
        return bool(self._suggestions)

    @property
    def is_changed(self) -> bool:
        return bool(diff_fields(self.place, self.memory))

    def take(self, text: str, title: str) -> None:
        """The suggestions, and the text where there is one."""
        memory, add = self.memory, self._suggestions
        memory = memory._replace(
            tags=tags_of([memory, memory._replace(tags=tuple(add.get("tags_add", ())))]),
            title=add.get("title", memory.title),
            topic=memory.topic or add.get("topic", ""),
            files=(*memory.files, *self._files),
        )
        if text:
            memory = memory._replace(content=text, title=title_of(text))
            self.is_rewritten = True
        if title:
            memory = memory._replace(title=inputs.line_given(title, "title"))
        self.memory, self._suggestions, self._files = memory, {}, ()

    def describe(
        self, changed: tuple[str, ...] | None = None, version: str | None = None
    ) -> Enriched:
        memory = self.memory
        missing = () if self.is_rewritten else _unwritten(memory)
        content = "..." if missing else ""
        call = Call("maintain", "enrich", ids=[memory.id], content=content, apply=True)
        following = Advice("{} with a better text" if missing else "{}", call, mark="")
        return Enriched(
            memory.id, memory.title, self._suggestions, missing, following, changed, version
        )


def _unwritten(memory: Memory) -> tuple[str, ...]:
    """Return what a better text could have, and rules cannot give it."""
    is_long = len(memory.content) > _ALONE
    has_structure = "\n#" in f"\n{memory.content}" or "\n- " in memory.content
    needs = {"structure": is_long and not has_structure, "context": len(memory.content) < 60}
    return tuple(what for what, is_needed in needs.items() if is_needed)


def _suggest(workspace: Workspace, candidates: TidyCandidates, memory: Memory) -> Suggestions:
    near = _neighbours(workspace, candidates, memory)
    common = Counter(tag for entry in near for tag in set(entry.tags))
    tags = [tag for tag, _ in common.most_common()]
    tags += sorted({tag for entry in candidates.search_view.entries() for tag in entry.tags})
    topics = Counter(entry.topic for entry in near if entry.topic).most_common(1)
    suggestions: Suggestions = {}
    if new_tags := tags_for(f"{memory.title}\n{memory.content}", tags, memory.tags):
        suggestions["tags_add"] = new_tags
    if title := title_for(memory.title):
        suggestions["title"] = title
    if topics and topics[0][1] > 1 and not memory.topic:
        suggestions["topic"] = topics[0][0]
    return suggestions


def _neighbours(workspace: Workspace, candidates: TidyCandidates, memory: Memory) -> list[Entry]:
    """The memories a search for this one's title finds."""
    index, words = workspace.searcher.index, memory.title
    result = index.search(
        Query(text=words, words=words), candidates.search_view.ranks, mode="text",
        now=workspace.clock(), limit=_NEIGHBOURS + 1,
    )  # fmt: skip
    entries = (index.entry(hit.blob) for hit in result.hits)
    return [entry for entry in entries if entry and entry.id != memory.id]


def _files(workspace: Workspace, position: Position, memory: Memory) -> tuple[FileRef, ...]:
    """Files the text names that the code really has."""
    names = {file.path for file in memory.files}
    paths = [path for path in paths_in(memory.content) if path not in names]
    files = inputs.files_given(workspace, position, paths)
    return tuple(file for file in files if file.blob)


def _write(workspace: Workspace, branch: str, drafts: Sequence[_Draft]) -> tuple[Enriched, ...]:
    def attempt(writing: Writing) -> tuple[Enriched, ...]:
        rewriting = Rewrite(workspace, writing.view)
        for draft in drafts:
            rewriting.change(rewriting.still(draft.place), draft.memory)
        versions = rewriting.commit(writing, "enrich")
        return tuple(
            draft.describe(
                diff_fields(draft.place, draft.memory),
                versions.get(draft.place.id, draft.place.blob),
            )
            for draft in drafts
        )

    return workspace.write(branch, attempt)
