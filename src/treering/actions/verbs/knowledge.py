"""graph, entities, status: memories taken together."""

from treering.actions.verbs.verb import (
    BRANCH,
    CLI,
    EVERY_TYPE,
    REQUIRED,
    Tool,
    Verb,
    flag,
    number,
    pairs,
    text,
    whole,
    words,
)
from treering.model.choices import (
    DRAWING_FORMATS,
    ENTITY_KINDS,
    ENTITY_OPS,
    GRAPH_OPS,
    LINK_DIRECTIONS,
    STATUS_VIEWS,
)

GRAPH = Verb(
    "graph",
    "Look at the links between memories.",
    (
        text(
            "op", "What to ask.", default=REQUIRED, choices=GRAPH_OPS, argument="one", metavar="OP"
        ),
        words("words", argument="any", metavar="[ID] [TO]", doors=CLI),
        text("id", "Where to start.", metavar="ID"),
        text("to", "path: where to end.", metavar="ID"),
        words(
            "relation", "Only these relations or families.", options=("relation", "relations")
        ),
        text("direction", "Which way.", default="both", choices=LINK_DIRECTIONS),
        whole("depth", "Hops. Default: neighbors 1, path 5, prerequisites 3, draw 2."),
        words(
            "types",
            "Only memories of these types.",
            options=("type", "types"),
            by_hand=EVERY_TYPE,
            metavar="TYPE",
        ),
        text("format", "draw: what to write.", default="mermaid", choices=DRAWING_FORMATS),
        number("threshold", "suggest: how alike, 0 to 1.", default=0.8),
        whole("limit", "Default: 50, suggest 10.", short="n"),
        BRANCH,
    ),
    example="treering graph path 7k2m 0c5x",
    more="neighbors ID, edges [ID], path ID TO, prerequisites ID, stats, draw [ID], suggest [ID]",
    tool=Tool(
        'How memories relate: neighbors of one, path between two, prerequisites, edges, '
        'statistics, a drawing, pairs that should be linked (suggest). To find by words: '
        'recall.',
        is_read_only=True,
        is_idempotent=True,
        is_long=True,
    ),
)  # fmt: skip

ENTITIES = Verb(
    "entities",
    "List and keep the people and things that memories mention.",
    (
        text(
            "op", "What to do.", default=REQUIRED, choices=ENTITY_OPS, argument="one", metavar="OP"
        ),
        words("words", argument="any", metavar="[WORDS]...", doors=CLI),
        text("name", "Its name."),
        text("kind", "What it is.", choices=ENTITY_KINDS),
        text("text", "extract: where to look, if not in ids."),
        words("ids", "merge, delete, extract: ids or names.", options=("id", "ids")),
        text("canonical", "merge: the one that stays, or its new name."),
        pairs(
            "properties",
            "add: facts about it.",
            options=("property", "properties"),
            metavar="NAME=VALUE",
        ),
        number("min_confidence", "extract: how sure, 0 to 1.", default=0.6),
        flag("store", "extract: keep what was found."),
        flag("dry_run", "merge: only show.", default=True, off="apply"),
        whole("limit", "How many at most.", default=50, short="n"),
        BRANCH,
    ),
    example="treering entities extract 'Ada moved src/db.py to Redis' --store",
    action="entities.entities.entities",
    more="OP is list, get, add, delete, merge or extract. After it come a name (get, add, delete, "
    "list), a text (extract), or the entities to merge.",
    tool=Tool(
        "People, organizations, technologies, concepts and files that memories mention: list, "
        "get, add, delete, merge duplicates, extract from a text.",
        is_destructive=True,
    ),
)

STATUS = Verb(
    "status",
    "Show what is remembered here and how the store is doing.",
    (text("view", "What to count.", default="summary", choices=STATUS_VIEWS), BRANCH),
    example="treering status --view topics",
    tool=Tool(
        "What is remembered here: counts, topics, tags, files, branches, types and their "
        "meaning, what is doubtful (review), outputs, health of index, hooks and sync.",
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
)
