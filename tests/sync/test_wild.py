"""Several clones of one remote, as people and their agents use them."""

import shutil
from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import Team


def work(repo: Repo, branch: str, memory: str) -> None:
    """A branch with a commit and a memory, pushed with its memories."""
    repo.switch("main").switch(branch, create=True)
    repo.commit_file(f"{branch}.txt", f"work on {branch}\n" * 4)
    repo.tr.remember(memory, type="insight")
    repo.git("push", "-q", "-u", "origin", branch)
    repo.tr.sync()


def squash_on_the_host(host: Repo, branch: str) -> None:
    """A pull request squashed by a button: the trunk moves on the server alone."""
    host.git("fetch", "-q")
    host.switch("main").git("merge", "-q", "--ff-only", "origin/main")
    host.git("merge", "-q", "--squash", f"origin/{branch}")
    host.git("commit", "-q", "-m", f"squashed {branch}")
    host.git("push", "-q", "origin", "main")


def test_what_a_cloud_agent_learned_reaches_the_trunk_though_its_clone_is_gone(
    clone: Team,
) -> None:
    """Its pull request is squashed, and nobody else ever had the branch."""
    ada, agent, host = clone("ada"), clone("agent"), clone("host")
    work(agent, "feat", "of the agent")
    shutil.rmtree(agent.path)
    squash_on_the_host(host, "feat")
    host.git("push", "-q", "origin", ":feat")
    ada.git("pull", "-q", "--prune")
    ada.tr.sync()

    ada.tr.gc()

    assert ada.git("branch", "--all", "--list", "*feat*") == ""
    assert "of the agent" in ada.titles("main")


@pytest.mark.parametrize(
    "how", [("switch", "-q", "feat"), ("checkout", "-q", "-b", "feat", "origin/feat")]
)
def test_what_is_said_on_a_teammates_branch_lands_with_it(
    clone: Team, how: tuple[str, ...]
) -> None:
    """Bob checks it out and commits nothing: its commits are the branch's own all the same."""
    ada, bob, host = clone("ada"), clone("bob"), clone("host")
    work(ada, "feat", "of ada")
    bob.git("fetch", "-q")
    bob.git(*how)
    bob.tr.remember("of bob", type="insight")
    bob.tr.sync()
    squash_on_the_host(host, "feat")
    host.git("push", "-q", "origin", ":feat")
    ada.switch("main").git("pull", "-q", "--prune")
    ada.git("branch", "-q", "-D", "feat")
    ada.tr.sync()

    ada.tr.gc()

    assert ada.titles("main") == {"of ada", "of bob"}


def test_code_that_was_never_here_is_fetched_by_its_id(clone: Team) -> None:
    """The branch was deleted on the remote before this clone fetched it."""
    ada, agent, host = clone("ada"), clone("agent"), clone("host")
    work(agent, "feat", "of the agent")
    agent.commit_file("more.txt", "more work\n" * 4)
    agent.git("push", "-q")
    agent.tr.remember("more of the agent", type="insight")
    agent.tr.sync()
    code = agent.git("rev-parse", "feat")
    squash_on_the_host(host, "feat")
    host.git("push", "-q", "origin", ":feat")
    ada.git("pull", "-q", "--prune")
    assert ada.workspace.repository.resolve(code) is None
    ada.tr.sync()

    line = next(line for line in ada.tr.gc().plan if line.branch == "feat")

    assert ada.workspace.repository.resolve(code)
    assert (line.verdict, line.action, line.evidence) == ("merged", "promote", "squash")


def test_where_the_remote_refuses_code_by_its_id_the_verdict_says_what_to_run(clone: Team) -> None:
    """Protocol 0 serves only what a ref names."""
    ada, agent, host = clone("ada"), clone("agent"), clone("host")
    work(agent, "feat", "of the agent")
    code = agent.git("rev-parse", "feat")
    squash_on_the_host(host, "feat")
    host.git("push", "-q", "origin", ":feat")
    ada.git("pull", "-q", "--prune")
    ada.git("config", "protocol.version", "0")
    ada.tr.sync()

    line = next(line for line in ada.tr.gc().plan if line.branch == "feat")

    assert (line.verdict, line.action) == ("unsure", "keep")
    assert f"git fetch origin {code}" in line.reason


def test_who_judges_the_same_makes_the_same_promotion(clone: Team) -> None:
    ada, bob, agent, host = (clone(name) for name in ("ada", "bob", "agent", "host"))
    work(agent, "feat", "of the agent")
    squash_on_the_host(host, "feat")
    for person in (ada, bob):
        person.git("pull", "-q")
        person.tr.sync("fetch")
        person.tr.gc()

    heads = {person.git("rev-parse", "refs/treering/heads/main") for person in (ada, bob)}

    assert len(heads) == 1


def test_squashed_on_the_host_and_the_remote_branch_stays(clone: Team) -> None:
    """The host's default, and what most people do first."""
    ada, host = clone("ada"), clone("host")
    work(ada, "feat", "fact")
    squash_on_the_host(host, "feat")
    ada.switch("main").git("pull", "-q")
    ada.git("branch", "-q", "-D", "feat")

    ada.tr.gc()

    assert "fact" in ada.titles("main")


def test_a_commit_moved_off_the_trunk_hides_nothing_from_a_teammate(clone: Team) -> None:
    """Committed on main by mistake, remembered, synced, then moved to another branch."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("a rule", type="convention")
    ada.commit_file("mistake.txt")
    ada.tr.remember("said on the mistake", type="insight")
    ada.tr.sync()
    ada.git("branch", "elsewhere")
    ada.git("reset", "-q", "--hard", "origin/main")
    ada.git("push", "-q", "origin", "elsewhere")
    bob.git("fetch", "-q")
    bob.tr.sync()
    bob.tr.remember("of bob", type="insight")
    bob.tr.gc()

    assert bob.titles() == {"a rule", "said on the mistake", "of bob"}
    assert not any("/trash/" in ref for ref in bob.refs())


@pytest.mark.parametrize("branch", ["main", "feat"])
def test_a_branch_deleted_and_checked_out_again_has_its_memories(clone: Team, branch: str) -> None:
    ada, bob = clone("ada"), clone("bob")
    if branch == "feat":
        work(ada, "feat", "fact")
        bob.git("fetch", "-q")
        bob.switch("feat")
    else:
        ada.tr.remember("fact", type="insight")
        ada.tr.sync()
    bob.tr.sync()
    bob.tr.remember("of bob", type="insight")
    bob.git("checkout", "-q", "--detach")
    bob.git("branch", "-q", "-D", branch)
    bob.git("switch", "-q", branch)

    assert bob.titles() == {"fact", "of bob"}


def test_a_redacted_text_in_the_trash_is_never_promoted(clone: Team, origin: Path) -> None:
    """What a redaction put away is not judged again."""
    ada, bob, host = clone("ada"), clone("bob"), clone("host")
    work(ada, "feat", "The vault opens with hunter2000 please")
    memory = ada.tr.recall("vault").results[0].id
    bob.git("fetch", "-q")
    bob.switch("feat")
    bob.tr.sync()
    ada.tr.redact(memory)
    ada.tr.sync()
    bob.tr.sync()
    squash_on_the_host(host, "feat")
    bob.switch("main").git("pull", "-q")

    bob.tr.gc()
    bob.tr.sync()

    grep = bob.git("-C", str(origin), "log", "--all", "-p", "--format=", "-S", "hunter2000")
    assert "hunter2000" not in grep
    assert not any("hunter2000" in title for title in bob.titles("main"))


def test_a_promotion_into_a_trunk_that_is_only_fetched_hides_nothing_of_it(clone: Team) -> None:
    """A fresh clone has said nothing of its own yet."""
    ada, agent, host, fresh = (clone(name) for name in ("ada", "agent", "host", "fresh"))
    ada.tr.remember("a rule of the trunk", type="convention")
    ada.tr.sync()
    work(agent, "feat", "of the agent")
    squash_on_the_host(host, "feat")
    fresh.git("pull", "-q")
    heads = "refs/treering/clones/*:refs/treering/remotes/origin/clones/*"
    fresh.git("fetch", "-q", "origin", heads)

    fresh.tr.gc()

    assert fresh.titles() == {"a rule of the trunk", "of the agent"}
