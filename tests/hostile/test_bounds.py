"""Whatever a stranger pushes, calls end within a bound of CPU and keep what is ours."""

import random
import resource
import subprocess
from pathlib import Path

import pytest

from conftest import TREERING, Repo, make_clone, make_repo
from hostile.histories import MALLORY, QUANTITIES, Forge, give_to, headers, id_of, memory
from treering import Treering
from treering.actions.card import Card
from treering.model import document
from treering.model.memory import Link

VERBS = (
    ("recall", "wal readers"),
    ("context", "--task", "wal readers"),
    ("log", "--limit", "5"),
    ("status",),
    ("remember", "Rotate tokens weekly"),
    ("doctor", "--dry-run"),
)
#: CPU seconds of a verb, and of a first sync, which reads all that is new; with air for a machine
#: that does other things.
VERB, SYNC = 4.0, 8.0
#: The same for the sizes of a long run.
DEEP_VERB, DEEP_SYNC = 12.0, 40.0


@pytest.fixture
def victim(tmp_path: Path) -> Repo:
    make_repo(tmp_path / "seed").commit_file("README.md", "# A project\n")
    subprocess.run(["git", "clone", "-q", "--bare", "seed", "origin"], cwd=tmp_path, check=True)
    repo = make_clone(tmp_path / "origin", tmp_path / "victim", "ada")
    repo.tr.remember("Use WAL mode for readers", type="decision")
    return repo


def cpu_of(repo: Repo, *words: str) -> float:
    """CPU seconds of a command and of all it starts; it has to end well, or with words."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [str(TREERING), *words], cwd=repo.path, capture_output=True, check=False, timeout=300
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), f"{words}: {done.stderr.decode()}"
    assert b"internal" not in done.stderr, f"{words}: {done.stderr.decode()}"
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def play(repo: Repo, verb: float, sync: float, *, is_fetched: bool) -> None:
    """Every verb within its bound; what is ours stays and is found."""
    if is_fetched:
        give_to(repo)
    costs = {("sync",): cpu_of(repo, "sync")} if not is_fetched else {}
    cpu_of(repo, "recall", "wal")  # a first look at what git fetched reads all of it, too
    costs |= {words: cpu_of(repo, *words) for words in VERBS}

    too_long = {w: cost for w, cost in costs.items() if cost > (sync if w == ("sync",) else verb)}
    assert not too_long
    assert {"Use WAL mode for readers", "Rotate tokens weekly"} <= repo.titles()
    assert "Use WAL mode for readers" in [h.title for h in repo.tr.recall("WAL mode").results]


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
BRIEF = ("scopes", "messages", "texts")


@pytest.mark.parametrize(
    "name",
    [*BRIEF, *(pytest.param(n, marks=pytest.mark.deep) for n in QUANTITIES if n not in BRIEF)],
)
def test_no_quantity_makes_a_call_slow(victim: Repo, tmp_path: Path, name: str) -> None:
    write, sizes = QUANTITIES[name]
    forge = Forge(tmp_path / "origin")
    write(forge, sizes[1])
    forge.write()

    play(victim, VERB, SYNC, is_fetched=False)


@pytest.mark.deep
@pytest.mark.parametrize("is_fetched", [False, True])
@pytest.mark.parametrize("name", QUANTITIES)
def test_no_large_quantity_makes_a_call_slow(
    victim: Repo, tmp_path: Path, name: str, is_fetched: bool
) -> None:
    write, sizes = QUANTITIES[name]
    forge = Forge(tmp_path / "origin")
    write(forge, sizes[2])
    forge.write()

    play(victim, DEEP_VERB, DEEP_SYNC, is_fetched=is_fetched)


def play_mixture(seed: int, folder: Path, victim: Repo) -> None:
    """Several quantities at once, each of a usual or a large size."""
    chance = random.Random(seed)
    forge = Forge(folder / "origin")
    for name in chance.sample(list(QUANTITIES), 3):
        write, sizes = QUANTITIES[name]
        write(forge, chance.choice(sizes[:2]))
        for ref in ("main", "parents"):
            forge.start(f"refs/treering/clones/mallory00000/{ref}")
            forge.start(f"refs/treering/clones/eve000000000/{ref}")
    forge.write()

    play(victim, VERB * 2, SYNC * 2, is_fetched=chance.random() < 0.5)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_no_mixture_makes_a_call_slow(victim: Repo, tmp_path: Path, seed: int) -> None:
    play_mixture(seed, tmp_path, victim)
