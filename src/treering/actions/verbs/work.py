"""checkpoint, context, prompts: what helps with the work at hand."""

from treering.actions.verbs.verb import (
    BRANCH,
    CLI,
    CONTENT_FILE,
    REPOS,
    REQUIRED,
    Tool,
    Verb,
    pairs,
    text,
    whole,
    words,
)
from treering.model.choices import (
    CHECKPOINT_OPS,
    PROMPT_DOMAINS,
    PROMPT_FORMATS,
    PROMPT_KINDS,
    PROMPT_OPS,
)

CHECKPOINT = Verb(
    "checkpoint",
    "Save where the work stands, or load what was saved last.",
    (
        text(
            "op",
            "save before you stop, load when you start.",
            default=REQUIRED,
            choices=CHECKPOINT_OPS,
            argument="one",
            metavar="OP",
        ),
        text("words", argument="optional", metavar="[SUMMARY]", default=None, doors=CLI),
        text("summary", "save: what was done, where things stand."),
        words(
            "next_steps",
            "save: what to do next, in order.",
            options=("next-step", "next-steps"),
        ),
        words("open_files", "save: files being worked on.", options=("open-file", "open-files")),
        text("session", "The work session it belongs to."),
        BRANCH,
    ),
    example="treering checkpoint save 'Parser works' --next-step 'write the docs'",
    more="OP is save or load. The summary is the argument, --summary, or standard input.",
    tool=Tool(
        "load when you start or resume: where the work on this "
        "branch stood, next steps, commits since. save before you stop or the context is "
        "compacted.",
        is_core=True,
        changes="resources",
    ),
)

CONTEXT = Verb(
    "context",
    "Show what matters now for a task and its files.",
    (
        text("task", "What you are about to do, in your own words."),
        words("files", "Files you will change, or lines: path:40-60.", options=("file", "files")),
        words(
            "recent_files",
            "Files looked at or changed lately.",
            options=("recent-file", "recent-files"),
        ),
        whole("budget", "Characters of text.", default=2000),
        text("template", "A saved template to render it with."),
        BRANCH,
        REPOS,
    ),
    example="treering context --task 'fix the login' --file src/auth/login.py",
    action="context.context.context",
    tool=Tool(
        "Once at the start of a task: the memories that bear on it and its files, ranked, cut "
        "to a budget. For a question: recall.",
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
)

PROMPTS = Verb(
    "prompts",
    "Save and run prompts and templates.",
    (
        text(
            "op", "What to do.", default=REQUIRED, choices=PROMPT_OPS, argument="one", metavar="OP"
        ),
        words("words", argument="any", metavar="[NAME] [CONTENT]", doors=CLI),
        text("name", "Its name, in kebab-case."),
        text("kind", "A template renders memories.", choices=PROMPT_KINDS),
        text("content", "save: the text, with {{variables}}."),
        CONTENT_FILE,
        text("description", "save: what it is for."),
        words("tags", "save: labels. list: all must match.", options=("tag", "tags")),
        pairs(
            "variables",
            "run, render: values by name.",
            options=("variable", "variables"),
            metavar="NAME=VALUE",
        ),
        text("query", "run, render: which memories {{memories}} holds."),
        whole("limit", "How many memories at most.", default=10, short="n"),
        text("format", "run, render: what to write.", default="markdown", choices=PROMPT_FORMATS),
        text("domain", "Whose it is. Required for delete.", choices=PROMPT_DOMAINS),
        BRANCH,
    ),
    example="treering prompts run code-review --variables file=src/main.py",
    action="prompts.prompts.prompts",
    more="OP is list, get, run, render, save or delete. The text of one to save is the argument "
    "after its name, or standard input.",
    tool=Tool(
        "Saved prompts and templates: list, get, run with variables, render memories with a "
        "template, save, delete.",
        is_destructive=True,
        changes="prompts",
    ),
)
