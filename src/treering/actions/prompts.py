"""prompts: texts saved under a name, to be run with variables; templates that render memories.

Those of the project are stored on the branch like memories and seen through the same layers; those
of the user are files in a folder of their own.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict
from xml.sax.saxutils import escape, quoteattr

from treering.actions import inputs
from treering.actions.card import Card
from treering.actions.origin import YOU, name_people, origin_of
from treering.actions.workspace import Change, Workspace, Writing
from treering.call import Advice, Option
from treering.errors import Invalid, PromptNotFound, StorageFailed, TreeringError
from treering.git.files import read_plain, replace_file
from treering.git.objects import hash_blob
from treering.model import document, template
from treering.model import prompt as prompts_model
from treering.model.choices import PROMPT_KINDS
from treering.model.memory import Memory
from treering.model.prompt import Prompt, prompt_id, prompt_of
from treering.model.provenance import SOMEONE, Contributor
from treering.model.taxonomy import SAVED_TYPES
from treering.search.entry import Entry
from treering.text import secrets
from treering.text.hygiene import clean, must_be_utf8


class SavedPrompt(NamedTuple):
    """A prompt as found: whose it is, on which branch (empty for the user's), which version."""

    prompt: Prompt
    domain: str
    branch: str
    version: str


class PromptStore:
    """Both places, as seen from one branch."""

    def __init__(self, workspace: Workspace, branch: str = "") -> None:
        self._workspace = workspace
        self._branch = branch

    def find(self, domain: str, kind: str, name: str) -> SavedPrompt | None:
        if domain == "user":
            folder = self._workspace.user_folder
            return _read_own(_file(folder, kind, name)) if folder else None
        place = self._workspace.view(self._branch).place(prompt_id(kind, name))
        prompt = prompt_of(place.try_memory()) if place else None
        if place is None or prompt is None:
            return None
        return SavedPrompt(prompt, "project", place.layer.branch, place.blob)

    def all(self) -> Iterator[SavedPrompt]:
        searcher = self._workspace.searcher
        search_view = searcher.knowledge_view(self._workspace.view(self._branch), with_saved=True)
        for entry in search_view.entries():
            if entry.type in SAVED_TYPES and (found := self.find("project", *_name(entry))):
                yield found
        if folder := self._workspace.user_folder:
            for kind in PROMPT_KINDS:
                for file in sorted((folder / f"{kind}s").glob("*.md")):
                    if own := _read_own(file):
                        yield own

    def save(self, domain: str, prompt: Prompt) -> SavedPrompt:
        """Write a prompt; one that is there already as it is stays as it is."""
        old = self.find(domain, prompt.kind, prompt.name)
        if old and old.prompt == prompt:
            return old
        if domain == "user":
            return self._write_own(prompt)

        def attempt(writing: Writing) -> SavedPrompt:
            place = writing.view.place(prompt.id)
            memory = self._as_memory(prompt, place.try_memory() if place else None)
            blobs = writing.commit(
                "revise" if place else "remember", [Change(memory, place, False)]
            )
            return SavedPrompt(prompt, "project", writing.scope.branch, blobs[memory.id])

        return self._workspace.write(self._branch, attempt)

    def delete(self, entry: SavedPrompt) -> None:
        """Take a prompt away; one of the project is forgotten, as any memory is."""
        if entry.domain == "user":
            folder = _own_folder(self._workspace)
            _file(folder, entry.prompt.kind, entry.prompt.name).unlink(missing_ok=True)
            return

        def attempt(writing: Writing) -> None:
            if place := writing.view.place(entry.prompt.id):
                memory = place.memory().forget("").touch(self._workspace.now())
                writing.commit("forget", [Change(memory, place, place.is_private)])

        self._workspace.write(self._branch, attempt)

    def _as_memory(self, prompt: Prompt, existing: Memory | None) -> Memory:
        return prompt.as_memory(self._workspace.now(), str(self._workspace.person), existing)

    def _write_own(self, prompt: Prompt) -> SavedPrompt:
        """Beside it and moved into place: a crash leaves the old one."""
        file = _file(_own_folder(self._workspace), prompt.kind, prompt.name)
        data = document.dump(self._as_memory(prompt, None))
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(file, data, mode=0o600, is_synced=True)
        except OSError as error:
            raise StorageFailed(f"{file} cannot be written: {error.strerror}.") from error
        return SavedPrompt(prompt, "user", "", hash_blob(data))


def _name(entry: Entry) -> tuple[str, str]:
    return entry.type, entry.title


def _file(folder: Path, kind: str, name: str) -> Path:
    return folder / f"{kind}s" / f"{name}.md"


def _own_folder(workspace: Workspace) -> Path:
    if workspace.user_folder is None:
        raise Invalid(
            "There is no folder for your own prompts.",
            hint="In Python: Treering.open(path, user_folder=...).",
        )
    return workspace.user_folder


def _read_own(file: Path) -> SavedPrompt | None:
    """One of the user's own; the file's name and folder decide, not what it says of itself."""
    try:
        data = read_plain(file.resolve())  # a link of the user's own is followed
        prompt = prompt_of(document.parse(data))
    except (OSError, TreeringError):
        return None
    if prompt is None or (f"{prompt.kind}s", prompt.name) != (file.parent.name, file.stem):
        return None
    return SavedPrompt(prompt, "user", "", hash_blob(data))


_MAX_RUNS = 1_000
_FILE = "prompts.json"


class PromptRuns:
    """The versions last run, by prompt: a small file that may be lost at the cost of a warning."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def note(self, entry: SavedPrompt) -> None:
        """The user knows this version by now."""
        runs = self._load()
        if entry.domain == "project" and runs.get(_key(entry)) != entry.version:
            runs.pop(_key(entry), None)
            runs[_key(entry)] = entry.version
            self._workspace.state.write_json(_FILE, dict(list(runs.items())[-_MAX_RUNS:]))

    def warnings(self, entry: SavedPrompt) -> list[str]:
        """Return what to tell about a version before it is run."""
        people = writers_of(self._workspace, entry)
        last = self._load().get(_key(entry), "")
        if not people or last == entry.version or origin_of(self._workspace, people) == YOU:
            return []
        others = [person for person in people if origin_of(self._workspace, [person]) != YOU]
        who = " and ".join(name_people(others)) or "Someone"
        name = f"the project's {entry.prompt.kind} {entry.prompt.name}"
        if last:
            return [f"{who} changed {name} since you last ran it: read it first."]
        return [f"{who} wrote {name}, and you have not run it before: read it first."]

    def _load(self) -> dict[str, str]:
        versions = self._workspace.state.read_json(_FILE)
        if not isinstance(versions, dict):
            return {}
        return {str(key): str(version) for key, version in versions.items()}


def writers_of(workspace: Workspace, entry: SavedPrompt) -> tuple[Contributor, ...]:
    """Return those whose words a project's prompt holds, the creator first; nobody for the user's
    own."""
    if entry.domain == "user":
        return ()
    version = workspace.ledger.version(entry.version)
    return version.people if version else (SOMEONE,)


def owner_of(workspace: Workspace, entry: SavedPrompt) -> str:
    """Return whose a prompt is, as its commits tell."""
    people = writers_of(workspace, entry)
    return next(iter(name_people(people[:1])), "unknown") if people else YOU


def _key(entry: SavedPrompt) -> str:
    return f"{entry.prompt.kind}s/{entry.prompt.name}"


#: The user's own come first: a name that others push to the project does not replace them.
_LOOKED_IN = ("user", "project")
_DEEPEST_VALUE = 5


class PromptListed(TypedDict):
    name: str
    kind: str
    description: str
    variables: list[str]
    optional: list[str]
    tags: list[str]
    domain: str
    branch: str
    owner: str


class PromptList(TypedDict):
    prompts: list[PromptListed]
    total: int


class PromptFound(PromptListed):
    content: str
    version: str
    warnings: NotRequired[list[str]]


class PromptText(TypedDict):
    text: str
    flagged: NotRequired[list[str]]
    warnings: NotRequired[list[str]]


class PromptSaved(TypedDict):
    name: str
    version: str
    kind: str
    domain: str
    branch: str
    variables: list[str]


class PromptDeleted(TypedDict):
    deleted: str
    kind: str
    domain: str


PromptAnswer = PromptList | PromptFound | PromptText | PromptSaved | PromptDeleted


def find(
    workspace: Workspace,
    name: str,
    *,
    kind: str = "",
    domain: str = "",
    branch: str = "",
    kinds: Sequence[str] = PROMPT_KINDS,
) -> SavedPrompt:
    """The prompt that is meant: the user's own first, then the project's."""
    name = prompts_model.check_name(name)
    store = PromptStore(workspace, branch)
    for each_domain in [domain] if domain else _LOOKED_IN:
        for each_kind in [kind] if kind else kinds:
            if entry := store.find(each_domain, each_kind, name):
                return entry
    raise PromptNotFound(f"There is no {kind or kinds[0]} {name}.")


def template_named(
    workspace: Workspace, name: str, values: Collection[str], branch: str = ""
) -> template.Template:
    """A saved template taken apart, once it is sure that it needs no more than these values."""
    entry = find(workspace, name, branch=branch, kinds=("template", "prompt"))
    parts = template.parse(entry.prompt.content)
    missing = [word for word in variables_of(parts) if word not in values]
    if missing:
        raise Invalid(
            f"The template {name} needs {', '.join(missing)}, which is not available here.",
            hint=f"It may use: {', '.join(sorted(values))}.",
        )
    return parts


def variables_of(parts: template.Template) -> list[str]:
    """The variables a caller has to give; what we fill in ourselves is not among them."""
    inner = parts.inner.get("memories", frozenset()) - MEMORY_FIELDS.keys()
    return [word for word in dict.fromkeys([*parts.needed, *sorted(inner)]) if word not in RESERVED]


def list_prompts(
    workspace: Workspace, *, kind: str, domain: str, tags: Sequence[str], branch: str
) -> PromptList:
    """Return the prompts of a kind, a domain, with all these tags."""
    items = [
        _describe(workspace, entry)
        for entry in PromptStore(workspace, branch).all()
        if (not kind or entry.prompt.kind == kind)
        and (not domain or entry.domain == domain)
        and set(inputs.tags_given(tags)) <= set(entry.prompt.tags)
    ]
    items.sort(key=lambda item: (item["name"], item["kind"], item["domain"]))
    return {"prompts": items, "total": len(items)}


def get_prompt(
    workspace: Workspace, *, name: str, kind: str, domain: str, branch: str
) -> PromptFound:
    """Return one prompt as it was written."""
    entry = find(workspace, name, kind=kind, domain=domain, branch=branch)
    answer: PromptFound = {
        **_describe(workspace, entry),
        "content": entry.prompt.content,
        "version": entry.version,
        "warnings": PromptRuns(workspace).warnings(entry),
    }
    if not answer["warnings"]:
        del answer["warnings"]
    return answer


def _describe(workspace: Workspace, entry: SavedPrompt) -> PromptListed:
    parts = _try_parse(entry.prompt)
    return {
        "name": entry.prompt.name,
        "kind": entry.prompt.kind,
        "description": entry.prompt.description,
        "variables": variables_of(parts) if parts else [],
        "optional": [word for word in parts.optional if word not in RESERVED] if parts else [],
        "tags": list(entry.prompt.tags),
        "domain": entry.domain,
        "owner": owner_of(workspace, entry),
        "branch": entry.branch,
    }


def _try_parse(prompt: Prompt) -> template.Template | None:
    try:
        return template.parse(prompt.content)
    except Invalid:
        return None  # fetched from elsewhere; running it says what is wrong


def fill_prompt(
    workspace: Workspace,
    *,
    op: str,
    name: str,
    kind: str,
    domain: str,
    variables: Mapping[str, Any] | None,
    query: str,
    limit: int,
    format: str,
    branch: str,
) -> PromptText:
    """Return the text with its variables and memories; to run means a prompt first, to render a
    template."""
    kinds = ("template", "prompt") if op == "render" else ("prompt", "template")
    entry = find(workspace, name, kind=kind, domain=domain, branch=branch, kinds=kinds)
    parts, values = template.parse(entry.prompt.content), _nest(variables or {})
    _check_variables(entry.prompt, parts, values)
    results: Sequence[Card] = ()
    if query or "memories" in parts.mentioned:
        from treering.actions.recall import recall

        results = recall(workspace, query, limit=limit, branch=branch, detail="full").results
    flag_ids = [result.id for result in results if result.flags and result.origin != YOU]
    memories = TemplateMemories(
        as_template_memory(result, result.content or "")
        for result in results
        if result.id not in flag_ids
    )
    branch = branch or workspace.position().scope.branch
    own = {"memories": memories, "query": query, "branch": branch, "count": len(memories)}
    text = template.render(parts, {**own, **values})
    answer: PromptText = {"text": wrap(format, entry.prompt.name, text, memories)}
    if flag_ids:
        answer["flagged"] = flag_ids
    runs = PromptRuns(workspace)
    if warnings := runs.warnings(entry):
        answer["warnings"] = warnings
    runs.note(entry)
    return answer


def _check_variables(prompt: Prompt, parts: template.Template, values: Mapping[str, Any]) -> None:
    """Missing and unknown variables, each named; what we fill in cannot be given."""
    missing = [word for word in variables_of(parts) if word not in values]
    unknown = [word for word in values if word not in parts.mentioned or word == "memories"]
    if missing:
        raise Invalid(
            f"The {prompt.kind} {prompt.name} needs {', '.join(missing)}.",
            hint=Advice("Give each with {}.", Option("variables", "NAME=VALUE")),
        )
    if unknown:
        words = ", ".join([*variables_of(parts), *parts.optional]) or "none"
        raise Invalid(
            f"The {prompt.kind} {prompt.name} does not know {', '.join(unknown)}.",
            hint=f"Its variables: {words}.",
        )


def save_prompt(
    workspace: Workspace,
    *,
    name: str,
    kind: str,
    domain: str,
    content: str,
    description: str,
    tags: Sequence[str],
    branch: str,
) -> PromptSaved:
    """Store a prompt of the project, or one of your own."""
    content = inputs.clean_content(content)
    template.parse(content)
    description, labels = inputs.line_given(description, "description"), inputs.tags_given(tags)
    secrets.refuse(content, description, *labels)
    prompt = Prompt(
        name=prompts_model.check_name(name),
        kind=kind or "prompt",
        content=content,
        description=description[:1000],
        tags=labels,
    )
    entry = PromptStore(workspace, branch).save(domain or "project", prompt)
    PromptRuns(workspace).note(entry)
    return {
        "name": prompt.name,
        "version": entry.version,
        "kind": prompt.kind,
        "domain": entry.domain,
        "branch": entry.branch,
        "variables": variables_of(template.parse(content)),
    }


def delete_prompt(
    workspace: Workspace, *, name: str, kind: str, domain: str, branch: str
) -> PromptDeleted:
    """Take a prompt away."""
    if not domain:
        raise Invalid(
            "Say whose prompt is to be deleted: the project's or your own.",
            hint=Advice("{} or {}.", Option("domain", "project"), Option("domain", "user")),
        )
    entry = find(workspace, name, kind=kind, domain=domain, branch=branch)
    PromptStore(workspace, branch).delete(entry)
    return {"deleted": entry.prompt.name, "kind": entry.prompt.kind, "domain": entry.domain}


def _nest(variables: Mapping[str, Any]) -> dict[str, object]:
    """Variables as a tree: `a.b` is `b` in `a`; texts cleaned of what cannot be seen."""
    tree: dict[str, object] = {}
    for key, value in variables.items():
        *outer, last = inputs.line_given(str(key), "variable").split(".")
        at = tree
        for word in outer:
            inner = at.setdefault(word, {})
            if not isinstance(inner, dict):
                raise Invalid(f"The variable {key} is given twice, as text and as parts.")
            at = inner
        if isinstance(at.get(last), dict):
            raise Invalid(f"The variable {key} is given twice, as text and as parts.")
        at[last] = _plain(value, _DEEPEST_VALUE)
    return tree


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return clean(must_be_utf8(value, "variable"))
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth and isinstance(value, Mapping):
        return {str(key): _plain(item, depth - 1) for key, item in value.items()}
    if depth and isinstance(value, list | tuple):
        return [_plain(item, depth - 1) for item in value]
    raise Invalid("A variable is text, a number, a list or a mapping, at most 5 levels deep.")


OPERATIONS: dict[str, Callable[..., PromptAnswer]] = {
    "list": list_prompts,
    "get": get_prompt,
    "run": fill_prompt,
    "render": fill_prompt,
    "save": save_prompt,
    "delete": delete_prompt,
}


#: Names that treering fills in itself.
RESERVED = frozenset(("memories", "query", "branch", "count"))


TemplateMemory = dict[str, str | float | list[str]]
#: What a template may name of a memory: texts, numbers and lists of texts. `namespace` is another
#: word for its type.
MEMORY_FIELDS: Mapping[str, Callable[[Card], Any]] = {
    name: attrgetter(name)
    for name in (
        "id", "uri", "type", "title", "branch", "topic", "status", "confidence", "created",
        "modified", "author", "score", "content",
    )
} | {
    "namespace": lambda card: card.type,
    "tags": lambda card: list(card.tags),
    "why": lambda card: list(card.why or ()),
    "stale": lambda card: card.stale.state if card.stale else "",
    "outcome": lambda card: card.outcome or "",
    "outdated_by": lambda card: card.outdated_by.id if card.outdated_by else "",
    "newer": lambda card: card.newer.id if card.newer else "",
    "reverted": lambda card: card.reverted.commit if card.reverted else "",
}  # fmt: skip


def as_template_memory(card: Card, content: str) -> TemplateMemory:
    """Say of a memory what a template can."""
    card = card._replace(content=content)
    return {name: read(card) for name, read in MEMORY_FIELDS.items()}


class TemplateMemories(list[TemplateMemory]):
    """Memories as a template's list; put into text as a whole they are a markdown list."""

    def as_text(self) -> str:
        return "\n".join(_bullet(memory) for memory in self)


def _bullet(memory: TemplateMemory) -> str:
    lines = str(memory["content"]).splitlines() or [""]
    mark = f", outdated by {memory['outdated_by']}" if memory["outdated_by"] else ""
    mark += f", newer: {memory['newer']}" if memory["newer"] else ""
    mark += f", reverted by {str(memory['reverted'])[:12]}" if memory["reverted"] else ""
    head = f"- **{memory['title']}** ({memory['type']}, {memory['id']}{mark})"
    if lines == [memory["title"]]:
        return head
    return "\n".join([head, *(f"  {line}".rstrip() for line in lines)])


def wrap(format: str, name: str, text: str, memories: TemplateMemories) -> str:
    """The text as it is, or as data together with the memories it was made from."""
    if format == "json":
        return json.dumps({"name": name, "text": text, "memories": memories}, ensure_ascii=False)
    if format == "xml":
        inner = "".join(_element(memory) for memory in memories)
        return (
            f"<rendered name={quoteattr(name)}><text>{_xml(text)}</text>"
            f"<memories>{inner}</memories></rendered>"
        )
    return text


def _element(memory: TemplateMemory) -> str:
    attributes = " ".join(
        f"{name}={quoteattr(_clean(str(memory[name])))}"
        for name in ("id", "type", "title", "branch", "status", "created")
    )
    return f"<memory {attributes}>{_xml(str(memory['content']))}</memory>"


def _xml(text: str) -> str:
    return escape(_clean(text))


def _clean(text: str) -> str:
    """Without the few characters that XML has no way to write."""
    return "".join(c for c in text if c >= " " or c in "\t\n\r").translate(
        {0xFFFE: None, 0xFFFF: None}
    )
