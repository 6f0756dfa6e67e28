"""The Python door: what it offers, what it answers, and that its examples are true."""

import doctest
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import pytest

import treering
from conftest import Repo
from treering import Person, Treering, answers
from treering.actions.workspace import Workspace
from treering.verbs import VERBS

#: What other programs may rely on.
OFFERED = [
    "backfill", "checkpoint", "config", "context", "dedupe", "diff", "doctor", "drain", "enrich",
    "entities", "export_markdown", "exported", "forget", "gc", "graph", "guard", "import_path",
    "infer_links", "init", "link", "log", "maintain", "merge", "open", "promote", "prompts",
    "prune_links", "read", "recall", "redact", "reindex", "remember", "restore", "revert", "review",
    "revise", "status", "summarize", "sync", "try_out", "uninstall", "why",
]  # fmt: skip
VERB_OF = {"exported": "export", "import_path": "import", "try_out": "try"}


def test_nothing_is_offered_but_this() -> None:
    """A name that shows is a name somebody uses."""
    assert [name for name in dir(Treering) if not name.startswith("_")] == OFFERED


def test_an_open_repository_shows_nothing_of_its_inside(repo: Repo) -> None:
    assert [name for name in dir(repo.tr) if not name.startswith("_")] == OFFERED


def test_every_verb_that_works_on_a_repository_is_offered() -> None:
    """And under its own name, but for those that are words of Python or not one function."""
    named = {VERB_OF.get(name, name) for name in OFFERED}

    assert set(VERBS) - named == {"mcp", "web", "completion", "demo"}


@pytest.mark.parametrize("name", [name for name in OFFERED if name != "maintain"])
def test_answers_are_typed_to_the_last_field(name: str) -> None:
    """A caller whose editor knows the answer makes no typing mistakes."""
    names = vars(answers) | {"Iterator": Iterator, "Workspace": Workspace, "Path": Path}
    hints = get_type_hints(getattr(Treering, name), localns=names | {"Person": Person})

    assert list(_untyped(hints["return"], name)) == []


def test_whoever_writes_can_be_named(repo: Repo) -> None:
    """With what the package itself offers."""
    tr = Treering.open(repo.path, person=Person("Eve", "eve@example.org"))

    made = tr.remember("Eve was here")

    assert tr.read(made.id).author == "Eve <eve@example.org>"
    assert all(hasattr(treering, name) for name in treering.__all__)


# --- the examples ---------------------------------------------------------------------------------


@pytest.fixture
def place(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What examples may use: a repository with a remote, a branch, a branch that was thrown away,
    and an empty folder."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "origin.git")], check=True)
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    repo.git("push", "-q", "origin", "main")
    repo.commit_file("db.py")
    for branch in ("try", "gone"):
        repo.git("branch", branch)
    repo.tr.remember("Threads made it slower", branch="gone")
    repo.git("branch", "-D", "gone")
    repo.tr.gc(force=True)
    monkeypatch.chdir(repo.path)
    folder = tmp_path / "folder"
    folder.mkdir()
    return {"tr": repo.tr, "Treering": Treering, "folder": folder}


def _examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(recurse=False)
    documented = {"Treering": Treering} | {name: getattr(Treering, name) for name in OFFERED}
    found = [finder.find(item, name, globs={}) for name, item in documented.items()]
    return [example for examples in found for example in examples]


def test_every_method_has_an_example() -> None:
    assert {example.name for example in _examples() if example.examples} == {"Treering", *OFFERED}


@pytest.mark.parametrize("example", _examples(), ids=lambda example: example.name)
def test_the_example_is_true(example: doctest.DocTest, place: dict[str, Any]) -> None:
    """On a real repository."""
    said: list[str] = []

    example.globs.update(place)
    doctest.DocTestRunner().run(example, out=said.append)

    assert "".join(said) == ""


# --- the answers ----------------------------------------------------------------------------------


def test_mappings_are_what_their_types_say(repo: Repo, tmp_path: Path) -> None:
    """They are written by hand, so they are compared with real answers."""
    tr = Treering(Workspace.open(repo.path, clock=repo.clock, user_folder=tmp_path / "own"))
    repo.commit_file("db.py")
    made = tr.remember(
        "Ada moved sessions to Redis", type="decision", tags=["db"], files=["db.py"],
        topic="backend/db", reasoning="It is faster.",
    )  # fmt: skip
    two = tr.remember("Redis needs a password", type="security", links=[f"affects:{made.id}"])
    tr.forget([two.id])
    tr.checkpoint("save", summary="Half done", next_steps=["the rest"], open_files=["db.py"])
    repo.commit_file("later.py")
    tr.entities("add", name="Valkey", kind="technology", properties={"port": 6379})
    tr.prompts("save", name="review", content="Review {{file}}.", tags=["code"])

    told: list[tuple[Any, Any]] = [
        (answers.ExportedMemory, next(m for m in tr.exported(all=True) if m["id"] == made.id)),
        (answers.CheckpointLoaded, tr.checkpoint("load")),
        (answers.ContextAnswer, tr.context(task="Redis", files=["db.py"])),
        (answers.EntitiesExtracted, tr.entities("extract", text="Ada uses Redis", store=True)),
        (answers.EntityList, tr.entities("list")),
        (answers.EntityFound, tr.entities("get", name="Valkey")),
        (answers.EntityAdded, tr.entities("add", name="Valkey")),
        (answers.EntitiesMerged, tr.entities("merge", ids=["Redis", "Valkey"])),
        (answers.EntitiesDeleted, tr.entities("delete", name="Valkey")),
        (answers.PromptList, tr.prompts("list")),
        (answers.PromptFound, tr.prompts("get", name="review")),
        (answers.PromptText, tr.prompts("run", name="review", variables={"file": "db.py"})),
        (answers.PromptSaved, tr.prompts("save", name="own", content="Text", domain="user")),
        (answers.PromptDeleted, tr.prompts("delete", name="review", domain="project")),
        (answers.StatusSummary, tr.status()),
        (answers.StatusTypes, tr.status(view="types")),
        (answers.StatusTopics, tr.status(view="topics")),
        (answers.StatusTags, tr.status(view="tags")),
        (answers.StatusFiles, tr.status(view="files")),
        (answers.StatusBranches, tr.status(view="branches")),
        (answers.StatusOutputs, tr.status(view="outputs")),
        (answers.StatusReview, tr.status(view="review")),
        (answers.StatusHealth, tr.status(view="health")),
        (answers.Remembered, made),
        (answers.Recalled, tr.recall("Redis", detail="full")),
        (answers.Card, tr.read(made.id, history=True)),
        (answers.Maintained[answers.GcAnswer], tr.maintain("gc")),
        (answers.Maintained[answers.Enrichment], tr.maintain("enrich")),
    ]

    for kind, answer in told:
        assert list(_misfits(answer, kind, str(kind))) == []


def _fields(kind: Any) -> dict[str, Any] | None:
    """The fields of a record or the keys of a mapping, where there are some."""
    plain = get_origin(kind) or kind
    is_record = is_dataclass(plain) or hasattr(plain, "_fields")
    if not (isinstance(plain, type) and (is_record or is_typeddict(plain))):
        return None
    given = get_args(kind)
    return {
        name: given[0] if isinstance(hint, TypeVar) and given else hint
        for name, hint in get_type_hints(plain).items()
    }


def _untyped(kind: Any, where: str, seen: tuple[Any, ...] = ()) -> Any:
    """Every place below a type where anything may stand."""
    if kind is Any:
        yield where
    if kind in seen:
        return
    for name, hint in (_fields(kind) or {}).items():
        yield from _untyped(hint, f"{where}.{name}", (*seen, kind))
    for part in get_args(kind):
        if not isinstance(part, str):
            yield from _untyped(part, where, (*seen, kind))


def _misfits(value: Any, kind: Any, where: str) -> Any:
    """Every place where an answer is not what its type says."""
    origin, parts, fields = get_origin(kind), get_args(kind), _fields(kind)
    if fields is not None:
        yield from _misfits_of_fields(value, origin or kind, fields, where)
    elif origin in (Union, UnionType):
        if all(list(_misfits(value, part, where)) for part in parts):
            yield f"{where}: {value!r:.80} is none of {parts}"
    elif origin is Literal:
        if value not in parts:
            yield f"{where}: {value!r}"
    elif origin is not None and not isinstance(value, origin):
        yield f"{where}: {value!r:.80} is no {kind}"
    elif origin in (list, tuple, Sequence):
        for item in value:
            yield from _misfits(item, parts[0], where)
    elif origin in (dict, Mapping):
        for key, item in value.items():
            yield from _misfits(key, parts[0], where)
            yield from _misfits(item, parts[1], f"{where}[{key}]")
    elif not isinstance(value, (int, float) if kind is float else kind or NoneType):
        yield f"{where}: {value!r:.80} is no {kind}"


def _misfits_of_fields(value: Any, kind: Any, fields: dict[str, Any], where: str) -> Any:
    if not is_typeddict(kind):
        if not isinstance(value, kind):
            yield f"{where}: {value!r:.80} is no {kind}"
            return
        value = {name: getattr(value, name) for name in fields}
    elif unknown := value.keys() - fields.keys():
        yield f"{where} has {unknown}, which its type does not know"
    elif missing := kind.__required_keys__ - value.keys():
        yield f"{where} has no {missing}"
    for name, hint in fields.items():
        if name in value:
            yield from _misfits(value[name], hint, f"{where}.{name}")
