"""A repository whose configuration, attributes and hooks name programs wherever git lets them: none
is started by what treering does of its own accord.

A configuration is not cloned, but it comes with archives, shared folders and containers; and hooks
of agents run wherever an agent happens to be.
"""

import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Repo, make_repo
from hostile.trap import Trap
from treering.git import process
from treering.git.diff import TrialMerge
from treering.git.hooks_path import DELICATE, HARMLESS
from treering.git.pack import pack
from treering.git.repository import Repository

#: Every setting of git's documentation whose value is a program or a command line, but for those
#: by which a remote is reached.
PROGRAMS = (
    "core.fsmonitor", "core.pager", "pager.log", "pager.diff", "pager.status", "core.editor",
    "sequence.editor", "core.alternateRefsCommand", "core.askPass",
    "diff.external", "diff.evil.command", "diff.evil.textconv", "interactive.diffFilter",
    "merge.evil.driver", "filter.evil.clean", "filter.evil.smudge", "filter.lines.process",
    "gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand", "uploadpack.packObjectsHook", "gc.recentObjectsHook",
    "hook.evil.command", "difftool.evil.cmd", "difftool.evil.path", "mergetool.evil.cmd",
    "mergetool.evil.path", "browser.evil.cmd", "browser.evil.path", "man.evil.cmd", "man.evil.path",
    "web.browser", "help.browser", "instaweb.httpd", "instaweb.browser", "guitool.evil.cmd",
    "sendemail.tocmd", "sendemail.ccCmd", "sendemail.smtpServer", "imap.tunnel",
    "trailer.evil.command", "trailer.evil.cmd",
)  # fmt: skip
#: The same for remotes; only a sync may come by these.
TRANSPORTS = (
    "core.sshCommand", "core.gitProxy", "credential.helper", "credential.https://x.example.helper",
    "remote.promised.uploadpack", "remote.promised.receivepack",
)  # fmt: skip
ALIASES = ("log", "status", "diff", "rev-list", "gc", "fetch", "push", "merge-tree", "config")
SWITCHES = {
    "log.showSignature": "true",
    "commit.gpgSign": "true",
    "tag.gpgSign": "true",
    "push.gpgSign": "if-asked",
    "merge.default": "evil",
    "filter.evil.required": "true",
    "diff.tool": "evil",
    "merge.tool": "evil",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "submodule.recurse": "true",
    "fetch.recurseSubmodules": "true",
    "remote.promised.promisor": "true",
    "remote.promised.partialclonefilter": "blob:none",
}
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
ATTRIBUTES = "* filter=evil diff=evil merge=evil\n*.txt filter=lines\n"


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "trap")


@pytest.fixture
def hostile(repo: Repo, tmp_path: Path, trap: Trap) -> Repo:
    """A repository with a past to look at, and a trap at every turn."""
    _live(repo, tmp_path)
    _lose_a_blob(repo, "HEAD~3:both.txt")
    _arm(repo, tmp_path, trap)
    return repo


def _live(repo: Repo, tmp_path: Path) -> None:
    """Branches that landed in ways git has to be asked about, a submodule, notes, a lost blob."""
    library = make_repo(tmp_path / "library")
    library.commit_file("lib.c")
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib"
    )
    repo.commit_file("both.txt", "".join(f"{n}\n" for n in range(30)))
    repo.commit_file("old.txt", "a file that is going to move\n" * 5)
    repo.json("remember", "Old lies in old.txt", "--file", "old.txt")
    repo.switch("feature", create=True)
    repo.commit_file("both.txt", "".join(f"{n}\n" for n in range(30)) + "feature\n")
    repo.json("remember", "The feature has a lesson")
    repo.switch("main")
    repo.commit_file("both.txt", "main\n" + "".join(f"{n}\n" for n in range(30)))
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "squashed")
    repo.commit_file(
        "both.txt", "main\n" + "".join(f"{n}\n" for n in range(30)) + "feature\nmore\n"
    )
    repo.git("branch", "-q", "-D", "feature")
    repo.git("mv", "old.txt", "new.txt")
    repo.git("commit", "-q", "-m", "moved")
    repo.git("notes", "add", "-m", "A note on a commit")


def _arm(repo: Repo, tmp_path: Path, trap: Trap) -> None:
    git_dir = repo.path / ".git"
    evil = git_dir / "evil"  # an include is configuration like any other
    settings = {key: trap.program(key.replace("/", "_")) for key in (*PROGRAMS, *TRANSPORTS)}
    settings |= SWITCHES | {f"alias.{name}": f"!{trap.program('alias')}" for name in ALIASES}
    settings["remote.promised.url"] = str(tmp_path / "nowhere.git")
    settings["remote.command.url"] = f"ext::{trap.program('ext')} x"
    settings["submodule.lib.update"] = f"!{trap.program('submodule')}"
    settings["core.hooksPath"] = str(tmp_path / "hooks")
    (tmp_path / "hooks").mkdir()
    for hook in (*HARMLESS, *DELICATE):
        for folder in (tmp_path / "hooks", git_dir / "hooks"):
            folder.mkdir(exist_ok=True)
            shutil.copy(trap.program(hook), folder / hook)
    for key, value in settings.items():
        repo.git("config", "--file", str(evil), key, value)
    for event in (*HARMLESS, *DELICATE):
        repo.git("config", "--file", str(evil), "--add", "hook.evil.event", event)
    inner = git_dir / "modules" / "lib" / "config"
    repo.git("config", "--file", str(inner), "core.fsmonitor", trap.program("inner fsmonitor"))
    alternate = make_repo(tmp_path / "alternate")
    alternate.commit_file("a.txt")
    (git_dir / "objects" / "info").mkdir(exist_ok=True)
    (git_dir / "objects" / "info" / "alternates").write_text(f"{alternate.path}/.git/objects\n")
    (repo.path / "both.txt").write_text("edited\n")
    (repo.path / ".gitattributes").write_text(ATTRIBUTES)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text(ATTRIBUTES)
    (repo.path / "lib" / "lib.c").write_text("edited\n")
    repo.git("config", "include.path", "evil")


def _lose_a_blob(repo: Repo, name: str) -> None:
    """What a partial clone would fetch when it is looked at."""
    oid = repo.git("rev-parse", name)
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()


def _verbs(hostile: Repo) -> Iterator[tuple[str, ...]]:
    """Every command that needs no remote, in an order in which each has something to do."""
    old = hostile.tr.recall("old.txt").results[0].id
    yield ("status",)
    yield "recall", "old.txt"
    yield "recall", "--file", "old.txt"
    yield "read", old
    yield "remember", "Both is edited", "--file", "both.txt", "--file", ".gitattributes"
    yield "remember", "Both is private", "--file", "both.txt", "--private"
    new = hostile.tr.recall("edited").results[0].id
    yield "revise", new, "--outcome", "success"
    yield "revert", new
    yield "link", new, old
    yield "graph", "neighbors", new
    yield "graph", "suggest"
    yield "entities", "extract", "Ada moved src/db.py to Redis", "--store"
    yield "checkpoint", "save", "Here we are"
    yield "checkpoint", "load"
    yield "context", "--task", "edit", "--file", "both.txt"
    yield "prompts", "list"
    yield "gc", "--dry-run"
    yield ("gc",)
    yield "log", "--graph"
    yield "log", new
    yield "diff", "main..main"
    yield ("export",)
    yield ("backfill",)
    yield "import", "--from", "git-notes"
    yield "import", "-"
    yield "hook", "drain"
    yield "forget", new
    yield "redact", new, "--yes"
    yield "maintain", "dedupe", "--apply"
    yield "init", "--no-hooks"
    yield "init", "--dry-run"
    yield ("uninstall",)
    yield ("config",)
    yield ("reindex",)
    yield ("doctor",)


def test_no_verb_starts_a_program_of_the_repository(hostile: Repo, trap: Trap) -> None:
    """Whatever they ask of git, in whichever folder."""
    many = "".join(json.dumps({"content": f"Line {n} of many"}) + "\n" for n in range(60))
    failed, started = {}, {}

    for arguments in _verbs(hostile):
        before = trap.ran()
        done = hostile.cli(*arguments, feed=many if arguments == ("import", "-") else None)
        if done.returncode:
            failed[arguments] = done.stderr
        if trap.ran() != before:
            started[arguments] = set(trap.ran()) - set(before)

    assert started == {}
    assert failed == {}


@pytest.mark.parametrize(
    "event", ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"]
)
def test_no_agents_hook_does(
    hostile: Repo, trap: Trap, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They look at the work tree where a context is compacted, and nobody typed them."""
    monkeypatch.setenv("TREERING_HOOK_SECONDS", "60")
    (hostile.path / ".git" / "treering" / "journal").mkdir()
    told = {"session_id": "1234", "cwd": str(hostile.path), "prompt": "both"}

    hostile.cli("hook", "agent", "claude", event, feed=json.dumps(told))
    _wait_until_idle(hostile)

    assert trap.ran() == []
    if event == "PreCompact":
        (saved,) = (m for m in hostile.tr.exported() if m["type"] == "checkpoint")
        assert "both.txt" in json.dumps(saved)


def _wait_until_idle(repo: Repo) -> None:
    """Whatever a hook writes down, it does after it has answered."""
    until = time.monotonic() + 60
    while _is_anyone_in(repo.path):
        assert time.monotonic() < until
        time.sleep(0.05)


def _is_anyone_in(folder: Path) -> bool:
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink().is_relative_to(folder):
                return True
        except OSError:
            continue
    return False


def test_the_worker_of_the_hooks_does_not(hostile: Repo, trap: Trap) -> None:
    """It captures commits and lets memories follow their branches."""
    journal = hostile.path / ".git" / "treering" / "journal"
    journal.mkdir()
    head = (hostile.path / ".git" / "refs" / "heads" / "main").read_text().strip()
    (journal / "1.0").write_text(f"post-merge\nref: refs/heads/main\n{head}\n0\n.\n")

    done = hostile.cli("hook", "work", "post-merge", "-C", str(hostile.path / ".git"))

    assert done.returncode == 0
    assert not list(journal.iterdir())
    assert trap.ran() == []


def test_no_trial_of_a_merge_does(repo: Repo, tmp_path: Path, trap: Trap) -> None:
    """A file that both sides changed is merged by git itself."""
    lines = [f"{n}\n" for n in range(30)]
    repo.commit_file("both.txt", "".join(lines))
    tip = repo.switch("topic", create=True).commit_file("both.txt", "".join([*lines, "topic\n"]))
    repo.switch("main").commit_file("both.txt", "".join(["main\n", *lines]))
    landed = repo.commit_file("both.txt", "".join(["main\n", *lines, "topic\n"]))
    repo.git("config", "merge.evil.driver", trap.program("driver"))
    (repo.path / ".git" / "info" / "attributes").write_text(ATTRIBUTES)

    merging = TrialMerge(Repository.discover(repo.path))

    assert merging.changes_nothing(landed, tip, time.monotonic() + 60)
    assert trap.ran() == []


@pytest.mark.parametrize(
    "asked",
    [
        ("log", "-1", "refs/heads/signed"),
        ("log", "-p", "-2"),
        ("diff", "HEAD~2", "HEAD"),
        ("diff-tree", "-p", "HEAD~2", "HEAD"),
        ("cat-file", "-p", "HEAD~3:both.txt"),
    ],
    ids=" ".join,
)
def test_no_question_to_git_does(
    repo: Repo, tmp_path: Path, trap: Trap, asked: tuple[str, ...]
) -> None:
    """Whoever asks need not think of signatures, external diffs, or what a partial clone lacks."""
    _live(repo, tmp_path)
    tree = repo.git("rev-parse", "HEAD^{tree}")
    who = "A <a> 1 +0000"
    signed = f"tree {tree}\nauthor {who}\ncommitter {who}\ngpgsig {_SIGNATURE}\n\nx\n"
    oid = repo.git("hash-object", "-t", "commit", "-w", "--stdin", feed=signed)
    repo.git("update-ref", "refs/heads/signed", oid)
    _lose_a_blob(repo, "HEAD~3:both.txt")
    _arm(repo, tmp_path, trap)

    process.ask(repo.path / ".git", *asked)

    assert trap.ran() == []


def test_a_sync_starts_none_but_those_by_which_a_remote_is_reached(
    hostile: Repo, trap: Trap, tmp_path: Path
) -> None:
    """Pushing memories is not pushing code: the user's own pre-push hook is not asked, either."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "origin.git")], check=True)
    hostile.git("config", "remote.origin.url", str(tmp_path / "origin.git"))
    origin = Repo(tmp_path / "origin.git")
    origin.git("config", "user.name", "O")
    origin.git("config", "user.email", "o@example.org")
    tree = origin.git("hash-object", "-t", "tree", "-w", "--stdin", feed="")
    origin.git("update-ref", "refs/heads/main", origin.git("commit-tree", tree, "-m", "begin"))

    pushed = hostile.json("sync", "--remote", "origin")
    subprocess.run(["git", "clone", "-q", tmp_path / "origin.git", tmp_path / "other"], check=True)
    other = Repo(tmp_path / "other")
    other.json("sync")
    other.json("remember", "Said elsewhere", "--branch", "main")
    other.json("sync")
    fetched = hostile.json("sync", "--remote", "origin")

    assert pushed["pushed"]
    assert fetched["fetched"]
    assert trap.ran() == []


def test_a_url_that_is_a_command_is_refused(hostile: Repo, trap: Trap) -> None:
    """Even where the repository allows itself such urls."""
    refused = hostile.error("sync", "--remote", "command")

    assert refused["code"] == "sync_refused"
    assert "'ext' not allowed" in refused["message"]
    assert trap.ran() == []


def test_hooks_that_the_configuration_names_are_switched_off(repo: Repo) -> None:
    """git 2.54 runs them, whatever core.hooksPath says; earlier ones do not know them. The user's
    own settings for this process stay."""
    repo.git("config", "hook.evil=one.command", "echo")
    repo.git("config", "hook.Évil.event", "reference-transaction")

    env = process.without_hooks(repo.path / ".git")

    said = subprocess.run(
        ["git", "config", "--get-regexp", "^hook.*enabled$"],
        cwd=repo.path,
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.splitlines() == ["hook.evil=one.enabled false", "hook.Évil.enabled false"]


def test_settings_for_this_process_stay(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours are put behind what the user gave git by the environment."""
    repo.git("config", "hook.evil.command", "echo")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Grace")

    env = process.without_hooks(repo.path / ".git")

    assert env["GIT_CONFIG_COUNT"] == "2"
    assert env["GIT_CONFIG_KEY_1"] == "hook.evil.enabled"


def test_packing_does_not_begin_where_git_would_ask_a_program(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Since git 2.42 gc has a setting for one that no option takes away."""
    started: list[object] = []
    monkeypatch.setattr(process, "start_detached", lambda *words, **_: started.append(words))

    pack(repo.path / ".git")
    assert len(started) == 1

    repo.git("config", "gc.recentObjectsHook", "echo")
    pack(repo.path / ".git")
    assert len(started) == 1


def test_packing_asks_no_hook(repo: Repo, tmp_path: Path, trap: Trap) -> None:
    """`git gc --auto` has one that may stop it, and moves refs, which others are told of."""
    _live(repo, tmp_path)
    _arm(repo, tmp_path, trap)
    repo.git("config", "--file", ".git/evil", "--unset", "gc.recentObjectsHook")
    _pile_up(repo)

    pack(repo.path / ".git")

    until = time.monotonic() + 60
    while not _packs(repo):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert trap.ran() == []


def _pile_up(repo: Repo) -> None:
    """Loose objects where git looks for how many there are."""
    repo.git("config", "gc.auto", "1")
    repo.git("config", "gc.autoDetach", "false")
    texts = (f"text {n}\n" for n in range(5000))
    many = [text for text in texts if _blob_id(text).startswith("17")]
    assert len(many) > 5
    for text in many:
        repo.git("hash-object", "-w", "--stdin", feed=text)


def _blob_id(text: str) -> str:
    return hashlib.sha1(f"blob {len(text)}\0{text}".encode()).hexdigest()


def _packs(repo: Repo) -> list[Path]:
    return list((repo.path / ".git" / "objects" / "pack").glob("*.pack"))


# --- blob ids of edited files ---------------------------------------------------------------------


@pytest.mark.parametrize("attributes", ["", "* text=auto\n", "* text eol=crlf\n", "*.txt -text\n"])
@pytest.mark.parametrize("autocrlf", ["false", "input", "true"])
@pytest.mark.parametrize("text", [b"a\r\nb\r\n", b"a\nb\n", b"a\r\nb\n", b"a\0\r\n", b"$Id$\r\n"])
def test_an_edited_file_has_the_id_git_would_give_it(
    repo: Repo, attributes: str, autocrlf: str, text: bytes
) -> None:
    """Line ends are git's own business and start no program."""
    repo.git("config", "core.autocrlf", autocrlf)
    (repo.path / ".gitattributes").write_text(attributes)
    (repo.path / "file.txt").write_bytes(text)

    found = Repository.discover(repo.path).hash_file("file.txt")

    assert found == repo.git("hash-object", "file.txt")


@pytest.mark.parametrize("attribute", ["filter=evil", "working-tree-encoding=UTF-16"])
def test_what_only_a_program_could_tell_is_left_as_committed(
    repo: Repo, trap: Trap, attribute: str
) -> None:
    """The file as it lies there is not what is committed for it: with Git LFS it never is."""
    repo.commit_file("model.bin", "pointer\n")
    repo.git("config", "filter.evil.clean", trap.program("clean"))
    (repo.path / ".gitattributes").write_text(f"*.bin {attribute}\n")
    (repo.path / "model.bin").write_text("large\n")

    made = repo.tr.remember("About the model", files=["model.bin"])

    (file,) = repo.tr.read(made.id).files
    assert file.blob == repo.git("rev-parse", "HEAD:model.bin")
    assert trap.ran() == []
