"""graph, entities, status: memories taken together."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from treering.model.choices import (
    DRAWING_FORMATS,
    ENTITY_KINDS,
    ENTITY_OPS,
    GRAPH_OPS,
    LINK_DIRECTIONS,
    STATUS_VIEWS,
)
from treering.verbs.verb import EVERY_TYPE, Arg, Branch, Tool, option, verb

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.answers import EntityAnswer, GraphAnswer, StatusAnswer


@verb(
    "graph.graph",
    example="treering graph path 7k2m 0c5x",
    tool=Tool(
        (
            "How memories relate: neighbors of one, path between two, prerequisites, "
            "edges, statistics, a drawing, pairs to link (suggest). To "
            "find by words: recall."
        ),
        is_read_only=True,
        is_idempotent=True,
        is_long=True,
    ),
    cli=(option("words", kind="list", metavar="[ID] [TO]", place="any", default=()),),
)
def graph(
    workspace: "Workspace",
    op: Annotated[
        str, Arg("What to ask.", agents="", choices=GRAPH_OPS, metavar="[OP]", place="optional")
    ],
    *,
    id: Annotated[str, Arg("Where to start.", metavar="ID")] = "",
    to: Annotated[str, Arg("path: where to end.", metavar="ID")] = "",
    relation: Annotated[
        Sequence[str],
        Arg("Only these relations or families.", agents="", options=("relation", "relations")),
    ] = (),
    direction: Annotated[str, Arg("Which way.", agents="", choices=LINK_DIRECTIONS)] = "both",
    depth: Annotated[
        int, Arg("Hops. Default: neighbors 1, path 5, prerequisites 3, draw 2.", agents="")
    ] = 0,
    types: Annotated[
        Sequence[str],
        Arg(
            "Only memories of these types.",
            agents="",
            options=("type", "types"),
            metavar="TYPE",
            by_hand=EVERY_TYPE,
        ),
    ] = (),
    format: Annotated[
        str, Arg("draw: the output format.", agents="For draw.", choices=DRAWING_FORMATS)
    ] = "mermaid",
    threshold: Annotated[float, Arg("suggest: how similar, 0 to 1.", agents="", most=1)] = 0.8,
    limit: Annotated[
        int, Arg("Default: 50, suggest 10.", agents="", short="n", least=1, most=1000)
    ] = 0,
    branch: Branch = "",
    progress: Callable[[int, int], None] | None = None,
) -> "GraphAnswer":
    """Explore the links between memories.

    neighbors ID, edges [ID], path ID TO, prerequisites ID, stats (the default), draw [ID],
    suggest [ID]

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.graph("stats").nodes
    1
    """


@verb(
    "entities.OPERATIONS",
    example="treering entities extract 'Ada moved src/db.py to Redis' --store",
    tool=Tool(
        (
            "People, organizations, technologies, concepts and files that memories "
            "mention: list, get, add, delete, merge duplicates, extract from a text."
        ),
        is_destructive=True,
    ),
    cli=(option("words", kind="list", metavar="[WORDS]...", place="any", default=()),),
)
def entities(
    workspace: "Workspace",
    op: Annotated[
        str, Arg("What to do.", agents="", choices=ENTITY_OPS, metavar="OP", place="one")
    ],
    *,
    name: Annotated[str, Arg("Its name.", agents="")] = "",
    kind: Annotated[str, Arg("What it is.", agents="", choices=ENTITY_KINDS)] = "",
    text: Annotated[str, Arg("extract: the text, if not in ids.", agents="For extract.")] = "",
    ids: Annotated[
        Sequence[str],
        Arg("merge, delete, extract: ids or names.", agents="Ids or names.", options=("id", "ids")),
    ] = (),
    canonical: Annotated[
        str, Arg("merge: the one to keep, or its new name.", agents="merge: which stays.")
    ] = "",
    properties: Annotated[
        Mapping[str, Any] | None,
        Arg(
            "add: facts about it.",
            agents="For add.",
            options=("property", "properties"),
            metavar="NAME=VALUE",
        ),
    ] = None,
    min_confidence: Annotated[float, Arg("extract: how sure, 0 to 1.", agents="", most=1)] = 0.6,
    store: Annotated[
        bool, Arg("extract: store what was found.", agents="extract: keep them.")
    ] = False,
    dry_run: Annotated[bool, Arg("merge: only show.", agents="For merge.", off="apply")] = True,
    limit: Annotated[int, Arg("Maximum number.", agents="", short="n", least=1, most=1000)] = 50,
    branch: Branch = "",
    caller: str = "",
) -> "EntityAnswer":
    """Manage the people and things that memories mention.

    OP is list, get, add, delete, merge or extract, followed by a name (get, add, delete,
    list), a text (extract), or the entities to merge.

    >>> added = tr.entities("add", name="Redis", kind="technology")
    >>> [entity["name"] for entity in tr.entities("list")["entities"]]
    ['Redis']
    """


@verb(
    "status.status",
    example="treering status --view topics",
    tool=Tool(
        (
            "What is remembered here: counts, topics, tags, files, branches, types and "
            "their meaning, what is doubtful (review), outputs, health of index, hooks "
            "and sync."
        ),
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
)
def status(
    workspace: "Workspace",
    *,
    view: Annotated[str, Arg("Which view.", agents="", choices=STATUS_VIEWS)] = "summary",
    branch: Branch = "",
) -> "StatusAnswer":
    """Show what is stored here, its health, and what to do next.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.status()["memories"]["visible"]
    1
    """
