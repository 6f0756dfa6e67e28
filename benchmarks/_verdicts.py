"""What judges say of replayed branches, in a table: ours beside what people do by hand with git."""

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple, TypeVar

from benchmarks._bench import git
from benchmarks._replay import KINDS, Case, Replay, cpu, halves, list_histories
from treering.branches.landing.judge import Judge, Landing, Target
from treering.derived.database import Database
from treering.git.repository import Repository

Answer = TypeVar("Answer")
VERDICTS = ("promoted", "unsure", "trash")


class Verdict(NamedTuple):
    """How one judge found one case, and the processor time it took."""

    history: str
    case: Case
    ours: str
    cherry: str
    recipe: str
    reason: str
    seconds: float
    cherry_seconds: float
    kept_seconds: float | None  # once the trunk is known from an earlier run; of some cases only


def tell(histories: Path, scratch: Path | None, half: str, quick: bool) -> None:
    """Print both halves, or one of them."""
    with tempfile.TemporaryDirectory(prefix="treering-bench-") as folder:
        where = scratch or Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        for name, some in halves(list_histories(histories)).items():
            if some and half in ("", name):
                print(f"\n{name} half: {', '.join(path.stem for path in some)}")
                found = [verdict for path in some for verdict in judge(path, where, quick)]
                _print_table(found)
                _print_cost(found)
                _print_wrong(found)


def judge(history: Path, scratch: Path, quick: bool) -> list[Verdict]:
    replay = Replay(history, scratch, *((2, 3) if quick else (5, 8)))
    repository = Repository.discover(replay.path)
    verdicts = []
    for number, case in enumerate(replay.cases()):
        verdicts.append(_judge_one(history.stem, repository, case, keeps=number % 4 == 0))
    return verdicts


def _judge_one(history: str, repository: Repository, case: Case, *, keeps: bool) -> Verdict:
    path = repository.git_dir
    target = git(path, "rev-parse", case.target).decode().strip()
    landing, seconds = _measure(lambda: _ask_ours(repository, target, case.tip))
    ours = "promoted" if landing.evidence != "none" else "trash"
    if ours == "trash" and (landing.is_partial or landing.bound):
        ours = "unsure"
    cherry, cherry_seconds = _measure(lambda: _ask_cherry(path, target, case.tip))
    recipe = _ask_recipe(path, target, case.tip)
    reason = f"{landing.evidence}: {landing.reason}"
    kept = None
    if keeps:
        file = path / "kept"
        _ask_ours(repository, target, case.tip, file)
        _, kept = _measure(lambda: _ask_ours(repository, target, case.tip, file))
    return Verdict(history, case, ours, cherry, recipe, reason, seconds, cherry_seconds, kept)


def _ask_ours(repository: Repository, target: str, tip: str, folder: Path | None = None) -> Landing:
    """By a judge that knows nothing but what an earlier run kept."""
    judge = Judge(repository, database=Database(folder))
    return judge.landing(tip, [Target("main", target)])


def _measure(ask: Callable[[], Answer]) -> tuple[Answer, float]:
    started = cpu()
    answer = ask()
    return answer, cpu() - started


def _ask_cherry(path: Path, target: str, tip: str) -> str:
    signs = {line[:1] for line in git(path, "cherry", target, tip).decode().splitlines()}
    return {frozenset("-"): "promoted", frozenset("+"): "trash", frozenset(): "promoted"}.get(
        frozenset(signs), "unsure"
    )


def _ask_recipe(path: Path, target: str, tip: str) -> str:
    """The branch as one commit, then git cherry: what most scripts do."""
    base = git(path, "merge-base", target, tip).decode().strip()
    whole = git(path, "commit-tree", f"{tip}^{{tree}}", "-p", base, "-m", "all").decode().strip()
    return _ask_cherry(path, target, whole)


def _print_table(verdicts: Sequence[Verdict]) -> None:
    print(f"{'promoted/unsure/trash':<36}{'cases':>6}{'ours':>15}{'git cherry':>15}{'recipe':>15}")
    for kind in KINDS:
        for is_later in (False, True):
            some = [v for v in verdicts if v.case.kind == kind and v.case.is_later == is_later]
            if some:
                _print_row(f"  {kind}{', later' if is_later else ''}", some)
    for what, has_landed in (("landed", True), ("not landed", False)):
        _print_row(what, [v for v in verdicts if KINDS[v.case.kind] is has_landed])


def _print_row(what: str, some: Sequence[Verdict]) -> None:
    judges = [[v.ours for v in some], [v.cherry for v in some], [v.recipe for v in some]]
    cells = ["/".join(str(Counter(said)[word]) for word in VERDICTS) for said in judges]
    print(f"{what:<36}{len(some):>6}" + "".join(f"{cell:>15}" for cell in cells), flush=True)


def _print_cost(verdicts: Sequence[Verdict]) -> None:
    kept = [v for v in verdicts if v.kept_seconds is not None]
    for what, some in (
        ("ours, nothing kept", [v.seconds for v in verdicts]),
        ("ours, the trunk kept", [v.kept_seconds or 0 for v in kept]),
        ("git cherry", [v.cherry_seconds for v in verdicts]),
    ):
        print(f"CPU a branch, {what}: {_spread([1000 * each for each in some])} ms")
    print(f"times git cherry: {_spread([v.seconds / v.cherry_seconds for v in verdicts])}")
    again = [(v.kept_seconds or 0) / v.cherry_seconds for v in kept]
    print(f"times git cherry, the trunk kept: {_spread(again)}")


def _spread(some: Sequence[float]) -> str:
    return f"median {median(some):.1f}, 90th percentile {quantiles(some, n=10)[-1]:.1f}"


def _print_wrong(verdicts: Sequence[Verdict]) -> None:
    """What a person should look at: landed and trashed, or promoted and perhaps not landed."""
    for v in verdicts:
        has_landed = KINDS[v.case.kind]
        if (v.ours == "trash" and has_landed) or (v.ours == "promoted" and not has_landed):
            later = ", later" if v.case.is_later else ""
            print(f"  {v.history} {v.case.kind}{later}: {v.case.tip[:12]} {v.ours}: {v.reason}")
