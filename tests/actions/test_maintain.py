"""maintain: one verb, a table of operations, a dry run first."""

import pytest

from conftest import Repo
from treering.errors import Invalid
from treering.verbs.upkeep import OPERATIONS


def test_every_operation_of_the_contract_has_its_line() -> None:
    """The words are fixed; whether an operation is there yet is another question."""
    assert tuple(OPERATIONS) == (
        "gc", "promote", "restore", "reindex", "sync", "merge", "dedupe", "summarize", "enrich",
        "infer_links", "prune_links",
    )  # fmt: skip


def test_an_answer_begins_with_what_was_done(repo: Repo) -> None:
    """In the contract's words, and words in any case, with dash or underscore."""
    repo.tr.remember("text", type="insight")

    assert repo.json("maintain", "GC")["op"] == "gc"
    answer = repo.json("maintain", "reindex")

    assert (answer["op"], answer["dry_run"], answer["indexed"]) == ("reindex", False, 1)
    assert set(answer) >= {"removed", "seconds"}


def test_unknown_operations_name_those_there_are(repo: Repo) -> None:
    """Only what is really there is offered."""
    error = repo.error("maintain", "polish")

    assert error["code"] == "invalid"
    assert all(op in error["hint"] for op in OPERATIONS)


def test_what_would_be_ignored_is_refused(repo: Repo) -> None:
    """Whoever names memories for gc believes that only they are meant."""
    kept = repo.tr.remember("text")

    with pytest.raises(Invalid, match="gc does not take ids"):
        repo.tr.maintain("gc", ids=[kept.id])
    with pytest.raises(Invalid, match="reindex does not take content"):
        repo.tr.maintain("reindex", content="text")


def test_promote_and_restore_need_a_branch(repo: Repo) -> None:
    """Nothing is guessed where memories move."""
    assert repo.error("maintain", "promote")["code"] == "invalid"
    assert repo.error("maintain", "restore")["code"] == "invalid"


def test_restore_can_be_looked_at_first(repo: Repo) -> None:
    """It acts at once unless it is told to show."""
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.tr.remember("learned here", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "feature")
    repo.tr.gc()
    before = repo.refs()

    shown = repo.json("maintain", "restore", "--branch", "feature", "--dry-run")
    untouched = repo.refs()
    done = repo.json("maintain", "restore", "--branch", "feature")

    assert (shown["dry_run"], shown["memories"]) == (True, 1)
    assert untouched == before
    assert (done["dry_run"], done["from"]) == (False, shown["from"])
    assert "refs/treering/heads/feature" in repo.refs()


def test_reindex_can_be_looked_at_first(repo: Repo) -> None:
    """How much there is to index, and what would go."""
    repo.tr.remember("one", type="insight")
    repo.tr.remember("two", type="insight")

    shown = repo.json("maintain", "reindex", "--dry-run")

    assert (shown["dry_run"], shown["indexed"], shown["removed"]) == (True, 2, 0)


def test_people_get_words(repo: Repo) -> None:
    """JSON is for programs; a dry run says how to go on."""
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.tr.remember("learned here", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "feature")

    plan = repo.cli("maintain", "gc").stdout
    promoted = repo.cli("maintain", "promote", "--branch", "feature", "--apply").stdout
    indexed = repo.cli("maintain", "reindex").stdout

    assert "feature" in plan
    assert "--apply" in plan
    assert "promote into main" in promoted
    assert indexed.startswith("indexed ")
    assert not any("{" in text for text in (plan, promoted, indexed))


def test_links_are_shown_one_a_line(repo: Repo) -> None:
    """Found between what is there already, made when told."""
    one = repo.tr.remember("Use PostgreSQL for storage because of JSONB", type="decision")
    two = repo.tr.remember(
        "The storage module uses PostgreSQL with JSONB columns", type="component"
    )

    shown = repo.cli("maintain", "infer-links", "--min-confidence", "0.2").stdout
    repo.cli("maintain", "infer_links", "--min-confidence", "0.2", "--apply")

    assert shown.startswith(f"{two.id}  implements  {one.id}  ")
    assert "--apply" in shown
    assert ("implements", one.id) in [(n.relation, n.id) for n in repo.tr.read(two.id).links]
    assert repo.cli("maintain", "prune_links").stdout.startswith("No links.")


def test_every_operation_that_is_there_can_be_told_in_words() -> None:
    """An answer nobody can read is no answer."""
    from treering.cli.upkeep import RENDERERS

    assert set(OPERATIONS) == set(RENDERERS)
