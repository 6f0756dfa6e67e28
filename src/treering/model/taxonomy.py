"""The words memories are sorted by: types, relations and their families.

The type table is the one place that lists types: classification, status and the docs all read it.
"""

from typing import Literal, NamedTuple, TypeVar

from treering.errors import Invalid

Word = TypeVar("Word", bound=str)

#: evolution: what a memory came from or replaces; implementation: how parts of the system need each
#: other; association: what belongs together; temporal: what was at about the same time.
RelationFamily = Literal["evolution", "implementation", "association", "temporal"]


class MemoryType(NamedTuple):
    """One kind of memory.

    `signals` are lower-case phrases that speak for it (`*` stands for any ending); `hints` are
    words of its subject that texts of other types use as well, and so count half.
    """

    name: str
    description: str
    signals: tuple[str, ...]
    synonyms: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


TYPES: dict[str, MemoryType] = {
    kind.name: kind
    for kind in (
        MemoryType(
            "decision",
            "A choice that was made, and why.",
            ("decided", "decision", "we chose", "chose", "opted", "trade-off*", "tradeoff*",
             "we will use", "we'll use", "going with", "went with", "agreed to", "agreed on",
             "considered", "alternatives", "rejected", "settled on", "in favor of",
             "in favour of", "switched from", "switched to", "adr", "picked", "moving to",
             "was on the table", "ruled out", "would have meant"),
            ("decisions", "adr", "choice"),
            ("instead of", "rather than", "because", "so that", "choose", "keep", "for now",
             "prefer", "faster", "stays", "accept"),
        ),
        MemoryType(
            "pattern",
            "A way of doing things that recurs in this code.",
            ("pattern", "whenever", "every time", "recurring", "idiom", "same approach",
             "common approach", "same template", "reusable", "factory", "singleton",
             "observer", "strategy objects", "follow the same", "the same way", "adapter",
             "builder*", "decorator"),
            ("patterns",),
            ("template", "approach", "wraps", "shape", "all our", "each time", "in all",
             "across the", "throughout", "interface", "around each", "the same"),
        ),
        MemoryType(
            "convention",
            "A rule the team keeps: naming, style, process.",
            ("convention*", "always", "naming", "style guide", "code style", "we name",
             "by convention", "prefix with", "rule", "snake_case", "kebab-case", "camelcase",
             "pascalcase", "must be named", "should be named", "conventional commits", "don't",
             "line length", "ruff", "eslint", "prettier", "gofmt", "isort", "clang-format",
             "import order", "must be reviewed", "never commit", "one per file", "format commits"),
            ("conventions", "rule", "rules", "guideline", "standard"),
            ("never", "must", "must be", "must not", "should", "needs", "start with",
             "starts with", "end with", "end in", "lower-case", "plural", "prefix",
             "docstring*", "do not", "need a", "needs a"),
        ),
        MemoryType(
            "component",
            "A part of the system and what it is responsible for.",
            ("responsible for", "is the class", "is the library", "consists of", "made up of",
             "subsystem", "layer that", "sits between", "talks to", "takes care of",
             "hands over to", "is in charge of", "owns all", "is the service", "is the module",
             "middleware", "wrapper for", "whose only job", "only job is", "small program"),
            ("components", "module", "service", "architecture"),
            ("component", "components", "module", "service", "class", "package", "packages",
             "library", "handles", "wraps", "layer", "owns", "forwards", "reads", "falls back",
             "goes through", "holds", "process called", "delivers", "pipeline", "engine",
             "program"),
        ),
        MemoryType(
            "concept",
            "A term or idea one has to understand here.",
            ("means", "is defined as", "refers to", "terminology", "glossary", "is called",
             "in our domain", "definition", "the term", "we call", "is the idea", "describes",
             "stands for", "is a kind of", "belongs to exactly", "in this code base",
             "uses the word", "as we use it"),
            ("concepts", "definition", "term", "knowledge"),
            ("concept", "is a", "is an", "idea", "always half", "is one"),
        ),
        MemoryType(
            "insight",
            "Something learned: a root cause, a surprise, a lesson.",
            ("learned", "learnt", "root cause", "turned out", "turns out", "realized",
             "realised", "lesson*", "the reason was", "surprising*", "caused by", "gotcha*",
             "discovered", "found out", "that is why", "which is why", "counter-intuitive*",
             "bottleneck", "was the culprit", "pitfall", "it took", "cost us", "interesting*",
             "do not trust", "don't trust", "looked like"),
            ("insights", "learnings", "learning", "lesson", "lessons", "root-cause", "tip"),
            ("because of", "because", "cause", "found", "unexpected*", "profile", "the reason",
             "makes the"),
        ),
        MemoryType(
            "issue",
            "A problem that is open, or how it showed itself.",
            ("bug", "bugs", "fails", "failing", "failed", "crash*", "broken", "traceback",
             "exception", "regression", "blocked by", "blocked on", "does not work",
             "doesn't work", "stack trace", "deadlock*", "memory leak", "leaks", "hangs",
             "out of memory", "truncated", "users report", "does not load",
             "seen in production", "times out", "incorrect*", "sent twice", "stopped working",
             "cannot find", "not plausible", "diverges", "nan", "ignored"),
            ("issues", "bug", "bugs", "blocker", "blockers", "problem", "problems"),
            ("issue", "error", "errors", "wrong", "nothing", "slow", "twice", "missing",
             "grows by", "in production", "timeout", "cannot", "sometimes", "stopped",
             "after about"),
        ),
        MemoryType(
            "debt",
            "A shortcut that will have to be paid for.",
            ("technical debt", "tech debt", "workaround*", "hack", "todo", "fixme",
             "temporary", "temporarily", "refactor later", "clean up", "cleanup", "shortcut*",
             "should be rewritten", "must be rewritten", "should be replaced",
             "should be deleted", "should be removed", "copy-pasted", "copy pasted",
             "duplicated", "hard-coded", "hardcoded", "quick fix", "some day", "someday",
             "when there is time", "needs to be extracted", "must be split", "has grown",
             "swallowed", "untangle", "nobody dares", "proper", "take that out", "in a hurry",
             "have to be added", "has to be added", "before the release", "ought to"),
            ("tech-debt", "technical-debt", "techdebt", "todo"),
            ("legacy", "old", "still", "later", "until we", "should be", "needs to be",
             "for the launch", "once all", "not translatable", "glued"),
        ),
        MemoryType(
            "api",
            "An interface: endpoints, signatures, contracts with others.",
            ("endpoint*", "get /", "post /", "put /", "patch /", "delete /", "rest api",
             "graphql", "grpc", "rpc", "returns json", "status code", "request body",
             "response body", "webhook*", "query parameter", "mutation", "public api",
             "retry-after", "rate limit of", "answers with", "responds with", "page size",
             "idempotency key", "protobuf", "consumers must", "callback"),
            ("apis", "endpoint", "endpoints", "interface"),
            ("api", "http", "returns", "raises", "accepts", "takes", "json", "response",
             "request", "requests", "header", "cursor", "pagination", "method", "version*",
             "client", "methods", "topic", "messages", "calls back"),
        ),
        MemoryType(
            "config",
            "A setting, an environment variable, how something is set up.",
            ("config", "configuration", "configured", "environment variable*", "env var*",
             ".env", "feature flag", "default value", "defaults to", "timeout of", "is set to",
             "must be set", "set in the environment", "settings", "setting", "docker-compose*",
             "terraform", "nginx", "overrides", "port", "by default", "adjustable", "helm",
             "retention"),
            ("configs", "configuration", "settings", "setup", "environment"),
            ("set to", "yaml", "toml", "flag", "option", "variable", "default", "ttl",
             "staging", "production", "locally", "environment", "secret", "maps", "conf",
             "timeout", "interval", "raised", "lowered", "values"),
        ),
        MemoryType(
            "security",
            "What protects the system, or threatens it.",
            ("security", "vulnerab*", "cve*", "xss", "csrf", "sql injection", "injection",
             "encrypt*", "authorization", "sanitiz*", "sanitis*", "attack*", "exploit*",
             "path traversal", "penetration", "hashed", "argon2*", "bcrypt", "constant time",
             "httponly", "tls", "revoked", "rotated", "allow list", "allowlist", "permission*",
             "least privilege", "access tokens", "signed with", "private key", "attacker"),
            ("vulnerability", "vulnerabilities"),
            ("secret", "secrets", "token", "tokens", "password*", "cookie*", "escaped",
             "admins", "auth", "refused", "private", "leak", "key"),
        ),
        MemoryType(
            "testing",
            "How things are tested, and what the tests taught.",
            ("pytest", "fixture*", "mock", "mocks", "mocked", "coverage", "flaky",
             "assertion*", "unit test*", "integration test*", "end-to-end", "e2e",
             "test suite", "property-based", "hypothesis", "snapshot test*", "contract test*",
             "load test*", "playwright", "cypress", "fake server", "assert", "fuzz*",
             "automated checks", "simulator"),
            ("tests", "test"),
            ("test", "tests", "testing", "fake", "ci", "failing examples", "checks"),
        ),
        MemoryType(
            "progress",
            "Where the work stands.",
            ("progress", "done so far", "finished", "completed", "in progress", "remaining",
             "halfway", "half of", "wip", "milestone*", "% done", "still to do",
             "still missing", "ready for review", "sprint", "so far", "implemented", "ported",
             "upgraded", "this week", "next week", "slipped", "are next", "is next",
             "starts tomorrow", "have been moved", "percent of", "under review"),
            ("status-update", "task", "tasks"),
            ("done", "status", "today", "next", "tomorrow", "ready", "green", "moved",
             "missing", "next step", "merged", "open"),
        ),
        MemoryType(
            "context",
            "Background someone needs to work here.",
            ("background", "stakeholder*", "deadline", "requirement*", "constraint*",
             "customer*", "the project", "for reference", "budget", "competitor*", "legal",
             "contractor*", "time zones", "launch date", "the audit", "most users",
             "started as", "the company", "product:", "documented in", "promised", "marketing",
             "mostly between"),
            ("contexts", "background", "note", "notes", "reference"),
            ("context", "users", "team", "external", "market", "must work", "may not",
             "we may not", "was split", "the team", "therefore", "release", "not allowed"),
        ),
        MemoryType(
            "checkpoint",
            "The state of a piece of work, to be resumed.",
            ("checkpoint*", "resume from", "resume at", "pick up from", "left off",
             "open files", "next steps", "stopping here", "to continue", "handing over",
             "saved state", "state of the session", "continue from", "where i stopped",
             "notes to self", "stopped in the middle", "not looked at", "continue there"),
            ("checkpoints",),
            ("tomorrow", "not updated yet", "not applied yet", "resume", "next sitting"),
        ),
        MemoryType(
            "session",
            "A stretch of work: its commits, start and end.",
            ("session summary", "session started", "session ended", "work session",
             "coding session", "pairing session", "session log", "this session",
             "today's session", "afternoon session", "morning session", "in this session"),
            ("sessions",),
            ("session", "commits", "paired", "explored", "reviewed"),
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

#: Written by hooks, from what git says.
CAPTURED_TYPES = frozenset({"commit", "session"})
#: About the work on a branch, which is over once the branch has landed.
PASSING_TYPES = frozenset({"checkpoint", "progress"})
#: What happened rather than what is known: nothing depends on it, and it supersedes nothing.
RECORD_TYPES = CAPTURED_TYPES | PASSING_TYPES
#: Kept for what they stand for, not for what they say: never told unasked, merged or summarized.
#: Two commits with one message are still two commits.
BOOKKEEPING_TYPES = CAPTURED_TYPES | {"checkpoint", "entity"}

#: Relation -> family. Any other word is kept as written and counts as association.
RELATIONS: dict[str, RelationFamily] = {
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


def family_of(relation: str) -> RelationFamily:
    """The family a relation belongs to."""
    return RELATIONS.get(relation.lower(), "association")


def type_named(word: str) -> str:
    """The type a person means by this word, in any case, singular, plural or by a synonym."""
    name = word.strip().lower().replace("_", "-").replace(" ", "-")
    if name in TYPES:
        return name
    if name in TYPE_SYNONYMS:
        return TYPE_SYNONYMS[name]
    from treering.model.spelling import suggest

    types = f"The types are: {', '.join(TYPES)}."
    raise Invalid(f"Unknown type {word!r}.", hint=suggest(name, (*TYPES, *TYPE_SYNONYMS), types))


def one_of(word: str, allowed: tuple[Word, ...], what: str) -> Word:
    """The allowed word that was meant, in any case, with dash or underscore."""
    name = word.strip().lower().replace("_", "-")
    for choice in allowed:
        if choice == name:
            return choice
    raise unknown_word(word, allowed, what)


def unknown_word(word: str, allowed: tuple[str, ...], what: str) -> Invalid:
    """The error for a word that is not among those allowed."""
    from treering.model.spelling import suggest

    hint = suggest(word, allowed, f"Allowed: {', '.join(allowed)}.")
    return Invalid(f"Unknown {what} {word!r}.", hint=hint)
