"""treering restore"""

from treering.actions.restore import RestoredScope
from treering.cli.render import memories, safe


def text(answer: RestoredScope) -> str:
    return f"restored {memories(answer.memories)} of {safe(answer.branch)}"
