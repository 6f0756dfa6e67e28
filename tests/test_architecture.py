"""The rules the code is laid out by, held by reading its imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import treering

SOURCE = Path(treering.__file__).parent
#: From the bottom up; a module may import from its own layer and from those below.
LAYERS = [
    {"call", "errors", "clock"},
    {"model"},
    {"text"},
    {"git"},
    {"store"},
    {"search", "graph", "derived"},
    {"branches", "capture", "sync"},
    {"hub"},
    {"actions"},
    {"answers"},
    {"verbs"},
    {"api"},
    {"cli", "mcp", "hooks", "web"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


@cache
def _trees() -> dict[Path, ast.AST]:
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in SOURCE.rglob("*.py")}


def _imports() -> Iterator[tuple[Path, str]]:
    for file, tree in _trees().items():
        for node in ast.walk(tree):
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


#: What is asked of git somewhere; `git` itself is for whoever starts it without the runner.
GIT_COMMANDS = frozenset((
    "git", "cat-file", "config", "diff", "diff-tree", "fast-import", "fetch", "for-each-ref", "gc",
    "init", "log", "ls-remote", "merge-base", "merge-tree", "notes", "patch-id", "push", "rev-list",
    "rev-parse", "show", "update-ref", "version",
))  # fmt: skip
#: Of the module that starts git others know how long it may take, and no more.
DEADLINES = frozenset(("TookTooLong", "time_left"))


def _runner_imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name == "treering.git.process")
        elif isinstance(node, ast.ImportFrom) and node.module == "treering.git":
            yield from (alias.name for alias in node.names if alias.name == "process")
        elif isinstance(node, ast.ImportFrom) and node.module == "treering.git.process":
            yield from (alias.name for alias in node.names if alias.name not in DEADLINES)


def _command_lines(tree: ast.AST) -> Iterator[str]:
    """Command lines of git: its words as arguments of a call, alone, in a list or in a tuple."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            lists = [node.args, *(_items(argument) for argument in node.args)]
        elif isinstance(node, ast.Assign):
            lists = [_items(node.value)]
        else:
            continue
        for items in lists:
            words = [item.value for item in items if isinstance(item, ast.Constant)]
            texts = [word for word in words if isinstance(word, str)]
            if texts[:1] == ["git"] or (
                texts and texts[0] in GIT_COMMANDS and any(w.startswith("-") for w in texts)
            ):
                yield " ".join(texts)


def _items(node: ast.expr) -> list[ast.expr]:
    inner = node.value if isinstance(node, ast.Starred) else node
    return inner.elts if isinstance(inner, ast.List | ast.Tuple) else []


def test_only_the_git_layer_builds_command_lines_of_git() -> None:
    """What git is told and how its answer is read stand together, once."""
    guilty = []
    for file, tree in _trees().items():
        if _part(file) != "git":
            words = [*_runner_imports(tree), *_command_lines(tree)]
            guilty += [f"{file.relative_to(SOURCE)}: {word}" for word in words]

    assert guilty == []


def test_a_command_line_of_git_would_be_seen() -> None:
    """A test that cannot fail holds nothing."""
    text = (
        "from treering.git import process\n"
        "from treering.git.process import TookTooLong, run\n"
        "run(folder, 'rev-list', '--count', tip)\n"
        "process.run(folder, *('log', '-z', tip))\n"
        "words = ['for-each-ref', '--merged']\n"
        "start(['git', 'status'])\n"
        "find('config', key)\n"
    )

    tree = ast.parse(text)

    assert list(_runner_imports(tree)) == ["process", "run"]
    assert sorted(_command_lines(tree)) == [
        "for-each-ref --merged",
        "git status",
        "log -z",
        "rev-list --count",
    ]


def test_only_doors_read_the_environment_or_print() -> None:
    """Below the doors values come in, and values or errors go out."""
    guilty = []
    for file in SOURCE.rglob("*.py"):
        if _part(file) in ("cli", "mcp", "hooks") or file.name in ("process.py", "deferral.py"):
            continue  # they hand it on to git, cleaned, and to OpenSSL
        text = file.read_text(encoding="utf-8")
        guilty += [
            f"{file.name}: {word}" for word in ("os.environ", "print(", "sys.exit") if word in text
        ]

    assert guilty == []


#: Below the doors, what still holds mappings of any shape, and why.
SHAPELESS = {
    "actions/imports/notes.py": "front matter of others, on its way to be checked as a Record",
    "actions/imports/records.py": "JSON of others, on its way to be checked as a Record",
    "actions/setup/clients.py": "the JSON file of a client, written",
    "actions/setup/traces.py": "init.json, read",
}
SHAPED = ("actions", "branches", "store", "search")


def _is_shapeless(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and ast.unparse(node) == "dict[str, Any]"


def test_answers_have_a_shape() -> None:
    """What an answer holds is stated once, and checked; only what reads or writes JSON and YAML
    may leave it open."""
    shapeless = {
        str(file.relative_to(SOURCE))
        for file, tree in _trees().items()
        if _part(file) in SHAPED and any(map(_is_shapeless, ast.walk(tree)))
    }

    assert shapeless == set(SHAPELESS)


def test_a_mapping_of_any_shape_would_be_seen() -> None:
    """Wherever it stands in a type."""
    tree = ast.parse("def f(x: str) -> list[dict[str, Any]] | None: ...")

    assert any(map(_is_shapeless, ast.walk(tree)))


def test_python_is_started_in_one_way() -> None:
    """In isolation: started plainly, it would take files of the work tree for modules."""
    starts = [
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if "sys.executable" in file.read_text(encoding="utf-8")
    ]

    assert sorted(starts) == ["cli/caller.py", "cli/setup.py"]  # init names the installed script


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
    """The C binding of pygit2, not the package; no YAML, no index, no pydantic, no dataclasses."""
    loaded = _loaded_by("remember", "Use WAL mode", cwd=repo.path)

    assert "pygit2._pygit2" in loaded
    heavy = {"pygit2.repository", "ssl", "pydantic", "mcp", "yaml", "whoosh.index", "dataclasses"}
    assert not heavy & loaded


def test_looking_around_needs_neither_the_index_nor_yaml(repo) -> None:
    """What a capture is linked with comes from rows: the index takes as long to load as the whole
    capture."""
    _loaded_by("remember", "Session store", "-t", "component", cwd=repo.path)

    loaded = _loaded_by("remember", "Login uses session store", "-t", "component", cwd=repo.path)

    assert "treering.graph.inference" in loaded
    assert not {"yaml", "whoosh.index", "treering.search.engine"} & loaded
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


def test_recall_loads_neither_the_sdk_nor_dataclasses(repo) -> None:
    """The one takes a second, and the others a tenth of the whole answer."""
    repo.tr.remember("Anything goes")
    repo.tr.recall("anything")  # the index is written by then

    loaded = _loaded_by("recall", "anything", cwd=repo.path)

    assert not {"mcp", "pydantic", "dataclasses"} & loaded


def test_only_the_page_loads_what_it_is_made_of(repo) -> None:
    """Its help and all other commands start without it, and it starts without the SDK."""
    parts = {"starlette", "uvicorn", "jinja2", "markdown_it", "treering.web"}
    code = "import sys, treering.web.app, treering.web.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not parts & _loaded_by("web", "--help", cwd=repo.path)
    assert not parts & _loaded_by("recall", "anything", cwd=repo.path)
    assert not {"mcp", "whoosh", "yaml"} & set(done.stdout.split())
