"""The words memories are sorted by: types, statuses, relations and their families.

The type table is the one place that lists types: classification, status and the docs all read it.
"""

from typing import NamedTuple

from treering.errors import Invalid


class MemoryType(NamedTuple):
    """One kind of memory; `signals` are lower-case phrases whose presence speaks for it."""

    name: str
    description: str
    signals: tuple[str, ...]
    synonyms: tuple[str, ...] = ()


TYPES: dict[str, MemoryType] = {
    kind.name: kind
    for kind in (
        MemoryType(
            "decision",
            "A choice that was made, and why.",
            ("decided", "decision", "we chose", "choose", "chose", "instead of",
             "rather than", "opted", "trade-off", "tradeoff", "we will use", "we'll use",
             "going with", "agreed to"),
            ("decisions", "adr", "choice"),
        ),
        MemoryType(
            "pattern",
            "A way of doing things that recurs in this code.",
            ("pattern", "whenever", "every time", "recurring", "idiom", "template for",
             "factory", "singleton", "same approach", "reusable"),
            ("patterns",),
        ),
        MemoryType(
            "convention",
            "A rule the team keeps: naming, style, process.",
            ("convention", "always", "never", "must be named", "naming", "style guide", "we name",
             "should be named", "by convention", "prefix with", "format commits", "rule:"),
            ("conventions", "rule", "rules", "guideline", "standard"),
        ),
        MemoryType(
            "component",
            "A part of the system and what it is responsible for.",
            ("component", "module", "service", "class", "responsible for", "package", "handles",
             "consists of", "subsystem", "layer that"),
            ("components", "module", "service", "architecture"),
        ),
        MemoryType(
            "concept",
            "A term or idea one has to understand here.",
            ("concept", "means", "is defined as", "refers to", "terminology", "glossary",
             "is called", "in our domain", "definition"),
            ("concepts", "definition", "term", "knowledge"),
        ),
        MemoryType(
            "insight",
            "Something learned: a root cause, a surprise, a lesson.",
            ("learned", "root cause", "turned out", "turns out", "realized", "realised", "lesson",
             "the reason was", "surprisingly", "because of", "caused by", "gotcha", "discovered",
             "found out", "it turns out"),
            ("insights", "learnings", "learning", "lesson", "lessons", "root-cause", "tip"),
        ),
        MemoryType(
            "issue",
            "A problem that is open, or how it showed itself.",
            ("bug", "issue", "fails", "failing", "crash", "crashes", "broken", "error",
             "traceback", "exception", "regression", "blocked by", "does not work",
             "doesn't work", "stack trace"),
            ("issues", "bug", "bugs", "blocker", "blockers", "problem", "problems"),
        ),
        MemoryType(
            "debt",
            "A shortcut that will have to be paid for.",
            ("technical debt", "tech debt", "workaround", "hack", "todo", "fixme", "temporary",
             "refactor later", "clean up", "cleanup", "shortcut", "legacy", "should be rewritten"),
            ("tech-debt", "technical-debt", "techdebt", "todo"),
        ),
        MemoryType(
            "api",
            "An interface: endpoints, signatures, contracts with others.",
            ("api", "endpoint", "get /", "post /", "put /", "delete /", "rest", "graphql", "rpc",
             "returns json", "status code", "request body", "http"),
            ("apis", "endpoint", "endpoints", "interface"),
        ),
        MemoryType(
            "config",
            "A setting, an environment variable, how something is set up.",
            ("config", "configuration", "setting", "environment variable", "env var", ".env",
             "set to", "yaml", "toml", "flag", "feature flag", "default value", "timeout of"),
            ("configs", "configuration", "settings", "setup", "environment"),
        ),
        MemoryType(
            "security",
            "What protects the system, or threatens it.",
            ("security", "vulnerability", "vulnerable", "cve", "xss", "csrf", "sql injection",
             "injection", "encrypt", "authorization", "permission", "sanitize", "secret",
             "attack", "exploit"),
            ("vulnerability", "vulnerabilities"),
        ),
        MemoryType(
            "testing",
            "How things are tested, and what the tests taught.",
            ("test", "tests", "testing", "pytest", "fixture", "mock", "coverage", "flaky",
             "assertion", "unit test", "integration test", "e2e"),
            ("tests", "test"),
        ),
        MemoryType(
            "progress",
            "Where the work stands.",
            ("progress", "done so far", "finished", "completed", "in progress", "next step",
             "remaining", "halfway", "wip", "milestone", "% done"),
            ("status-update", "task", "tasks"),
        ),
        MemoryType(
            "context",
            "Background someone needs to work here.",
            ("context", "background", "stakeholder", "deadline", "requirement", "constraint",
             "customer", "the project", "the team", "for reference"),
            ("contexts", "background", "note", "notes", "reference"),
        ),
        MemoryType(
            "checkpoint",
            "The state of a piece of work, to be resumed.",
            ("checkpoint", "resume from", "pick up from", "left off", "open files", "next steps:"),
            ("checkpoints",),
        ),
        MemoryType(
            "session",
            "A stretch of work: its commits, start and end.",
            ("session summary", "session started", "session ended", "work session"),
            ("sessions",),
        ),
        MemoryType("commit", "A commit of the code, captured by a hook.", (), ("commits",)),
        MemoryType(
            "entity",
            "A person, organization, technology, concept or file that memories mention.",
            (),
            ("entities", "person", "organization", "technology"),
        ),
    )
}  # fmt: skip

TYPE_SYNONYMS: dict[str, str] = {
    synonym: kind.name for kind in reversed(TYPES.values()) for synonym in kind.synonyms
}

STATUSES = ("active", "needs-review", "superseded", "deleted")
OUTCOMES = ("success", "failed", "partial")

#: Relation -> family. Any other word is kept as written and counts as association.
RELATIONS: dict[str, str] = {
    "relates_to": "association",
    "depends_on": "implementation",
    "uses": "implementation",
    "implements": "implementation",
    "affects": "implementation",
    "references": "association",
    "follows": "temporal",
    "supersedes": "evolution",
    "derived_from": "evolution",
    "prerequisite_of": "implementation",
    "part_of": "implementation",
    "conflicts_with": "association",
    "mentions": "association",
    "similar_to": "association",
    "precedes": "temporal",
    "works_at": "association",
    "created": "association",
}


def family_of(relation: str) -> str:
    """Which of evolution, implementation, association and temporal a relation belongs to."""
    return RELATIONS.get(relation.lower(), "association")


def type_named(word: str) -> str:
    """The type a person means by this word, in any case, singular, plural or by a synonym."""
    name = word.strip().lower().replace("_", "-").replace(" ", "-")
    if name in TYPES:
        return name
    if name in TYPE_SYNONYMS:
        return TYPE_SYNONYMS[name]
    raise Invalid(f"Unknown type {word!r}.", hint="The types are: " + ", ".join(TYPES) + ".")


def one_of(word: str, allowed: tuple[str, ...], what: str) -> str:
    """The allowed word that was meant, in any case, with dash or underscore."""
    name = word.strip().lower().replace("_", "-")
    if name in allowed:
        return name
    raise Invalid(f"Unknown {what} {word!r}.", hint=f"Allowed: {', '.join(allowed)}.")
