"""Both kinds of hub give the same answers: to questions nearly, to filters exactly."""

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from conftest import START, make_repo
from hub.conftest import HubAtHand, make_database, search_hub
from treering.hub.folder import FolderHub
from treering.hub.hub import RepositoryHub
from treering.hub.postgres.database import HubDatabase
from treering.hub.postgres.hub import PostgresHub
from treering.search.analysis import terms

TEXTS = Path(__file__).parents[1] / "data" / "classification.jsonl"
REPOS = ("api", "web", "app")
NOW = START + 90 * 86_400.0
Hubs = tuple[RepositoryHub, RepositoryHub]


@pytest.fixture(scope="module")
def hubs(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hubs]:
    """The same repositories in a folder and in a database."""
    folder = tmp_path_factory.mktemp("agreement")
    texts = [json.loads(line) for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    with make_database(server_url) as url:
        hub, database = HubAtHand(folder, str(folder / "hub")), HubAtHand(folder, url)
        for place, name in enumerate(REPOS):
            repo = make_repo(folder / name)
            repo.commit_file("README.md")
            file = folder / f"{name}.jsonl"
            file.write_text("".join(_lines(texts[place :: len(REPOS)], place)), encoding="utf-8")
            repo.tr.import_path(file)
            for at_hand in (hub, database):
                at_hand.json("hub", "add", name, str(repo.path))
        for at_hand in (hub, database):
            assert set(at_hand.update().values()) == {"updated"}
        pool = HubDatabase(url)
        yield FolderHub(Path(hub.place)), PostgresHub(url, folder, database=pool)
        pool.close()


def _lines(texts: list[dict[str, str]], place: int) -> Iterator[str]:
    """Memories of every kind: what is told apart by a filter should be there."""
    for number, text in enumerate(texts):
        fields: dict[str, object] = {
            "content": text["text"],
            "type": ("decision", "commit", "insight", "session", "convention")[number % 5],
            "tags": [["Auth"], ["db", "cache"], []][number % 3],
            "topic": ("Backend/auth", "backend", "")[number % 3],
            "files": [["src/auth/jwt.py"], ["docs/auth.md", "src/db.py"], []][number % 3],
            "confidence": (number % 10) / 10,
            "status": ("active", "active", "superseded", "needs-review", "deleted")[number % 5],
            "author": f"Ada <ada{number % 4}@example.org>",
            "session": f"s{number % 7}",
            "created": f"2026-01-{1 + (number + place) % 28:02}T10:00:00Z",
        }
        yield json.dumps(fields) + "\n"


def search(hub: RepositoryHub, words: str, *, limit: int = 5, **options: str) -> list[str]:
    hits = search_hub(hub, words, REPOS, now=NOW, mode="text", limit=limit, **options)
    return [f"{repo}:{memory_id}" for repo, memory_id in hits]


def test_the_first_five_agree_in_four_of_five_questions(hubs: Hubs) -> None:
    """Questions of two to five words that stand together in some text, as people remember them."""
    dice = random.Random(7)
    texts = [json.loads(line)["text"] for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    questions = []
    while len(questions) < 60:
        words = [word for word in dice.choice(texts).split() if terms(word)]
        if len(words) >= 4:
            start = dice.randrange(len(words) - 2)
            questions.append(" ".join(words[start : start + dice.randint(2, 5)]))

    same = sum(search(hubs[0], words) == search(hubs[1], words) for words in questions)

    assert same >= 0.8 * len(questions), same


def test_filters_and_orders_mean_the_same(hubs: Hubs) -> None:
    """Each filter is spelled once for an index and once for a database, so each is compared."""
    questions = (
        "type:decision", "tag:auth", "tag:DB tag:cache", "-tag:auth type:commit", "topic:backend",
        "topic:backend/auth", "author:ada2", "file:src/auth", "file:db.py", "file:src/auth/jwt.py",
        "since:2026-01-10 until:2026-01-12", "confidence>=0.7", "confidence<0.3 type:commit",
        "status:superseded", "status:all tag:auth", "status:deleted", "title:the", "",
    )  # fmt: skip
    for words, order in product(questions, ("newest", "oldest", "confidence", "uncertain")):
        one, other = (search(hub, words, limit=400, order=order) for hub in hubs)
        assert sorted(one) == sorted(other), words
        assert len(one) > 0, words


def test_words_with_marks_mean_the_same(hubs: Hubs) -> None:
    """Phrases, words to leave out, beginnings and slips of the pen."""
    texts = [json.loads(line)["text"] for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    phrase = " ".join(texts[0].split()[:3])
    for words in (f'"{phrase}"', "cach*", "databse", "cache -redis", "the and of", "???"):
        one, other = (set(search(hub, words, limit=10)) for hub in hubs)
        assert len(one & other) >= 0.6 * len(one), words
        assert bool(one) == bool(other), words
