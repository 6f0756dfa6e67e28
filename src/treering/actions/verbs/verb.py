"""A verb and its parameters, as plain data.

Everything a door needs to know stands in it once: the command line makes its options from it, the
server its schemas, completion its words, and docs/generate.py its pages. Nothing is imported here
but words and the standard library, because every command starts with it.
"""

from functools import partial
from importlib import import_module
from typing import Any, Literal, NamedTuple

from treering.model.choices import TYPE_NAMES

Kind = Literal["text", "number", "whole", "flag", "list", "map"]
#: As a word of the command line: one that must be there, one that may, several, or any number.
Argument = Literal["", "one", "optional", "several", "any"]

#: The default of a parameter that has to be given.
REQUIRED = ...

#: Which doors have a parameter. Where it is not said, all have it.
EVERYWHERE = frozenset({"cli", "mcp", "python"})
CLI = frozenset({"cli"})
NOT_MCP = frozenset({"cli", "python"})
NOT_CLI = frozenset({"mcp", "python"})
PYTHON = frozenset({"python"})


class Parameter(NamedTuple):
    """One thing a verb takes. `default` is the action's own; one that says nothing is not shown."""

    name: str
    help: str = ""
    kind: Kind = "text"
    default: Any = ""
    choices: tuple[str, ...] = ()
    doors: frozenset[str] = EVERYWHERE
    #: How the command line spells it, where that is not the name: (tag, tags).
    options: tuple[str, ...] = ()
    short: str = ""
    #: The option that turns a flag off.
    off: str = ""
    argument: Argument = ""
    metavar: str = ""
    #: What only people at the command line need to know.
    by_hand: str = ""

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED

    @property
    def has_default(self) -> bool:
        """Whether the default says something that a caller wants to know."""
        return self.default not in (REQUIRED, None, "", 0, ()) and self.default is not False


text = Parameter
number = partial(Parameter, kind="number", default=None)
whole = partial(Parameter, kind="whole", default=0)
flag = partial(Parameter, kind="flag", default=False)
words = partial(Parameter, kind="list", default=())
pairs = partial(Parameter, kind="map", default=None)

#: Parameters that many verbs have.
BRANCH = text("branch", "Another branch than the one checked out.", short="b")
REPOS = words(
    "repos",
    "Ask the hub: names of repositories, or all.",
    options=("repos", "repo-name"),
    metavar="NAMES",
)
HUB = text(
    "hub",
    "The hub: a folder, or a postgresql:// url. Default: TREERING_HUB, or treering.hub.",
    metavar="PLACE",
    doors=CLI,
)
#: Said to people only: agents read the list in remember's description, and pay for each word.
EVERY_TYPE = f"One of {', '.join(TYPE_NAMES)}."
ALLOW_SECRET = flag(
    "allow_secret",
    "Store what looks like a credential. Only for a person at a terminal.",
    doors=NOT_MCP,
)
CONTENT_FILE = text("content_file", "Read the text from a file.", metavar="FILE", doors=CLI)


class Tool(NamedTuple):
    """What an agent is told about a verb, and what its client should know before it lets it."""

    description: str
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    is_open_world: bool = False
    #: Whether it belongs to those most sessions need.
    is_core: bool = False
    #: Whether the action reports its progress.
    is_long: bool = False
    #: The list that may be another one after the call.
    changes: Literal["", "resources", "prompts"] = ""


class Verb(NamedTuple):
    """Something treering can be told to do."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    example: str
    #: What the command line's help says below the summary.
    more: str = ""
    #: `module.function` below treering.actions; empty: the verb's own name for both.
    action: str = ""
    tool: Tool | None = None

    def parameters_of(self, door: str) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if door in parameter.doors)

    def load_action(self) -> Any:
        """The function that does it, imported now: a door that only lists verbs never pays."""
        module, _, function = (self.action or f"{self.name}.{self.name}").rpartition(".")
        return getattr(import_module(f"treering.actions.{module}"), function)
