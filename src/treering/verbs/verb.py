"""Verbs: a function's signature defines what treering can be told to do, at every door.

    @verb("revise.forget", example="treering forget 7k2m", tool=Tool("Delete memories ..."))
    def forget(workspace: "Workspace", ids: Annotated[Sequence[str], Arg("Ids.")]) -> "Forgotten":
        '''Hide memories on this branch. ...'''

The Python API has the function as a method, the command line makes options of its parameters, the
MCP server a schema, completion its words, and docs/generate.py its pages. Choices and bounds are
checked on the way in. The work is named in the decorator and imported at the first call. Nothing is
imported here but the standard library, because every command starts with it. A parameter without an
`Arg` is for Python callers alone. One called `caller` is the agent that calls, empty for a person:
the door fills it in.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast

from treering.model.choices import TYPE_NAMES

Kind = Literal["text", "number", "whole", "flag", "list", "map"]
#: As a word of the command line: one that must be there, one that may, several, any number, or
#: any number that are one text.
Place = Literal["", "one", "optional", "several", "any", "joined"]

#: The default of a parameter that has to be given.
REQUIRED = ...

_KINDS: dict[object, Kind] = {
    str: "text",
    float: "number",
    float | None: "number",
    int: "whole",
    bool: "flag",
    bool | None: "flag",
    Sequence[str]: "list",
    Mapping[str, Any] | None: "map",
}


class Arg(NamedTuple):
    """The words of the doors about a parameter, beside its name, type and default."""

    help: str = ""
    #: What agents are told instead: they pay for each word of the list of tools in every session.
    #: Empty where the name says it all.
    agents: str | None = None
    choices: tuple[str, ...] = ()
    #: How the command line spells it, where that is not the name: (tag, tags).
    options: tuple[str, ...] = ()
    short: str = ""
    #: The option that turns a flag off.
    off: str = ""
    place: Place = ""
    metavar: str = ""
    #: What only people at the command line need to know.
    by_hand: str = ""
    doors: frozenset[str] = frozenset({"cli", "mcp", "python"})
    least: float = 0
    #: Without it there are no bounds.
    most: float | None = None


#: The doors of a parameter that not all of them have.
NOT_MCP = frozenset({"cli", "python"})
NOT_CLI = frozenset({"mcp", "python"})
CLI = frozenset({"cli"})
PYTHON = frozenset({"python"})


class Parameter(NamedTuple):
    """One thing a verb takes."""

    name: str
    arg: Arg = Arg()
    kind: Kind = "text"
    default: Any = ""

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED

    @property
    def has_default(self) -> bool:
        """Tell whether the default says something that a caller wants to know."""
        return self.default not in (REQUIRED, None, "", 0, ()) and self.default is not False

    @property
    def spellings(self) -> tuple[str, ...]:
        """The options of the command line that set it, without their dashes."""
        return self.arg.options or (self.name.replace("_", "-"),)


class Tool(NamedTuple):
    """The description of a verb for agents, and hints for the client that lets them call it."""

    description: str
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    is_open_world: bool = False
    #: Whether it belongs to those most sessions need.
    is_core: bool = False
    #: Whether the work takes `progress`, a function called with (done, total).
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
    tool: Tool | None = None
    #: Does it, with a workspace as its first argument; not for commands of the command line alone.
    act: Callable[..., Any] = print
    #: Imports what `act` needs: a door that only lists verbs never pays.
    load: Callable[[], object] = bool
    #: The keyword arguments of `act`, those for Python callers too.
    names: tuple[str, ...] = ()

    def parameters_of(self, door: str) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if door in parameter.arg.doors)

    def name_arguments(self, words: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a command line says by the names of parameters: `apply` is dry_run=False."""
        named: dict[str, Any] = {}
        rest = list(words)
        for parameter in self.parameters_of("mcp"):
            if not (rest and parameter.arg.place):
                continue
            if parameter.arg.place in ("one", "optional"):
                named[parameter.name] = rest.pop(0)
            else:
                named[parameter.name] = " ".join(rest) if parameter.arg.place == "joined" else rest
                rest = []
        for name, value in options.items():
            option = name.replace("_", "-")
            for parameter in self.parameters:
                if name == parameter.name or option in parameter.spellings:
                    named[parameter.name] = value
                elif option == parameter.arg.off:
                    named[parameter.name] = not value
        return named

    def name_caller(self, caller: str, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options with the agent that calls, if the verb asks for it."""
        return options | {"caller": caller} if "caller" in self.names else options


_Function = TypeVar("_Function", bound=Callable[..., Any])


def verb(
    work: str,
    *,
    example: str,
    name: str = "",
    tool: Tool | None = None,
    cli: tuple[Parameter, ...] = (),
) -> Callable[[_Function], _Function]:
    """Make a verb of a signature, whose work `module.function` below treering.actions does.

    `module.OPERATIONS` are functions by the word that `op` may be: each gets what it asks for.
    `cli` are parameters of the command line alone.
    """

    def define(function: _Function) -> _Function:
        code, notes = function.__code__, function.__annotations__
        count, names = code.co_argcount, keywords_of(function)
        values = function.__defaults__ or ()
        defaults = dict(zip(code.co_varnames[count - len(values) : count], values, strict=True))
        defaults |= function.__kwdefaults__ or {}
        parameters = tuple(
            Parameter(each, note.__metadata__[0], _KINDS[note.__origin__], defaults.get(each, ...))
            for each in names
            if hasattr(note := notes[each], "__metadata__")
        )

        def load() -> Any:
            module, _, action = work.rpartition(".")
            return getattr(import_module(f"treering.actions.{module}"), action)

        @wraps(function)
        def act(workspace: Any, *args: Any, **options: Any) -> Any:
            function(workspace, *args, **options)  # does nothing, and refuses what it cannot take
            given = check_options(parameters, dict(zip(names, args, strict=False)) | options)
            found = load()
            if isinstance(found, Mapping):
                found, given = found[given["op"]], defaults | given
                given = {each: given[each] for each in keywords_of(found)}
            with workspace.call():
                return found(workspace, **given)

        text, _, _ = (function.__doc__ or "").partition("\n    >>> ")
        summary, _, more = text.partition("\n\n")
        more = "\n".join(line.removeprefix("    ") for line in more.strip().splitlines())
        made = Verb(
            name or function.__name__, " ".join(summary.split()), parameters + cli, example, more,
            tool, act, load, names,
        )  # fmt: skip
        setattr(act, "verb", made)  # noqa: B010 - to mypy a function has no such attribute
        return cast(_Function, act)

    return define


def keywords_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters after the first, which is the workspace."""
    code = function.__code__
    return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


def verb_of(function: Callable[..., Any]) -> Verb:
    """Return what a function was made to by `@verb`."""
    return cast(Verb, getattr(function, "verb"))  # noqa: B009 - as above


def check_options(parameters: Sequence[Parameter], given: dict[str, Any]) -> dict[str, Any]:
    """Return the options with their choices spelled right; Invalid for one that is out of bounds.

    An empty text is not given, and `-` clears.
    """
    for parameter in parameters:
        value, arg = given.get(parameter.name), parameter.arg
        if value is None or value == parameter.default:
            continue
        if arg.choices and isinstance(value, str) and value not in (*arg.choices, "-"):
            if not value and not parameter.is_required:
                del given[parameter.name]
                continue
            from treering.model.taxonomy import one_of

            given[parameter.name] = one_of(value, arg.choices, parameter.name)
        elif arg.most is not None and not arg.least <= value <= arg.most:
            from treering.errors import Invalid

            bounds = f"{arg.least:g} and {arg.most:g}"
            raise Invalid(f"{parameter.name} is {value:g}, not between {bounds}.")
    return given


def command(name: str, summary: str, *parameters: Parameter, example: str, more: str = "") -> Verb:
    """Return a command of the command line alone."""
    return Verb(name, summary, parameters, example, more)


def option(
    name: str, help: str = "", kind: Kind = "text", default: Any = "", **arg: Any
) -> Parameter:
    """Return a parameter of the command line alone."""
    return Parameter(name, Arg(help, doors=CLI, **arg), kind, default)


def flag(name: str, help: str, **arg: Any) -> Parameter:
    """Return a flag of the command line alone."""
    return option(name, help, "flag", False, **arg)


#: Parameters that many verbs have.
Branch = Annotated[str, Arg("Another branch than the one checked out.", agents="", short="b")]
SeenFrom = Annotated[str, Arg("As seen from another branch.", agents="", short="b")]
Tags = Annotated[Sequence[str], Arg("Labels.", agents="", options=("tag", "tags"))]
Repos = Annotated[
    Sequence[str],
    Arg(
        "Ask the hub: names of repositories, or all.",
        agents="",
        options=("repos", "repo-name"),
        metavar="NAMES",
    ),
]
AllowSecret = Annotated[
    bool,
    Arg("Store what looks like a credential. Only for a person at a terminal.", doors=NOT_MCP),
]
HUB = option(
    "hub",
    "The hub: a folder, or a postgresql:// url. Default: TREERING_HUB, or treering.hub.",
    metavar="PLACE",
)
CONTENT_FILE = option("content_file", "Read the text from a file.", metavar="FILE")
#: Said to people only: agents read the list in remember's description, and pay for each word.
EVERY_TYPE = f"One of {', '.join(TYPE_NAMES)}."
