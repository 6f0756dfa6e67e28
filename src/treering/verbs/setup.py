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
    cli=(flag("print", "Print what would be added to a client's files."),),
)
def init(
    workspace: "Workspace",
    *,
    clients: Annotated[
        Sequence[str], Arg("Connect a client.", choices=CLIENT_NAMES, options=("client", "clients"))
    ] = (),
    agents_md: Annotated[bool, Arg("Add a short section for agents to AGENTS.md.")] = False,
    sync: Annotated[bool, Arg("Share memories whenever you push or pull.")] = False,
    hooks: Annotated[bool, Arg("Install git hooks, or leave hooks alone.", off="no-hooks")] = True,
    force: Annotated[bool, Arg("Write hooks even into a folder inside the work tree.")] = False,
    dry_run: Annotated[bool, Arg("Show what would be done without doing it.")] = False,
    program: str = "",
    is_interactive: bool = False,
    progress: Callable[[str], None] | None = None,
) -> "Setup":
    """Set up git hooks, fetching and agents. Existing hooks and settings are kept.

    Memories work without it. Memories on the remote are fetched. Safe to run again.

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
    """Show what a repository's history can already explain. Writes nothing.

    Lists the reasons that commits give for lines in recently changed files.

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
    """Show or change settings. They live in git's configuration as treering.KEY.

    >>> [setting.value for setting in tr.config("capture", "all").settings]
    ['all']
    """


MCP = command(
    "mcp",
    "Serve agents over MCP on standard input and output.",
    option(
        "tools", "core: the eight tools most sessions need.", choices=TOOL_PROFILES, default="full"
    ),
    option("http", "Serve HTTP on this address instead.", metavar="[HOST:]PORT"),
    option(
        "token_file",
        "File with the HTTP token. Default: TREERING_TOKEN, or a new one, which is printed.",
        metavar="PATH",
    ),
    flag("no_token", "Serve HTTP without a token, to every user of this machine."),
    option(
        "hosts",
        "A host name that clients may use.",
        kind="list",
        options=("allow-host",),
        metavar="NAME",
        default=(),
    ),
    example="treering mcp --tools core",
    more=(
        "The repository is --repo, else the client's project folder, else the working directory's. "
        "The branch is looked up at each call.\n\n"
        "HTTP serves this machine only, unless a token and host names are set."
    ),
)


WEB = command(
    "web",
    "Browse and edit memories in a browser, on this machine only.",
    option("port", "The port. Default: any free one.", kind="whole", metavar="N", default=0),
    option(
        "open", "Open a browser when run at a terminal.", kind="flag", off="no-open", default=True
    ),
    flag("read_only", "Allow no changes."),
    example="treering web --read-only",
    more="Prints an address that contains an access token. Ctrl-C stops it.",
)


COMPLETION = command(
    "completion",
    "Print a completion script for your shell.",
    option("shell", choices=SHELL_NAMES, metavar="[bash|zsh|fish]", place="optional"),
    example="treering completion bash >> ~/.bashrc",
    more="Completes commands, options, ids, types and branches.",
)


@verb(
    "setup.init.uninstall",
    example="treering uninstall --dry-run",
    cli=(flag("yes", "Do not ask for confirmation."),),
)
def uninstall(
    workspace: "Workspace",
    *,
    purge: Annotated[bool, Arg("Delete all memories as well, including private ones.")] = False,
    remote: Annotated[str, Arg("With --purge: everyone's memories on this remote, too.")] = "",
    dry_run: Annotated[bool, Arg("Show what would be done without doing it.")] = False,
    caller: str = "",
) -> "Setup":
    """Remove what `treering init` added. Memories and your own settings stay.

    --purge also deletes memories: every ref below refs/treering, the trash, private memories
    and the index. At a terminal it asks first.

    >>> tr.uninstall(dry_run=True).hooks
    ()
    """


DEMO = command(
    "demo",
    "Show how it works, in a throw-away repository.",
    flag("keep", "Keep the repository."),
    example="treering demo --keep",
    more="",
)
