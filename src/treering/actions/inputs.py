"""Arguments of callers made ready: cleaned, checked, in the form a memory keeps them."""

import os
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from treering.actions.workspace import Position, Workspace
from treering.call import Advice, Option
from treering.errors import Invalid
from treering.model.memory import MAX_CONTENT, FileRef, Link, Memory, title_of, trim
from treering.model.taxonomy import RELATIONS
from treering.store.view import Copy, View
from treering.text.hygiene import clean, clean_line, must_be_utf8

CLEAR = "-"


def clean_content(text: str, name: str = "content") -> str:
    """Content without hidden characters and outer blank lines; empty or huge is invalid."""
    content = trim(clean(must_be_utf8(text, "content")))
    if not content:
        raise Invalid(
            "There is no content to remember.",
            hint=Advice("Give it as {}.", Option(name, is_word=True)),
        )
    if len(content.encode()) > MAX_CONTENT:
        raise Invalid(
            f"The content is longer than {MAX_CONTENT // 1024} KB.",
            hint=Advice("Remember what matters in it, and name the file with {}.", Option("files")),
        )
    return content


def draft_memory(
    workspace: Workspace, type: str, content: str, *, title: str = "", caller: str = "", **more: Any
) -> Memory:
    """Return a memory that somebody says now, without an id; `caller` is the agent that says it."""
    now = workspace.now()
    return Memory(
        id="",
        type=type,
        title=title or title_of(content),
        content=content,
        created=now,
        modified=now,
        source="agent" if caller else "person",
        author=str(workspace.person),
        agent=caller,
        **more,
    )


def line_given(text: str, what: str) -> str:
    return clean_line(must_be_utf8(text, what))


def text_given(text: str, what: str) -> str:
    return clean(must_be_utf8(text, what)).strip()


def topic_given(text: str) -> str:
    segments = (segment.strip() for segment in line_given(text, "topic").split("/"))
    return "/".join(segment for segment in segments if segment)


def tags_given(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as typed, commas as separators too, each once."""
    words = (line_given(word, "tag") for tag in tags for word in tag.split(","))
    return tuple(dict.fromkeys(word for word in words if word))


def files_given(
    workspace: Workspace, position: Position, paths: Iterable[str]
) -> tuple[FileRef, ...]:
    """Paths inside the repository, each with the blob it is now.

    That is the file as it lies in the work tree: whoever writes a memory while editing means the
    text about to be committed. For another branch, or in a bare repository, the committed one.
    """
    names = dict.fromkeys(path_given(workspace, path) for path in paths if path)
    if not names:
        return ()
    blobs = {name: _committed_blob(workspace, position, name) for name in names}
    work_tree = _edited_blobs(workspace, position, blobs)
    return tuple(FileRef(name, work_tree.get(name) or blob) for name, blob in blobs.items())


def path_given(workspace: Workspace, path: str) -> str:
    """A path as the repository names it, or Invalid for one outside of it."""
    text = must_be_utf8(path, "file")
    root = workspace.repository.workdir
    if root and os.path.isabs(text):
        text = os.path.relpath(os.path.realpath(text), os.path.realpath(root))
    normal = os.path.normpath(text).replace(os.sep, "/")
    if normal in (".", "..") or normal.startswith(("../", "/")) or not normal.isprintable():
        raise Invalid(f"{path!r} is not a file inside the repository.")
    return str(PurePosixPath(normal))


def warn_missing_files(
    workspace: Workspace, position: Position, files: Iterable[FileRef]
) -> tuple[str, ...]:
    """A warning for each file that is neither committed nor in the work tree, with near names.

    It may be about to be made, so it is no error. More often it is mistyped.
    """
    missing = [file.path for file in files if not _is_there(workspace, position, file)]
    if not missing:
        return ()
    from treering.git.diff import list_paths
    from treering.model.spelling import list_near_paths

    there = list_paths(workspace.repository, position.head) if position.head else []
    warnings = []
    for path in missing:
        near = " or ".join(list_near_paths(path, there))
        question = f" Did you mean {near}?" if near else ""
        warnings.append(f"There is no file {path} here.{question}")
    return tuple(warnings)


def _is_there(workspace: Workspace, position: Position, file: FileRef) -> bool:
    """Return whether a file or a folder has this name."""
    repository = workspace.repository
    if file.blob or (position.head and repository.has_path(position.head, file.path)):
        return True
    root = repository.workdir
    is_here = repository.head().commit == position.head
    return bool(root and is_here and os.path.lexists(root / file.path))


def _committed_blob(workspace: Workspace, position: Position, path: str) -> str:
    blob = workspace.repository.blob_at(position.head, path) if position.head else None
    return blob or ""


def _edited_blobs(
    workspace: Workspace, position: Position, names: dict[str, str]
) -> dict[str, str]:
    """The blob ids of files as they lie in the work tree."""
    repository = workspace.repository
    root, head = repository.workdir, repository.head()
    if root is None or head.commit != position.head:
        return {}
    blobs = {}
    for name in names:
        file = root / name
        if file.is_file() and not file.is_symlink() and (blob := repository.hash_file(name)):
            blobs[name] = blob
    return blobs


def memories_given(view: View, ids: str | Iterable[str]) -> list[Copy]:
    """Memories by their ids, commas as separators too, each once."""
    texts = [ids] if isinstance(ids, str) else ids
    places = [view.find(word) for text in texts for word in text.split(",") if word.strip()]
    return list({place.id: place for place in places}.values())


def relation_given(text: str) -> str:
    """A relation as a person types it: one we know in our spelling, any other as written."""
    word = line_given(text, "relation")
    name = word.lower().replace("-", "_").replace(" ", "_")
    return name if name in RELATIONS else word


def links_given(view: View, links: Sequence[str]) -> tuple[Link, ...]:
    """Links written as `relation:id`, each to a memory that can be seen."""
    edges: dict[tuple[str, str], Link] = {}
    for text in links:
        relation, colon, target = text.rpartition(":")
        word = relation_given(relation) if colon else "relates_to"
        link = Link(relation=word, target=view.find(target).id)
        edges[link.relation, link.target] = link
    return tuple(edges.values())
