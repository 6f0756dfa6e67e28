"""why: from a line of code to the reason it is there, however the code came to the trunk."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo
from treering.actions.why import line_ranges, origins
from treering.answers import WhyAnswer, WhyLines
from treering.errors import Invalid

START = "import sqlite3\n\n\ndef connect():\n    pass\n"
WAL = 'import sqlite3\n\n\ndef connect():\n    mode = "WAL"\n'
TIMEOUT = 'import sqlite3\n\n\ndef connect():\n    mode = "WAL"\n    timeout = 30\n'


@pytest.fixture(autouse=True)
def _all_the_time_in_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found must not depend on how busy the machine is."""
    monkeypatch.setattr(line_ranges, "SECONDS", (60.0, 60.0, 60.0))
    monkeypatch.setattr(origins, "SECONDS", 60.0)
    monkeypatch.setattr("treering.actions.why.why.SECONDS", 60.0)


def remember(repo: Repo, text: str, **options: object) -> str:
    return repo.tr.remember(text, files=["db.py"], **options).id  # type: ignore[arg-type]


def explain(repo: Repo, target: str, at: str = "") -> WhyAnswer:
    return repo.tr.why(target, at=at)


def only(answer: WhyAnswer) -> WhyLines:
    (lines,) = answer.lines
    return lines


def via(answer: WhyAnswer, memory_id: str) -> tuple[str, ...]:
    return next(memory.via for memory in answer.memories if memory.id == memory_id)


class Story:
    """A branch that learned something about two lines of one file, each with its own commit."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        repo.commit_file("db.py", START, "Connect to the database")
        repo.switch("wal", create=True)
        self.failed = remember(repo, "Rollback journal: readers wait for writers", type="insight")
        repo.tr.revise(self.failed, outcome="failed")
        self.wal = remember(repo, "Write ahead, so that readers never block", type="decision")
        self.first = repo.commit_file("db.py", WAL, "Write ahead")
        self.second = repo.commit_file("db.py", TIMEOUT, "Wait longer")
        self.patience = remember(
            repo, "Half a minute: disks of the build are slow", type="decision"
        )
        repo.switch("main")

    def land(self) -> None:
        """The branch is gone, and what it learned follows its code."""
        self.repo.git("branch", "-D", "wal")
        self.repo.tr.gc()


@pytest.fixture
def story(repo: Repo) -> Story:
    return Story(repo)


# --- how code comes to the trunk ------------------------------------------------------------------


def squash(repo: Repo, branch: str, message: str) -> str:
    repo.now += 60
    repo.git("merge", "-q", "--squash", branch)
    repo.git("commit", "-q", "-m", message)
    return repo.git("rev-parse", "HEAD")


def test_a_squashed_line_is_explained_by_what_its_branch_decided(story: Story) -> None:
    """Of the branch's commits none is left, and still each line has the reason it was written for:
    behind the squash, the commit that wrote it is known."""
    landing = squash(story.repo, "wal", "Write ahead (#42)\n\nFixes: #12\n")
    story.land()

    mode, timeout = explain(story.repo, "db.py:5"), explain(story.repo, "db.py:6")

    assert mode.memories[0].id == story.wal
    assert timeout.memories[0].id == story.patience
    assert {"lines", "branch", "file"} <= set(via(mode, story.wal))
    assert "lines" not in via(timeout, story.wal)
    lines = only(mode)
    assert lines.landed is not None
    assert (lines.landed.branch, lines.landed.merged_as) == ("wal", landing)
    assert (lines.commit, lines.pull_request, lines.trailers) == (landing, 42, {"Fixes": ["#12"]})


def test_what_failed_is_among_the_reasons(story: Story) -> None:
    squash(story.repo, "wal", "Write ahead")
    story.land()

    answer = explain(story.repo, "db.py:5")

    (failed,) = [memory for memory in answer.memories if memory.id == story.failed]
    assert failed.outcome == "failed"


def test_a_merged_line_keeps_its_commit_and_names_the_merge(story: Story) -> None:
    story.repo.now += 60
    story.repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'wal'", "wal")
    merge = story.repo.git("rev-parse", "HEAD")
    story.land()

    answer = explain(story.repo, "db.py:5")

    lines = only(answer)
    assert lines.commit == story.first
    assert lines.landed is not None
    assert (lines.landed.branch, lines.landed.merged_as) == ("wal", merge)
    assert answer.memories[0].id == story.wal
    assert {"lines", "branch", "commit"} <= set(via(answer, story.wal))


def test_a_fast_forwarded_line_is_explained_by_its_branch(story: Story) -> None:
    story.repo.git("merge", "-q", "--ff-only", "wal")
    story.land()

    answer = explain(story.repo, "db.py:5")

    assert answer.memories[0].id == story.wal
    assert only(answer).landed is not None


def test_a_rebased_line_is_known_by_its_author_and_date(story: Story) -> None:
    """A rebase makes new commits, of which only the last is named by the promotion."""
    story.repo.commit_file("other.py", "x = 1\n", "Meanwhile")
    story.repo.switch("wal")
    story.repo.now += 60
    story.repo.git("rebase", "-q", "main")
    story.repo.switch("main").git("merge", "-q", "--ff-only", "wal")
    story.land()

    answer = explain(story.repo, "db.py:5")

    assert only(answer).commit != story.first
    assert answer.memories[0].id == story.wal
    assert {"lines", "branch"} <= set(via(answer, story.wal))


def test_a_picked_line_leads_to_the_commit_it_was_picked_from(story: Story) -> None:
    """Only the first commit was taken. The branch lives on."""
    story.repo.commit_file("other.py", "x = 1\n", "Meanwhile")
    story.repo.git("cherry-pick", story.first)

    answer = explain(story.repo, "db.py:5")

    assert answer.memories[0].id == story.wal
    assert "commit" in via(answer, story.wal)


def test_a_squash_that_nobody_judged_yet_is_known_by_its_files(story: Story) -> None:
    landing = squash(story.repo, "wal", "Write ahead")

    answer = explain(story.repo, "db.py:5")

    assert answer.memories[0].id == story.wal
    assert answer.memories[0].layer == "other"
    lines = only(answer)
    assert lines.landed is not None
    assert (lines.landed.branch, lines.landed.merged_as) == ("wal", landing)


def test_a_line_of_a_living_branch_is_explained_by_what_is_remembered_there(story: Story) -> None:
    story.repo.switch("wal")

    answer = explain(story.repo, "db.py:5")

    assert answer.memories[0].id == story.wal
    assert only(answer).landed is None


def test_stacked_branches_keep_their_reasons_apart(story: Story) -> None:
    """The second was made on the first. Both are squashed, one after the other."""
    repo = story.repo
    repo.switch("wal").switch("pool", create=True)
    pool = remember(repo, "Five connections are enough for us", type="decision")
    repo.commit_file("db.py", TIMEOUT + "    pool = 5\n", "Keep connections")
    repo.switch("main")
    first = squash(repo, "wal", "Write ahead")
    story.land()
    repo.switch("pool").git("rebase", "-q", "--onto", "main", story.second)
    repo.switch("main")
    squash(repo, "pool", "Keep connections")
    repo.git("branch", "-D", "pool")
    repo.tr.gc()

    mode, connections = explain(repo, "db.py:5"), explain(repo, "db.py:7")

    assert mode.memories[0].id == story.wal
    assert only(mode).commit == first
    assert connections.memories[0].id == pool
    assert only(connections).landed is not None


# --- what became of lines -------------------------------------------------------------------------


def test_a_line_is_followed_through_a_rename_and_a_move_to_another_file(story: Story) -> None:
    repo = story.repo
    body = "".join(f"    setting_{n} = 'the {n}th setting of the database'\n" for n in range(8))
    repo.switch("wal")
    reason = remember(repo, "Eight settings, each with a name of its own", type="decision")
    written = repo.commit_file("db.py", TIMEOUT + body, "Name the settings")
    repo.switch("main")
    repo.now += 60
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'wal'", "wal")
    story.land()
    repo.git("mv", "db.py", "store.py")
    repo.now += 60
    repo.git("commit", "-q", "-m", "Rename")
    (repo.path / "store.py").write_text(TIMEOUT)
    repo.commit_file("settings.py", f"class Settings:\n{body}", "Move the settings")
    repo.git("commit", "-q", "-a", "--amend", "--no-edit")

    answer = explain(repo, "settings.py:4")

    assert only(answer).commit == written
    assert only(answer).path == "db.py"
    assert answer.memories[0].id == reason


def test_a_reformat_does_not_hide_who_wrote_a_line(story: Story) -> None:
    """White space is passed over, and so is a commit that the configuration names."""
    repo = story.repo
    repo.git("merge", "-q", "--ff-only", "wal")
    story.land()
    repo.commit_file("db.py", TIMEOUT.replace("    ", "  "), "Two spaces")
    noisy = repo.commit_file(
        "db.py", TIMEOUT.replace("    ", "  ").replace('"WAL"', '"wal"'), "Small letters"
    )
    assert only(explain(repo, "db.py:5")).commit == noisy
    (repo.path / ".ignored").write_text(f"# reformats\n{noisy}\nnonsense\n{'0' * 40}\n")
    repo.git("config", "blame.ignoreRevsFile", ".ignored")

    answer = explain(repo, "db.py:5")

    assert only(answer).commit == story.first
    assert answer.memories[0].id == story.wal


def test_a_landing_commit_that_was_amended_is_shown_as_what_it_became(story: Story) -> None:
    """The promotion names a commit that no branch has any more."""
    repo = story.repo
    landing = squash(repo, "wal", "Write ahead")
    story.land()
    repo.now += 60
    repo.git("commit", "-q", "--amend", "-m", "Write ahead, said better")
    amended = repo.git("rev-parse", "HEAD")

    lines = only(explain(repo, "db.py:5"))

    assert lines.landed is not None
    assert (lines.landed.branch, lines.landed.merged_as) == ("wal", amended)
    assert landing not in repo.cli("why", "db.py:5", "--json").stdout


def test_every_memory_that_why_names_has_its_title(story: Story) -> None:
    repo = story.repo
    squash(repo, "wal", "Write ahead")
    story.land()

    answer = repo.json("why", "db.py", "--limit", "2")
    text = repo.cli("why", "db.py").stdout

    titles = {memory["id"]: memory["title"] for memory in answer["memories"]}
    assert {mid for line in answer["lines"] for mid in line["memories"]} <= titles.keys()
    for memory in repo.json("why", "db.py")["memories"]:
        rows = [row for row in text.splitlines() if memory["id"][:8] in row]
        assert all(memory["title"][:20] in row for row in rows)


LONG = "def connect(path, mode='WAL', timeout=30):\n    return open(path, mode, timeout) or f()\n"
REFORMATS = {
    "quotes": LONG.replace("'", '"'),
    "wrapped": "def connect(\n    path,\n    mode='WAL',\n    timeout=30,\n):\n"
    "    return open(\n        path, mode, timeout\n    ) or f()\n",
    "in parentheses": LONG.replace("return ", "return (\n").replace("f()", "f()\n    )"),
    "continued": LONG.replace(" or ", " \\\n        or "),
    "with a line beside it": LONG.replace("'", '"') + "\n\nVERSION = 2\n",
}


@pytest.mark.parametrize("name", REFORMATS)
def test_a_commit_that_keeps_the_tokens_is_looked_through(repo: Repo, name: str) -> None:
    written = repo.commit_file("db.py", LONG, "Open with a timeout")
    repo.commit_file("db.py", REFORMATS[name], "Run the formatter")
    lines = REFORMATS[name].partition("\n\n")[0].rstrip("\n").count("\n") + 1

    answer = explain(repo, f"db.py:1-{lines}")

    assert {line.commit for line in answer.lines} == {written}


def test_several_reformats_are_looked_through(repo: Repo) -> None:
    written = repo.commit_file("db.py", LONG, "Open with a timeout")
    for name in ("quotes", "wrapped", "quotes"):
        repo.commit_file("db.py", REFORMATS[name], "Run the formatter")

    assert only(explain(repo, "db.py:2")).commit == written


@pytest.mark.parametrize(
    ("old", "new"),
    [("timeout=30", "timeout=60"), (" or f()", ""), ("path, mode, ", "mode, path, ")],
)
def test_a_reformat_that_changes_a_token_wrote_the_line(repo: Repo, old: str, new: str) -> None:
    repo.commit_file("db.py", LONG, "Open with a timeout")
    changed = REFORMATS["quotes"].replace(old, new)
    later = repo.commit_file("db.py", changed, "Format, and more")
    number = next(n for n, line in enumerate(LONG.splitlines(), 1) if old in line)

    assert only(explain(repo, f"db.py:{number}")).commit == later


def test_the_usual_list_of_reformats_needs_no_configuration(repo: Repo) -> None:
    written = repo.commit_file("db.py", LONG, "Open with a timeout")
    noisy = repo.commit_file("db.py", LONG.replace("WAL", "wal"), "Small letters")
    usual = ".git-blame-ignore-revs"
    assert only(explain(repo, "db.py:1")).commit == noisy

    repo.commit_file(usual, f"# Small letters\n{noisy}  # all of it\n", "Ignore it")

    assert only(explain(repo, "db.py:1")).commit == written
    (repo.path / usual).unlink()
    assert only(explain(repo, "db.py:1")).commit == written  # as HEAD has it


def test_a_hostile_list_of_reformats_changes_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.commit_file("db.py", LONG, "Open with a timeout")
    noisy = repo.commit_file("db.py", LONG.replace("WAL", "wal"), "Small letters")
    usual, elsewhere = repo.path / ".git-blame-ignore-revs", tmp_path / "elsewhere"
    elsewhere.write_text(f"{noisy}\n")

    for text in (f"--contents=/etc/passwd\n-{noisy}\n{noisy[:12]}\nHEAD\n", "f" * 3_000_000):
        usual.write_text(text)
        assert only(explain(repo, "db.py:1")).commit == noisy
    usual.unlink()
    usual.symlink_to(elsewhere)
    assert only(explain(repo, "db.py:1")).commit == noisy
    usual.unlink()
    os.mkfifo(usual)
    assert only(explain(repo, "db.py:1")).commit == noisy


def test_a_missing_list_of_reformats_is_no_error(story: Story) -> None:
    story.repo.git("config", "blame.ignoreRevsFile", "nowhere")

    assert only(explain(story.repo, "db.py:5")).subject == "Connect to the database"


def test_what_was_reverted_and_landed_again_keeps_its_reason(story: Story) -> None:
    repo = story.repo
    landing = squash(repo, "wal", "Write ahead")
    story.land()
    for _ in range(2):
        repo.now += 60
        repo.git("revert", "--no-edit", "HEAD")

    answer = explain(repo, "db.py:5")

    assert only(answer).commit != landing
    assert story.wal in [memory.id for memory in answer.memories][:2]


# --- the lines asked about ------------------------------------------------------------------------


def test_lines_that_are_not_committed_are_said_to_be_so(repo: Repo) -> None:
    committed = repo.commit_file("db.py", START)
    (repo.path / "db.py").write_text(f"# new\n{START}# newer\n")

    answer = explain(repo, "db.py")

    found = [(lines.first, lines.last, lines.commit) for lines in answer.lines]
    assert found == [(1, 1, ""), (2, 6, committed), (7, 7, "")]
    assert [lines.is_uncommitted for lines in answer.lines] == [True, False, True]


def test_a_new_file_is_not_committed_at_all(repo: Repo) -> None:
    (repo.path / "new.py").write_text("a\nb\n")

    assert [(x.first, x.last, x.is_uncommitted) for x in explain(repo, "new.py").lines] == [
        (1, 2, True)
    ]


def test_another_revision_is_taken_as_it_is(story: Story) -> None:
    (story.repo.path / "db.py").write_text("edited\n")

    answer = explain(story.repo, "db.py:5", at="wal")

    assert only(answer).commit == story.first
    assert answer.at == story.second


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("db.py:6", "db.py has 5 lines"),
        ("db.py:0", "count from 1"),
        ("db.py:4-2", "count from 1"),
        ("dc.py:1", "no file dc.py"),
        ("../db.py", "not a file inside"),
        ("src", "is a folder"),
    ],
)
def test_lines_that_are_not_there_are_refused(repo: Repo, target: str, words: str) -> None:
    repo.commit_file("db.py", START)
    repo.commit_file("src/x.py", START)

    with pytest.raises(Invalid, match=words):
        explain(repo, target)


def test_a_misspelt_path_gets_near_names(repo: Repo) -> None:
    repo.commit_file("src/database.py", START)

    with pytest.raises(Invalid) as failure:
        explain(repo, "src/databse.py:3")

    assert "src/database.py" in failure.value.hint


@pytest.mark.parametrize(
    "name", ["a:3", "-dash", 'qu"ote', "new\nline", "tab\t", "*.py", "ünï", ":(top)x", "a b"]
)
def test_a_name_may_be_anything(repo: Repo, name: str) -> None:
    """A path that exists wins over a line number at its end."""
    (repo.path / name).write_text("one\ntwo\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "odd")

    assert (only(explain(repo, name)).first, only(explain(repo, name)).last) == (1, 2)
    assert only(explain(repo, f"{name}:2")).first == 2


def test_a_name_that_is_not_text_is_no_error(repo: Repo) -> None:
    name = b"\xff\xfe.py"
    Path(bytes(repo.path).decode(), name.decode(errors="surrogateescape")).write_text("one\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "odd")

    answer = repo.json("why", name.decode(errors="surrogateescape"))

    assert [lines["to"] for lines in answer["lines"]] == [1]


def test_files_without_lines_are_one_stretch(repo: Repo) -> None:
    (repo.path / "empty").write_bytes(b"")
    (repo.path / "image").write_bytes(b"\x89PNG\0\0\n\0")
    (repo.path / "link").symlink_to("image")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "odd files")

    for name in ("empty", "image"):
        assert [(x.first, x.last, x.subject) for x in explain(repo, name).lines] == [
            (0, 0, "odd files")
        ]
    assert [(x.first, x.code) for x in explain(repo, "link").lines] == [(1, ("image",))]
    with pytest.raises(Invalid, match="not text"):
        explain(repo, "image:1")


def test_a_submodule_is_asked_itself(repo: Repo, new_repo: Callable[[str], Repo]) -> None:
    inner = new_repo("inner")
    inner.commit_file("x.py", "x\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    repo.git("commit", "-q", "-m", "sub")

    for target in ("sub", "sub/x.py:1"):
        with pytest.raises(Invalid, match="submodule") as failure:
            explain(repo, target)
        assert "-C sub" in failure.value.hint


def test_a_shallow_clone_says_where_its_history_ends(story: Story, tmp_path: Path) -> None:
    story.repo.git("clone", "-q", "--depth=1", f"file://{story.repo.path}", str(tmp_path / "near"))

    answer = explain(Repo(tmp_path / "near"), "db.py:5")

    assert only(answer).is_boundary
    assert "shallow" in " ".join(answer.notes or ())


def test_a_bare_repository_is_asked_at_its_head(story: Story, tmp_path: Path) -> None:
    story.repo.git("clone", "-q", "--mirror", str(story.repo.path), str(tmp_path / "bare.git"))

    answer = explain(Repo(tmp_path / "bare.git"), "db.py:5", at="wal")

    assert answer.memories[0].id == story.wal


# --- what else explains ---------------------------------------------------------------------------


def test_what_was_learned_since_comes_after(story: Story) -> None:
    squash(story.repo, "wal", "Write ahead")
    story.land()
    story.repo.now += 3600
    later = remember(story.repo, "WAL mode needs a local disk, not a network share", type="insight")

    answer = explain(story.repo, "db.py:5")

    assert answer.memories[-1].id == later
    assert answer.memories[-1].since


def test_a_decision_on_the_trunk_explains_the_commit_it_was_made_for(repo: Repo) -> None:
    repo.commit_file("db.py", START)
    reason = repo.tr.remember("Write ahead, so that readers never block", type="decision").id
    repo.commit_file("db.py", WAL, "Write ahead")

    answer = explain(repo, "db.py:5")

    assert answer.memories[0].id == reason
    assert "commit" in via(answer, reason)


def test_linked_memories_and_those_a_message_names_are_found(repo: Repo) -> None:
    reason = repo.tr.remember("Readers must never block", type="decision").id
    basis = repo.tr.remember("The report runs for an hour", type="insight").id
    repo.tr.link(reason, basis, relation="depends_on")
    repo.now += 86_400
    repo.commit_file("x.py", "x = 1\n", "Elsewhere")
    repo.commit_file("db.py", WAL, f"Write ahead\n\nRefs: {reason}\n")

    answer = explain(repo, "db.py:5")

    assert [(memory.id, memory.via) for memory in answer.memories] == [
        (reason, ("link",)),
        (basis, ("link",)),
    ]


def test_what_was_replaced_is_marked_and_what_was_forgotten_is_gone(story: Story) -> None:
    squash(story.repo, "wal", "Write ahead")
    story.land()
    story.repo.tr.forget([story.failed])
    newer = story.repo.tr.remember("Write ahead, but not on shares", supersedes=story.wal).id

    answer = explain(story.repo, "db.py:5")

    (old,) = [memory for memory in answer.memories if memory.id == story.wal]
    assert old.outdated_by is not None
    assert old.outdated_by.id == newer
    assert story.failed not in [memory.id for memory in answer.memories]


def test_without_memories_the_merge_still_tells(repo: Repo) -> None:
    repo.switch("fix", create=True)
    written = repo.commit_file("db.py", START, "Connect")
    repo.switch("main")
    repo.now += 60
    message = "Merge pull request #7 from ada/fix\n\nCloses #3\nReviewed-by: Ben\n"
    repo.git("merge", "-q", "--no-ff", "-m", message, "fix")
    merge = repo.git("rev-parse", "HEAD")

    lines = only(explain(repo, "db.py:4"))

    assert (lines.commit, lines.pull_request) == (written, 7)
    assert lines.trailers == {"Closes": ["#3"], "Reviewed-by": ["Ben"]}
    assert lines.landed is not None
    assert (lines.landed.branch, lines.landed.merged_as) == ("fix", merge)


def test_what_is_derived_may_be_destroyed(story: Story) -> None:
    squash(story.repo, "wal", "Write ahead")
    story.land()
    before = explain(story.repo, "db.py")
    (story.repo.path / ".git/treering/treering.db").write_bytes(b"not a database")

    after = explain(story.repo, "db.py")

    assert [memory.id for memory in after.memories] == [memory.id for memory in before.memories]
    assert explain(story.repo, "db.py").lines == before.lines


def test_what_is_kept_is_not_used_once_the_file_was_touched(story: Story) -> None:
    explain(story.repo, "db.py")
    story.repo.commit_file("db.py", WAL, "By hand")
    story.repo.commit_file("db.py", START, "And back")

    assert only(explain(story.repo, "db.py:5")).subject == "And back"


# --- other verbs ----------------------------------------------------------------------------------


def test_recall_lists_what_explains_a_line_first(story: Story) -> None:
    """Also what does not name the file. What only names it comes after."""
    squash(story.repo, "wal", "Write ahead")
    unnamed = story.repo.tr.remember("Checkpoints run at night", type="decision", branch="wal").id
    story.land()
    story.repo.now += 3600
    later = remember(story.repo, "Not on network shares", type="insight")

    listing = [result.id for result in story.repo.tr.recall(file="db.py:6").results]

    assert listing[0] == story.patience
    assert listing[-1] == later
    assert set(listing) == {story.patience, story.wal, story.failed, unnamed, later}
    with pytest.raises(Invalid, match="6 lines"):
        story.repo.tr.recall(file="db.py:60")


def test_context_puts_what_explains_the_lines_first(story: Story) -> None:
    squash(story.repo, "wal", "Write ahead")
    story.land()

    mode = story.repo.tr.context(files=["db.py:5"])
    timeout = story.repo.tr.context(files=["db.py:6-6", "db.py:99", "nowhere.py:1"])

    assert mode["high"][0].id in (story.wal, story.failed)
    assert "lines" in mode["high"][0].why
    assert timeout["high"][0].id == story.patience


# --- whatever became of the branch ----------------------------------------------------------------


def test_what_lies_in_the_trash_explains_code_that_was_picked_after_all(story: Story) -> None:
    """Nobody has judged the trash again yet."""
    repo = story.repo
    repo.commit_file("other.py", "x = 1\n", "Meanwhile")
    story.land()
    assert story.wal not in [memory["id"] for memory in repo.tr.exported()]
    repo.git("cherry-pick", story.first)

    answer = explain(repo, "db.py:5")

    assert (answer.memories[0].id, answer.memories[0].layer) == (story.wal, "trash")


def test_the_session_of_a_commit_leads_to_what_was_said_in_it(repo: Repo) -> None:
    repo.commit_file("db.py", START)
    repo.switch("wal", create=True)
    repo.commit_file("a.py", "a = 1\n", "One")
    said = repo.tr.remember("The night is the time for long reports", type="insight").id
    repo.commit_file("db.py", WAL, "Two")
    repo.tr.backfill(branch="wal")

    answer = explain(repo, "db.py:5")

    assert "session" in via(answer, said)


def test_a_clone_without_blobs_tells_the_last_commit(story: Story, tmp_path: Path) -> None:
    """It fetches nothing to answer."""
    repo = story.repo
    squash(repo, "wal", "Write ahead")
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git(
        *("clone", "-q", "--filter=blob:none", f"file://{repo.path}", str(tmp_path / "partial"))
    )

    answer = explain(Repo(tmp_path / "partial"), "db.py")

    assert [lines.subject for lines in answer.lines] == ["Write ahead"]
    assert "lacks earlier versions" in " ".join(answer.notes or ())


def test_a_long_lived_branch_explains_nothing_by_being_one(repo: Repo) -> None:
    """What landed on develop has the reasons of its branch, and not all that develop knows."""
    repo.commit_file("db.py", START)
    repo.switch("develop", create=True)
    repo.commit_file("a.py", "a = 1\n")
    other = repo.tr.remember("Names are short here", type="convention").id
    repo.switch("wal", create=True)
    reason = repo.tr.remember("Readers never block", type="decision").id
    repo.commit_file("db.py", WAL, "Write ahead")
    repo.switch("develop")
    landing = squash(repo, "wal", "Write ahead")
    repo.git("branch", "-D", "wal")
    repo.tr.gc()

    answer = explain(repo, "db.py:5")

    assert [memory.id for memory in answer.memories] == [reason]
    assert other not in [memory.id for memory in answer.memories]
    lines = only(answer)
    assert lines.landed is not None
    assert (lines.landed.branch, lines.landed.merged_as) == ("wal", landing)
