"""Every system call that can fail, failing: once, and from there on.

strace makes the N-th call return an error: each call that opens something in the repository, and
each write, sync, link or rename after the first of those, so that what fails is treering and not
the start of Python. Once-only faults alone are not enough: losses were seen that only a lasting
fault brought to light.
"""

import json
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

CALLS = ("openat", "write", "fsync", "fdatasync", "link", "rename", "mkdir", "unlink")
ERRORS = ("ENOSPC", "EIO", "EACCES")
IN_SHORT = 14


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


@pytest.fixture(autouse=True)
def _strace() -> None:
    if shutil.which("strace") is None:
        pytest.skip("NOT TESTED, needs strace: it makes single system calls fail")
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"NOT TESTED, needs ptrace: {tried.stderr.decode().strip()}")


@pytest.fixture
def sweep(make_repo, tmp_path, seed):
    """Run one command once for each fault and judge what it left behind."""
    template = make_repo(tmp_path / "repo")
    template.git("branch", "other")
    template.found = template.fingerprint()
    template.remember("there from the start")
    template.remember("there before the fault")

    def run(arguments: list[str], *, most: int | None, lasting: bool = True) -> None:
        faults = [
            fault for fault in _faults(template, tmp_path, arguments) if lasting or not fault.lasts
        ]
        chosen = seed.sample(faults, most) if most and most < len(faults) else faults
        for number, fault in enumerate(chosen):
            broken = template.copy(tmp_path / f"fault-{number}")
            _judge(broken, fault, arguments)
            shutil.rmtree(broken.path)

    return run


AMOUNT = [pytest.param(IN_SHORT, id="sample"), pytest.param(None, id="all", marks=pytest.mark.deep)]


@pytest.mark.parametrize("most", AMOUNT)
def test_a_capture_survives_any_fault(sweep, most):
    """Exit 0 means the memory is there; anything else is an error with words, and no more."""
    sweep(["remember", "the thought in question", "--json"], most=most)


@pytest.mark.deep
def test_the_first_capture_of_a_branch_survives_any_fault(sweep):
    """A new ref needs folders and a log, each of which can fail to be made."""
    sweep(["remember", "the thought in question", "--branch", "other", "--json"], most=120)


@pytest.mark.deep
def test_reading_survives_any_fault(sweep):
    """A disk that fails while it is read is an error, not a bug.

    Once-only: what reading needs of Python is loaded late, and would fail with a lasting fault.
    """
    for verb in ("status", "log", "doctor", "export"):
        sweep([verb, "--json"], most=40, lasting=False)


def _faults(template, tmp_path: Path, arguments: list[str]) -> list[Fault]:
    """What one undisturbed run calls once it has opened the repository."""
    dry = template.copy(tmp_path / "dry")
    trace = tmp_path / "trace"
    done = _traced(dry, arguments, "-o", str(trace), "-e", f"trace={','.join(CALLS)}")
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


def _judge(broken, fault: Fault, arguments: list[str]) -> None:
    print(f"{' '.join(arguments)} with {fault.rule}")  # noqa: T201 - shown with a failure
    was, refs = broken.stored(), broken.refs()

    done = _traced(broken, arguments, "-o", "/dev/null", "-e", fault.rule)

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


def _traced(repo, arguments: list[str], *options: str) -> subprocess.CompletedProcess[str]:
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
