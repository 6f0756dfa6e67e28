"""Which type a text is, by the signal words of the taxonomy and by its shape."""

import math
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from treering.model.taxonomy import TYPES

CONFIDENT = 0.6
_FALLBACK = "insight"
_LOOKED_AT = 8_000
_HINT = 0.5
_IN_HEAD = 0.25
_MOST_HINTS = 3.0
_PUNCTUATION = str.maketrans(dict.fromkeys("\n\r\t,;!?\"'`()[]{}<>*_#", " "))


#: Whether the caller named the type, or the text suggested it.
ChosenBy = Literal["given", "heuristic"]


class Alternative(NamedTuple):
    type: str
    score: float


class Classification(NamedTuple):
    """The type chosen, how sure we are of it, and what else it might have been."""

    type: str
    by: ChosenBy
    score: float
    confident: bool
    alternatives: tuple[Alternative, ...]


def as_given(kind: str) -> Classification:
    """A type the caller named always wins."""
    return Classification(kind, "given", 1.0, True, ())


def classify(content: str) -> Classification:
    """Weigh signal words, hints and the shape of the text.

    A signal is one point, a quarter more in the first line; a hint counts half of that. One point
    gives a score of 0.5, two 0.75, and so on; what speaks for the second best is doubt about the
    best, and takes half of its points away from it.
    """
    first_line, _, _ = content.partition("\n")
    text, head = _words(content[:_LOOKED_AT]), _words(first_line[:400])
    shape = _weigh_shape(content[:_LOOKED_AT])
    points = {
        kind.name: _points(kind.signals, text, head)
        + _HINT * min(_MOST_HINTS, _points(kind.hints, text, head))
        + shape.get(kind.name, 0.0)
        for kind in TYPES.values()
    }
    order = sorted((name for name in points if points[name]), key=lambda name: -points[name])
    if not order:
        return Classification(_FALLBACK, "heuristic", 0.0, False, ())
    best, *others = order
    doubt = 0.5 * points[others[0]] if others else 0.0
    score = _score(points[best] - doubt)
    alternatives = (Alternative(best, score), *(_alternative(n, points) for n in others[:2]))
    return Classification(best, "heuristic", score, score >= CONFIDENT, alternatives)


def _alternative(name: str, points: Mapping[str, float]) -> Alternative:
    """One that lost: sure as it may be of itself, it is less sure than the one that won."""
    return Alternative(name, _score(0.5 * points[name]))


def _score(points: float) -> float:
    return round(1 - math.pow(0.5, points), 2)


def _points(signals: tuple[str, ...], text: str, head: str) -> float:
    return sum((word in text) + _IN_HEAD * (word in head) for word in map(_pad, signals))


def _words(text: str) -> str:
    """Lower case, words apart by single spaces, padded so that ` word ` finds whole words only."""
    words = (
        text.lower()
        .replace("’", "'")
        .translate(_PUNCTUATION)
        .replace(". ", " ")
        .replace(": ", " : ")
    )
    return f" {' '.join(words.split())} ".replace(". ", " ")


def _pad(signal: str) -> str:
    if signal.endswith("*"):
        return f" {signal[:-1]}"
    return f" {signal} ".replace("'", " ")  # as the text has it


# --- what the shape of a text tells: headings, traces, signatures, first words --------------------

_CODE = r"(?s)```.{0,4000}?```"
_PARTS = r"service|module|component|package|layer|library|class|subsystem|gateway|worker|middleware"
_VERBS = (
    r"takes|delivers|renders|evaluates|reads|collects|serves|delegates|converts|loads|manages"
    r"|routes|keeps"
)
_UNDO = r"rewritten|replaced|removed|deleted|extracted|split|refactored|cleaned|untangled|moved out"
_CASES = r"snake_case|kebab-case|camelCase|PascalCase|SCREAMING_SNAKE"
_TRACE = (
    r"(?m)^Traceback \(most recent call last\)|^panic: |^goroutine \d+ \[|^Caused by: "
    r"|^\s{1,20}at [\w.$<>]{2,120}\(|^thread '[^']{1,60}' panicked|^Segmentation fault"
)


class TextShape(NamedTuple):
    """`weight` is in signals. One of the `words`, in lower case, must be in the text before the
    pattern is tried: compiling one costs more than looking for a word. Every pattern is bounded.
    """

    type: str
    weight: float
    words: str
    pattern: str


_SHAPES: tuple[TextShape, ...] = tuple(
    TextShape(*shape)
    for shape in (
        ("decision", 2.0, "# decision|# alternatives|# consequences|# adr",
         r"(?mi)^#{1,4} (?:decision|alternatives|consequences|adr\b)"),
        ("decision", 1.0, "use |keep |adopt|prefer|choose|drop|replace|store|move|switch|accept|"
         "avoid|no ",
         r"\A(?:Use|Keep|Adopt|Prefer|Choose|Drop|Replace|Store|Move|Switch|Accept|Avoid|No) \S"),
        ("decision", 1.0, " over ", r"\A[\w .-]{2,40} over [\w .-]{2,40}[:;,.]"),
        ("decision", 0.7, ", not ", r", not (?:with|in|as|by|on|for|the|a)\b"),
        ("convention", 0.7, "always|never|do not|don't",
         r"(?mi)(?:^|[.;] )(?:always|never|do not|don't) \w+"),
        ("convention", 1.0, "do not|don't|don’t|never|always|avoid",
         r"(?i)\A(?:please )?(?:do not|don['’]t|never|always|avoid) \w+"),
        ("convention", 2.0, "we ",
         r"(?i)\Awe (?:keep \S.{0,60} (?:out of|away from)|never|always|avoid|do not|don['’]t) "),
        ("convention", 0.5, "every|all|each", r"(?mi)(?:^|[.;] )(?:every|all|each) \w+"),
        ("convention", 1.0, "case|screaming", rf"\b(?:{_CASES})"),
        ("convention", 0.7, "must ", r"\bmust (?:be|have|not|end|start|contain) \w+"),
        ("component", 1.2, _PARTS, rf"(?i)\A(?:the |our )?[`\w-]{{2,40}} (?:{_PARTS})\b"),
        ("component", 1.2, "is the |is a |is an ",
         r"\bis (?:the|a|an) (?:class|library|service|module|package|middleware|component)\b"),
        ("component", 1.0, " is | sits| owns| handles| wraps| holds| talks",
         r"\A[`A-Z][a-z]+[A-Z]\w{2,40}`? (?:is|sits|owns|handles|wraps|holds|talks)"),
        ("component", 1.0, _VERBS, rf"(?i)\A(?:the |our )?[\w -]{{2,40}}? (?:{_VERBS}) "),
        ("component", 0.7, "src/|lib/|app/|pkg/|packages/",
         r"\A(?:src|lib|app|pkg|packages)/[\w/.-]{1,80} "),
        ("concept", 1.5, " is a| is the",
         r"\A(?:A|An) [\w'’-]{2,30}(?: [\w'’-]{2,30})? is (?:a|an|the)\b"),
        ("concept", 1.2, ": a", r"\A[\w'’\" -]{2,40}: (?:a|an) \w+"),
        ("concept", 1.0, "' |\" |’ |” ",
         r"['\"‘“][\w -]{2,40}['\"’”] (?:means|is|describes|refers|stands)\b"),
        ("issue", 3.0, "traceback|panic|goroutine|caused by|at |segmentation", _TRACE),
        ("issue", 1.5, "error|exception", r"\b[A-Z]\w{2,40}(?:Error|Exception)\b: ?\S"),
        ("issue", 1.0, "bug|issue|problem|regression",
         r"(?i)\A(?:bug|issue|problem|regression)\b"),
        ("debt", 1.5, "todo|fixme|hack|xxx", r"\b(?:TODO|FIXME|HACK|XXX)\b(?!\.md)"),
        ("debt", 1.0, " be ", rf"(?i)\b(?:should|must|needs to|has to) be (?:{_UNDO})"),
        ("api", 2.0, "get /|post /|put /|patch /|delete /|head /|options /",
         r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /"),
        ("api", 1.5, "->", r"\b[\w.]{2,60}\([^()\n]{0,200}\) ?->"),
        ("api", 1.0, ") returns|) accepts|) takes|) raises|) is ",
         r"\b[A-Z]?\w{1,40}(?:\.\w{1,40})?\([^()\n]{0,80}\) (?:returns|accepts|takes|raises|is)\b"),
        ("api", 1.2, "(", r"\A[\w.]{2,60}\([^()\n]{0,120}\)"),
        ("api", 0.7, "20|30|40|42", r"\b(?:HTTP |status )?(?:20[0-4]|301|302|40[0-9]|422|429)\b"),
        ("config", 1.2, "_", r"\b[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,40}\b"),
        ("config", 1.2, "=", r"`[\w.-]{2,60} ?= ?[^`\n]{1,60}`"),
        ("config", 1.0, ".env|.toml|.y|.ini|.c|.properties|.tfvars",
         r"\b[\w./-]{0,60}\.(?:env|toml|ya?ml|ini|conf|cfg|properties|tfvars)\b"),
        ("security", 2.0, "cve-", r"\bCVE-\d{4}-\d{3,7}\b"),
        ("testing", 1.2, "test_|tests_|test/|tests/", r"\btests?[_/]\w+"),
        ("testing", 1.0, "test", r"(?i)\A[\w-]{2,30}(?: [\w-]{2,20})? tests "),
        ("progress", 1.2, "%|percent",
         r"(?i)\b\d{1,3} ?(?:%|percent) (?:done|complete|finished|of)"),
        ("progress", 1.0, " of ",
         r"(?i)\b(?:\d{1,4}|two|three|four|five|six) of (?:the )?"
         r"(?:\d{1,4}|three|four|five|six|seven|eight|nine|ten|twenty) "),
        ("progress", 1.0, "finished|completed|implemented|upgraded|ported|converted|merged|wip|"
         "status|done",
         r"\A(?:Finished|Completed|Implemented|Upgraded|Ported|Converted|Merged|WIP|Status|Done)\b"),
        ("checkpoint", 1.5, "next steps|open files",
         r"(?mi)^(?:#{1,4} )?(?:next steps|open files)\b.{0,3}$"),
        ("checkpoint", 1.0, "checkpoint", r"(?i)\Acheckpoint\b"),
        ("session", 1.5, "session",  # of work, and not of a program's users
         r"(?i)\A[^.\n]{0,40}\bsession\b(?! (?:timeout|token|cookie|key|id|stor|data|secret|expir|"
         r"lifetime|length|affinity|variable|object|backend|middleware|manage|handl|cache|fixation))"),
        ("session", 0.7, "commits|files|:",
         r"\b\d{1,3} (?:commits|files)\b|\b\d{1,2}:\d\d ?[-–] ?\d{1,2}:\d\d\b"),
    )
)  # fmt: skip


def _weigh_shape(content: str) -> dict[str, float]:
    """How much the shape of a text speaks for each type; code samples are not looked into."""
    text = re.sub(_CODE, " ", content) if "```" in content else content
    lower = text.lower()
    points: dict[str, float] = {}
    for shape in _SHAPES:
        is_likely = any(word in lower for word in shape.words.split("|"))
        if is_likely and re.search(shape.pattern, text):
            points[shape.type] = points.get(shape.type, 0.0) + shape.weight
    return points
