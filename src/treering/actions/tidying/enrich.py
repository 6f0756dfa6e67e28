"""enrich: what would make memories easier to find, from their words and their neighbours.

Tags, topic, files and a shorter title come by rules. A better text does not: someone has to write
it, and what it would be for is said under `needs_model`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from treering.actions import inputs
from treering.actions.revise import diff_fields
from treering.actions.tidying.candidates import CAPTURED, TidyCandidates
from treering.actions.tidying.rewrite import Rewrite, tags_of
from treering.actions.tidying.writer import Writer, is_there, text_given, text_written
from treering.actions.workspace import Position, Workspace, Writing
from treering.errors import Invalid, NeedsModel
from treering.model.memory import FileRef, Memory, title_of
from treering.model.query import Query
from treering.search import Entry
from treering.store.view import Copy
from treering.text import secrets
from treering.text.suggestions import paths_in, tags_for, title_for

_NEIGHBOURS = 5
_ALONE = 400  # characters from which on a text without any structure is hard to read


@dataclass(frozen=True, slots=True)
class Enriched:
    """One memory: what is suggested, what only a writer can do, and what was changed."""

    id: str
    title: str
    suggest: dict[str, object]
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
    writer: Writer | None = None,
) -> Enrichment:
    """Suggest tags, title, topic and files; without `dry_run` take them over, with the text given
    in `content` or written by a writer."""
    if (content or title) and len(ids) != 1:
        raise Invalid("A text is for one memory.", hint="Name it with one id.")
    candidates = TidyCandidates(workspace, branch=branch, ids=ids, type=type, query=query)
    text = text_given(content) if content else ""
    secrets.refuse(title)
    is_asked = bool(ids or query)
    found = [entry for entry in candidates.entries if is_asked or _is_bare(entry)]
    standing = workspace.position(branch)
    looked_at = (_Draft(workspace, standing, candidates, p) for p in candidates.locate(found))
    drafts = list(islice((d for d in looked_at if is_asked or d.has_suggestions), limit))
    if dry_run:
        return Enrichment(tuple(draft.describe() for draft in drafts), len(found))
    for draft in drafts:
        draft.take(text, title)
        if is_asked and not draft.is_rewritten and is_there(workspace, writer):
            draft.take(text_written(workspace, writer, "enrich", [draft.memory]), title)
    if ids and not any(draft.is_changed for draft in drafts):
        raise NeedsModel("Rules have nothing more to add: someone has to write a better text.")
    return Enrichment(_write(workspace, branch, drafts), len(found))


def _is_bare(entry: Entry) -> bool:
    """Whether a memory is hard to find: no tags, or a title that runs on."""
    return entry.type not in CAPTURED and (not entry.tags or bool(title_for(entry.title)))


class _Draft:
    """A memory on its way to be better found."""

    def __init__(
        self, workspace: Workspace, standing: Position, candidates: TidyCandidates, place: Copy
    ) -> None:
        self.place = place
        self.memory = place.memory()
        self.is_rewritten = False
        self._files = _files(workspace, standing, self.memory)
        self._suggested = _suggest(workspace, candidates, self.memory)
        if self._files:
            self._suggested["files"] = [file.path for file in self._files]

    @property
    def has_suggestions(self) -> bool:
        return bool(self._suggested)

    @property
    def is_changed(self) -> bool:
        return bool(diff_fields(self.place, self.memory))

    def take(self, text: str, title: str) -> None:
        """The suggestions, and the text where there is one."""
        memory, add = self.memory, self._suggested
        memory = replace(
            memory,
            tags=tags_of([memory, replace(memory, tags=tuple(add.get("tags_add", ())))]),
            title=add.get("title", memory.title),
            topic=memory.topic or add.get("topic", ""),
            files=(*memory.files, *self._files),
        )
        if text:
            memory = replace(memory, content=text, title=title_of(text))
            self.is_rewritten = True
        if title:
            memory = replace(memory, title=inputs.line_given(title, "title"))
        self.memory, self._suggested, self._files = memory, {}, ()

    def describe(
        self, changed: tuple[str, ...] | None = None, version: str | None = None
    ) -> Enriched:
        memory = self.memory
        missing = () if self.is_rewritten else _unwritten(memory)
        call = f'maintain(op="enrich", ids=["{memory.id}"], dry_run=false)'
        better = ', content="..." with a better text' if missing else ""
        return Enriched(
            memory.id, memory.title, self._suggested, missing, call + better, changed, version
        )


def _unwritten(memory: Memory) -> tuple[str, ...]:
    """What a better text could have, and rules cannot give it."""
    is_long = len(memory.content) > _ALONE
    has_structure = "\n#" in f"\n{memory.content}" or "\n- " in memory.content
    wanted = {"structure": is_long and not has_structure, "context": len(memory.content) < 60}
    return tuple(what for what, is_wanted in wanted.items() if is_wanted)


def _suggest(workspace: Workspace, candidates: TidyCandidates, memory: Memory) -> dict[str, Any]:
    near = _neighbours(workspace, candidates, memory)
    common = Counter(tag for entry in near for tag in set(entry.tags))
    known = [tag for tag, _ in common.most_common()]
    known += sorted({tag for entry in candidates.sight.entries() for tag in entry.tags})
    topics = Counter(entry.topic for entry in near if entry.topic).most_common(1)
    suggested = {
        "tags_add": tags_for(f"{memory.title}\n{memory.content}", known, memory.tags),
        "title": title_for(memory.title),
        "topic": topics[0][0] if topics and topics[0][1] > 1 and not memory.topic else "",
    }
    return {key: value for key, value in suggested.items() if value}


def _neighbours(workspace: Workspace, candidates: TidyCandidates, memory: Memory) -> list[Entry]:
    """The memories a search for this one's title finds."""
    index, words = workspace.searcher.index, memory.title
    found = index.search(
        Query(text=words, words=words), candidates.sight.ranks, mode="text",
        now=workspace.clock(), limit=_NEIGHBOURS + 1,
    )  # fmt: skip
    entries = (index.entry(hit.blob) for hit in found.hits)
    return [entry for entry in entries if entry and entry.id != memory.id]


def _files(workspace: Workspace, standing: Position, memory: Memory) -> tuple[FileRef, ...]:
    """Files the text names that the code really has."""
    had = {file.path for file in memory.files}
    paths = [path for path in paths_in(memory.content) if path not in had]
    found = inputs.files_given(workspace, standing, paths)
    return tuple(file for file in found if file.blob)


def _write(workspace: Workspace, branch: str, drafts: Sequence[_Draft]) -> tuple[Enriched, ...]:
    def attempt(writing: Writing) -> tuple[Enriched, ...]:
        rewriting = Rewrite(workspace, writing)
        for draft in drafts:
            rewriting.change(rewriting.still(draft.place), draft.memory)
        versions = rewriting.commit("enrich")
        return tuple(
            draft.describe(
                diff_fields(draft.place, draft.memory),
                versions.get(draft.place.id, draft.place.blob),
            )
            for draft in drafts
        )

    return workspace.write(branch, attempt)
