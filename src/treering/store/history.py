"""The past of memories: found by the trailers of commits, not by walking every tree."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.errors import StoreDamaged, TreeringError
from treering.git import log, refs
from treering.model.dates import format_moment
from treering.model.memory import Memory
from treering.model.scope import LANDED
from treering.store import layout, message
from treering.store.dates import judge_times
from treering.store.message import NOTE
from treering.store.tree_diff import CommitTable
from treering.store.vault import JOIN, Vault
from treering.store.view import View

_MOST_TIPS = 1_000
_FEW = 64  # commits, which are looked at in the time a process takes to start
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
    #: How the memory turned out, as it was said then; filled in likewise.
    outcome: str | None = None
    #: What there is to say of the memory's truth by now; filled in likewise.
    outdated_by: object = None
    newer: object = None
    reverted: object = None


def events_in(view: View, memory_id: str) -> list[MemoryEvent]:
    """What happened to one memory in the layers it is seen through, each change once."""
    changes: dict[str, MemoryEvent] = {}
    for vault in dict.fromkeys(layer.vault for layer in view.layers):
        tips = [ly.snapshot.tip for ly in view.layers if ly.vault is vault and ly.snapshot.tip]
        changes |= {event.commit: event for event in events(vault, tips, memory_id=memory_id)}
    return list(changes.values())


def events(
    vault: Vault, tips: Sequence[str], *, memory_id: str = "", limit: int | None = None
) -> list[MemoryEvent]:
    """What happened in the histories of `tips`, newest first, to one memory or to all."""
    # A bulk commit names no memories, and is looked at by its tree.
    words = (f"Treering-Memory: {memory_id}", "Treering-Bulk: ") if memory_id else ()
    # Joins and notes tell nothing of a memory; there is at most one of each beside a change.
    most = 3 * limit if limit and not memory_id else None
    commits = log.read_log(vault.repository.common_dir, tips, containing=words, most=most)
    changes: list[MemoryEvent] = []
    for commit in commits:
        text = message.read(commit.message)
        if text.op in ("", JOIN, NOTE):
            continue
        for changed_id in _memories_of(vault, commit.oid, text, memory_id):
            kind, title = _describe(vault, commit.oid, text, changed_id)
            changes.append(
                MemoryEvent(
                    commit.oid,
                    format_moment(commit.time),
                    commit.author,
                    text.op,
                    changed_id,
                    kind,
                    title,
                    text.code.branch,
                )
            )
    return changes[:limit]


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
    lines = log.draw(vault.repository.common_dir, tips, most=limit, trailer="Code-Branch")
    return [_draw_line(line, tips) for line in lines]


def _draw_line(line: log.GraphLine, tips: Mapping[str, str]) -> DrawnLine:
    if (commit := line.commit) is None:
        return DrawnLine(line.strokes)
    return DrawnLine(
        line.strokes,
        commit.oid,
        format_moment(commit.time),
        commit.author,
        line.subject,
        line.trailer,
        tips.get(commit.oid, ""),
        is_first=not commit.parents,
    )


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
    """A promotion in a scope's history, or what took one back; what it took is in its tree."""

    commit: str
    said: message.Message
    #: Heads of the scope it took from.
    sources: tuple[str, ...] = ()
    #: All that a branch had said which was never shared, as far as it is kept here.
    kept_source: str = ""
    time: int = 0


#: What was kept back: the file and the blob, and when that was last said.
KeptBack = dict[tuple[str, str], int]


def promotions(vault: Vault, tip: str) -> list[PromotionRecord]:
    """The promotions in a scope's history, newest first."""
    return [record for record in _records(vault, tip) if record.said.op == message.PROMOTE]


def kept_back(vault: Vault, tip: str) -> KeptBack:
    """The versions that promotions brought into a scope and somebody took back, unless somebody
    asked for them again."""
    return choose_kept_back(vault, _records(vault, tip), is_whole=True)


def choose_kept_back(
    vault: Vault, records: Iterable[PromotionRecord], *, is_whole: bool = False
) -> KeptBack:
    """The same of some records, whatever their order; `is_whole` says that they are all there are
    below them."""
    records = list(records)
    again: KeptBack = {}
    for record in records:
        if moment := record.said.promoted_again:
            for file in list_ours(vault, record.commit):
                again[file] = max(moment, again.get(file, 0))
    found: KeptBack = {}
    for record in records:
        for line in record.said.kept_back:
            key, _, blob = line.partition(" ")
            file = (layout.saved_path(key) if "/" in key else layout.path_of(key), blob)
            below = records if is_whole else promotions(vault, record.commit)
            if record.time > again.get(file, 0) and _is_brought(vault, below, *file):
                found[file] = max(record.time, found.get(file, 0))
    return found


def _is_brought(vault: Vault, records: list[PromotionRecord], path: str, blob: str) -> bool:
    """Whether a promotion brought a version: nothing else can be taken back by a word."""
    return any(
        record.said.op == message.PROMOTE and vault.file_at(record.commit, path) == blob
        for record in records
    )


def list_ours(vault: Vault, commit: str) -> list[tuple[str, str]]:
    """All files of ours in the tree of a commit: path and blob."""
    pairs = vault.trees.differing(None, vault.repository.objects.commit(commit).tree)
    return [(path, blob) for path, (_, blob) in pairs.items() if blob]


def _records(vault: Vault, tip: str) -> list[PromotionRecord]:
    """Promotions, and what took some of it back; read once for each tip, and after a capture only
    in what is new."""
    records = vault.promotions.get(tip)
    if records is None:
        records = _follow(vault, tip)
        if records is None:
            records = list(read_promotions(vault, [tip]))
        if len(vault.promotions) >= _MOST_TIPS:
            vault.promotions.clear()
        vault.promotions[tip] = records
    return records


def _follow(vault: Vault, tip: str) -> list[PromotionRecord] | None:
    """The promotions of a tip that stands a few commits above a known one, or above nothing; None
    where git has to be asked."""
    news: list[PromotionRecord] = []
    at = tip
    for _ in range(_FEW):
        try:
            commit = vault.repository.objects.commit(at)
        except StoreDamaged:
            return None
        news += _promotion_in(vault, commit.oid, commit.parents, commit.message, commit.time)
        if not commit.parents:
            return news
        if len(commit.parents) > 1:
            return None
        at = commit.parents[0]
        if (olds := vault.promotions.get(at)) is not None:
            return news + olds if news else olds
    return None


def read_promotions(
    vault: Vault, tips: Sequence[str], *, without: Iterable[str] = ()
) -> Iterator[PromotionRecord]:
    """The promotions that some histories have and others have not, newest first, and what took some
    of it back."""
    folder, words = vault.repository.common_dir, ["Treering-Op: promote"]
    commits = log.read_log(folder, tips, without=without, containing=words)
    for commit in commits:
        yield from _promotion_in(vault, commit.oid, commit.parents, commit.message, commit.time)


def _promotion_in(
    vault: Vault, oid: str, parents: tuple[str, ...], words: str, time: int
) -> Iterator[PromotionRecord]:
    """The promotion that a commit is, if it is one."""
    text = message.read(words)
    if parents and text.op == message.KEEP_BACK:
        yield PromotionRecord(oid, text, time=time)
    elif parents and text.is_promotion:
        source = "" if text.promoted_from else read_source(vault, oid)
        if source:
            text = text._replace(promoted_from=vault.scope_of(source).branch)
        yield PromotionRecord(oid, text, parents, source, time)


def read_source(vault: Vault, promotion: str) -> str:
    """Return what a branch had said that was never shared and landed by a promotion, or nothing."""
    try:
        source = refs.read(vault.repository.handle, LANDED + promotion)
        return source if source and vault.repository.objects.exists(source) else ""
    except StoreDamaged:
        return ""


def promotion_of(vault: Vault, tip: str, memory_id: str) -> message.Message | None:
    """The oldest promotion that brought a memory into a scope and was not taken back, or None."""
    held = kept_back(vault, tip)
    for promotion in reversed(promotions(vault, tip)):
        if not promotion.said.bulk and memory_id not in promotion.said.memories:
            continue
        blob = vault.blob_at(promotion.commit, memory_id)
        if blob and (layout.path_of(memory_id), blob) not in held:
            return promotion.said
    return None


def is_memory_commit(vault: Vault, commit: str) -> bool:
    """Whether a commit is one of ours, and not one of the code's."""
    return bool(message.read(vault.repository.objects.commit(commit).message).op)


def list_heads_at(vault: Vault, tip: str, seconds: float) -> list[str]:
    """The newest commits of a history that are not younger than a moment.

    First parents tell nothing: which of several heads is the first is a matter of their names.
    """
    commits = CommitTable(vault, [tip]).list_open(tip)
    times = judge_times(commits, vault.clock())
    past = [commit for commit in commits if times[commit.oid] <= seconds]
    below = {parent for commit in past for parent in commit.parents}
    return [commit.oid for commit in past if commit.oid not in below]
