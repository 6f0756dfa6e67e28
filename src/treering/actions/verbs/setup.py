"""init, uninstall, config, and the commands that only the command line has."""

from treering.actions.verbs.verb import CLI, Verb, flag, text, words
from treering.model.choices import CLIENT_NAMES, SHELL_NAMES, TOOL_PROFILES

INIT = Verb(
    "init",
    "Let git hooks, fetches and agents know of treering; what is there is kept.",
    (
        words(
            "clients", "Connect a client.", choices=CLIENT_NAMES, options=("client", "clients")
        ),
        flag("agents_md", "Add a short section for agents to AGENTS.md."),
        flag("sync", "Share memories whenever you push."),
        flag("hooks", "Put git hooks in place, or leave them alone.", default=True, off="no-hooks"),
        flag("force", "Write hooks into a folder of the work tree, too."),
        flag("dry_run", "Show what would be done and change nothing."),
        flag("print", "Show what goes into the files of a client.", doors=CLI),
    ),
    example="treering init --client claude --dry-run",
    action="setup.init.init",
    more="""\
Memories need none of it, and those that the remote has are fetched. Run it again at any time: what
is in place is left alone.""",
)  # fmt: skip

UNINSTALL = Verb(
    "uninstall",
    "Take back what `treering init` added; memories and other settings stay.",
    (flag("dry_run", "Show what would be done and change nothing."),),
    example="treering uninstall --dry-run",
    action="setup.init.uninstall",
)

CONFIG = Verb(
    "config",
    "Show or change settings; they live in git's configuration as treering.KEY.",
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
        text("token_file", "The HTTP token; else TREERING_TOKEN.", metavar="PATH", doors=CLI),
        words(
            "hosts",
            "A name it is reached by over HTTP.",
            options=("allow-host",),
            metavar="NAME",
            doors=CLI,
        ),
    ),
    example="treering mcp --tools core",
    more="""\
The repository is --repo, else the client's project folder, else the one around the working
directory. The branch is looked at anew at each call.

Over HTTP only this machine is let in, unless there are a token and the names it is reached by.""",
)

COMPLETION = Verb(
    "completion",
    "Print the lines that make a shell complete commands, options, ids, types and branches.",
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
)

DEMO = Verb(
    "demo",
    "Play the main job on a throw-away repository.",
    (flag("keep", "Leave the repository there to look at.", doors=CLI),),
    example="treering demo --keep",
)
