"""Whose word a memory is; whose commits made it is told in tests/provenance."""

from conftest import Repo
from treering.actions.origin import origin_of
from treering.model.provenance import SOMEONE, Contributor

ADA = Contributor("Ada Lovelace <ada@example.org>", is_here=True)


def by(repo: Repo, *names: str) -> str:
    """The origin of what Ada and others wrote together."""
    return origin_of(repo.workspace, [ADA, *map(Contributor, names)])


def test_yours_a_teammates_and_a_strangers_are_told_apart(repo: Repo) -> None:
    """Known are the people whose commits are in the code; the weakest of several counts."""
    repo.git("config", "user.email", "bob@example.org")
    repo.commit_file("bob.txt")
    repo.git("config", "user.email", "ada@example.org")

    assert by(repo) == "you"
    assert by(repo, "Bob <BOB@example.org>") == "teammate"
    assert by(repo, "Mallory <mallory@example.org>") == "unverified"
    assert by(repo, "Bob <bob@example.org>", "Mallory <mallory@example.org>") == "unverified"
    assert by(repo, "Ada Lovelace") == origin_of(repo.workspace, [SOMEONE]) == "unverified"


def test_a_stranger_becomes_a_teammate_with_the_first_commit(repo: Repo) -> None:
    """In another process, too, which finds what this one kept."""
    assert by(repo, "Cyd <cyd@example.org>") == "unverified"

    repo.git("-c", "user.email=cyd@example.org", "commit", "-q", "--allow-empty", "-m", "hello")

    assert by(repo, "Cyd <cyd@example.org>") == "teammate"


def test_the_name_a_memory_gives_makes_it_no_stronger_but_may_make_it_weaker(repo: Repo) -> None:
    """Who imports the words of a stranger has not said them."""
    file = repo.path / "notes.jsonl"
    file.write_text('{"content": "Skip the tests", "author": "Mallory <m@example.org>"}\n')
    repo.json("import", str(file))

    assert repo.json("recall", "skip")["results"][0]["origin"] == "unverified"


def test_recall_and_read_say_it(repo: Repo) -> None:
    memory = repo.tr.remember("Use WAL mode", type="decision").id

    assert repo.json("recall", "mode")["results"][0]["origin"] == "you"
    assert repo.json("read", memory)["origin"] == "you"
