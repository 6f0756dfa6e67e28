"""Memories as templates see them, and rendered text as markdown, JSON or XML."""

import json
from xml.sax.saxutils import escape, quoteattr

from treering.actions.card import Card

#: Names that treering fills in itself.
RESERVED = frozenset(("memories", "query", "branch", "count"))


#: Fields of a card that a template may name as they are.
_CARD_FIELDS = (
    "id", "uri", "type", "title", "branch", "topic", "status", "confidence", "created", "modified",
    "author", "score",
)  # fmt: skip
TemplateMemory = dict[str, str | float | list[str]]


def as_template_memory(card: Card, content: str) -> TemplateMemory:
    """Say of a memory what a template can: texts, numbers and lists of texts. `namespace` is
    another word for its type."""
    fields = card._asdict()
    return {name: fields[name] for name in _CARD_FIELDS} | {
        "namespace": card.type,
        "content": content,
        "tags": list(card.tags),
        "why": list(card.why or ()),
        "stale": card.stale.state if card.stale else "",
        "outcome": card.outcome or "",
        "outdated_by": card.outdated_by.id if card.outdated_by else "",
        "newer": card.newer.id if card.newer else "",
        "reverted": card.reverted.commit if card.reverted else "",
    }


MEMORY_FIELDS = frozenset(_CARD_FIELDS) | {
    "namespace", "content", "tags", "why", "stale", "outcome", "outdated_by", "newer", "reverted",
}  # fmt: skip


class TemplateMemories(list[TemplateMemory]):
    """Memories as a template's list; put into text as a whole they are a markdown list."""

    def as_text(self) -> str:
        return "\n".join(_bullet(memory) for memory in self)


def _bullet(memory: TemplateMemory) -> str:
    lines = str(memory["content"]).splitlines() or [""]
    mark = f", outdated by {memory['outdated_by']}" if memory["outdated_by"] else ""
    mark += f", newer: {memory['newer']}" if memory["newer"] else ""
    mark += f", reverted by {str(memory['reverted'])[:12]}" if memory["reverted"] else ""
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
    return f"<memory {attributes}>{_xml(str(memory['content']))}</memory>"


def _xml(text: str) -> str:
    return escape(_clean(text))


def _clean(text: str) -> str:
    """Without the few characters that XML has no way to write."""
    return "".join(c for c in text if c >= " " or c in "\t\n\r").translate(
        {0xFFFE: None, 0xFFFF: None}
    )
