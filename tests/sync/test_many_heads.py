"""Many heads are asked for by their ids, and their refs moved together: whatever the server, in
every protocol git speaks, and by name where a server will not have it.

Who listens is cloned before anybody speaks: a clone on one disk has all objects of its remote.
"""

from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import Team, remote_refs
from sync.servers import serve_git
from sync.servers import served as served
from treering.git import refs
from treering.sync import fetching

PLACE = "refs/treering/remotes/origin/clones/"


def let_speak(clone: Team, count: int = 4) -> list[Repo]:
    people = [clone(f"p{number}") for number in range(count)]
    for number, person in enumerate(people):
        person.tr.remember(f"fact {number}", type="insight")
        person.tr.sync("push")
    return people


def list_seen(repo: Repo) -> list[str]:
    return [ref for ref in repo.refs() if ref.startswith(PLACE)]


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MANY", 2)


@pytest.mark.parametrize("is_in_the_way", [False, True])
def test_heads_come_at_once(clone: Team, is_in_the_way: bool) -> None:
    """Where one ref cannot be written none is moved together; they are fetched as few are."""
    eve = clone("eve")
    people = let_speak(clone)
    lock = eve.path / ".git" / f"{PLACE}{people[0].git('config', 'treering.clone')}/main.lock"
    if is_in_the_way:
        lock.parent.mkdir(parents=True)
        lock.touch()

    answer = eve.tr.sync()

    assert eve.titles() == {f"fact {number}" for number in range(is_in_the_way, 4)}
    assert (answer.notes is not None) == is_in_the_way
    lock.unlink(missing_ok=True)
    eve.tr.sync()
    assert eve.titles() == {f"fact {number}" for number in range(4)}
    assert len(list_seen(eve)) == 4
    for number, person in enumerate(people):
        person.tr.remember(f"news {number}", type="insight")
        person.tr.sync()
    eve.tr.sync()
    assert len(eve.titles()) == 8
    assert eve.git("fsck") == ""


@pytest.mark.parametrize("protocol", ["0", "1", "2"])
def test_from_a_git_daemon(clone: Team, origin: Path, protocol: str) -> None:
    eve = clone("eve")
    let_speak(clone)
    eve.git("config", "protocol.version", protocol)
    eve.tr.remember("by Eve", type="insight")

    with serve_git(origin.parent) as address:
        eve.git("remote", "set-url", "origin", f"{address}/origin.git")
        answer = eve.tr.sync()
        there = remote_refs(eve)

    assert (answer.notes, answer.pushed) == (None, 1)
    assert eve.titles() == {"by Eve", *(f"fact {number}" for number in range(4))}
    assert len(there) == 5


@pytest.mark.parametrize("protocol", ["0", "2"])
def test_over_http(clone: Team, served: str, protocol: str) -> None:
    eve = clone("eve")
    let_speak(clone)
    eve.git("config", "protocol.version", protocol)
    eve.git("remote", "set-url", "origin", f"http://{served}")

    answer = eve.tr.sync("fetch")

    assert answer.notes is None
    assert eve.titles() == {f"fact {number}" for number in range(4)}
    assert len(list_seen(eve)) == 4


def test_a_server_that_will_not_have_ids_is_asked_by_name(clone: Team, tmp_path: Path) -> None:
    """It answers the question, refuses what comes next, and answers again."""
    eve = clone("eve")
    let_speak(clone)
    calls, program = tmp_path / "calls", tmp_path / "upload-pack"
    program.write_text(
        f"""#!/bin/sh
echo call >> {calls}
[ $(wc -l < {calls}) = 2 ] && {{ echo "upload-pack: not our ref" >&2; exit 128; }}
exec git upload-pack "$@"
""",
        encoding="utf-8",
    )
    program.chmod(0o755)
    eve.git("config", "remote.origin.uploadpack", str(program))

    answer = eve.tr.sync()

    assert answer.notes is None
    assert eve.titles() == {f"fact {number}" for number in range(4)}
    assert len(list_seen(eve)) == 4
    assert len(calls.read_text(encoding="utf-8").splitlines()) == 3


def test_a_head_that_moves_after_the_question_comes_as_it_is_then(
    clone: Team, origin: Path, tmp_path: Path
) -> None:
    """The id that was listed is none of the server's any more: one of the others is no reason to
    have none."""
    eve = clone("eve")
    people = let_speak(clone)
    people[0].tr.redact(next(iter(people[0].tr.exported()))["id"])
    done, program = tmp_path / "done", tmp_path / "upload-pack"
    program.write_text(
        f"""#!/bin/sh
[ -e {done} ] && [ ! -e {done}.2 ] && {{
    touch {done}.2
    git -C {people[0].path} push -q --force origin refs/treering/heads/main:$(cat {done})
    git -C {origin} gc -q --prune=now
}}
git upload-pack "$@"
""",
        encoding="utf-8",
    )
    program.chmod(0o755)
    eve.git("config", "remote.origin.uploadpack", str(program))
    ref = f"refs/treering/clones/{people[0].git('config', 'treering.clone')}/main"
    eve.git("ls-remote", "origin")
    done.write_text(ref, encoding="utf-8")

    eve.tr.sync()
    eve.tr.sync()

    assert "fact 0" not in eve.titles()
    assert eve.titles() >= {f"fact {number}" for number in range(1, 4)}


def test_files_of_single_heads_are_put_together_once_there_are_many(
    clone: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain `git fetch` makes one for each head, and every look reads them all."""
    monkeypatch.setattr(refs, "MANY_LOOSE", 3)
    eve = clone("eve")
    let_speak(clone)
    eve.git("fetch", "-q", "origin", f"+refs/treering/clones/*:{PLACE}*")
    assert len(list((eve.path / ".git" / PLACE).iterdir())) == 4

    eve.tr.sync()

    assert not list((eve.path / ".git" / PLACE).glob("*/*"))
    assert len(list_seen(eve)) == 4
    assert eve.titles() == {f"fact {number}" for number in range(4)}
