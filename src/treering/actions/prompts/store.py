"""Where prompts and templates are kept: the project's are memories of its branches, the user's are
files in a folder of their own, for all repositories."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from treering.actions.origin import YOU, name_people, origin_of
from treering.actions.workspace import Change, Workspace, Writing
from treering.errors import Invalid, StorageFailed, TreeringError
from treering.git.files import read_plain, replace_file
from treering.git.objects import blob_id
from treering.model import document
from treering.model.choices import PROMPT_KINDS
from treering.model.memory import Memory
from treering.model.prompt import Prompt, prompt_id, prompt_of
from treering.model.provenance import SOMEONE, Contributor
from treering.model.taxonomy import SAVED_TYPES
from treering.search.entry import Entry


class SavedPrompt(NamedTuple):
    """A prompt as found: whose it is, on which branch (empty for the user's), which version."""

    prompt: Prompt
    domain: str
    branch: str
    version: str


class PromptStore:
    """Both places, as seen from one branch."""

    def __init__(self, workspace: Workspace, branch: str = "") -> None:
        self._workspace = workspace
        self._branch = branch

    def find(self, domain: str, kind: str, name: str) -> SavedPrompt | None:
        if domain == "user":
            folder = self._workspace.user_folder
            return _read_own(_file(folder, kind, name)) if folder else None
        place = self._workspace.view(self._branch).place(prompt_id(kind, name))
        prompt = prompt_of(place.try_memory()) if place else None
        if place is None or prompt is None:
            return None
        return SavedPrompt(prompt, "project", place.layer.branch, place.blob)

    def all(self) -> Iterator[SavedPrompt]:
        searcher = self._workspace.searcher
        search_view = searcher.knowledge_view(self._workspace.view(self._branch), with_saved=True)
        for entry in search_view.entries():
            if entry.type in SAVED_TYPES and (found := self.find("project", *_name(entry))):
                yield found
        if folder := self._workspace.user_folder:
            for kind in PROMPT_KINDS:
                for file in sorted((folder / f"{kind}s").glob("*.md")):
                    if own := _read_own(file):
                        yield own

    def save(self, domain: str, prompt: Prompt) -> SavedPrompt:
        """Write a prompt; one that is there already as it is stays as it is."""
        old = self.find(domain, prompt.kind, prompt.name)
        if old and old.prompt == prompt:
            return old
        if domain == "user":
            return self._write_own(prompt)

        def attempt(writing: Writing) -> SavedPrompt:
            place = writing.view.place(prompt.id)
            memory = self._as_memory(prompt, place.try_memory() if place else None)
            blobs = writing.commit(
                "revise" if place else "remember", [Change(memory, place, False)]
            )
            return SavedPrompt(prompt, "project", writing.scope.branch, blobs[memory.id])

        return self._workspace.write(self._branch, attempt)

    def delete(self, entry: SavedPrompt) -> None:
        """Take a prompt away; one of the project is forgotten, as any memory is."""
        if entry.domain == "user":
            folder = _own_folder(self._workspace)
            _file(folder, entry.prompt.kind, entry.prompt.name).unlink(missing_ok=True)
            return

        def attempt(writing: Writing) -> None:
            if place := writing.view.place(entry.prompt.id):
                memory = place.memory().forget("").touch(self._workspace.now())
                writing.commit("forget", [Change(memory, place, place.is_private)])

        self._workspace.write(self._branch, attempt)

    def _as_memory(self, prompt: Prompt, existing: Memory | None) -> Memory:
        return prompt.as_memory(self._workspace.now(), str(self._workspace.person), existing)

    def _write_own(self, prompt: Prompt) -> SavedPrompt:
        """Beside it and moved into place: a crash leaves the old one."""
        file = _file(_own_folder(self._workspace), prompt.kind, prompt.name)
        data = document.dump(self._as_memory(prompt, None))
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(file, data, mode=0o600, is_synced=True)
        except OSError as error:
            raise StorageFailed(f"{file} cannot be written: {error.strerror}.") from error
        return SavedPrompt(prompt, "user", "", blob_id(data))


def _name(entry: Entry) -> tuple[str, str]:
    return entry.type, entry.title


def _file(folder: Path, kind: str, name: str) -> Path:
    return folder / f"{kind}s" / f"{name}.md"


def _own_folder(workspace: Workspace) -> Path:
    if workspace.user_folder is None:
        raise Invalid(
            "There is no folder for your own prompts.",
            hint="In Python: Treering.open(path, user_folder=...).",
        )
    return workspace.user_folder


def _read_own(file: Path) -> SavedPrompt | None:
    """One of the user's own; the file's name and folder decide, not what it says of itself."""
    try:
        data = read_plain(file.resolve())  # a link of the user's own is followed
        prompt = prompt_of(document.parse(data))
    except (OSError, TreeringError):
        return None
    if prompt is None or (f"{prompt.kind}s", prompt.name) != (file.parent.name, file.stem):
        return None
    return SavedPrompt(prompt, "user", "", blob_id(data))


_MOST = 1_000
_FILE = "prompts.json"


class PromptRuns:
    """The versions last run, by prompt: a small file that may be lost at the cost of a warning."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def note(self, entry: SavedPrompt) -> None:
        """The user knows this version by now."""
        runs = self._load()
        if entry.domain == "project" and runs.get(_key(entry)) != entry.version:
            runs.pop(_key(entry), None)
            runs[_key(entry)] = entry.version
            self._workspace.state.write_json(_FILE, dict(list(runs.items())[-_MOST:]))

    def warnings(self, entry: SavedPrompt) -> list[str]:
        """What to tell about a version before it is run."""
        people = writers_of(self._workspace, entry)
        last = self._load().get(_key(entry), "")
        if not people or last == entry.version or origin_of(self._workspace, people) == YOU:
            return []
        others = [person for person in people if origin_of(self._workspace, [person]) != YOU]
        who = " and ".join(name_people(others)) or "Someone"
        name = f"the project's {entry.prompt.kind} {entry.prompt.name}"
        if last:
            return [f"{who} changed {name} since you last ran it: read it first."]
        return [f"{who} wrote {name}, and you have not run it before: read it first."]

    def _load(self) -> dict[str, str]:
        versions = self._workspace.state.read_json(_FILE)
        if not isinstance(versions, dict):
            return {}
        return {str(key): str(version) for key, version in versions.items()}


def writers_of(workspace: Workspace, entry: SavedPrompt) -> tuple[Contributor, ...]:
    """Those whose words a project's prompt holds, the creator first; nobody for the user's own."""
    if entry.domain == "user":
        return ()
    version = workspace.ledger.version(entry.version)
    return version.people if version else (SOMEONE,)


def owner_of(workspace: Workspace, entry: SavedPrompt) -> str:
    """Whose a prompt is, as its commits tell."""
    people = writers_of(workspace, entry)
    return next(iter(name_people(people[:1])), "unknown") if people else YOU


def _key(entry: SavedPrompt) -> str:
    return f"{entry.prompt.kind}s/{entry.prompt.name}"
