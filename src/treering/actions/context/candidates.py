"""Which memories may matter for the work at hand: a bounded number, taken from the index.

By the files they name, by the words of the task, by type, by age, and by links from the best of
those. Only what is known without reading a memory is looked at here.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from treering.actions.searcher import SearchView
from treering.actions.workspace import MemoryWorkspace
from treering.model.query import LONGEST, Query
from treering.model.relevance import RelevanceCase, relevance
from treering.model.taxonomy import BOOKKEEPING_TYPES
from treering.search.entry import Entry
from treering.search.hits import Hit

#: What everyone should know, whatever they work on.
PINNED = ("convention", "decision", "security")
_NEWEST = 20
_MOST_TASK = 30
_MOST_NAMING = 200
#: From where on a memory is about a task whose words it need not share: by its share of them, or by
#: that and its meaning.
_SHARE, _MEANING = 0.6, 0.38
_SEEDS = 5
_MOST_LINKED = 10


class ContextCandidates:
    """Cases by blob, gathered from one view."""

    def __init__(self, workspace: MemoryWorkspace, search_view: SearchView, branch: str) -> None:
        self._index = search_view.index
        self._search_view = search_view
        self._branch = branch
        self._now = workspace.clock()
        self._cases: dict[str, tuple[Entry, RelevanceCase]] = {}

    def gather(
        self,
        task: str,
        files: Sequence[str],
        recent_files: Sequence[str],
        explaining: Mapping[str, float],
    ) -> list[tuple[Entry, RelevanceCase]]:
        """Every candidate, best first as far as is known without reading it.

        `explaining` are memories that explain the lines worked on, and how well.
        """
        self._by_task(task)
        for memory_id, score in explaining.items():
            place = self._search_view.view.place(memory_id)
            if place and (entry := self._index.entry(place.blob)):
                self._note(entry, explains=score)
        for path in files:
            self._by_file(path)
        for path in recent_files:
            for entry in self._naming(path):
                if path in entry.files:
                    self._note(entry, names_recent=True)
        if not any((task, files, recent_files, explaining)):
            for entry in (
                *self._index.newest(self._search_view.ranks, _NEWEST, PINNED),
                *self._index.newest(self._search_view.ranks, _NEWEST),
            ):
                if entry.type not in BOOKKEEPING_TYPES:
                    self._note(entry)
        self._by_links()
        return self._sort()

    def _sort(self) -> list[tuple[Entry, RelevanceCase]]:
        commits = {entry.session for entry, _ in self._cases.values() if entry.type == "commit"}
        return sorted(
            (pair for pair in self._cases.values() if pair[0].id not in commits),
            key=lambda pair: (-relevance(pair[1]).score, -pair[0].modified, pair[0].id),
        )

    def _by_task(self, task: str) -> None:
        words = task[:LONGEST]
        if not words.strip():
            return
        result = self._index.search(
            Query(words, words), self._search_view.ranks, now=self._now, limit=_MOST_TASK
        )
        best = max((hit.score for hit in result.hits), default=0.0)
        for hit in result.hits:
            entry = self._index.entry(hit.blob)
            if entry and best and _is_about(hit):
                self._note(entry, task=round(hit.score / best, 3))

    def _by_file(self, path: str) -> None:
        """Memories that name the file, a folder above it, or something in it where it is one."""
        for entry in self._naming(path):
            below = any(file.startswith(f"{path}/") for file in entry.files)
            self._note(entry, names_file=path in entry.files, names_folder=below)
        for folder in _above(path):
            for entry in self._naming(folder):
                if folder in entry.files:
                    self._note(entry, names_folder=True)

    def _naming(self, path: str) -> list[Entry]:
        """Memories among whose files is this path, or one below it."""
        entries = self._index.holding(path.replace("/", " "), self._search_view.ranks)
        near = (
            entry
            for entry in entries
            if any(file == path or file.startswith(f"{path}/") for file in entry.files)
        )
        return sorted(near, key=lambda entry: -entry.modified)[:_MOST_NAMING]

    def _by_links(self) -> None:
        seeds = [entry.id for entry, _ in self._sort()[:_SEEDS]]
        for reach in self._search_view.expand(seeds, 1, ())[:_MOST_LINKED]:
            entry = self._index.entry(reach.place.blob)
            if entry:
                self._note(entry, is_linked=True)

    def _note(self, entry: Entry, **more: bool | float) -> None:
        """Add to what is known about a memory; a reason once found stays.

        The last checkpoint is told anyway, and the ones before it are over.
        """
        if entry.type == "checkpoint":
            return
        pair = self._cases.get(entry.blob)
        case = pair[1] if pair else self._case(entry)
        reasons = {name: max(value, getattr(case, name)) for name, value in more.items()}
        self._cases[entry.blob] = (entry, case._replace(**reasons))

    def _case(self, entry: Entry) -> RelevanceCase:
        rank = self._search_view.ranks[entry.blob]
        return RelevanceCase(
            type=entry.type,
            status=entry.status,
            confidence=entry.confidence,
            age=self._now - entry.modified,
            links=self._search_view.network.degree(entry.id),
            is_of_branch=self._search_view.view.layers[rank].branch == self._branch,
            has_failed=entry.outcome == "failed",
        )


def _is_about(hit: Hit) -> bool:
    """Tell whether a hit answers a task: a search always finds the best there is."""
    near = hit.closeness
    if near.is_close or near.share >= _SHARE:
        return True
    return (near.share + hit.parts.get("semantic", 0.0)) / 2 >= _MEANING


def _above(path: str) -> Iterator[str]:
    return (str(folder) for folder in PurePosixPath(path).parents if str(folder) != ".")
