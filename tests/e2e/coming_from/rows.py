"""What a row of the table is: a tool of another system, and the calls that do its job here."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

#: Given the answer and the ids of the scene: whether the job was done.
Check = Callable[[Any, Mapping[str, str]], bool]


class Call(NamedTuple):
    """One call. `$name` in a value is the id of a memory of the scene, or what an earlier call of
    the row kept; `keeps` says under which name something of the answer is kept. A call that only
    prepares or proves is not `is_job`."""

    tool: str
    given: dict[str, Any]
    shows: Check
    keeps: Mapping[str, Callable[[Any], str]] = {}
    is_job: bool = True


def beside(
    tool: str, given: dict[str, Any], shows: Check, keeps: Mapping[str, Callable[[Any], str]] = {}
) -> Call:
    """A call that prepares the job or proves that it was done."""
    return Call(tool, given, shows, keeps, is_job=False)


class Row(NamedTuple):
    """A tool of theirs with an example from its documents, and the same job here.

    `scene` names what must be there before; `mind` is what whoever comes from there should know.
    """

    there: str
    example: str
    calls: tuple[Call, ...]
    mind: str = ""
    scene: str = ""


class System(NamedTuple):
    name: str
    about: str
    rows: tuple[Row, ...]


#: Memories every row finds, by the name rows call them; a link names one that stands before it.
MEMORIES: dict[str, dict[str, Any]] = {
    "jwt": {
        "content": "We need stateless authentication for our services, so we decided on JSON web "
        "tokens with RS256 signing over server-side sessions.",
        "title": "Use JWT for authentication",
        "type": "decision",
        "tags": ["auth", "security"],
        "topic": "auth_strategy",
        "files": ["src/auth/jwt.go"],
        "confidence": 0.9,
    },
    "gateway": {
        "content": "The gateway is the component that checks every token before a request passes.",
        "title": "Auth gateway",
        "type": "component",
        "tags": ["auth", "security"],
        "files": ["src/auth/gateway.go"],
        "links": ["implements:$jwt"],
    },
    "postgres": {
        "content": "Use PostgreSQL for primary storage because of JSONB support",
        "type": "decision",
        "tags": ["database", "architecture"],
        "files": ["ARCHITECTURE.md"],
    },
    "storage": {
        "content": "PostgreSQL is used for primary storage because of its JSONB support",
        "type": "decision",
        "tags": ["database"],
    },
    "decorators": {
        "content": "A decorator takes a function and gives back another one.",
        "title": "Python Decorators",
        "type": "concept",
        "topic": "Programming/Python/Advanced",
        "confidence": 0.85,
    },
    "functions": {
        "content": "A function is a named block of code with parameters.",
        "title": "Python Functions",
        "type": "concept",
        "topic": "Programming/Python/Basics",
        "confidence": 0.9,
        "links": ["prerequisite_of:$decorators"],
    },
    "variables": {
        "content": "A variable is a name bound to a value.",
        "title": "Python Variables",
        "type": "concept",
        "topic": "Programming/Python/Basics",
        "confidence": 0.95,
        "links": ["prerequisite_of:$functions"],
    },
    "loops": {
        "content": "For loops iterate over sequences like lists, tuples, and strings.",
        "title": "Python For Loops",
        "type": "concept",
        "topic": "Programming/Python/Control Flow",
        "confidence": 0.9,
    },
    "quantum": {
        "content": "A qubit is in a superposition of two states until it is measured.",
        "title": "Quantum Computing Basics",
        "type": "concept",
        "topic": "Computer Science/Quantum",
        "confidence": 0.3,
    },
    "safari": {
        "content": "Debugging login in Safari: cookies set by OAuth redirects need SameSite=None.",
        "title": "Safari cookie scope",
        "type": "insight",
        "tags": ["auth"],
        "files": ["docs/auth-guide.md"],
        "links": ["references:$jwt"],
    },
}


def filled(value: Any, known: Mapping[str, str]) -> Any:
    """The value with `$name` replaced by what it stands for."""
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    if isinstance(value, str) and "$" in value:
        head, _, name = value.partition("$")
        return head + known[name]
    return value


def ids(answer: Any) -> list[str]:
    """The ids of an answer's results, in order."""
    return [result["id"] for result in answer["results"]]
