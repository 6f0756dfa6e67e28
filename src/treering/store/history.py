"""Memory history: commits, the files each changed, and what promotions brought.

A vault asks git (`GitHistory`) unless it is given a reader of rows that were read before
(derived/history.py), which gives the same commits with the same changes.

What a commit changed is asked of trees, not of trailers: a commit of others may say of itself
whatever it likes. A promotion's files are its tree: against its parents it would seem to delete all
that it did not take.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from treering.errors import StoreDamaged, TreeringError
from treering.git import log, refs
from treering.git.objects import CommitInfo
from treering.model.memory import Memory
from treering.model.scope import LANDED
from treering.store import layout, message
from treering.store.ancestry import find_oversized
from treering.store.dates import judge_times
from treering.store.message import CARRYING, KEEP_BACK, PROMOTE, CodePosition

if TYPE_CHECKING:
    from treering.store.vault import Vault

_FILE, _NOTHING = "100644", "0" * 40
#: Commits that are read in the time a process takes to start.
_FEW_COMMITS = 16
#: Memory id -> its blob, and those in the parents.
_Blobs = dict[str, tuple[str, tuple[str, ...]]]


class ChangedMemory(NamedTuple):
    """A memory as a commit left it ("" where it took it away), and the versions it was made from:
    those of the parents, or what the commit says a copy was made from."""

    id: str
    blob: str
    before: tuple[str, ...] = ()


class HistoryCommit(NamedTuple):
    """A memory commit, as it describes itself."""

    oid: str
    parents: tuple[str, ...]
    time: int
    author: str
    op: str = ""
    code: CodePosition = CodePosition("")
    promoted_from: str = ""
    promoted_into: str = ""
    merged_as: str = ""
    merge_kind: str = ""
    #: More memories than a message names.
    is_bulk: bool = False
    #: A shallow clone has none of its parents.
    is_cut: bool = False

    @property
    def is_promotion(self) -> bool:
        """Return whether its tree is what it took from its parents, and nothing else."""
        return self.op == PROMOTE and bool(self.promoted_into)

    @property
    def is_change(self) -> bool:
        """Return whether it changed memories itself, and does not only carry what others did."""
        return len(self.parents) < 2 and self.op not in CARRYING


#: Commits by id, parents before their children.
Commits = dict[str, HistoryCommit]


class GitHistory:
    """Memory history as git tells it, read anew at each question."""

    def read(
        self,
        vault: "Vault",
        tips: Iterable[str],
        *,
        without: Iterable[str] = (),
        ops: Collection[str] = (),
        most: int = 0,
    ) -> Commits:
        """Read the commits of some histories and not of others, of all operations or of some,
        parents before children; with `most` only so many of the newest. From git, by their messages
        alone: trees may be damaged."""
        words, cut = [f"Treering-Op: {op}" for op in ops], vault.repository.shallow_commits()
        log_commits = log.read_log(
            vault.repository.common_dir,
            tips,
            without=without,
            containing=words,
            most=most or None,
            is_oldest_first=True,
        )
        commits = (_describe(commit, message.read(commit.message), cut) for commit in log_commits)
        return {commit.oid: commit for commit in commits if not ops or commit.op in ops}

    def read_changes(
        self, vault: "Vault", commits: Iterable[str], *, memory_id: str = ""
    ) -> Mapping[str, Sequence[ChangedMemory]]:
        """Read the memories that commits changed, by commit; with `memory_id` that one alone, and
        only commits that changed it. What cannot be read is an error."""
        named = read_commits(vault, list(commits), may_lack=False, is_walked=False)
        if not memory_id:
            return {commit.oid: changes for commit, changes in named}
        found = ((c.oid, [one for one in changes if one.id == memory_id]) for c, changes in named)
        return {oid: changes for oid, changes in found if changes}

    def find_oversized(self, vault: "Vault", heads: Collection[str]) -> set[str]:
        """Find the heads that lead to a commit too large to be real; it is not read."""
        return find_oversized(vault.repository, heads, lambda _: False)

    def find_plain(self, blobs: Sequence[str]) -> set[str]:  # noqa: ARG002
        """Return the blobs known, without reading them, to be knowledge in force that did not fail:
        none."""
        return set()


def list_open(commits: Mapping[str, HistoryCommit], tip: str) -> list[HistoryCommit]:
    """List what a tip reaches without going through a promotion, parents before children: what lies
    behind one is another scope's."""
    reached: dict[str, HistoryCommit] = {}
    is_line, waiting = True, [tip]
    while waiting:
        commit = commits.get(waiting.pop())
        if commit and commit.oid not in reached:
            reached[commit.oid] = commit
            parents = () if commit.is_promotion else commit.parents
            is_line = is_line and len(parents) < 2
            waiting += parents
    if is_line:  # as most are; of thousands of scopes each is asked
        return list(reached.values())[::-1]
    return [commit for oid, commit in commits.items() if oid in reached]


def read_readable(
    vault: "Vault", tips: Iterable[str], *, ops: Collection[str] = (), most: int = 0
) -> Commits:
    """Read what can be read of some histories: a damaged one tells nothing, and hides no other."""
    some, commits = list(tips), Commits()
    try:
        return vault.history.read(vault, some, ops=ops, most=most)
    except TreeringError:
        for tip in some:
            with suppress(TreeringError):
                commits |= vault.history.read(vault, [tip], ops=ops, most=most)
        return commits


# --- from git -------------------------------------------------------------------------------------


def read_commits(
    vault: "Vault",
    tips: Sequence[str],
    without: Collection[str] = (),
    *,
    most: int = 0,
    may_lack: bool = True,
    is_walked: bool = True,
) -> Iterator[tuple[HistoryCommit, list[ChangedMemory]]]:
    """Read commits with what they changed from git, parents first. Of a merge only the files count
    that none of its parents has. The options are those of `log.read_changes`."""
    cut = vault.repository.shallow_commits()
    for commit, files in log.read_changes(
        vault.repository.common_dir,
        tips,
        without=without,
        most=most,
        may_lack=may_lack,
        is_walked=is_walked,
    ):
        pairs: _Blobs = {}
        for file in files:
            *old, new = (
                blob if mode == _FILE and blob != _NOTHING else ""
                for mode, blob in zip(file.modes, file.blobs, strict=True)
            )
            if (memory_id := layout.id_of_path(file.path)) and (new or any(old)):
                pairs[memory_id] = (new, tuple(dict.fromkeys(filter(None, old))))
        said = message.read(commit.message)
        yield _describe(commit, said, cut), _list_changes(vault, commit, said, pairs)


def read_few_commits(
    vault: "Vault", tips: Sequence[str], is_known: Callable[[str], bool]
) -> list[tuple[HistoryCommit, list[ChangedMemory]]] | None:
    """The same without a process, where little is new and nothing was merged: after each capture.
    None where it has to be asked of git."""
    objects, news = vault.repository.objects, dict[str, tuple[HistoryCommit, list[ChangedMemory]]]()
    cut = vault.repository.shallow_commits()
    try:
        for tip in tips:
            line, at = list[CommitInfo](), tip
            while at and at not in news and not is_known(at):
                commit = objects.commit(at)
                if len(commit.parents) > 1 or len(news) + len(line) >= _FEW_COMMITS:
                    return None
                line.append(commit)
                at = commit.parents[0] if commit.parents else ""
            for commit in reversed(line):
                before = vault.tree_of(commit.parents[0]) if commit.parents else None
                pairs: _Blobs = {
                    memory_id: (new or "", (old,) if old else ())
                    for memory_id, (old, new) in vault.trees.differing(before, commit.tree).items()
                }
                said = message.read(commit.message)
                changes = _list_changes(vault, commit, said, pairs)
                news[commit.oid] = (_describe(commit, said, cut), changes)
    except StoreDamaged:
        return None
    return list(news.values())


def _describe(
    commit: CommitInfo | log.LogCommit, said: message.Message, cut: Collection[str]
) -> HistoryCommit:
    return HistoryCommit(
        commit.oid, commit.parents, commit.time, commit.author, said.op, said.code,
        said.promoted_from, said.promoted_into, said.merged_as, said.merge_kind, bool(said.bulk),
        is_cut=commit.oid in cut,
    )  # fmt: skip


def _list_changes(
    vault: "Vault", commit: CommitInfo | log.LogCommit, said: message.Message, pairs: _Blobs
) -> list[ChangedMemory]:
    if said.is_promotion:
        try:
            tree = vault.diff(None, commit.oid)
        except StoreDamaged:
            tree = {}
        pairs = {key: pairs.get(key, (b, (b,))) for key, (_, b) in tree.items() if b}
    changes = [ChangedMemory(key, blob, before) for key, (blob, before) in sorted(pairs.items())]
    sources = said.bases if len(commit.parents) < 2 else {}
    return [
        c._replace(before=(sources[c.id],)) if not c.before and c.id in sources else c
        for c in changes
    ]


# --- promotions -----------------------------------------------------------------------------------


class PromotionRecord(NamedTuple):
    """A promotion in a scope's history, or what took one back; what it took is in its tree."""

    commit: str
    said: message.Message
    #: Heads of the scope it took from.
    sources: tuple[str, ...] = ()
    #: All that a branch had said which was never shared, as far as it is kept here.
    kept_source: str = ""
    time: int = 0


#: What was kept back: the memory and its blob, and when that was last said.
KeptBack = dict[tuple[str, str], int]


def promotions(vault: "Vault", tip: str) -> list[PromotionRecord]:
    """The promotions in a scope's history, newest first."""
    return [record for record in read_promotions(vault, tip) if record.said.op == PROMOTE]


def kept_back(vault: "Vault", tip: str) -> KeptBack:
    """The versions that promotions brought into a scope and somebody took back, unless somebody
    asked for them again."""
    return choose_kept_back(vault, read_promotions(vault, tip), is_whole=True)


def choose_kept_back(
    vault: "Vault", records: Iterable[PromotionRecord], *, is_whole: bool = False
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
            file = (key, blob)
            below = records if is_whole else promotions(vault, record.commit)
            if record.time > again.get(file, 0) and _is_brought(vault, below, *file):
                found[file] = max(record.time, found.get(file, 0))
    return found


def _is_brought(vault: "Vault", records: list[PromotionRecord], key: str, blob: str) -> bool:
    """Return whether a promotion brought a version: nothing else can be taken back by a word."""
    return any(
        record.said.op == PROMOTE and vault.blob_at(record.commit, key) == blob
        for record in records
    )


def list_ours(vault: "Vault", commit: str) -> list[tuple[str, str]]:
    """All memories in the tree of a commit: id and blob."""
    return [(memory_id, blob) for memory_id, (_, blob) in vault.diff(None, commit).items() if blob]


def read_promotions(
    vault: "Vault", *tips: str, without: Iterable[str] = ()
) -> list[PromotionRecord]:
    """The promotions that some histories have and others have not, newest first, and what took some
    of it back."""
    records = []
    found = vault.history.read(vault, tips, without=without, ops=(PROMOTE, KEEP_BACK))
    oldest_first = sorted(found.values(), key=lambda commit: commit.time)
    for commit in reversed(oldest_first):
        text = message.read(vault.repository.objects.commit(commit.oid).message)
        if commit.parents and text.op == KEEP_BACK:
            records.append(PromotionRecord(commit.oid, text, time=commit.time))
        elif commit.parents and text.is_promotion:
            source = "" if text.promoted_from else read_source(vault, commit.oid)
            if source:
                text = text._replace(promoted_from=vault.scope_of(source).branch)
            records.append(PromotionRecord(commit.oid, text, commit.parents, source, commit.time))
    return records


def read_source(vault: "Vault", promotion: str) -> str:
    """Return what a branch had said that was never shared and landed by a promotion, or nothing."""
    try:
        source = refs.read(vault.repository.handle, LANDED + promotion)
        return source if source and vault.repository.objects.exists(source) else ""
    except StoreDamaged:
        return ""


def promotion_of(vault: "Vault", tip: str, memory_id: str) -> message.Message | None:
    """The oldest promotion that brought a memory into a scope and was not taken back, or None."""
    held = kept_back(vault, tip)
    for promotion in reversed(promotions(vault, tip)):
        if not promotion.said.bulk and memory_id not in promotion.said.memories:
            continue
        blob = vault.blob_at(promotion.commit, memory_id)
        if blob and (memory_id, blob) not in held:
            return promotion.said
    return None


# --- at a commit or a moment ----------------------------------------------------------------------


def version(vault: "Vault", commit: str, memory_id: str) -> Memory | None:
    """The memory as it was at a commit, or None when it was not there, or cannot be read."""
    try:
        return vault.try_memory(vault.blob_at(commit, memory_id))
    except TreeringError:
        return None


def is_memory_commit(vault: "Vault", commit: str) -> bool:
    """Return whether a commit is one of ours, and not one of the code's."""
    return bool(message.read(vault.repository.objects.commit(commit).message).op)


def list_heads_at(vault: "Vault", tip: str, seconds: float) -> list[str]:
    """The newest commits of a history that are not younger than a moment.

    First parents tell nothing: which of several heads is the first is a matter of their names.
    """
    commits = list_open(vault.history.read(vault, [tip]), tip)
    times = judge_times(commits, vault.clock())
    past = [commit for commit in commits if times[commit.oid] <= seconds]
    below = {parent for commit in past for parent in commit.parents}
    return [commit.oid for commit in past if commit.oid not in below]
