"""The rules the code is laid out by, held by reading its imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import treering

SOURCE = Path(treering.__file__).parent
#: From the bottom up; a module may import from its own layer and from those below.
LAYERS = [
    {"errors", "clock"},
    {"model"},
    {"text"},
    {"git"},
    {"store"},
    {"search", "graph", "provenance"},
    {"branches", "capture", "sync"},
    {"actions"},
    {"answers", "operations", "api"},
    {"cli", "mcp", "hooks"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def _imports() -> Iterator[tuple[Path, str]]:
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((file, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield file, node.module


def _part(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_imports_point_down() -> None:
    """A reader can understand a layer by the ones below it alone."""
    upward = [
        f"{file.relative_to(SOURCE)} imports {name}"
        for file, name in _imports()
        if name.startswith("treering.")
        and file.parent != SOURCE / "__init__.py"
        and _part(file) != "__init__"
        and RANK[name.split(".")[1]] > RANK[_part(file)]
    ]

    assert upward == []


def test_only_the_git_layer_knows_pygit2_and_starts_processes() -> None:
    """Traps of libgit2 and of git's environment are met in one place."""
    outside = [
        f"{file.relative_to(SOURCE)} imports {name}"
        for file, name in _imports()
        if name.split(".")[0] in ("pygit2", "subprocess") and _part(file) not in ("git", "cli")
    ]

    assert outside == []


def test_only_doors_read_the_environment_or_print() -> None:
    """Below the doors values come in, and values or errors go out."""
    guilty = []
    for file in SOURCE.rglob("*.py"):
        if _part(file) in ("cli", "mcp", "hooks") or file.name == "process.py":
            continue  # process.py hands the environment on to git, cleaned
        text = file.read_text(encoding="utf-8")
        guilty += [
            f"{file.name}: {word}" for word in ("os.environ", "print(", "sys.exit") if word in text
        ]

    assert guilty == []


def test_python_is_started_in_one_way() -> None:
    """In isolation: started plainly, it would take files of the work tree for modules."""
    starts = [
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if "sys.executable" in file.read_text(encoding="utf-8")
    ]

    assert sorted(starts) == ["cli/program.py", "cli/setup.py"]  # init names the installed script


def _loaded_by(*arguments: str, cwd: Path) -> set[str]:
    code = (
        "import os, sys; leave = os._exit\n"
        "def tell(code): print('\\nLOADED', *sys.modules, flush=True); leave(code)\n"
        "os._exit = tell\n"
        "from treering.cli.start import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.rpartition("LOADED")[2].split())


def test_version_loads_neither_pygit2_nor_pydantic_nor_mcp(tmp_path: Path) -> None:
    """Start-up is most of what a short command costs."""
    loaded = _loaded_by("--version", cwd=tmp_path)

    assert "treering.cli.main" in loaded
    assert not {"pygit2._pygit2", "pydantic", "mcp", "yaml", "whoosh"} & loaded


def test_remember_loads_only_what_it_needs(repo) -> None:
    """The C binding of pygit2, not the package; no YAML, no index, no pydantic."""
    loaded = _loaded_by("remember", "Use WAL mode", cwd=repo.path)

    assert "pygit2._pygit2" in loaded
    assert not {"pygit2.repository", "ssl", "pydantic", "mcp", "yaml", "whoosh"} & loaded


def test_looking_around_needs_neither_the_index_nor_yaml(repo) -> None:
    """What a capture is linked with comes from a table of its own: the index takes as long to load
    as the whole capture."""
    _loaded_by("remember", "Session store", "-t", "component", cwd=repo.path)

    loaded = _loaded_by("remember", "Login uses session store", "-t", "component", cwd=repo.path)

    assert "treering.graph.inference" in loaded
    assert not {"yaml", "whoosh", "treering.search"} & loaded
    assert repo.tr.graph("stats").edges == 1


def test_the_server_shakes_hands_before_it_touches_index_or_store() -> None:
    """A client waits for the list of tools; what only calls need is loaded by the first of them."""
    code = "import sys, treering.mcp.server, treering.mcp.stdio; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())

    assert "mcp" in loaded
    assert not {"pygit2", "whoosh", "yaml", "treering.search", "treering.store.store"} & loaded


def test_help_of_the_server_does_not_load_the_sdk(tmp_path: Path) -> None:
    """It costs a second, and `treering --help` asks every command for its line."""
    assert "mcp" not in _loaded_by("mcp", "--help", cwd=tmp_path)


def test_recall_does_not_load_the_sdk(repo) -> None:
    """Only `treering mcp` may."""
    assert not {"mcp", "pydantic"} & _loaded_by("recall", "anything", cwd=repo.path)
