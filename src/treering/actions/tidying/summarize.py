"""summarize: many memories in short, as one more memory that is derived from them; they stay."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from treering.actions.remember import identify
from treering.actions.tidying.candidates import (
    Group,
    Outlook,
    SameMemories,
    TidyCandidates,
    text_given,
    whole,
)
from treering.actions.tidying.merge import compose, take_up
from treering.actions.tidying.rewrite import Rewrite, incoming, surest, tags_of
from treering.actions.workspace import Workspace, Writing
from treering.call import Advice, Call
from treering.errors import Invalid, NeedsModel
from treering.model.memory import Link, title_of
from treering.model.taxonomy import BOOKKEEPING_TYPES, type_named
from treering.search.entry import Entry
from treering.store.view import Copy
from treering.text import secrets

#: What a summary is, whatever it is of: background for whoever comes next.
_TYPE = "context"
_FEWEST = 3
_MOST_SOURCES = 200  # links stand in the front matter, which has its limit


@dataclass(frozen=True, slots=True)
class Summary:
    """One summary that was written."""

    id: str
    title: str
    version: str
    derived_from: tuple[str, ...]
    #: The command that undoes it.
    back: str | None = None


@dataclass(frozen=True, slots=True)
class Summaries:
    groups: tuple[Group, ...]
    total: int
    summaries: tuple[Summary, ...]


class _Topic:
    """Memories about one thing; those of a query or named by ids are one group."""

    def __init__(self, about: str, places: Sequence[Copy]) -> None:
        self.about = about
        self.sources = SameMemories(places[:_MOST_SOURCES], 1.0, exact=False)


def summarize(
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
) -> Summaries:
    """Find what could be summarized (by topic, else by tag), or store a summary.

    With `ids` or a `query` those memories are one group. With `ids` a `type` is that of the new
    memory, else it chooses which are looked at.
    """
    is_named = bool(ids or query)
    if content and not is_named:
        raise Invalid("What is the content a summary of?", hint="Name the memories, or a query.")
    candidates = TidyCandidates(
        workspace, branch=branch, ids=ids, type=type, query=query, progress=progress
    )
    topics = list(_topics(candidates, query, is_named=is_named))
    page = topics[:limit]
    kind = type_named(type) if ids and type else _TYPE
    text = text_given(content) if content else ""
    secrets.refuse(title)
    groups = tuple(_describe(topic, text, title, kind, is_named=is_named) for topic in page)
    if dry_run:
        return Summaries(groups, len(topics), ())
    if page and not text:
        raise NeedsModel("To summarize, someone has to write the summary.")
    summaries = tuple(_store(workspace, branch, topic, text, title, kind) for topic in page)
    return Summaries(groups, len(topics), summaries)


def _topics(candidates: TidyCandidates, query: str, *, is_named: bool) -> Iterator[_Topic]:
    if is_named:
        if not candidates.places:
            raise Invalid("Nothing was found to summarize.", hint="Try another query.")
        yield _Topic(query, candidates.places)
        return
    for about, entries in _by_subject(candidates.entries).items():
        if len(entries) >= _FEWEST and not _is_covered(candidates, entries):
            yield _Topic(about, candidates.locate(entries))


def _by_subject(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Memories by topic, those without one by their first tag; the largest groups first."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.type in BOOKKEEPING_TYPES:
            continue
        if entry.topic:
            groups[f"topic:{entry.topic}"].append(entry)
        elif entry.tags:
            groups[f"tag:{entry.tags[0].lower()}"].append(entry)
    return dict(sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])))


def _is_covered(candidates: TidyCandidates, entries: Sequence[Entry]) -> bool:
    """Whether a summary of all of them is there already; it counts among them itself."""
    counts: Counter[str] = Counter()
    for entry in entries:
        links = incoming(candidates.search_view, entry.id)
        counts.update({source for relation, source in links if relation == "derived_from"})
    ids = {entry.id for entry in entries}
    return any(count + (summary in ids) == len(entries) for summary, count in counts.items())


def _describe(topic: _Topic, text: str, title: str, kind: str, *, is_named: bool) -> Group:
    sources = topic.sources
    call = Call("maintain", "summarize", ids=list(sources.ids), content="...", apply=True)
    return Group(
        ids=sources.ids,
        score=sources.score,
        exact=False,
        titles=sources.titles,
        next=Advice("write what matters in them, then {}", call, mark=""),
        about=topic.about or None,
        memories=tuple(map(whole, sources.memories)) if is_named and not text else None,
        would=_would(sources, text, title, kind) if text else None,
    )


def _would(sources: SameMemories, text: str, title: str, kind: str) -> Outlook:
    return {
        "title": title or title_of(text),
        "type": kind,
        "tags": list(tags_of(sources.memories)),
        "derived_from": list(sources.ids),
    }


def _store(
    workspace: Workspace, branch: str, topic: _Topic, text: str, title: str, kind: str
) -> Summary:
    """Private as soon as one of the sources is."""

    def attempt(writing: Writing) -> Summary:
        rewriting = Rewrite(workspace, writing)
        places = [rewriting.still(place) for place in topic.sources.places]
        is_private = any(place.is_private for place in places)
        draft = compose(workspace, topic.sources.memories, text, title=title, kind=kind)
        memory, existing = identify(writing.view, draft, is_private)
        if existing:
            memory = take_up(existing.memory(), memory, title)
        origins = (Link("derived_from", place.id, 1.0) for place in places)
        memory = memory._replace(links=surest((*memory.links, *origins), but=memory.id))
        rewriting.add(memory, existing, is_private=is_private)
        version = rewriting.commit("summarize")[memory.id]
        return Summary(memory.id, memory.title, version, topic.sources.ids, writing.back)

    return workspace.write(branch, attempt)
