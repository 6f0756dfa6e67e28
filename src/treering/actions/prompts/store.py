"""Where prompts and templates are kept: the project's are memories of its branches, the user's are
files in a folder of their own, for all repositories."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from treering.actions.workspace import Change, Workspace, Writing
from treering.errors import Invalid, StorageFailed, TreeringError
from treering.git.files import read_plain, replace_file
from treering.git.objects import blob_id
from treering.model import document
from treering.model.choices import PROMPT_KINDS
from treering.model.memory import Memory
from treering.model.prompt import Prompt, prompt_id, prompt_of
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
