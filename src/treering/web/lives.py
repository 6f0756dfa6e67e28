"""The lives of branches, gathered for drawing: when each learned something, and how it ended.

Everything is read from memory refs and the index: what landed stands in the promotions of the
scopes it went into, what was dropped in the trash. The code is not judged here.
"""

import calendar
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

from treering.actions.searcher import SearchView
from treering.actions.workspace import Workspace
from treering.branches.layers import view_of_trash
from treering.branches.survey import list_trash
from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged
from treering.model.taxonomy import RECORD_TYPES
from treering.search.entry import Entry
from treering.store.history import PromotionRecord, promotions
from treering.store.view import Layer

End = Literal["trunk", "live", "gone", "landed", "trash"]


class Learned(NamedTuple):
    """A memory as a dot: when, which one, and whether it tells of something that failed."""

    when: float
    id: str
    title: str
    type: str
    outcome: str


class LandingMark(NamedTuple):
    """When what a branch learned went into another, by which evidence, as which commit."""

    when: float
    source: str
    into: str
    evidence: str
    merged_as: str
    memories: int


class BranchLife(NamedTuple):
    """One branch: what it learned, where that landed, and how it ended."""

    branch: str
    end: End
    learned: tuple[Learned, ...]
    landings: tuple[LandingMark, ...] = ()
    ended: float = 0.0

    @property
    def start(self) -> float:
        moments = [dot.when for dot in self.learned if dot.when]
        return min([*moments, *(mark.when for mark in self.landings)], default=self.ended)

    @property
    def stop(self) -> float:
        moments = [dot.when for dot in self.learned]
        return max([*moments, *(mark.when for mark in self.landings), self.ended], default=0.0)


def since(lives: list[BranchLife], moment: float) -> list[BranchLife]:
    """Branches as they went on after a moment; the trunk is always there."""
    return [
        life._replace(
            learned=tuple(dot for dot in life.learned if dot.when >= moment),
            landings=tuple(mark for mark in life.landings if mark.when >= moment),
        )
        for life in lives
        if life.end == "trunk" or life.stop >= moment
    ]


class DroppedScope(NamedTuple):
    """What lies in the trash."""

    branch: str
    when: float
    memories: int
    is_redacted: bool


def list_lives(workspace: Workspace, *, has_records: bool) -> list[BranchLife]:
    """Every branch that ever learned something, as far as memories tell; the trunk first."""
    gathering = _Gathering(workspace, has_records=has_records)
    lives = [*gathering.list_present(), *gathering.list_landed(), *gathering.list_dropped()]
    return sorted(lives, key=lambda life: (life.end != "trunk", life.start, life.branch))


def list_dropped(workspace: Workspace) -> list[DroppedScope]:
    """The trash, newest first; how many memories are seen again when it is restored."""
    rows = []
    for vault in workspace.store.vaults():
        for entry in list_trash(vault):
            count = 0
            with suppress(StoreDamaged):
                count = len(vault.snapshot_at(entry.scope, entry.tip).listing())
            when = _moment(entry.stamp)
            rows.append(DroppedScope(entry.scope.branch, when, count, entry.is_redacted))
    return sorted(rows, key=lambda row: row.when, reverse=True)


class _Gathering:
    """What all branches are drawn from, looked up once."""

    def __init__(self, workspace: Workspace, *, has_records: bool) -> None:
        self._workspace = workspace
        self._has_records = has_records
        self._trunk = trunk_of(workspace.repository)
        self._here = set(workspace.repository.branches())
        view = workspace.view_of_all()
        self._search_view: SearchView = workspace.searcher.search_view(view, every_copy=True)
        self._entries = workspace.rows.entries
        self._layers = view.layers
        self._trash = view_of_trash(workspace.store, self._trunk)
        self.landings = list(self._list_landings())

    def list_present(self) -> Iterator[BranchLife]:
        """Scopes that are there, each with what landed from it already."""
        by_branch: dict[str, list[Layer]] = {}
        for layer in self._layers:
            by_branch.setdefault(layer.branch, []).append(layer)
        if self._trunk not in by_branch:
            yield BranchLife(self._trunk, "trunk", ())
        for branch, layers in by_branch.items():
            dots = [dot for layer in layers for dot in self._list_dots(layer.listing().values())]
            end: End = "live" if branch in self._here else "gone"
            if branch == self._trunk:
                end = "trunk"
            yield BranchLife(
                branch,
                end,
                tuple(sorted(dots)),
                tuple(mark for mark, _ in self.landings if mark.source == branch),
            )

    def list_landed(self) -> Iterator[BranchLife]:
        """Branches of which only what landed is left."""
        present = {layer.branch for layer in (*self._layers, *self._trash.layers)}
        by_source: dict[str, list[tuple[LandingMark, tuple[str, ...]]]] = {}
        for mark, ids in self.landings:
            if mark.source and mark.source not in present:
                by_source.setdefault(mark.source, []).append((mark, ids))
        by_id = {entry.id: entry for entry in self._search_view.entries()} if by_source else {}
        for branch, pairs in by_source.items():
            entries = [by_id[mid] for _, ids in pairs for mid in ids if mid in by_id]
            marks = tuple(mark for mark, _ in pairs)
            ended = max(mark.when for mark in marks)
            dots = tuple(sorted({_dot(entry) for entry in entries if self._is_shown(entry)}))
            yield BranchLife(branch, "landed", dots, marks, ended)

    def list_dropped(self) -> Iterator[BranchLife]:
        """What is in the trash, with what the index still knows of it."""
        stamps = {
            entry.tip: _moment(entry.stamp)
            for vault in self._workspace.store.vaults()
            for entry in list_trash(vault)
        }
        for layer in self._trash.layers:
            ended = stamps.get(layer.snapshot.tip or "", 0.0)
            dots = tuple(sorted(self._list_dots(layer.listing().values())))
            marks = tuple(mark for mark, _ in self.landings if mark.source == layer.branch)
            yield BranchLife(layer.branch, "trash", dots, marks, ended)

    def _list_dots(self, blobs: Iterable[str]) -> Iterator[Learned]:
        entries = self._entries(blobs).values()
        return (_dot(entry) for entry in entries if entry and self._is_shown(entry))

    def _is_shown(self, entry: Entry) -> bool:
        is_wanted = self._has_records or entry.type not in RECORD_TYPES
        return is_wanted and entry.status != "deleted"

    def _list_landings(self) -> Iterator[tuple[LandingMark, tuple[str, ...]]]:
        """Every promotion into a scope that is there, and the memories it names."""
        keys: set[str] = set()
        for layer in self._layers:
            for record in promotions(layer.vault, layer.snapshot.tip) if layer.snapshot.tip else ():
                if record.commit not in keys and self._is_into(record, layer):
                    keys.add(record.commit)
                    yield self._mark(record, layer), record.said.memories

    def _is_into(self, record: PromotionRecord, layer: Layer) -> bool:
        """A scope's history holds that of the scope it was made from, promotions included."""
        return (record.said.promoted_into or layer.branch) == layer.branch

    def _mark(self, record: PromotionRecord, layer: Layer) -> LandingMark:
        said = record.said
        when = 0.0
        with suppress(StoreDamaged):
            when = float(layer.vault.repository.objects.commit(record.commit).time)
        count = said.bulk or len(said.memories)
        return LandingMark(
            when, said.promoted_from, layer.branch, said.merge_kind, said.merged_as, count
        )


def _dot(entry: Entry) -> Learned:
    return Learned(entry.created, entry.id, entry.title, entry.type, entry.outcome)


def _moment(stamp: str) -> float:
    try:
        return float(calendar.timegm(time.strptime(stamp[:16], "%Y%m%dT%H%M%SZ")))
    except ValueError:
        return 0.0
