"""The same over ssh and http: git does the talking, with whatever it is set up to use."""

from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import Team, own_ref, remote_refs
from sync.servers import served as served
from treering.errors import SyncRefused


def test_over_http_with_a_password(clone: Team, served: str) -> None:
    """Both ways; whoever has none may read, and is told what is missing to write."""
    ada, bob = clone("ada"), clone("bob")
    ada.git("remote", "set-url", "origin", f"http://ada:lovelace@{served}")
    bob.git("remote", "set-url", "origin", f"http://{served}")
    ada.tr.remember("Use WAL mode", type="decision")

    assert ada.tr.sync().pushed == 1
    assert bob.tr.sync("fetch").fetched == 1
    bob.tr.remember("Retry with jitter", type="pattern")
    with pytest.raises(SyncRefused) as error:
        bob.tr.sync()

    assert "permission" in error.value.hint
    assert bob.titles() == {"Use WAL mode", "Retry with jitter"}
    ada.git("remote", "set-url", "origin", f"http://{served}")
    assert ada.error("sync", "--remote", "nowhere")["code"] == "sync_refused"


def test_over_ssh_with_the_command_someone_chose(clone: Team, tmp_path: Path) -> None:
    """A stand-in for ssh, which runs what it is asked to run here."""
    command = tmp_path / "ssh"
    command.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n', encoding="utf-8")
    command.chmod(0o755)
    ada, bob = clone("ada"), clone("bob")
    for repo in (ada, bob):
        repo.git("config", "core.sshCommand", str(command))
        repo.git("config", "ssh.variant", "simple")
        repo.git("remote", "set-url", "origin", f"ssh://example.org{tmp_path}/origin.git")
    ada.tr.remember("Use WAL mode", type="decision")

    ada.tr.sync()
    bob.tr.sync()

    assert bob.titles() == {"Use WAL mode"}


def test_a_server_without_atomic_pushes_still_lets_promoted_scopes_go(
    clone: Team, origin: Path
) -> None:
    """First what was promoted, then the scope it came from."""
    Repo(origin).git("config", "receive.advertiseAtomic", "false")
    ada = clone("ada")
    ada.switch("work", create=True).commit_file("work.txt")
    ada.tr.remember("learned on work", type="insight")
    ada.tr.sync()
    ada.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "work")
    ada.git("branch", "-q", "-D", "work")
    ada.tr.gc()

    ada.tr.sync()

    assert list(remote_refs(ada)) == [own_ref(ada)]
