"""Run the benchmarks named, or all of them: `python -m benchmarks [NAME...] [--quick]`.

A benchmark is a module of this package with a `main`, which may take `quick`. Those in
NOT_BY_DEFAULT run only when they are named.
"""

import argparse
import inspect
import pkgutil
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import benchmarks

NOT_BY_DEFAULT = {"evaluate"}


def main() -> int:
    known = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name[0] != "_"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller stores")
    parser.add_argument(
        "--histories",
        type=Path,
        help="for landing, knowledge, why, truth, delivery and guard: bare clones",
    )
    parser.add_argument("--scratch", type=Path, help="for those: keep the cases made from them")
    parser.add_argument("--half", default="", choices=("tuning", "reporting"), help="for those")
    parser.add_argument("--part", default="", help="for delivery and guard: one part")
    given = parser.parse_args()
    if unknown := set(given.names) - set(known):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")

    for name in given.names or [name for name in known if name not in NOT_BY_DEFAULT]:
        if run := getattr(import_module(f"benchmarks.{name}"), "main", None):
            started = time.monotonic()
            print(f"== {name} ==", flush=True)
            _run(name, run, vars(given))
            print(f"({time.monotonic() - started:.0f} s)\n", flush=True)
    return 0


def _run(name: str, run: Callable[..., object], options: dict[str, object]) -> None:
    """With the options it asks for; a benchmark that reads options of its own finds none."""
    sys.argv = [f"benchmarks.{name}"]
    asked = inspect.signature(run).parameters
    run(**{key: value for key, value in options.items() if key in asked})


if __name__ == "__main__":
    sys.exit(main())
