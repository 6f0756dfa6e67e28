"""Amalfa: semantic search and a graph over markdown documents."""

from e2e.coming_from.rows import Call, Row, System, beside, ids

AMALFA = System(
    "Amalfa",
    "Search, links and gaps over a folder of markdown.",
    (
        Row(
            "search_documents",
            'search_documents(query="authentication debugging lessons", limit=20)',
            (
                Call(
                    "recall",
                    {"query": "authentication debugging lessons", "limit": 20},
                    lambda a, m: m["safari"] in ids(a)
                    and a["results"][0]["snippet"]
                    and a["results"][0]["why"],
                ),
            ),
            "One ranker, no cross-encoder that is always on: search answers without a model, and "
            "`why` says what a hit matched by.",
        ),
        Row(
            "read_node_content",
            'read_node_content(id="doc-xyz789")',
            (
                Call("read", {"id": "$jwt"}, lambda a, _: a["content"].startswith("We need")),
            ),
        ),
        Row(
            "explore_links",
            'explore_links(id="debrief-cleanup", relation="references")',
            (
                Call(
                    "graph",
                    {"op": "neighbors", "id": "$safari", "direction": "out",
                     "relation": ["references"]},
                    lambda a, m: [(e["target"], e["relation"]) for e in a["edges"]]
                    == [(m["jwt"], "references")],
                ),
            ),
            "`depth` follows several hops in one call.",
        ),
        Row(
            "list_directory_structure",
            "list_directory_structure()",
            (
                Call(
                    "status",
                    {"view": "files"},
                    lambda a, _: {"path": "src/auth/jwt.go", "count": 1} in a["files"],
                ),
            ),
            "The files memories are about; `status(view=topics)` is the order people gave them.",
        ),
        Row(
            "find_gaps",
            "find_gaps(limit=5, threshold=0.5)",
            (
                Call(
                    "graph",
                    {"op": "suggest", "threshold": 0.5, "limit": 5},
                    lambda a, m: {m["postgres"], m["storage"]}
                    in [{p["source"], p["target"]} for p in a["pairs"]]
                    and all(p["reason"] and p["relation"] for p in a["pairs"]),
                ),
            ),
            "By words, files and tags, no daemon; the default threshold is 0.8, as there.",
        ),
        Row(
            "inject_tags",
            'inject_tags(file_path="docs/auth-guide.md", tags=["authentication", "tutorial"])',
            (
                Call(
                    "recall",
                    {"file": "docs/auth-guide.md"},
                    lambda a, m: ids(a) == [m["safari"]],
                    {"found": lambda a: a["results"][0]["id"]},
                ),
                Call(
                    "revise",
                    {"id": "$found", "tags_add": ["authentication", "tutorial"]},
                    lambda a, _: a["changed"] == ["tags"],
                ),
                beside(
                    "read",
                    {"id": "$found"},
                    lambda a, _: a["tags"] == ["auth", "authentication", "tutorial"],
                ),
            ),
            "Tags belong to memories, never to your files; nothing is written to the work tree.",
        ),
        Row(
            "scratchpad_read",
            'scratchpad_read(id="a1b2c3d4e5f6")',
            (
                beside(
                    "recall",
                    {"query": "ledger", "detail": "full"},
                    lambda a, _: a["out"].startswith("out:") and len(a["out"]) == 16,
                    {"out": lambda a: a["out"]},
                ),
                Call(
                    "read",
                    {"id": "$out"},
                    lambda a, m: a["id"] == m["out"] and "ledger" in a["content"],
                ),
            ),
            "Kept on disk, so it outlives the server; at most 10 MB, oldest out first.",
            scene="long",
        ),
        Row(
            "scratchpad_list",
            "scratchpad_list()",
            (
                beside(
                    "recall",
                    {"query": "ledger", "detail": "full"},
                    lambda a, _: "out" in a,
                    {"out": lambda a: a["out"]},
                ),
                Call(
                    "status",
                    {"view": "outputs"},
                    lambda a, m: m["out"] in str(a["outputs"]),
                ),
            ),
            scene="long",
        ),
    ),
)  # fmt: skip
