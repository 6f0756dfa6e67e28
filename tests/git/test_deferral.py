"""pygit2 put in place and not run: invisible but for its speed."""

import subprocess
import sys


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_still_works_when_asked_for() -> None:
    """Code that says `pygit2.Repository` must not notice."""
    code = (
        "from treering.git.deferral import defer_pygit2; defer_pygit2()\n"
        "import sys, treering.git.binding\n"
        "assert 'ssl' not in sys.modules\n"
        "import pygit2\n"
        "print(pygit2.Repository.__name__, pygit2.settings.__class__.__name__)\n"
    )

    assert _run(code) == "Repository Settings\n"


def test_the_library_imports_pygit2_plainly() -> None:
    """Another user of pygit2 in the same process has a right to the plain thing."""
    code = (
        "import sys\n"
        "from treering import Treering\n"
        "import pygit2.references\n"
        "print(type(sys.modules['pygit2']).__name__, 'pygit2.repository' in sys.modules)\n"
    )

    assert _run(code) == "module True\n"
