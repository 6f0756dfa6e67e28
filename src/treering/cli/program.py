"""This very program, to be started again: the one way a Python of ours starts another.

It is started in isolation (`-I`): neither the folder it stands in nor PYTHONPATH nor what a user
installed is searched for modules, since a clone may hold a folder called `treering` or `click`. So
it is told where this process has them from, in whatever way treering was installed.
"""

import sys
from importlib.util import find_spec
from pathlib import Path


def command(*arguments: str) -> list[str]:
    """The words that start treering with some arguments, by this Python."""
    return [sys.executable, "-I", "-c", _code(), *arguments]


def _code() -> str:
    """Other packages lie where click does. All come after the standard library, as they do here:
    what someone installed must not take the place of its modules."""
    specs = (find_spec(name) for name in ("treering", "click"))  # found, and not run
    folders = [str(Path(str(spec.origin)).parents[1]) for spec in specs if spec]
    return (
        "import sys; ends = [path.endswith('-packages') for path in sys.path] + [True];"
        f"at = ends.index(True); sys.path[at:at] = {folders!r};"
        "from treering.cli.start import run; run()"
    )
