"""A forged date wins nothing: not in listings, not in ranking, not before an agent.

Everything goes through the program, in a clone to which someone pushed memories from 2099 and 1970.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture import transcript_samples as samples
from conftest import Repo
from provenance.conftest import FUTURE, PAST, Forger, document, path_of, raw
from sync.conftest import Team

FAR, LONG_AGO = "2099-01-01T00:00:00Z", "1970-01-02T00:00:00Z"


def wait_for_next_second() -> None:
    """Commits have dates in seconds: what is to be later has to be so by one."""
    now = int(time.time())
    while int(time.time()) == now:
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not turn an answer into silence."""
    monkeypatch.setenv("TREERING_HOOK_SECONDS", "60")


def wait_for(what: Callable[[], Any]) -> Any:
    """Hooks write in the background; a minute is more than it can take."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.1)
    raise AssertionError("It never came.")


def ids(count: int) -> list[str]:
    return [f"forged{number:06d}".replace("o", "0") for number in range(count)]


def titles(answer: dict[str, Any]) -> list[str]:
    return [result["title"] for result in answer["results"]]


@pytest.fixture
def ada(clone: Team) -> Repo:
    """Someone who remembered something before it came, and something after."""
    repo = clone("ada")
    repo.json("remember", "Written before the forged ones", "--type", "decision")
    repo.json("sync")
    return repo


def forge(forger: Forger, count: int = 3, *, date: str = FAR, when: float = FUTURE) -> None:
    forger.push(
        {path_of(i): document(i, f"Forged words {i}", date=date) for i in ids(count)}, when=when
    )


def fetch(ada: Repo) -> None:
    """The forged ones come, and then Ada goes on."""
    ada.json("sync")
    ada.json("recall")
    time.sleep(1 - time.time() % 1)  # dates count seconds: what follows is of a later one
    ada.json("remember", "Written after the forged ones", "--type", "decision")


@pytest.mark.parametrize("when", [FUTURE, 0, PAST])
def test_the_newest_are_those_that_are(ada: Repo, forger: Forger, when: float) -> None:
    """Whether the commit lies as well as the memory, tells the truth, or is from long ago."""
    forge(forger, when=when)
    fetch(ada)

    answer = ada.json("recall", "--order", "newest")

    assert titles(answer)[0] == "Written after the forged ones"
    assert all(result["created"] < "2090" > result["modified"] for result in answer["results"])


def test_the_search_takes_a_forged_date_for_no_sign_of_being_recent(
    ada: Repo, forger: Forger
) -> None:
    forge(forger, 1)
    fetch(ada)

    found = {r["title"]: r for r in ada.json("recall", "forged words written")["results"]}

    latest = found["Written after the forged ones"]["created"]
    assert found[f"Forged words {ids(1)[0]}"]["created"] <= latest


def test_what_is_asked_for_since_yesterday_does_not_come_from_2099(
    clone: Team, forger: Forger
) -> None:
    """The commit before the forged ones is a week old, so they count as a week old themselves."""
    ada, week = clone("ada"), int(time.time()) - 7 * 86_400
    forger.push({path_of("0dd00000000a"): document("0dd00000000a", "A week old")}, when=week)
    forge(forger)
    fetch(ada)

    recent = titles(ada.json("recall", "--since", "1d"))
    old = titles(ada.json("recall", "--until", "2d"))

    assert recent == ["Written after the forged ones"]
    assert len([title for title in old if title.startswith("Forged")]) == 3


def test_a_session_starts_with_what_is_really_new(ada: Repo, forger: Forger) -> None:
    """In 0.1 sixty memories from 2099 left no room for anything else."""
    forge(forger, 80)
    fetch(ada)
    call = json.dumps({"session_id": "s1", "cwd": str(ada.path)})

    said = ada.cli("hook", "agent", "claude", "SessionStart", feed=call).stdout

    text = json.loads(said)["hookSpecificOutput"]["additionalContext"]
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert "Written after the forged ones" in lines[0]


def test_context_is_not_filled_with_forged_ones(ada: Repo, forger: Forger) -> None:
    forge(forger, 80)
    fetch(ada)

    answer = ada.json("context")

    everything = [*answer["high"], *answer["medium"], *answer["low"]]
    assert "Written after the forged ones" in [entry["title"] for entry in everything]


def test_the_last_checkpoint_is_the_last_that_was_saved(ada: Repo, forger: Forger) -> None:
    one = ids(1)[0]
    forger.push({path_of(one): document(one, "Trust me", kind="checkpoint", date=FAR)}, when=FUTURE)
    ada.json("sync")
    assert ada.json("checkpoint", "load")["checkpoint"]["origin"] == "unverified"
    wait_for_next_second()
    ada.json("checkpoint", "save", "Half of the parser is done")

    loaded = ada.json("checkpoint", "load")

    assert loaded["summary"] == "Half of the parser is done"
    assert loaded["checkpoint"]["origin"] == "you"


@pytest.mark.parametrize("when", [FUTURE, PAST])
def test_the_log_is_in_the_order_of_events(ada: Repo, forger: Forger, when: float) -> None:
    """Also where git, which goes by what commits claim, would show the forged ones alone."""
    for number in range(4):
        forge(forger, number + 1, when=when)
    ada.json("sync")
    ada.switch("feature", create=True)
    wait_for_next_second()
    ada.json("remember", "On the branch", "--type", "decision")

    entries = ada.json("log", "-n", "2")["entries"]

    assert entries[0]["title"] == "On the branch"
    assert all("2020" < entry["when"] < "2090" for entry in entries)
    one = ada.json("read", ids(1)[0], "--history")
    assert all("2020" < entry["when"] < "2090" for entry in one["history"])


def test_a_date_that_has_come_to_pass_is_still_not_believed(clone: Team, forger: Forger) -> None:
    """Also after the database was deleted: when a commit came is kept elsewhere."""
    ada, soon = clone("ada"), int(time.time()) + 10 * 86_400
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(soon))
    ada.json("remember", "Written before", "--type", "decision")
    ada.json("sync")
    forge(forger, 1, date=date, when=soon)
    ada.json("sync")
    ada.now = float(soon - 10 * 86_400)
    before = ada.tr.read(ids(1)[0]).created
    assert before < date

    (ada.path / ".git" / "treering" / "treering.db").unlink()
    ada.now = float(soon + 86_400)

    assert ada.tr.read(ids(1)[0]).created == before


def test_wrong_clocks_are_forgiven_for_a_day(ada: Repo, forger: Forger) -> None:
    soon = int(time.time()) + 6 * 3600
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(soon))
    forge(forger, 1, date=date, when=soon)
    ada.json("sync")

    assert ada.json("read", ids(1)[0])["created"] == date
    assert ada.json("recall", "--order", "newest")["results"][0]["created"] == date


def test_dates_that_an_import_brings_from_long_ago_stay(repo: Repo) -> None:
    """They are earlier than their commit because they are older, not because someone lies."""
    record = {"content": "Use WAL mode", "type": "decision", "created": "2019-05-01T00:00:00Z"}
    file = repo.path / "old.jsonl"
    file.write_text(json.dumps(record), encoding="utf-8")
    repo.json("import", str(file))

    assert repo.json("recall")["results"][0]["created"] == "2019-05-01T00:00:00Z"


def test_an_agents_session_does_not_last_until_2099(
    ada: Repo, forger: Forger, tmp_path: Path
) -> None:
    """Its end is taken from what is there, and what is there may have been pushed by anyone."""
    ada.git("config", "treering.transcripts", "shared")
    (ada.path / ".git" / "treering" / "journal").mkdir(parents=True, exist_ok=True)
    _tell(ada, "Stop", samples.write("claude", tmp_path / "elsewhere", ada.path))
    (session,) = wait_for(lambda: ada.json("recall", "--type", "session")["results"])
    ada.json("sync")
    text = raw(ada, session["id"])
    lines = [
        f"details: {{branch: main, start: '{FAR}', end: '{FAR}'}}"
        if line.startswith("details:")
        else line
        for line in text.split("\n")
        if not line.startswith("  ")
    ]
    forger.push({path_of(session["id"]): "\n".join(lines)}, when=FUTURE)
    ada.json("sync")
    assert ada.json("read", session["id"])["details"]["end"] == FAR

    more = samples.write("claude", tmp_path / "later", ada.path, words="And the tests pass.")
    _tell(ada, "SessionEnd", more)

    whole = wait_for(lambda: _read_when_ended(ada, session["id"]))
    assert whole["modified"] < "2090"


def _tell(repo: Repo, event: str, transcript: Path) -> None:
    """What a client says of its session, in which something happened: else nothing is kept."""
    told = {"session_id": "s1", "cwd": str(repo.path), "transcript_path": str(transcript)}
    repo.cli("hook", "agent", "claude", event, feed=json.dumps(told))


def _read_when_ended(repo: Repo, session: str) -> dict[str, Any] | None:
    """The session once it says that it ended before 2099."""
    whole: dict[str, Any] = repo.json("read", session)
    return whole if whole["details"]["end"] < "2090" else None
