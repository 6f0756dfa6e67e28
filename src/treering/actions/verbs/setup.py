"""init, uninstall, config, and the commands that only the command line has."""

from treering.actions.verbs.verb import CLI, Verb, flag, text, whole, words
from treering.model.choices import CLIENT_NAMES, SHELL_NAMES, TOOL_PROFILES

INIT = Verb(
    "init",
    "Set up git hooks, fetches and agents for treering. What is there is kept.",
    (
        words(
            "clients", "Connect a client.", choices=CLIENT_NAMES, options=("client", "clients")
        ),
        flag("agents_md", "Add a short section for agents to AGENTS.md."),
        flag("sync", "Share memories whenever you push or pull."),
        flag("hooks", "Put git hooks in place, or leave them alone.", default=True, off="no-hooks"),
        flag("force", "Write hooks into a folder of the work tree, too."),
        flag("dry_run", "Show what would be done and change nothing."),
        flag("print", "Show what goes into the files of a client.", doors=CLI),
    ),
    example="treering init --client claude --dry-run",
    action="setup.init.init",
    more="Memories work without it, and those of the remote are fetched. You can run it again.",
)  # fmt: skip

UNINSTALL = Verb(
    "uninstall",
    "Take back what `treering init` added. Memories and other settings stay.",
    (flag("dry_run", "Show what would be done and change nothing."),),
    example="treering uninstall --dry-run",
    action="setup.init.uninstall",
)

CONFIG = Verb(
    "config",
    "Show or change settings. They are kept in git's configuration as treering.KEY.",
    (
        text("key", argument="optional"),
        text("value", argument="optional"),
        flag("unset", "Go back to the default."),
    ),
    example="treering config trunk develop",
)

MCP = Verb(
    "mcp",
    "Serve agents over MCP, on standard input and output.",
    (
        text(
            "tools",
            "core: the eight tools most sessions need.",
            default="full",
            choices=TOOL_PROFILES,
            doors=CLI,
        ),
        text("http", "Serve HTTP there instead.", metavar="[HOST:]PORT", doors=CLI),
        text(
            "token_file",
            "A file with the HTTP token. Default: TREERING_TOKEN.",
            metavar="PATH",
            doors=CLI,
        ),
        words(
            "hosts",
            "A host name that clients use.",
            options=("allow-host",),
            metavar="NAME",
            doors=CLI,
        ),
    ),
    example="treering mcp --tools core",
    more="""\
The repository is --repo, else the client's project folder, else the one around the working
directory. The branch is looked up at each call.

Over HTTP only this machine is served, unless a token and host names are set.""",
)

WEB = Verb(
    "web",
    "Show what is known in a browser. It is served to this machine alone.",
    (
        whole("port", "The port. Without one, any that is free.", metavar="N", doors=CLI),
        flag(
            "open", "Open a browser, if this is a terminal.", default=True, off="no-open", doors=CLI
        ),
        flag("read_only", "Look and change nothing.", doors=CLI),
    ),
    example="treering web --read-only",
    more="""\
Prints the address, with the token that lets you in. Ctrl-C ends it.""",
)

COMPLETION = Verb(
    "completion",
    "Print the lines that let a shell complete what you type.",
    (
        text(
            "shell",
            argument="optional",
            choices=SHELL_NAMES,
            metavar="[bash|zsh|fish]",
            doors=CLI,
        ),
    ),
    example="treering completion bash >> ~/.bashrc",
    more="Commands, options, ids, types and branches are completed.",
)

DEMO = Verb(
    "demo",
    "Show how it works, on a throw-away repository.",
    (flag("keep", "Keep the repository.", doors=CLI),),
    example="treering demo --keep",
)
