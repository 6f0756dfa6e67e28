"""R3 and R4: every system call of a capture fails, once or from then on."""

import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

from benchmarks.reliability.trial import Outcome, Trial
from faults.injection import faults_of, judge, need_strace

_CAPTURE = ["remember", "the thought in question", "--json"]


def once(trial: Trial) -> Outcome:
    return _swept(trial, lambda lasts: not lasts)


def from_then_on(trial: Trial) -> Outcome:
    return _swept(trial, lambda lasts: lasts)


def _swept(trial: Trial, wanted: Callable[[bool], bool]) -> Outcome:
    need_strace()
    template = trial.repo()
    template.remember("there from the start")
    template.remember("there before the fault")
    faults = [f for f in faults_of(template, trial.folder, _CAPTURE) if wanted(f.lasts)]
    chosen = trial.dice.sample(faults, min(len(faults), trial.amount(8, 10**6)))

    outcome = Outcome(rounds=len(chosen), notes=f"of {len(faults)} points")
    for number, fault in enumerate(chosen):
        broken = template.copy(trial.folder / f"fault-{number}")
        before = len(outcome.failures)
        with outcome.watching(fault.rule), redirect_stdout(StringIO()):  # pytest's notes
            judge(broken, fault, _CAPTURE)
        outcome.acknowledged += 3
        outcome.lost += any("lost" in line for line in outcome.failures[before:])
        shutil.rmtree(broken.path)
    return outcome
