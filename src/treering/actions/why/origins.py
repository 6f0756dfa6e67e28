"""The origin of a commit: the branch it was made on, and the commit it landed as.

A squash is known by the promotion that names it (`Merged-As`), a merge by the branch's own commits,
a rebase and a cherry-pick by author and date, which both keep; a revert says what it reverts. A
squash that nobody has judged yet is known by its files: all of them are those of a branch.
"""

import re
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from treering.actions.standing import LandedAs
from treering.actions.why.line_ranges import BlameCache
from treering.actions.why.source import read_change
from treering.actions.workspace import Workspace
from treering.branches.long_lived import is_long_lived
from treering.derived.code_records import CodeRecords
from treering.errors import StorageFailed, StoreDamaged, TreeringError
from treering.git import reflog
from treering.git.blame import compare_lines
from treering.git.diff import CommitRange, diff_one
from treering.git.objects import CommitInfo
from treering.model.memory import is_id
from treering.model.tables import read_word_list
from treering.store.history import HistoryCommit
from treering.text.flags import flags_in
from treering.text.hygiene import clean_line
from treering.text.masking import mask
from treering.text.passages import snippet

#: Trailers that say where a change comes from, as people spell them, in small letters.
_TELLING = read_word_list("words", "trailers")
_TRAILER = r"([A-Za-z][A-Za-z-]{1,40}):?[ \t]+(\S.{0,300})"
#: "Fixes #12" as a line of its own, without a colon.
_REFERENCE = (
    r"(?i)(fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see)\s+"
    r"((?:[\w.-]+/[\w.-]+)?[#!]\d+\b.{0,80}|https?://\S+)"
)
_REQUESTS = (
    r"\(#(\d{1,9})\)\s*$",
    r"^Merge pull request #(\d{1,9})\b",
    r"^Merged in \S+ \(pull request #(\d{1,9})\)",
)
_LATER_REQUESTS = (r"(?m)^See merge request \S*!(\d{1,9})\s*$", r"(?m)^PR-URL: \S+/(\d{1,9})\s*$")
_MERGED_BRANCHES = (
    r"^Merge pull request #\d+ from [^/\s]+/(\S+)",
    r"^Merge (?:remote-tracking )?branch '([^']+)'",
    r"^Merged in (\S+) \(pull request",
)
_COMMITS = (
    r"\(cherry picked from commit ([0-9a-f]{7,40})\)",
    r"(?i)\bthis reverts commit ([0-9a-f]{7,40})",
    r"(?i)\bthis reapplies commit ([0-9a-f]{7,40})",
    r"(?i)^(?:fixes|refs?):\s+([0-9a-f]{10,40})\b",
)
_MEMORY = (
    r"treering://memory/([0-9a-z]{12})"
    r"|(?im:^(?:memory|treering|decision|refs?|see):\s*([0-9a-z]{12})\s*$)"
)
_MOST = 20
_LOOKED_AT = 64 * 1024  # characters of a message


class CommitWords(NamedTuple):
    """References in a commit message."""

    pull_request: int | None = None
    merged_branch: str = ""
    trailers: dict[str, list[str]] = {}  # noqa: RUF012 - never changed
    #: Ids or prefixes of commits it was picked from, reverts or applies again.
    commits: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()


def read_words(message: str) -> CommitWords:
    """Return what the message of a commit refers to."""
    subject, _, body = message[:_LOOKED_AT].partition("\n")
    return CommitWords(
        _first_number(_REQUESTS, subject) or _first_number(_LATER_REQUESTS, body),
        _first(_MERGED_BRANCHES, subject).removeprefix("origin/"),
        _read_trailers(body),
        _list_commits(body),
        tuple(dict.fromkeys(m for pair in re.findall(_MEMORY, body) if is_id(m := "".join(pair))))[
            :_MOST
        ],
    )


def subject_of(message: str) -> str:
    """The first line of a message, as it may be shown."""
    return clean_line(mask(message[:_LOOKED_AT].strip().partition("\n")[0]))


def body_of(message: str) -> str:
    """Return what a message says below its first line, in short and without trailers. Nothing where
    it looks like an order: an agent may read this."""
    below = message[:_LOOKED_AT].strip().partition("\n")[2]
    text = "\n".join(line for line in below.splitlines() if not _match_trailer(line))
    return "" if flags_in(text) else snippet(mask(text), "")


def _list_commits(body: str) -> tuple[str, ...]:
    oids = [oid for pattern in _COMMITS for oid in re.findall(pattern, body, re.MULTILINE)]
    return tuple(dict.fromkeys(oids))[:_MOST]


def _first(patterns: Sequence[str], text: str) -> str:
    matches = (re.search(pattern, text) for pattern in patterns)
    return next((match[1] for match in matches if match), "")


def _first_number(patterns: Sequence[str], text: str) -> int | None:
    number = _first(patterns, text)
    return int(number) if number else None


def _read_trailers(body: str) -> dict[str, list[str]]:
    """Lines that name issues, people and other records, whichever paragraph they are in."""
    values: dict[str, list[str]] = {}
    for line in body.splitlines():
        match = _match_trailer(line)
        if match and len(values) < _MOST:
            name = match[1].capitalize()
            values.setdefault(name, []).append(clean_line(mask(match[2].strip())))
    return values


def _match_trailer(line: str) -> re.Match[str] | None:
    match = re.fullmatch(_TRAILER, line.strip())
    is_trailer = match and ":" in line and match[1].lower() in _TELLING
    return match if is_trailer else re.fullmatch(_REFERENCE, line.strip())


#: Seconds for an answer to find the merges that brought commits.
SECONDS = 0.8
_MOST_FILES = 200
_MOST_STEPS = 4


class CommitOrigin(NamedTuple):
    """One commit that wrote lines, and what is known of where it comes from."""

    info: CommitInfo
    subject: str
    #: When it was written; its committer's date is in `info`.
    written: int
    words: CommitWords
    landed: LandedAs | None
    #: The merge that brought it, where that is another commit.
    merge: str
    merge_words: CommitWords
    #: The commit itself, and those it was rebased or picked from.
    same: tuple[str, ...]
    #: Where nothing is known of it itself: those its parent was rebased from, said to go on.
    before: tuple[str, ...]
    #: Commits it reverts or applies again, and theirs.
    mentioned: tuple[str, ...]
    #: Names of the branches it was made on or landed from.
    branches: tuple[str, ...]
    promotions: tuple[HistoryCommit, ...]


class Origins:
    """Looks up where commits come from, for one answer."""

    def __init__(self, workspace: Workspace, cache: BlameCache, tip: str) -> None:
        self._workspace = workspace
        self._repository = workspace.repository
        self._cache = cache
        self._tip = tip
        self._until: float | None = None
        self._origins: dict[tuple[str, str], CommitOrigin | None] = {}
        self._on_trunk: dict[str, bool] = {}
        self._passing: dict[str, bool] = {}

    @cached_property
    def records(self) -> CodeRecords:
        return self._workspace.read_code_records()

    def find(self, commit: str, path: str) -> CommitOrigin | None:
        """Return where a commit comes from that wrote lines of a file; None where it cannot be
        read."""
        if (commit, path) not in self._origins:
            try:
                self._origins[commit, path] = self._find(commit, path)
            except StoreDamaged:
                self._origins[commit, path] = None
        return self._origins[commit, path]

    def _find(self, commit: str, path: str) -> CommitOrigin:
        info = self._repository.objects.commit(commit)
        words = read_words(info.message)
        same = (commit, *self._list_twins(info, path), *self._list_amended(commit))
        branches = self._list_branches(same)
        before = () if branches else self._list_twins_of_parent(info)
        branches += self._list_branches(before)
        promotions = self.records.list_landings(same)
        merge = self._find_merge(info) if not promotions else ""
        promotions += self.records.list_landings([merge]) if merge else []
        promotions += self._list_promotions_of(branches, promotions)
        if not promotions and not branches and (name := self._guess_squash(info)):
            branches.append(name)
        merge_words = read_words(self._read_message(merge))
        landing = self._choose_landing(info, branches, promotions, merge, merge_words)
        return CommitOrigin(
            info,
            subject_of(info.message),
            self._repository.objects.authorship(commit)[1],
            words,
            landing,
            merge,
            merge_words,
            same,
            before,
            tuple(self._follow_words(words)),
            tuple(
                dict.fromkeys(
                    [*(p.promoted_from for p in promotions if p.promoted_from), *branches]
                )
            ),
            tuple(promotions),
        )

    # --- the same commit under another name -------------------------------------------------------

    def _list_twins(self, info: CommitInfo, path: str) -> list[str]:
        """Commits of the same author and second that changed the file alike, or that have the same
        subject and changed it: a script makes several in a second, a rebase solves conflicts."""
        twins = self.records.list_twins(info.oid)
        patch = self._read_patch(info.oid, path) if twins else None
        if patch is None:
            return []
        patches = {oid: self._read_patch(oid, path) for oid in twins}
        equal = [oid for oid in twins if patches[oid] == patch]
        subject = subject_of(info.message)
        return equal or [
            oid for oid in twins if patches[oid] and subject_of(self._read_message(oid)) == subject
        ]

    def _list_amended(self, commit: str) -> Iterator[str]:
        """Yield the commits that a commit took the place of when somebody amended it here."""
        for _ in range(_MOST_STEPS):
            if not (commit := self._amended.get(commit, "")):
                return
            yield commit

    @cached_property
    def _amended(self) -> dict[str, str]:
        lines = reflog.of_heads(self._repository)
        return {line.new: line.old for line in lines if line.said.startswith("commit (amend)")}

    def _list_twins_of_parent(self, info: CommitInfo) -> tuple[str, ...]:
        """Return those of which the parent is the rebased one, where the same author went on: of
        the last commit of a rebased branch nothing may be known, if nothing was said after it."""
        if len(info.parents) != 1:
            return ()
        parent = info.parents[0]
        try:
            if self._repository.objects.authorship(parent)[0] != info.author:
                return ()
        except StoreDamaged:
            return ()
        subject = subject_of(self._read_message(parent))
        twins = self.records.list_twins(parent)
        return tuple(oid for oid in twins if subject_of(self._read_message(oid)) == subject)

    def _read_message(self, oid: str) -> str:
        try:
            return self._repository.objects.commit(oid).message if oid else ""
        except StoreDamaged:
            return ""

    def _read_patch(self, oid: str, path: str) -> tuple[bytes, ...] | None:
        """The lines that a commit took out of a file and put in; None where it left it alone."""
        try:
            old, new = read_change(self._repository, oid, path)
        except StoreDamaged:
            return None
        before, after = old.split(b"\n"), new.split(b"\n")
        lines: list[bytes] = []
        for shift in compare_lines(old, new):
            lines += [
                *(before[n - 1] for n in shift.old),
                b"=>",
                *(after[n - 1] for n in shift.new),
            ]
        return tuple(lines) or None

    def _follow_words(self, words: CommitWords) -> Iterator[str]:
        """The commits a message names, and those that theirs name."""
        trail: set[str] = set()
        news = list(words.commits)
        for _ in range(_MOST_STEPS):
            oids = [oid for name in news if (oid := self._repository.resolve(name))]
            fresh = [oid for oid in dict.fromkeys(oids) if oid not in trail]
            yield from fresh
            trail.update(fresh)
            news = [name for oid in fresh for name in read_words(self._read_message(oid)).commits]

    # --- where it landed --------------------------------------------------------------------------

    def _find_merge(self, info: CommitInfo) -> str:
        if self._until is None:
            self._until = time.monotonic() + SECONDS
        seconds = self._until - time.monotonic()
        tip = self._trunk if self._is_on_trunk(info.oid) else self._tip
        if info.oid == tip or seconds <= 0:
            return ""
        try:
            return self._cache.find_landing(info.oid, tip, seconds)
        except StorageFailed:
            return ""

    def _list_promotions_of(
        self, branches: Sequence[str], found: Sequence[HistoryCommit]
    ) -> list[HistoryCommit]:
        """Promotions of the branch a commit was made on, where none names the commit itself: of a
        rebase only the last commit is named."""
        if found or not branches:
            return []
        recent = [
            self.records.list_of_branch(name)[:_MOST_FILES] for name in dict.fromkeys(branches)
        ]
        ids = self.records.ids_of(record for some in recent for record in some)
        said = self.records.list_of_memories(ids[:_MOST_FILES]).values()
        promotions = {
            record.oid: record
            for some in said
            for record in some
            if record.merged_as and record.promoted_from in branches
        }
        return list(promotions.values())

    def _choose_landing(
        self,
        info: CommitInfo,
        branches: Sequence[str],
        promotions: Sequence[HistoryCommit],
        merge: str,
        merge_words: CommitWords,
    ) -> LandedAs | None:
        named = [p for p in promotions if p.promoted_from]
        exact = [p for p in named if p.merged_as in (info.oid, merge)]
        here = [p for p in named if self._repository.is_ancestor(p.merged_as, self._tip)]
        for promotion in exact or here or named:
            # Else the commit it landed as was amended: this is what it became.
            merged_as = promotion.merged_as if exact or here else info.oid
            return LandedAs(promotion.promoted_from, merged_as, promotion.merge_kind or None)
        if merge and (name := next(iter(branches), merge_words.merged_branch)):
            return LandedAs(name, merge, "merge")
        if branches and self._is_on_trunk(info.oid):
            return LandedAs(branches[0], info.oid)
        return None

    def _list_branches(self, commits: Sequence[str]) -> list[str]:
        """The branches on which commits were made, as far as they are there to land: what a
        long-lived one knows explains no line."""
        own = self.records.branches_of(commits)
        names = [name for oid in commits for name in own.get(oid, ())]
        for name in set(names) - self._passing.keys():
            self._passing[name] = not is_long_lived(self._repository, name)
        return [name for name in names if self._passing[name]]

    @cached_property
    def _trunk(self) -> str:
        return self._workspace.position_on_trunk().head or ""

    def _is_on_trunk(self, commit: str) -> bool:
        if self._tip == self._trunk:
            return True  # it was found there
        if commit not in self._on_trunk:
            is_there = bool(self._trunk) and self._repository.is_ancestor(commit, self._trunk)
            self._on_trunk[commit] = is_there
        return self._on_trunk[commit]

    # --- a squash that nobody has judged yet ------------------------------------------------------

    def _guess_squash(self, info: CommitInfo) -> str:
        """The branch whose files are all those that a commit changed, or ""."""
        branches = self._own_branches
        if not branches or len(info.parents) != 1 or not self._is_on_trunk(info.oid):
            return ""
        try:
            changes = diff_one(self._repository, CommitRange(info.oid, info.parents[0]))
        except TreeringError:
            return ""
        if not changes or len(changes) > _MOST_FILES:
            return ""
        blob_at = self._repository.blob_at
        paths = [change.path.decode(errors="surrogateescape") for change in changes]
        blobs = {path: blob_at(info.oid, path) for path in paths}
        for name, head, base in branches:
            # Blobs first: asking for ancestry walks through history.
            if all(
                blob_at(head, path) == blob and blob_at(base, path) != blob
                for path, blob in blobs.items()
            ) and not self._repository.is_ancestor(head, info.oid):
                return name
        return ""

    @cached_property
    def _own_branches(self) -> list[tuple[str, str, str]]:
        return self.records.list_branches()
