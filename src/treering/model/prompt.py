"""Prompts and templates: memories that are saved under a name.

The id comes from type and name, so a name means one memory in every clone. The name is the title.
"""

from typing import NamedTuple

from treering.errors import Invalid
from treering.model.memory import Memory, derive_id, is_name
from treering.model.taxonomy import SAVED_TYPES

_DESCRIPTION = "description"


class Prompt(NamedTuple):
    """`content` is a template in both kinds: a prompt is run, a template renders memories."""

    name: str
    kind: str
    content: str
    description: str = ""
    tags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return prompt_id(self.kind, self.name)

    def as_memory(self, now: str, author: str, existing: Memory | None = None) -> Memory:
        """The memory that keeps it, made from the one that is there under its name."""
        memory = existing or Memory(
            id=self.id, type=self.kind, title=self.name, content="", created=now, modified=now,
            source="person", author=author,
        )  # fmt: skip
        details = {key: value for key, value in memory.details.items() if key != _DESCRIPTION}
        details |= {_DESCRIPTION: self.description} if self.description else {}
        return memory._replace(
            content=self.content, tags=self.tags, details=details, status="active", modified=now
        )


def prompt_of(memory: Memory | None) -> Prompt | None:
    """The prompt that a memory keeps; None where it is none, was deleted, or lies under an id that
    is not that of its name."""
    if memory is None or memory.type not in SAVED_TYPES or memory.is_forgotten:
        return None
    if not is_name(memory.title) or memory.id != prompt_id(memory.type, memory.title):
        return None
    description = memory.details.get(_DESCRIPTION, "")
    text = description if isinstance(description, str) else ""
    return Prompt(memory.title, memory.type, memory.content, text, memory.tags)


def prompt_id(kind: str, name: str) -> str:
    return derive_id(kind, name)


def check_name(text: str) -> str:
    """A name as it may be used in a path, or Invalid."""
    name = text.strip()
    if not is_name(name):
        raise Invalid(
            f"{text[:80]!r} is not a name for a prompt.",
            hint="Lower-case words joined by dashes, such as code-review.",
        )
    return name
