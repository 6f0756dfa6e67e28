"""Autology: markdown nodes and a graph of relations."""

from e2e.coming_from.rows import Call, Row, System, beside, ids

AUTOLOGY = System(
    "Autology",
    "Nodes in markdown, classified by key words, with inferred relations.",
    (
        Row(
            "autology_capture",
            'autology_capture(title="Use PostgreSQL for data persistence", '
            'content="Decision: We chose PostgreSQL over MySQL because...")',
            (
                Call(
                    "remember",
                    {
                        "title": "Use PostgreSQL for data persistence",
                        "content": "Decision: we chose PostgreSQL over MySQL because of JSONB.",
                        "tags": ["database"],
                        "files": ["src/store.go"],
                    },
                    lambda a, _: a["type"] == "decision" and a["classified"]["confident"],
                ),
                beside(
                    "remember",
                    {"content": "A thing without any signal", "type": "component"},
                    lambda a, _: a["type"] == "component" and "classified" not in a,
                ),
            ),
            "A type you give always wins; links that are sure are made, others suggested.",
        ),
        Row(
            "autology_query",
            'autology_query(query="authentication", type="decision", tags=["auth"], limit=10)',
            (
                Call(
                    "recall",
                    {"query": "authentication", "type": "decision", "tags": ["auth"], "limit": 10},
                    lambda a, m: ids(a) == [m["jwt"]],
                ),
            ),
            "All tags must match, as there; `detail=full` has the score, at most 1.",
        ),
        Row(
            "autology_status",
            "autology_status()",
            (
                Call(
                    "status",
                    {},
                    lambda a, _: a["memories"]["by_type"]["concept"] == 5
                    and a["links"]["by_relation"]["prerequisite_of"] == 2,
                ),
            ),
        ),
        Row(
            "autology_update",
            'autology_update(id="...", title="...", tags=[...], status="needs_review", '
            "confidence=0.5)",
            (
                Call(
                    "revise",
                    {
                        "id": "$jwt",
                        "title": "Use JWT with RS256",
                        "tags_add": ["rs256"],
                        "status": "needs_review",
                        "confidence": 0.5,
                    },
                    lambda a, m: a["id"] == m["jwt"]
                    and set(a["changed"]) == {"title", "tags", "status", "confidence"},
                ),
            ),
            "Tags are added and removed, not replaced, so that two agents cannot undo each other.",
        ),
        Row(
            "autology_delete",
            'autology_delete(id="...")',
            (
                Call(
                    "forget",
                    {"ids": ["$jwt"]},
                    lambda a, m: a["forgotten"] == [m["jwt"]] and a["links_hidden"] == 2,
                ),
                beside(
                    "recall",
                    {"query": "stateless authentication"},
                    lambda a, m: m["jwt"] not in ids(a) and a["withheld"]["deleted"] == 1,
                ),
                Call(
                    "forget",
                    {"ids": ["$jwt"], "restore": True},
                    lambda a, m: a["restored"] == [m["jwt"]],
                ),
            ),
            "Soft: the memory and its links are hidden and come back together.",
        ),
        Row(
            "autology_relate",
            'autology_relate(source="decision-123", target="component-456", type="affects", '
            "confidence=0.85)",
            (
                Call(
                    "link",
                    {"source": "$jwt", "target": "$gateway", "relation": "affects",
                     "confidence": 0.85, "note": "every request"},
                    lambda a, _: a["created"] and a["confidence"] == 0.85,
                ),
                Call(
                    "link",
                    {"source": "$jwt", "target": "$gateway", "relation": "affects",
                     "confidence": 0.5},
                    lambda a, _: not a["created"] and a["confidence"] == 0.85,
                ),
            ),
            "Linking again keeps the surer of the two, as there.",
        ),
        Row(
            "autology_unrelate",
            'autology_unrelate(source="decision-123", target="component-456", type="affects")',
            (
                Call(
                    "link",
                    {"source": "$gateway", "target": "$jwt", "relation": "implements",
                     "remove": True},
                    lambda a, _: a["removed"] is True,
                ),
                Call(
                    "link",
                    {"source": "$gateway", "target": "$jwt", "relation": "implements",
                     "remove": True},
                    lambda a, _: a["removed"] is False,
                ),
            ),
            "A link that is not there is no error.",
        ),
    ),
)  # fmt: skip
