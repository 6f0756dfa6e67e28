"""Instruction files (CLAUDE.md, AGENTS.md and the like): each section is something to remember."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from treering.actions.imports.markdown import note
from treering.actions.imports.records import Numbered, check
from treering.model.memory import MAX_TOPIC_SEGMENT

NAMES = ("agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules")
_HEADING = r"^(#{1,6})\s+(.+?)\s*#*$"
_FENCE = r"^\s*(```|~~~)"
_OWN_BLOCK = r"<!-- treering:start -->.*?<!-- treering:end -->"


class Section(NamedTuple):
    line: int
    path: tuple[str, ...]
    text: str


def is_here(path: Path) -> bool:
    return path.is_file() and path.name.lower() in NAMES


def records(path: Path) -> Iterator[Numbered]:
    """One memory a section that says something; the headings above it are its topic."""
    _, content = note(path)
    for section in sections(re.sub(_OWN_BLOCK, "", content, flags=re.S)):
        where = f"{path.name}:{section.line}"
        yield check(
            section.line,
            where,
            {
                "content": f"# {section.path[-1]}\n\n{section.text}"
                if section.path
                else section.text,
                "topic": "/".join(_segment(heading) for heading in section.path[1:-1]),
                "source": path.name,
                "details": {"imported_from": where},
            },
        )


def sections(content: str) -> list[Section]:
    """The text below each heading, without what stands below a deeper one."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    start, lines, is_code = 1, list[str](), False
    for number, line in enumerate([*content.splitlines(), "# end"], 1):
        if re.match(_FENCE, line):
            is_code = not is_code
        heading = None if is_code else re.match(_HEADING, line)
        if heading is None:
            lines.append(line)
            continue
        if text := "\n".join(lines).strip():
            found.append(Section(start, tuple(title for _, title in path), text))
        level = len(heading[1])
        path = [(above, title) for above, title in path if above < level] + [(level, heading[2])]
        start, lines = number, []
    return found


def _segment(heading: str) -> str:
    return re.sub(r"[^\w.-]+", "-", heading.lower()).strip("-")[:MAX_TOPIC_SEGMENT] or "section"
