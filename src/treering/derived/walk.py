"""New commits, parents first, made into versions: who wrote the words of each, and when.

A version whose words are not new is its writers' still: links, statuses, promotions and going back
to an earlier text add nobody. One with new words is theirs whose words it was made from, and the
word of whoever committed it. A merge made here adds nobody; one that was brought here is no more
than a teammate's word, as whoever made it chose what to leave out.
"""

from collections.abc import Callable, Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from treering.model.memory import Memory
from treering.model.provenance import (
    JOINER,
    SOMEONE,
    TOLERANCE,
    Contributor,
    Version,
    address_of,
    credible_moment,
    hash_words,
    is_same_content,
    is_woven,
)
from treering.store.history import ChangedMemory
from treering.store.vault import NOBODY

ReadText = Callable[[str, str], Memory | None]
#: Git's dates are whole seconds. A commit of the same second as its parent is so much later.
_TICK = 0.001


class Moment(NamedTuple):
    """When a commit was made; odd where that is not what it says itself."""

    made: float
    is_odd: bool


class Contribution(NamedTuple):
    """One commit, and the files it put into its scope."""

    oid: str
    parents: tuple[str, ...]
    time: int
    author: str
    op: str
    files: tuple[ChangedMemory, ...]


class Walk:
    """The state of a walk, and what the commits handed in add to it."""

    def __init__(
        self,
        versions: Iterable[Version],
        moments: dict[str, float],
        read: ReadText,
        now: float,
    ) -> None:
        self._versions: dict[str, Version] = {}
        self._saying: dict[tuple[str, str], dict[str, None]] = {}  # id and words -> blobs
        self._unread: dict[str, list[str]] = {}  # id -> blobs whose words nobody asked for yet
        self._blobs_of: dict[str, list[str]] = {}
        self._read = read
        self._now = now
        self._known_moments = moments
        self.found: dict[str, Version] = {}
        self.moments: dict[str, Moment] = {}
        #: Commits that were dated ahead when they were first seen here.
        self.ahead: set[str] = set()
        for version in versions:
            self._keep(version)
        self.found.clear()

    def add(
        self, commit: Contribution, *, is_here: bool, is_cut: bool, is_ahead: bool = False
    ) -> None:
        """Add a commit, after its parents; `is_cut` where those are not in this clone, `is_ahead`
        where its date was not credible when it was first seen here."""
        if not is_here and (is_ahead or commit.time > self._now + TOLERANCE):
            self.ahead.add(commit.oid)
        moment = self._moment(commit, is_here=is_here)
        is_nobodys = address_of(commit.author) == NOBODY.email and not is_here
        who = SOMEONE if is_cut or is_nobodys else Contributor(commit.author, is_here)
        for put in commit.files:
            if put.blob in self._versions:
                self._claim(self._versions[put.blob], who, is_first=not put.before)
            elif put.before:
                self._keep(self._change(commit, put, who, moment))
            else:
                self._keep(self._create(put, who, moment))

    def _moment(self, commit: Contribution, *, is_here: bool) -> float:
        """Trust dates of what was made here: the clock was ours."""
        parents = [self._known_moments[oid] for oid in commit.parents if oid in self._known_moments]
        moment = float(commit.time)
        if commit.oid in self.ahead:
            moment = max(parents, default=0.0)
        elif not is_here:
            moment = credible_moment(moment, parents, self._now)
        is_odd = moment != commit.time
        moment = max([moment, *(made + _TICK for made in parents if int(made) == int(moment))])
        self._known_moments[commit.oid] = moment
        self.moments[commit.oid] = Moment(moment, is_odd)
        return moment

    def _keep(self, version: Version) -> None:
        self._versions[version.blob] = self.found[version.blob] = version
        self._blobs_of.setdefault(version.id, []).append(version.blob)
        if version.words:
            self._saying.setdefault((version.id, version.words), {})[version.blob] = None
        else:
            self._unread.setdefault(version.id, []).append(version.blob)

    def _claim(self, version: Version, who: Contributor, *, is_first: bool) -> None:
        """The same said once more, on its own: if it was here, it is the word of who is here."""
        if is_first and who.is_here and not _is_all_here(version):
            self._keep(version._replace(people=(who,)))

    def _create(self, put: ChangedMemory, who: Contributor, moment: float) -> Version:
        new = Version(put.blob, put.id, (who,), moment, moment, moment)
        if put.id not in self._blobs_of:
            return new
        new = new._replace(said=self._when_said(put, self._blobs_of[put.id], moment))
        words = self._hash(put.id, put.blob)
        same = self._find(put.id, words)
        if same and not (who.is_here and not _is_all_here(same)):
            new = new._replace(people=same.people)
        return new._replace(words=words)

    def _change(
        self,
        commit: Contribution,
        put: ChangedMemory,
        who: Contributor,
        moment: float,
    ) -> Version:
        words = self._hash(put.id, put.blob)
        sources = [self._versions.get(blob) for blob in put.before]
        born = min([moment, *(source.born for source in sources if source)])
        same = self._find(put.id, words)
        people = same.people if same else self._writers(commit, put, who)
        said = self._when_said(put, put.before, moment)
        return Version(put.blob, put.id, people, born, moment, said, words)

    def _when_said(self, put: ChangedMemory, before: Sequence[str], moment: float) -> float:
        """Since when it says what it says: as long as that it was made from, if that says so too.
        To go back to an earlier text is to say it anew."""
        text = self._read(put.id, put.blob)
        sources = [version for blob in before if (version := self._versions.get(blob))]
        same = [
            source.said
            for source in sources
            if text and is_same_content(text, self._read(put.id, source.blob))
        ]
        return min([moment, *same])

    def _writers(
        self, commit: Contribution, put: ChangedMemory, who: Contributor
    ) -> tuple[Contributor, ...]:
        versions = [self._versions.get(blob) for blob in put.before]
        people = [
            person for version in versions for person in (version.people if version else [SOMEONE])
        ]
        is_merge = len(commit.parents) > 1
        if is_merge and not who.is_here:
            people.append(JOINER if self._is_woven(put) else who)
        elif not is_merge:
            people.append(who)
        return tuple(dict.fromkeys(people))

    def _is_woven(self, put: ChangedMemory) -> bool:
        text = self._read(put.id, put.blob)
        parents = [parent for blob in put.before if (parent := self._read(put.id, blob))]
        return text is not None and len(parents) == len(put.before) and is_woven(text, parents)

    def _find(self, key: str, words: str) -> Version | None:
        """A version of a memory that has these very words; the one we can vouch for, if any."""
        for blob in self._unread.pop(key, []):
            self._keep(self._versions[blob]._replace(words=self._hash(key, blob)))
        same = [self._versions[blob] for blob in self._saying.get((key, words), {})]
        return min(same, key=lambda version: not _is_all_here(version), default=None)

    def _hash(self, key: str, blob: str) -> str:
        text = self._read(key, blob)
        return hash_words(text) if text else blob


def list_reached(commits: Iterable[Contribution], tips: Iterable[str]) -> set[str]:
    """Return those of some commits that tips lead to."""
    parents = {commit.oid: commit.parents for commit in commits}
    reached, left = set[str](), list(tips)
    while left:
        if (oid := left.pop()) in parents and oid not in reached:
            reached.add(oid)
            left += parents[oid]
    return reached


def order_by_source(commits: list[Contribution]) -> list[Contribution]:
    """Commits after their parents, and after those that made what a branch's copy was made from:
    the histories of two scopes need not meet."""
    by_oid = {commit.oid: commit for commit in commits}
    makers = {put.blob: commit.oid for commit in reversed(commits) for put in commit.files}
    order: TopologicalSorter[str] = TopologicalSorter()
    seen: set[str] = set()
    is_in_order = True
    for commit in commits:
        seen.add(commit.oid)
        sources = {makers.get(blob, "") for put in commit.files for blob in put.before} - {""}
        is_in_order = is_in_order and sources <= seen
        order.add(commit.oid, *(({*commit.parents, *sources} & by_oid.keys()) - {commit.oid}))
    if is_in_order:
        return commits
    try:
        return [by_oid[oid] for oid in order.static_order()]
    except CycleError:
        return commits  # someone made up where a copy is from


def _is_all_here(version: Version) -> bool:
    return all(person.is_here for person in version.people)
