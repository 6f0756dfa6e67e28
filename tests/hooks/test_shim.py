"""The shims: what they note, in which shells, and that git never notices them."""

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from conftest import ADA, Repo, make_repo
from hooked import PRESENT, SHELLS, Hooked
from treering.capture.journal import HOOKS, shim, shims_folder
from treering.errors import Invalid

ZERO = "0" * 40


@pytest.fixture(params=PRESENT)
def shell(request) -> str:
    return request.param


def test_shells_that_are_missing_are_said() -> None:
    """A shim that was never run under a shell is not known to work there."""
    missing = [name for name, path in SHELLS.items() if not path]
    if missing:
        pytest.skip(f"NOT TESTED under {', '.join(missing)}: not installed")


def test_one_text_under_every_name() -> None:
    """The name says which event it is, so nothing has to be generated."""
    texts = {shim(name) for name in HOOKS}

    assert len(texts) == 1
    others = ("shim", "reference-transaction")  # the latter only with treering.sync = wait
    assert sorted(p.name for p in shims_folder().iterdir()) == sorted([*HOOKS, *others])
    with pytest.raises(Invalid):
        shim("pre-commit")


def test_wheel_ships_the_shims(tmp_path) -> None:
    """Installed and from source, the same bytes are found."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path),
         str(Path(__file__).parents[2])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"NOT TESTED, no wheel can be built here: {done.stderr[-300:]}")
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")

    found = subprocess.run(
        [sys.executable, "-c",
         "from treering.capture.journal import *; import sys;"
         "print(shims_folder()); sys.stdout.flush(); sys.stdout.buffer.write(shim('pre-push'))"],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")}, capture_output=True, check=True,
    ).stdout  # fmt: skip

    folder, _, text = found.partition(b"\n")
    assert Path(folder.decode()).is_relative_to(tmp_path / "site")
    assert text == shim("pre-push")


# --- what is noted --------------------------------------------------------------------------------


@pytest.fixture
def noted(repo, shell) -> Hooked:
    """Hooks run by one shell, with a worker that does nothing."""
    return Hooked(repo.path / ".git").install(worker="/bin/true", shell=shell)


def test_commit_is_noted(repo, noted) -> None:
    commit = repo.commit_file("a.txt")

    assert noted.events() == [("post-commit", "ref: refs/heads/main", commit)]


def test_amend_is_noted_with_both_commits(repo, noted) -> None:
    old = repo.commit_file("a.txt")
    repo.git("commit", "-q", "--amend", "-m", "better")
    new = repo.git("rev-parse", "HEAD")

    head = ("ref: refs/heads/main", new)
    assert noted.events()[1:] == [
        ("post-commit", *head),
        ("post-rewrite", *head, "amend", f"{old} {new}"),
    ]


def test_rebase_is_noted_once_however_many_commits_it_replays(repo, noted) -> None:
    """What is replayed may yet be thrown away, and the end tells of all of it."""
    repo.switch("feature", create=True)
    olds = [repo.commit_file(f"f{n}.txt") for n in range(12)]
    repo.switch("main").commit_file("m.txt")
    repo.switch("feature")
    before = len(noted.events())

    repo.git("rebase", "-q", "main")

    (event,) = noted.events()[before:]
    tip = repo.git("rev-parse", "HEAD")
    assert event[:4] == ("post-rewrite", "ref: refs/heads/feature", tip, "rebase")
    assert [line.split()[0] for line in event[4:]] == olds


def test_rebase_by_the_other_backend_is_noted_once(repo, noted) -> None:
    repo.switch("feature", create=True).commit_file("f.txt")
    repo.switch("main").commit_file("m.txt")
    repo.switch("feature")
    before = len(noted.events())

    repo.git("rebase", "-q", "--apply", "main")

    names = [event[0] for event in noted.events()[before:]]
    assert names == ["post-checkout", "post-rewrite"]  # the first before anything is replayed


def test_merge_checkout_and_push_are_noted(repo, noted, tmp_path) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.switch("feature", create=True)
    tip = repo.commit_file("f.txt")
    repo.switch("main")
    repo.git("merge", "-q", "--ff-only", "feature")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "far.git")], check=True)
    repo.git("remote", "add", "origin", str(tmp_path / "far.git"))
    repo.git("push", "-q", "origin", "main")

    main = "ref: refs/heads/main"
    pushed = f"refs/heads/main {tip} refs/heads/main {ZERO}"
    assert noted.events() == [
        ("post-checkout", "ref: refs/heads/feature", first, first, first, "1"),
        ("post-commit", "ref: refs/heads/feature", tip),
        ("post-checkout", main, first, tip, first, "1"),
        ("post-merge", main, tip, "0"),
        ("pre-push", main, tip, "origin", str(tmp_path / "far.git"), pushed),
    ]


def test_checking_out_files_is_nothing(repo, noted) -> None:
    repo.git("checkout", "-q", "--", "README.md")

    assert noted.events() == []


def test_detached_head_is_noted_as_it_is(repo, noted) -> None:
    repo.git("checkout", "-q", "--detach")
    commit = repo.commit_file("a.txt")

    assert noted.events()[-1] == ("post-commit", commit, commit)


def test_packed_ref_leaves_the_commit_to_the_drainer(repo, noted) -> None:
    repo.git("branch", "other")
    repo.git("pack-refs", "--all")

    repo.switch("other")

    (event,) = noted.events()
    assert event[:3] == ("post-checkout", "ref: refs/heads/other", "")


HOSTILE = [
    "feature/ünïcode-名前",
    "$(touch${IFS}pwned)",
    "`touch${IFS}pwned`",
    "a;touch${IFS}pwned;b",
    "-n",
    'it\'s-"quoted"',
    "%s%n%d",
    "a&b|c>d",
    "x" * 200,
]


@pytest.mark.parametrize("branch", HOSTILE)
def test_hostile_branch_names_are_noted_and_do_nothing(repo, noted, branch) -> None:
    """Names come from anyone whose repository is fetched."""
    repo.git("update-ref", f"refs/heads/{branch}", "HEAD")
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    commit = repo.commit_file("a.txt")

    assert noted.events() == [("post-commit", f"ref: refs/heads/{branch}", commit)]
    assert not list(repo.path.rglob("pwned"))


def test_worktrees_note_in_the_common_journal(repo, noted, tmp_path) -> None:
    place = tmp_path / "work tree ü"
    repo.git("worktree", "add", "-q", "-b", "side", str(place))
    side = Repo(place)
    side.now = repo.now
    commit = side.commit_file("a.txt")

    assert noted.events()[-1] == ("post-commit", "ref: refs/heads/side", commit)


def _as_ada(repo: Repo) -> Repo:
    repo.git("config", "user.name", ADA.name)
    repo.git("config", "user.email", ADA.email)
    return repo


def test_worktree_of_a_bare_repository(tmp_path, repo, shell) -> None:
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = _as_ada(Repo(tmp_path / "bare.git"))
    bare.git("worktree", "add", "-q", str(tmp_path / "side"), "main")
    hooks = Hooked(bare.path).install("/bin/true", shell)
    commit = Repo(tmp_path / "side").commit_file("a.txt")
    bare.git("push", "-q", str(repo.path), "main:copy")

    assert [(e[0], e[2]) for e in hooks.events()] == [("post-commit", commit), ("pre-push", commit)]


def test_submodule_has_a_journal_of_its_own(tmp_path, repo, shell) -> None:
    outer = make_repo(tmp_path / "outer")
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.path), "s"
    )
    inner = _as_ada(Repo(outer.path / "s"))
    hooks = Hooked(outer.path / ".git" / "modules" / "s").install("/bin/true", shell)
    commit = inner.commit_file("a.txt")

    assert hooks.events() == [("post-commit", "ref: refs/heads/main", commit)]


def test_git_dir_elsewhere_and_spaces_in_paths(tmp_path, shell) -> None:
    (tmp_path / "work dir").mkdir()
    made = make_repo(tmp_path / "work dir" / "ä b", f"--separate-git-dir={tmp_path / 'git dir'}")
    hooks = Hooked(tmp_path / "git dir").install("/bin/true", shell)
    (made.path / "sub").mkdir()
    sub = Repo(made.path / "sub")
    commit = sub.commit_file("a.txt")

    assert hooks.events() == [("post-commit", "ref: refs/heads/main", commit)]


def test_names_in_use_are_passed_over(repo, noted, tmp_path) -> None:
    """Containers that share a repository have the same pids."""
    script = tmp_path / "hook"
    script.write_text(
        f'for n in 0 1 2; do echo mine >"{noted.folder}/journal/$$.$n"; done\n'
        f'. "{noted.hooks}/post-commit"\n'
    )
    subprocess.run(["sh", str(script)], cwd=repo.path, check=True)

    names = sorted(path.name.partition(".")[2] for path in (noted.folder / "journal").iterdir())
    assert names == ["0", "1", "2", "3"]


def test_variables_of_the_environment_change_nothing(repo, noted) -> None:
    repo.git("branch", "other")
    repo.git("pack-refs", "--all")
    names = dict.fromkeys(("head", "commit", "pid", "worker", "line", "n", "event"), "planted")

    subprocess.run(
        ["git", "switch", "-q", "other"], cwd=repo.path, env=os.environ | names, check=True
    )

    assert noted.events()[0][:3] == ("post-checkout", "ref: refs/heads/other", "")


# --- git does not notice --------------------------------------------------------------------------


def _commit(repo: Repo, name: str) -> subprocess.CompletedProcess[str]:
    (repo.path / name).write_text("x\n")
    repo.git("add", name)
    return subprocess.run(
        ["git", "commit", "-q", "-m", name], cwd=repo.path, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(
    "worker",
    ["#!/bin/sh\nexec sleep 300\n", "#!/bin/sh\necho loud; echo loud >&2; exit 7\n", "garbage", ""],
    ids=["hangs", "fails loudly", "no program", "missing"],
)
def test_broken_workers_cost_git_nothing(repo, shell, tmp_path, worker) -> None:
    """A captured `git commit` waits for whoever holds its output; it must not be us."""
    program = tmp_path / "worker"
    if worker:
        program.write_text(worker)
        program.chmod(0o755)
    hooks = Hooked(repo.path / ".git").install(program, shell)

    results = [_commit(repo, f"f{n}") for n in range(3)]

    assert {(r.returncode, r.stdout, r.stderr) for r in results} == {(0, "", "")}
    assert hooks.journal.pending() == 3
    _end(hooks)


def _end(hooks: Hooked) -> None:
    try:
        os.kill(int((hooks.folder / "worker.pid").read_text()), 9)
    except (OSError, ValueError):
        return


def test_hanging_worker_is_not_started_again(repo, tmp_path) -> None:
    """One process that never ends is bad luck, one for each commit is a full machine."""
    program = tmp_path / "worker"
    program.write_text(f"#!/bin/sh\necho started >>{tmp_path}/count\nexec sleep 300\n")
    program.chmod(0o755)
    hooks = Hooked(repo.path / ".git").install(program)

    for n in range(5):
        assert _commit(repo, f"f{n}").returncode == 0

    _until(lambda: (tmp_path / "count").exists())
    assert (tmp_path / "count").read_text().splitlines() == ["started"]
    _end(hooks)


def _until(holds) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_no_journal_means_nothing_is_done(repo, noted) -> None:
    (noted.folder / "journal").rmdir()

    assert _commit(repo, "a").returncode == 0
    assert sorted(path.name for path in noted.folder.iterdir()) == ["worker"]


def test_journal_that_cannot_be_written_does_not_matter(repo, noted) -> None:
    if os.geteuid() == 0:
        (noted.folder / "journal").rmdir()
        (noted.folder / "journal").symlink_to("/proc")  # not even root may write there
    else:
        (noted.folder / "journal").chmod(0o500)

    done = _commit(repo, "a")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_checkout_keeps_its_exit_code(repo, noted) -> None:
    """git passes post-checkout's exit code on as its own."""
    repo.git("branch", "other")

    done = subprocess.run(["git", "switch", "-q", "other"], cwd=repo.path, check=False)
    failed = subprocess.run(
        ["git", "switch", "-q", "nowhere"], cwd=repo.path, check=False, capture_output=True
    )

    assert (done.returncode, failed.returncode) == (0, 128)


def test_worker_starts_no_worker(repo, noted) -> None:
    subprocess.run(
        [str(noted.hooks / "post-commit")], cwd=repo.path, check=True,
        env=os.environ | {"TREERING_WORKER": "1"},
    )  # fmt: skip

    assert noted.events() == []


def test_worker_is_told_the_event_and_the_common_dir(repo, tmp_path, shell) -> None:
    program = tmp_path / "worker here"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{tmp_path}/told"\n')
    program.chmod(0o755)
    Hooked(repo.path / ".git").install(program, shell)

    _commit(repo, "a")

    _until(
        lambda: (tmp_path / "told").exists() and (tmp_path / "told").read_text().count("\n") == 5
    )
    told = (tmp_path / "told").read_text().split()
    assert told == ["hook", "work", "post-commit", "-C", str(repo.path / ".git")]


def test_worker_is_not_told_of_a_worktree_that_may_be_gone(repo, tmp_path, shell) -> None:
    """`git commit`, then `git worktree remove` at once: the worker starts after that."""
    program = tmp_path / "worker"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>"{tmp_path}/told"\n')
    program.chmod(0o755)
    Hooked(repo.path / ".git").install(program, shell)

    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))

    _until(
        lambda: (tmp_path / "told").exists() and (tmp_path / "told").read_text().count("\n") == 5
    )
    told = (tmp_path / "told").read_text().split()
    assert told == ["hook", "work", "post-checkout", "-C", str(repo.path / ".git")]
