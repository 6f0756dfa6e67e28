"""treering gc"""

from treering.actions.gc import GcAnswer, PlanAnswer
from treering.cli.render import safe, table


def plan_row(line: PlanAnswer) -> tuple[str, ...]:
    into = f"{line.action} into {safe(line.into)}" if line.into else line.action
    return (safe(line.branch), line.verdict, into, str(line.memories), safe(line.reason))


def text(answer: GcAnswer) -> str:
    rows = [plan_row(line) for line in answer.plan]
    parts = [table(rows) or "No branch has memories."]
    if answer.purged:
        parts.append(
            f"{'would purge' if answer.dry_run else 'purged'} {len(answer.purged)} from trash"
        )
    if answer.pending:
        parts.append(f"{answer.pending} hook events wait: gc takes them in first.")
    if answer.dry_run:
        parts.append("Nothing was changed.")
    return "\n".join(parts)
