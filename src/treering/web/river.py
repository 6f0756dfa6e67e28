"""The river: time runs to the right, the trunk is its bed, branches leave it and come back.

A branch has a lane from its first memory to its last, and lanes that are free again are used by
later branches, so that two thousand of them fit. Long pauses in which nobody learned anything are
shortened. Where there are many branches the picture is wider, lanes are low, have no names and are
not led back to the bed, where nobody could follow them; a tip still names each.
"""

import calendar
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Literal, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from treering.actions.searcher import SearchView
from treering.actions.workspace import Workspace
from treering.branches.layers import view_of_trash
from treering.branches.survey import list_trash
from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged
from treering.model.dates import format_moment
from treering.model.taxonomy import RECORD_TYPES
from treering.search.entry import Entry
from treering.store.history import PromotionRecord, promotions
from treering.store.view import Layer
from treering.web.rendering import cut, drawing, element, plural
from treering.web.visit import Visit

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
    """A scope in the trash."""

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
    """The data all branches are drawn from, looked up once."""

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
        """Yield what is in the trash, with what the index still knows of it."""
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
                # A scope's history holds that of the scope it was made from, promotions included.
                is_into = (record.said.promoted_into or layer.branch) == layer.branch
                if is_into and record.commit not in keys:
                    keys.add(record.commit)
                    yield self._mark(record, layer), record.said.memories

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


_WIDTH, _WIDEST = 1000.0, 3000.0
_LEFT, _RIGHT = 34.0, 60.0
_TOP, _BED = 22.0, 46.0
_TICKS = 6
_NAMED = 60  # branches, above which lanes have no names
_LETTER = 6.2
_LONGEST_NAME = 30


class Band(NamedTuple):
    """The height of lanes, the distance of dots, and whether there is room for names."""

    height: float
    dot: float
    apart: float
    has_names: bool


_WIDE = Band(36.0, 4.6, 7.0, has_names=True)
_NARROW = Band(9.0, 2.0, 4.0, has_names=False)


class Timeline:
    """From moments to places: evenly by time, but a pause counts for a twentieth at most."""

    def __init__(self, moments: Sequence[float], width: float = _WIDTH) -> None:
        self.width = width
        self._moments = sorted({moment for moment in moments if moment}) or [0.0]
        self._is_empty = self._moments == [0.0]
        span = self._moments[-1] - self._moments[0]
        most = max(span / 20, 1.0)
        self._at = [0.0]
        for one, other in pairwise(self._moments):
            self._at.append(self._at[-1] + min(other - one, most))
        self._length = self._at[-1] or 1.0

    def x(self, moment: float) -> float:
        place = max(0, bisect_right(self._moments, moment) - 1)
        at = self._at[place]
        if place + 1 < len(self._moments) and moment > self._moments[place]:
            share = (moment - self._moments[place]) / (
                self._moments[place + 1] - self._moments[place]
            )
            at += share * (self._at[place + 1] - at)
        return _LEFT + at / self._length * (self.width - _LEFT - _RIGHT)

    def ticks(self) -> list[tuple[float, str]]:
        """A few days with their places, none on top of another."""
        ticks: list[tuple[float, str]] = []
        if self._is_empty:
            return ticks
        for number in range(_TICKS):
            moment = self._moments[number * (len(self._moments) - 1) // max(1, _TICKS - 1)]
            day, x = format_moment(moment)[:10], self.x(moment)
            if not ticks or (ticks[-1][1] != day and x - ticks[-1][0] > 80):
                ticks.append((x, day))
        return ticks


class Lane(NamedTuple):
    """A branch and the row it is drawn in."""

    life: BranchLife
    row: int
    start: float
    stop: float


def draw_river(visit: Visit, lives: Sequence[BranchLife]) -> Markup:
    """All branches in one picture."""
    trunk = next((life for life in lives if life.end == "trunk"), None)
    others = [life for life in lives if life.end != "trunk"]
    band = _WIDE if len(others) <= _NAMED else _NARROW
    width = _WIDTH if band.has_names else min(_WIDEST, _WIDTH + len(others))
    moments = [m for life in lives for m in (life.start, life.stop, *_moments(life))]
    line = Timeline(moments, width)
    lanes = place_lanes(others, line, band)
    rows = max((lane.row for lane in lanes), default=-1) + 1
    height = _BED + (rows + 1) * band.height
    parts = [_draw_ticks(line, height), _draw_bed(visit, trunk, line, band)]
    parts += [_draw_lane(visit, lane, line, band) for lane in lanes]
    count = plural(len(lives), "branch", "branches")
    label = f"{count} over time, with what they learned and where it landed"
    return drawing(parts, width, height, label, "river" if band.has_names else "river many")


def _moments(life: BranchLife) -> list[float]:
    return [dot.when for dot in life.learned]


def place_lanes(lives: Sequence[BranchLife], line: Timeline, band: Band) -> list[Lane]:
    """The first row that is free again where a branch begins."""
    lanes: list[Lane] = []
    free: list[float] = []  # by row: from where on
    for life in sorted(lives, key=lambda life: life.start):
        start, stop = line.x(life.start), line.x(life.stop)
        name = min(len(life.branch), _LONGEST_NAME) * _LETTER if band.has_names else 0
        end = max(stop, start + name) + 2 * band.height
        row = next((n for n, until in enumerate(free) if until <= start), len(free))
        if row == len(free):
            free.append(0.0)
        free[row] = end
        lanes.append(Lane(life, row, start, stop))
    return lanes


def _draw_ticks(line: Timeline, height: float) -> Markup:
    parts = []
    for x, day in line.ticks():
        parts.append(element("line", x1=x, x2=x, y1=_TOP - 6, y2=height, class_="tick"))
        parts.append(element("text", day, x=x + 3, y=_TOP - 8, class_="day"))
    return element("g", *parts)


def _draw_bed(visit: Visit, trunk: BranchLife | None, line: Timeline, band: Band) -> Markup:
    bed = element("line", x1=_LEFT - 16, x2=line.width - _RIGHT / 2, y1=_BED, y2=_BED, class_="bed")
    if trunk is None:
        return bed
    dots = _draw_dots(visit, trunk, line, _BED, band, trunk.branch)
    name = element(
        "text", cut(trunk.branch, _LONGEST_NAME), x=_LEFT - 16, y=_BED - 11, class_="name"
    )
    return element("g", element("title", trunk.branch), bed, dots, name, class_="life trunk")


def _draw_lane(visit: Visit, lane: Lane, line: Timeline, band: Band) -> Markup:
    life, y = lane.life, _BED + (lane.row + 1) * band.height
    bend = min(18.0, band.height)
    way = f"{lane.start:.1f},{y:.1f} H{max(lane.stop, lane.start + 1):.1f}"
    stroke = f"M{way}"
    if band.has_names:
        left = f"{lane.start - bend:.1f}"
        stroke = f"M{left},{_BED} C{lane.start:.1f},{_BED} {left},{y:.1f} {way}"
    parts = [
        element("title", tell_life(life)),
        element("path", d=stroke, class_="stream"),
        *(_draw_landing(mark, line, y, bend, band) for mark in life.landings),
    ]
    if life.end == "trash":
        x = lane.stop + 5
        cross = f"M{x - 3:.1f},{y - 3:.1f} l6,6 m0,-6 l-6,6"
        parts.append(element("path", d=cross, class_="drop"))
    parts.append(_draw_dots(visit, life, line, y, band, life.branch))
    if band.has_names:
        parts.append(_draw_name(visit, lane, y))
    return element("g", *parts, class_=f"life {life.end}")


def _draw_name(visit: Visit, lane: Lane, y: float) -> Markup:
    """Return where the branch begins, and to the left of it where it would not fit."""
    text = cut(lane.life.branch, _LONGEST_NAME)
    is_late = lane.start + len(text) * _LETTER > _WIDTH
    name = element(
        "text",
        text,
        x=lane.start + (8 if is_late else -4),
        y=y + (18 if is_late else -9),
        text_anchor="end" if is_late else None,
        class_="name",
    )
    if lane.life.end in ("trash", "landed"):
        return name
    return element("a", name, href=visit.url(f"/branches/{quote(lane.life.branch)}"))


def _draw_landing(mark: LandingMark, line: Timeline, y: float, bend: float, band: Band) -> Markup:
    """The way back into the bed, or where there are many only a sign that there was one."""
    x = line.x(mark.when)
    way = f"M{x:.1f},{y:.1f} C{x + bend:.1f},{y:.1f} {x:.1f},{_BED} {x + bend:.1f},{_BED}"
    if not band.has_names:
        way = f"M{x:.1f},{y - 3:.1f} v6"
    evidence = f"{mark.evidence} " if mark.evidence else ""
    tip = element("title", f"landed in {mark.into} {evidence}{mark.merged_as[:12]}".strip())
    return element("g", tip, element("path", d=way, class_="landing"))


def _draw_dots(
    visit: Visit, life: BranchLife, line: Timeline, y: float, band: Band, branch: str
) -> Markup:
    """One dot for what was learned at about the same time, larger for more of it."""
    groups: list[tuple[float, list[Learned]]] = []
    for dot in life.learned:
        x = line.x(dot.when)
        if groups and x - groups[-1][0] < band.apart:
            groups[-1][1].append(dot)
        else:
            groups.append((x, [dot]))
    width, parts = line.width, []
    for x, dots in groups:
        parts.append(_draw_dot(visit, Dot(x, y, width, tuple(dots)), life, band, branch))
    return element("g", *parts)


class Dot(NamedTuple):
    """Memories of about the same time, their place, and how wide the picture is."""

    x: float
    y: float
    width: float
    learned: tuple[Learned, ...]


def _draw_dot(visit: Visit, dot: Dot, life: BranchLife, band: Band, branch: str) -> Markup:
    x, y, width, dots = dot
    failed = any(dot.outcome == "failed" for dot in dots)
    size = band.dot * (1 + 0.35 * min(4, len(dots) - 1) ** 0.5)
    circle = element("circle", cx=x, cy=y, r=round(size, 1), class_="failed" if failed else None)
    if not band.has_names:
        return circle
    more = f" and {len(dots) - 1} more" if len(dots) > 1 else ""
    words = f"{cut(f'{dots[-1].type}: {dots[-1].title}', 80)}{more}"
    side = "start" if x < 250 else "end" if x > width - 250 else "middle"
    tip = element("text", words, x=x, y=y - 12, text_anchor=side, class_="tip")
    if life.end == "trash":
        return element("g", circle, tip)  # only what was restored can be read
    seen_from = "" if life.end == "landed" else branch
    where = visit.memory_url(dots[-1].id, branch=seen_from)
    if len(dots) > 1 and seen_from:
        days = [format_moment(dot.when)[:10] for dot in (dots[0], dots[-1])]
        where = visit.url("/search", branch=branch, order="newest", since=days[0], until=days[1])
    return element("a", circle, tip, href=where, aria_label=words)


def tell_life(life: BranchLife) -> str:
    """A branch in one line, as its tip says it."""
    words = {
        "live": "",
        "gone": "its branch is gone",
        "landed": "landed",
        "trash": "in the trash",
        "trunk": "the trunk",
    }[life.end]
    count = plural(len(life.learned), "memory", "memories")
    return ", ".join(part for part in (life.branch, count, words) if part)
