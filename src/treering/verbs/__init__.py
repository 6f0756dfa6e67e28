"""The verbs: one annotated function each, from which every door is made.

They lie in a few light modules by subject, and are imported when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from treering.verbs.verb import Verb

#: In the order help shows them: verb -> the module that defines it.
VERBS = {
    "init": "treering.verbs.setup",
    **dict.fromkeys(
        ("remember", "recall", "read", "revise", "forget", "link"), "treering.verbs.memories"
    ),
    **dict.fromkeys(("graph", "entities"), "treering.verbs.knowledge"),
    **dict.fromkeys(("checkpoint", "context", "prompts"), "treering.verbs.work"),
    "status": "treering.verbs.knowledge",
    **dict.fromkeys(("why", "review", "log", "diff", "guard", "revert"), "treering.verbs.history"),
    **dict.fromkeys(("export", "import", "backfill"), "treering.verbs.transfer"),
    "config": "treering.verbs.setup",
    "try": "treering.verbs.setup",
    **dict.fromkeys(
        ("doctor", "reindex", "gc", "promote", "restore", "sync", "redact", "maintain"),
        "treering.verbs.upkeep",
    ),
    **dict.fromkeys(("mcp", "web", "completion", "uninstall", "demo"), "treering.verbs.setup"),
}


def find_verb(name: str) -> "Verb":
    """Return the verb of this name."""
    module = import_module(VERBS[name])
    found = getattr(module, name, None) or getattr(module, f"{name}_", None)
    return cast("Verb", getattr(found, "verb", None) or getattr(module, name.upper()))


def list_verbs() -> tuple["Verb", ...]:
    """Return all verbs, in the order help shows them."""
    return tuple(find_verb(name) for name in VERBS)


def list_tools() -> tuple["Verb", ...]:
    """Return the verbs that agents have, too."""
    return tuple(verb for verb in list_verbs() if verb.tool)
