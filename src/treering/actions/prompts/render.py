"""Memories as templates see them, and rendered text as markdown, JSON or XML."""

import json
from typing import TypedDict
from xml.sax.saxutils import escape, quoteattr

#: Names that treering fills in itself.
RESERVED = frozenset(("memories", "query", "branch", "count"))


class TemplateMemory(TypedDict):
    """What can be said of a memory in a template. `namespace` is another word for its type."""

    id: str
    uri: str
    type: str
    namespace: str
    title: str
    content: str
    branch: str
    tags: list[str]
    topic: str
    status: str
    confidence: float
    created: str
    modified: str
    author: str
    score: float
    why: list[str]
    stale: str
    outcome: str
    outdated_by: str
    newer: str
    reverted: str


MEMORY_FIELDS = TemplateMemory.__required_keys__


class TemplateMemories(list[TemplateMemory]):
    """Memories as a template's list; put into text as a whole they are a markdown list."""

    def as_text(self) -> str:
        return "\n".join(_bullet(memory) for memory in self)


def _bullet(memory: TemplateMemory) -> str:
    lines = memory["content"].splitlines() or [""]
    mark = f", outdated by {memory['outdated_by']}" if memory["outdated_by"] else ""
    mark += f", newer: {memory['newer']}" if memory["newer"] else ""
    mark += f", reverted by {memory['reverted'][:12]}" if memory["reverted"] else ""
    head = f"- **{memory['title']}** ({memory['type']}, {memory['id']}{mark})"
    if lines == [memory["title"]]:
        return head
    return "\n".join([head, *(f"  {line}".rstrip() for line in lines)])


def wrap(format: str, name: str, text: str, memories: TemplateMemories) -> str:
    """The text as it is, or as data together with the memories it was made from."""
    if format == "json":
        return json.dumps({"name": name, "text": text, "memories": memories}, ensure_ascii=False)
    if format == "xml":
        inner = "".join(_element(memory) for memory in memories)
        return (
            f"<rendered name={quoteattr(name)}><text>{_xml(text)}</text>"
            f"<memories>{inner}</memories></rendered>"
        )
    return text


def _element(memory: TemplateMemory) -> str:
    attributes = " ".join(
        f"{name}={quoteattr(_clean(str(memory[name])))}"
        for name in ("id", "type", "title", "branch", "status", "created")
    )
    return f"<memory {attributes}>{_xml(memory['content'])}</memory>"


def _xml(text: str) -> str:
    return escape(_clean(text))


def _clean(text: str) -> str:
    """Without the few characters that XML has no way to write."""
    return "".join(c for c in text if c >= " " or c in "\t\n\r").translate(
        {0xFFFE: None, 0xFFFF: None}
    )
