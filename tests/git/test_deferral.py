"""pygit2 put in place and not run: invisible but for its speed."""

import os
import subprocess
import sys
from pathlib import Path

LOAD = (
    "import os; from treering.git.deferral import defer_pygit2; defer_pygit2();"
    "import treering.git.binding; print(os.environ['SSL_CERT_FILE'], 'SSL_CERT_DIR' in os.environ)"
)


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


def test_settings_are_read_without_the_enums(tmp_path: Path) -> None:
    """pygit2.config takes in all of them since 1.21, half of a Python start."""
    code = (
        "from treering.git.deferral import defer_pygit2; defer_pygit2()\n"
        "import sys; from pathlib import Path\n"
        "from treering.git.repository import Repository, make_bare\n"
        f"make_bare(Path({str(tmp_path)!r}))\n"
        f"print(Repository.discover(Path({str(tmp_path)!r})).config('core.bare'))\n"
        "print([name for name in ('pygit2.config', 'pygit2.enums') if name in sys.modules])\n"
    )

    assert _run(code) == "true\n[]\n"


def test_the_library_imports_pygit2_plainly() -> None:
    """Another user of pygit2 in the same process has a right to the plain thing."""
    code = (
        "import sys\n"
        "from treering import Treering\n"
        "import pygit2.references\n"
        "print(type(sys.modules['pygit2']).__name__, 'pygit2.repository' in sys.modules)\n"
    )

    assert _run(code) == "module True\n"


def test_no_certificate_is_read_and_the_environment_stays_as_it_is(tmp_path: Path) -> None:
    """Whoever opens this file waits for ever. git, which does connect, is told of it as before."""
    certificates = tmp_path / "certificates"
    os.mkfifo(certificates)
    environment = {k: v for k, v in os.environ.items() if k != "SSL_CERT_DIR"}

    done = subprocess.run(
        [sys.executable, "-c", LOAD],
        env=environment | {"SSL_CERT_FILE": str(certificates)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert done.stdout.split() == [str(certificates), "False"]
