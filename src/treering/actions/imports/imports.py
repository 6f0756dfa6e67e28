"""import: many memories at once, one commit a branch; a bad one is reported, the rest goes in."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from treering.actions import inputs
from treering.actions.imports import notes, records
from treering.actions.imports.records import (
    Failure,
    Imported,
    LinkLine,
    Numbered,
    Preview,
    Progress,
    Record,
)
from treering.actions.imports.transcripts import AGENTS, import_transcripts
from treering.actions.searcher import catch_up
from treering.actions.workspace import Change, Workspace, Writing
from treering.call import Advice, Call, ways
from treering.errors import Conflict, Invalid, TreeringError
from treering.git.repository import Repository
from treering.model import document
from treering.model.choices import SOURCE_NAMES, STATUSES, SourceName
from treering.model.dates import format_moment, parse_moment
from treering.model.memory import FileRef, Link, Memory, check, derive_id, is_id, title_of
from treering.model.taxonomy import one_of, type_named
from treering.store.view import Copy
from treering.text import secrets
from treering.text.classify import classify

_SHOWN = 20  # of a dry run
#: More than a person remembers; another program's file may hold any number.
MAX_RECORDS = 200_000


def import_path(
    workspace: Workspace,
    path: Path | str,
    *,
    system: str = "",
    branch: str = "",
    private: bool = False,
    dry_run: bool = False,
    allow_secret: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Import a file, a folder or another system's store; what it is, is found out if not said."""
    if system.lower() in AGENTS:
        return import_transcripts(
            workspace,
            str(path),
            system.lower(),
            branch=branch,
            private=private,
            dry_run=dry_run,
            progress=progress,
        )
    source_records = read_from(workspace.repository, str(path), system)
    answer = import_records(
        workspace,
        source_records.records,
        branch=branch,
        private=private or source_records.system == AGENT_MEMORY,
        dry_run=dry_run,
        allow_secret=allow_secret,
        progress=progress,
    )
    return replace(answer, source=source_records.system)


def import_records(
    workspace: Workspace,
    records: Iterable[Numbered],
    *,
    branch: str = "",
    private: bool = False,
    dry_run: bool = False,
    allow_secret: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Check every record on its own, then write the good ones, one commit a branch."""
    by_branch: dict[str, dict[str, tuple[Numbered, Memory]]] = {}
    errors: list[Failure] = []
    known_count = 0
    everything = list(islice(records, MAX_RECORDS + 1))
    if len(everything) > MAX_RECORDS:
        text = f"An import takes {MAX_RECORDS} records. Put this one and those after it into"
        errors.append(_failure(everything.pop(), Invalid(f"{text} another file.")))
    places = _places(everything)
    for number, record in enumerate(everything, 1):
        try:
            memory = _place(_memory(workspace, record), places.get(number))
            if not allow_secret:
                secrets.refuse(*secrets.texts_of(memory))
            target = by_branch.setdefault(branch or _branch_of(record), {})
            _take(target, record, memory)
        except _AlreadyThere:
            known_count += 1
        except TreeringError as error:
            errors.append(_failure(record, error))
        if progress:
            progress(number, 2 * len(everything))  # it counts again once it is searchable

    imported, previews, undo = 0, list[Preview](), list[Call]()
    errors += _link_up(by_branch)
    # The caller's own branch first: where that cannot be written, nothing has been.
    for name, memories in sorted(by_branch.items(), key=lambda item: item[0] != branch):
        try:
            new, there, failures, back = _write(workspace, name, memories, private, dry_run)
        except TreeringError as error:
            if name == branch:
                raise
            errors += [_failure(record, error) for record, _ in memories.values()]
            continue
        undo += [part for part in back.parts if isinstance(part, Call)] if back else []
        imported, known_count, errors = imported + len(new), known_count + there, errors + failures
        previews += [Preview(memory.type, memory.title, name) for memory in new]
    if imported and not dry_run:
        catch_up(workspace)
    if progress:
        progress(2 * len(everything), 2 * len(everything))
    errors.sort(key=lambda error: error.line)
    preview = tuple(previews[:_SHOWN]) if dry_run else None
    return Imported(
        imported,
        known_count,
        tuple(errors),
        dry_run=dry_run or None,
        preview=preview,
        back=ways(*undo) if undo else None,
    )


def _link_up(by_branch: dict[str, dict[str, tuple[Numbered, Memory]]]) -> list[Failure]:
    """Links to records by the names they have where they come from, once all their ids are known.

    A link to what was not imported is kept in words: `details.dangling`.
    """
    pairs = [pair for memories in by_branch.values() for pair in memories.values()]
    ids = {name.casefold(): memory.id for record, memory in pairs for name in record.names}
    errors = []
    for memories in by_branch.values():
        for memory_id, (record, memory) in list(memories.items()):
            try:
                linked = _link(memory, _foreign(record), ids)
                document.dump(linked)  # or its header is too large, and nothing could be written
                memories[memory_id] = (record, linked)
            except TreeringError as error:
                del memories[memory_id]
                errors.append(_failure(record, error))
    return errors


def _link(memory: Memory, foreign: list[LinkLine], ids: Mapping[str, str]) -> Memory:
    if not foreign:
        return memory
    links, dangling = list(memory.links), []
    for line in foreign:
        target = ids.get(line.target.casefold())
        if target is None:
            dangling.append(inputs.line_given(f"{line.relation} {line.target}", "link"))
        elif target != memory.id:
            links.append(_link_of(line)._replace(target=target))
    details = dict(memory.details) | ({"dangling": dangling} if dangling else {})
    return check(memory._replace(links=tuple(links), details=details))


def _foreign(record: Numbered) -> list[LinkLine]:
    links = record.found.links if isinstance(record.found, Record) else []
    return [link for link in links if not is_id(link.target)]


def _places(records: list[Numbered]) -> dict[int, int]:
    """Number of a record -> its place among those of one session and one moment.

    The order of the lines is all that says which of them came first; a tree keeps no order.
    """
    moments: dict[tuple[str, str], list[int]] = {}
    for number, record in enumerate(records, 1):
        if isinstance(record.found, Record) and record.found.session:
            key = (record.found.session, record.found.created)
            moments.setdefault(key, []).append(number)
    groups = (numbers for numbers in moments.values() if len(numbers) > 1)
    return {number: place for numbers in groups for place, number in enumerate(numbers, 1)}


def _place(memory: Memory, place: int | None) -> Memory:
    if place is None or "place" in memory.details:
        return memory
    return memory.with_details(place=place)


class _AlreadyThere(Exception):
    """The same memory once more."""


def _take(target: dict[str, tuple[Numbered, Memory]], record: Numbered, memory: Memory) -> None:
    """Keep a memory for its branch; the same one twice in a file is one."""
    n = 0
    while memory.id in target:
        if target[memory.id][1].content == memory.content:
            raise _AlreadyThere
        n += 1
        memory = memory._replace(id=derive_id(memory.type, memory.content, n))
    target[memory.id] = (record, memory)


def _write(
    workspace: Workspace,
    branch: str,
    memories: dict[str, tuple[Numbered, Memory]],
    private: bool,
    dry_run: bool,
) -> tuple[list[Memory], int, list[Failure], Advice | None]:
    """Write what is new to one branch: which, how many were there, what clashed."""

    def attempt(writing: Writing) -> tuple[list[Memory], int, list[Failure], Advice | None]:
        new, errors, count = [], [], 0
        visible = writing.view.visible
        for record, memory in memories.values():
            place = visible.get(memory.id)
            if place is None or _is_overlay(writing, record, memory, place):
                is_private = private or getattr(record.found, "private", False)
                new.append(Change(memory, place, is_private))
            elif (there := place.try_memory()) and there.content == memory.content:
                count += 1
            else:
                clash = Conflict(f"The id {memory.id} belongs to a memory with another content.")
                errors.append(_failure(record, clash))
        if new and not dry_run:
            writing.commit("import", new, allow_secret=True)  # each was looked at alone
        return [change.memory for change in new], count, errors, writing.back

    return workspace.write(branch, attempt, create=True)


def _is_overlay(writing: Writing, record: Numbered, memory: Memory, below: Copy) -> bool:
    """Return whether a record is a branch's own copy of what a lower layer has: its id says that it
    is the same memory, and it differs."""
    names_id = isinstance(record.found, Memory) or is_id(getattr(record.found, "id", ""))
    if not names_id or below.layer.snapshot.scope == writing.scope:
        return False
    return below.try_memory() != memory


def _branch_of(record: Numbered) -> str:
    return record.found.branch if isinstance(record.found, Record) else record.branch


def _failure(record: Numbered, error: TreeringError) -> Failure:
    return Failure(record.line, record.where, error.code, error.message)


def _memory(workspace: Workspace, line: Numbered) -> Memory:
    record = line.found
    if isinstance(record, Invalid):
        raise record
    if isinstance(record, Memory):
        return record
    content = inputs.clean_content(record.content)
    kind = type_named(record.type) if record.type else classify(content).type
    now = workspace.clock()
    creation = (
        format_moment(parse_moment(record.created, now)) if record.created else format_moment(now)
    )
    details = record.details
    if record.id and not is_id(record.id):
        details = details | {"imported_id": inputs.line_given(record.id, "id")}
    return check(
        Memory(
            id=record.id if is_id(record.id) else derive_id(kind, content),
            type=kind,
            title=inputs.line_given(record.title, "title") or title_of(content),
            content=content,
            created=creation,
            modified=format_moment(parse_moment(record.modified, now))
            if record.modified
            else creation,
            tags=inputs.tags_given(record.tags),
            topic=inputs.topic_given(record.topic),
            status=one_of(record.status or "active", STATUSES, "status"),
            confidence=record.confidence,
            source=inputs.line_given(record.source, "source") or "import",
            author=inputs.line_given(record.author, "author") or str(workspace.person),
            agent=inputs.line_given(record.agent, "agent"),
            session=inputs.line_given(record.session, "session"),
            commit=record.commit,
            files=tuple(
                FileRef(file) if isinstance(file, str) else FileRef(file.path, file.blob)
                for file in record.files
            ),
            links=tuple(_link_of(link) for link in record.links if is_id(link.target)),
            details=details,
            extra=record.model_extra or {},
        )
    )


def _link_of(line: LinkLine) -> Link:
    reason = line.reason or line.description
    return Link(
        line.relation, line.target, line.confidence, line.by, reason, line.model_extra or {}
    )


# --- where memories may come from ---------------------------------------------------------------

Reader = Callable[[Path], Iterator[Numbered]]


class Source(NamedTuple):
    """A system that can be imported from, and how it is told from others."""

    read: Reader
    is_here: Callable[[Path], bool]


#: In the order they are tried when nobody says what it is.
SOURCES: dict[SourceName, Source] = {
    "autology": Source(notes.nodes, notes.has_nodes),
    "server-memory": Source(records.from_server_memory, records.is_server_memory),
    "agent-memory": Source(notes.instructions, notes.is_agent_memory),
    "agents": Source(notes.instructions, notes.is_for_agents),
    "adr": Source(notes.decisions, notes.has_decisions),
    "changelog": Source(notes.entries, notes.is_changelog),
    "basic-memory": Source(notes.wiki_notes, notes.has_permalinks),
    "markdown": Source(
        notes.from_path,
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
        return SourceRecords(GIT_NOTES, records.from_git_notes(repository, place))
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
