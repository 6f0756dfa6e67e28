"""Whatever a stranger pushes, calls end within a bound of CPU and keep what is ours."""

import random
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import TREERING, Repo, make_clone, make_repo
from hostile.histories import (
    MALLORY,
    QUANTITIES,
    Forge,
    give_to,
    headers,
    id_of,
    memory,
    ordinary,
)
from treering import Treering
from treering.actions.card import Card
from treering.model import document
from treering.model.memory import Link

VERBS = (
    ("recall", "wal readers"),
    ("recall",),
    ("read", "USE"),
    ("read", "THEIRS"),
    ("context", "--task", "wal readers"),
    ("log", "--limit", "5"),
    ("status",),
    ("why", "README.md"),
    ("graph", "stats"),
    ("review",),
    ("gc", "--dry-run"),
    ("remember", "Rotate tokens weekly"),
    ("doctor", "--dry-run"),
    ("sync",),
)
#: The few that the short run plays.
BRIEF_VERBS = tuple(words for words in VERBS if words[0] in ("recall", "status", "doctor"))
#: How much more a call may cost than in an ordinary repository of as many documents, and CPU
#: seconds that are not counted: to start is most of what a call costs.
FACTOR, AIR = 5.0, 1.0
#: CPU seconds of a verb and of a first sync in the short run, on a machine that does other things.
VERB, SYNC = 4.0, 8.0
MEGABYTES = 400


@pytest.fixture
def victim(tmp_path: Path) -> Repo:
    make_repo(tmp_path / "seed").commit_file("README.md", "# A project\n")
    subprocess.run(["git", "clone", "-q", "--bare", "seed", "origin"], cwd=tmp_path, check=True)
    repo = make_clone(tmp_path / "origin", tmp_path / "victim", "ada")
    repo.tr.remember("Use WAL mode for readers", type="decision")
    return repo


class Cost(NamedTuple):
    """What a command took, with all it started, and what it said."""

    seconds: float
    megabytes: float
    output: str


#: What a process used, told by its parent: one that is forked off this large process is told to be
#: as large itself.
_MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def cost_of(repo: Repo, *words: str) -> Cost:
    """Run a command; it has to end well, or with words."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(TREERING), *words],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=True,
    )
    code, seconds, megabytes = map(float, done.stdout.split())
    assert code in (0, 1), f"{words}: {done.stderr}"
    assert "internal" not in done.stderr, f"{words}: {done.stderr}"
    return Cost(seconds, megabytes, done.stderr)


def play(
    repo: Repo, verbs: Iterable[tuple[str, ...]] = VERBS, *, is_fetched: bool = False
) -> dict[tuple[str, ...], Cost]:
    """Every verb, after a first sync or a plain fetch; what is ours stays and is found.

    A sync after a fetch is a first one, too, whose cost the other way tells.
    """
    costs = {}
    if is_fetched:
        give_to(repo)
        verbs = (words for words in verbs if words != ("sync",))
    else:
        costs["first sync",] = cost_of(repo, "sync")
    cost_of(repo, "recall", "wal")  # a first look at what git fetched reads all of it, too
    own = next(iter(repo.tr.recall("WAL mode").results)).id
    others = [hit.id for hit in repo.tr.recall(limit=5).results if hit.id != own]
    ids = {"USE": own, "THEIRS": next(iter(others), own)}
    for words in verbs:
        costs[words] = cost_of(repo, *(ids.get(word, word) for word in words))
    assert "Use WAL mode for readers" in repo.titles()
    assert "Use WAL mode for readers" in [h.title for h in repo.tr.recall("WAL mode").results]
    return costs


def test_what_is_no_memory_is_parsed_once(
    victim: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sync does it: neither doctor nor another sync does it again, and doctor names it."""
    forge = Forge(tmp_path / "origin")
    headers(forge, 60_000, count=5)
    forge.write()
    victim.tr.sync()
    parsed: list[bytes] = []
    parse = document.parse
    monkeypatch.setattr(document, "parse", lambda data: (parsed.append(data), parse(data))[1])
    other = Treering.open(victim.path)

    named = [f.message for f in other.doctor().findings if f.code == "bad-document"]
    other.sync()

    assert len({message.split()[1] for message in named}) == 5
    assert not [data for data in parsed if len(data) > 50_000]


def test_what_only_doctor_looks_at_is_parsed_once(
    victim: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch that nobody has here: no view shows it, and no row was made of it."""
    forge = Forge(tmp_path / "origin")
    documents = {f"u{n}": b"---\nid: %s%d\n---\nx\n" % (b"x" * 60_000, n) for n in range(5)}
    forge.commit(f"{MALLORY}theirs", documents)
    forge.write()
    victim.tr.sync()
    named = [f.message for f in victim.tr.doctor().findings if f.code == "bad-document"]
    parsed: list[bytes] = []
    parse = document.parse
    monkeypatch.setattr(document, "parse", lambda data: (parsed.append(data), parse(data))[1])

    again = [f.message for f in Treering.open(victim.path).doctor().findings]

    assert len(named) == 5
    assert set(named) <= set(again)
    assert not [data for data in parsed if len(data) > 50_000]


def test_a_memory_is_found_by_its_first_tags_files_and_links(victim: Repo, tmp_path: Path) -> None:
    """And shown with all of them."""
    targets = [Link("relates_to", id_of(f"t{n}")) for n in range(250)]
    files = [f"f{n}.py" for n in range(150)]
    tags = tuple(f"t{n}" for n in range(80))
    data = memory("many", "Everything at once", links=targets, files=files)
    whole = document.dump(document.parse(data)._replace(tags=tags))
    forge = Forge(tmp_path / "origin")
    forge.commit(f"{MALLORY}main", {"many": whole})
    forge.write()
    victim.tr.sync()

    assert victim.tr.recall(tags=["t49"]).total == victim.tr.recall(file="f99.py").total == 1
    assert victim.tr.recall(tags=["t50"]).total == victim.tr.recall(file="f100.py").total == 0
    card = victim.tr.read(id_of("many"))
    assert isinstance(card, Card)
    assert (card.tags, len(card.files)) == (tags, 150)
    entries = victim.workspace.rows.entries(victim.workspace.rows.blobs()).values()
    assert sorted(len(entry.links) for entry in entries) == [0, 200]


#: Those that end soon are played always.
BRIEF = ("scopes", "messages", "values")


@pytest.mark.parametrize("name", BRIEF)
def test_no_quantity_makes_a_call_slow(victim: Repo, tmp_path: Path, name: str) -> None:
    forge = Forge(tmp_path / "origin")
    QUANTITIES[name].write(forge, QUANTITIES[name].large)
    forge.write()

    costs = play(victim, BRIEF_VERBS)

    assert costs.pop(("first sync",)).seconds < SYNC
    assert not {words: cost for words, cost in costs.items() if cost.seconds > VERB}


@pytest.mark.deep
@pytest.mark.parametrize("is_fetched", [False, True])
@pytest.mark.parametrize("name", QUANTITIES)
def test_no_large_quantity_makes_a_call_slow(
    victim: Repo, tmp_path: Path, name: str, is_fetched: bool
) -> None:
    """Every verb costs at most five times what it costs where a teammate pushed as many documents,
    keeps within a bound of memory, and somebody says what was left out."""
    quantity = QUANTITIES[name]
    hostile, usual = Forge(tmp_path / "origin"), tmp_path / "usual"
    quantity.write(hostile, quantity.beyond)
    subprocess.run(["git", "clone", "-q", "--bare", "seed", "usual"], cwd=tmp_path, check=True)
    forge = Forge(usual)
    ordinary(forge, hostile.documents)
    hostile.write()
    forge.write()
    other = make_clone(usual, tmp_path / "other", "ada")
    other.tr.remember("Use WAL mode for readers", type="decision")

    costs = play(victim, is_fetched=is_fetched)

    bounds = {w: FACTOR * c.seconds + AIR for w, c in play(other, is_fetched=is_fetched).items()}
    too_long = {w: (c.seconds, bounds[w]) for w, c in costs.items() if c.seconds > bounds[w]}
    assert not too_long
    assert not {words for words, cost in costs.items() if cost.megabytes > MEGABYTES}
    if quantity.is_said and not is_fetched:
        said = costs["first sync",].output + costs["doctor", "--dry-run"].output
        assert re.search("left out|refused|not a memory|without its history", said)


def play_mixture(seed: int, folder: Path, victim: Repo) -> None:
    """Several quantities at once, each of a usual or a large size."""
    chance = random.Random(seed)
    forge = Forge(folder / "origin")
    for name in chance.sample(list(QUANTITIES), 3):
        quantity = QUANTITIES[name]
        quantity.write(forge, chance.choice((quantity.usual, quantity.large)))
        for ref in ("main", "parents"):
            forge.start(f"refs/treering/clones/mallory00000/{ref}")
            forge.start(f"refs/treering/clones/eve000000000/{ref}")
    forge.write()

    costs = play(victim, is_fetched=chance.random() < 0.5)

    first = costs.pop(("first sync",), None)
    assert first is None or first.seconds < 2 * SYNC
    assert not {words: cost for words, cost in costs.items() if cost.seconds > 2 * VERB}


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_no_mixture_makes_a_call_slow(victim: Repo, tmp_path: Path, seed: int) -> None:
    play_mixture(seed, tmp_path, victim)
