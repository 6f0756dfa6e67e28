"""Two histories of one scope made into one.

A file changed in only one of them is taken from there. One changed in both is made anew from every
change it ever had, in both (see replay.py). So the outcome depends on what was changed, and not on
who met whom first.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from treering.errors import TreeringError
from treering.model import document, prompt
from treering.model.memory import Memory
from treering.model.prompt import Prompt
from treering.store import layout
from treering.store.changes import Commit, History, changed_apart, differing, tree_of
from treering.store.merge import merged
from treering.store.replay import Step, replayed
from treering.store.saved import SavedStep, replayed_prompt
from treering.store.vault import Vault


class Outcome(NamedTuple):
    """What a file becomes: new bytes, a blob there is, or nothing; and what to tell about it."""

    data: bytes | str | None
    notes: tuple[str, ...] = ()
    is_guess: bool = False  # history was missing, so only the two ends were compared


class Joined(NamedTuple):
    """What putting two tips together changes against the smaller of them."""

    files: dict[str, bytes | str | None]
    ids: tuple[str, ...]  # memories that were changed on both sides
    notes: tuple[str, ...]
    guesses: int


def joined(vault: Vault, one: str, other: str) -> Joined:
    """Work a merge out, without writing anything."""
    first, second = sorted((one, other))
    pairs = differing(vault, tree_of(vault, first), tree_of(vault, second))
    files: dict[str, bytes | str | None] = {}
    outcomes: dict[str, Outcome] = {}
    if pairs:
        here, there = changed_apart(vault, first, second)
        meeting = Meeting(vault, (first, second))
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
    return Joined(
        files,
        tuple(memory_id for path in outcomes if (memory_id := layout.id_of_path(path))),
        tuple(note for outcome in outcomes.values() for note in outcome.notes),
        sum(outcome.is_guess for outcome in outcomes.values()),
    )


class Meeting:
    """Two tips whose files are put together; their history is read when it is first needed."""

    def __init__(self, vault: Vault, tips: Sequence[str]) -> None:
        self._vault = vault
        self._tips = tips

    @cached_property
    def _history(self) -> History:
        return History(self._vault, self._tips)

    def outcome(self, path: str, ours: str | None, theirs: str | None) -> Outcome:
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

    def _memory(self, path: str, commits: Sequence[Commit]) -> Outcome:
        found = replayed(self._steps(path, commits))
        if found.blob or found.memory is None:
            return Outcome(found.blob, found.notes)
        return Outcome(document.dump(found.memory), found.notes)

    def _steps(self, path: str, commits: Sequence[Commit]) -> list[Step]:
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
        return [
            Step(
                commit.oid, commit.time, commit.op, self._parsed(before[commit.oid]),
                self._parsed(blobs[commit.oid]), blobs[commit.oid], knew[commit.oid],
            )
            for commit in commits
        ]  # fmt: skip

    def _parsed(self, blob: str | None) -> Memory | None:
        return self._vault.memory(blob) if blob else None

    def by_ends(self, path: str, ours: str | None, theirs: str | None) -> Outcome:
        """The later one wins, then the larger blob id; one that is no memory never does."""
        if layout.id_of_path(path) is None:
            return self._newer_prompt(ours, theirs)
        readable = {blob: memory for blob in (ours, theirs) if blob and (memory := self._try(blob))}
        if len(readable) < 2:
            blob = next(iter(readable), None) or _larger(ours, theirs)
            return Outcome(blob, is_guess=True)
        (old, older), (new, newer) = sorted(
            readable.items(), key=lambda pair: (pair[1].modified, pair[0])
        )
        together = merged(None, older, newer, our_blob=old, their_blob=new)
        note = f"{newer.id} was merged without its history"
        return Outcome(document.dump(together), (note,), is_guess=True)

    def _try(self, blob: str) -> Memory | None:
        try:
            return self._vault.memory(blob)
        except TreeringError:
            return None

    # --- saved prompts and templates --------------------------------------------------------------

    def _prompt(self, path: str, commits: Sequence[Commit]) -> Outcome:
        knew = self._history.knew(commits)
        steps = []
        for commit in commits:
            blob = self._blob(commit.oid, path)
            earlier = self._blob(commit.parents[0], path) if commit.parents else None
            earlier = earlier or self._history.bases(commit).get(path.removesuffix(".md"))
            if blob:
                before = self._saved(earlier) if earlier else None
                steps.append(
                    SavedStep(commit.oid, commit.time, before, self._saved(blob), knew[commit.oid])
                )
        return Outcome(prompt.dump(replayed_prompt(steps)))

    def _saved(self, blob: str) -> Prompt:
        return prompt.parse(self._vault.repository.objects.blob(blob))

    def _newer_prompt(self, ours: str | None, theirs: str | None) -> Outcome:
        """The later one, but never a deletion; one that cannot be read loses."""
        known: list[tuple[bool, str, str]] = []
        for blob in filter(None, (ours, theirs)):
            with suppress(TreeringError):
                found = self._saved(blob)
                known.append((not found.is_deleted, found.modified, blob))
        return Outcome(max(known)[2] if known else _larger(ours, theirs), is_guess=True)


def _with_sources(
    knew: Mapping[str, frozenset[str]],
    sources: Mapping[str, str],
    blobs: Mapping[str, str | None],
) -> dict[str, frozenset[str]]:
    """A branch's first copy knew the change that made what it was copied from, though the two
    histories do not meet; and so did all that knew the copy."""
    found = dict(knew)
    for copy, source in sorted(sources.items()):
        for commit, blob in sorted(blobs.items()):
            if blob == source and commit != copy and copy not in found[commit]:
                more = found[commit] | {commit}
                for other in found:
                    if other == copy or copy in found[other]:
                        found[other] |= more - {other}
    return found


def _larger(one: str | None, other: str | None) -> str | None:
    return max(filter(None, (one, other)), default=None)
