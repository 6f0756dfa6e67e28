"""The commands checkpoint, context and prompts."""

import time
from typing import Any

from treering.cli.invocation import Invocation, read_content
from treering.cli.main import Misuse
from treering.cli.screen import headline, table
from treering.model.dates import ago


def run_checkpoint(
    call: Invocation, op: str, words: str | None, summary: str, **options: Any
) -> Any:
    text = ""
    if op.strip().lower() == "save":
        text = read_content(words if words is not None else summary or None)
    return call.act("checkpoint", op, summary=text, **options)


def render_checkpoint(answer: Any) -> str:
    if not isinstance(answer, dict):
        verb = "already known" if answer.duplicate else "saved"
        return f"{verb}  {headline(answer)}  ({answer.branch})"
    if answer["checkpoint"] is None:
        return "No checkpoint saved on this branch."
    return "\n".join(_describe(answer))


def _describe(answer: dict[str, Any]) -> list[str]:
    from treering.actions.handover import changes

    checkpoint, since = answer["checkpoint"], answer["since"]
    when = ago(checkpoint.created, time.time())
    lines = [f"{checkpoint.id}  {checkpoint.branch}, {when}", ""]
    lines += list(answer["summary"].splitlines())
    for heading, items in (("Next steps", "next_steps"), ("Open files", "open_files")):
        if answer[items]:
            lines += ["", f"{heading}:", *(f"- {item}" for item in answer[items])]
    if since["commits"] or since["files"]:
        lines += ["", f"Since then: {changes(since)}"]
        lines += [f"  {name}" for name in since["files"]]
    return lines


def run_context(
    call: Invocation,
    files: tuple[str, ...],
    recent_files: tuple[str, ...],
    hub: str,
    **options: Any,
) -> None:
    if options["repos"]:
        options |= {"files": files, "recent_files": recent_files}
        answer = call.ask_hub("context", hub=hub, **options)
        call.answer(answer, render_context)
        return
    paths, recent_paths = call.list_paths(files), call.list_paths(recent_files)
    answer = call.act("context", files=paths, recent_files=recent_paths, **options)
    call.answer(answer, render_context)
    call.tidy_later()


def render_context(answer: dict[str, Any]) -> str:
    lines = [answer["text"] or "No memories matter here."]
    if answer["left_out"]:
        lines.append(f"{answer['left_out']} more did not fit: raise --budget.")
    if answer["flagged"]:
        lines.append(f"left out as suspicious: {', '.join(answer['flagged'])}")
    return "\n".join(lines)


def run_prompts(
    call: Invocation,
    op: str,
    words: tuple[str, ...],
    name: str,
    content: str,
    content_file: str,
    **options: Any,
) -> Any:
    """After the operation come the name and, to save one, its text."""
    if len(words) > 2:
        raise Misuse("Give an operation, a name and a text, in that order.")
    typed_name, typed_content = (*words, *("", "")[len(words) :])
    text = ""
    if op.strip().lower() == "save":
        text = read_content(typed_content or content or None, content_file)
    answer = call.act("prompts", op, name=name or typed_name, content=text, **options)
    for warning in answer.get("warnings", []):
        call.say(f"warning: {warning}")
    return answer


def render_prompts(answer: dict[str, Any]) -> str:
    if "prompts" in answer:
        return _list_prompts(answer["prompts"])
    if "text" in answer:
        return str(answer["text"])
    if "content" in answer:
        return str(answer["content"])
    if "deleted" in answer:
        return f"deleted  {answer['kind']} {answer['deleted']}"
    where = answer["branch"] or "your own"
    return f"saved  {answer['kind']} {answer['name']}  ({where})"


def _list_prompts(prompts: list[dict[str, Any]]) -> str:
    rows = [
        (
            item["name"],
            item["kind"],
            (item["branch"] or item["domain"]),
            item["owner"].partition(" <")[0],
            ", ".join(item["variables"]),
            item["description"],
        )
        for item in prompts
    ]
    return table(rows) or "Nothing saved yet."
