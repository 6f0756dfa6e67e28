"""Where prompts and templates are kept: the project's in the scopes of branches, the user's in a
folder of their own."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from treering.actions.plain_files import list_files
from treering.actions.workspace import Workspace, Writing
from treering.errors import Invalid, StorageFailed, TreeringError
from treering.git.files import replace_file
from treering.git.objects import blob_id
from treering.model import prompt as document
from treering.model.choices import PROMPT_KINDS
from treering.model.prompt import Prompt
from treering.store import layout
from treering.store.view import Copy, View


class SavedPrompt(NamedTuple):
    """A prompt as found: whose it is, on which branch (empty for the user's), which version."""

    prompt: Prompt
    domain: str
    branch: str
    version: str


class Shelves:
    """Both places, as seen from one branch."""

    def __init__(self, workspace: Workspace, branch: str = "") -> None:
        self._workspace = workspace
        self._branch = branch

    def find(self, domain: str, kind: str, name: str) -> SavedPrompt | None:
        if domain == "user":
            folder = self._workspace.user_folder
            return (
                _read(folder / layout.saved_path(layout.saved_key(kind, name))) if folder else None
            )
        return _alive(self._workspace.view(self._branch).saved().get(layout.saved_key(kind, name)))

    def all(self) -> Iterator[SavedPrompt]:
        for place in self._workspace.view(self._branch).saved().values():
            if entry := _alive(place):
                yield entry
        if folder := self._workspace.user_folder:
            for kind in PROMPT_KINDS:
                for file in sorted((folder / layout.SAVED[kind]).glob("*.md")):
                    if layout.name_in(file.name) and (entry := _read(file)):
                        yield entry

    def save(self, domain: str, prompt: Prompt) -> SavedPrompt:
        """Write a prompt; one that is there already as it is stays as it is."""
        old = self.find(domain, prompt.kind, prompt.name)
        if old and old.prompt._replace(modified="") == prompt._replace(modified=""):
            return old
        data = document.dump(prompt)
        document.parse(data)
        if domain == "user":
            return self._write_own(prompt, data)
        return self._put(prompt, data, "save")

    def delete(self, entry: SavedPrompt, now: str) -> None:
        """Take a prompt away. In the project a mark stays in its place, which hides the ones of the
        layers below, and goes where the branch goes."""
        if entry.domain == "user":
            key = layout.saved_key(entry.prompt.kind, entry.prompt.name)
            _own_folder(self._workspace).joinpath(layout.saved_path(key)).unlink(missing_ok=True)
            return
        mark = entry.prompt._replace(is_deleted=True, modified=now)
        self._put(mark, document.dump(mark), "delete")

    def _put(self, prompt: Prompt, data: bytes, op: Literal["save", "delete"]) -> SavedPrompt:
        key = layout.saved_key(prompt.kind, prompt.name)
        subject = f"{op} {prompt.kind} {prompt.name}"
        subject += f": {prompt.description[:100]}" if prompt.description else ""

        def attempt(writing: Writing) -> SavedPrompt:
            below = writing.view.saved().get(key)
            writing.save(op, subject, {key: (data, below)})
            return SavedPrompt(prompt, "project", writing.scope.branch, blob_id(data))

        return self._workspace.write(self._branch, attempt)

    def _write_own(self, prompt: Prompt, data: bytes) -> SavedPrompt:
        """Beside it and moved into place: a crash leaves the old one."""
        key = layout.saved_key(prompt.kind, prompt.name)
        file = _own_folder(self._workspace) / layout.saved_path(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(file, data, mode=0o600, is_synced=True)
        except OSError as error:
            raise StorageFailed(f"{file} cannot be written: {error.strerror}.") from error
        return SavedPrompt(prompt, "user", "", blob_id(data))


def list_saved(view: View, *, every_copy: bool = False) -> Iterator[Copy]:
    """The prompts and templates a view shows, or every copy of them in every layer."""
    if not every_copy:
        yield from view.saved().values()
        return
    for layer in view.layers:
        yield from (Copy(key, blob, layer) for key, blob in layer.snapshot.saved().items())


def prompts_below(folder: Path) -> list[Prompt]:
    """The prompts and templates in an exported folder; what they say of themselves must fit."""
    files = [file for file in list_files(folder, ".md") if is_prompt_file(file)]
    return [entry.prompt for file in files if (entry := _read(file))]


def is_prompt_file(file: Path) -> bool:
    return file.parent.name in layout.SAVED.values() and _read(file) is not None


def import_prompts(workspace: Workspace, prompts: Sequence[Prompt], branch: str) -> None:
    """Put prompts on a branch in one commit; those that are there as they are, are left alone."""

    def attempt(writing: Writing) -> None:
        there = writing.view.saved()
        new = {}
        for prompt in prompts:
            key, data = layout.saved_key(prompt.kind, prompt.name), document.dump(prompt)
            if key not in there or there[key].blob != blob_id(data):
                new[key] = (data, there.get(key))
        if new:
            writing.save("import", f"import {len(new)} prompts", new)

    if prompts:
        workspace.write(branch, attempt)


def _own_folder(workspace: Workspace) -> Path:
    if workspace.user_folder is None:
        raise Invalid(
            "There is no folder for your own prompts.",
            hint="In Python: Treering.open(path, user_folder=...).",
        )
    return workspace.user_folder


def _alive(place: Copy | None) -> SavedPrompt | None:
    if place is None:
        return None
    try:
        prompt = document.parse(place.layer.vault.repository.objects.blob(place.blob))
    except TreeringError:
        return None  # damaged or foreign; doctor's to tell
    is_there = not prompt.is_deleted and place.id == layout.saved_key(prompt.kind, prompt.name)
    return SavedPrompt(prompt, "project", place.layer.branch, place.blob) if is_there else None


def _read(file: Path) -> SavedPrompt | None:
    """One of the user's own; the file's name and folder decide, not what it says of itself."""
    try:
        data = file.read_bytes()
        prompt = document.parse(data)
    except (OSError, TreeringError):
        return None
    here = (layout.SAVED[prompt.kind], prompt.name) == (file.parent.name, file.stem)
    return SavedPrompt(prompt, "user", "", blob_id(data)) if here else None
