"""The tools of the systems people come from, and what to call here instead.

Every row is run by test_coming_from.py; docs/reference/coming-from.md is made from the same rows.
"""

from e2e.coming_from.amalfa import AMALFA
from e2e.coming_from.autology import AUTOLOGY
from e2e.coming_from.knowledge_server import KNOWLEDGE_SERVER
from e2e.coming_from.mama import MAMA
from e2e.coming_from.rows import Row, System
from e2e.coming_from.subcog import SUBCOG

SYSTEMS: tuple[System, ...] = (AUTOLOGY, AMALFA, MAMA, SUBCOG, KNOWLEDGE_SERVER)
ROWS: tuple[Row, ...] = tuple(row for system in SYSTEMS for row in system.rows)

#: What is another way here on purpose: what, there, here, why.
DIFFERENCES: tuple[tuple[str, str, str, str], ...] = (
    (
        "Confidence",
        "0 to 100 in one of them, 0 to 1 in the others",
        "0 to 1 everywhere, 0.8 where none is given",
        "one scale for memories, links and thresholds; an integer percentage is a quotient away",
    ),
    (
        "Housekeeping",
        "`gc`, `consolidate` and merging entities act unless told not to",
        "a dry run unless `dry_run=false`; `restore`, `reindex` and `sync` act at once",
        "an agent that misunderstood a word must not be able to lose anything by it",
    ),
    (
        "Deleting",
        "for good in one, marked in others; links dropped in one, left in another",
        "marked; links are hidden with the memory and come back with it; `treering redact` removes",
        "git keeps the history anyway, and a mistaken agent must not be able to destroy anything",
    ),
    (
        "A branch that is gone",
        "its memories are tombstoned, merged or not",
        "what landed is promoted to the trunk, squash and rebase included; the rest goes to a "
        "trash that can be restored",
        "a merged branch's decisions are the ones that count",
    ),
    (
        "The list of tools",
        "changes with what the user just said",
        "thirteen tools, the same on every connection; `treering mcp --tools core` offers eight",
        "the protocol forbids a list that changes as a side effect, and clients cache it",
    ),
    (
        "Reranking",
        "a cross-encoder on every search",
        "one ranker over text, and over meaning where a model is installed; none is downloaded",
        "search must answer at once on any machine; what it gains is measured in "
        "[search](../explanation/search.md)",
    ),
    (
        "The domain `org`",
        "a third place for prompts beside project and user",
        "the project's prompts, shared through its remote",
        "a team's shared place is its repository; one more would be one more to secure",
    ),
    (
        "Texts by a model",
        "merging, summaries, structure, entities and inference call a model",
        "rules where rules suffice; else the answer hands the work to the caller (`next`), who "
        "calls again with `content`",
        "the caller is a model already, and asking the client's model (sampling) is deprecated in "
        "the protocol and missing in most clients",
    ),
    (
        "Links made by themselves",
        "every similarity above a threshold",
        "few and sure ones at capture, others suggested; `prune_links` takes weak ones away",
        "most automatic links were noise where it was measured",
    ),
    (
        "Fading",
        "links lose confidence by the day, and a weekly job deletes weak ones",
        "only links that say *at about the same time* fade; `prune_links` when you ask; a memory "
        "that names files says whether they changed",
        "a decision does not become wrong by being old, and nothing runs in the background",
    ),
    (
        "Error codes",
        "JSON-RPC numbers",
        "one word each, the same in the command line and the server ([errors](errors.md))",
        "a model reads words, and numbers in the reserved range belong to the protocol",
    ),
    (
        "Paging",
        "an offset",
        "a cursor",
        "an offset shows some memories twice and others never while others write",
    ),
)
