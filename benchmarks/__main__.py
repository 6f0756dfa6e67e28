"""Run the benchmarks named, or all of them: `python -m benchmarks [NAME...] [--quick]`.

A benchmark is a module of this package with a `main(quick)`. Those in NOT_BY_DEFAULT run only when
they are named.
"""

import argparse
import pkgutil
import sys
import time
from collections.abc import Callable
from importlib import import_module

import benchmarks

NOT_BY_DEFAULT = {"evaluate"}


def main() -> int:
    known = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name[0] != "_"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller stores")
    given = parser.parse_args()
    if unknown := set(given.names) - set(known):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")

    for name in given.names or [name for name in known if name not in NOT_BY_DEFAULT]:
        run: Callable[[bool], None] | None = getattr(
            import_module(f"benchmarks.{name}"), "main", None
        )
        if run is None:
            continue
        started = time.monotonic()
        print(f"== {name} ==", flush=True)
        run(given.quick)
        print(f"({time.monotonic() - started:.0f} s)\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
