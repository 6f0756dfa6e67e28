"""treering read"""

from typing import Any

import click

from treering.actions.outputs import Piece
from treering.actions.read import Whole, read
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import dated, safe, table
from treering.cli.screen import bold, dim, rule


@click.command("read", epilog="Example: treering read 7k2m --history")
@click.argument("id")
@click.option(
    "--at", default="", metavar="REV", help="As of a revision, a date, or one of its commits."
)
@click.option("--history", is_flag=True, help="With every change, newest first.")
@click.option(
    "--links", type=int, default=1, show_default=True, help="How many hops of links (0-3)."
)
@click.option("--offset", type=int, default=0, help="Its content from this character on.")
@click.option("-b", "--branch", default="", help="As seen from another branch.")
@door.command
def command(door_: Door, id: str, **given: Any) -> None:
    """Show one memory whole: content, links, staleness, history."""
    door_.answer(read(door_.open(), id, **given), text)


def text(memory: Whole | Piece) -> str:
    if isinstance(memory, Piece):
        return safe(memory.content)
    rows = [
        ("id", memory.id),
        ("type", memory.type),
        ("status", memory.status),
        ("branch", f"{memory.branch} ({memory.layer})"),
        ("confidence", str(memory.confidence)),
        ("tags", ", ".join(memory.tags)),
        ("topic", memory.topic),
        ("author", memory.author),
        ("edited by", ", ".join(memory.edited_by or ())),
        ("origin", memory.origin if memory.origin != "you" else ""),
        ("warning", ", ".join(memory.flags or ())),
        ("agent", memory.agent),
        ("created", dated(memory.created)),
        ("modified", dated(memory.modified) if memory.modified != memory.created else ""),
        *((key, str(value)) for key, value in memory.details.items()),
        *((f"{f.state}", f.path) for f in (memory.stale.files if memory.stale else ())),
        *((f"{n.direction} {n.relation}", f"{n.id}  {n.title}") for n in memory.links),
        ("flagged", ", ".join(memory.flags or ())),
        ("version", memory.version),
    ]
    known = [(safe(name), safe(value)) for name, value in rows if value]
    rows = [(dim(name), value) for name, value in known]
    parts = [bold(safe(memory.title)), table(rows, indent="  "), safe(memory.content)]
    if memory.history:
        past = [(e.when, e.commit[:12], e.op, safe(e.title)) for e in memory.history]
        parts.append(rule("History") + "\n" + table(past, indent="  "))
    return "\n\n".join(parts)
