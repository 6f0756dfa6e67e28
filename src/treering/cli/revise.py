"""treering revise"""

from typing import Any

from treering.actions.revise import Revised, revise
from treering.cli import shared
from treering.cli.shared import Door


def run(
    door_: Door,
    id: str,
    content: str,
    content_file: str,
    files: tuple[str, ...],
    allow_secret: bool,
    **given: Any,
) -> Revised:
    given["allow_secret"] = shared.secret_allowed(allow_secret)
    workspace = door_.open()
    said = shared.content_if_given(content, content_file)
    paths = list(files) if files == ("-",) else shared.relative_to_root(workspace, files)
    return revise(workspace, id, content=said, files=paths, **given)


def text(answer: Revised) -> str:
    if not answer.changed:
        return f"{answer.id}  unchanged"
    return f"{answer.id}  changed {', '.join(answer.changed)}  ({answer.branch})"
