"""Texts that have to be written: by the caller, by a program the user named, or by nobody.

treering has no model. Whoever calls may hand in a `Writer` (a client's own model, say); else the
command in `treering.writer.command` is one; else the answer is `needs_model`.
"""

import json
from collections.abc import Callable, Iterable
from typing import TypedDict

from treering.actions import inputs
from treering.actions.workspace import Workspace
from treering.errors import NeedsModel, WriterFailed
from treering.model.dates import duration
from treering.model.memory import MAX_CONTENT, Memory
from treering.text import secrets


class WriterSource(TypedDict):
    """One of the memories a text is to be written about."""

    id: str
    type: str
    title: str
    tags: list[str]
    created: str
    content: str


class WriterRequest(TypedDict):
    """What is wanted, in words, and the memories it is about."""

    op: str
    task: str
    memories: list[WriterSource]


#: Takes what is wanted; gives the text.
Writer = Callable[[WriterRequest], str]

_TASKS = {
    "merge": "Write one text that says everything these memories say, once. "
    "Where they contradict each other, say so. Begin with a line that can serve as title.",
    "summarize": "Write a summary of these memories for someone new to them. "
    "Begin with a line that can serve as title.",
    "enrich": "Write this memory again, better structured and easier to find. "
    "Keep every fact and add none. Begin with a line that can serve as title.",
}


def text_given(content: str) -> str:
    """A text the caller wrote, made ready; one with a credential in it is refused."""
    text = inputs.content_given(content)
    secrets.refuse(text)
    return text


def text_written(
    workspace: Workspace, writer: Writer | None, op: str, memories: Iterable[Memory]
) -> str:
    """A text for an operation about these memories, from whoever is there to write it."""
    writes = writer or _read_setting(workspace)
    if writes is None:
        raise NeedsModel(f"To {op}, a text has to be written.")
    sources = [_show(memory) for memory in memories]
    text = writes({"op": op, "task": _TASKS[op], "memories": sources})
    if not text.strip():
        raise WriterFailed("The writer wrote nothing.")
    return text_given(text)


def is_there(workspace: Workspace, writer: Writer | None) -> bool:
    return writer is not None or _read_setting(workspace) is not None


def _show(memory: Memory) -> WriterSource:
    return {
        "id": memory.id,
        "type": memory.type,
        "title": memory.title,
        "tags": list(memory.tags),
        "created": memory.created,
        "content": memory.content,
    }


def _read_setting(workspace: Workspace) -> Writer | None:
    """The command of git's configuration: the user's own word, as `core.editor` is."""
    repository = workspace.repository
    line = repository.config("treering.writer.command")
    if not line:
        return None
    seconds = duration(repository.config("treering.writer.timeout") or "2min")

    def write(request: WriterRequest) -> str:
        from treering.git.command import answer_of

        feed = json.dumps(request, ensure_ascii=False).encode()
        top = repository.workdir or repository.common_dir
        answer = answer_of(line, feed, cwd=top, seconds=seconds, most=MAX_CONTENT)
        try:
            return answer.decode()
        except UnicodeDecodeError as error:
            raise WriterFailed("The writer's text is not valid UTF-8.") from error

    return write
