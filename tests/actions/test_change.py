"""revise and forget: partial, guarded, reversible."""

import pytest

from conftest import Repo
from treering.errors import BlockedSecret, Conflict, Invalid, MemoryNotFound


def test_only_what_is_given_changes(repo: Repo) -> None:
    """And the answer names it."""
    memory = repo.tr.remember("text", type="decision", tags=["a"], topic="x/y")

    answer = repo.tr.revise(
        memory.id, tags_add=["b"], tags_remove=["A"], outcome="failed", reason="slow"
    )

    assert answer.changed == ("tags", "outcome", "reason")
    now = repo.tr.read(memory.id)
    assert (now.tags, now.topic, now.content) == (("b",), "x/y", "text")
    assert now.details == {"outcome": "failed", "reason": "slow"}
    assert now.modified > now.created


def test_no_change_is_no_commit(repo: Repo) -> None:
    """The version stays, too."""
    memory = repo.tr.remember("text", tags=["a"])
    before = repo.refs()

    answer = repo.tr.revise(memory.id, tags_add=["a"])

    assert (answer.changed, answer.version) == ((), memory.version)
    assert repo.refs() == before


def test_expect_guards_against_a_lost_update(repo: Repo) -> None:
    """Two agents, one memory."""
    memory = repo.tr.remember("text")
    answer = repo.tr.revise(memory.id, title="by one", expect=memory.version)

    with pytest.raises(Conflict, match=answer.version):
        repo.tr.revise(memory.id, title="by two", expect=memory.version)

    assert repo.tr.read(memory.id).title == "by one"


def test_a_title_from_the_first_line_follows_the_content(repo: Repo) -> None:
    """Until one is given; `-` lets it follow again."""
    memory = repo.tr.remember("first\n\nmore")
    repo.tr.revise(memory.id, content="second")
    assert repo.tr.read(memory.id).title == "second"

    repo.tr.revise(memory.id, title="given")
    repo.tr.revise(memory.id, content="third")
    assert repo.tr.read(memory.id).title == "given"

    repo.tr.revise(memory.id, title="-")
    assert repo.tr.read(memory.id).title == "third"


def test_append_adds_below(repo: Repo) -> None:
    """What was there stays byte for byte."""
    memory = repo.tr.remember("one  \n\n two")

    repo.tr.revise(memory.id, append="three")

    assert repo.tr.read(memory.id).content == "one  \n\n two\n\nthree"


def test_a_dash_clears_text_fields(repo: Repo) -> None:
    """An empty string means not given."""
    memory = repo.tr.remember("text", topic="x", outcome="success", files=["a.py"])

    repo.tr.revise(memory.id, topic="-", outcome="-", files=["-"])

    now = repo.tr.read(memory.id)
    assert (now.topic, now.details, now.files) == ("", {}, ())


def test_what_is_said_with_a_successor_is_kept(repo: Repo) -> None:
    """An outcome from before must not come back over the one that is given now."""
    old, new = repo.tr.remember("old way", outcome="partial"), repo.tr.remember("new way")

    repo.tr.revise(old.id, supersede_with=new.id, outcome="failed")

    assert repo.tr.read(old.id).details["outcome"] == "failed"


def test_supersede_with_marks_and_links(repo: Repo) -> None:
    """The same result as remember(supersedes=...)."""
    old, new = repo.tr.remember("old"), repo.tr.remember("new")

    repo.tr.revise(old.id, supersede_with=new.id)

    assert repo.tr.read(old.id).status == "superseded"
    assert [(n.relation, n.id) for n in repo.tr.read(new.id).links] == [("supersedes", old.id)]
    with pytest.raises(Invalid):
        repo.tr.revise(new.id, supersede_with=new.id)


def test_content_and_append_together_are_refused(repo: Repo) -> None:
    """Which one would win?"""
    memory = repo.tr.remember("text")

    with pytest.raises(Invalid):
        repo.tr.revise(memory.id, content="a", append="b")


def test_forgetting_hides_and_restoring_brings_back(repo: Repo) -> None:
    """With the status it had."""
    memory = repo.tr.remember("text", type="insight")
    repo.tr.revise(memory.id, status="needs-review")

    assert repo.tr.forget([memory.id], reason="wrong").forgotten == (memory.id,)
    hidden = repo.tr.read(memory.id)
    assert (hidden.status, hidden.details["forgotten"]["reason"]) == ("deleted", "wrong")
    assert repo.titles() == set()

    assert repo.tr.forget([memory.id], restore=True).restored == (memory.id,)
    back = repo.tr.read(memory.id)
    assert (back.status, back.details) == ("needs-review", {})


def test_forgetting_several_is_all_or_nothing(repo: Repo) -> None:
    """A typo in the third id must not forget the first two."""
    one, two = repo.tr.remember("one"), repo.tr.remember("two")

    with pytest.raises(MemoryNotFound):
        repo.tr.forget([one.id, two.id, "zzzz"])

    assert repo.titles() == {"one", "two"}
    assert repo.tr.forget([one.id, two.id]).forgotten == (one.id, two.id)
    assert len(repo.tr.log().entries) == 4


def test_links_to_the_forgotten_are_hidden_and_come_back(repo: Repo) -> None:
    """And the answer counts them."""
    target = repo.tr.remember("target")
    source = repo.tr.remember("source", links=[f"uses:{target.id}"])

    assert repo.tr.forget([target.id]).links_hidden == 1
    assert repo.tr.read(source.id).links == ()

    repo.tr.forget([target.id], restore=True)
    assert [n.id for n in repo.tr.read(source.id).links] == [target.id]


def test_a_forgotten_memory_is_not_revised(repo: Repo) -> None:
    """The hint says how to bring it back."""
    memory = repo.tr.remember("text")
    repo.tr.forget([memory.id])

    with pytest.raises(MemoryNotFound) as caught:
        repo.tr.revise(memory.id, title="new")

    assert "--restore" in caught.value.hint


def test_secrets_in_reasons_are_refused(repo: Repo) -> None:
    """Every text a caller hands in may hold one."""
    memory = repo.tr.remember("text")

    for call in (
        lambda: repo.tr.forget([memory.id], reason="ghp_" + "a1B2" * 9),
        lambda: repo.tr.revise(memory.id, reason="ghp_" + "a1B2" * 9),
        lambda: repo.tr.remember("other", agent="ghp_" + "a1B2" * 9),
    ):
        with pytest.raises(BlockedSecret):
            call()


def test_a_whole_change_is_reverted_by_its_commit(repo: Repo) -> None:
    """What it brought is forgotten, what it changed is as it was; nobody's later change goes."""
    file = repo.path / "in.jsonl"
    file.write_text('{"content": "Backups run at night."}\n{"content": "Logs are JSON."}\n')
    back = repo.json("import", "in.jsonl")["back"]
    assert repo.titles() == {"Backups run at night.", "Logs are JSON."}

    answer = repo.json(*back.split()[1:])

    assert len(answer["reverted"]) == 2
    assert {hit.title for hit in repo.tr.recall().results} == set()
    repo.json("forget", "--restore", answer["reverted"][0])
    repo.json("revise", answer["reverted"][0], "--append", "Really.")
    assert repo.error("revert", answer["id"])["code"] == "conflict"
    assert repo.error("revert", repo.git("rev-parse", "HEAD"))["code"] == "invalid"
