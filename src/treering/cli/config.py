"""treering config"""

from treering.actions.config import SettingValues
from treering.cli.render import safe, table


def text(answer: SettingValues) -> str:
    return table([(s.key, safe(s.value) or "-", s.meaning) for s in answer.settings])
