"""treering promote"""

from treering.actions.gc import Line
from treering.cli.gc import plan_row
from treering.cli.render import table


def text(answer: Line) -> str:
    return table([plan_row(answer)])
