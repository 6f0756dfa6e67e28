"""Fingerprints that travel: what a branch changed, for a clone that never had its code.

They go as text with what is pushed, and let any clone ask whether equal changes are in its own
trunk. What they say follows from the files alone, not from how some git prints a diff; the patch
with its context is there for changes whose lines say too little, and is git's.

    treering-fingerprints 1
    base <the commit of the target that the branch was built on>
    whole <change>
    own <change>          for each commit, newest first; none when there are too many
    own-are-missing <how many>

A change is the key of its first path, its shape, its lines ("-" where they say too little) and its
patch.
"""

import hashlib
import re

from treering.branches.landing.patches import Patches, Shape
from treering.branches.landing.steps import key_of
from treering.git.diff import CommitRange
from treering.model.value import NamedTuple

_HEAD = "treering-fingerprints 1"
#: With so many commits a text has about 11 KB.
MOST_COMMITS = 100
_CHANGE = r"(-?\d{1,20}) ([0-9a-f]{32}) ([0-9a-f]{32}|-) ([0-9a-f]{32})"
_BASE = r"base ([0-9a-f]{40})"


class ChangePrint(NamedTuple):
    """One change as hashes."""

    path: int  # the key of its first path, by which candidates are found
    shape: str
    lines: str  # "" where they say too little
    patch: str

    def __str__(self) -> str:
        return f"{self.path} {self.shape} {self.lines or '-'} {self.patch}"


class Fingerprints(NamedTuple):
    """What is known of a branch whose code is elsewhere."""

    base: str
    whole: ChangePrint
    own: tuple[ChangePrint, ...]  # of its commits, without empty ones and merges
    left_out: int = 0  # commits that are not among them

    def __str__(self) -> str:
        lines = [_HEAD, f"base {self.base}", f"whole {self.whole}"]
        lines += [f"own {change}" for change in self.own]
        lines += [f"own-are-missing {self.left_out}"] if self.left_out else []
        return "\n".join(lines) + "\n"


def parse(text: str) -> Fingerprints | None:
    """Fingerprints from their text; None for what is not such a text, or of a later version."""
    if len(text) > 200 * (MOST_COMMITS + 4):
        return None
    lines = text.splitlines()
    if len(lines) < 3 or lines[0] != _HEAD:
        return None
    base = re.fullmatch(_BASE, lines[1])
    whole = _parse_change("whole", lines[2])
    own = [_parse_change("own", line) for line in lines[3:]]
    left_out = re.fullmatch(r"own-are-missing (\d{1,6})", lines[-1])
    if left_out:
        own.pop()
    if base is None or whole is None or None in own or len(own) > MOST_COMMITS:
        return None
    kept = tuple(change for change in own if change)
    return Fingerprints(base[1], whole, kept, int(left_out[1]) if left_out else 0)


def _parse_change(word: str, line: str) -> ChangePrint | None:
    found = re.fullmatch(f"{word} {_CHANGE}", line)
    if found is None:
        return None
    return ChangePrint(int(found[1]), found[2], found[3].strip("-"), found[4])


def print_changes(
    changes: Patches, steps: list[CommitRange], until: float
) -> dict[CommitRange, ChangePrint]:
    """The fingerprint of each of some steps that were read and change something."""
    patches = changes.fingerprints(steps, until)
    return {
        step: ChangePrint(
            key_of(changes.files(step)[0].path),
            hash_shape(changes.shape(step)),
            (changes.lines_hash(step) or b"").hex()[:32],
            patches[step].hex()[:32],
        )
        for step in steps
    }


def hash_shape(shape: Shape) -> str:
    text = b"\0".join(part for file in shape for part in file)
    return hashlib.sha256(text).hexdigest()[:32]
