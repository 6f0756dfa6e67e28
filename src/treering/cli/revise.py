"""treering revise"""

from typing import Any

from treering.actions.revise import Revised, revise
from treering.cli import door
from treering.cli.door import Door


def run(
    door_: Door,
    id: str,
    content: str,
    content_file: str,
    files: tuple[str, ...],
    allow_secret: bool,
    **given: Any,
) -> Revised:
    given["allow_secret"] = door.secret_allowed(allow_secret)
    workspace = door_.open()
    said = door.content_if_given(content, content_file)
    paths = list(files) if files == ("-",) else door.relative_to_root(workspace, files)
    return revise(workspace, id, content=said, files=paths, **given)


def text(answer: Revised) -> str:
    if not answer.changed:
        return f"{answer.id}  unchanged"
    return f"{answer.id}  changed {', '.join(answer.changed)}  ({answer.branch})"
