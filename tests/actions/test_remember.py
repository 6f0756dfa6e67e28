"""remember: once, classified, checked."""

from types import ModuleType
from typing import Any

import pytest

from conftest import Repo
from treering import Treering
from treering.branches import layers, trunk
from treering.errors import BlockedSecret, Conflict, Invalid, MemoryNotFound
from treering.store.store import Store


def test_the_same_content_twice_is_one_memory(repo: Repo) -> None:
    """Agents repeat themselves; retries must be safe."""
    first = repo.tr.remember("Use WAL mode", type="decision")
    tip = repo.refs()

    again = repo.tr.remember("\n\nUse WAL mode\n", type="decision")

    assert again.duplicate
    assert again.id == first.id
    assert again.version == first.version
    assert repo.refs() == tip


def test_what_a_memory_was_revised_to_say_is_that_memory(repo: Repo) -> None:
    """Its id comes from what it said first."""
    first = repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.revise(first.id, content="Use WAL mode, and check the file system")
    tip = repo.refs()

    again = repo.tr.remember("Use WAL mode, and check the file system", type="decision")

    assert (again.id, again.duplicate, repo.refs()) == (first.id, True, tip)
    repo.tr.forget([first.id])
    assert not repo.tr.remember(
        "Use WAL mode, and check the file system", type="decision"
    ).duplicate


def test_the_trunks_memory_is_a_duplicate_on_a_branch(repo: Repo) -> None:
    """What is visible need not be said again."""
    first = repo.tr.remember("known on main")
    repo.switch("feature", create=True)

    again = repo.tr.remember("known on main")

    assert (again.duplicate, again.branch) == (True, "main")
    assert again.id == first.id


def test_two_clones_that_learn_the_same_give_it_the_same_id(new_repo) -> None:
    """So that they merge into one memory."""
    assert (
        new_repo("one").tr.remember("same", type="insight").id
        == new_repo("two").tr.remember("same", type="insight").id
    )


def test_content_revised_away_can_be_remembered_anew(repo: Repo) -> None:
    """The id stays with the revised memory, so the new one counts up."""
    first = repo.tr.remember("original", type="insight")
    repo.tr.revise(first.id, content="became something else")

    second = repo.tr.remember("original", type="insight")

    assert second.id != first.id
    assert repo.titles() == {"original", "became something else"}


def test_what_was_forgotten_comes_back_when_remembered(repo: Repo) -> None:
    """Under its old id."""
    first = repo.tr.remember("on and off", type="insight")
    repo.tr.forget([first.id])

    again = repo.tr.remember("on and off", type="insight")

    assert (again.id, again.duplicate) == (first.id, None)
    assert repo.tr.read(first.id).status == "active"


def test_an_id_can_be_given_and_guards_its_content(repo: Repo) -> None:
    """A client that made the id itself can retry."""
    repo.tr.remember("text", id="7k2m9qx4c0wd")

    assert repo.tr.remember("text", id="7k2m9qx4c0wd").duplicate
    with pytest.raises(Conflict):
        repo.tr.remember("other text", id="7k2m9qx4c0wd")
    with pytest.raises(Invalid):
        repo.tr.remember("text", id="../../etc")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("We decided to use Postgres instead of MySQL", "decision"),
        ("Always prefix with TR_ by convention", "convention"),
        ("Root cause: it turned out the cache was stale", "insight"),
        ("The login test is flaky because the fixture leaks", "testing"),
    ],
)
def test_a_type_is_found_when_none_is_given(repo: Repo, content: str, kind: str) -> None:
    """By the taxonomy's signal words."""
    answer = repo.tr.remember(content)

    assert answer.type == kind
    assert answer.classified.by == "heuristic"
    assert answer.classified.alternatives[0].type == kind


def test_a_given_type_wins(repo: Repo) -> None:
    """Also by a synonym."""
    answer = repo.tr.remember("We decided to use Postgres", type="Learnings")

    assert answer.type == "insight"
    assert answer.classified.by == "given"


def test_hidden_characters_are_removed_and_emoji_stay(repo: Repo) -> None:
    """What a reader cannot see must not reach an agent."""
    content = "a\u202eb\u200bc\U000e0041d\x1b[31me\x1b[0m 👩‍💻 ❤️ f\tg"

    answer = repo.tr.remember(content)

    assert repo.tr.read(answer.id).content == "abcde 👩‍💻 ❤️ f\tg"


@pytest.mark.parametrize("content", ["", "  \n\t\n", "\u200b\u202e", "x" * (256 * 1024 + 1)])
def test_nothing_and_too_much_are_refused(repo: Repo, content: str) -> None:
    """With a code and a hint."""
    with pytest.raises(Invalid) as caught:
        repo.tr.remember(content)

    assert caught.value.hint


def test_256_kb_are_stored(repo: Repo) -> None:
    """The limit itself is inside."""
    content = "x" * (256 * 1024)

    assert repo.tr.read(repo.tr.remember(content).id).content == content


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_" + "a1B2" * 9,
        "AKIA" + "IOSFODNN7ABCDEFG",
        "-----BEGIN RSA PRIVATE KEY-----",
        "postgres://app:hunter2secret@db.internal/prod",
        "api_key = 'q8Zr4kP0vXw2LmN9tB7c'",
    ],
)
def test_secrets_are_refused_and_never_repeated(repo: Repo, secret: str) -> None:
    """Not in the store, not in the error."""
    with pytest.raises(BlockedSecret) as caught:
        repo.tr.remember(f"The key is {secret}")

    assert secret not in caught.value.message + caught.value.hint
    assert repo.refs() == {}


@pytest.mark.parametrize(
    "innocent",
    [
        "The password is kept in the vault under db/prod.",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it",
        "api_key = '${API_KEY}' comes from the environment",
        "Use postgres://user:password@localhost/test in examples: your-password-here",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_talk_about_secrets_is_not_a_secret(repo: Repo, innocent: str) -> None:
    """A memory refused for nothing is a memory lost."""
    assert repo.tr.remember(innocent).id


def test_supersedes_does_both_at_once(repo: Repo) -> None:
    """The old one is marked and the new one linked, in one commit."""
    old = repo.tr.remember("Use MySQL", type="decision")
    before = repo.git("rev-list", "--count", "refs/treering/heads/main")

    new = repo.tr.remember("Use Postgres", type="decision", supersedes=old.id[:6])

    assert int(repo.git("rev-list", "--count", "refs/treering/heads/main")) == int(before) + 1
    was = repo.tr.read(old.id)
    assert (was.status, was.details["superseded_by"]) == ("superseded", new.id)
    assert [(n.direction, n.relation, n.id) for n in repo.tr.read(new.id).links] == [
        ("out", "supersedes", old.id)
    ]
    assert [(n.direction, n.id) for n in was.links] == [("in", new.id)]


def test_links_must_lead_somewhere(repo: Repo) -> None:
    """A link to nothing is a mistake at the time it is made."""
    target = repo.tr.remember("target")

    answer = repo.tr.remember("source", links=[f"depends_on:{target.id}", target.id])

    assert [(ln["relation"], ln["target"]) for ln in answer.links] == [
        ("depends_on", target.id), ("relates_to", target.id),
    ]  # fmt: skip
    with pytest.raises(MemoryNotFound):
        repo.tr.remember("other", links=["uses:zzzz"])


def test_fields_are_kept(repo: Repo) -> None:
    """Everything the contract lets one say."""
    answer = repo.tr.remember(
        "text", title="A  title", topic="/backend//auth/", tags=["a", "b,c", "a"], confidence=0.5,
        reasoning="why", outcome="FAILED", session="s1", agent="claude-code",
    )  # fmt: skip

    memory = repo.tr.read(answer.id)
    assert (memory.title, memory.topic, memory.tags) == ("A title", "backend/auth", ("a", "b", "c"))
    assert (memory.confidence, memory.session, memory.agent) == (0.5, "s1", "claude-code")
    assert (memory.details["reasoning"], memory.details["outcome"]) == ("why", "failed")
    assert (memory.source, memory.author) == ("agent", "Ada Lovelace <ada@example.org>")


@pytest.mark.parametrize(
    "bad", [{"confidence": 1.1}, {"type": "nonsense"}, {"outcome": "maybe"}, {"title": "x" * 201},
            {"topic": "x" * 101}, {"files": ["../outside"]}, {"files": ["/etc/passwd"]}]
)  # fmt: skip
def test_bad_arguments_are_invalid_and_store_nothing(repo: Repo, bad: dict[str, object]) -> None:
    """Clear error, nothing half-written."""
    with pytest.raises(Invalid):
        repo.tr.remember("text", **bad)  # type: ignore[arg-type]

    assert repo.refs() == {}


def test_a_write_finds_the_trunk_and_the_view_once(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.switch("feat", create=True).commit_file("f")
    repo.tr.remember("Threads are slow here")
    found: list[str] = []

    def count(module: ModuleType, name: str) -> None:
        find = getattr(module, name)

        def counted(*arguments: Any) -> Any:
            found.append(name)
            return find(*arguments)

        monkeypatch.setattr(module, name, counted)

    count(trunk, "_find_trunk")
    count(layers, "view_of")

    repo.tr.remember("Sessions live in Redis")

    assert sorted(found) == ["_find_trunk", "view_of"]


def test_what_was_written_while_a_write_waited_is_seen(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The view from before the lock is used again only while nothing has moved."""
    lock = Store.lock

    def write_first(store: Store, *arguments: Any) -> Any:
        monkeypatch.setattr(Store, "lock", lock)
        first.append(Treering.open(repo.path).remember("Sessions live in Redis").id)
        return lock(store, *arguments)

    first: list[str] = []
    monkeypatch.setattr(Store, "lock", write_first)

    second = repo.tr.remember("Sessions live in Redis")

    assert (second.id, second.duplicate) == (first[0], True)
