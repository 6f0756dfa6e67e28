"""The command review: what is doubtful, with the call that settles each."""

from typing import TYPE_CHECKING

from treering.cli.screen import count, dim, headline, short

if TYPE_CHECKING:
    from treering.answers import Card, ReviewQueue


def render_review(queue: "ReviewQueue") -> str:
    lines = [f"kept  {' '.join(queue.kept)}"] if queue.kept else []
    lines += [_render_item(item) for item in queue.items]
    if not queue.items:
        lines.append(f"Nothing to review on {queue.branch}.")
    elif queue.total > len(queue.items):
        lines.append(f"{len(queue.items)} of {count(queue.total)}: use --limit to see more")
    return "\n".join(lines)


def _render_item(item: "Card") -> str:
    lines = [headline(item)]
    for doubt in item.reasons or ():
        other = f"  {short(doubt.other)}" if doubt.other else ""
        lines.append(dim(f"    {doubt.reason}: {doubt.detail}{other}"))
    lines.append(dim(f"    next: {item.next}"))
    return "\n".join(lines)
