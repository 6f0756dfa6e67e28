"""What can be said of a branch's way into a target, as values and as sentences for people."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

#: By what a landing is known. `lines` is the only one that is graded. `rewritten` is said of code
#: that was amended or rebased before it landed, `lessons` of failed attempts that are kept.
Evidence = Literal["ancestor", "cherry", "squash", "noop", "lines", "rewritten", "lessons", "none"]


class Target(NamedTuple):
    """Something a branch may have landed in."""

    name: str
    tip: str


class Landing(NamedTuple):
    """What is known of a branch's way into a target."""

    evidence: Evidence
    into: str  # the target's name, "" when it landed in none
    merged_as: str | None  # the target's commit that brought it
    reason: str  # a sentence for people
    is_partial: bool  # some of it is there, but not all, or not all as it was
    bound: str  # "", or the limit that ended the search early
    picked: int = 0  # of a part: how many of its commits are there as equal patches


def tell_landing(evidence: Evidence, target: str, commit: str | None, how: str) -> Landing:
    by = f" by {commit[:12]}" if commit else ""
    reason = f"Landed in {target}{by}: {how}."
    return Landing(evidence, target, commit, reason, is_partial=False, bound="")


def tell_nothing(
    reason: str, *, is_partial: bool = False, bound: str = "", picked: int = 0
) -> Landing:
    return Landing("none", "", None, reason, is_partial=is_partial, bound=bound, picked=picked)


def either(names: Sequence[str]) -> str:
    return " or ".join(dict.fromkeys(names))
