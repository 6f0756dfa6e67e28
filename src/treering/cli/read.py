"""treering read"""

from treering.actions.outputs import Piece
from treering.actions.read import WholeMemory
from treering.cli.render import format_date, safe, table
from treering.cli.screen import bold, dim, rule


def text(memory: WholeMemory | Piece) -> str:
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
        ("created", format_date(memory.created)),
        ("modified", format_date(memory.modified) if memory.modified != memory.created else ""),
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
