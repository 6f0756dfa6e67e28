"""treering completion, and what fills in ids, types, branches and paths when one presses tab."""

import contextlib
import os
import shlex
from collections.abc import Callable

import click
from click.shell_completion import CompletionItem, get_completion_class

from treering.actions.workspace import Workspace
from treering.cli.invocation import Invocation
from treering.errors import Invalid, TreeringError
from treering.model.choices import SHELL_NAMES
from treering.model.taxonomy import TYPES, one_of
from treering.verbs import VERBS, find_verb

_Complete = Callable[[click.Context, str], list[CompletionItem]]

_MAX_ITEMS = 50


def run_completion(call: Invocation, shell: str) -> None:
    name = shell or os.path.basename(os.environ.get("SHELL", ""))  # noqa: PTH119 - a name, no file
    completion_class = get_completion_class(one_of(name, SHELL_NAMES, "shell"))
    if completion_class is None:
        raise Invalid(f"There is no completion for {name}.")
    root = click.get_current_context().find_root().command
    script = completion_class(root, {}, "treering", "_TREERING_COMPLETE").source()
    call.answer({"shell": name, "script": script}, lambda answer: str(answer["script"]))


def fill_in(command: click.Command) -> None:
    """Let every parameter that takes an id, a branch, a type or one of a few words complete it.

    Only while a shell asks: no command pays for it otherwise.
    """
    verb = find_verb(command.name) if command.name in VERBS else None
    choices = {p.name: p.arg.choices for p in verb.parameters if p.arg.choices} if verb else {}
    for param in command.params:
        name = param.name or ""
        if find := _words(choices[name]) if name in choices else _BY_NAME.get(name):
            setattr(param, "shell_complete", find)  # noqa: B010 - a method, replaced on purpose
    for inner in getattr(command, "commands", {}).values():
        fill_in(inner)


def _words(choices: tuple[str, ...]) -> _Complete:
    def complete(_: click.Context, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in choices if word.startswith(incomplete.lower())]

    return complete


def _ids(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Memories seen from here whose id begins so, each with its title."""
    items: list[CompletionItem] = []
    with contextlib.suppress(TreeringError, OSError):  # a shell has no place for an error
        view = _here(ctx).view()
        for memory_id in sorted(view.visible):
            if memory_id.startswith(incomplete.lower()):
                items.append(CompletionItem(memory_id, help=view.visible[memory_id].memory().title))
            if len(items) == _MAX_ITEMS:
                break
    return items


def _branches(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Branches that exist or have memories."""
    with contextlib.suppress(TreeringError, OSError):
        workspace = _here(ctx)
        scopes = [layer.snapshot.scope.branch for layer in workspace.view_of_all().layers]
        names = dict.fromkeys([*workspace.repository.branches(), *scopes])
        # bash puts a word on the command line as it is; other shells quote it themselves.
        is_bash = os.environ.get("_TREERING_COMPLETE", "").startswith("bash")
        quote = shlex.quote if is_bash else str
        return [CompletionItem(quote(n)) for n in sorted(names) if n.startswith(incomplete)]
    return []


def _types(ctx: click.Context, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    return [
        CompletionItem(kind.name, help=kind.description)
        for kind in TYPES.values()
        if kind.name.startswith(incomplete.lower())
    ]


def _paths(ctx: click.Context, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Files and folders: the shell knows how, and asks no index."""
    return [CompletionItem(incomplete, type="file")]


def _here(ctx: click.Context) -> Workspace:
    path = ctx.params.get("repo") or (ctx.find_root().params or {}).get("repo")
    return Workspace.open(path or ".", is_named=bool(path), one_shot=True)


_BY_NAME: dict[str, _Complete] = {
    **dict.fromkeys(("id", "ids", "source", "target", "to", "supersedes", "supersede_with"), _ids),
    **dict.fromkeys(("branch", "into"), _branches),
    **dict.fromkeys(("type", "types"), _types),
    **dict.fromkeys(("path", "file", "files", "recent_files", "open_files"), _paths),
}
