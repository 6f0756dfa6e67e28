"""prompts: texts saved under a name, to be run with variables; templates that render memories.

Those of the project are stored on the branch like memories and seen through the same layers; those
of the user are files in a folder of their own.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from treering.actions import inputs
from treering.actions.prompts.render import MEMORY_FIELDS, RESERVED, TemplateMemories, wrap
from treering.actions.prompts.runs import PromptRuns, owner_of
from treering.actions.prompts.shelves import SavedPrompt, Shelves
from treering.actions.recall import RecallHit
from treering.actions.workspace import Workspace
from treering.errors import Invalid, PromptNotFound
from treering.model import prompt as prompts_model
from treering.model import template
from treering.model.choices import (
    PROMPT_DOMAINS,
    PROMPT_FORMATS,
    PROMPT_KINDS,
    PROMPT_OPS,
)
from treering.model.prompt import Prompt
from treering.model.taxonomy import one_of
from treering.text import secrets
from treering.text.hygiene import clean, must_be_utf8

#: The user's own come first: a name that others push to the project does not replace them.
_LOOKED_IN = ("user", "project")
_MOST_MEMORIES = 100
_DEEPEST_VALUE = 5


class _PromptRequest(NamedTuple):
    """One call, its words checked."""

    name: str
    kind: str
    domain: str
    content: str
    description: str
    tags: tuple[str, ...]
    variables: Mapping[str, Any]
    query: str
    limit: int
    format: str
    branch: str


def prompts(
    workspace: Workspace,
    op: str,
    *,
    name: str = "",
    kind: str = "",
    content: str = "",
    description: str = "",
    tags: Sequence[str] = (),
    variables: Mapping[str, Any] | None = None,
    query: str = "",
    limit: int = 10,
    format: str = "markdown",
    domain: str = "",
    branch: str = "",
) -> dict[str, Any]:
    """Do one of the operations; the answer is the contract's for it."""
    asked = _PromptRequest(
        name=name,
        kind=one_of(kind, PROMPT_KINDS, "kind") if kind else "",
        domain=one_of(domain, PROMPT_DOMAINS, "domain") if domain else "",
        content=content,
        description=inputs.line_given(description, "description"),
        tags=inputs.tags_given(tags),
        variables=_nest(variables or {}),
        query=query,
        limit=_check_limit(limit),
        format=one_of(format or "markdown", PROMPT_FORMATS, "format"),
        branch=branch,
    )
    return _OPERATIONS[one_of(op, PROMPT_OPS, "operation")](workspace, asked)


def find(
    workspace: Workspace, asked: _PromptRequest, kinds: Sequence[str] = PROMPT_KINDS
) -> SavedPrompt:
    """The prompt that is meant: the user's own first, then the project's."""
    wanted = prompts_model.check_name(asked.name)
    shelves = Shelves(workspace, asked.branch)
    for domain in [asked.domain] if asked.domain else _LOOKED_IN:
        for kind in [asked.kind] if asked.kind else kinds:
            if saved := shelves.find(domain, kind, wanted):
                return saved
    what = asked.kind or kinds[0]
    raise PromptNotFound(f"There is no {what} {wanted}.")


def template_named(
    workspace: Workspace, name: str, known: Collection[str], branch: str = ""
) -> template.Template:
    """A saved template taken apart, once it is sure that it needs no more than these values."""
    asked = _PromptRequest(name, "", "", "", "", (), {}, "", 10, "markdown", branch)
    made = template.parse(find(workspace, asked, ("template", "prompt")).prompt.content)
    missing = [word for word in variables_of(made) if word not in known]
    if missing:
        raise Invalid(
            f"The template {name} needs {', '.join(missing)}, which is not available here.",
            hint=f"It may use: {', '.join(sorted(known))}.",
        )
    return made


def variables_of(made: template.Template) -> list[str]:
    """The variables a caller has to give; what we fill in ourselves is not among them."""
    inner = made.inner.get("memories", frozenset()) - MEMORY_FIELDS
    return [word for word in dict.fromkeys([*made.needed, *sorted(inner)]) if word not in RESERVED]


def _list(workspace: Workspace, asked: _PromptRequest) -> dict[str, Any]:
    shelves = Shelves(workspace, asked.branch)
    listed = [
        _describe(workspace, saved)
        for saved in shelves.all()
        if (not asked.kind or saved.prompt.kind == asked.kind)
        and (not asked.domain or saved.domain == asked.domain)
        and set(asked.tags) <= set(saved.prompt.tags)
    ]
    listed.sort(key=lambda item: (item["name"], item["kind"], item["domain"]))
    return {"prompts": listed, "total": len(listed)}


def _get(workspace: Workspace, asked: _PromptRequest) -> dict[str, Any]:
    saved = find(workspace, asked)
    return (
        _describe(workspace, saved)
        | {"content": saved.prompt.content, "version": saved.version}
        | _warn(workspace, saved)
    )


def _warn(workspace: Workspace, saved: SavedPrompt) -> dict[str, Any]:
    warnings = PromptRuns(workspace).warnings(saved)
    return {"warnings": warnings} if warnings else {}


def _describe(workspace: Workspace, saved: SavedPrompt) -> dict[str, Any]:
    made = _try_parse(saved.prompt)
    return {
        "name": saved.prompt.name,
        "kind": saved.prompt.kind,
        "description": saved.prompt.description,
        "variables": variables_of(made) if made else [],
        "optional": [word for word in made.optional if word not in RESERVED] if made else [],
        "tags": list(saved.prompt.tags),
        "domain": saved.domain,
        "owner": owner_of(workspace, saved),
        "branch": saved.branch,
    }


def _try_parse(prompt: Prompt) -> template.Template | None:
    try:
        return template.parse(prompt.content)
    except Invalid:
        return None  # fetched from elsewhere; running it says what is wrong


def _run(workspace: Workspace, asked: _PromptRequest) -> dict[str, Any]:
    return _fill(workspace, asked, ("prompt", "template"))


def _render(workspace: Workspace, asked: _PromptRequest) -> dict[str, Any]:
    return _fill(workspace, asked, ("template", "prompt"))


def _fill(workspace: Workspace, asked: _PromptRequest, kinds: Sequence[str]) -> dict[str, Any]:
    saved = find(workspace, asked, kinds)
    made = template.parse(saved.prompt.content)
    _check_variables(saved.prompt, made, asked.variables)
    wants_memories = bool(asked.query) or "memories" in made.mentioned
    results = _recall(workspace, asked) if wants_memories else []
    memories = TemplateMemories.of(result for result in results if not result.flags)
    flagged = [result.id for result in results if result.flags]
    branch = asked.branch or workspace.position().scope.branch
    own = {"memories": memories, "query": asked.query, "branch": branch, "count": len(memories)}
    text = template.render(made, {**own, **asked.variables})
    answer: dict[str, Any] = {"text": wrap(asked.format, saved.prompt.name, text, memories)}
    answer |= {"flagged": flagged} if flagged else {}
    answer |= _warn(workspace, saved)
    PromptRuns(workspace).note(saved)
    return answer


def _check_variables(prompt: Prompt, made: template.Template, values: Mapping[str, Any]) -> None:
    """Missing and unknown variables, each named; what we fill in cannot be given."""
    missing = [word for word in variables_of(made) if word not in values]
    unknown = [word for word in values if word not in made.mentioned or word == "memories"]
    if missing:
        raise Invalid(
            f"The {prompt.kind} {prompt.name} needs {', '.join(missing)}.",
            hint="Give each as a variable, on the command line with --variables NAME=VALUE.",
        )
    if unknown:
        known = ", ".join([*variables_of(made), *made.optional]) or "none"
        raise Invalid(
            f"The {prompt.kind} {prompt.name} does not know {', '.join(unknown)}.",
            hint=f"Its variables: {known}.",
        )


def _recall(workspace: Workspace, asked: _PromptRequest) -> Sequence[RecallHit]:
    from treering.actions.recall import recall

    answer = recall(workspace, asked.query, limit=asked.limit, branch=asked.branch, detail="full")
    return answer.results


def _save(workspace: Workspace, asked: _PromptRequest) -> dict[str, Any]:
    content = inputs.content_given(asked.content)
    template.parse(content)
    secrets.refuse(content, asked.description, *asked.tags)
    prompt = Prompt(
        name=prompts_model.check_name(asked.name),
        kind=asked.kind or "prompt",
        content=content,
        description=asked.description[:1000],
        tags=asked.tags,
        modified=workspace.now(),
    )
    saved = Shelves(workspace, asked.branch).save(asked.domain or "project", prompt)
    PromptRuns(workspace).note(saved)
    return {
        "name": prompt.name,
        "version": saved.version,
        "kind": prompt.kind,
        "domain": saved.domain,
        "branch": saved.branch,
        "variables": variables_of(template.parse(content)),
    }


def _delete(workspace: Workspace, asked: _PromptRequest) -> dict[str, Any]:
    if not asked.domain:
        raise Invalid(
            "Say whose prompt is to be deleted: the project's or your own.",
            hint="--domain project or --domain user.",
        )
    saved = find(workspace, asked)
    Shelves(workspace, asked.branch).delete(saved, workspace.now())
    return {"deleted": saved.prompt.name, "kind": saved.prompt.kind, "domain": saved.domain}


def _check_limit(limit: int) -> int:
    if not 1 <= limit <= _MOST_MEMORIES:
        raise Invalid(f"limit is {limit}, not between 1 and {_MOST_MEMORIES}.")
    return limit


def _nest(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Variables as a tree: `a.b` is `b` in `a`; texts cleaned of what cannot be seen."""
    made: dict[str, Any] = {}
    for key, value in variables.items():
        *outer, last = inputs.line_given(str(key), "variable").split(".")
        at = made
        for word in outer:
            at = at.setdefault(word, {})
            if not isinstance(at, dict):
                raise Invalid(f"The variable {key} is given twice, as text and as parts.")
        if isinstance(at.get(last), dict):
            raise Invalid(f"The variable {key} is given twice, as text and as parts.")
        at[last] = _plain(value, _DEEPEST_VALUE)
    return made


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


_OPERATIONS = {
    "list": _list,
    "get": _get,
    "run": _run,
    "render": _render,
    "save": _save,
    "delete": _delete,
}
