"""treering maintain"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from treering.actions.maintain import Maintained, maintain
from treering.cli import door
from treering.cli.door import Door
from treering.cli.main import COMMANDS
from treering.cli.render import memories, safe, table

_WRITTEN = ("merge", "summarize")
_NOTHING_DONE = "Nothing was changed; --apply does it."


@click.command("maintain", epilog="Example: treering maintain dedupe --apply")
@click.argument("op", metavar="OP")
@click.option("-b", "--branch", default="", help="Which branch.")
@click.option("--into", default="", help="promote: where to (default: the trunk).")
@door.listed("--id", "--ids", "ids", help="Only these memories. May be repeated.")
@click.option("-t", "--type", default="", help="Only this type; with --id, that of the new memory.")
@click.option("--query", default="", help="Only what this query finds.")
@click.option("--content", default=None, help="The text you wrote; `-` reads standard input.")
@click.option("--content-file", metavar="FILE", help="The text from a file.")
@click.option("--title", default="", help="Its title (default: the first line).")
@click.option("--threshold", type=float, default=0.8, show_default=True, help="How alike, 0 to 1.")
@click.option(
    "--min-confidence", type=float, default=0.7, show_default=True, help="Links: how sure."
)
@click.option("--limit", type=int, default=20, show_default=True, help="How many at most.")
@click.option("--remote", default="", help="sync: with which remote.")
@click.option("--direction", default="full", show_default=True, help="sync: full, push or fetch.")
@click.option("--purge", is_flag=True, help="gc: delete old trash for good.")
@click.option("--older-than", default="30d", show_default=True, help="gc: how old, with --purge.")
@click.option("--force", is_flag=True, help="gc: what cannot be judged goes to the trash, too.")
@click.option("--keep-lessons", is_flag=True, help="gc: keep failed outcomes.")
@click.option("--before-sync", is_flag=True, help="restore: what the last sync hid or changed.")
@click.option("--apply/--dry-run", "do_it", default=None, help="Do it, or only show it.")
@door.command
def command(
    door_: Door, op: str, do_it: bool | None, content: str | None, content_file: str | None,
    **given: Any,
) -> None:  # fmt: skip
    """Housekeeping under one verb; shows what it would do until --apply.

    \b
    gc           let memories follow their branches
    promote      put a branch's memories into another's
    dedupe       find what is said twice; forget exact copies
    merge        several memories into one text, which you write
    summarize    a summary, which you write, of a topic's memories
    enrich       suggest tags, titles, topics and files
    infer_links  find links between memories
    prune_links  drop weak links

    restore, reindex and sync act at once. The short forms `treering gc`, `promote`, `restore`,
    `reindex` and `sync` do so, too.
    """
    asked = content is not None or content_file is not None
    text = door.content_from(content, content_file) if asked else ""
    dry_run = None if do_it is None else not do_it
    answer = maintain(door_.open(), op, content=text, dry_run=dry_run, **given)
    door_.answer(answer, _text)


def _text(done: Maintained) -> str:
    said = _words_of(done.op)(done.answer).removesuffix("\nNothing was changed.")
    if done.dry_run and done.op in ("restore", "reindex"):
        said = f"dry run: {said}"
    return f"{said}\n{_ending(done)}" if done.dry_run else said


def _ending(done: Maintained) -> str:
    """What to do next; for a text that is not written yet each group has its own line."""
    groups = getattr(done.answer, "groups", ())
    is_waiting = done.op in _WRITTEN and not any(group.would for group in groups)
    return "Nothing was changed." if is_waiting else _NOTHING_DONE


def _words_of(op: str) -> Callable[[Any], str]:
    """How an operation's answer is told: as its short form tells it, or by the table below."""
    if op in COMMANDS:
        words: Callable[[Any], str] = import_module(f"treering.cli.{COMMANDS[op]}").text
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
        parts.append(f"{answer.total - len(answer.groups)} more; --limit shows them.")
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
    parts = [table(rows) or "No links.", f"{more} more; --limit shows them." if more else ""]
    return "\n".join(part for part in parts if part)


_TEXTS: dict[str, Callable[[Any], str]] = {
    "dedupe": _dedupe,
    "merge": _merge,
    "summarize": _summarize,
    "enrich": _enrich,
    "infer_links": _links,
    "prune_links": _links,
}
