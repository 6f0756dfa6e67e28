"""Notes other programs keep in markdown: decision records, Autology, basic-memory, AGENTS.md."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import frontmatter

from treering.actions.imports.records import Numbered, Record, check, decode, read
from treering.errors import Invalid, InvalidDocument
from treering.git.plain_files import list_files, list_passed_over
from treering.model import document
from treering.model.memory import MAX_TOPIC_SEGMENT
from treering.model.scope import unescape
from treering.model.strict_yaml import StrictYamlHandler
from treering.model.taxonomy import type_named

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


_NAME = r"(?:change(?:s|log)?|history|news|release[-_ ]?notes)(?:\.(?:md|markdown|rst|txt))?"
_VERSION = r"\bv?(\d+\.\d+(?:\.\d+)*(?:[.-]?(?:a|b|rc|alpha|beta|dev|post)\.?\d*)?)\b"
_DAY_PATTERN = r"\b(\d{4}-\d{2}-\d{2})\b"
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
                day = re.search(_DAY_PATTERN, heading)
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
            if not date and (day := re.search(rf"released\s+{_DAY_PATTERN}", line, re.IGNORECASE)):
                date = day[1]
    close()
    return found


_SUFFIX = ".md"


def from_path(path: Path) -> Iterator[Numbered]:
    """A markdown file, or a folder of them."""
    yield from report_passed_over(path)
    for number, (file, where) in enumerate(files_of(path), 1):
        yield _markdown(file, where, number)


def files_of(path: Path) -> list[tuple[Path, str]]:
    """The markdown files at a path, each with its name below it."""
    if not path.is_dir():
        return [(path, path.name)]
    files = list_files(path, _SUFFIX)
    return [(file, str(file.relative_to(path))) for file in files]


def report_passed_over(path: Path) -> Iterator[Numbered]:
    """Yield what of a folder is not read: each with its reason, as a record that went wrong."""
    if path.is_dir():
        for where, why in list_passed_over(path, _SUFFIX).items():
            yield Numbered(0, where, Invalid(why))


def note(path: Path) -> tuple[dict[str, Any], str]:
    """Front matter and text of a note."""
    text = decode(read(path)).replace("\r\n", "\n")
    metadata, content = frontmatter.parse(text, handler=_NoteHandler())
    return metadata, content


def translate(metadata: dict[str, Any], content: str, path: Path, where: str) -> dict[str, Any]:
    """The words other note keepers use, in ours; what has no word of ours goes to details."""
    fields = {key: value for key, value in metadata.items() if key in Record.model_fields}
    other = {key: value for key, value in metadata.items() if key not in Record.model_fields}
    tags = fields.get("tags") or []
    fields["tags"] = [t.strip("# ") for t in tags.split(",")] if isinstance(tags, str) else tags
    for theirs, ours in (("date", "created"), ("updated", "modified"), ("category", "topic")):
        if theirs in other and not fields.get(ours):
            fields[ours] = str(other.pop(theirs))
    details = fields.get("details") if isinstance(fields.get("details"), dict) else {}
    fields["details"] = (details or {}) | other | {"imported_from": where}
    if isinstance(fields.get("id"), int | float):
        fields["id"] = str(fields["id"])
    return fields | {"content": content or fields.get("title") or path.stem}


def settle_type(fields: dict[str, Any]) -> dict[str, Any]:
    """A type that is none of ours is kept as a detail, and the text decides."""
    word = fields.get("type")
    if not word:
        return fields
    try:
        return fields | {"type": type_named(str(word))}
    except Invalid:
        details = fields.get("details", {}) | {"imported_type": str(word)}
        return fields | {"type": "", "details": details}


class _NoteHandler(StrictYamlHandler):
    """The front matter of other programs' notes, which may be empty."""

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        return super().load(fm) if fm.strip() else {}


def _markdown(path: Path, where: str, number: int) -> Numbered:
    """A file of ours as it is; any other note by its front matter and text."""
    folder = PurePath(where).parent.parts
    branch = unescape(folder[0]) or "" if len(folder) == 1 else ""
    try:
        return Numbered(number, where, document.parse(read(path)), branch)
    except InvalidDocument:
        pass
    try:
        fields = translate(*note(path), path, where)
    except Invalid as error:
        return Numbered(number, where, error)
    return check(number, where, fields, str(fields.get("id") or ""), str(fields.get("title", "")))
