"""basic-memory and notes like it: wiki links in a list are relations, `[category]` items facts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treering.actions.imports.markdown import (
    files_of,
    note,
    report_passed_over,
    settle_type,
    translate,
)
from treering.actions.imports.records import Numbered, check, read
from treering.errors import Invalid

_RELATION = r"^[-*]\s+([^\[\]\n]{0,64}?)\s*\[\[([^\[\]\n]{1,200})\]\]"
_OBSERVATION = r"^[-*]\s+\[([^\[\]\n]{2,40})\]\s+\S"
_TAG = r"(?<=\s)#([\w-]{2,50})"


def is_here(path: Path) -> bool:
    """Notes that carry a permalink."""
    if not path.is_dir():
        return False
    heads = (read(file)[:1000] for file, _ in files_of(path)[:20])
    return any(re.search(rb"^permalink:", head, re.M) for head in heads)


def records(path: Path) -> Iterator[Numbered]:
    yield from report_passed_over(path)
    for number, (file, where) in enumerate(files_of(path), 1):
        try:
            fields = _fields(file, where)
        except Invalid as error:
            yield Numbered(number, where, error)
            continue
        permalink = str(fields["details"].get("permalink", ""))
        yield check(number, where, fields, fields["title"], permalink, Path(where).stem)


def _fields(file: Path, where: str) -> dict[str, Any]:
    fields = settle_type(translate(*note(file), file, where))
    content = str(fields["content"])
    facts = [line for line in content.splitlines() if re.match(_OBSERVATION, line)]
    tags = [tag for line in facts for tag in re.findall(_TAG, line)]
    folder = str(Path(where).parent)
    return fields | {
        "title": str(fields.get("title") or file.stem),
        "tags": [*map(str, fields["tags"]), *tags],
        "topic": fields.get("topic") or ("" if folder == "." else folder),
        "links": [
            {"relation": _relation(word), "target": target}
            for word, target in re.findall(_RELATION, content, re.M)
        ],
        "source": "basic-memory",
    }


def _relation(words: str) -> str:
    """`relates to` and `relates_to` are one relation; a bare bullet is the plainest one."""
    return re.sub(r"\W+", "_", words.strip().lower()).strip("_") or "relates_to"
