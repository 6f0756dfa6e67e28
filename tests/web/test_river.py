"""The river: every branch has a lane of its own for as long as it lives, however many there are."""

from itertools import pairwise

from treering.web.river import (
    _NARROW,
    _WIDE,
    BranchLife,
    LandingMark,
    Learned,
    Timeline,
    draw_river,
    place_lanes,
)
from treering.web.visit import Visit

#: Only addresses are asked of it.
VISIT = Visit(None, {}, {})  # type: ignore[arg-type]
DAY = 86_400.0
START = 1_770_000_000.0


def live(name: str, first: float, last: float, **more: object) -> BranchLife:
    dots = tuple(Learned(START + day * DAY, "7k2m9qx4c0wd", "x", "", "") for day in (first, last))
    return BranchLife(name, "live", dots, **more)  # type: ignore[arg-type]


def test_branches_that_live_together_never_share_a_lane() -> None:
    lives = [live(f"b{n}", n * 0.7 % 40, n * 0.7 % 40 + n % 5) for n in range(200)]
    line = Timeline([moment for life in lives for moment in (life.start, life.stop)])

    for band in (_WIDE, _NARROW):
        lanes = place_lanes(lives, line, band)
        for row in {lane.row for lane in lanes}:
            here = sorted((lane.start, lane.stop) for lane in lanes if lane.row == row)
            assert all(one[1] < other[0] for one, other in pairwise(here))


def test_time_runs_to_the_right_and_pauses_are_short() -> None:
    moments = [START + day * DAY for day in (0, 1, 2, 400, 401, 402)]
    line = Timeline(moments)

    places = [line.x(moment) for moment in moments]

    assert places == sorted(places)
    pause, day = places[3] - places[2], places[1] - places[0]
    assert pause < 25 * day


def test_two_thousand_branches_are_drawn() -> None:
    lives = [
        live(f"work/{n}", n / 10, n / 10 + 1, landings=(
            LandingMark(START + (n / 10 + 1) * DAY, f"work/{n}", "main", "squash", "", 2),
        ))
        for n in range(2000)
    ]  # fmt: skip

    picture = draw_river(VISIT, [BranchLife("main", "trunk", ()), *lives])

    assert picture.count("<title>work/") == 2000
    assert picture.count('class="landing"') == 2000
    assert len(picture) < 2_000_000


def test_nothing_at_all_can_be_drawn() -> None:
    assert "1970" not in draw_river(VISIT, [])
    assert "<svg" in draw_river(VISIT, [])
    assert "<svg" in draw_river(VISIT, [BranchLife("main", "trunk", ())])


def test_names_are_text() -> None:
    picture = draw_river(VISIT, [live("<b>x</b>\u202e", 0, 1)])

    assert "<b>" not in picture
    assert "\u202e" not in picture
