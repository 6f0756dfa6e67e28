"""What `why` answers: stretches of lines, and the memories that explain them, best first."""

from dataclasses import dataclass

from treering.actions.card import Card
from treering.actions.standing import LandedAs
from treering.actions.why.reasons import Via

_ALWAYS_SAID = ("outcome", "outdated_by", "stale")


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

    def is_repeated_by(self, card: Card) -> bool:
        """Return whether a card says no more than the commit that is shown beside it."""
        return card.type == "commit" and card.title == self.subject

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
class WhyAnswer:
    """Lines of a file and why they are there. `at` is the commit that was looked at."""

    path: str
    at: str
    lines: tuple[WhyLines, ...]
    memories: tuple[Card, ...]
    branch: str
    #: How many memories were found; those beyond the limit are left out.
    total: int
    #: What the answer could not take into account.
    notes: tuple[str, ...] | None = None
    pending: int | None = None

    def as_json(self) -> dict[str, object]:
        """By the contract's names; of a memory's truth something is said in any case."""
        fields = {name: getattr(self, name) for name in type(self).__match_args__}
        memories = [
            {name: v for name, v in card._asdict().items() if v is not None or name in _ALWAYS_SAID}
            for card in self.memories
        ]
        said = {name: value for name, value in fields.items() if value is not None}
        return said | {"memories": memories}
