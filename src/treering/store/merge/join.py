"""Two histories of one scope made into one.

A file changed in only one of them is taken from there. One changed in both is made anew from every
change it ever had, in both (see replay.py). So the outcome depends on what was changed, and not on
who met whom first.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from treering.errors import TreeringError
from treering.model import document, prompt
from treering.model.memory import Memory
from treering.model.prompt import Prompt
from treering.store import layout
from treering.store.dates import is_possible, limit_date
from treering.store.merge.ends import merge_ends
from treering.store.merge.prompts import PromptStep, replay_prompt
from treering.store.merge.replay import MemoryStep, replay
from treering.store.tree_diff import History, MemoryCommit, diff_histories, differing, tree_of
from treering.store.vault import Vault


class MergedFile(NamedTuple):
    """What a file becomes: new bytes, a blob there is, or nothing; and what to tell about it."""

    data: bytes | str | None
    notes: tuple[str, ...] = ()


class JoinResult(NamedTuple):
    """What putting two tips together changes against the smaller of them."""

    files: dict[str, bytes | str | None]
    ids: tuple[str, ...]  # memories that were changed on both sides
    notes: tuple[str, ...]


def join(vault: Vault, one: str, other: str) -> JoinResult:
    """Work a merge out, without writing anything."""
    first, second = sorted((one, other))
    pairs = differing(vault, tree_of(vault, first), tree_of(vault, second))
    files: dict[str, bytes | str | None] = {}
    outcomes: dict[str, MergedFile] = {}
    if pairs:
        here, there = diff_histories(vault, first, second)
        meeting = HistoryMerge(vault, (first, second))
        for path, (ours, theirs) in pairs.items():
            if ours is None or theirs is None:
                files |= {path: theirs} if ours is None else {}  # absence is no change
            elif path in here and path in there:
                outcomes[path] = meeting.outcome(path, ours, theirs)
            elif path in there:
                files[path] = theirs
            elif path not in here:  # no commit owns up to the difference
                outcomes[path] = meeting.by_ends(path, ours, theirs)
        files |= {path: o.data for path, o in outcomes.items() if o.data != pairs[path][0]}
    return JoinResult(
        files,
        tuple(memory_id for path in outcomes if (memory_id := layout.id_of_path(path))),
        tuple(note for outcome in outcomes.values() for note in outcome.notes),
    )


class HistoryMerge:
    """Two tips whose files are put together; their history is read when it is first needed."""

    def __init__(self, vault: Vault, tips: Sequence[str]) -> None:
        self._vault = vault
        self._tips = tips

    @cached_property
    def _history(self) -> History:
        return History(self._vault, self._tips)

    def outcome(self, path: str, ours: str | None, theirs: str | None) -> MergedFile:
        """A file that both changed: by its whole history, else by its two ends."""
        is_memory = layout.id_of_path(path) is not None
        try:
            if not self._is_cut(path):
                commits = self._history.changes(path)
                if commits:
                    return self._memory(path, commits) if is_memory else self._prompt(path, commits)
        except TreeringError:
            pass  # something of the past cannot be read
        return self.by_ends(path, ours, theirs)

    def _is_cut(self, path: str) -> bool:
        """Whether a part of the file's history is not here, as in a shallow clone."""
        return any(self._blob(commit, path) for commit in self._history.cut)

    def _blob(self, commit: str, path: str) -> str | None:
        return self._vault.file_at(commit, path)

    # --- memories ---------------------------------------------------------------------------------

    def _memory(self, path: str, commits: Sequence[MemoryCommit]) -> MergedFile:
        result = replay(self._steps(path, commits))
        if result.blob or result.memory is None:
            return MergedFile(result.blob, result.notes)
        return MergedFile(document.dump(result.memory), result.notes)

    def _steps(self, path: str, commits: Sequence[MemoryCommit]) -> list[MemoryStep]:
        memory_id = layout.id_of_path(path) or ""
        knew = self._history.knew(commits)
        blobs = {commit.oid: self._blob(commit.oid, path) for commit in commits}
        sources: dict[str, str] = {}
        before: dict[str, str | None] = {}
        for commit in commits:
            earlier = self._blob(commit.parents[0], path) if commit.parents else None
            source = self._history.bases(commit).get(memory_id)
            if earlier is None and source:
                sources[commit.oid] = earlier = source
            before[commit.oid] = earlier
        knew = _with_sources(knew, sources, blobs)
        versions = self._versions(commits, blobs)
        steps = []
        for commit in commits:
            blob, was = blobs[commit.oid], before[commit.oid]
            after = versions.get(blob or "")
            is_as_written = blob is not None and after == self._vault.memory(blob)
            steps.append(
                MemoryStep(
                    commit.oid, self._history.times[commit.oid], commit.op,
                    versions.get(was or "") or self._parse(was), after,
                    blob if is_as_written else None, knew[commit.oid],
                )
            )  # fmt: skip
        return steps

    def _versions(
        self, commits: Sequence[MemoryCommit], blobs: Mapping[str, str | None]
    ) -> dict[str, Memory]:
        """The memory in each blob, modified no later than when the commit that brought it counts
        as made: else a date of 2099 would be carried on by every merge."""
        versions: dict[str, Memory] = {}
        for commit in commits:
            if (blob := blobs[commit.oid]) and blob not in versions:
                memory = self._vault.memory(blob)
                date = limit_date(memory.modified, self._history.times[commit.oid])
                versions[blob] = replace(memory, modified=date)
        return versions

    def _parse(self, blob: str | None) -> Memory | None:
        return self._vault.memory(blob) if blob else None

    @cached_property
    def _latest(self) -> int:
        """When the later of the two tips counts as made."""
        return max(self._history.times.get(tip, 0) for tip in self._tips)

    def by_ends(self, path: str, ours: str | None, theirs: str | None) -> MergedFile:
        """The later one wins, then the larger blob id; one that is no memory never does, nor one
        whose date cannot be true."""
        if layout.id_of_path(path) is None:
            return self._newer_prompt(ours, theirs)
        readable = {blob: memory for blob in (ours, theirs) if blob and (memory := self._try(blob))}
        if len(readable) < 2:
            return MergedFile(next(iter(readable), None) or _larger(ours, theirs))
        older, newer = (
            replace(memory, modified=limit_date(memory.modified, self._latest))
            for blob, memory in sorted(readable.items(), key=lambda pair: self._rank(*pair))
        )
        note = f"{newer.id} was merged without its history"
        return MergedFile(document.dump(merge_ends(older, newer)), (note,))

    def _rank(self, blob: str, version: Memory | Prompt) -> tuple[str, str]:
        """What a version goes by where only the ends are known."""
        is_true = is_possible(version.modified, self._latest)
        return (version.modified if is_true else "", blob)

    def _try(self, blob: str) -> Memory | None:
        try:
            return self._vault.memory(blob)
        except TreeringError:
            return None

    # --- saved prompts and templates --------------------------------------------------------------

    def _prompt(self, path: str, commits: Sequence[MemoryCommit]) -> MergedFile:
        knew = self._history.knew(commits)
        steps = []
        for commit in commits:
            blob = self._blob(commit.oid, path)
            earlier = self._blob(commit.parents[0], path) if commit.parents else None
            earlier = earlier or self._history.bases(commit).get(path.removesuffix(".md"))
            if blob:
                before = self._parse_prompt(earlier) if earlier else None
                when, after = self._history.times[commit.oid], self._parse_prompt(blob)
                if not is_possible(after.modified, when):
                    after = after._replace(modified=limit_date(after.modified, when))
                steps.append(PromptStep(commit.oid, when, before, after, knew[commit.oid]))
        return MergedFile(prompt.dump(replay_prompt(steps)))

    def _parse_prompt(self, blob: str) -> Prompt:
        return prompt.parse(self._vault.repository.objects.blob(blob))

    def _newer_prompt(self, ours: str | None, theirs: str | None) -> MergedFile:
        """The later one, but never a deletion; one that cannot be read loses."""
        ranks: list[tuple[bool, tuple[str, str]]] = []
        for blob in filter(None, (ours, theirs)):
            with suppress(TreeringError):
                version = self._parse_prompt(blob)
                ranks.append((not version.is_deleted, self._rank(blob, version)))
        return MergedFile(max(ranks)[1][1] if ranks else _larger(ours, theirs))


def _with_sources(
    knew: Mapping[str, frozenset[str]],
    sources: Mapping[str, str],
    blobs: Mapping[str, str | None],
) -> dict[str, frozenset[str]]:
    """A branch's first copy knew the change that made what it was copied from, though the two
    histories do not meet; and so did all that knew the copy."""
    ancestors = dict(knew)
    for copy, source in sorted(sources.items()):
        for commit, blob in sorted(blobs.items()):
            if blob == source and commit != copy and copy not in ancestors[commit]:
                more = ancestors[commit] | {commit}
                for other in ancestors:
                    if other == copy or copy in ancestors[other]:
                        ancestors[other] |= more - {other}
    return ancestors


def _larger(one: str | None, other: str | None) -> str | None:
    return max(filter(None, (one, other)), default=None)
