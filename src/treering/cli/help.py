"""The commands as help shows them, and what people type instead of their names.

Loaded for help and for words that are no command: no other call pays for it.
"""

import click

from treering.model.spelling import list_near

#: What help shows with a line each, on the first screen.
FRONT = (
    "init", "remember", "recall", "why", "guard", "context", "read", "revise", "status", "sync",
    "gc", "web",
)  # fmt: skip
#: Every command, by what people want. A test holds that each is in one of them.
GROUPS = {
    "find": ("remember", "recall", "read", "revise", "forget", "link", "checkpoint", "prompts"),
    "look": ("web", "why", "guard", "context", "status", "log", "graph", "entities"),
    "branches": ("gc", "diff", "promote", "restore"),
    "share": ("sync", "hub", "export", "import"),
    "upkeep": ("review", "doctor", "maintain", "backfill", "reindex", "revert", "redact"),
    "set up": ("init", "try", "config", "mcp", "hook", "completion", "uninstall", "demo"),
}

#: What other programs call it.
OTHER_WORDS = {
    "help": "--help",
    **dict.fromkeys(("search", "find", "grep", "query", "list", "ls"), "recall"),
    **dict.fromkeys(("show", "get", "cat", "view", "open"), "read"),
    **dict.fromkeys(("add", "new", "create", "save", "store", "note", "write"), "remember"),
    **dict.fromkeys(("edit", "update", "change", "set"), "revise"),
    **dict.fromkeys(("delete", "remove", "rm"), "forget"),
    **dict.fromkeys(("blame", "annotate", "explain"), "why"),
    "undo": "revert",
    "history": "log",
    "push": "sync push",
    **dict.fromkeys(("pull", "fetch"), "sync fetch"),
    **dict.fromkeys(("install", "setup"), "init"),
    **dict.fromkeys(("serve", "server"), "mcp"),
    **dict.fromkeys(("clean", "prune"), "gc"),
    **dict.fromkeys(("check", "fsck"), "doctor"),
}


def write_commands(
    program: click.Group, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write what most people need with a line each, and the names of all other commands."""
    names = program.list_commands(ctx)
    shown = [name for name in FRONT if name in names]
    width = max(map(len, shown))
    commands = [program.get_command(ctx, name) for name in shown]
    with formatter.section("Commands"):
        formatter.write_dl([(f"{c.name:<{width}}", _first_sentence(c)) for c in commands if c])
    grouped = {name for group in GROUPS.values() for name in group}
    groups = {**GROUPS, "Others": tuple(name for name in names if name not in grouped)}
    rows = [
        (f"{title:<{width}}", ", ".join(name for name in group if name not in shown))
        for title, group in groups.items()
        if any(name not in shown for name in group)
    ]
    with formatter.section("More, each with --help"):
        formatter.write_dl(rows)


def _first_sentence(command: click.Command) -> str:
    summary = (command.help or "").partition("\n\n")[0].replace("\n", " ")
    return summary.partition(". ")[0].rstrip(".") + "."


def guess(typed: str, rest: list[str], names: list[str]) -> str:
    """What to try in place of a command that is not there."""
    if typed == "help" and rest and rest[0] in names:
        return f"Try `treering {rest[0]} --help`."
    meant = [OTHER_WORDS[typed]] if typed in OTHER_WORDS else list_near(typed, names)
    question = f"Did you mean `treering {meant[0]}`? " if meant else ""
    return f"{question}See `treering --help` for all commands."
