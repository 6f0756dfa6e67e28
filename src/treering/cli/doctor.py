"""treering doctor"""

from treering.actions.doctor.doctor import Diagnosis
from treering.cli.render import safe


def exit_code(answer: Diagnosis) -> int:
    return 0 if answer.ok else 1


def text(answer: Diagnosis) -> str:
    lines = []
    for finding in answer.findings:
        mark = "fixed" if finding.fixed else finding.severity
        lines.append(f"{mark}: {safe(finding.message)}")
        if not finding.fixed:
            lines.append(f"  next: {safe(finding.fix)}")
    return "\n".join(lines) or "All is well."
