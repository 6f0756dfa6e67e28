"""What the shape of a text tells about its type: headings, traces, signatures, first words.

Each shape has words of which one must be there before its pattern is tried: compiling a pattern
costs more than looking for a word, and most texts have few of them. Every pattern is bounded.
"""

import re
from typing import NamedTuple

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
    """`weight` is in signals; `words` are lower-case, one of them must be in the text."""

    type: str
    weight: float
    words: str
    pattern: str


SHAPES: tuple[TextShape, ...] = tuple(
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
        ("session", 1.5, "session", r"(?i)\A[^.\n]{0,40}\bsession\b"),
        ("session", 0.7, "commits|files|:",
         r"\b\d{1,3} (?:commits|files)\b|\b\d{1,2}:\d\d ?[-–] ?\d{1,2}:\d\d\b"),
    )
)  # fmt: skip


def shapes(content: str) -> dict[str, float]:
    """How much the shape of a text speaks for each type; code samples are not looked into."""
    text = re.sub(_CODE, " ", content) if "```" in content else content
    lower = text.lower()
    found: dict[str, float] = {}
    for shape in SHAPES:
        likely = any(word in lower for word in shape.words.split("|"))
        if likely and re.search(shape.pattern, text):
            found[shape.type] = found.get(shape.type, 0.0) + shape.weight
    return found
