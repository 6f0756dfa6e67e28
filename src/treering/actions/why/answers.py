"""What `why` answers: stretches of lines, and the memories that explain them, best first."""

from dataclasses import dataclass

from treering.actions.marks import NewerMemory, OutdatedBy, Reverted
from treering.actions.staleness import Stale
from treering.actions.standing import LandedAs, StandingWord
from treering.actions.why.ranking import Via
from treering.model.choices import Outcome, Status


@dataclass(frozen=True, slots=True)
class WhyLines:
    """Lines that one commit wrote. Lines without one are not committed yet.

    `commit` is then empty. A file without lines, binary or empty, is one entry from 0 to 0.
    """

    first: int
    last: int
    commit: str
    when: str
    author: str
    subject: str
    landed: LandedAs | None
    #: Ids, the best explanation first.
    memories: tuple[str, ...]
    #: The ways that led to each of them.
    via: dict[str, tuple[Via, ...]]
    is_uncommitted: bool = False
    #: Whether the history known here begins there: a shallow clone.
    is_boundary: bool = False
    #: The name the file had in that commit, where that was another one.
    path: str | None = None
    pull_request: int | None = None
    trailers: dict[str, list[str]] | None = None
    #: What the commit says below its subject, in short, unless there are very many commits.
    body: str | None = None
    #: The lines themselves, unless they are very many.
    code: tuple[str, ...] | None = None

    def as_json(self) -> dict[str, object]:
        """By the contract's names; `landed` is said in any case."""
        answer: dict[str, object] = {
            "from": self.first, "to": self.last, "commit": self.commit, "when": self.when,
            "author": self.author, "subject": self.subject, "landed": self.landed,
            "memories": self.memories,
        }  # fmt: skip
        if self.is_uncommitted:
            answer["uncommitted"] = True
        if self.is_boundary:
            answer["boundary"] = True
        more = {
            "via": self.via, "path": self.path, "pull_request": self.pull_request,
            "trailers": self.trailers, "body": self.body, "code": self.code,
        }  # fmt: skip
        return answer | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True)
class WhyMemory:
    """A memory that explains some of the lines, and the ways that led to it."""

    id: str
    type: str
    title: str
    via: tuple[Via, ...]
    outcome: Outcome | None
    outdated_by: OutdatedBy | None
    stale: Stale | None
    score: float
    status: Status
    branch: str
    layer: str
    created: str
    author: str
    summary: str
    #: Whether it was learned after the lines were written.
    is_since: bool = False
    flags: tuple[str, ...] | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None
    standing: StandingWord | None = None
    landed: LandedAs | None = None

    def repeats(self, lines: WhyLines) -> bool:
        """Whether it says no more than the commit does that is shown beside it."""
        return self.type == "commit" and self.title == lines.subject

    def as_json(self) -> dict[str, object]:
        answer: dict[str, object] = {
            "id": self.id, "type": self.type, "title": self.title, "via": self.via,
            "outcome": self.outcome, "outdated_by": self.outdated_by, "stale": self.stale,
            "score": self.score, "status": self.status, "branch": self.branch, "layer": self.layer,
            "created": self.created, "author": self.author, "summary": self.summary,
        }  # fmt: skip
        if self.is_since:
            answer["since"] = True
        more = {
            "flags": self.flags, "newer": self.newer, "reverted": self.reverted,
            "standing": self.standing, "landed": self.landed,
        }  # fmt: skip
        return answer | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Lines of a file and why they are there. `at` is the commit that was looked at."""

    path: str
    at: str
    lines: tuple[WhyLines, ...]
    memories: tuple[WhyMemory, ...]
    branch: str
    #: How many memories were found; those beyond the limit are left out.
    total: int
    #: What the answer could not take into account.
    notes: tuple[str, ...] | None = None
    pending: int | None = None
