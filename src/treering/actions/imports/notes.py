"""Notes other programs keep in markdown: decision records, Autology, basic-memory, AGENTS.md."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from treering.actions.imports.markdown import (
    files_of,
    note,
    report_passed_over,
    settle_type,
    translate,
)
from treering.actions.imports.records import Numbered, check, read
from treering.actions.plain_files import list_files
from treering.errors import Invalid
from treering.model.memory import MAX_TOPIC_SEGMENT

#: A note in our words, as a source hands it over.
Fields = dict[str, Any]


def _records(
    path: Path,
    fields_of: Callable[[Path, str], Fields],
    names_of: Callable[[Fields, str], Iterable[str]],
    *,
    wants: Callable[[Path], bool] = lambda _: True,
) -> Iterator[Numbered]:
    """One record a file; `names_of` are those by which others may link to it."""
    yield from report_passed_over(path)
    for number, (file, where) in enumerate(files_of(path), 1):
        if not wants(file):
            continue
        try:
            fields = fields_of(file, where)
        except Invalid as error:
            yield Numbered(number, where, error)
            continue
        yield check(number, where, fields, *names_of(fields, where))


# --- architecture decision records: numbered files with a status, a date and references -----------

_NUMBERED = r"(?:adr[-_])?(\d{1,5})[-_. ].*\.md"
_TITLE = r"^#\s+(?:adr[- ]?)?(?:\d+[.:)]?\s*(?:-\s+)?)?(.+)$"
_DATE = r"^(?:\W*date\W+)(\d{4}-\d{2}-\d{2})"
_STATUS = r"^(?:#+\s*status\s*\n+|\W*status\W*:\s*)\W*(\w+)"
_REFERENCE = r"\b(supersedes|amends|clarifies|depends on)\b[^\n\d]{0,40}(\d{1,5})"
_STATUSES = {"superseded": "superseded", "deprecated": "superseded", "rejected": "superseded",
             "proposed": "needs-review", "draft": "needs-review"}  # fmt: skip


def has_decisions(path: Path) -> bool:
    """A folder most of whose files are numbered."""
    if not path.is_dir():
        return False
    files = files_of(path)
    count = sum(bool(_number_of(name)) for _, name in files)
    return bool(count) and 2 * count >= len(files)


def decisions(path: Path) -> Iterator[Numbered]:
    """Each record is a decision; what it supersedes or amends are links."""

    def names_of(_: Fields, where: str) -> list[str]:
        number = _number_of(where)
        return [_decision_name(number)] if number else []

    def wants(file: Path) -> bool:
        """An index or a template has no number."""
        return bool(_number_of(file.name)) or not path.is_dir()

    return _records(path, _decision, names_of, wants=wants)


def _decision(file: Path, where: str) -> Fields:
    metadata, content = note(file)
    status = str(metadata.pop("status", "")) or _first(_STATUS, content)
    fields = translate(metadata, content, file, where)
    links = [
        {"relation": word.lower().replace(" ", "_"), "target": _decision_name(number)}
        for word, number in re.findall(_REFERENCE, content, re.I)
    ]
    return fields | {
        "type": "decision",
        "title": fields.get("title") or _first(_TITLE, content) or file.stem,
        "status": _STATUSES.get(status.lower(), "active"),
        "created": fields.get("created") or _first(_DATE, content),
        "links": links,
        "source": "adr",
        "details": fields["details"] | ({"adr_status": status} if status else {}),
    }


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.I | re.M)
    return match[1].strip() if match else ""


def _number_of(name: str) -> str:
    match = re.fullmatch(_NUMBERED, Path(name).name, re.I)
    return match[1] if match else ""


def _decision_name(number: str) -> str:
    """0012, 12 and ADR-12 are one record."""
    return f"adr {int(number)}"


# --- Autology: a folder of nodes, relations and references in front matter ------------------------

_FOLDER = ".autology"


def has_nodes(path: Path) -> bool:
    inner = path / _FOLDER
    return path.is_dir() and (path.name == _FOLDER or (inner.is_dir() and not inner.is_symlink()))


def nodes(path: Path) -> Iterator[Numbered]:
    """Every node, with its relations as links between them."""
    inner = path / _FOLDER
    if inner.is_symlink():
        raise Invalid(f"{inner} is a link, which is not followed.", hint="Name it to import it.")
    root = inner if inner.is_dir() else path
    return _records(
        root, _node, lambda fields, _: (str(fields.get("id", "")), fields.get("title", ""))
    )


def _node(file: Path, where: str) -> Fields:
    metadata, content = note(file)
    relations = metadata.pop("relations", None) or []
    references = metadata.pop("references", None) or []
    fields = settle_type(translate(metadata, content, file, where))
    return fields | {
        "links": [_node_link(r) for r in relations if isinstance(r, dict) and r.get("target")],
        "files": [str(reference) for reference in references],
        "source": "autology",
    }


def _node_link(relation: Fields) -> Fields:
    link = {"relation": relation.get("type", "relates_to"), "target": str(relation["target"])}
    return link | {
        key: relation[key] for key in ("confidence", "description") if relation.get(key) is not None
    }


# --- basic-memory and notes like it: wiki links in a list are relations, `[category]` items facts -

_RELATION = r"^[-*]\s+([^\[\]\n]{0,64}?)\s*\[\[([^\[\]\n]{1,200})\]\]"
_OBSERVATION = r"^[-*]\s+\[([^\[\]\n]{2,40})\]\s+\S"
_TAG = r"(?<=\s)#([\w-]{2,50})"


def has_permalinks(path: Path) -> bool:
    """Notes that carry a permalink."""
    if not path.is_dir():
        return False
    heads = (read(file)[:1000] for file, _ in files_of(path)[:20])
    return any(re.search(rb"^permalink:", head, re.M) for head in heads)


def wiki_notes(path: Path) -> Iterator[Numbered]:
    def names_of(fields: Fields, where: str) -> tuple[str, ...]:
        permalink = str(fields["details"].get("permalink", ""))
        return (fields["title"], permalink, Path(where).stem)

    return _records(path, _wiki_note, names_of)


def _wiki_note(file: Path, where: str) -> Fields:
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
            {"relation": _wiki_relation(word), "target": target}
            for word, target in re.findall(_RELATION, content, re.M)
        ],
        "source": "basic-memory",
    }


def _wiki_relation(words: str) -> str:
    """`relates to` and `relates_to` are one relation; a bare bullet is the plainest one."""
    return re.sub(r"\W+", "_", words.strip().lower()).strip("_") or "relates_to"


# --- instruction files (CLAUDE.md, AGENTS.md and the like): each section is something to remember -

NAMES = ("agents.md", "claude.md", "gemini.md", "copilot-instructions.md", ".cursorrules")
_CURSOR = ".mdc"
_HEADING = r"^(#{1,6})\s+(.+?)\s*#*$"
_FENCE = r"^\s*(```|~~~)"
_OWN_BLOCK = r"<!-- treering:start -->.*?<!-- treering:end -->"


class Section(NamedTuple):
    line: int
    path: tuple[str, ...]
    text: str


def is_for_agents(path: Path) -> bool:
    if path.is_dir():
        return path.resolve().parts[-2:] == (".cursor", "rules")
    return path.name.lower() in NAMES or path.suffix == _CURSOR


def is_agent_memory(path: Path) -> bool:
    """Return whether a folder is where an agent's client keeps what it learned: of Claude
    `.claude/projects/NAME/memory`, of Codex `.codex/memories`."""
    parts = path.resolve().parts
    is_claude = parts[-1:] == ("memory",) and parts[-4:-2] == (".claude", "projects")
    return path.is_dir() and (is_claude or parts[-2:] == (".codex", "memories"))


def instructions(path: Path) -> Iterator[Numbered]:
    """One memory a section that says something; the headings above it are its topic."""
    if path.is_dir():
        for file in [*list_files(path, ".md"), *list_files(path, _CURSOR)]:
            yield from instructions(file)
        return
    _, content = note(path)
    for section in sections(re.sub(_OWN_BLOCK, "", content, flags=re.S)):
        where = f"{path.name}:{section.line}"
        title = f"# {section.path[-1]}\n\n" if section.path else ""
        fields = {
            "content": title + section.text,
            "topic": "/".join(_segment(heading) for heading in section.path[1:-1]),
            "source": path.name,
            "details": {"imported_from": where},
        }
        yield check(section.line, where, fields)


def sections(content: str) -> list[Section]:
    """The text below each heading, without what stands below a deeper one."""
    parts: list[Section] = []
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
            parts.append(Section(start, tuple(title for _, title in path), text))
        level = len(heading[1])
        path = [(above, title) for above, title in path if above < level] + [(level, heading[2])]
        start, lines = number, []
    return parts


def _segment(heading: str) -> str:
    return re.sub(r"[^\w.-]+", "-", heading.lower()).strip("-")[:MAX_TOPIC_SEGMENT] or "section"
