"""Relevance of a memory for the work at hand: a sum of plain reasons, each of which is named.

No I/O: whoever looks for context gathers the cases, this says what they are worth.
"""

from typing import Literal, NamedTuple

from treering.model.taxonomy import RECORD_TYPES

RelevanceGroup = Literal["high", "medium", "low"]

#: What was decided and agreed on matters longer than what was going on.
TYPE_WEIGHTS = {
    "decision": 0.3, "convention": 0.25, "security": 0.25, "pattern": 0.2, "component": 0.2,
    "insight": 0.2, "issue": 0.2, "concept": 0.15, "debt": 0.15, "api": 0.15, "config": 0.15,
    "testing": 0.1, "context": 0.1, "progress": 0.1,
}  # fmt: skip
_ANY_TYPE = 0.05

EXPLAINS = 1.5
EXACT_FILE = 1.0
RECORD_FILE = 0.3  # every commit names its files
FOLDER = 0.6
RECENT_FILE = 0.4
TASK = 0.9
CONFIDENT = 0.2
RECENT = 0.3
WELL_LINKED = 0.15
OWN_BRANCH = 0.2
LINKED = 0.2
FAILED = 1.0

STATUS_FACTORS = {"superseded": 0.3, "needs-review": 0.8}
STALE_FACTORS = {"changed": 0.85, "moved": 0.95, "gone": 0.6}
#: Beside that, where what it speaks of is no longer in its files; and where something newer says
#: something else.
LOST_FACTOR = 0.7
OUTDATED_FACTOR = 0.6

HIGH, MEDIUM = 1.5, 0.8
_WEEK = 7 * 86_400.0
_MANY_LINKS = 3
_SURE_CONFIDENCE = 0.8
_SAME = 0.5


class RelevanceCase(NamedTuple):
    """Facts about one memory and the work at hand.

    `task` is how well its words fit the task, from 0 to 1; `age` in seconds since it was modified.
    """

    type: str
    status: str = "active"
    confidence: float = 0.8
    age: float = 0.0
    names_file: bool = False
    names_folder: bool = False
    names_recent: bool = False
    task: float = 0.0
    links: int = 0
    is_linked: bool = False
    is_of_branch: bool = False
    has_failed: bool = False
    #: How well it explains the lines that are worked on, from 0 to 1.
    explains: float = 0.0
    stale: str = ""
    has_lost_words: bool = False
    is_outdated: bool = False

    @property
    def fits(self) -> bool:
        """Return whether it is about the very files or the task."""
        is_near = self.names_file or self.names_folder or self.names_recent
        return is_near or self.task > 0 or self.explains > 0


class Relevance(NamedTuple):
    score: float
    why: tuple[str, ...]

    @property
    def group(self) -> RelevanceGroup:
        return "high" if self.score >= HIGH else "medium" if self.score >= MEDIUM else "low"


def relevance(case: RelevanceCase) -> Relevance:
    """The sum of what speaks for a memory, times what speaks against it."""
    is_record = case.type in RECORD_TYPES
    reasons = (
        ("lines", EXPLAINS * case.explains),
        ("file", (RECORD_FILE if is_record else EXACT_FILE) * case.names_file),
        ("folder", FOLDER * (case.names_folder and not case.names_file)),
        ("recent file", RECENT_FILE * case.names_recent),
        ("task", TASK * case.task),
        (case.type, TYPE_WEIGHTS.get(case.type, _ANY_TYPE)),
        ("confident", CONFIDENT * (case.confidence >= _SURE_CONFIDENCE and not is_record)),
        ("recent", RECENT * (case.age < _WEEK)),
        ("well linked", WELL_LINKED * (case.links >= _MANY_LINKS)),
        ("branch", OWN_BRANCH * case.is_of_branch),
        ("linked", LINKED * case.is_linked),
        ("failed", FAILED * (case.has_failed and (case.names_file or case.task >= _SAME))),
    )
    score = sum(worth for _, worth in reasons)
    why = [word for word, worth in reasons if worth]
    if factor := STATUS_FACTORS.get(case.status):
        score, why = score * factor, [*why, case.status]
    if factor := STALE_FACTORS.get(case.stale):
        score, why = score * factor, [*why, f"files {case.stale}"]
    if case.has_lost_words:
        score, why = score * LOST_FACTOR, [*why, "words gone"]
    if case.is_outdated:
        score, why = score * OUTDATED_FACTOR, [*why, "outdated"]
    return Relevance(round(score, 3), tuple(why))
