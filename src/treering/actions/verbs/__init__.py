"""The definition of each verb: one place from which every door is made.

The definitions lie in a few modules by subject, and are imported when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treering.actions.verbs.verb import Verb

#: In the order help shows them: verb -> the module below this package that defines it.
VERBS = {
    "init": "setup",
    "remember": "memories",
    "recall": "memories",
    "read": "memories",
    "revise": "memories",
    "forget": "memories",
    "link": "memories",
    "graph": "knowledge",
    "entities": "knowledge",
    "checkpoint": "work",
    "context": "work",
    "prompts": "work",
    "status": "knowledge",
    "why": "history",
    "review": "review",
    "log": "history",
    "diff": "history",
    "guard": "history",
    "revert": "history",
    "export": "transfer",
    "import": "transfer",
    "backfill": "transfer",
    "config": "setup",
    "doctor": "housekeeping",
    "reindex": "housekeeping",
    "gc": "housekeeping",
    "promote": "housekeeping",
    "restore": "housekeeping",
    "sync": "housekeeping",
    "redact": "housekeeping",
    "maintain": "housekeeping",
    "mcp": "setup",
    "web": "setup",
    "completion": "setup",
    "uninstall": "setup",
    "demo": "setup",
}


def find_verb(name: str) -> "Verb":
    """The verb of this name."""
    module = import_module(f"treering.actions.verbs.{VERBS[name]}")
    verb: Verb = getattr(module, name.upper())
    return verb


def list_verbs() -> tuple["Verb", ...]:
    """All verbs, in the order help shows them."""
    return tuple(find_verb(name) for name in VERBS)


def list_tools() -> tuple["Verb", ...]:
    """The verbs that agents have, too."""
    return tuple(verb for verb in list_verbs() if verb.tool)
