"""treering checkpoint"""

import time
from typing import Any

from treering.actions.checkpoint import checkpoint
from treering.actions.context.budget import changes
from treering.cli import shared
from treering.cli.render import headline, safe
from treering.cli.shared import Door
from treering.model.dates import ago


def run(door_: Door, op: str, words: str | None, summary: str, **given: Any) -> Any:
    said = ""
    if op.strip().lower() == "save":
        said = shared.content_from(words if words is not None else summary or None)
    return checkpoint(door_.open(), op, summary=said, **given)


def text(answer: Any) -> str:
    if not isinstance(answer, dict):
        verb = "known already" if answer.duplicate else "saved"
        return f"{verb}  {headline(answer)}  ({safe(answer.branch)})"
    if answer["checkpoint"] is None:
        return "No checkpoint has been saved here."
    return "\n".join(_describe(answer))


def _describe(answer: dict[str, Any]) -> list[str]:
    saved, since = answer["checkpoint"], answer["since"]
    when = ago(saved["created"], time.time())
    lines = [f"{saved['id']}  {safe(saved['branch'])}, {when}", ""]
    lines += [safe(line) for line in answer["summary"].splitlines()]
    for heading, items in (("Next steps", "next_steps"), ("Open files", "open_files")):
        if answer[items]:
            lines += ["", f"{heading}:", *(f"- {safe(item)}" for item in answer[items])]
    if since["commits"] or since["files"]:
        lines += ["", f"Since then: {changes(since)}"]
        lines += [f"  {safe(name)}" for name in since["files"]]
    return lines
