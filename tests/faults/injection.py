"""System calls made to fail by strace: each one a command makes once it has opened the repository.

Each call that opens something in the repository, and each write, sync, link or rename after the
first of those, so that what fails is treering and not the start of Python.
"""

import json
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from faults.ground import NotHere, Repo

CALLS = ("openat", "write", "fsync", "fdatasync", "link", "rename", "mkdir", "unlink")
ERRORS = ("ENOSPC", "EIO", "EACCES")


@dataclass(frozen=True)
class Fault:
    """One call made to fail: the N-th, or (`lasts`) the N-th and all that follow."""

    call: str
    number: int
    error: str
    lasts: bool

    @property
    def rule(self) -> str:
        return f"inject={self.call}:error={self.error}:when={self.number}{'+' * self.lasts}"


def need_strace() -> None:
    if shutil.which("strace") is None:
        raise NotHere("strace: it makes single system calls fail")
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if tried.returncode:
        raise NotHere(f"ptrace: {tried.stderr.decode().strip()}")


def faults_of(template: Repo, folder: Path, arguments: list[str]) -> list[Fault]:
    """What one undisturbed run calls once it has opened the repository."""
    dry = template.copy(folder / "dry")
    trace = folder / "trace"
    done = traced(dry, arguments, "-o", str(trace), "-e", f"trace={','.join(CALLS)}")
    assert done.returncode == 0, done.stderr

    counted, ours = Counter[str](), []
    for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
        call = line.partition(" ")[2].strip().partition("(")[0]
        counted[call] += 1
        if str(dry.path) in line or (ours and call != "openat"):
            ours.append((call, counted[call]))
    shutil.rmtree(dry.path)
    return [
        Fault(call, number, error, lasts)
        for call, number in ours
        for error in ERRORS
        for lasts in (False, True)
    ]


def judge(broken: Repo, fault: Fault, arguments: list[str]) -> None:
    print(f"{' '.join(arguments)} with {fault.rule}")  # noqa: T201 - shown with a failure
    was, refs = broken.stored(), broken.refs()

    done = traced(broken, arguments, "-o", "/dev/null", "-e", fault.rule)

    broken.assert_no_bug(done)
    if arguments[0] == "remember" and done.returncode == 0:
        branch = "other" if "other" in arguments else "main"
        assert json.loads(done.stdout)["id"] in broken.stored(branch), "acknowledged and lost"
    if arguments[0] != "remember":
        assert refs == broken.refs()
    broken.assert_sound()
    assert set(was) <= set(broken.stored())
    broken.age_locks()
    assert broken.remember("the next thought") in broken.stored()
    assert broken.remember("the thought in question") in broken.stored()
    assert len(broken.stored()) == 4, "a retry made a second copy"
    assert broken.found == broken.fingerprint(), "the user's side changed"


def traced(repo: Repo, arguments: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["strace", "-f", "-qq", *options, str(repo.program), *arguments],
        cwd=repo.path,
        env=repo.env,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
