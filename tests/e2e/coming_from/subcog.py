"""Subcog: namespaces, branch garbage collection, prompts, templates and entities."""

from typing import Any

from e2e.coming_from.rows import Call, Row, System, beside, ids

REVIEW = {
    "name": "code-review",
    "description": "Comprehensive code review",
    "content": "Review {{file}} for:\n- {{issue_type}} issues\n- Best practices",
    "tags": ["review", "quality"],
}
SAVE = Call("prompts", {"op": "save", **REVIEW}, lambda a, _: a["name"] == "code-review")
SAVED = SAVE._replace(is_job=False)
LIST = Call(
    "prompts",
    {"op": "list", "tags": ["review", "quality"], "limit": 20},
    lambda a, _: [(p["name"], p["kind"]) for p in a["prompts"]] == [("code-review", "prompt")],
)
GET = Call(
    "prompts",
    {"op": "get", "name": "code-review"},
    lambda a, _: (
        a["content"].startswith("Review {{file}}")
        and set(_names(a["variables"])) == {"file", "issue_type"}
    ),
)
RUN = Call(
    "prompts",
    {
        "op": "run",
        "name": "code-review",
        "variables": {"file": "src/main.rs", "issue_type": "security"},
    },
    lambda a, _: a["text"].startswith("Review src/main.rs for:\n- security issues"),
)
DELETE = Call(
    "prompts",
    {"op": "delete", "name": "code-review", "domain": "project"},
    lambda a, _: a["deleted"] == "code-review",
)
DOMAINS = "The domain `org` is the shared remote: what is synced is everybody's."


def _names(variables: list[Any]) -> list[str]:
    return [v["name"] if isinstance(v, dict) else v for v in variables]


SUBCOG = System(
    "Subcog",
    "Namespaces, facets and tombstones; prompts, templates and entities.",
    (
        Row(
            "subcog_capture",
            'subcog_capture(namespace="decisions", content="Use PostgreSQL for primary storage '
            'because of JSONB support", tags=["database", "architecture"], '
            'source="ARCHITECTURE.md")',
            (
                Call(
                    "remember",
                    {"type": "decisions", "tags": ["database", "architecture"],
                     "content": "Use SQLite for the tests because it needs no server",
                     "files": ["ARCHITECTURE.md"]},
                    lambda a, _: a["type"] == "decision" and len(a["id"]) == 12,
                ),
                Call(
                    "remember",
                    {"type": "tech-debt", "content": "The importer reads the file twice"},
                    lambda a, _: a["type"] == "debt",
                ),
            ),
            "The namespaces are known as types: learnings is insight, blockers is issue, tech-debt "
            "is debt, apis is api.",
        ),
        Row(
            "subcog_recall",
            'subcog_recall(query="database storage decision", filter="ns:decisions since:7d", '
            'mode="hybrid", detail="medium", limit=5)',
            (
                Call(
                    "recall",
                    {"query": "database storage decision ns:decisions since:7d", "mode": "hybrid",
                     "detail": "medium", "limit": 5},
                    lambda a, m: m["postgres"] in ids(a)
                    and {r["type"] for r in a["results"]} == {"decision"},
                ),
                Call(
                    "recall",
                    {"type": "concept", "limit": 3, "detail": "light"},
                    lambda a, _: a["total"] == 5 and len(a["results"]) == 3
                    and "snippet" not in a["results"][0],
                    {"cursor": lambda a: a["cursor"]},
                ),
                Call(
                    "recall",
                    {"type": "concept", "limit": 3, "detail": "light", "cursor": "$cursor"},
                    lambda a, _: len(a["results"]) == 2,
                ),
            ),
            "The filter stands in the query; `everything` is `full`, `vector` is `semantic`, "
            "`offset` a cursor; user and agent are `author:` and `agent:`.",
        ),
        Row(
            "subcog_get",
            'subcog_get(memory_id="dc58d23a...")',
            (
                Call("read", {"id": "$postgres"}, lambda a, _: "JSONB" in a["content"]),
            ),
            "Any unique prefix of four characters will do.",
        ),
        Row(
            "subcog_update",
            'subcog_update(memory_id="dc58d23a...", content="...", tags=[...])',
            (
                Call(
                    "revise",
                    {"id": "$postgres", "append": "Version 16 or newer.",
                     "tags_add": ["postgresql"], "tags_remove": ["architecture"]},
                    lambda a, _: a["changed"] == ["content", "tags"],
                ),
            ),
        ),
        Row(
            "subcog_delete",
            'subcog_delete(memory_id="dc58d23a...")',
            (
                Call("forget", {"ids": ["$postgres", "$storage"], "reason": "moved to SQLite"},
                     lambda a, m: a["forgotten"] == [m["postgres"], m["storage"]]),
            ),
            "Several at once are all or nothing.",
        ),
        Row(
            "subcog_status",
            "subcog_status()",
            (
                Call(
                    "status",
                    {},
                    lambda a, _: a["repository"]["branch"] == "main"
                    and {"tag": "auth", "count": 3} in a["top_tags"]
                    and a["memories"]["by_type"]["decision"] == 3,
                ),
            ),
        ),
        Row(
            "subcog_gc",
            "subcog_gc(dry_run=true)",
            (
                Call(
                    "maintain",
                    {"op": "gc"},
                    lambda a, _: a["dry_run"]
                    and [(p["branch"], p["verdict"], p["memories"]) for p in a["plan"]
                         if p["action"] != "keep"] == [("feature/old-auth", "abandoned", 1)],
                ),
                Call(
                    "maintain",
                    {"op": "gc", "branch": "feature/old-auth", "dry_run": False},
                    lambda a, _: a["plan"][0]["action"] == "trash",
                ),
                Call(
                    "maintain",
                    {"op": "gc", "purge": True, "older_than": "30d"},
                    lambda a, _: a["purged"] == [],
                ),
                Call(
                    "maintain",
                    {"op": "restore", "branch": "feature/old-auth"},
                    lambda a, _: a["memories"] == 1,
                ),
            ),
            "A dry run unless you say `dry_run=false`; purging is for people. What landed is "
            "promoted, not dropped; what is dropped can be restored.",
            scene="gone branch",
        ),
        Row(
            "subcog_namespaces",
            "subcog_namespaces()",
            (
                Call(
                    "status",
                    {"view": "types"},
                    lambda a, _: next(t for t in a["types"] if t["type"] == "decision")["count"]
                    == 3
                    and all(t["description"] for t in a["types"])
                    and "decided" in str(a["types"]),
                ),
            ),
        ),
        Row(
            "subcog_reindex",
            "subcog_reindex()",
            (
                Call("maintain", {"op": "reindex"}, lambda a, _: a["indexed"] >= 10
                     and a["seconds"] >= 0),
            ),
            "Hardly ever needed: the index catches up by itself.",
        ),
        Row(
            "subcog_enrich",
            'subcog_enrich(memory_id="dc58d23a...", enrich_tags=true, enrich_structure=true)',
            (
                Call(
                    "maintain",
                    {"op": "enrich", "ids": ["$storage"]},
                    lambda a, _: set(a["memories"][0]["suggest"]["tags_add"])
                    == {"architecture", "postgresql", "jsonb"} - {"architecture"},
                ),
                Call(
                    "maintain",
                    {"op": "enrich", "ids": ["$storage"], "dry_run": False,
                     "content": "PostgreSQL is the primary storage\n\nBecause of JSONB."},
                    lambda a, _: set(a["memories"][0]["changed"]) == {"tags", "content", "title"},
                ),
            ),
            "Tags, topic, title and files come by rules. A better text is yours to write: there is "
            "no model inside, and nothing is asked of the client's (sampling is optional).",
        ),
        Row(
            "subcog_consolidate",
            'subcog_consolidate(namespace="decisions", strategy="merge", dry_run=true)',
            (
                Call(
                    "maintain",
                    {"op": "merge", "type": "decisions"},
                    lambda a, m: [set(g["ids"]) for g in a["groups"]]
                    == [{m["postgres"], m["storage"]}]
                    and a["groups"][0]["next"],
                ),
                Call("maintain", {"op": "dedupe"}, lambda a, _: not a["groups"][0]["exact"]),
                Call(
                    "maintain",
                    {"op": "summarize", "query": "PostgreSQL", "dry_run": False,
                     "content": "Storage in short: PostgreSQL"},
                    lambda a, m: {m["postgres"], m["storage"]}
                    <= set(a["summaries"][0]["derived_from"]),
                ),
                Call(
                    "maintain",
                    {"op": "merge", "ids": ["$postgres", "$storage"], "dry_run": False,
                     "content": "PostgreSQL is the primary storage: it has JSONB"},
                    lambda a, m: set(a["merged"][0]["superseded"]) == {m["postgres"], m["storage"]},
                ),
            ),
            "The strategies are operations. You write the text from what the dry run shows; only "
            "exact copies go without one.",
        ),
        Row(
            "subcog_prompts",
            'subcog_prompts(action="run", name="code-review", variables={"file": "src/main.rs", '
            '"issue_type": "security"})',
            (SAVE, LIST, GET, RUN, DELETE),
            DOMAINS,
        ),
        Row(
            "subcog_templates",
            'subcog_templates(action="render", name="search-results", '
            'query="authentication patterns", limit=10, variables={"title": "Auth Patterns"})',
            (
                Call(
                    "prompts",
                    {"op": "save", "kind": "template", "name": "search-results",
                     "content": "# {{title}}\n\n{{#each memories}}\n"
                     "- **{{memory.namespace}}**: {{memory.content}}\n{{/each}}"},
                    lambda a, _: a["name"] == "search-results",
                ),
                Call(
                    "prompts",
                    {"op": "render", "kind": "template", "name": "search-results",
                     "query": "authentication", "limit": 10,
                     "variables": {"title": "Auth Patterns"}},
                    lambda a, _: a["text"].startswith("# Auth Patterns")
                    and "- **decision**: We need stateless" in a["text"],
                ),
                Call(
                    "prompts",
                    {"op": "delete", "kind": "template", "name": "search-results",
                     "domain": "project"},
                    lambda a, _: a["deleted"] == "search-results",
                ),
            ),
            "A template is a prompt of the kind `template`; memories are put in as data and never "
            "rendered again.",
        ),
        Row(
            "subcog_graph",
            'subcog_graph(operation="visualize", format="mermaid", depth=2)',
            (
                Call("graph", {"op": "neighbors", "id": "$jwt", "depth": 2},
                     lambda a, m: {m["gateway"], m["safari"]} <= {n["id"] for n in a["nodes"]}),
                Call("graph", {"op": "path", "id": "$safari", "to": "$gateway"},
                     lambda a, _: a["length"] == 2),
                Call("graph", {"op": "stats"},
                     lambda a, _: a["by_relation"]["prerequisite_of"] == 2 and a["nodes"] >= 6),
                Call("graph", {"op": "draw", "format": "mermaid", "id": "$jwt", "depth": 2},
                     lambda a, _: a["format"] == "mermaid" and "JWT" in a["text"]),
            ),
            "`visualize` is `draw`; entities are memories, so every operation takes any id.",
        ),
        Row(
            "subcog_entities",
            'subcog_entities(action="extract", content="Alice from Anthropic uses Rust to build '
            'the Claude API.", store=true, min_confidence=0.7)',
            (
                Call("entities", {"op": "add", "name": "PostgreSQL", "kind": "Technology"},
                     lambda a, _: a["kind"] == "technology", {"tech": lambda a: a["id"]}),
                Call("entities", {"op": "get", "ids": ["$tech"]},
                     lambda a, _: "PostgreSQL" in str(a)),
                Call(
                    "entities",
                    {"op": "extract", "store": True, "min_confidence": 0.5,
                     "text": "Alice from Anthropic uses Rust to build the Claude API."},
                    lambda a, _: {"Anthropic", "Rust"} <= {e["name"] for e in a["entities"]}
                    and a["stored"],
                ),
                Call("entities", {"op": "list", "kind": "technology"},
                     lambda a, _: "PostgreSQL" in {e["name"] for e in a["entities"]}),
                beside("entities", {"op": "add", "name": "Postgres", "kind": "technology"},
                     lambda a, _: a["id"], {"other": lambda a: a["id"]}),
                Call("entities", {"op": "merge", "ids": ["$tech", "$other"],
                                  "canonical": "PostgreSQL", "dry_run": False},
                     lambda a, m: a["into"] == m["tech"] and a["merged"] == [m["other"]]),
                Call("entities", {"op": "delete", "ids": ["$tech"], "dry_run": False},
                     lambda a, m: a["deleted"] == [m["tech"]]),
            ),
            "Extraction goes by rules and says how sure it is; entities are memories of the type "
            "`entity`. Merging is a dry run unless you say otherwise.",
        ),
        Row(
            "subcog_relationships",
            'subcog_relationships(action="infer", entity_ids=["entity_alice", "entity_postgres"], '
            "store=true, min_confidence=0.7)",
            (
                Call("link", {"source": "$gateway", "target": "$postgres", "relation": "Uses"},
                     lambda a, _: a["created"]),
                Call("graph", {"op": "edges", "id": "$gateway"},
                     lambda a, m: m["postgres"] in [e["target"] for e in a["edges"]]),
                Call("link", {"source": "$gateway", "target": "$postgres", "relation": "Uses",
                              "remove": True}, lambda a, _: a["removed"]),
                Call("maintain", {"op": "infer_links", "ids": ["$storage"],
                                  "min_confidence": 0.3},
                     lambda a, m: a["dry_run"]
                     and m["storage"] in str(a) and m["postgres"] in str(a)),
            ),
            "Inference is a dry run unless you say otherwise, and needs no model.",
        ),
        Row(
            "subcog_sync",
            'subcog_sync(direction="full")',
            (
                Call(
                    "maintain",
                    {"op": "sync", "direction": "full", "dry_run": False},
                    lambda a, _: a["remote"] == "origin"
                    and [s["status"] for s in a["scopes"] if s["branch"] == "main"] == ["pushed"],
                ),
            ),
            "Deprecated there, real here: through any git remote, memories merged, never forced.",
            scene="remote",
        ),
        Row("prompt_save", 'prompt_save(name="code-review", content="...")', (SAVE,), DOMAINS),
        Row("prompt_list", 'prompt_list(tags=["review", "quality"])', (SAVED, LIST)),
        Row("prompt_get", 'prompt_get(name="code-review")', (SAVED, GET)),
        Row("prompt_run", 'prompt_run(name="code-review", variables={...})', (SAVED, RUN)),
        Row("prompt_delete", 'prompt_delete(name="code-review", domain="project")',
            (SAVED, DELETE), "The domain must be named, as there."),
    ),
)  # fmt: skip
