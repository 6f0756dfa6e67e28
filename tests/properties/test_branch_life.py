"""Any life branches can lead, against a model of the principles: nothing lost, nothing leaked.

A life that goes wrong is printed with its seed, and with the fewest of its steps that still do.
`TREERING_SEED=<seed> TREERING_LIVES=1` plays it again. All of them, on two cores:

    TREERING_LIVES=10000 python -m pytest -n 2 -m deep tests/properties/test_branch_life.py
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from branch_player import EVENTS, Player, Step, WentWrong, make_steps, shorten
from conftest import remove

LIVES = int(os.environ.get("TREERING_LIVES", "300"))
SEED = int(os.environ.get("TREERING_SEED", "1"))
#: The deep run is cut into pieces, for as many cores.
PIECES = 8


def _play(folder: Path, steps: list[Step]) -> tuple[Player, str]:
    """What was done, and what went wrong."""
    place = folder / "life"
    place.mkdir()
    player = Player(place / "repo")
    try:
        player.play(steps)
    except WentWrong as error:
        return player, str(error)
    finally:
        remove(place)
    return player, ""


def _play_lives(folder: Path, seeds: range, count: int) -> None:
    for seed in seeds:
        steps = make_steps(seed, count)
        player, error = _play(folder, steps)
        if error:
            _tell(folder, seed, player.played, _kind_of(error))


def _tell(folder: Path, seed: int, steps: list[Step], kind: str) -> None:
    """The shortest story of what went wrong."""
    steps = shorten(steps, lambda fewer: _kind_of(_play(folder, fewer)[1]) == kind)
    player, error = _play(folder, steps)
    story = "\n  ".join(player.told)
    pytest.fail(f"seed {seed}: {error}\n  {story}\n{steps}")


def _kind_of(error: str) -> str:
    return " ".join(error.partition(":")[0].split()[:4])


def test_no_short_life_of_branches_loses_or_leaks_a_memory(tmp_path: Path) -> None:
    """The promise of the whole project, on lives nobody thought of; the same ones each time, so
    that a red run means a change did it."""
    _play_lives(tmp_path, range(1, 9), 12)


#: Lives that went wrong once, cut to what it took.
WENT_WRONG = {
    "what a clone learned on a branch that got the name of a former one": [
        Step("create", 664762), Step("remember", 125395), Step("delete", 334972),
        Step("work_in_a_clone", 209318), Step("come_back", 610322), Step("land", 729058),
        Step("rename", 926778),
    ],
    "what a clone learned on a branch that landed and was renamed here": [
        Step("work_in_a_clone", 136017), Step("create", 355759), Step("land_what_is_gone", 53638),
        Step("come_back", 945674), Step("rename", 796187),
    ],
    "what waited for its commit, which landed before the branch was reset": [
        Step("create", 571191), Step("remember_before_the_commit", 702160), Step("commit", 11292),
        Step("land", 97122), Step("create", 492117), Step("switch", 923760),
        Step("reset_to_trunk", 547248),
    ],
    "a branch that came back at its own commit, before that landed": [
        Step("create", 176635), Step("commit", 776953), Step("remember", 907987),
        Step("delete", 221618), Step("come_back", 457399), Step("land_a_part", 788122),
    ],
    "what was amended before it landed, and whose branch's name was used again": [
        Step("remember", 961986), Step("create", 23491), Step("remember_before_the_commit", 785522),
        Step("commit", 407958), Step("gc", 23045), Step("create", 799751), Step("rename", 861427),
        Step("switch", 796088), Step("amend", 92691), Step("delete", 133850),
        Step("land_what_is_gone", 380178), Step("create", 610725),
    ],
    "what was said on a long-lived branch that landed in part and went on": [
        Step("remember_elsewhere", 520428), Step("commit_on_trunk_by_mistake", 526983),
        Step("land", 840646), Step("edit", 579006), Step("release", 941544),
    ],
    "what followed a branch to a name that another one got afterwards": [
        Step("create", 392085), Step("remember_before_the_commit", 818310), Step("rename", 100847),
        Step("create", 320284), Step("remember", 227937), Step("rename", 886843),
        Step("create", 903930),
    ],
    "what went with a branch whose first name was used again where the trunk was for a moment": [
        Step("create", 899589), Step("create", 550446), Step("delete", 235558),
        Step("create", 575980), Step("create", 599420), Step("remember_before_the_commit", 582764),
        Step("rename", 961253), Step("commit_on_trunk_by_mistake", 86430), Step("delete", 123152),
    ],
    "what was said under a name that was used again at a commit which landed later": [
        Step("create", 711682), Step("rename", 917333), Step("remember", 262943),
        Step("delete", 888240), Step("create", 498457), Step("commit", 839053),
        Step("create", 554988), Step("land", 122539),
    ],
    "what was picked into one branch with more than was picked into another": [
        Step("create", 660533), Step("land", 298824), Step("remember_before_the_commit", 399177),
        Step("commit", 378959), Step("commit", 486850), Step("pick_one", 216590),
        Step("land", 702458),
    ],
    "what waits on a branch that was given the name of one whose work landed": [
        Step("create", 413592), Step("remember_before_the_commit", 908639), Step("create", 100427),
        Step("edit", 894234), Step("pick_one", 164278), Step("create", 449438),
        Step("create", 183440), Step("delete", 712263), Step("rename", 669502),
    ],
    "what was merged into one long-lived branch before another was fast-forwarded to it": [
        Step("create", 440366), Step("remember", 416508), Step("commit", 106402),
        Step("land", 758909), Step("gc", 755162), Step("land", 290272),
    ],
    "what was said before a commit that landed alone, when a later one was picked": [
        Step("create", 605060), Step("remember", 187394), Step("commit", 406364),
        Step("commit", 637692), Step("pick_one", 263556), Step("land_a_part", 614962),
    ],
    "what was said on the second branch of a name, both of which were renamed to another": [
        Step("create", 907492), Step("rename", 777005), Step("create", 639954),
        Step("remember_before_the_commit", 635874), Step("rename", 985280),
        Step("switch", 746255), Step("rename", 313439),
    ],
}  # fmt: skip


@pytest.mark.parametrize("steps", WENT_WRONG.values(), ids=WENT_WRONG)
def test_no_life_goes_wrong_again(tmp_path: Path, steps: list[Step]) -> None:
    _, error = _play(tmp_path, steps)

    assert error == ""


@pytest.mark.deep
@pytest.mark.parametrize("piece", range(PIECES))
def test_no_long_life_of_branches_loses_or_leaks_a_memory(tmp_path: Path, piece: int) -> None:
    """The same, long enough for names to be used again and again."""
    _play_lives(tmp_path, range(SEED + piece, SEED + LIVES, PIECES), 35)


# --- the model itself -----------------------------------------------------------------------------


def _leak(player: Player) -> None:
    player.repo.tr.remember("said elsewhere", type="insight", branch="main")


def _hide(player: Player) -> None:
    player.repo.git("update-ref", "-d", "refs/treering/heads/main")


def _trash(player: Player) -> None:
    tip = player.repo.refs()["refs/treering/heads/main"]
    player.repo.git("update-ref", "refs/treering/trash/main/20260202T000000Z", tip)


@pytest.mark.parametrize(
    ("fault", "error"),
    [(_leak, "shows what it must not"), (_hide, "lost"), (_trash, "trashed, and nobody asked")],
)
def test_the_model_sees_faults(tmp_path: Path, fault: Callable[[Player], None], error: str) -> None:
    player = Player(tmp_path / "repo")
    player.play([Step("remember", 1)])
    fault(player)

    with pytest.raises(WentWrong, match=error):
        player.look()


def test_everything_that_can_be_done_is_done() -> None:
    """No event is so rare that a few hundred lives do without it."""
    steps = {step.event for seed in range(1, 101) for step in make_steps(seed, 35)}
    assert steps == EVENTS.keys()
