"""Writes docs/reference/cli.md and the manual page from the commands' own help,
docs/reference/tools.md from the definitions of the tools, docs/reference/python.md from the class
`Treering`, and docs/reference/coming-from.md from the rows the tests run: `python docs/generate.py`.

A test compares the pages with what this makes, so that program and pages cannot differ.
"""

from pathlib import Path
from typing import Any

import click

from treering.cli.group import program
from treering.cli.help import GROUPS
from treering.mcp.tools import INSTRUCTIONS, schema_of
from treering.verbs import list_tools
from treering.verbs.verb import Parameter, Tool, Verb

PAGE = Path(__file__).parent / "reference" / "cli.md"
TOOLS_PAGE = Path(__file__).parent / "reference" / "tools.md"
MANUAL = Path(__file__).parent / "man" / "treering.1"
WIDTH = 100

TOP = """\
# The command line

This page is made from `--help` by `python docs/generate.py`.

```text
{usage}
```

`git treering` is the same program.
`--repo` and `--json` may stand before or after the command's name.

## Exit codes

| code | means |
| --- | --- |
| 0 | done |
| 1 | an expected error; [errors](errors.md) lists them |
| 2 | wrong usage |
| 3 | a bug in treering; the message names a log to report |
| 130 | interrupted |

## Environment

| variable | means |
| --- | --- |
| `TREERING_AGENT` | the agent to name in memories, where `--agent` is not given |
| `GIT_AUTHOR_NAME`, `GIT_AUTHOR_EMAIL` | who writes, when both are set; else git's own user |
| `TREERING_HOOK_SECONDS` | seconds after which an agent's hook says nothing; 1 |
| `GIT_DIR` | the repository, where `--repo` is not given |
| `CLAUDE_PROJECT_DIR` | the repository of `treering mcp`, where `--repo` is not given |
| `GEMINI_PROJECT_DIR`, `CURSOR_PROJECT_DIR` | the same, set by other clients |
| `TREERING_HUB` | the hub, where `--hub` is not given: a folder or a postgresql:// url |
| `TREERING_TOKEN` | the token of `treering mcp --http`, where `--token-file` is not given |

## Commands

| command | does |
| --- | --- |
{table}
"""


def page() -> str:
    """The whole page."""
    commands = _commands()
    rows = [f"| [`{name}`](#{name}) | {_first_line(command)} |" for name, command in commands]
    parts = [TOP.format(usage=_usage(), table="\n".join(rows))]
    parts += [_section(name, command) for name, command in commands]
    return "\n".join(parts)


def _commands() -> list[tuple[str, click.Command]]:
    """Every command, in the order help shows them."""
    ctx = _context(program, "treering")
    names = [name for group in GROUPS.values() for name in group]
    found = [(name, program.get_command(ctx, name)) for name in names]
    return [(name, command) for name, command in found if command is not None]


def _context(command: click.Command, name: str) -> click.Context:
    return click.Context(command, info_name=name, terminal_width=WIDTH, **program.context_settings)


def _usage() -> str:
    """The program's own help without its list of commands, which the table below shows."""
    ctx = _context(program, "treering")
    formatter = ctx.make_formatter()
    program.format_usage(ctx, formatter)
    program.format_help_text(ctx, formatter)
    click.Command.format_options(program, ctx, formatter)
    program.format_epilog(ctx, formatter)
    return formatter.getvalue().strip()


def _section(name: str, command: click.Command) -> str:
    text = command.get_help(_context(command, f"treering {name}")).strip()
    return f"### {name}\n\n```text\n{text}\n```\n"


def _first_line(command: click.Command) -> str:
    return (command.help or "").split("\n\n")[0].replace("\n", " ")


def manual() -> str:
    """The manual page, which `man treering` and `git help treering` show."""
    rows = [f".TP\n.B {name}\n{_roff(_first_line(command))}" for name, command in _commands()]
    return MANUAL_TOP + "\n".join(rows) + "\n" + MANUAL_END


def _roff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


MANUAL_TOP = """\
.TH TREERING 1
.SH NAME
treering \\- the memory of a repository, kept in the repository
.SH SYNOPSIS
.B treering
.RI [ \\-C\\ PATH ]\\ [ \\-\\-json ]\\ COMMAND\\ [ OPTIONS ]
.br
.B git treering
.I ...
.SH DESCRIPTION
Decisions, patterns, root causes and conventions are kept as markdown, committed to refs of their
own beside the code, one ref a branch.
No memory is ever written to the work tree or to your branches.
.PP
Every command explains itself with
.BR \\-\\-help ,
which ends with an example.
.SH COMMANDS
"""

MANUAL_END = """\
.SH EXIT STATUS
0 done; 1 an expected error; 2 wrong usage; 3 a bug, with the path of a log; 130 interrupted.
.SH SEE ALSO
.BR git (1),
.BR git\\-notes (1)
"""


TOOLS_TOP = """\
# The tools of the MCP server

This page is made from the table of tools by `python docs/generate.py`.

`treering mcp` offers these tools to agents; `treering mcp --tools core` only those marked *core*.
An answer is one text of compact JSON: what `treering COMMAND --json` prints, without what is usual.
An error is `{{"error": {{"code", "message", "hint"}}}}`; [errors](errors.md) lists the codes.
An empty text or list means *not given*, and words of a choice may be in any case.
A list may come as JSON text or as a single word.
An argument that is not listed here is refused.
[How the server works](../explanation/mcp.md) says the rest.

| tool | core | reads only | does |
| --- | --- | --- | --- |
{table}

## What agents are told

```text
{instructions}
```
"""


def tools_page() -> str:
    """The whole page."""
    tools = [(verb, verb.tool) for verb in list_tools() if verb.tool]
    rows = [
        f"| [`{verb.name}`](#{verb.name}) | {_yes(tool.is_core)} | {_yes(tool.is_read_only)} "
        f"| {tool.description.split(': ')[0].split('. ')[0].rstrip('.')}. |"
        for verb, tool in tools
    ]
    top = TOOLS_TOP.format(table="\n".join(rows), instructions=INSTRUCTIONS.strip())
    return "\n".join([top, *(_tool_section(verb, tool) for verb, tool in tools)])


def _yes(is_so: bool) -> str:
    return "yes" if is_so else ""


def _tool_section(verb: Verb, tool: Tool) -> str:
    """With the help that people read: agents are told the same in fewer words."""
    fields = schema_of(verb)["properties"]
    rows = [
        f"| `{item.name}` | {_type(fields[item.name])} | {_default(item)} | {_meaning(item)} |"
        for item in verb.parameters_of("mcp")
    ]
    head = "| argument | type | default | meaning |\n| --- | --- | --- | --- |"
    return "\n".join([f"## {verb.name}\n", f"{tool.description}\n", head, *rows, ""])


def _type(field: dict[str, Any]) -> str:
    inner = f" of {field['items']['type']}s" if "items" in field else ""
    return field["type"] + inner


def _default(item: Parameter) -> str:
    return "required" if item.is_required else f"`{item.default}`" if item.has_default else ""


def _meaning(item: Parameter) -> str:
    words = ", ".join(f"`{word}`" for word in item.arg.choices)
    return f"{item.arg.help} {f'One of {words}.' if words else ''}".strip()


if __name__ == "__main__":
    TOOLS_PAGE.write_text(tools_page(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    MANUAL.write_text(manual(), encoding="utf-8")

    import coming_from
    import python_page

    python_page.PAGE.write_text(python_page.page(), encoding="utf-8")
    coming_from.PAGE.write_text(coming_from.page(), encoding="utf-8")
