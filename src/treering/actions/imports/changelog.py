"""Changelogs: one memory per bullet, dated by the version it belongs to.

Markdown headings (`## [1.2.0] - 2024-05-01`, `## 24.1.0`) and reStructuredText ones (a version
above a line of dashes, `Released 2022-03-28` below it) are understood.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from treering.actions.imports.records import Numbered, check, decode, read

_NAME = r"(?:change(?:s|log)?|history|news|release[-_ ]?notes)(?:\.(?:md|markdown|rst|txt))?"
_VERSION = r"\bv?(\d+\.\d+(?:\.\d+)*(?:[.-]?(?:a|b|rc|alpha|beta|dev|post)\.?\d*)?)\b"
_DATE = r"\b(\d{4}-\d{2}-\d{2})\b"
_UNDERLINE = r"([=\-~^*+#])\1{2,}\s*"
_BULLET = r"( *)[-*+] +(\S.*)"


def is_changelog(path: Path) -> bool:
    """Tell whether a file is called like a changelog, and has versions in its headings."""
    if not path.is_file() or not re.fullmatch(_NAME, path.name, re.IGNORECASE):
        return False
    return any(entry.version for entry in _list_entries(decode(read(path))))


def entries(path: Path) -> Iterator[Numbered]:
    """Yield a record per bullet."""
    for number, entry in enumerate(_list_entries(decode(read(path))), 1):
        where = f"{path.name}:{entry.line}"
        details = {"imported_from": path.name, "version": entry.version}
        fields = {
            "content": entry.text,
            "created": entry.date,
            "tags": [entry.section] if entry.section else [],
            "source": "changelog",
            "details": {key: value for key, value in details.items() if value},
        }
        yield check(number, where, fields)


class _ChangelogEntry(NamedTuple):
    line: int
    version: str
    date: str
    section: str
    text: str


def _list_entries(text: str) -> list[_ChangelogEntry]:
    """Return every bullet of the outermost level, with the heading it stands below."""
    found: list[_ChangelogEntry] = []
    version = date = section = ""
    bullet: list[str] = []
    start, margin = 0, 0

    def close() -> None:
        if bullet:
            found.append(_ChangelogEntry(start, version, date, section, "\n".join(bullet).strip()))
            bullet.clear()

    lines = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    rows = lines.expandtabs(4).split("\n")
    for number, line in enumerate(rows, 1):
        below = rows[number] if number < len(rows) else ""
        is_title = bool(line.strip()) and re.fullmatch(_UNDERLINE, below) is not None
        heading = line.lstrip("# ") if line.startswith("#") else line.strip() if is_title else ""
        item = re.fullmatch(_BULLET, line)
        if heading:
            close()
            if match := re.search(_VERSION, heading):
                version, section = match[1], ""
                day = re.search(_DATE, heading)
                date = day[1] if day else ""
            elif heading.strip("[] ").lower().startswith("unreleased"):
                version, date, section = "", "", ""
            else:
                section = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[:40]
        elif item and (not bullet or len(item[1]) <= margin):
            close()
            start, margin = number, len(item[1])
            bullet.append(item[2])
        elif bullet and (not line.strip() or line.startswith(" " * (margin + 1))):
            bullet.append(line[margin + 2 :] if line.strip() else "")
        else:
            close()
            if not date and (day := re.search(rf"released\s+{_DATE}", line, re.IGNORECASE)):
                date = day[1]
    close()
    return found
