"""treering restore"""

from treering.actions.restore import Restored
from treering.cli.render import memories, safe


def text(answer: Restored) -> str:
    return f"restored {memories(answer.memories)} of {safe(answer.branch)}"
