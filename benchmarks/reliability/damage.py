"""R10 and R11: the index is damaged, then the truth itself."""

import json
import shutil
from pathlib import Path
from random import Random

from benchmarks.reliability.trial import Outcome, Trial
from faults.ground import HEADS, Repo

_WORDS = ("cache", "lock", "branch", "index", "merge", "commit", "thread", "retry", "token", "disk")


def index(trial: Trial) -> Outcome:
    """Bits flipped, files cut and removed in the index: recall answers as from a fresh one."""
    repo = trial.repo()
    lines = [
        {"content": f"The {trial.dice.choice(_WORDS)} {n} needs a {trial.dice.choice(_WORDS)}"}
        for n in range(trial.amount(60, 400))
    ]
    file = trial.folder / "many.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    repo.treering("import", str(file))
    question = "cache lock needs"
    expected = _found(repo, question)
    folder = repo.git_dir / "treering" / "index"
    whole = trial.folder / "whole"
    shutil.copytree(folder, whole)

    outcome = Outcome(rounds=trial.amount(12, 300))
    for _ in range(outcome.rounds):
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)
        told = _broken(trial.dice, folder)
        with outcome.watching(told):
            assert _found(repo, question) == expected, "recall answers differently"
    with outcome.watching("afterwards"):
        repo.close()
    return outcome


def _broken(dice: Random, folder: Path) -> str:
    file = dice.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    data = bytearray(file.read_bytes())
    how = dice.choice(("flip", "cut", "remove", "remove all"))
    if how == "remove all":
        shutil.rmtree(folder)
    elif how == "remove":
        file.unlink()
    elif how == "cut":
        file.write_bytes(data[: dice.randrange(len(data) + 1)])
    elif data:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        file.write_bytes(data)
    return f"{how} {file.name}"


def _found(repo: Repo, question: str) -> list[str]:
    done = repo.treering("recall", question, "--json", "-n", "20")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return [hit["id"] for hit in json.loads(done.stdout)["results"]]


# --- the truth ------------------------------------------------------------------------------------


def truth(trial: Trial) -> Outcome:
    """One thing broken at a time: the rest is listed, doctor names it, the next capture works."""
    template = trial.repo()
    ids = [template.remember(f"thought {n}") for n in range(4)]
    template.git("branch", "other")
    other = template.remember("on the other branch", "--branch", "other")

    outcome = Outcome()
    for turn in range(trial.amount(1, 6)):
        for case in CASES:
            repo = template.copy(trial.folder / f"{case}-{turn}")
            repo.is_damaged = True
            with outcome.watching(case):
                hidden = CASES[case](repo, ids, trial.dice)
                _judge_damaged(outcome, repo, {*ids, other} - hidden, case)
            shutil.rmtree(repo.path)
            outcome.rounds += 1
    return outcome


def _judge_damaged(outcome: Outcome, repo: Repo, expected: set[str], case: str) -> None:
    done = repo.treering("export", "--all")
    listed = {json.loads(line)["id"] for line in done.stdout.splitlines()}
    outcome.acknowledged += len(expected)
    if gone := expected - listed:
        outcome.lost += len(gone)
        outcome.failures.append(f"{case}: {len(gone)} whole memories are not listed")

    findings = json.loads(repo.treering("doctor", "--json").stdout)["findings"]
    assert findings, "doctor found nothing"
    again = repo.treering("remember", f"after {case}", "--json")
    assert again.returncode == 0, f"the next capture failed: {again.stderr}"


def _object(repo: Repo, revision: str) -> Path:
    oid = repo.git("rev-parse", revision).strip()
    file = repo.git_dir / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    return file


def _zero_tip(repo: Repo, ids: list[str], _dice: Random) -> set[str]:
    _object(repo, f"{HEADS}main").write_bytes(b"")
    return {ids[-1]}  # the memory that only the tip holds


def _garbage_tip(repo: Repo, ids: list[str], dice: Random) -> set[str]:
    _object(repo, f"{HEADS}main").write_bytes(dice.randbytes(60))
    return {ids[-1]}  # the memory that only the tip holds


def _missing_tip(repo: Repo, ids: list[str], _dice: Random) -> set[str]:
    _object(repo, f"{HEADS}main").unlink()
    return {ids[-1]}  # the memory that only the tip holds


def _zero_tree(repo: Repo, ids: list[str], _dice: Random) -> set[str]:
    _object(repo, f"{HEADS}main^{{tree}}").write_bytes(b"")
    return {ids[-1]}  # the memory that only the tip holds


def _missing_blob(repo: Repo, ids: list[str], dice: Random) -> set[str]:
    lost = dice.choice(ids)
    _object(repo, f"{HEADS}main:memories/{lost[:2]}/{lost}.md").unlink()
    return {lost}


def _flipped_blob(repo: Repo, ids: list[str], dice: Random) -> set[str]:
    lost = dice.choice(ids)
    file = _object(repo, f"{HEADS}main:memories/{lost[:2]}/{lost}.md")
    file.write_bytes(dice.randbytes(40))
    return {lost}


def _cut_ref(repo: Repo, _ids: list[str], dice: Random) -> set[str]:
    file = repo.ref_file()
    file.write_bytes(file.read_bytes()[: dice.randrange(40)])
    return set()


def _garbage_ref(repo: Repo, _ids: list[str], dice: Random) -> set[str]:
    repo.ref_file().write_bytes(dice.randbytes(41))
    return set()


def _unknown_ref(repo: Repo, _ids: list[str], _dice: Random) -> set[str]:
    repo.ref_file().write_text("1" * 40 + "\n", encoding="ascii")
    return set()


def _stale_lock(repo: Repo, _ids: list[str], _dice: Random) -> set[str]:
    repo.ref_file().with_name("main.lock").write_bytes(b"")
    repo.age_locks()
    return set()


#: What is broken -> a function that does it and returns the ids that may be hidden by it.
CASES = {
    "zeroed tip": _zero_tip,
    "garbage in the tip": _garbage_tip,
    "missing tip": _missing_tip,
    "zeroed tree": _zero_tree,
    "missing blob": _missing_blob,
    "garbage in a blob": _flipped_blob,
    "truncated ref": _cut_ref,
    "garbage in the ref": _garbage_ref,
    "ref to an unknown object": _unknown_ref,
    "stale ref lock": _stale_lock,
}
