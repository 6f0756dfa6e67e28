"""treering remember"""

from collections.abc import Mapping
from typing import Any

from treering.actions.remember import Remembered, remember
from treering.cli import shared
from treering.cli.render import headline, safe
from treering.cli.screen import dim, short
from treering.cli.shared import Door


def run(
    door_: Door,
    content: str | None,
    content_file: str,
    files: tuple[str, ...],
    allow_secret: bool,
    **given: Any,
) -> None:
    given["allow_secret"] = shared.secret_allowed(allow_secret, given["agent"])
    workspace = door_.open()
    said = shared.content_from(content, content_file)
    paths = shared.relative_to_root(workspace, files)
    door_.answer(remember(workspace, said, files=paths, **given), text)
    if workspace.neighbourhood.is_behind:
        door_.start_tidying()


def text(answer: Remembered) -> str:
    verb = "known already" if answer.duplicate else "remembered"
    where = f"{answer.branch}, private" if answer.private else answer.branch
    lines = [f"{verb}  {headline(answer)}  ({where})"]
    lines += [f"  linked   {_link(link)}" for link in answer.links if not answer.duplicate]
    for link in answer.suggested_links:
        lines.append(f"  perhaps  {_link(link._asdict())}: {safe(link.title)}")
    lines += [
        f"  similar  {short(it.id)}  {safe(it.title)}  ({it.score:g})" for it in answer.similar
    ]
    lines += [f"warning: {safe(warning)}" for warning in answer.warnings or ()]
    return "\n".join(lines)


def _link(link: Mapping[str, Any]) -> str:
    why = dim(f"  ({safe(link['reason'])})") if link.get("reason") else ""
    return f"{safe(link['relation'])} {short(link['target'])}{why}"
