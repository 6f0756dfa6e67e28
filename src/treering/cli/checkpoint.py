"""treering checkpoint"""

import time
from typing import Any

import click

from treering.actions.checkpoint import checkpoint
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import headline, safe
from treering.model.when import ago


@click.command(
    "checkpoint",
    epilog="Example: treering checkpoint save 'Parser works' --next-step 'write the docs'",
)
@click.argument("op", metavar="OP")
@click.argument("summary", required=False)
@click.option("--summary", "summary_option", default=None, help="Where the work stands.")
@door.listed("--next-step", "--next-steps", "next_steps", help="May be repeated.")
@door.listed("--open-file", "--open-files", "open_files", help="May be repeated.")
@click.option("--session", default="", help="The work session it belongs to.")
@click.option("-b", "--branch", default="", help="Of another branch.")
@door.command
def command(
    door_: Door, op: str, summary: str | None, summary_option: str | None, **given: Any
) -> None:
    """Save where the work stands, or load the last one: save, load.

    The summary is the argument, --summary, or standard input.
    """
    text = ""
    if op.strip().lower() == "save":
        text = door.content_from(summary if summary is not None else summary_option, None)
    door_.answer(checkpoint(door_.open(), op, summary=text, **given), _text)


def _text(answer: Any) -> str:
    if not isinstance(answer, dict):
        verb = "known already" if answer.duplicate else "saved"
        return f"{verb}  {headline(answer)}  ({safe(answer.branch)})"
    if answer["checkpoint"] is None:
        return "No checkpoint has been saved here."
    return "\n".join(_loaded(answer))


def _loaded(answer: dict[str, Any]) -> list[str]:
    saved, since = answer["checkpoint"], answer["since"]
    when = ago(saved["created"], time.time())
    lines = [f"{saved['id']}  {safe(saved['branch'])}, {when}", ""]
    lines += [safe(line) for line in answer["summary"].splitlines()]
    for heading, items in (("Next steps", "next_steps"), ("Open files", "open_files")):
        if answer[items]:
            lines += ["", f"{heading}:", *(f"- {safe(item)}" for item in answer[items])]
    if since["commits"] or since["files"]:
        lines += [
            "",
            f"Since then: {since['commits']} commits, {len(since['files'])} files changed",
        ]
        lines += [f"  {safe(name)}" for name in since["files"]]
    return lines
