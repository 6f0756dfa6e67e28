"""A finding: something wrong or worth knowing, and what to do about it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

#: Whether something has to be done now, should be done, or is only worth knowing.
Severity = Literal["error", "warning", "info"]
#: What was found; docs and scripts go by these words.
FindingCode = Literal[
    "bad-document", "broken-blob", "broken-history", "broken-private", "broken-ref", "broken-tree",
    "database-damaged", "database-unused", "fetch-refspec", "foreign-entry", "foreign-private",
    "foreign-ref",
    "format-too-new", "gone-remote", "hooks-lost", "index-damaged", "journal-pending", "kept",
    "loose-objects", "many-scopes",
    "memories-vanished", "no-flock", "no-fsync", "not-writable", "open-to-all", "read-only",
    "shallow", "slow-yaml", "stale-lock", "temporary-files", "temporary-objects", "undo",
    "unsteady-disk", "vanished", "worker-gone", "wrong-id",
]  # fmt: skip

MAX_OF_A_KIND = 50


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or worth knowing; `fixed` says that doctor has already seen to it."""

    code: FindingCode
    severity: Severity
    message: str
    fix: str
    fixed: bool = False

    @property
    def is_left_to_do(self) -> bool:
        return not self.fixed and self.severity != "info"


def readable(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The first of each kind whole, the rest counted: a fetched tree may hold a million files."""
    last: dict[FindingCode, Finding] = {}
    count: Counter[FindingCode] = Counter()
    for finding in findings:
        count[finding.code] += 1
        last[finding.code] = finding
        if count[finding.code] <= MAX_OF_A_KIND:
            yield finding
    for code, number in count.items():
        if more := max(0, number - MAX_OF_A_KIND):
            yield replace(last[code], message=f"{more} more with the code {code}.")
