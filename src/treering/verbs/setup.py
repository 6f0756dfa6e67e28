"""init, uninstall, config, and the commands that only the command line has."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from treering.model.choices import CLIENT_NAMES, SHELL_NAMES, TOOL_PROFILES
from treering.verbs.verb import Arg, command, flag, option, verb

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.answers import SettingValues, Setup, Tryout


@verb(
    "setup.init.init",
    example="treering init --client claude --dry-run",
    cli=(flag("print", "Show what goes into the files of a client."),),
)
def init(
    workspace: "Workspace",
    *,
    clients: Annotated[
        Sequence[str], Arg("Connect a client.", choices=CLIENT_NAMES, options=("client", "clients"))
    ] = (),
    agents_md: Annotated[bool, Arg("Add a short section for agents to AGENTS.md.")] = False,
    sync: Annotated[bool, Arg("Share memories whenever you push or pull.")] = False,
    hooks: Annotated[
        bool, Arg("Put git hooks in place, or leave them alone.", off="no-hooks")
    ] = True,
    force: Annotated[bool, Arg("Write hooks into a folder of the work tree, too.")] = False,
    dry_run: Annotated[bool, Arg("Show what would be done and change nothing.")] = False,
    program: str = "",
    is_attended: bool = False,
    progress: Callable[[str], None] | None = None,
) -> "Setup":
    """Set up git hooks, fetches and agents for treering. What is there is kept.

    Memories work without it, and those of the remote are fetched. You can run it again.

    >>> "post-commit" in tr.init(dry_run=True).hooks
    True
    """


@verb(
    "tryout.try_out",
    name="try",
    example="treering try ~/src/project",
    cli=(option("path", place="optional", metavar="[PATH]"),),
)
def try_(workspace: "Workspace") -> "Tryout":
    """Show what the history of a repository already knows. Writes nothing into it.

    Names the reasons that commits give for lines of files that were changed lately.

    >>> tr.try_out().commits
    2
    """


@verb("config.config", example="treering config trunk develop")
def config(
    workspace: "Workspace",
    key: Annotated[str, Arg(place="optional")] = "",
    value: Annotated[str, Arg(place="optional")] = "",
    *,
    unset: Annotated[bool, Arg("Go back to the default.")] = False,
) -> "SettingValues":
    """Show or change settings. They are kept in git's configuration as treering.KEY.

    >>> [setting.value for setting in tr.config("capture", "all").settings]
    ['all']
    """


MCP = command(
    "mcp",
    "Serve agents over MCP, on standard input and output.",
    option(
        "tools", "core: the eight tools most sessions need.", choices=TOOL_PROFILES, default="full"
    ),
    option("http", "Serve HTTP there instead.", metavar="[HOST:]PORT"),
    option(
        "token_file",
        "A file with the HTTP token. Default: TREERING_TOKEN, or one that is made and printed.",
        metavar="PATH",
    ),
    flag("no_token", "Serve HTTP to every user of this machine, without a token."),
    option(
        "hosts",
        "A host name that clients use.",
        kind="list",
        options=("allow-host",),
        metavar="NAME",
        default=(),
    ),
    example="treering mcp --tools core",
    more=(
        "The repository is --repo, else the client's project folder, else the one around the "
        "working directory. The branch is looked up at each call.\n\n"
        "Over HTTP only this machine is served, unless a token and host names are set."
    ),
)


WEB = command(
    "web",
    "Show what is known in a browser. It is served to this machine alone.",
    option(
        "port", "The port. Without one, any that is free.", kind="whole", metavar="N", default=0
    ),
    option(
        "open", "Open a browser, if this is a terminal.", kind="flag", off="no-open", default=True
    ),
    flag("read_only", "Look and change nothing."),
    example="treering web --read-only",
    more="Prints the address, with the token that lets you in. Ctrl-C ends it.",
)


COMPLETION = command(
    "completion",
    "Print the lines that let a shell complete what you type.",
    option("shell", choices=SHELL_NAMES, metavar="[bash|zsh|fish]", place="optional"),
    example="treering completion bash >> ~/.bashrc",
    more="Commands, options, ids, types and branches are completed.",
)


@verb(
    "setup.init.uninstall",
    example="treering uninstall --dry-run",
    cli=(flag("yes", "Do not ask."),),
)
def uninstall(
    workspace: "Workspace",
    *,
    purge: Annotated[bool, Arg("Take all memories away as well, private ones too.")] = False,
    remote: Annotated[str, Arg("With --purge: also everyone's memories on this remote.")] = "",
    dry_run: Annotated[bool, Arg("Show what would be done and change nothing.")] = False,
) -> "Setup":
    """Take back what `treering init` added. Memories and other settings stay.

    With --purge memories go as well: every ref below refs/treering, the trash, private memories
    and the index. On a terminal it asks first.

    >>> tr.uninstall(dry_run=True).hooks
    ()
    """


DEMO = command(
    "demo",
    "Show how it works, on a throw-away repository.",
    flag("keep", "Keep the repository."),
    example="treering demo --keep",
    more="",
)
