"""From a client's transcript to a session worth reading: real hooks, real files."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from capture import transcript_samples as samples
from conftest import Repo
from hooks.test_agent import EVENTS, call, memories, wait_for

CLIENTS = ("claude", "codex", "gemini")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREERING_HOOK_SECONDS", "60")


@pytest.fixture
def ready(repo: Repo) -> Repo:
    repo.json("init", "--no-hooks")
    return repo


def end(repo: Repo, path: Any, client: str = "claude") -> None:
    """A session of a client begins and ends, and all that follows has happened: what must not
    happen would happen in the background."""
    call(repo, client, EVENTS[client][0])
    wait_for(lambda: open_sessions(repo))
    told = str(path) if isinstance(path, Path) else path
    call(repo, client, EVENTS[client][4], transcript_path=told)
    wait_for(lambda: not open_sessions(repo))


def open_sessions(repo: Repo) -> list[Path]:
    """Noted when a session begins; the last thing that is done at its end is to take it away."""
    folder = repo.path / ".git" / "treering" / "state" / "sessions"
    return list(folder.iterdir()) if folder.exists() else []


def sessions(repo: Repo) -> list[Any]:
    listed = repo.tr.recall(type="session", scope="all").results
    return [repo.tr.read(hit.id) for hit in listed]


def is_shared(repo: Repo, words: str) -> bool:
    """Whether some words are in anything that could be pushed."""
    refs = repo.git("for-each-ref", "--format=%(refname)", "refs/treering").split()
    return any(words in repo.git("log", "-p", ref) for ref in refs)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_session_says_what_was_asked_done_and_came_out(ready, tmp_path, client):
    """A reader need not open the transcript, and nobody else can read it."""
    path = samples.write(client, tmp_path / "elsewhere", ready.path)

    end(ready, path, client)

    (session,) = sessions(ready)
    assert session.title == f"Session: {samples.PROMPT}"
    assert f"Asked: {samples.PROMPT}" in session.content
    assert "Changed: src/login.py" in session.content
    assert (
        f"Solved: `{samples.COMMAND}` failed ({samples.ERROR}), `{samples.COMMAND} -q` worked later"
    ) in session.content
    assert f"Said: {samples.WORDS}" in session.content
    assert "first" not in session.content
    assert [file.path for file in session.files] == ["src/login.py"]
    assert session.private
    assert not is_shared(ready, "redirect")


def test_shared_and_off(ready, tmp_path):
    """The setting decides; off means that nothing is read."""
    path = samples.write("claude", tmp_path / "elsewhere", ready.path)
    ready.git("config", "treering.transcripts", "off")
    end(ready, path)
    nothing = sessions(ready)
    ready.git("config", "treering.transcripts", "shared")
    end(ready, path)

    (session,) = sessions(ready)
    assert nothing == []
    assert not session.private
    assert is_shared(ready, "redirect")


def test_off_does_not_open_the_file(ready, tmp_path):
    """Not even to look: its time of access stays."""
    path = samples.write("claude", tmp_path / "elsewhere", ready.path)
    os.utime(path, (1, 1))
    ready.git("config", "treering.transcripts", "off")

    end(ready, path)

    assert path.stat().st_atime == 1


@pytest.mark.parametrize("client", [client for client in EVENTS if len(EVENTS[client]) == 5])
def test_a_session_in_which_nothing_happened_leaves_nothing(ready, client):
    """It said nothing, and stood among what did."""
    for event in EVENTS[client][1:4]:
        call(ready, client, event)
    end(ready, "", client)

    assert [memory["type"] for memory in ready.tr.exported()] == []


def test_secrets_in_a_transcript_are_masked(ready, tmp_path):
    """In the prompt, the words, a command: none of them was meant to be kept."""
    path = samples.write(
        "claude", tmp_path, ready.path, prompt=f"Use {TOKEN} to log in", words=f"I used {TOKEN}"
    )

    end(ready, path)

    (session,) = sessions(ready)
    assert TOKEN not in json.dumps(session.content + session.title + str(session.details))
    assert "GitHub token" in session.content


def test_a_commit_of_the_session_is_part_of_it(ready, hooked, tmp_path):
    """One commit alone makes no session; with what the transcript tells there is one."""
    call(ready, "claude", "SessionStart")
    wait_for(lambda: open_sessions(ready))
    ready.now = time.time() + 60
    ready.commit_file("src/login.py", message="Set the path of the cookie")
    hooked.settle()
    before = sessions(ready)
    end(ready, samples.write("claude", tmp_path, ready.path))

    (session,) = sessions(ready)
    (commit,) = memories(ready, "commit")
    assert before == []
    assert session.details["commits"] == [commit["commit"]]
    assert "Set the path of the cookie" in session.content
    assert (commit["agent"], commit["session"]) == ("claude-code", session.id)
    assert [link["target"] for link in commit["links"]] == [session.id]


def test_a_stop_tells_what_there_is_so_far(ready, tmp_path):
    """A client that is killed never says that the session ended."""
    path = samples.write("claude", tmp_path, ready.path)

    call(ready, "claude", "Stop", transcript_path=str(path))

    (session,) = wait_for(lambda: sessions(ready))
    assert session.title == f"Session: {samples.PROMPT}"


def test_what_somebody_forgot_stays_forgotten(ready, tmp_path):
    path = samples.write("claude", tmp_path, ready.path)
    call(ready, "claude", "Stop", transcript_path=str(path))
    (session,) = wait_for(lambda: sessions(ready))
    ready.tr.forget([session.id])

    end(ready, path)

    assert sessions(ready) == []


# --- paths and files nobody vouches for -----------------------------------------------------------


def _link(path: Path, to: Path) -> Path:
    path.symlink_to(to)
    return path


def _fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "relative", "dots", "name", "gone"])
def test_only_a_plain_file_is_read(ready, tmp_path, kind):
    """A hook says where; a pipe would wait for ever, and a link may lead anywhere."""
    real = samples.write("claude", tmp_path / "real", ready.path)
    paths = {
        "link": lambda: _link(tmp_path / "x.jsonl", real),
        "folder": lambda: tmp_path,
        "fifo": lambda: _fifo(tmp_path / "pipe.jsonl"),
        "relative": lambda: os.path.relpath(real, ready.path),
        "dots": lambda: f"{tmp_path}/real/../real/{real.name}",
        "name": lambda: real.rename(real.with_suffix(".txt")),
        "gone": lambda: tmp_path / "gone.jsonl",
    }

    end(ready, paths[kind]())

    assert sessions(ready) == []


def test_a_link_in_the_clone_is_not_followed(ready, tmp_path):
    """What is cloned was made by somebody else."""
    real = samples.write("claude", tmp_path / "real", ready.path)
    _link(ready.path / "notes", real.parent)
    own = _link(tmp_path / "own", real.parent)

    end(ready, ready.path / "notes" / real.name)
    nothing = sessions(ready)
    end(ready, own / real.name)

    assert nothing == []
    assert sessions(ready)


def test_bad_lines_are_passed_over(ready, tmp_path):
    """Half a line, no JSON, wrong kinds, depth without end, a line of megabytes."""
    path = samples.write("claude", tmp_path, ready.path)
    good = path.read_bytes()
    bad = [
        b"\xff\xfe", b"not json", b"[1, 2]", b"7", b"null", b"{" * 100_000, b"[" * 100_000,
        b'{"type": "user", "message": 7}', b'{"type": "assistant", "message": {"content": {}}}',
        b'{"type": ["user"], "timestamp": 5, "sessionId": {}, "cwd": []}',
        b'{"type": "user", "timestamp": "9999-99-99", "message": {"content": [7, {"text": []}]}}',
        b'{"type": "user", "message": {"content": "' + b"x" * 3_000_000 + b'"}}',
    ]  # fmt: skip
    path.write_bytes(b"\n".join(bad) + b"\n" + good + b'{"type": "assis')

    end(ready, path)

    (session,) = sessions(ready)
    assert session.title == f"Session: {samples.PROMPT}"
    assert len(session.content) < 2000


def test_of_a_huge_transcript_the_beginning_and_the_end_are_told(ready, tmp_path):
    """Bounded in bytes: what lies between is not read."""
    path = samples.write("claude", tmp_path, ready.path)
    last = samples.claude(ready.path, prompt="And now the docs", words="Done with the docs.")
    filler = json.dumps({"type": "progress", "data": "x" * 100_000}) + "\n"
    with path.open("a") as file:
        for _ in range(450):
            file.write(filler)
        for entry in last:
            file.write(json.dumps(entry) + "\n")

    end(ready, path)

    (session,) = sessions(ready)
    assert session.title == f"Session: {samples.PROMPT}"
    assert "Done with the docs." in session.content


def test_many_turns_stay_short(ready, tmp_path):
    """The first, the last, and how many there were between."""
    entries = [
        entry
        for n in range(40)
        for entry in samples.claude(
            ready.path, prompt=f"Step {n}: " + "word " * 500, words="x " * 900
        )
    ]
    path = samples.write_lines(tmp_path / "long.jsonl", entries)

    end(ready, path)

    (session,) = sessions(ready)
    assert " more turns)" in session.content
    assert "Step 0:" in session.content
    assert "Step 39:" in session.content
    assert len(session.content) < 10_000


def test_a_dead_client_is_no_reason_to_fail(ready):
    """Whatever is said about a transcript, the agent goes on."""
    for path in (7, None, ["x"], "\0", "x" * 100_000, "/dev/stdin", "/dev/zero", "/proc/self/mem"):
        end(ready, path)

    assert sessions(ready) == []
