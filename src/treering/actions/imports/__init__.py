"""Where memories may come from: each system's own shape is turned into records."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from treering.actions.imports import git_notes, markdown, notes, records
from treering.actions.imports.records import Numbered
from treering.errors import Invalid
from treering.git.repository import Repository
from treering.model.choices import SOURCE_NAMES, SourceName
from treering.model.taxonomy import one_of

Reader = Callable[[Path], Iterator[Numbered]]


class Source(NamedTuple):
    """What can be read of one system, and how it is told from others."""

    read: Reader
    is_here: Callable[[Path], bool]


#: In the order they are tried when nobody says what it is.
SOURCES: dict[SourceName, Source] = {
    "autology": Source(notes.nodes, notes.has_nodes),
    "server-memory": Source(records.from_server_memory, records.is_server_memory),
    "agent-memory": Source(notes.instructions, notes.is_agent_memory),
    "agents": Source(notes.instructions, notes.is_for_agents),
    "adr": Source(notes.decisions, notes.has_decisions),
    "changelog": Source(markdown.entries, markdown.is_changelog),
    "basic-memory": Source(notes.wiki_notes, notes.has_permalinks),
    "markdown": Source(
        markdown.from_path,
        lambda path: path.is_dir() or path.suffix.lower() in (".md", ".markdown"),
    ),
    "jsonl": Source(lambda path: records.from_lines(records.read(path)), Path.is_file),
}
GIT_NOTES: SourceName = "git-notes"
#: Written by a client on this machine, for its user: private.
AGENT_MEMORY: SourceName = "agent-memory"


class SourceRecords(NamedTuple):
    """Records, and what they were read as."""

    system: str
    records: Iterator[Numbered]


def read_from(repository: Repository, place: str, system: str = "") -> SourceRecords:
    """The records at a place: a file, a folder, or for git notes a ref."""
    name = one_of(system, SOURCE_NAMES, "from") if system else None
    if name == GIT_NOTES:
        return SourceRecords(GIT_NOTES, git_notes.records(repository, place))
    path = Path(place)
    if not path.exists():
        raise Invalid(f"There is no file {place}")
    if not (path.is_file() or path.is_dir()):
        raise Invalid(
            f"{place} is neither a file nor a folder.",
            hint="`treering import -` reads JSON lines from standard input.",
        )
    name = name or _recognize(path)
    return SourceRecords(name, SOURCES[name].read(path))


def _recognize(path: Path) -> SourceName:
    """Return what is at a path; any file may be JSON lines, so something always fits."""
    return next(name for name, source in SOURCES.items() if source.is_here(path))
