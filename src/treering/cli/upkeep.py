"""The commands doctor, reindex, gc, promote, restore, sync, redact and maintain."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import click

from treering.call import Call
from treering.cli.invocation import Invocation, read_optional_content
from treering.cli.screen import count, progress_bar, screen, state, table

if TYPE_CHECKING:
    from treering.actions.gc import TrashListing
    from treering.answers import (
        Diagnosis,
        Enrichment,
        GcAnswer,
        Group,
        LinkChanges,
        Maintained,
        PlanAnswer,
        Redacted,
        Reindexed,
        RestoredScope,
        Synced,
        Tidied,
    )

_UNCHANGED = "Nothing was changed."


def exit_code_doctor(answer: "Diagnosis") -> int:
    return 0 if answer.ok else 1


def render_doctor(answer: "Diagnosis") -> str:
    lines = []
    for finding in answer.findings:
        mark = "fixed" if finding.fixed else finding.severity
        lines.append(f"{mark}: {finding.message}")
        if not finding.fixed:
            lines.append(f"  next: {finding.fix}")
    return "\n".join(lines) or "All is well."


def run_reindex(call: Invocation, only_tidy: bool) -> "Reindexed | None":
    from treering.actions.searcher import reindex, tidy

    workspace = call.workspace
    if only_tidy:
        tidy(workspace)
        return None
    with progress_bar("indexing", quiet=call.as_json) as progress:
        return reindex(workspace, progress=progress)


def render_reindex(answer: "Reindexed") -> str:
    return f"indexed {answer.indexed}, removed {answer.removed}, in {answer.seconds:g} s"


# --- branches -------------------------------------------------------------------------------------


def render_gc(answer: "GcAnswer") -> str:
    parts = [table([_plan_row(line) for line in answer.plan]) or "No memories were found."]
    undo = "undo {}:\n  {}" if screen().is_terminal else "undo {}: {}"  # a command to copy
    parts += [undo.format(line.branch, line.back) for line in answer.plan if line.back]
    if answer.purged:
        verb = "would purge" if answer.dry_run else "purged"
        parts.append(f"{verb} {len(answer.purged)} from trash")
    if answer.pending:
        parts.append(f"{count(answer.pending, 'hook event')} waiting: gc picks them up first.")
    if answer.dry_run:
        parts.append(_UNCHANGED)
    return "\n".join(parts)


def render_promote(answer: "PlanAnswer") -> str:
    branch, _, action, _, reason = _plan_row(answer)  # what became of its code was not asked
    return table([(branch, action, count(answer.memories), reason)])


def _plan_row(line: "PlanAnswer") -> tuple[str, ...]:
    into = f"{line.action} into {line.into}" if line.into else line.action
    branch = f"{line.branch} (private)" if line.private else line.branch
    return (branch, state(line.verdict), state(into), str(line.memories), line.reason)


def run_restore(call: Invocation, branch: str | None, **options: Any) -> Any:
    if branch:
        return call.act("restore", branch, **options)
    from treering.actions.gc import list_dropped

    call.answer(list_dropped(call.workspace), _render_trash)
    return None


def _render_trash(answer: "TrashListing") -> str:
    rows = [(entry.branch, count(entry.memories), entry.when) for entry in answer.trash]
    rows += [(entry.branch, count(entry.memories), "waits for gc") for entry in answer.waiting]
    if not rows:
        return "The trash is empty."
    return f"{table(rows)}\nRun `treering restore BRANCH` to bring one back."


def render_restore(answer: "RestoredScope") -> str:
    if answer.note:
        return answer.note
    return f"restored {count(answer.memories)} of {answer.branch}"


def run_sync(call: Invocation, direction: str, **options: Any) -> Any:
    is_interactive = sys.stderr.isatty()
    on_stage = (lambda stage: call.say(f"{stage} ...")) if is_interactive else None
    return call.act("sync", direction, is_interactive=is_interactive, on_stage=on_stage, **options)


def render_sync(answer: "Synced") -> str:
    rows = [
        (
            scope.branch,
            state(scope.status),
            ("; ".join(scope.notes or ())) or (scope.reason or ""),
        )
        for scope in answer.scopes
        if scope.status != "unchanged"
    ]
    lines = [table(rows)] if rows else []
    lines += list(answer.notes or ())
    parts = []
    if answer.fetched:
        number = answer.memories_fetched
        what = f"{count(number)} of " if number is not None else ""
        parts.append(f"{what}{count(answer.fetched, 'branch')} fetched")
    if answer.pushed:
        parts.append(f"{count(answer.memories_pushed)} of {count(answer.pushed, 'branch')} pushed")
    parts += [f"{count(answer.merged, 'branch')} merged"] if answer.merged else []
    lines.append(f"{answer.remote}: {', '.join(parts) or 'nothing new'}")
    lines += [_UNCHANGED] if answer.dry_run else []
    return "\n".join(lines)


# --- redact ---------------------------------------------------------------------------------------


def run_redact(call: Invocation, id: str, dry_run: bool, yes: bool) -> Any:
    if not dry_run and not yes and sys.stdin.isatty():
        call.answer(call.act("redact", id, dry_run=True), render_redact)
        click.confirm("Rewrite history without this text?", abort=True, err=True)
    return call.act("redact", id, dry_run=dry_run)


def render_redact(answer: "Redacted") -> str:
    versions = count(answer.versions, "version")
    if answer.dry_run:
        refs = ", ".join(name for name in answer.refs)
        lines = [f"{answer.id}: {versions} in {refs}", _UNCHANGED]
    else:
        lines = [f"{answer.id}: {versions} removed from {count(answer.commits, 'commit')}"]
    lines += answer.left
    if answer.commands:
        lines += ["Commands:", *(f"  {command}" for command in answer.commands)]
    return "\n".join(lines)


# --- maintain -------------------------------------------------------------------------------------


def run_maintain(call: Invocation, op: str, content: str, content_file: str, **options: Any) -> Any:
    text = read_optional_content(content, content_file)
    return call.act("maintain", op, content=text, **options)


def render_maintain(answer: "Maintained[Any]") -> str:
    text = RENDERERS[answer.op](answer.answer).removesuffix(f"\n{_UNCHANGED}")
    if answer.dry_run and answer.op in ("restore", "reindex"):
        text = f"dry run: {text}"
    return f"{text}\n{_next_step(answer)}" if answer.dry_run else text


def _next_step(answer: "Maintained[Any]") -> str:
    """Return what to do next. For a text that is not written yet each group has its own line."""
    groups = getattr(answer.answer, "groups", ())
    is_waiting = answer.op in ("merge", "summarize") and not any(group.would for group in groups)
    return _UNCHANGED if is_waiting else f"{_UNCHANGED} Add --apply to do it."


def _render_dedupe(answer: "Tidied") -> str:
    parts = [_render_groups(answer, "merge", "No duplicates found.")]
    if answer.removed:
        parts.append(
            f"forgot {count(len(answer.removed))}, moved {answer.links_moved} links: "
            f"{', '.join(answer.removed)}"
        )
    return "\n".join(parts)


def _render_merge(answer: "Tidied") -> str:
    if not answer.merged:
        return _render_groups(answer, "merge", "No similar memories found.")
    return "\n".join(
        f"merged  {m.id}  {m.title}  (superseded {', '.join(m.superseded or ())}; "
        f"{m.links_moved} links moved)"
        for m in answer.merged
    )


def _render_summarize(answer: "Tidied") -> str:
    if not answer.summaries:
        return _render_groups(answer, "summarize", "No topic has three memories.")
    return "\n".join(
        f"summarized  {s.id}  {s.title}  (of {count(len(s.derived_from or ()))})"
        for s in answer.summaries
    )


def _render_groups(answer: "Tidied", op: str, nothing: str) -> str:
    parts = [_render_group(group, op) for group in answer.groups]
    if answer.total > len(answer.groups):
        parts.append(f"{answer.total - len(answer.groups)} more: use --limit to see them.")
    return "\n\n".join(parts) or nothing


def _render_group(group: "Group", op: str) -> str:
    head = "the same" if group.exact else (group.about or f"alike {group.score:.2f}")
    lines = [head]
    for memory_id, title in zip(group.ids, group.titles, strict=True):
        mark = "  (kept)" if memory_id == group.keep else ""
        lines.append(f"  {memory_id}  {title}{mark}")
    if group.would:
        lines.append(f"  would become: {group.would['title']!s} ({group.would['type']})")
    elif not group.exact:
        call = Call("maintain", op, id=group.ids, content="...", apply=True)
        lines.append(f"  {call}")
    return "\n".join(lines)


def _render_enrich(answer: "Enrichment") -> str:
    parts = []
    for item in answer.memories:
        lines = [f"{item.id}  {item.title}"]
        if item.changed is not None:
            lines.append(f"  changed {', '.join(item.changed) or 'nothing'}")
        for name, value in item.suggest.items():
            words = value if isinstance(value, str) else ", ".join(cast(tuple[str, ...], value))
            lines.append(f"  {name.replace('_', ' ')}: {words}")
        if item.needs_model:
            lines.append(f"  for a writer: {', '.join(item.needs_model)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) or "Nothing to add."


def _render_links(answer: "LinkChanges") -> str:
    rows = [
        (link.source, link.relation, link.target, f"{link.confidence:g}", link.reason)
        for link in answer.links
    ]
    more = answer.total - len(answer.links)
    parts = [table(rows) or "No links.", f"{more} more: use --limit to see them." if more else ""]
    return "\n".join(part for part in parts if part)


#: Each operation of maintain -> how its answer is told.
RENDERERS: dict[str, Callable[[Any], str]] = {
    "gc": render_gc,
    "promote": render_promote,
    "restore": render_restore,
    "reindex": render_reindex,
    "sync": render_sync,
    "dedupe": _render_dedupe,
    "merge": _render_merge,
    "summarize": _render_summarize,
    "enrich": _render_enrich,
    "infer_links": _render_links,
    "prune_links": _render_links,
}
