"""The past of memories: found by the trailers of commits, not by walking every tree."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.errors import StoreDamaged, TreeringError
from treering.git import process
from treering.model.dates import format_moment
from treering.model.memory import Memory
from treering.store import message
from treering.store.vault import Vault

_SUBJECT = r"\S+ (\S+) [0-9a-z]{12}: (.*)"


class MemoryEvent(NamedTuple):
    """One change of one memory (id empty: a bulk change of many)."""

    commit: str
    when: str
    author: str
    op: str
    id: str
    type: str
    title: str
    branch: str
    #: What looks wrong with these words; filled in by whoever shows them.
    flags: tuple[str, ...] | None = None


def events(
    vault: Vault, tips: Sequence[str], *, memory_id: str = "", limit: int | None = None
) -> list[MemoryEvent]:
    """What happened in the histories of `tips`, newest first, to one memory or to all."""
    found: list[MemoryEvent] = []
    for oid, seconds, author, text in _commits(vault, tips, memory_id, limit):
        said = message.read(text)
        if not said.op:
            continue
        for changed in _memories_of(vault, oid, said, memory_id):
            kind, title = _describe(vault, oid, said, changed)
            found.append(
                MemoryEvent(
                    oid,
                    format_moment(seconds),
                    author,
                    said.op,
                    changed,
                    kind,
                    title,
                    said.code.branch,
                )
            )
    return found[:limit]


class DrawnLine(NamedTuple):
    """One line of a drawn history: git's own strokes, and the commit that stands there, if any."""

    strokes: str
    commit: str = ""
    when: str = ""
    author: str = ""
    subject: str = ""
    branch: str = ""
    tip_of: str = ""
    is_first: bool = False


def draw(vault: Vault, tips: Mapping[str, str], *, limit: int) -> list[DrawnLine]:
    """The histories of `tips` (commit -> branch) as git draws them, newest first."""
    if not tips:
        return []
    fields = "%H%x02%P%x02%ct%x02%an%x02%s%x02%(trailers:key=Code-Branch,valueonly,separator=%x2C)"
    text = process.run(
        vault.repository.common_dir,
        *("log", "--graph", "--topo-order", f"--format=%x01{fields}", f"--max-count={limit}"),
        *("--no-show-signature", "--no-color", *tips, "--"),
    )
    return [_draw_line(line, tips) for line in text.decode(errors="replace").splitlines()]


def _draw_line(line: str, tips: Mapping[str, str]) -> DrawnLine:
    strokes, _, rest = line.partition("\x01")
    if not rest:
        return DrawnLine(strokes.rstrip())
    commit, parents, seconds, author, subject, branch = rest.split("\x02", 5)
    return DrawnLine(
        strokes.rstrip(),
        commit,
        format_moment(int(seconds)),
        author,
        subject,
        branch,
        tips.get(commit, ""),
        is_first=not parents,
    )


def _commits(
    vault: Vault, tips: Sequence[str], memory_id: str, limit: int | None
) -> Iterator[tuple[str, int, str, str]]:
    if not tips:
        return
    wanted = ["--fixed-strings", f"--grep=Treering-Memory: {memory_id}", "--grep=Treering-Bulk: "]
    text = process.run(
        vault.repository.common_dir,
        *("log", "-z", "--format=%H%n%ct%n%an <%ae>%n%B", "--no-show-signature", "--no-color"),
        *(wanted if memory_id else ()),
        *([f"--max-count={limit}"] if limit and not memory_id else ()),
        *dict.fromkeys(tips),
        "--",
    )
    for record in text.decode(errors="replace").split("\0"):
        if record:
            oid, seconds, author, body = record.split("\n", 3)
            yield oid, int(seconds), author, body


def _memories_of(vault: Vault, oid: str, said: message.Message, wanted: str) -> list[str]:
    if not wanted:
        return list(said.memories) or [""]
    if wanted in said.memories:
        return [wanted]
    return [wanted] if said.bulk and _was_changed(vault, oid, wanted) else []


def _was_changed(vault: Vault, oid: str, memory_id: str) -> bool:
    """Whether a bulk commit, which names no memories, changed this one."""
    try:
        parents = vault.repository.objects.commit(oid).parents
        before = [vault.blob_at(parent, memory_id) for parent in parents]
        now = vault.blob_at(oid, memory_id)
    except StoreDamaged:
        return False
    return now is not None and now not in before


def _describe(vault: Vault, oid: str, said: message.Message, memory_id: str) -> tuple[str, str]:
    """Type and title of a memory at a commit: from the subject, else from the memory itself."""
    if len(said.memories) == 1 and (match := re.fullmatch(_SUBJECT, said.subject)):
        return match[1], match[2]
    memory = version(vault, oid, memory_id) if memory_id else None
    return (memory.type, memory.title) if memory else ("", said.subject)


def version(vault: Vault, commit: str, memory_id: str) -> Memory | None:
    """The memory as it was at a commit, or None when it was not there, or cannot be read."""
    try:
        blob = vault.blob_at(commit, memory_id)
        return vault.memory(blob) if blob else None
    except TreeringError:
        return None


class PromotionRecord(NamedTuple):
    """A promotion in a scope's history: the commit it says it took over, and what it said.

    What it really took over is in its tree.
    """

    commit: str
    onto: str | None  # the scope before it
    taken: str
    said: message.Message


def promotions(vault: Vault, tip: str) -> list[PromotionRecord]:
    """The promotions in a scope's history, newest first; read once for each tip."""
    known: list[PromotionRecord] | None = vault.promotions.get(tip)
    if known is None:
        text = process.run(
            vault.repository.common_dir,
            *("log", "-z", "--format=%H %P%n%B", "--fixed-strings", "--grep=Treering-Op: promote"),
            *("--no-show-signature", tip, "--"),
        )
        known = []
        for record in text.decode(errors="replace").split("\0"):
            ids, _, body = record.partition("\n")
            commit, *parents = ids.split() or [""]
            said = message.read(body)
            if parents and said.op == "promote":
                onto = parents[0] if len(parents) > 1 else None
                known.append(PromotionRecord(commit, onto, parents[-1], said))
        vault.promotions[tip] = known
    return known


def promotion_of(vault: Vault, tip: str, memory_id: str) -> message.Message | None:
    """The oldest promotion that brought a memory into a scope, or None."""
    for done in reversed(promotions(vault, tip)):
        if memory_id in done.said.memories:
            return done.said
        if done.said.bulk and vault.blob_at(done.taken, memory_id):
            return done.said
    return None


def is_memory_commit(vault: Vault, commit: str) -> bool:
    """Whether a commit is one of ours, and not one of the code's."""
    return bool(message.read(vault.repository.objects.commit(commit).message).op)


def tip_at(vault: Vault, tip: str, seconds: float) -> str | None:
    """The newest first-parent commit that is not younger than a moment."""
    at: str | None = tip
    while at:
        commit = vault.repository.objects.commit(at)
        if commit.time <= seconds:
            return at
        at = commit.parents[0] if commit.parents else None
    return None
