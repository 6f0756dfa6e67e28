"""treering maintain"""

from collections.abc import Callable
from typing import Any

from treering.actions.tidying.maintain import Maintained, maintain
from treering.actions.verbs import VERBS
from treering.cli import shared
from treering.cli.command import load_module
from treering.cli.render import memories, safe, table
from treering.cli.shared import Door

_WRITTEN = ("merge", "summarize")
_NOTHING_DONE = "Nothing was changed. --apply does it."


def run(door_: Door, op: str, content: str, content_file: str, **given: Any) -> Maintained[Any]:
    said = shared.content_if_given(content, content_file)
    return maintain(door_.open(), op, content=said, **given)


def text(done: Maintained[Any]) -> str:
    said = _words_of(done.op)(done.answer).removesuffix("\nNothing was changed.")
    if done.dry_run and done.op in ("restore", "reindex"):
        said = f"dry run: {said}"
    return f"{said}\n{_ending(done)}" if done.dry_run else said


def _ending(done: Maintained[Any]) -> str:
    """What to do next; for a text that is not written yet each group has its own line."""
    groups = getattr(done.answer, "groups", ())
    is_waiting = done.op in _WRITTEN and not any(group.would for group in groups)
    return "Nothing was changed." if is_waiting else _NOTHING_DONE


def _words_of(op: str) -> Callable[[Any], str]:
    """How an operation's answer is told: as its short form tells it, or by the table below."""
    if op in VERBS:
        words: Callable[[Any], str] = load_module(op).text
        return words
    return _TEXTS[op]


def _dedupe(answer: Any) -> str:
    parts = [_groups(answer, "merge", "No two memories say the same.")]
    if answer.removed:
        parts.append(
            f"forgot {memories(len(answer.removed))}, moved {answer.links_moved} links: "
            f"{', '.join(answer.removed)}"
        )
    return "\n".join(parts)


def _merge(answer: Any) -> str:
    parts = [] if answer.merged else [_groups(answer, "merge", "No memories are alike.")]
    parts += [
        f"merged  {m.id}  {safe(m.title)}  (superseded {', '.join(m.superseded)}; "
        f"{m.links_moved} links moved)"
        for m in answer.merged
    ]
    return "\n".join(parts)


def _summarize(answer: Any) -> str:
    parts = (
        [] if answer.summaries else [_groups(answer, "summarize", "No topic has three memories.")]
    )
    parts += [
        f"summarized  {s.id}  {safe(s.title)}  (of {memories(len(s.derived_from))})"
        for s in answer.summaries
    ]
    return "\n".join(parts)


def _groups(answer: Any, op: str, nothing: str) -> str:
    parts = [_group(group, op) for group in answer.groups]
    if answer.total > len(answer.groups):
        parts.append(f"{answer.total - len(answer.groups)} more: --limit shows them.")
    return "\n\n".join(parts) or nothing


def _group(group: Any, op: str) -> str:
    head = "the same" if group.exact else safe(group.about or f"alike {group.score:.2f}")
    lines = [head]
    for memory_id, title in zip(group.ids, group.titles, strict=True):
        mark = "  (kept)" if memory_id == group.keep else ""
        lines.append(f"  {memory_id}  {safe(title)}{mark}")
    if group.would:
        lines.append(f"  would become: {safe(group.would['title'])} ({group.would['type']})")
    elif not group.exact:
        ids = " ".join(f"--id {memory_id}" for memory_id in group.ids)
        lines.append(f"  treering maintain {op} {ids} --content '...' --apply")
    return "\n".join(lines)


def _enrich(answer: Any) -> str:
    parts = []
    for item in answer.memories:
        lines = [f"{item.id}  {safe(item.title)}"]
        if item.changed is not None:
            lines.append(f"  changed {', '.join(item.changed) or 'nothing'}")
        for name, value in item.suggest.items():
            words = value if isinstance(value, str) else ", ".join(value)
            lines.append(f"  {name.replace('_', ' ')}: {safe(words)}")
        if item.needs_model:
            lines.append(f"  for a writer: {', '.join(item.needs_model)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) or "Nothing to add."


def _links(answer: Any) -> str:
    rows = [
        (link.source, safe(link.relation), link.target, f"{link.confidence:g}", safe(link.reason))
        for link in answer.links
    ]
    more = answer.total - len(answer.links)
    parts = [table(rows) or "No links.", f"{more} more: --limit shows them." if more else ""]
    return "\n".join(part for part in parts if part)


_TEXTS: dict[str, Callable[[Any], str]] = {
    "dedupe": _dedupe,
    "merge": _merge,
    "summarize": _summarize,
    "enrich": _enrich,
    "infer_links": _links,
    "prune_links": _links,
}
