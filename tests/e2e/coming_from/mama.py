"""MAMA: decisions that evolve, checkpoints, outcomes."""

from e2e.coming_from.rows import Call, Row, System, beside, ids

MAMA = System(
    "MAMA",
    "Decisions that evolve by topic, checkpoints, outcomes.",
    (
        Row(
            "save/decision",
            'save/decision(topic="auth_strategy", decision="...", reasoning="...", '
            "confidence=0.7)",
            (
                Call(
                    "remember",
                    {
                        "type": "decision",
                        "topic": "auth_strategy",
                        "content": "Rotate the signing keys every quarter",
                        "reasoning": "a leaked key ends by itself",
                        "confidence": 0.7,
                        "links": ["motivated_by:$jwt"],
                    },
                    lambda a, m: a["type"] == "decision"
                    and ("motivated_by", m["jwt"])
                    in [(ln["relation"], ln["target"]) for ln in a["links"]],
                    {"new": lambda a: a["id"]},
                ),
                beside(
                    "read",
                    {"id": "$new"},
                    lambda a, _: a["details"]["reasoning"] == "a leaked key ends by itself"
                    and a["confidence"] == 0.7,
                ),
            ),
            "The confidence is 0.8 where none is given; any word is accepted as a relation.",
        ),
        Row(
            "save/checkpoint",
            'save/checkpoint(summary="...", open_files=[...], next_steps="...")',
            (
                Call(
                    "checkpoint",
                    {
                        "op": "save",
                        "summary": "Token refresh works, revocation is open",
                        "open_files": ["src/auth/jwt.go"],
                        "next_steps": ["write the revocation list"],
                    },
                    lambda a, _: a["type"] == "checkpoint" and a["id"],
                ),
            ),
            "Steps are a list; a checkpoint belongs to its branch.",
        ),
        Row(
            "save/insight",
            'save/insight(content="...", tags=[...])',
            (
                Call(
                    "remember",
                    {"type": "insight", "content": "The cache hid the slow query", "tags": ["db"]},
                    lambda a, _: a["type"] == "insight",
                ),
            ),
        ),
        Row(
            "load/checkpoint",
            "load/checkpoint()",
            (
                beside(
                    "checkpoint",
                    {
                        "op": "save",
                        "summary": "Half of the migration is done",
                        "open_files": ["src/auth/jwt.go"],
                        "next_steps": ["run it"],
                    },
                    lambda a, _: a["id"],
                ),
                Call(
                    "checkpoint",
                    {"op": "load"},
                    lambda a, _: a["summary"] == "Half of the migration is done"
                    and a["next_steps"] == ["run it"]
                    and a["open_files"] == ["src/auth/jwt.go"]
                    and a["since"]["commits"] == 0,
                ),
            ),
            "Also says what was committed since.",
        ),
        Row(
            "load/context",
            'load/context(id="decision_auth_2025_xyz")',
            (
                Call(
                    "read",
                    {"id": "$decorators", "links": 2},
                    lambda a, m: {n["id"] for n in a["links"]}
                    == {m["functions"], m["variables"]},
                ),
            ),
            "`links` counts hops; the default is 1.",
        ),
        Row(
            "search/by_topic",
            'search/by_topic(topic="auth_strategy")',
            (
                beside(
                    "remember",
                    {"type": "decision", "topic": "auth_strategy", "supersedes": "$jwt",
                     "content": "Opaque tokens replace JWT: they can be revoked"},
                    lambda a, _: a["id"],
                    {"newer": lambda a: a["id"]},
                ),
                Call(
                    "recall",
                    {"topic": "auth_strategy", "expand": 3, "relation": ["supersedes"]},
                    lambda a, m: ids(a) == [m["newer"], m["jwt"]]
                    and a["results"][1]["status"] == "superseded",
                ),
            ),
            "A topic is a path and stands for what is below it; `expand` walks the evolution.",
        ),
        Row(
            "search/by_context",
            'search/by_context(query="how do we authenticate requests")',
            (
                Call(
                    "recall",
                    {"query": "how do we authenticate requests", "expand": 2},
                    lambda a, m: {m["jwt"], m["gateway"]} <= set(ids(a)),
                ),
                Call(
                    "context",
                    {"task": "change how tokens are checked", "files": ["src/auth/gateway.go"]},
                    lambda a, m: m["gateway"] in str(a["high"] + a["medium"])
                    and len(a["text"]) <= a["budget"],
                ),
            ),
            "Links are followed up to 3 hops, not 5; `context` packs what matters into a budget.",
        ),
        Row(
            "search/recent",
            "search/recent(limit=3)",
            (
                Call(
                    "recall",
                    {"order": "newest", "since": "7d", "limit": 3},
                    lambda a, _: len(a["results"]) == 3
                    and [r["created"] for r in a["results"]]
                    == sorted((r["created"] for r in a["results"]), reverse=True),
                ),
            ),
        ),
        Row(
            "evolve/outcome",
            'evolve/outcome(decision_id="...", outcome="FAILED", reason="...")',
            (
                Call(
                    "revise",
                    {"id": "$jwt", "outcome": "FAILED", "reason": "tokens cannot be revoked"},
                    lambda a, _: a["changed"] == ["outcome", "reason"],
                ),
                beside(
                    "read",
                    {"id": "$jwt"},
                    lambda a, _: a["details"]["outcome"] == "failed"
                    and a["details"]["reason"] == "tokens cannot be revoked",
                ),
            ),
        ),
        Row(
            "evolve/supersede",
            'evolve/supersede(old_id="...", topic="...", decision="...", reasoning="...")',
            (
                Call(
                    "remember",
                    {"type": "decision", "content": "Sessions in Redis replace JWT",
                     "reasoning": "revocation", "supersedes": "$jwt"},
                    lambda a, m: ("supersedes", m["jwt"])
                    in [(ln["relation"], ln["target"]) for ln in a["links"]],
                ),
                beside(
                    "recall",
                    {"query": "JWT authentication"},
                    lambda a, m: m["jwt"] not in ids(a) and a["withheld"]["superseded"] == 1,
                ),
            ),
            "`revise(id, supersede_with=...)` does it for two memories that are there already.",
        ),
    ),
)  # fmt: skip
