"""treering promote"""

from treering.actions.gc import PlanAnswer
from treering.cli.gc import plan_row
from treering.cli.render import table


def text(answer: PlanAnswer) -> str:
    return table([plan_row(answer)])
