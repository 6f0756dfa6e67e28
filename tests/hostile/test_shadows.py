"""Files of a work tree that are named like modules: Python must not take them for ours.

`python -m` puts the folder it is started in first on its path, and a clone's top folder may be
called `treering`.
"""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import treering
from conftest import TREERING, Repo
from hooked import Hooked
from hostile.trap import Trap

PACKAGES = ("treering", "click", "whoosh", "pygit2", "mcp")
MODULES = ("json", "subprocess", "sitecustomize", "usercustomize", "yaml", "pydantic")
#: Start what a door starts in the background, and wait for it, as the door itself does not.
TIDY = (
    "import os; from treering.cli.invocation import Invocation;"
    "Invocation('.', False).start_tidying();"
    "raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))"
)


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "trap")


@pytest.fixture
def shadowed(repo: Repo, trap: Trap) -> Repo:
    """A repository whose files have the names of everything we import."""
    for name in PACKAGES:
        (repo.path / name).mkdir()
        (repo.path / name / "__init__.py").write_text(trap.module(name))
    for name in MODULES:
        (repo.path / f"{name}.py").write_text(trap.module(name))
    repo.git("add", "--all")
    repo.git("commit", "-q", "-m", "shadows")
    return repo


def test_what_a_door_starts_in_the_background(shadowed: Repo, trap: Trap) -> None:
    """It goes on in the same repository, and not in the same folder."""
    shadowed.json("remember", "Use WAL mode")

    done = subprocess.run([sys.executable, "-I", "-c", TIDY], cwd=shadowed.path, check=False)

    assert trap.ran() == []
    assert done.returncode == 0


def test_the_demo(tmp_path: Path, shadowed: Repo, trap: Trap) -> None:
    """Wherever it is played: its own folder is new, and what it starts does not look here."""
    done = shadowed.cli("demo")

    assert trap.ran() == []
    assert (done.returncode, done.stderr) == (0, "")


def test_the_demo_is_played_by_this_program_in_isolation(
    tmp_path: Path, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of its own folder are no modules either."""
    from treering.cli import demo

    (tmp_path / "treering").mkdir()
    (tmp_path / "treering" / "__init__.py").write_text(trap.module("treering"))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    demo._play(demo.Scene("Words.", ("treering status",)), tmp_path)

    assert trap.ran() == []


def test_commands_and_hooks(shadowed: Repo, trap: Trap) -> None:
    """The program itself, as people, agents and git start it, from the work tree."""
    hooked = Hooked(shadowed.path / ".git").install()
    config = json.loads(
        shadowed.json("init", "--print", "--client", "claude")["files"][0]["content"]
    )
    server = config["mcpServers"]["treering"]
    path = f"{TREERING.parent}{os.pathsep}{os.environ['PATH']}"

    shadowed.commit_file("a.txt")
    hooked.settle()
    shadowed.json("recall", "wal")
    shadowed.cli("hook", "agent", "claude", "SessionStart", feed="{}")
    subprocess.run(
        [server["command"], *server["args"]],
        cwd=shadowed.path,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        check=True,
    )

    assert trap.ran() == []
    assert "add a.txt" in shadowed.titles()


@pytest.mark.parametrize("path", [".", ""])
def test_a_path_that_names_the_folder_we_are_in(
    shadowed: Repo, trap: Trap, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `PYTHONPATH=.`, which people set for their projects, what git's hooks start is safe
    because it is started elsewhere."""
    monkeypatch.setenv("PYTHONPATH", f"{path}{os.pathsep}{path}")
    hooked = Hooked(shadowed.path / ".git").install()

    shadowed.commit_file("a.txt")
    hooked.settle()

    assert trap.ran() == []
    assert hooked.journal.pending() == 0


# --- wherever it is installed ---------------------------------------------------------------------


def _bare_python(code: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """The Python below the virtual environment, which knows nothing of treering by itself."""
    base = str(getattr(sys, "_base_executable"))  # noqa: B009 - not in the stubs
    return subprocess.run(
        [base, "-P", "-c", code],
        cwd=cwd,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | env,
        capture_output=True,
        text=True,
        check=False,
    )


def _sources() -> list[str]:
    return [str(Path(treering.__file__).parents[1]), sysconfig.get_path("purelib")]


def test_an_installation_that_pythonpath_names(shadowed: Repo, trap: Trap) -> None:
    """An isolated Python does not read PYTHONPATH, so it is told where we are."""
    shadowed.json("remember", "Use WAL mode")

    done = _bare_python(TIDY, shadowed.path, PYTHONPATH=os.pathsep.join(_sources()))

    assert (done.returncode, done.stderr) == (0, "")
    assert trap.ran() == []


def test_an_installation_for_one_user(shadowed: Repo, trap: Trap, tmp_path: Path) -> None:
    """The same after `pip install --user`, which an isolated Python does not look into."""
    shadowed.json("remember", "Use WAL mode")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = tmp_path / "user" / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    for folder in _sources():
        for entry in Path(folder).iterdir():
            if entry.suffix != ".pth" and not (site / entry.name).exists():
                (site / entry.name).symlink_to(entry)

    done = _bare_python(TIDY, shadowed.path, PYTHONUSERBASE=str(tmp_path / "user"))

    assert (done.returncode, done.stderr) == (0, "")
    assert trap.ran() == []
