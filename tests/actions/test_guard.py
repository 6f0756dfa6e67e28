"""guard: what a change is about to overrule, by the lines it takes away."""

import json
import subprocess
from pathlib import Path

import pytest

from conftest import Repo
from treering.actions.why import line_ranges, origins
from treering.answers import Guarded, GuardFinding
from treering.errors import BranchNotFound, Invalid

START = "import sqlite3\n\n\ndef connect():\n    pass\n"
WAL = 'import sqlite3\n\n\ndef connect():\n    mode = "WAL"\n'
TIMEOUT = 'import sqlite3\n\n\ndef connect():\n    mode = "WAL"\n    timeout = 30\n'
REASON = "Keep idle connections\n\nThe server drops them after a minute, and users saw errors."


@pytest.fixture(autouse=True)
def _all_the_time_in_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found must not depend on how busy the machine is."""
    monkeypatch.setattr(line_ranges, "SECONDS", (60.0, 60.0, 60.0))
    monkeypatch.setattr(origins, "SECONDS", 60.0)
    monkeypatch.setattr("treering.actions.why.why.SECONDS", 60.0)
    monkeypatch.setattr("treering.actions.guard.SECONDS", 600.0)


def only(answer: Guarded) -> GuardFinding:
    (finding,) = answer.findings
    return finding


class Story:
    """A decision about one line, which landed on main by a squash."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        repo.commit_file("db.py", START, "Connect to the database")
        repo.switch("wal", create=True)
        repo.commit_file("db.py", WAL, "Write ahead")
        repo.commit_file("db.py", TIMEOUT, "Wait longer")
        self.patience = repo.tr.remember(
            "Half a minute: disks of the build are slow", type="decision", files=["db.py"]
        ).id
        repo.switch("main")
        repo.now += 60
        repo.git("merge", "-q", "--squash", "wal")
        repo.git("commit", "-q", "-m", "Write ahead (#42)")
        repo.git("branch", "-D", "wal")
        repo.tr.gc()
        repo.switch("quick", create=True)

    def be_quick(self, message: str = "Be quick") -> str:
        return self.repo.commit_file("db.py", TIMEOUT.replace("30", "3"), message)


@pytest.fixture
def story(repo: Repo) -> Story:
    return Story(repo)


# --- what is found --------------------------------------------------------------------------------


def test_a_change_of_a_line_names_the_decision_it_stands_for(story: Story) -> None:
    story.be_quick()
    story.repo.commit_file("new.py", "y = 2\n", "Only adds")

    answer = story.repo.tr.guard()

    finding = only(answer)
    assert (finding.path, finding.first, finding.last) == ("db.py", 6, 6)
    assert (finding.memory.id, finding.memory.type) == (story.patience, "decision")
    assert "lines" in finding.via
    assert not finding.acknowledged
    assert answer.range == "main..HEAD"


def test_every_door_gives_the_same_findings(story: Story) -> None:
    story.be_quick()

    said = story.repo.json("guard", "main..quick")

    assert set(said) >= {"range", "findings", "warnings"}
    (found,) = said["findings"]
    assert (found["path"], found["from"], found["to"]) == ("db.py", 6, 6)
    assert found["acknowledged"] is False
    assert {"id", "uri", "type", "title", "branch", "layer", "status", "author", "snippet"} <= set(
        found["memory"]
    )
    assert story.repo.json("status", "--view", "guard") == story.repo.json("guard")
    assert story.repo.json("guard", "main..")["findings"] == said["findings"]
    assert story.repo.tr.status(view="guard").findings[0].memory.id == story.patience


def test_white_space_moves_and_reformats_are_no_findings(story: Story) -> None:
    repo = story.repo
    repo.commit_file("db.py", TIMEOUT.replace("timeout = 30", "timeout  =  30  "), "Spaces")
    assert repo.tr.guard().findings == ()
    wrapped = TIMEOUT.replace("timeout = 30", "timeout = (\n        30\n    )")
    repo.commit_file("db.py", wrapped.replace('"WAL"', "'WAL'"), "Formatted")
    assert repo.tr.guard().findings == ()
    moved = TIMEOUT.replace("    timeout = 30\n", "").replace(
        "def connect", "def wait():\n    timeout = 30\n\n\ndef connect"
    )
    repo.commit_file("db.py", moved, "Moved up")
    assert repo.tr.guard().findings == ()
    repo.git("mv", "db.py", "store.py")
    repo.git("commit", "-q", "-m", "Another name")
    assert repo.tr.guard().findings == ()
    (repo.path / "store.py").unlink()
    repo.commit_file("other.py", "z = 1\n" * 40 + moved, "Into another file")
    repo.git("commit", "-q", "-a", "-m", "And out of this one")
    assert repo.tr.guard().findings == ()


def test_a_file_that_is_deleted_takes_its_decisions_along(story: Story) -> None:
    story.repo.git("rm", "-q", "db.py")
    story.repo.git("commit", "-q", "-m", "Away")

    finding = only(story.repo.tr.guard())

    assert (finding.memory.id, finding.now) == (story.patience, None)


def test_failed_attempts_come_first_and_other_types_not_at_all(story: Story) -> None:
    repo = story.repo
    repo.switch("main")
    repo.switch("pool", create=True)
    options = {"files": ["pool.py"]}
    repo.tr.remember("Four connections", type="decision", **options)  # type: ignore[arg-type]
    failed = repo.tr.remember(
        "Eight starved the server", type="insight", outcome="failed", files=["pool.py"]
    ).id
    repo.tr.remember("A pool has connections", type="concept", **options)  # type: ignore[arg-type]
    repo.commit_file("pool.py", "POOL = 4\n", "A pool")
    repo.switch("main").git("merge", "-q", "--no-ff", "-m", "Merge branch 'pool'", "pool")
    repo.tr.gc()
    repo.switch("many", create=True)
    repo.commit_file("pool.py", "POOL = 8\n", "More")

    found = repo.tr.guard().findings

    assert [finding.memory.type for finding in found] == ["insight", "decision"]
    assert found[0].memory.id == failed


def test_a_commit_with_a_reason_speaks_when_it_is_taken_back(repo: Repo) -> None:
    """Silently undone, with more around it; a commit without a reason has nothing to say."""
    repo.commit_file("pool.py", "SIZE = 4\n", "A pool")
    repo.commit_file("pool.py", "SIZE = 4\nkeep_alive(interval=20)\n", REASON)
    repo.commit_file("log.py", "verbose = True\n", "Talk more")
    repo.tr.backfill()
    repo.switch("tidy", create=True)
    repo.commit_file("log.py", "x = 1\n", "Talk less")
    repo.commit_file("pool.py", "SIZE = 4\nWIDTH = 3\n", "Simplify")

    finding = only(repo.tr.guard())

    assert (finding.path, finding.memory.title) == ("pool.py", "Keep idle connections")
    assert finding.via[0] == "commit"


def test_a_commit_whose_line_is_only_extended_stays_silent(repo: Repo) -> None:
    repo.commit_file("pool.py", "SIZE = 4\n", "A pool")
    repo.commit_file("pool.py", "SIZE = 4\nkeep_alive(interval=20)\n", REASON)
    repo.tr.backfill()
    repo.switch("more", create=True)
    repo.commit_file("pool.py", "SIZE = 4\nkeep_alive(interval=20, jitter=5)\n", "Jitter")

    assert repo.tr.guard().findings == ()


def test_a_decision_made_later_counts_for_the_lines_it_speaks_of(repo: Repo) -> None:
    """It names the file, and a value that is in no other line."""
    repo.commit_file("db.py", 'backend = "sqlite"\ntimeout = 30\n', "A database")
    repo.commit_file("other.py", "x = 1\n", "Unrelated")
    decision = repo.tr.remember(
        "Keep the timeout at 30 seconds: disks are slow", type="decision", files=["db.py"]
    ).id
    repo.switch("quick", create=True)
    repo.commit_file("db.py", 'backend = "postgres"\ntimeout = 30\n', "Another backend")
    assert repo.tr.guard().findings == ()
    repo.commit_file("db.py", 'backend = "postgres"\ntimeout = 3\n', "Quick")

    finding = only(repo.tr.guard())

    assert (finding.memory.id, finding.first, finding.via) == (decision, 2, ("file",))


def test_generated_files_and_lock_files_are_left_out(repo: Repo) -> None:
    files = {
        "poetry.lock": "timeout = 30\n",
        "api_pb2.py": "timeout = 30\n",
        "made.py": "# Code generated by tool. DO NOT EDIT.\ntimeout = 30\n",
        "out/big.js": "timeout = 30\n",
        "plain.py": "timeout = 30\n",
    }
    (repo.path / ".gitattributes").write_text("out/** linguist-generated=true\n")
    for name, text in files.items():
        (repo.path / name).parent.mkdir(exist_ok=True)
        (repo.path / name).write_text(text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "All")
    repo.tr.remember("Thirty seconds", type="decision", files=list(files))
    repo.switch("quick", create=True)
    for name, text in files.items():
        (repo.path / name).write_text(text.replace("30", "3"))
    repo.git("commit", "-q", "-a", "-m", "Quick")

    assert [finding.path for finding in repo.tr.guard().findings] == ["plain.py"]


def test_private_memories_are_left_out_unless_asked_for(repo: Repo) -> None:
    repo.commit_file("db.py", "timeout = 30\n")
    repo.tr.remember("Thirty, for my eyes", type="decision", files=["db.py"], private=True)
    repo.switch("feature", create=True)
    repo.commit_file("db.py", "timeout = 60\n")

    for options in ((), ("--markdown",), ("--sarif",), ("--json",)):
        assert "my eyes" not in repo.cli("guard", *options).stdout
    assert only(repo.tr.guard(private=True)).memory.private


# --- acknowledged ---------------------------------------------------------------------------------


def test_a_trailer_acknowledges_and_makes_the_link(story: Story) -> None:
    repo = story.repo
    repo.json("init")
    story.be_quick(f"Be quick\n\nOverrules: {story.patience} the new disks are fast")

    finding = only(repo.tr.guard())
    repo.tr.drain()

    assert finding.acknowledged
    assert finding.reason == "the new disks are fast"
    assert repo.cli("guard", "--strict").returncode == 0
    replaced = repo.tr.read(story.patience)
    assert (replaced.status, replaced.outdated_by is not None) == ("superseded", True)
    assert repo.tr.read(story.patience, branch="main").status == "active"
    assert only(repo.tr.guard()).acknowledged


def test_a_memory_that_supersedes_acknowledges(story: Story) -> None:
    story.be_quick()
    newer = story.repo.tr.remember(
        "Three seconds: the disks are new", type="decision", supersedes=story.patience
    ).id

    finding = only(story.repo.tr.guard())

    assert (finding.acknowledged, finding.by) == (True, newer)


def test_to_forget_a_memory_on_the_branch_acknowledges_nothing(story: Story) -> None:
    story.be_quick()
    story.repo.tr.forget([story.patience])

    assert not only(story.repo.tr.guard()).acknowledged


def test_what_was_superseded_before_is_no_longer_in_force(story: Story) -> None:
    story.repo.switch("main")
    story.repo.tr.remember("Any time will do", type="decision", supersedes=story.patience)
    story.repo.switch("quick")
    story.be_quick()

    assert story.repo.tr.guard().findings == ()


def test_strict_fails_while_a_finding_is_open(story: Story) -> None:
    story.be_quick()

    assert story.repo.cli("guard").returncode == 0
    assert story.repo.cli("guard", "--strict").returncode == 1
    assert story.repo.cli("guard", "--strict", "--json").returncode == 1
    story.repo.commit_file("x.py", "x\n", f"More\n\nOverrules: {story.patience[:6]}\n")
    assert story.repo.cli("guard", "--strict").returncode == 0


# --- what is compared -----------------------------------------------------------------------------


def test_staged_changes_are_compared_with_head(story: Story) -> None:
    (story.repo.path / "db.py").write_text(TIMEOUT.replace("30", "3"))
    assert story.repo.tr.guard(staged=True).findings == ()
    story.repo.git("add", "db.py")

    finding = only(story.repo.tr.guard(staged=True))

    assert (finding.memory.id, finding.first) == (story.patience, 6)
    assert story.repo.tr.guard().findings == ()
    assert story.repo.cli("guard", "--staged", "--strict").returncode == 1


def test_only_what_the_branch_changed_counts_after_it_merged_main(story: Story) -> None:
    repo = story.repo
    repo.commit_file("other.py", "x = 1\n", "Own work")
    repo.switch("main")
    repo.commit_file("db.py", TIMEOUT.replace("30", "3"), "On main")
    repo.switch("quick").git("merge", "-q", "--no-edit", "main")

    assert repo.tr.guard().findings == ()
    assert repo.tr.guard("main...quick").findings == ()


def test_main_as_the_remote_has_it_counts_when_the_local_one_is_behind(
    story: Story, tmp_path: Path
) -> None:
    repo = story.repo
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "origin.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    repo.commit_file("other.py", "x = 1\n", "Own work")
    before = repo.git("rev-parse", "main")
    repo.switch("main")
    repo.commit_file("db.py", TIMEOUT.replace("30", "3"), "On main")
    repo.git("push", "-q", "origin", "main")
    repo.git("reset", "-q", "--hard", before)
    repo.switch("quick").git("merge", "-q", "--no-edit", "origin/main")

    assert repo.tr.guard().findings == ()


def test_on_the_trunk_it_is_what_was_not_pushed_else_the_last_commit(
    story: Story, tmp_path: Path
) -> None:
    repo = story.repo
    repo.switch("main")
    story.be_quick()

    answer = repo.tr.guard()
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "origin.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    repo.git("fetch", "-q", "origin")
    repo.commit_file("x.py", "x = 1\n", "Not pushed yet")
    unpushed = repo.tr.guard()

    assert (answer.range, only(answer).memory.id) == ("HEAD^..HEAD", story.patience)
    assert "last commit" in " ".join(answer.warnings)
    assert (unpushed.range, unpushed.findings) == ("origin/main..HEAD", ())


def test_a_detached_head_is_compared_with_the_trunk(story: Story) -> None:
    story.be_quick()
    story.repo.git("switch", "-q", "--detach")

    assert only(story.repo.tr.guard()).memory.id == story.patience


def test_a_shallow_clone_says_what_it_cannot_know(story: Story, tmp_path: Path) -> None:
    repo = story.repo
    story.be_quick()
    repo.git("clone", "-q", "--depth=1", "-b", "quick", f"file://{repo.path}", str(tmp_path / "ci"))
    shallow = Repo(tmp_path / "ci")
    error = shallow.error("guard", "main..HEAD")
    shallow.git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")

    answer = shallow.json("guard", "main..HEAD")

    assert error["code"] == "branch_not_found"
    assert "--unshallow" in error["hint"]
    assert answer["findings"] == []
    assert "shallow" in " ".join(answer["warnings"])


def test_a_hint_for_a_missing_branch_works_as_printed(story: Story, tmp_path: Path) -> None:
    story.be_quick()
    story.repo.git(
        *("clone", "-q", "--depth=1", "-b", "quick", f"file://{story.repo.path}"),
        str(tmp_path / "ci"),
    )
    shallow = Repo(tmp_path / "ci")
    command = shallow.error("guard", "main..HEAD")["hint"].split("`")[1]
    subprocess.run(command, shell=True, cwd=shallow.path, check=True, capture_output=True)

    assert shallow.json("guard", "main..HEAD")["findings"] == []


def test_bad_ranges_are_refused(story: Story) -> None:
    for range in ("main", "..", "...."):
        error = story.repo.error("guard", range)
        assert error["code"] == "invalid"
        assert "treering guard" in error["hint"]
    with pytest.raises(BranchNotFound, match="nowhere"):
        story.repo.tr.guard("nowhere..HEAD")
    with pytest.raises(Invalid, match="no range"):
        story.repo.tr.guard("main..HEAD", staged=True)


def test_a_repository_without_commits_overrules_nothing(empty_repo: Repo) -> None:
    assert empty_repo.json("guard")["findings"] == []
    assert empty_repo.json("guard", "--staged")["findings"] == []


def test_the_budget_is_named_when_it_is_hit(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    story.be_quick()
    monkeypatch.setattr("treering.actions.guard.SECONDS", -1.0)

    answer = story.repo.tr.guard()

    assert answer.findings == ()
    assert "1 of 1 files" in " ".join(answer.warnings)


# --- forms ----------------------------------------------------------------------------------------


def test_markdown_and_text_say_what_a_reviewer_needs(story: Story) -> None:
    story.be_quick()

    text = story.repo.cli("guard").stdout
    markdown = story.repo.cli("guard", "--markdown").stdout

    for said in (text, markdown):
        assert "Half a minute: disks of the build are slow" in said
        assert "db.py:6" in said
        assert "Overrules: " in said
    assert f"`Overrules: {story.patience} REASON`" in markdown
    story.repo.git("reset", "-q", "--hard", "main")
    assert "No memories." in story.repo.cli("guard", "--markdown").stdout


def test_sarif_has_what_code_scanning_reads(story: Story) -> None:
    story.be_quick(f"Be quick\n\nOverrules: {story.patience} new disks")

    (run,) = json.loads(story.repo.cli("guard", "--sarif").stdout)["runs"]

    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "db.py"
    assert place["region"]["startLine"] == 6
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert result["suppressions"][0]["justification"] == "new disks"


# --- at a push ------------------------------------------------------------------------------------


def push(repo: Repo, branch: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["git", "push", "-q", "origin", branch],
        cwd=repo.path, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("has_hook", [False, True])
def test_a_push_says_what_it_overrules_where_that_was_asked_for(
    story: Story, tmp_path: Path, has_hook: bool
) -> None:
    """Also beside a hook of one's own. It goes through unless `block` is set."""
    repo = story.repo
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "origin.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    repo.git("push", "-q", "origin", "main")
    if has_hook:
        hook = repo.path / ".git/hooks/pre-push"
        hook.write_text("#!/bin/sh\necho mine >&2\n")
        hook.chmod(0o755)
    repo.json("init")
    story.be_quick()

    silent = push(repo, "quick")
    repo.json("config", "guard.push", "on")
    repo.commit_file("x.py", "x = 1\n", "More")
    told = push(repo, "quick")
    repo.json("config", "guard.push", "block")
    repo.commit_file("x.py", "x = 2\n", "And more")
    refused = push(repo, "quick")
    repo.commit_file("x.py", "x = 3\n", f"Yes\n\nOverrules: {story.patience} new disks")
    owned = push(repo, "quick")

    assert (silent.returncode, story.patience in silent.stderr) == (0, False)
    assert (told.returncode, story.patience in told.stderr) == (0, True)
    assert (refused.returncode != 0, story.patience in refused.stderr) == (True, True)
    assert (owned.returncode, story.patience in owned.stderr) == (0, False)
    assert ("mine" in told.stderr) == has_hook
