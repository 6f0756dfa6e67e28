"""treering doctor"""

import click

from treering.actions.doctor import Diagnosis, doctor
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe


@click.command("doctor", epilog="Example: treering doctor --dry-run")
@click.option(
    "--fix/--dry-run", default=True, show_default=True, help="Repair what is safe, or only look."
)
@door.command
def command(door_: Door, fix: bool) -> int:
    """Check everything treering wrote, and repair what is safe.

    Exits with 1 while something is left to do.
    """
    answer = doctor(door_.open(), dry_run=not fix)
    door_.answer(answer, _text)
    return 0 if answer.ok else 1


def _text(answer: Diagnosis) -> str:
    lines = []
    for finding in answer.findings:
        mark = "fixed" if finding.fixed else finding.severity
        lines.append(f"{mark}: {safe(finding.message)}")
        if not finding.fixed:
            lines.append(f"  next: {safe(finding.fix)}")
    return "\n".join(lines) or "All is well."
