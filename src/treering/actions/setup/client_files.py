"""Files of agents' clients, in the work tree: something added, taken back, everything else kept.

A file is changed by inserting text. While nobody else has touched it since, taking back is cutting
that text out again, byte for byte; later, only what is still ours goes.
"""

import contextlib
import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from treering.actions.setup.clients import AGENTS, CLIENTS, SILENTLY, Addition, JsonEdit, whole
from treering.actions.setup.traces import ClientFile, InitRecord
from treering.errors import Invalid, StorageFailed
from treering.git.files import read_plain, replace_file
from treering.git.repository import Repository
from treering.text import json_text
from treering.text.json_text import Insertion

_AGENTS_START, _AGENTS_END = "<!-- treering:start -->", "<!-- treering:end -->"


class EditedFile(NamedTuple):
    """A file and the text that goes into it."""

    path: str
    before: str | None
    insertions: tuple[Insertion, ...]

    @property
    def after(self) -> str:
        text = self.before or ""
        for insertion in self.insertions:
            text = json_text.apply(text, insertion)
        return text


def plan_files(
    repository: Repository, additions: Sequence[Addition]
) -> tuple[list[EditedFile], list[str]]:
    """The files that lack something, and those that have to be edited by hand."""
    files, notes = [], []
    for addition in additions:
        try:
            edit = _edit(repository, addition)
        except Invalid as reason:
            notes.append(
                f"{addition.path} was left as it is. {reason.message} "
                f"Add this by hand:\n{whole(addition)}"
            )
            continue
        if edit.insertions:
            files.append(edit)
    return files, notes


def _edit(repository: Repository, addition: Addition) -> EditedFile:
    before = _read(_in_work_tree(_top(repository), addition.path))
    if before is None or not before.strip("\ufeff \t\r\n"):
        return EditedFile(addition.path, before, (Insertion(len(before or ""), whole(addition)),))
    if addition.is_own:
        if before != addition.text:
            raise Invalid("It is not what this version writes. Delete it and run init again.")
        return EditedFile(addition.path, before, ())
    insertions = tuple(
        _json_insertions(before, addition.edits)
        if addition.edits
        else _text_insertions(before, addition)
    )
    return EditedFile(addition.path, before, insertions)


def _top(repository: Repository) -> Path:
    return (repository.workdir or repository.common_dir).resolve()


def _in_work_tree(top: Path, path: str) -> Path:
    """A file below the top; a link out of the work tree, or into `.git`, is not followed."""
    file = top / path
    place = file.resolve()
    if not place.is_relative_to(top) or place.is_relative_to(top / ".git"):
        raise Invalid("It is a link that leads out of the work tree.")
    return file


def _read(path: Path) -> str | None:
    try:
        return read_plain(path.resolve()).decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise Invalid("It is not UTF-8.") from error
    except OSError as error:
        raise Invalid(f"It cannot be read ({error.strerror}).") from error


def _json_insertions(text: str, edits: Sequence[JsonEdit]) -> list[Insertion]:
    insertions = []
    for edit in edits:
        if edit.is_for_new_files or _has(json_text.parse(text), edit):
            continue
        put = json_text.put_item if edit.is_item else json_text.put_member
        insertion = put(text, edit.path, edit.value)
        insertions.append(insertion)
        text = json_text.apply(text, insertion)
    return insertions


def _has(value: object, edit: JsonEdit) -> bool:
    """Return whether it is there: a member of that name, or a hook that makes the same call."""
    for key in edit.path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    if not edit.is_item:
        return True
    call = _hook_commands(edit.value)[0].removesuffix(SILENTLY)
    items = value if isinstance(value, list) else []
    return any(call in command for item in items for command in _hook_commands(item))


def _hook_commands(item: Any) -> list[str]:
    """The commands of a hook, or of a group of hooks; a plugin is named by its path."""
    if isinstance(item, str):
        return [item]
    hooks = item.get("hooks", [item]) if isinstance(item, dict) else []
    commands = [hook.get("command") for hook in hooks if isinstance(hook, dict)]
    return [command for command in commands if isinstance(command, str)]


def _text_insertions(text: str, addition: Addition) -> list[Insertion]:
    if addition is AGENTS:
        if _AGENTS_START in text:
            return []
        return [Insertion(len(text), _gap(text) + addition.text)]
    insertion = Insertion(len(text), _gap(text) + addition.text)
    try:
        if "treering" in tomllib.loads(text).get("mcp_servers", {}):
            return []
        tomllib.loads(json_text.apply(text, insertion))
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise Invalid("A table cannot be added at its end.") from error
    return [insertion]


def _gap(text: str) -> str:
    """Return what separates an addition from what stands before it: one empty line."""
    return "\n" if text.endswith("\n") else "\n\n"


# --- writing and taking back ----------------------------------------------------------------------


def write(repository: Repository, file: EditedFile, traces: InitRecord) -> None:
    top = _top(repository)
    path = _in_work_tree(top, file.path)
    record = traces.files.get(str(path))
    is_untouched = record is not None and record.digest == _digest(file.before or "")
    new_folders = _make_folders(top, path.parent)
    _write(path, file.after)
    earlier = record.insertions if record and is_untouched else ()
    traces.files[str(path)] = ClientFile(
        top=str(top),
        path=file.path,
        # Where others edited the file meanwhile, offsets of before mean nothing.
        insertions=(*earlier, *file.insertions) if is_untouched or not record else (),
        digest=_digest(file.after) if is_untouched or not record else "",
        is_created=file.before is None or bool(record and record.is_created),
        folders=(*(record.folders if record else ()), *new_folders),
    )


def _make_folders(top: Path, folder: Path) -> list[str]:
    """Make what is missing of a folder, and name it, innermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir()
    return [str(path.relative_to(top)) for path in missing]


def _write(path: Path, text: str) -> None:
    """A link stays a link, the mode stays."""
    target = path.resolve()
    try:
        mode = target.stat().st_mode & 0o7777 if target.exists() else None
        replace_file(target, text.encode(), mode=mode)
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class RestoredFile(NamedTuple):
    """A file without what was ours; None: it goes."""

    top: Path
    path: str
    text: str | None
    folders: tuple[str, ...] = ()


def to_take_back(
    repository: Repository, traces: InitRecord
) -> tuple[list[RestoredFile], list[str]]:
    """Return what every file that has something of ours should be without it."""
    files, notes = [], []
    for record in reversed(traces.files.values()):
        path = record.path
        # The work tree it was written to, or this one where that was moved away.
        top = top if (top := Path(record.top)).exists() else _top(repository)
        try:
            text = _read(_in_work_tree(top, path))
        except Invalid as reason:
            notes.append(f"{path} was left as it is. {reason.message}")
            continue
        if text is None:
            continue
        rest = _cut_out(text, record) if _digest(text) == record.digest else _without(text, path)
        if record.is_created and rest.strip() in ("", "{}"):
            files.append(RestoredFile(top, path, None, record.folders))
        elif rest != text:
            files.append(RestoredFile(top, path, rest))
        if "treering" in rest:
            notes.append(f"{path} still names treering in a place that others edited.")
    return files, notes


def _cut_out(text: str, record: ClientFile) -> str:
    """The text as it was, insertions undone from the last to the first."""
    for at, put in reversed(record.insertions):
        text = text[:at] + text[at + len(put) :]
    return text


def _without(text: str, path: str) -> str:
    """The text without what is ours, whatever else became of it. JSON is written anew, unless it
    has comments: then it stays."""
    for addition in (AGENTS, *(a for client in CLIENTS.values() for a in client.additions)):
        if addition.path != path:
            continue
        if addition.edits:
            with contextlib.suppress(Invalid):
                value = json_text.parse(text)
                changes = [_drop(value, edit) for edit in reversed(addition.edits)]
                text = json_text.rewrite(text, value) if any(changes) else text
        text = _without_text(text, addition)
    return text


def _drop(value: object, edit: JsonEdit) -> bool:
    """Take one edit out of a parsed file, with objects and lists that become empty by that."""
    holders: list[tuple[dict[str, object], str]] = []
    for key in edit.path:
        if not isinstance(value, dict) or key not in value:
            return False
        holders.append((value, key))
        value = value[key]
    if edit.is_item:
        (command,) = _hook_commands(edit.value)
        items = value if isinstance(value, list) else []
        rest = [item for item in items if _hook_commands(item) != [command]]
        if len(rest) == len(items):
            return False
        holder, key = holders[-1]
        holder[key] = rest
        if rest:
            return True
    elif len(edit.path) == 1 and len(holders[0][0]) > 1:
        return False  # the file's own; it goes with the file, if that was ours
    for holder, key in reversed(holders):
        del holder[key]
        if holder:
            break
    return True


def _without_text(text: str, addition: Addition) -> str:
    start, end = text.find(_AGENTS_START), text.find(_AGENTS_END)
    if addition is AGENTS and 0 <= start < end:
        rest = text[end + len(_AGENTS_END) :].removeprefix("\n")
        return text[:start].removesuffix("\n") + rest if text[:start].strip() else rest
    if addition.text and addition is not AGENTS:
        for gap in ("\n\n", "\n", ""):
            if gap + addition.text in text:
                return text.replace(gap + addition.text, "\n" if gap == "\n\n" else "", 1)
    return text


def take_back(file: RestoredFile) -> None:
    path = _in_work_tree(file.top, file.path)
    if file.text is not None:
        _write(path, file.text)
        return
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    for folder in file.folders:
        with contextlib.suppress(OSError):  # something else is in it
            (file.top / folder).rmdir()
