"""The message of a memory commit: a subject for people, trailers for us."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from treering.model.document import FORMAT
from treering.model.memory import Memory

#: Above this many memories a commit names none of them, and history looks at its tree.
MOST_NAMED = 50
#: What a commit says that took over what another scope learned.
PROMOTE = "promote"
#: What a commit says that takes back what a promotion brought. Whoever looks for promotions finds
#: it by the same word.
KEEP_BACK = "promote-undo"
#: What a commit says that an older treering must not build on.
FORMAT_TRAILER = "Treering-Format: "
#: What a commit says that changes no memory, and tells where the code is now.
NOTE = "note"
#: What a join of heads says; two clones make the very same commit.
JOIN = "join"
#: What a commit says that puts back what others left out.
KEEP = "keep"
#: Operations that carry what others changed, or change nothing.
CARRYING = (JOIN, KEEP, PROMOTE, NOTE)

_TRAILER = re.compile(r"^([A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+|Withdrawn): (.*)$", re.MULTILINE)


class CodePosition(NamedTuple):
    """The code a memory commit was made beside."""

    branch: str
    head: str | None = None
    base: str | None = None  # the merge base with the trunk
    #: Whether the work tree held changes that are not in `head`.
    is_dirty: bool = False

    @property
    def has_own_commits(self) -> bool:
        """Return whether the branch had commits of its own, when this was written."""
        return self.head is not None and self.head != self.base


class Message(NamedTuple):
    """A memory commit's message. `bases` maps an overlay copy's id to the blob it was made from."""

    op: str
    subject: str
    code: CodePosition
    memories: tuple[str, ...] = ()
    bases: Mapping[str, str] = MappingProxyType({})
    #: Commit -> how many files it left out that this one puts back.
    left_out: Mapping[str, int] = MappingProxyType({})
    bulk: int = 0
    format: int = FORMAT
    promoted_from: str = ""
    #: The scope a promotion is for.
    promoted_into: str = ""
    merged_as: str = ""
    merge_kind: str = ""
    #: `<id> <blob>`: what promotions brought and somebody took back; a prompt goes by its key.
    kept_back: tuple[str, ...] = ()
    #: Whatever was kept back until this moment, this promotion brings again: somebody asked for it.
    #: No commit is named: a redaction gives commits other names.
    promoted_again: int = 0
    #: `<scope> <commit>`: what was purged, and is not to be pushed again.
    withdrawn: tuple[str, ...] = ()

    @property
    def is_promotion(self) -> bool:
        """Return whether the commit's tree is what it took from its parents, and nothing else."""
        return self.op == PROMOTE and bool(self.promoted_into)

    def as_text(self) -> str:
        lines = [f"Treering-Op: {self.op}"]
        if len(self.memories) > MOST_NAMED:
            lines.append(f"Treering-Bulk: {len(self.memories)}")
        else:
            lines.extend(f"Treering-Memory: {memory_id}" for memory_id in self.memories)
        lines.extend(f"Treering-Base: {mid} {blob}" for mid, blob in self.bases.items())
        lines.extend(f"Treering-Left-Out: {oid} {count}" for oid, count in self.left_out.items())
        lines.append(f"Code-Branch: {self.code.branch}")
        if self.code.head:
            lines.append(f"Code-Head: {self.code.head}")
        if self.code.base:
            lines.append(f"Code-Base: {self.code.base}")
        if self.code.is_dirty:
            lines.append("Code-Dirty: yes")
        if self.promoted_from:
            lines.append(f"Promoted-From: {self.promoted_from}")
        if self.promoted_into:
            lines.append(f"Promoted-Into: {self.promoted_into}")
        if self.merged_as:
            lines.append(f"Merged-As: {self.merged_as}")
        if self.merge_kind:
            lines.append(f"Merge-Kind: {self.merge_kind}")
        lines.extend(f"Kept-Back: {line}" for line in self.kept_back)
        if self.promoted_again:
            lines.append(f"Promoted-Again: {self.promoted_again}")
        lines.extend(f"Withdrawn: {line}" for line in self.withdrawn)
        return f"{self.subject}\n\n" + "\n".join(lines) + "\n"


def subject(op: str, memories: tuple[Memory, ...]) -> str:
    if len(memories) == 1:
        memory = memories[0]
        return f"{op} {memory.type} {memory.id}: {memory.title}"
    return f"{op} {len(memories)} memories"


@lru_cache(256)  # every call looks at the newest commits, several times
def read(text: str) -> Message:
    """The message a commit carries; one we did not write has no op and no memories."""
    first, _, rest = text.partition("\n")
    paragraph = rest.strip().rpartition("\n\n")[2]
    trailers: dict[str, list[str]] = {}
    for key, value in _TRAILER.findall("\n".join(paragraph.splitlines())):
        trailers.setdefault(key, []).append(value)

    def last(key: str) -> str:
        return trailers.get(key, [""])[-1]

    pairs = (value.partition(" ") for value in trailers.get("Treering-Base", []))
    return Message(
        op=last("Treering-Op"),
        subject=first,
        code=CodePosition(
            last("Code-Branch"),
            last("Code-Head") or None,
            last("Code-Base") or None,
            last("Code-Dirty") == "yes",
        ),
        memories=tuple(trailers.get("Treering-Memory", [])),
        bases={memory_id: blob for memory_id, _, blob in pairs},
        left_out=_read_left_out(trailers.get("Treering-Left-Out", [])),
        bulk=_number(last("Treering-Bulk")),
        format=_number(last("Treering-Format")) or 1,
        promoted_from=last("Promoted-From"),
        promoted_into=last("Promoted-Into"),
        merged_as=last("Merged-As"),
        merge_kind=last("Merge-Kind"),
        kept_back=tuple(trailers.get("Kept-Back", [])),
        promoted_again=_number(last("Promoted-Again"), digits=11),
        withdrawn=tuple(trailers.get("Withdrawn", [])),
    )


def _read_left_out(lines: list[str]) -> dict[str, int]:
    pairs = (line.partition(" ") for line in lines)
    return {oid: _number(count) for oid, _, count in pairs if re.fullmatch("[0-9a-f]{40}", oid)}


def _number(text: str, digits: int = 9) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else 0
