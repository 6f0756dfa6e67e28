"""Vectors in a database: of another model, damaged, and very many."""

from collections.abc import Callable
from typing import Any

import pytest

from conftest import Repo
from hub.conftest import HubAtHand

Make = Callable[[str], Repo]
CAR = "The car is mended in the garage"
ASKED = "automobile repair"


@pytest.fixture
def filled(database: HubAtHand, make: Make) -> HubAtHand:
    """A hub with two repositories, one of which answers."""
    api, web = make("api"), make("web")
    api.tr.remember(CAR)
    web.tr.remember("The page cache is cleared at night")
    for repo in (api, web):
        database.json("hub", "add", repo.path.name, str(repo.path))
    database.update()
    return database


def test_rows_made_with_another_model_are_made_anew(filled: HubAtHand, sql: Any) -> None:
    """Of another length, too. Until the next update words answer, and nothing breaks."""
    other = "UPDATE treering.embedding SET signs = B'101', numbers = '\\x81'"
    sql.execute(f"{other}; UPDATE treering.repository SET made_with = 'something else'")

    assert filled.titles(ASKED) == []
    assert filled.titles("car garage") == [("api", CAR)]

    assert filled.update() == {"api": "unchanged", "web": "unchanged"}
    assert filled.titles(ASKED) == [("api", CAR)]


def test_damaged_vectors_are_left_out(filled: HubAtHand, sql: Any) -> None:
    """A length that is no number, too few numbers, a sign too many: each costs its own memory its
    meaning, and no other."""
    for damage in ("length = 'NaN'", "length = 'Infinity'", "length = -1", "numbers = '\\x8182'"):
        sql.execute(f"UPDATE treering.embedding SET {damage}")

        answer = filled.json("recall", f"{ASKED} garage", "--repos", "all", "--weak")

        assert [hit["title"] for hit in answer["results"]] == [CAR]
        assert 0 < answer["results"][0]["score"] <= 1
    sql.execute("UPDATE treering.embedding SET signs = signs || B'1'")
    assert filled.titles("garage") == [("api", CAR)]


def test_a_flood_of_near_texts_leaves_others_their_place(either: HubAtHand, make: Make) -> None:
    """Hundreds of texts that are near any question about cars: the one that is nearer comes first,
    and so does the one that has the very words."""
    good, evil = make("good"), make("evil")
    good.tr.remember(CAR)
    good.tr.remember("Automobile repair is paid by the insurance")
    lines = [f"Vehicle number {n} {word} road" for n in range(60) for word in ("on", "off", "by")]
    file = evil.path / "flood.jsonl"
    file.write_text("".join(f'{{"content": "{line}", "type": "insight"}}\n' for line in lines))
    evil.tr.import_path(file)
    for repo in (good, evil):
        either.json("hub", "add", repo.path.name, str(repo.path))
    either.update()

    titles = either.titles(ASKED)

    assert titles[0] == ("good", "Automobile repair is paid by the insurance")
    assert titles[1] == ("good", CAR)
