"""Every system call that can fail, failing: once, and from there on.

Once-only faults alone are not enough: losses were seen that only a lasting fault brought to light.
"""

import shutil

import pytest

from faults.ground import NotHere
from faults.injection import faults_of, judge, need_strace

IN_SHORT = 8


@pytest.fixture(autouse=True)
def _strace() -> None:
    try:
        need_strace()
    except NotHere as error:
        pytest.skip(f"NOT TESTED, needs {error}")


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
            fault
            for fault in faults_of(template, tmp_path, arguments)
            if lasting or not fault.lasts
        ]
        chosen = seed.sample(faults, most) if most and most < len(faults) else faults
        for number, fault in enumerate(chosen):
            broken = template.copy(tmp_path / f"fault-{number}")
            judge(broken, fault, arguments)
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
