"""treering revert"""

from treering.actions.revise import Revised


def text(answer: Revised) -> str:
    what = f"reverted {', '.join(answer.changed)}" if answer.changed else "unchanged"
    return f"{answer.id}  {what}  ({answer.branch})"
