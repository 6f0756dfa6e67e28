"""The MCP Knowledge Management Server: concepts with certainty, prerequisites, hierarchy."""

from e2e.coming_from.rows import Call, Row, System, beside, ids

LOOPS = {
    "type": "concept",
    "title": "Python While Loops",
    "content": "While loops repeat a block for as long as a condition holds.",
    "topic": "Programming/Python/Control Flow",
    "confidence": 0.9,
}

KNOWLEDGE_SERVER = System(
    "Knowledge server",
    "Concepts with a certainty, prerequisite chains and an area/topic/subtopic hierarchy.",
    (
        Row(
            "ping",
            "ping()",
            (
                Call("status", {}, lambda a, _: a["repository"]["branch"] == "main"),
            ),
            "The protocol has its own ping, which the server answers, too.",
        ),
        Row(
            "get_server_stats",
            "get_server_stats()",
            (
                Call(
                    "status",
                    {},
                    lambda a, _: a["memories"]["total"] == 10 and a["journal"]["pending"] == 0,
                ),
            ),
            "The event store is git: `treering log` lists every event.",
        ),
        Row(
            "get_tool_availability",
            "get_tool_availability()",
            (
                Call(
                    "status",
                    {"view": "health"},
                    lambda a, _: {"index", "hooks", "journal", "sync"} <= a.keys(),
                ),
            ),
            "No tool depends on a service that may be down, so all tools are always there.",
        ),
        Row(
            "create_concept",
            'create_concept(name="Python For Loops", explanation="...", area="Programming", '
            'topic="Python", subtopic="Control Flow", certainty_score=90)',
            (
                Call("remember", LOOPS, lambda a, _: a["type"] == "concept",
                     {"new": lambda a: a["id"]}),
                beside(
                    "read",
                    {"id": "$new"},
                    lambda a, _: a["topic"] == "Programming/Python/Control Flow"
                    and a["confidence"] == 0.9
                    and a["title"] == "Python While Loops",
                ),
            ),
            "Certainty 90 is confidence 0.9; area, topic and subtopic are one path.",
        ),
        Row(
            "get_concept",
            'get_concept(concept_id="...", include_history=True)',
            (
                beside(
                    "revise",
                    {"id": "$loops", "content": "For loops walk over anything iterable."},
                    lambda a, _: a["changed"] == ["content"],
                ),
                Call(
                    "read",
                    {"id": "$loops", "history": True},
                    lambda a, _: [event["op"] for event in a["history"]] == ["revise", "remember"],
                    {"first": lambda a: a["history"][-1]["commit"]},
                ),
                Call(
                    "read",
                    {"id": "$loops", "at": "$first"},
                    lambda a, _: a["content"].startswith("For loops iterate over sequences"),
                ),
            ),
            "History lists commits; `at` gives the text of each.",
        ),
        Row(
            "update_concept",
            'update_concept(concept_id="...", explanation="UPDATED: ...", certainty_score=95)',
            (
                Call("read", {"id": "$loops"}, lambda a, _: a["version"],
                     {"version": lambda a: a["version"]}),
                Call(
                    "revise",
                    {"id": "$loops", "content": "UPDATED: for loops in Python iterate over ...",
                     "confidence": 0.95, "expect": "$version"},
                    lambda a, m: set(a["changed"]) == {"content", "confidence"}
                    and a["version"] != m["version"],
                ),
            ),
            "Optimistic locking is asked for with `expect`.",
        ),
        Row(
            "delete_concept",
            'delete_concept(concept_id="...")',
            (
                Call("forget", {"ids": ["$loops"]}, lambda a, m: a["forgotten"] == [m["loops"]]),
                beside("recall", {"query": "for loops"}, lambda a, m: m["loops"] not in ids(a)),
                Call("forget", {"ids": ["$loops"], "restore": True},
                     lambda a, m: a["restored"] == [m["loops"]]),
            ),
            "Soft there, soft here; links are hidden with it instead of left in view.",
        ),
        Row(
            "search_concepts_semantic",
            'search_concepts_semantic(query="How do I loop through items in Python?", limit=5, '
            "min_certainty=70)",
            (
                Call(
                    "recall",
                    {"query": "How do I loop through items in Python?", "type": "concept",
                     "min_confidence": 0.7, "topic": "Programming", "limit": 5},
                    lambda a, m: ids(a)[0] == m["loops"] and m["quantum"] not in ids(a),
                ),
            ),
            "Text search without a model, both with one; the answer says which `mode` was used.",
        ),
        Row(
            "search_concepts_exact",
            'search_concepts_exact(name="loop", area="Programming", topic="Python", limit=10)',
            (
                Call(
                    "recall",
                    {"query": "title:loop", "topic": "Programming/Python", "type": "concept",
                     "limit": 10},
                    lambda a, m: ids(a) == [m["loops"]] and a["results"][0]["created"],
                ),
            ),
            "`title:` matches part of a title in any case; a query of filters alone lists newest "
            "first.",
        ),
        Row(
            "get_recent_concepts",
            "get_recent_concepts(limit=2)",
            (
                Call(
                    "recall",
                    {"type": "concept", "order": "newest", "limit": 2},
                    lambda a, _: len(a["results"]) == 2
                    and {r["type"] for r in a["results"]} == {"concept"},
                ),
            ),
            "A listing shows 50 where no limit is given, not 20.",
        ),
        Row(
            "create_relationship",
            'create_relationship(source_id="...", target_id="...", '
            'relationship_type="prerequisite", strength=1.0, notes="...")',
            (
                Call(
                    "link",
                    {"source": "$variables", "target": "$loops", "relation": "prerequisite_of",
                     "confidence": 1.0, "note": "a loop binds a variable"},
                    lambda a, _: a["created"] and a["relation"] == "prerequisite_of",
                ),
            ),
            "`prerequisite` is `prerequisite_of`, `includes` is `part_of` the other way round; a "
            "link made twice is strengthened, not refused.",
        ),
        Row(
            "delete_relationship",
            'delete_relationship(source_id="...", target_id="...", '
            'relationship_type="prerequisite")',
            (
                Call(
                    "link",
                    {"source": "$variables", "target": "$functions",
                     "relation": "prerequisite_of", "remove": True},
                    lambda a, _: a["removed"] is True,
                ),
            ),
        ),
        Row(
            "get_related_concepts",
            'get_related_concepts(concept_id="...", direction="outgoing", '
            'relationship_type="prerequisite", limit=10)',
            (
                Call(
                    "graph",
                    {"op": "neighbors", "id": "$functions", "direction": "out",
                     "relation": ["prerequisite_of"], "limit": 10},
                    lambda a, m: m["decorators"] in [n["id"] for n in a["nodes"]]
                    and m["variables"] not in [n["id"] for n in a["nodes"]],
                ),
            ),
            "`incoming` is `in`, `outgoing` is `out`.",
        ),
        Row(
            "get_prerequisites",
            'get_prerequisites(concept_id="...", depth=3)',
            (
                Call(
                    "graph",
                    {"op": "prerequisites", "id": "$decorators", "depth": 3},
                    lambda a, m: [(p["id"], p["depth"]) for p in a["prerequisites"]]
                    == [(m["functions"], 1), (m["variables"], 2)],
                ),
            ),
            "`depth` counts from the concept asked about.",
        ),
        Row(
            "get_concept_chain",
            'get_concept_chain(start_concept_id="...", end_concept_id="...", max_depth=5)',
            (
                Call(
                    "graph",
                    {"op": "path", "id": "$variables", "to": "$decorators", "depth": 5},
                    lambda a, m: [step["id"] for step in a["path"]]
                    == [m["variables"], m["functions"], m["decorators"]]
                    and a["path"][0]["relation_to_next"] == "prerequisite_of"
                    and a["length"] == 2,
                ),
            ),
            "`length` counts edges.",
        ),
        Row(
            "list_hierarchy",
            "list_hierarchy()",
            (
                Call(
                    "status",
                    {"view": "topics"},
                    lambda a, _: {t["topic"]: t["count"] for t in a["topics"]}["Programming/Python"]
                    == 4,
                ),
            ),
            "Every path with its count, as a list; what has no topic is counted as `(none)`.",
        ),
        Row(
            "get_concepts_by_certainty",
            "get_concepts_by_certainty(min_certainty=0, max_certainty=50, limit=20)",
            (
                Call(
                    "recall",
                    {"type": "concept", "min_confidence": 0, "max_confidence": 0.5,
                     "order": "uncertain", "limit": 20},
                    lambda a, m: ids(a) == [m["quantum"]],
                ),
            ),
            "`order=uncertain` is lowest first, as there; `order=confidence` highest first.",
        ),
    ),
)  # fmt: skip
