"""`treering init` among other people's hooks: theirs run as before, ours after them."""

import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Repo, make_repo
from treering.capture.journal import HOOKS as EVENTS

SCRIPTS = {
    "sh": '#!/bin/sh\necho user "$@" >> "$LOG"\n',
    "sh that exits": '#!/bin/sh\necho user "$@" >> "$LOG"\nexit 0\necho never\n',
    "bash that execs": '#!/usr/bin/env bash\nexec sh -c \'echo user "$@" >> "$LOG"\' "$0" "$@"\n',
    "strict sh": '#!/bin/sh -eu\necho user "$@" >> "$LOG"\n',
    "no first line": 'echo user "$@" >> "$LOG"\n',
    "no last line end": '#!/bin/sh\necho user "$@" >> "$LOG"',
    "python": (
        "#!/usr/bin/env python3\nimport os, sys\n"
        "open(os.environ['LOG'], 'a').write(' '.join(['user', *sys.argv[1:]]) + '\\n')\n"
    ),
    "knows its name": "#!/usr/bin/env python3\nimport os, sys\n"
    "assert os.path.basename(sys.argv[0]) == 'post-checkout'\n"
    "open(os.environ['LOG'], 'a').write(' '.join(['user', *sys.argv[1:]]) + '\\n')\n",
}


class Hooked(Repo):
    """A repository whose hooks note in a log that they ran."""

    def __init__(self, path: Path, log: Path) -> None:
        super().__init__(path)
        self.log_file = log

    @property
    def hooks(self) -> Path:
        return self.path / ".git" / "hooks"

    def hook(self, name: str, script: str, folder: Path | None = None, mode: int = 0o755) -> Path:
        path = (folder or self.hooks) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(script.encode())
        path.chmod(mode)
        return path

    def log_lines(self) -> list[str]:
        return self.log_file.read_text().splitlines() if self.log_file.exists() else []

    def events(self) -> list[list[str]]:
        """What our hooks wrote down, oldest first."""
        files = sorted(
            (self.path / ".git/treering/journal").glob("*"), key=lambda p: p.stat().st_mtime_ns
        )
        return [file.read_text().splitlines() for file in files]

    def event_names(self) -> list[str]:
        return [event[0] for event in self.events()]


@pytest.fixture
def hooked(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hooked:
    """With no worker to empty the journal behind a test's back."""
    made = Hooked(repo.path, tmp_path / "log")
    made.now = repo.now
    monkeypatch.setenv("LOG", str(made.log_file))
    return made


def _without_worker(repo: Repo) -> None:
    common = repo.git("rev-parse", "--path-format=absolute", "--git-common-dir")
    Path(common, "treering", "worker").write_text(f"{shutil.which('true')}\n")


def _init(repo: Repo, *options: str):
    done = repo.json("init", *options)
    if "--dry-run" not in options:
        _without_worker(repo)
    return done


def _state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Everything in a folder: bytes or link target, and mode."""
    return {
        str(path.relative_to(folder)): (
            str(path.readlink()).encode() if path.is_symlink() else path.read_bytes(),
            stat.S_IMODE(path.lstat().st_mode),
        )
        for path in _files(folder)
    }


def _files(folder: Path) -> Iterator[Path]:
    return (p for p in sorted(folder.rglob("*")) if p.is_symlink() or p.is_file())


def _as_found(repo: Hooked) -> tuple[object, ...]:
    return _state(repo.hooks), (repo.path / ".git" / "config").read_bytes()


def test_init_installs_every_hook_and_git_runs_them(hooked: Hooked):
    """The plain case."""
    done = _init(hooked)
    hooked.commit_file("a.txt")

    assert done["hooks"] == list(EVENTS)
    assert hooked.event_names() == ["post-commit"]
    assert hooked.json("status")["hooks"] == {"installed": list(EVENTS)}


def test_init_twice_changes_nothing_the_second_time(hooked: Hooked):
    """People put it in set-up scripts."""
    hooked.hook("post-commit", SCRIPTS["sh"])
    _init(hooked)
    once = _as_found(hooked)

    again = _init(hooked)

    assert (again["hooks"], again["config"], again["clients"]) == ([], [], [])
    assert _as_found(hooked) == once


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_hook_that_is_there_runs_as_before_and_comes_back_as_it_was(hooked: Hooked, kind):
    """Same arguments, whatever it is written in and however it ends."""
    hooked.hook("post-checkout", SCRIPTS[kind], mode=0o750)
    found = _as_found(hooked)

    _init(hooked)
    head = hooked.git("rev-parse", "HEAD")
    hooked.switch("side", create=True)
    lines, events = hooked.log_lines(), hooked.event_names()
    hooked.json("uninstall")

    assert lines == [f"user {head} {head} 1"]
    assert events == ["post-checkout"]
    assert _as_found(hooked) == found


@pytest.mark.parametrize("kind", ["sh", "python"])
def test_standard_input_reaches_both_hooks(hooked: Hooked, kind, tmp_path: Path):
    """post-rewrite and pre-push are told on standard input, which can be read only once."""
    script = {
        "sh": '#!/bin/sh\ncat >> "$LOG"\n',
        "python": "#!/usr/bin/env python3\nimport os, sys\n"
        "open(os.environ['LOG'], 'a').write(sys.stdin.read())\n",
    }[kind]
    hooked.hook("post-rewrite", script)
    _init(hooked)

    old = hooked.git("rev-parse", "HEAD")
    hooked.git("commit", "-q", "--amend", "-m", "other")
    new = hooked.git("rev-parse", "HEAD")

    assert hooked.log_lines() == [f"{old} {new}"]
    (rewrite,) = [event for event in hooked.events() if event[0] == "post-rewrite"]
    assert rewrite[-2:] == [f"{old} {new}", "."]


def test_a_hook_that_does_not_read_its_input_is_not_disturbed(hooked: Hooked, new_repo):
    """A pipe nobody reads from must not end in noise or failure."""
    hooked.hook("pre-push", "#!/bin/sh\nexec true\n")
    _init(hooked)
    remote = new_repo("remote.git")
    hooked.git("remote", "add", "origin", str(remote.path))

    done = subprocess.run(
        ["git", "push", "-q", "origin", "main:other"],
        cwd=hooked.path,
        capture_output=True,
        check=True,
    )

    assert done.stderr == b""
    assert hooked.event_names() == ["pre-push"]


def test_a_push_the_users_hook_refuses_stays_refused(hooked: Hooked, new_repo):
    """Its exit code is git's; and nothing happened, so nothing is noted."""
    hooked.hook("pre-push", "#!/bin/sh\nexit 7\n")
    _init(hooked)
    remote = new_repo("remote.git")

    done = subprocess.run(
        ["git", "push", "-q", str(remote.path), "main:x"], cwd=hooked.path, check=False
    )

    assert done.returncode != 0
    assert hooked.event_names() == []


def test_a_failing_hook_fails_with_its_own_code(hooked: Hooked):
    """git prints nothing about post-commit's exit code, but scripts call hooks, too."""
    path = hooked.hook("post-commit", "#!/bin/sh\nexit 3\n")
    _init(hooked)

    done = subprocess.run([path], cwd=hooked.path, check=False)

    assert done.returncode == 3
    assert hooked.event_names() == ["post-commit"]


def test_a_hook_that_commits_does_not_confuse_ours(hooked: Hooked):
    """The mark that tells the two passes apart must not reach git started by the user's hook."""
    script = (
        '#!/bin/sh\necho user >> "$LOG"\n[ -e made ] || { : > made; git add made; '
        "unset GIT_INDEX_FILE; git commit -q -m inner; }\n"
    )
    hooked.hook("post-commit", script)
    _init(hooked)

    hooked.commit_file("a.txt")

    assert hooked.log_lines() == ["user", "user"]
    assert hooked.event_names() == ["post-commit", "post-commit"]


def test_a_link_is_not_written_through(hooked: Hooked):
    """`post-commit -> ../../scripts/hook` is a tracked file; its name and place count, too."""
    script = hooked.hook("hook", '#!/bin/sh\necho "${0##*/}" >> "$LOG"\n', hooked.path / "scripts")
    (hooked.hooks / "post-commit").symlink_to("../../scripts/hook")
    before, found = script.read_bytes(), _as_found(hooked)

    _init(hooked)
    hooked.commit_file("a.txt")
    lines, events = hooked.log_lines(), hooked.event_names()
    hooked.json("uninstall")

    assert script.read_bytes() == before
    assert (lines, events) == (["post-commit"], ["post-commit"])
    assert _as_found(hooked) == found


def test_a_hook_that_was_switched_off_stays_off(hooked: Hooked):
    """Without the executable bit git does not run it; nor does anything of ours."""
    hooked.hook("post-commit", SCRIPTS["sh"], mode=0o644)
    found = _as_found(hooked)

    _init(hooked)
    hooked.commit_file("a.txt")
    lines, events = hooked.log_lines(), hooked.event_names()
    hooked.json("uninstall")

    assert (lines, events) == ([], ["post-commit"])
    assert _as_found(hooked) == found


def test_edits_made_after_init_survive_uninstall(hooked: Hooked):
    """Someone adds a line to their hook, and one to a file that was ours alone."""
    mine = hooked.hook("post-commit", SCRIPTS["sh"])
    _init(hooked)
    mine.write_bytes(mine.read_bytes() + b"echo more\n")
    ours = hooked.hooks / "post-merge"
    ours.write_bytes(ours.read_bytes() + b"echo merged\n")

    hooked.json("uninstall")

    assert mine.read_text() == SCRIPTS["sh"] + "echo more\n"
    assert ours.read_text() == "#!/bin/sh\necho merged\n"
    assert not (hooked.hooks / "pre-push").exists()


def test_dry_run_changes_nothing(hooked: Hooked):
    """Not even a folder."""
    hooked.hook("post-commit", SCRIPTS["python"])
    found = _as_found(hooked)

    planned = _init(hooked, "--dry-run", "--sync")

    assert planned["dry_run"]
    assert planned["hooks"] == list(EVENTS)
    assert any(line.startswith("core.hooksPath=") for line in planned["config"])
    assert _as_found(hooked) == found
    assert not (hooked.path / ".git" / "treering").exists()


def test_no_hooks_leaves_hooks_alone(hooked: Hooked):
    """Configuration and clients, for those who want no hooks."""
    found = _state(hooked.hooks)

    done = _init(hooked, "--no-hooks")

    assert done["hooks"] == []
    assert _state(hooked.hooks) == found


# --- hook managers --------------------------------------------------------------------------------

PRE_COMMIT = """\
#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
# ID: 138fd403232d2ddd5efb44317e38bf03
HERE="$(cd "$(dirname "$0")" && pwd)"
[ -x "$HERE/post-commit.legacy" ] && "$HERE/post-commit.legacy" "$@"
exec sh -c 'echo pre-commit "$@" >> "$LOG"' --
"""
LEFTHOOK = """\
#!/bin/sh
if [ "$LEFTHOOK" = "0" ]; then exit 0; fi
call_lefthook() { echo lefthook "$@" >> "$LOG"; }
call_lefthook run "post-commit" "$@"
"""


def test_pre_commit_installed_before(hooked: Hooked):
    """It knows its script by its text and place, and ends in exec: it stays where it is."""
    hooked.hook("post-commit", PRE_COMMIT)
    found = _as_found(hooked)

    _init(hooked)
    hooked.commit_file("a.txt")
    lines, events = hooked.log_lines(), hooked.event_names()
    assert "generated by pre-commit" in (hooked.hooks / "post-commit").read_text()
    hooked.json("uninstall")

    assert (lines, events) == (["pre-commit"], ["post-commit"])
    assert _as_found(hooked) == found


def test_pre_commit_installed_after(hooked: Hooked):
    """It moves our hook to post-commit.legacy and runs it from there: once, and under our name."""
    _init(hooked)
    (hooked.hooks / "post-commit").rename(hooked.hooks / "post-commit.legacy")
    hooked.hook("post-commit", PRE_COMMIT)

    again = _init(hooked)
    hooked.commit_file("a.txt")
    installed = hooked.json("status")["hooks"]["installed"]
    lines, events = hooked.log_lines(), hooked.event_names()
    hooked.json("uninstall")

    assert again["hooks"] == []
    assert (lines, events) == (["pre-commit"], ["post-commit"])
    assert "post-commit" in installed
    assert (hooked.hooks / "post-commit").read_text() == PRE_COMMIT
    assert not (hooked.hooks / "post-commit.legacy").exists()


def test_lefthook_writes_its_hooks_anew(hooked: Hooked):
    """Its own file comes back without our block: doctor says so, and init puts it back."""
    hooked.hook("post-commit", LEFTHOOK)
    _init(hooked)
    hooked.hook("post-commit", LEFTHOOK)

    found = [f for f in hooked.tr.doctor(dry_run=True).findings if f.code == "hooks-lost"]
    again = _init(hooked)
    hooked.commit_file("a.txt")
    lines, events = hooked.log_lines(), hooked.event_names()
    hooked.json("uninstall")

    assert ["post-commit" in finding.message for finding in found] == [True]
    assert again["hooks"] == ["post-commit"]
    assert (lines, events) == (["lefthook run post-commit"], ["post-commit"])
    assert (hooked.hooks / "post-commit").read_text() == LEFTHOOK


def test_lefthook_moves_ours_aside(hooked: Hooked):
    """What it found in its way becomes post-commit.old, which nobody runs and uninstall removes."""
    _init(hooked)
    (hooked.hooks / "post-commit").rename(hooked.hooks / "post-commit.old")
    hooked.hook("post-commit", LEFTHOOK)

    again = _init(hooked)
    hooked.json("uninstall")

    assert again["hooks"] == ["post-commit"]
    assert (hooked.hooks / "post-commit").read_text() == LEFTHOOK
    assert not (hooked.hooks / "post-commit.old").exists()


HUSKY = """\
#!/usr/bin/env sh
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
sh -e "$s" "$@"
exit $?
"""


def test_husky_is_explained_and_not_written(hooked: Hooked):
    """core.hooksPath is in the work tree: tracked files, or made anew by every npm install."""
    folder = hooked.path / ".husky" / "_"
    hooked.hook("post-commit", HUSKY, folder)
    user = hooked.hook("post-commit", 'echo husky >> "$LOG"\n', folder.parent, mode=0o644)
    hooked.git("config", "core.hooksPath", ".husky/_")
    before = _state(folder.parent)

    done = _init(hooked)
    (note,) = [note for note in done["notes"] if "core.hooksPath" in note]
    assert (done["hooks"], _state(folder.parent)) == ([], before)
    line = note[note.index("sh ") :]
    user.write_text(user.read_text() + line + "\n")
    hooked.commit_file("a.txt")

    assert hooked.log_lines() == ["husky"]
    assert hooked.event_names() == ["post-commit"]
    assert hooked.json("status")["hooks"]["installed"] == ["post-commit"]


def test_husky_with_force_gets_a_block(hooked: Hooked):
    """On demand, and gone again afterwards."""
    folder = hooked.path / ".husky" / "_"
    hooked.hook("post-commit", HUSKY, folder)
    hooked.hook("post-commit", 'echo husky "$@" >> "$LOG"\n', folder.parent, mode=0o644)
    hooked.git("config", "core.hooksPath", ".husky/_")
    before = _state(folder.parent)

    done = _init(hooked, "--force")
    hooked.commit_file("a.txt")
    lines, events = hooked.log_lines(), hooked.event_names()
    hooked.json("uninstall")

    assert done["hooks"] == list(EVENTS)
    assert (lines, events) == (["husky"], ["post-commit"])
    assert _state(folder.parent) == before


# --- hooks paths ----------------------------------------------------------------------------------


def test_a_hooks_path_inside_the_git_dir_is_written(hooked: Hooked):
    """Absolute or relative, it is this repository's own."""
    folder = hooked.path / ".git" / "my-hooks"
    hooked.git("config", "core.hooksPath", ".git/my-hooks")

    done = _init(hooked)
    hooked.commit_file("a.txt")
    hooked.git("config", "core.hooksPath", str(folder))
    hooked.commit_file("b.txt")
    events = hooked.event_names()
    hooked.json("uninstall")

    assert done["hooks"] == list(EVENTS)
    assert events == ["post-commit", "post-commit"]
    assert not folder.exists()


@pytest.fixture
def shared_hooks(hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of hooks for all repositories, as in `git config --global core.hooksPath`."""
    folder = tmp_path / "githooks"
    for name in ("post-commit", "pre-commit", "commit-msg", "reference-transaction"):
        hooked.hook(name, f'#!/bin/sh\necho {name} >> "$LOG"\n', folder)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n\thooksPath = {folder}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    return folder


def test_shared_hooks_are_never_written_and_all_still_run(hooked: Hooked, shared_hooks: Path):
    """Writing there would install us in every repository of the user."""
    before, config = _state(shared_hooks), (hooked.path / ".git" / "config").read_bytes()

    done = _init(hooked)
    hooked.commit_file("a.txt")
    lines, events = hooked.log_lines(), hooked.event_names()
    again = _init(hooked)
    assert hooked.json("status")["hooks"]["installed"] == list(EVENTS)
    hooked.json("uninstall")

    assert _state(shared_hooks) == before
    assert done["hooks"] == list(EVENTS)
    assert any(str(shared_hooks) in note for note in done["notes"])
    assert [again["hooks"], again["config"]] == [[], []]
    assert {"pre-commit", "commit-msg", "post-commit", "reference-transaction"} == set(lines)
    assert events == ["post-commit"]
    assert (hooked.path / ".git" / "config").read_bytes() == config
    assert not (hooked.path / ".git" / "treering" / "hooks").exists()


def test_a_shared_hook_added_later_runs_too(hooked: Hooked, shared_hooks: Path):
    """For every hook whose absence and silence are the same to git."""
    _init(hooked)
    hooked.hook("prepare-commit-msg", '#!/bin/sh\necho later >> "$LOG"\n', shared_hooks)

    hooked.commit_file("a.txt")

    assert "later" in hooked.log_lines()
    names = {path.name for path in (hooked.path / ".git/treering/hooks").iterdir()}
    assert "push-to-checkout" not in names, "its mere presence changes what git does"


def test_a_refusing_shared_hook_still_refuses(hooked: Hooked, shared_hooks: Path):
    """A gate that is silently opened is worse than no memory."""
    hooked.hook("pre-commit", "#!/bin/sh\nexit 1\n", shared_hooks)
    _init(hooked)

    done = subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "x"], cwd=hooked.path, check=False
    )

    assert done.returncode == 1


def test_a_local_hooks_path_outside_comes_back(hooked: Hooked, shared_hooks: Path, tmp_path: Path):
    """Set for this repository alone: our value takes its place, and gives it back."""
    mine = tmp_path / "mine"
    hooked.hook("post-commit", '#!/bin/sh\necho mine >> "$LOG"\n', mine)
    hooked.git("config", "core.hooksPath", str(mine))

    _init(hooked)
    hooked.commit_file("a.txt")
    lines = hooked.log_lines()
    hooked.json("uninstall")

    assert lines == ["mine"]
    assert hooked.git("config", "core.hooksPath") == str(mine)


def test_a_moved_repository_is_put_right_by_init(
    hooked: Hooked, shared_hooks: Path, tmp_path: Path
):
    """git wants a full path in core.hooksPath, and it names where the repository was."""
    _init(hooked)
    moved = Hooked(hooked.path.rename(tmp_path / "moved"), hooked.log_file)
    assert [f.code for f in moved.tr.doctor(dry_run=True).findings] == ["hooks-lost"]

    _init(moved)
    moved.commit_file("a.txt")
    lines, events = moved.log_lines(), moved.event_names()
    moved.json("uninstall")

    assert "pre-commit" in lines
    assert events == ["post-commit"]
    assert "hookspath" not in (moved.path / ".git" / "config").read_text().lower()


def test_what_is_ours_is_found_without_the_record_of_it(hooked: Hooked, shared_hooks: Path):
    """Someone cleans up in the git directory: hooks still run, and uninstall still works."""
    _init(hooked)
    (hooked.path / ".git" / "treering" / "init.json").unlink()

    again = _init(hooked)
    hooked.commit_file("a.txt")
    lines = hooked.log_lines()
    hooked.json("uninstall")

    assert again["hooks"] == []
    assert "pre-commit" in lines
    assert not (hooked.path / ".git" / "treering" / "hooks").exists()
    assert "hookspath" not in (hooked.path / ".git" / "config").read_text().lower()


def test_a_path_with_spaces_and_quotes(hooked: Hooked, tmp_path: Path):
    """Nothing of a path is ever run."""
    folder = tmp_path / "it's $(touch oops) a\nfolder"
    hooked.hook("post-commit", '#!/bin/sh\necho mine >> "$LOG"\n', folder)
    hooked.git("config", "core.hooksPath", str(folder))

    _init(hooked)
    hooked.commit_file("a.txt")
    again = _init(hooked)

    assert hooked.log_lines() == ["mine"]
    assert again["hooks"] == []
    assert not list(tmp_path.rglob("oops"))


# --- shapes of repositories -----------------------------------------------------------------------


def test_worktrees_share_hooks(hooked: Hooked, tmp_path: Path):
    """Installed from a linked work tree, run in all of them."""
    hooked.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")

    done = _init(side)
    side.commit_file("b.txt")
    hooked.commit_file("a.txt")

    assert done["hooks"] == list(EVENTS)
    assert [event[:2] for event in hooked.events()] == [
        ["post-commit", "ref: refs/heads/side"],
        ["post-commit", "ref: refs/heads/main"],
    ]


def test_worktrees_behind_shared_hooks(hooked: Hooked, shared_hooks: Path, tmp_path: Path):
    """A relative core.hooksPath would mean another folder in each work tree."""
    hooked.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    _init(hooked)
    hooked.log_file.unlink()

    side.commit_file("b.txt")

    assert hooked.log_lines().count("post-commit") == 1
    assert hooked.event_names() == ["post-commit"]


def test_a_bare_repository_with_work_trees(tmp_path: Path, repo: Repo):
    """A common way to keep many work trees."""
    subprocess.run(
        ["git", "clone", "-q", "--bare", str(repo.path), str(tmp_path / "b.git")], check=True
    )
    bare = Repo(tmp_path / "b.git")
    bare.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))

    done = _init(bare)
    side = Repo(tmp_path / "side")
    side.git("config", "user.name", "A")
    side.git("config", "user.email", "a@b")
    side.commit_file("a.txt")

    assert done["hooks"] == list(EVENTS)
    assert len(list((bare.path / "treering" / "journal").iterdir())) == 1
    assert repo.error("-C", str(bare.path), "init", "--client", "claude")["code"] == "invalid"


def test_a_submodule_is_a_repository_of_its_own(hooked: Hooked, tmp_path: Path):
    """Its hooks and journal lie below modules/ of the outer one."""
    inner = make_repo(tmp_path / "inner")
    inner.commit_file("i.txt")
    hooked.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    sub = Repo(hooked.path / "sub")
    sub.git("config", "user.name", "A")
    sub.git("config", "user.email", "a@b")

    _init(sub)
    sub.commit_file("s.txt")

    assert len(list((hooked.path / ".git/modules/sub/treering/journal").iterdir())) == 1
    assert not (hooked.path / ".git" / "treering").exists()
