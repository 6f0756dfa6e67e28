"""A throw-away repository on a bad day, real processes, and an independent judge.

Shared by the fault tests and by benchmarks/reliability. The judge never asks treering: it reads the
refs with `git ls-tree` and the objects with `git fsck`.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE, CompletedProcess
from typing import Any

import forking

TREERING = Path(sys.executable).with_name("treering")
WRITER = Path(__file__).with_name("writer.py")
HEADS = "refs/treering/heads/"


class NotHere(Exception):
    """This machine lacks what a trial needs; the message says what."""


def environment(folder: Path) -> dict[str, str]:
    """An environment without the machine's own git settings; bug logs would land in `bugs`."""
    (folder / "home").mkdir()
    (folder / "bugs").mkdir()
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("GIT_", "TREERING_", "XDG_"))
    }
    return kept | {
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "bugs"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Ada Lovelace",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada Lovelace",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }


class Writer:
    """A running writer.py; `say` hands it work, `acknowledged` is what it answered."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WRITER), str(folder)],
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=env,
            text=True,
        )
        self.acknowledged: list[str] = []
        self.errors: list[str] = []

    def wait_until_ready(self) -> None:
        line = self.process.stdout.readline()
        assert line == "ready\n", self.process.communicate()[1]

    def say(self, *lines: tuple[str, str]) -> None:
        self.process.stdin.write("".join(f"{branch}\t{content}\n" for branch, content in lines))
        self.process.stdin.flush()

    def hear(self) -> str:
        """One answer; an id counts as acknowledged."""
        return self._take(self.process.stdout.readline())

    def finish(self) -> None:
        out, err = self.process.communicate(timeout=120)
        assert "Traceback" not in err, err
        for line in out.splitlines(keepends=True):
            self._take(line)

    def kill(self) -> None:
        self.process.kill()
        for line in self.process.communicate(timeout=60)[0].splitlines(keepends=True):
            self._take(line)

    def _take(self, line: str) -> str:
        said = line.strip()
        if said.startswith("error"):
            self.errors.append(said)
        elif line.endswith("\n") and said != "ready":  # half a line is no acknowledgement
            self.acknowledged.append(said)
        return said


class Repo:
    """A git repository with one commit, a dirty index and an untracked file: all to stay so."""

    program = TREERING

    def __init__(self, path: Path, env: dict[str, str]) -> None:
        self.path = path
        self.env = env
        self.is_damaged = False  # set by tests that break objects on purpose: fsck may complain
        self._writers: list[Writer] = []
        if not path.exists():
            self._make()
        self.found = self.fingerprint()

    def _make(self) -> None:
        path = self.path
        path.mkdir(parents=True)
        self.git("init", "-q", "--template=", "-b", "main")
        (path / "kept.txt").write_text("committed\n", encoding="utf-8")
        self.git("add", "kept.txt")
        self.git("commit", "-q", "-m", "first")
        (path / "staged.txt").write_text("staged\n", encoding="utf-8")
        self.git("add", "staged.txt")
        (path / "untracked.txt").write_text("untracked\n", encoding="utf-8")

    def copy(self, path: Path) -> "Repo":
        """The same repository once more, to be broken in its stead."""
        shutil.copytree(self.path, path, symlinks=True)
        return Repo(path, self.env)

    @property
    def git_dir(self) -> Path:
        return self.path / ".git"

    def ref_file(self, branch: str = "main") -> Path:
        return self.git_dir / HEADS / branch

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=self.env,
            text=True,
            capture_output=True,
            check=True,
        ).stdout

    def treering(self, *arguments: str, stdout: Any = PIPE) -> CompletedProcess[str]:
        """Run the installed program; whatever happens, no traceback and no exit code 3."""
        if stdout is PIPE and self.program == forking.PROGRAM:
            ran = forking.run(arguments, self.path, environment=self.env)
            output, errors = ran.stdout.decode(), ran.stderr.decode()
            done = CompletedProcess(arguments, ran.returncode, output, errors)
        else:
            done = subprocess.run(
                [str(self.program), *arguments],
                cwd=self.path,
                env=self.env,
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=PIPE,
                timeout=60,
                check=False,
            )
        self.assert_no_bug(done)
        return done

    def remember(self, content: str, *arguments: str) -> str:
        """Remember through the program and return the acknowledged id."""
        done = self.treering("remember", content, "--json", *arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["id"]

    def writer(self, folder: Path | None = None) -> Writer:
        """A writer process, ended with the test."""
        self._writers.append(Writer(folder or self.path, self.env))
        return self._writers[-1]

    def age_locks(self) -> None:
        """Make locks left by the dead old, so that a test need not wait until they are."""
        for lock in (self.git_dir / "refs" / "treering").rglob("*.lock"):
            os.utime(lock, (time.time() - 60,) * 2)

    # --- the judge --------------------------------------------------------------------------------

    def stored(self, branch: str = "main") -> list[str]:
        """The ids a branch's ref holds, told by git alone; each may be there once."""
        name = branch.replace("%", "%25").replace("/", "%2F")
        files = self.git("ls-tree", "-r", "--name-only", f"{HEADS}{name}").splitlines()
        ids = [Path(file).stem for file in files if file.startswith("memories/")]
        assert len(ids) == len(set(ids)), "an id is there twice"
        assert files == [f"memories/{i[:2]}/{i}.md" for i in ids], "a file is in the wrong place"
        return ids

    def refs(self) -> list[str]:
        """Every memory ref's name."""
        return self.git("for-each-ref", "--format=%(refname)", HEADS).splitlines()

    def contents(self, branch: str = "main") -> list[str]:
        """What each stored memory says after its front matter."""
        ref = f"{HEADS}{branch}"
        texts = [self.git("show", f"{ref}:memories/{i[:2]}/{i}.md") for i in self.stored(branch)]
        return [text.partition("\n---\n")[2].strip() for text in texts]

    def exported(self) -> set[str]:
        """The ids `treering export` lists."""
        done = self.treering("export")
        assert done.returncode == 0, done.stderr
        return {json.loads(line)["id"] for line in done.stdout.splitlines()}

    def assert_sound(self) -> None:
        """Objects and refs are whole, as `git fsck` sees them; dangling objects are allowed."""
        done = subprocess.run(
            ["git", "fsck", "--full", "--strict", "--no-dangling"],
            cwd=self.path,
            env=self.env,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    @staticmethod
    def assert_no_bug(done: CompletedProcess[str]) -> None:
        """A process ended as the contract says: no traceback, no bug, an error with its words."""
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode in (0, 1), (done.returncode, done.stderr)
        if done.returncode == 1 and done.stderr.startswith("{"):
            error = json.loads(done.stderr)["error"]
            assert error["code"], error
            assert error["message"], error

    def fingerprint(self) -> dict[str, str]:
        """The user's side: HEAD, branches, tags, index and every file of the work tree."""
        outside = self.git("for-each-ref", "refs/heads", "refs/tags", "refs/remotes")
        found = {"refs": outside, "HEAD": (self.git_dir / "HEAD").read_text(encoding="utf-8")}
        files = [p for p in self.path.rglob("*") if p.is_file() and self.git_dir not in p.parents]
        for file in [self.git_dir / "index", *sorted(files)]:
            found[str(file)] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found

    def close(self) -> None:
        for writer in self._writers:
            if writer.process.returncode is None:
                writer.kill()
        assert self.found == self.fingerprint(), "the user's side changed"
        if not self.is_damaged:
            self.assert_sound()


class Mounts:
    """Mounts made for one trial and taken away after it."""

    def __init__(self) -> None:
        if os.geteuid() != 0:
            raise NotHere("root: a small disk and a read-only one have to be mounted")
        self._made: list[Path] = []

    def tmpfs(self, at: Path, size: str) -> Path:
        """A disk of its own, `size` large."""
        at.mkdir()
        self._mount(at, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(at))
        return at

    def resize(self, at: Path, size: str) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(at)], check=True)

    def read_only(self, at: Path) -> None:
        """The folder over itself, not writable by anyone."""
        self._mount(at, "--bind", str(at), str(at))
        subprocess.run(["mount", "-o", "remount,bind,ro", str(at)], check=True)

    def _mount(self, at: Path, *arguments: str) -> None:
        done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotHere(f"mount: {done.stderr.strip()}")
        self._made.append(at)

    def undo(self) -> None:
        while self._made:
            subprocess.run(["umount", "--lazy", str(self._made.pop())], check=True)
