"""Staleness: what a memory speaks of, compared with the code of the branch recalled on."""

import pytest

from conftest import Repo
from treering.actions.staleness import MAX_FILES, CodeTree
from treering.model.memory import FileRef, Memory

CLIENT = """
TIMEOUT: float = 30
BACKEND = "redis"

def send_all(requests):
    for request in requests:
        request.send()
"""


def _state(repo: Repo, memory_id: str) -> str | None:
    stale = repo.tr.read(memory_id).stale
    return stale.state if stale else None


def test_a_memory_without_files_has_no_staleness(repo: Repo) -> None:
    """Nothing to compare with."""
    assert _state(repo, repo.tr.remember("text").id) is None


def test_fresh_changed_and_gone_are_told_apart(repo: Repo) -> None:
    """By blob id, not by date."""
    repo.commit_file("src/a.py", "one\n")
    memory = repo.tr.remember("about a", files=["src/a.py"])
    assert _state(repo, memory.id) == "fresh"

    repo.commit_file("src/a.py", "two\n")
    assert _state(repo, memory.id) == "changed"

    repo.git("rm", "-q", "src/a.py")
    repo.git("commit", "-q", "-m", "remove")
    assert _state(repo, memory.id) == "gone"


def test_a_renamed_file_is_moved(repo: Repo) -> None:
    """And the answer says where to."""
    repo.commit_file("src/a.py", "a long enough text\n" * 20)
    memory = repo.tr.remember("about a", files=["src/a.py"])
    repo.git("mv", "src/a.py", "src/b.py")
    repo.git("commit", "-q", "-m", "move")

    stale = repo.tr.read(memory.id).stale

    assert stale is not None
    assert (stale.files[0].state, stale.files[0].now) == ("moved", "src/b.py")


def test_what_is_edited_now_is_fresh_once_committed(repo: Repo) -> None:
    """edit, remember, commit: the order agents work in."""
    repo.commit_file("src/a.py", "one\n")
    (repo.path / "src/a.py").write_text("two\n", encoding="utf-8")
    memory = repo.tr.remember("about the new text", files=["src/a.py"])

    repo.git("commit", "-q", "-a", "-m", "edit")

    assert _state(repo, memory.id) == "fresh"


def test_staleness_is_against_the_branch_asked_about(repo: Repo) -> None:
    """The same memory can be fresh here and stale there."""
    repo.commit_file("src/a.py", "one\n")
    memory = repo.tr.remember("about a", files=["src/a.py"])
    repo.switch("feature", create=True)
    repo.commit_file("src/a.py", "two\n")

    assert _state(repo, memory.id) == "changed"
    stale = repo.tr.read(memory.id, branch="main").stale
    assert stale is not None
    assert stale.state == "fresh"


def test_a_memory_is_as_stale_as_its_worst_file(repo: Repo) -> None:
    """One changed file is reason to look."""
    repo.commit_file("a.py", "one\n")
    repo.commit_file("b.py", "one\n")
    memory = repo.tr.remember("about both", files=["a.py", "b.py"])

    repo.commit_file("b.py", "two\n")

    assert _state(repo, memory.id) == "changed"


@pytest.mark.parametrize(
    "text",
    [
        "send_all() is called once per batch",
        "The loop over `requests` stays sequential",
        "The timeout of 30 seconds is what the vendor asks for",
        "Our backend is redis, as everywhere",
        "Each request has to send itself",
        "We keep\n\n    for request in requests:\n\nas it is",
    ],
)
def test_a_change_elsewhere_in_the_file_is_not_staleness(repo: Repo, text: str) -> None:
    repo.commit_file("client.py", CLIENT)
    memory = repo.tr.remember(text, files=["client.py"])

    repo.commit_file("client.py", f"import os\n{CLIENT}\ndef close(): ...\n")

    assert _state(repo, memory.id) == "fresh"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("send_all() is called once per batch", "send_all", "send_batch"),
        ("The timeout of 30 seconds is what the vendor asks for", "30", "60"),
        ("The timeout is 30, never 60", "30", "60"),
        ("Our backend is redis, as everywhere", "redis", "postgres"),
        ("Each request has to send itself", "request.send()", "pool.submit(request)"),
        ("`BACKEND = 'redis'` or \"redis\" only", "redis", "memory"),
    ],
)
def test_what_it_speaks_of_is_gone_or_changed(repo: Repo, text: str, old: str, new: str) -> None:
    repo.commit_file("client.py", CLIENT + "\ndef other(): return 30, 'redis'\n" * (old == "30"))
    memory = repo.tr.remember(text, files=["client.py"])

    repo.commit_file("client.py", CLIENT.replace(old, new))

    assert _state(repo, memory.id) == "changed"


@pytest.mark.parametrize(
    "text",
    [
        "Decision: wrap send_all() in a Backoff with base_delay of 0.5",
        "Raise the timeout from 30 to 60",
        "Remove send_all() and use send_batch() instead of it",
        "Requests are batched before they leave the socket",
    ],
)
def test_carrying_out_a_decision_is_not_staleness(repo: Repo, text: str) -> None:
    """Said first, then written."""
    repo.commit_file("client.py", CLIENT)
    memory = repo.tr.remember(text, type="decision", files=["client.py"])

    written = (
        CLIENT.replace("30", "60").replace("send_all", "send_batch")
        + "retry = Backoff(base_delay=0.5)\nrequests_batched = socket.leave(requests)\n"
    )
    repo.commit_file("client.py", written)
    assert _state(repo, memory.id) == "fresh"

    repo.commit_file("client.py", written + "\n# nothing to do with it\n")
    assert _state(repo, memory.id) == "fresh"


def test_a_decision_that_was_carried_out_can_grow_stale(repo: Repo) -> None:
    repo.commit_file("client.py", CLIENT)
    memory = repo.tr.remember("Use a base_delay of 0.5 in send_all()", files=["client.py"])
    repo.commit_file("client.py", CLIENT + "base_delay = 0.5\n")
    assert _state(repo, memory.id) == "fresh"

    repo.commit_file("client.py", CLIENT + "base_delay = 2.0\n")

    stale = repo.tr.read(memory.id).stale
    assert stale is not None
    assert (stale.state, stale.lost) == ("changed", ("base_delay 0.5",))


def test_a_text_under_way_is_finished_by_the_next_commit_of_its_author(repo: Repo) -> None:
    """Edit, remember, edit on, commit: no word of the memory is in the file."""
    repo.commit_file("client.py", CLIENT)
    (repo.path / "client.py").write_text("half\n", encoding="utf-8")
    memory = repo.tr.remember("Nobody knows why", files=["client.py", "new.py"])

    repo.commit_file("client.py", "whole\n")
    repo.commit_file("new.py", "whole\n")
    assert _state(repo, memory.id) == "fresh"

    repo.commit_file("client.py", "another\n")
    assert _state(repo, memory.id) == "changed"


def test_a_commit_that_speaks_of_the_decision_carries_it_out(repo: Repo) -> None:
    """Where the code says it in other words than the memory."""
    repo.commit_file("io.py", "def put(): ...\n")
    memory = repo.tr.remember(
        "Retry failed uploads with a backoff", type="decision", files=["io.py"]
    )

    repo.commit_file("io.py", "def put(n=3): ...\n", message="Uploads: retry, and back off")
    assert _state(repo, memory.id) == "fresh"

    repo.commit_file("io.py", "def put(n=4): ...\n", message="Uploads: retry once more")
    assert _state(repo, memory.id) == "changed"


def test_a_name_that_moved_to_another_of_its_files_is_still_there(repo: Repo) -> None:
    repo.commit_file("a.py", CLIENT)
    repo.commit_file("b.py", "import a\n")
    memory = repo.tr.remember("send_all() is the only way out", files=["a.py", "b.py"])

    repo.commit_file("a.py", "TIMEOUT = 30\n")
    repo.commit_file("b.py", CLIENT)

    assert _state(repo, memory.id) == "fresh"


def test_a_file_renamed_twice_and_rewritten_since_is_moved(repo: Repo) -> None:
    """Step by step: its first and its last text have nothing in common."""
    repo.commit_file("src/a.py", "".join(f"line {n}\n" for n in range(30)))
    memory = repo.tr.remember("Nobody knows why", files=["src/a.py"])
    for old, new in (("src/a.py", "src/b.py"), ("src/b.py", "lib/c.py")):
        (repo.path / new).parent.mkdir(exist_ok=True)
        repo.git("mv", old, new)
        repo.git("commit", "-q", "-m", "move")
        repo.commit_file(new, "".join(f"{new} {n}\n" for n in range(30)))

    stale = repo.tr.read(memory.id).stale

    assert stale is not None
    assert (stale.files[0].now, stale.state) == ("lib/c.py", "moved")


@pytest.mark.parametrize("is_new", [True, False], ids=["made on the branch", "of the trunk"])
def test_a_rename_inside_a_squash_is_followed(repo: Repo, is_new: bool) -> None:
    text = "".join(f"line {n}\n" for n in range(30))
    if not is_new:
        repo.commit_file("a.py", text)
    repo.switch("feature", create=True)
    repo.commit_file("a.py", text + "own\n")
    memory = repo.tr.remember("line 7 is slow", files=["a.py"])
    repo.git("mv", "a.py", "b.py")
    repo.git("commit", "-q", "-m", "move")
    repo.commit_file("b.py", text + "own\nmore\n")
    repo.switch("main")
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "feature (#1)")

    repo.tr.maintain("gc", dry_run=False)
    stale = repo.tr.read(memory.id).stale

    assert stale is not None
    assert (stale.state, stale.files[0].now) == ("moved", "b.py")


def test_records_are_never_stale(repo: Repo) -> None:
    """They tell what was."""
    repo.commit_file("a.py", "one\n")
    note = repo.tr.remember("Half of it", type="progress", files=["a.py"])
    repo.tr.checkpoint("save", summary="Half done", open_files=["a.py"])
    repo.commit_file("a.py", "two\n")

    assert _state(repo, note.id) is None
    for hit in repo.json("recall", "--records", "only")["results"]:
        assert "stale" not in hit


def test_many_files_cost_what_a_few_do(repo: Repo) -> None:
    """Whoever writes a memory does not decide how long a recall takes."""
    names = [f"src/f{n}.py" for n in range(1200)]
    memory = repo.tr.remember("Everything at once", files=names)

    stale = repo.tr.read(memory.id).stale

    assert stale is not None
    assert len(stale.files) == MAX_FILES
    assert stale.more == 1200 - MAX_FILES


@pytest.mark.parametrize("commit", ["--output=owned", "main^{/x}", "0" * 40, "zz", "a\0b"])
@pytest.mark.parametrize("blob", ["", "zz", "--", "0" * 40, "f" * 64, "a\0b"])
def test_files_and_commits_of_strangers_are_only_compared(
    repo: Repo, commit: str, blob: str
) -> None:
    """Whatever a memory says of files is a word of its author, never an option of git."""
    head = repo.commit_file("a.py", "wal_mode = 1\n")
    paths = ["a.py", "--output=owned", "gone.py", ":(glob)**", "a\0b", "../x", "\ud800", "/etc"]
    memory = Memory(
        id="7k2m9qx4c0wd", type="decision", title="Use wal_mode", content="Use wal_mode",
        author="Eve <--output=owned>", created="2026-02-02T02:40:00Z",
        modified="2026-02-02T02:40:00Z", commit=commit,
        files=tuple(FileRef(path, blob) for path in paths),
    )  # fmt: skip

    stale = CodeTree(repo.workspace.repository, head).staleness(memory)

    assert stale is not None
    assert stale.files[0].state in ("fresh", "changed")
    assert {file.state for file in stale.files[1:]} <= {"gone", "unknown"}
    assert not list(repo.path.rglob("owned"))


def test_words_that_are_no_longer_in_the_files_are_named(repo: Repo) -> None:
    """A file changes for many reasons; that what a memory speaks of is gone is a good one to
    doubt it."""
    repo.commit_file("client.py", "MAX_RETRIES = 3\ndef send_all(): ...\n")
    made = repo.tr.remember(
        "The client gives up after MAX_RETRIES in send_all()", files=["client.py"]
    )
    plain = repo.tr.remember("The client is written by hand", files=["client.py"])

    repo.commit_file("client.py", "ATTEMPTS = 3\ndef send_all(): ...\n")

    stale = repo.tr.read(made.id).stale
    assert stale is not None
    assert (stale.state, stale.lost) == ("changed", ("MAX_RETRIES",))
    other = repo.tr.read(plain.id).stale
    assert other is not None
    assert other.lost is None
    (doubt,) = [item for item in repo.tr.review().items if item.id == made.id]
    assert "no longer in its files: MAX_RETRIES" in [reason.detail for reason in doubt.reasons]
    answer = repo.tr.context(files=["client.py"])
    entries = {e.id: e for group in ("high", "medium", "low") for e in answer[group]}
    assert "words gone" in entries[made.id].why
    assert entries[made.id].score < entries[plain.id].score
