"""What each tool accepts, in the contract's words. Defaults are the actions' own; where a default
is written here it is only shown to the caller."""

from typing import Any

from pydantic import Field

from treering.mcp.leniency import Arguments


def said(description: str, *words: str, default: Any = None) -> Any:
    """An argument that may be left out; `words` are those it may be."""
    extra: Any = {"enum": list(words)} if words else None
    return Field(default, description=description, json_schema_extra=extra)


def must(description: str, *words: str) -> Any:
    """An argument that has to be given."""
    return said(description, *words, default=...)


BRANCH = "Another branch than the one checked out."
IDS = "Ids, or unique prefixes of 4 or more."


class Remember(Arguments):
    content: str = must("The memory, in markdown; the first line is its title unless one is given.")
    type: str = said(
        "decision, pattern, convention, component, concept, insight, issue, debt, api, config, "
        "security, testing, progress or context; left out: classified from the text."
    )
    title: str = said("Up to 200 characters.")
    topic: str = said("A path such as backend/auth/tokens.")
    reasoning: str = said("Why: what was weighed, what was given up.")
    tags: list[str] = said("Labels.")
    files: list[str] = said("Paths it is about; recall tells when they change.")
    confidence: float = said("0 to 1.", default=0.8)
    supersedes: str = said("Id of the memory this one replaces.")
    links: list[str] = said('Each "relation:id", such as "depends_on:7k2m9qx4".')
    branch: str = said(BRANCH)
    private: bool = said("Keep it on this machine; never synced.")
    session: str = said("Your session's id.")
    agent: str = said("Who you are; the client's name if left out.")
    outcome: str = said("How it turned out.", "success", "failed", "partial")
    id: str = said("An id to keep, when copying; else it comes from the content.")


class Recall(Arguments):
    query: str = said(
        'Words, "phrases", -not, prefix*, and filters type: tag: topic: title: author: file: '
        "since: confidence>0.7. Empty lists the newest."
    )
    type: str = said("Only this type.")
    topic: str = said("Only below this topic.")
    tags: list[str] = said("All must match.")
    since: str = said("7d, 12h, 2w, a date, today, yesterday.")
    until: str = said("As since.")
    min_confidence: float = said("0 to 1.")
    max_confidence: float = said("0 to 1.")
    status: str = said(
        "Default: active and needs-review.",
        *("active", "needs-review", "superseded", "deleted", "all"),
    )
    author: str = said("Part of the name.")
    agent: str = said("Written by this agent.")
    session: str = said("Of this session.")
    file: str = said("About this file or folder.")
    scope: str = said("How far to look.", "branch", "trunk", "all", default="branch")
    branch: str = said("As seen from another branch.")
    at: str = said("As it was at a revision or date.")
    mode: str = said("By words, by meaning, or both.", "hybrid", "text", "semantic")
    order: str = said(
        "Default: relevance, or newest for a listing.",
        *("relevance", "newest", "oldest", "confidence", "uncertain"),
    )
    expand: int = said("Follow links, 0 to 3 hops.")
    relation: list[str] = said("Which links expand follows.")
    detail: str = said(
        "light: no text; full: whole text.", "light", "medium", "full", default="medium"
    )
    limit: int = said("Default 10, or 50 for a listing.")
    cursor: str = said("From the answer before, for the next page.")


class Read(Arguments):
    id: str = must('Id or unique prefix, or "out:..." of a cut answer.')
    at: str = said("As it was at a revision, a date, or a commit of its history.")
    history: bool = said("With every change, newest first.")
    links: int = said("Hops of links to show, 0 to 3.", default=1)
    offset: int = said("Continue at this character (next_offset).")
    branch: str = said(BRANCH)


class Revise(Arguments):
    id: str = must("Id or unique prefix.")
    content: str = said("The new text, whole.")
    append: str = said("Text to add at the end.")
    title: str = said('"-" clears.')
    type: str = said("Another type.")
    topic: str = said('"-" clears.')
    tags_add: list[str] = said("Tags to add.")
    tags_remove: list[str] = said("Tags to take away.")
    files: list[str] = said('Replaces all; ["-"] clears.')
    status: str = said("Its state.", "active", "needs-review", "superseded", "deleted")
    confidence: float = said("0 to 1.")
    outcome: str = said("How it turned out.", "success", "failed", "partial")
    reason: str = said("Why it changed or how it went.")
    supersede_with: str = said("Id of the newer memory that replaces this one.")
    expect: str = said("The version you read; refused if it changed since.")
    branch: str = said(BRANCH)


class Forget(Arguments):
    ids: list[str] = must(f"{IDS} All or none.")
    reason: str = said("Why.")
    restore: bool = said("Bring them back instead.")
    branch: str = said(BRANCH)


class Link(Arguments):
    source: str = must("Id or prefix.")
    target: str = must("Id or prefix.")
    relation: str = said(
        "depends_on, uses, implements, affects, references, follows, derived_from, "
        "prerequisite_of, part_of, conflicts_with, mentions or a word of your own.",
        default="relates_to",
    )
    confidence: float = said("0 to 1; the higher one stays.", default=0.8)
    note: str = said("Why they belong together.")
    remove: bool = said("Take the link away.")
    branch: str = said(BRANCH)


class Graph(Arguments):
    op: str = must(
        "What to ask.",
        *("neighbors", "edges", "path", "prerequisites", "stats", "draw", "suggest"),
    )
    id: str = said("Where to start.")
    to: str = said("path: where to end.")
    relation: list[str] = said("Only these relations.")
    direction: str = said("Which way.", "both", "in", "out")
    depth: int = said("Hops: neighbors 1, path 5, prerequisites 3, draw 2.")
    types: list[str] = said("Only memories of these types.")
    format: str = said("draw.", "mermaid", "dot", "json")
    threshold: float = said("suggest: how alike, 0 to 1; default 0.8.")
    limit: int = said("Default 50; suggest 10.")
    branch: str = said(BRANCH)


class Entities(Arguments):
    op: str = must("What to do.", "list", "get", "add", "delete", "merge", "extract")
    name: str = said("Its name.")
    kind: str = said("person, organization, technology, concept or file.")
    text: str = said("extract: where to look; or name ids.")
    ids: list[str] = said(IDS)
    canonical: str = said("merge: the one that stays.")
    properties: dict[str, Any] = said("add: facts about it.")
    min_confidence: float = said("extract.", default=0.6)
    store: bool = said("extract: keep what was found.")
    dry_run: bool = said("merge, delete: only show; default true.")
    limit: int = said("Default 50.")
    branch: str = said(BRANCH)


class Checkpoint(Arguments):
    op: str = must("save before you stop, load when you start.", "save", "load")
    summary: str = said("save: what was done, where things stand.")
    next_steps: list[str] = said("save: what to do next, in order.")
    open_files: list[str] = said("save: files being worked on.")
    session: str = said("Your session's id.")
    branch: str = said(BRANCH)


class Context(Arguments):
    task: str = said("What you are about to do, in your own words.")
    files: list[str] = said("Files you will change.")
    recent_files: list[str] = said("Files looked at or changed lately.")
    budget: int = said("Characters of text.", default=2000)
    template: str = said("A saved template to render it with.")
    branch: str = said(BRANCH)


class Prompts(Arguments):
    op: str = must("What to do.", "list", "get", "run", "render", "save", "delete")
    name: str = said("kebab-case.")
    kind: str = said("A template renders memories.", "prompt", "template")
    content: str = said("save: the text, with {{variables}}.")
    description: str = said("save: what it is for.")
    tags: list[str] = said("save: labels; list: all must match.")
    variables: dict[str, Any] = said("run, render: values by name.")
    query: str = said("list: words; render: which memories.")
    limit: int = said("Default 10.")
    format: str = said("render.", "markdown", "json", "xml")
    domain: str = said("Whose; delete must name it.", "project", "user")
    branch: str = said(BRANCH)


class Status(Arguments):
    view: str = said(
        "What to count.",
        *("summary", "types", "topics", "tags", "files", "branches", "outputs", "health"),
        default="summary",
    )
    branch: str = said(BRANCH)


class Maintain(Arguments):
    op: str = must(
        "What to do.",
        *("gc", "promote", "restore", "reindex", "sync", "merge", "dedupe", "summarize"),
        *("enrich", "infer_links", "prune_links"),
    )
    branch: str = said("gc, promote, restore: which branch.")
    into: str = said("promote: where to; default the trunk.")
    ids: list[str] = said(IDS)
    type: str = said("Only this type.")
    query: str = said("Only what matches.")
    content: str = said("merge, summarize, enrich: the text you wrote.")
    title: str = said("Its title.")
    threshold: float = said("How alike, 0 to 1; default 0.8.")
    min_confidence: float = said("Links: at least this sure; default 0.7.")
    limit: int = said("Default 20.")
    remote: str = said("sync: which remote.")
    direction: str = said("sync.", "full", "push", "fetch")
    purge: bool = said("gc: delete old trash for good.")
    older_than: str = said("gc with purge: how old; default 30d.")
    force: bool = said("gc: drop what cannot be judged, too.")
    keep_lessons: bool = said("gc: keep failed outcomes.")
    before_sync: bool = said("restore: what the last sync hid or changed.")
    dry_run: bool = said("Only show. Default true, but false for restore, reindex, sync.")
