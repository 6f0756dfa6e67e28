"""checkpoint, context, prompts: what helps with the work at hand."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from treering.model.choices import (
    CHECKPOINT_OPS,
    PROMPT_DOMAINS,
    PROMPT_FORMATS,
    PROMPT_KINDS,
    PROMPT_OPS,
)
from treering.verbs.verb import CONTENT_FILE, HUB, Arg, Branch, Repos, Tool, option, verb

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.answers import (
        CheckpointLoaded,
        ContextAnswer,
        PromptAnswer,
        Remembered,
    )


@verb(
    "checkpoint.OPERATIONS",
    example="treering checkpoint save 'Parser works' --next-step 'write the docs'",
    tool=Tool(
        (
            "load when you start or resume: where the work on this branch stood, next "
            "steps, commits since. save before you stop or the context is compacted."
        ),
        is_core=True,
        changes="resources",
    ),
    cli=(option("words", metavar="[SUMMARY]", place="optional", default=None),),
)
def checkpoint(
    workspace: "Workspace",
    op: Annotated[
        str,
        Arg(
            "save before you stop, load when you start.",
            agents="",
            choices=CHECKPOINT_OPS,
            metavar="OP",
            place="one",
        ),
    ],
    *,
    summary: Annotated[
        str, Arg("save: what was done and where things stand.", agents="Where things stand.")
    ] = "",
    next_steps: Annotated[
        Sequence[str],
        Arg("save: what to do next, in order.", agents="", options=("next-step", "next-steps")),
    ] = (),
    open_files: Annotated[
        Sequence[str],
        Arg("save: files being worked on.", agents="", options=("open-file", "open-files")),
    ] = (),
    session: Annotated[str, Arg("The work session it belongs to.", agents="")] = "",
    branch: Branch = "",
    caller: str = "",
) -> "Remembered | CheckpointLoaded":
    """Save where the work stands, or load what was saved last.

    OP is save or load. The summary is the argument, --summary, or standard input.

    >>> saved = tr.checkpoint("save", summary="The parser works", next_steps=["write docs"])
    >>> tr.checkpoint("load")["next_steps"]
    ['write docs']
    """


@verb(
    "context.context",
    example="treering context --task 'fix the login' --file src/auth/login.py",
    tool=Tool(
        (
            "Once at the start of a task: the memories that bear on it and its files, "
            "ranked, cut to a budget. For a question: recall."
        ),
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
    cli=(HUB,),
)
def context(
    workspace: "Workspace",
    *,
    task: Annotated[
        str, Arg("What you are about to do, in your own words.", agents="What you are about to do.")
    ] = "",
    files: Annotated[
        Sequence[str],
        Arg(
            "Files you will change, or lines: path:40-60.",
            agents="To be changed; path:line.",
            options=("file", "files"),
        ),
    ] = (),
    recent_files: Annotated[
        Sequence[str],
        Arg("Files read or changed recently.", agents="", options=("recent-file", "recent-files")),
    ] = (),
    budget: Annotated[
        int, Arg("Maximum length in characters.", agents="Characters.", least=1, most=100_000)
    ] = 2000,
    template: Annotated[str, Arg("Render with this saved template.", agents="")] = "",
    branch: Branch = "",
    repos: Repos = (),
) -> "ContextAnswer":
    """Show the memories that matter for a task and its files.

    >>> made = tr.remember("Use WAL mode: readers never block", files=["db.py"])
    >>> [card.title for card in tr.context(files=["db.py"])["high"]]
    ['Use WAL mode: readers never block']
    """


@verb(
    "prompts.OPERATIONS",
    example="treering prompts run code-review --variables file=src/main.py",
    tool=Tool(
        (
            "Saved prompts and templates: list, get, run with variables, render "
            "memories with a template, save, delete."
        ),
        is_destructive=True,
        changes="prompts",
    ),
    cli=(
        option("words", kind="list", metavar="[NAME] [CONTENT]", place="any", default=()),
        CONTENT_FILE,
    ),
)
def prompts(
    workspace: "Workspace",
    op: Annotated[
        str, Arg("What to do.", agents="", choices=PROMPT_OPS, metavar="OP", place="one")
    ],
    *,
    name: Annotated[str, Arg("Its name, in kebab-case.", agents="")] = "",
    kind: Annotated[str, Arg("A template renders memories.", agents="", choices=PROMPT_KINDS)] = "",
    content: Annotated[
        str, Arg("save: the text, with {{variables}}.", agents="With {{variables}}.")
    ] = "",
    description: Annotated[str, Arg("save: what it is for.", agents="")] = "",
    tags: Annotated[
        Sequence[str],
        Arg("save: labels. list: all must match.", agents="", options=("tag", "tags")),
    ] = (),
    variables: Annotated[
        Mapping[str, Any] | None,
        Arg(
            "run, render: values by name.",
            agents="",
            options=("variable", "variables"),
            metavar="NAME=VALUE",
        ),
    ] = None,
    query: Annotated[
        str,
        Arg(
            "run, render: query that fills {{memories}}.",
            agents="Which memories fill {{memories}}.",
        ),
    ] = "",
    limit: Annotated[
        int, Arg("Maximum number of memories.", agents="", short="n", least=1, most=100)
    ] = 10,
    format: Annotated[
        str, Arg("run, render: the output format.", agents="", choices=PROMPT_FORMATS)
    ] = "markdown",
    domain: Annotated[
        str,
        Arg(
            "Required for delete.",
            agents="delete needs it.",
            choices=PROMPT_DOMAINS,
        ),
    ] = "",
    branch: Branch = "",
) -> "PromptAnswer":
    """Save and run prompts and templates.

    OP is list, get, run, render, save or delete. To save, give the text after the name or on
    standard input.

    >>> saved = tr.prompts("save", name="review", content="Review {{file}}.")
    >>> tr.prompts("run", name="review", variables={"file": "db.py"})["text"]
    'Review db.py.'
    """
