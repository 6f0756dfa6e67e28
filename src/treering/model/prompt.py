"""A prompt or template someone saved under a name, as a value and as bytes.

Deleting one leaves a document marked deleted in its place, as with memories: on a branch it hides
the trunk's, and once the branch has landed it is deleted there too.
"""

from typing import Any, NamedTuple

from treering.errors import Invalid, InvalidDocument
from treering.model import document
from treering.model.choices import PROMPT_KINDS
from treering.model.memory import is_name
from treering.model.template import MAX_SOURCE

_LONGEST_DESCRIPTION = 1000


class Prompt(NamedTuple):
    """`content` is a template in both kinds: a prompt is run, a template renders memories."""

    name: str
    kind: str
    content: str
    description: str = ""
    tags: tuple[str, ...] = ()
    modified: str = ""
    is_deleted: bool = False


def check_name(text: str) -> str:
    """A name as it may be used in a path, or Invalid."""
    name = text.strip()
    if not is_name(name):
        raise Invalid(
            f"{text[:80]!r} is not a name for a prompt.",
            hint="Lower-case words joined by dashes, such as code-review.",
        )
    return name


def dump(prompt: Prompt) -> bytes:
    """The one way to write this prompt."""
    fields: dict[str, Any] = {"name": prompt.name, "kind": prompt.kind}
    fields |= {"description": prompt.description} if prompt.description else {}
    fields |= {"tags": list(prompt.tags)} if prompt.tags else {}
    fields |= {"status": "deleted"} if prompt.is_deleted else {}
    fields |= {"modified": prompt.modified} if prompt.modified else {}
    return document.join(fields, prompt.content)


def parse(data: bytes) -> Prompt:
    """The prompt in these bytes, or InvalidDocument; keys we do not know are passed over."""
    fields, content = document.split(data)
    for name in ("name", "kind"):
        if name not in fields:
            raise InvalidDocument("missing-field", f"The field {name!r} is missing.")
    tags = fields.get("tags", [])
    prompt = Prompt(
        name=_text(fields, "name"),
        kind=_text(fields, "kind"),
        content=content,
        description=_text(fields, "description"),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        modified=_text(fields, "modified"),
        is_deleted=fields.get("status") == "deleted",
    )
    _check(prompt)
    return prompt


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise InvalidDocument("wrong-type", f"The field {name!r} is not text: {value!r:.60}.")
    return value


def _check(prompt: Prompt) -> None:
    sound = (
        is_name(prompt.name)
        and prompt.kind in PROMPT_KINDS
        and len(prompt.content) <= MAX_SOURCE
        and len(prompt.description) <= _LONGEST_DESCRIPTION
    )
    if not sound:
        raise InvalidDocument("bad-value", "The name, kind or size of a prompt is not allowed.")
