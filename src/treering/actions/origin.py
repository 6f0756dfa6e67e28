"""The origin of a memory: you, a teammate, or someone this repository does not know.

By the commits that made its words, not by the name it gives. A label for readers, not a proof:
whoever may push may put any name into a commit, too. So a commit in your name is yours where this
clone made it; one that was brought here is a teammate's, unless you said that it may count
(`treering.trustaddress`). A teammate is someone whose commits are in the code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from treering.actions.workspace import MemoryWorkspace, Workspace
from treering.derived.database import Database
from treering.errors import TreeringError
from treering.git.repository import Repository
from treering.model.memory import Memory, trim
from treering.model.provenance import JOINER, SOMEONE, Contributor, address_of
from treering.store.view import Copy
from treering.text.flags import UNSCANNED, DetectorRules, flags_in
from treering.text.hygiene import clean_line
from treering.text.steering import suspicion

if TYPE_CHECKING:
    from treering.graph.network import Node


#: Yours, of someone whose commits are in the code, or of nobody known here.
Origin = Literal["you", "teammate", "unverified"]
YOU: Origin = "you"
TEAMMATE: Origin = "teammate"
UNVERIFIED: Origin = "unverified"
#: The newest commits are asked for their authors; the people of older ones have left.
_COMMITS = 5_000
_AUTHORS = "authors"
_LONGEST_NAME = 120
_STRENGTH: dict[Origin, int] = {UNVERIFIED: 0, TEAMMATE: 1, YOU: 2}


class Attribution(NamedTuple):
    """The origin of a memory: the weakest of all who had a hand in it, those of them whom its
    `author` does not name, and dates that are credible."""

    origin: Origin
    edited_by: tuple[str, ...]
    created: str
    modified: str


def attribute(workspace: MemoryWorkspace, blob: str, memory: Memory) -> Attribution:
    """Return whose word a version of a memory is, and since when: a look-up, once it is known."""
    version = workspace.ledger.version(blob)
    people = version.people if version else (SOMEONE,)
    origins = [_origin_of(workspace, person) for person in people]
    # A name inside a memory makes its word no stronger, and may make it weaker.
    author_origin = _origin_of(workspace, Contributor(memory.author, is_here=True))
    dates = workspace.ledger.date(memory, version)
    return Attribution(
        min([author_origin, *origins], key=_STRENGTH.__getitem__),
        _editors(
            people,
            address_of(memory.author),
            is_scribe=origins[0] == YOU or _is_captured(workspace, memory),
        ),
        dates.created,
        dates.modified,
    )


def is_own(workspace: MemoryWorkspace, blob: str, memory: Memory) -> bool:
    """Return whether this clone alone wrote a version, in the words of its own person."""
    version = workspace.ledger.version(blob)
    if version is None or not all(person.is_here for person in version.people):
        return False
    return _origin_of(workspace, Contributor(memory.author, is_here=True)) == YOU


def name_writer(workspace: Workspace, people: Sequence[Contributor]) -> str:
    """Name whose word a version is, to give each writer a share: you, a teammate's address, or one
    name for all who are not known, since they may call themselves anything."""
    origins = {person: _origin_of(workspace, person) for person in people or (SOMEONE,)}
    weakest = min(origins, key=lambda person: _STRENGTH[origins[person]])
    return address_of(weakest.name) if origins[weakest] == TEAMMATE else origins[weakest]


def _is_captured(workspace: MemoryWorkspace, memory: Memory) -> bool:
    """Return whether a record was taken from code history, whoever's clone did so. A commit's
    record is compared with the commit; a session is the sum of several."""
    if not isinstance(workspace, Workspace):
        return False
    if memory.source != "hook" or memory.type != "commit":
        return memory.source == "hook" and memory.type == "session"
    from treering.text.masking import mask  # only records need it

    try:
        commit = workspace.repository.objects.commit(memory.commit)
    except TreeringError:
        return False
    is_same_author = address_of(commit.author) == address_of(memory.author)
    text = trim(mask(commit.message))
    return is_same_author and (not text or text.startswith(memory.content))


def _editors(people: Sequence[Contributor], author: str, *, is_scribe: bool) -> tuple[str, ...]:
    """Whoever writes down what another said, as hooks do with commits, has not changed it."""
    hands = people[1:] if is_scribe else people
    return name_people(person for person in hands if address_of(person.name) != author)


def name_people(people: Iterable[Contributor]) -> tuple[str, ...]:
    """Names as they may be put before an agent: one that reads like an order is not repeated."""
    names = (clean_line(person.name) for person in people if person not in (SOMEONE, JOINER))
    return tuple(dict.fromkeys("someone" if _is_odd(name) else name for name in names))


def name_person(name: str) -> str:
    """One of them, without an address."""
    return next(iter(name_people([Contributor(name)])), "someone").partition(" <")[0]


def is_weaker(one: Origin, other: Origin) -> bool:
    return _STRENGTH[one] < _STRENGTH[other]


def _is_odd(name: str) -> bool:
    return len(name) > _LONGEST_NAME or bool(suspicion(name))


def origin_of(workspace: Workspace, people: Sequence[Contributor]) -> Origin:
    """`you`, `teammate` or `unverified`: the weakest of some people."""
    return min((_origin_of(workspace, p) for p in people), key=_STRENGTH.__getitem__)


def _origin_of(workspace: MemoryWorkspace, person: Contributor) -> Origin:
    if not isinstance(workspace, Workspace):
        return UNVERIFIED  # the code that would tell who works there is not here
    address, mine = address_of(person.name), workspace.person.email.lower()
    if person == JOINER:
        return YOU if _counts_as_yours(workspace) else TEAMMATE
    if not address:
        return UNVERIFIED
    if address == mine:
        return YOU if person.is_here or _counts_as_yours(workspace) else TEAMMATE
    return TEAMMATE if workspace.authors.has(address) else UNVERIFIED


def _counts_as_yours(workspace: Workspace) -> bool:
    """Return whether a commit in your name that was brought here is yours, from another machine."""
    setting = workspace.repository.config("treering.trustaddress") or "false"
    return setting.lower() in ("true", "yes", "on", "1")


class Authors:
    """The authors of a repository's code: kept in memory, and on disk for the next process."""

    def __init__(self, repository: Repository, database: Database) -> None:
        self._repository = repository
        self._database = database
        self._tips = ""
        self._addresses: frozenset[str] = frozenset()
        match database.read_value(_AUTHORS):
            case {"tips": str(tips), "addresses": list(addresses)}:
                self._tips, self._addresses = tips, frozenset(map(str, addresses))

    def has(self, address: str) -> bool:
        """Known once, known for good; someone unknown is looked for again when the code moved."""
        if address in self._addresses:
            return True
        return address in self.all()

    def all(self) -> frozenset[str]:
        """Everyone known, as of where the code is now."""
        if self._tips != (tips := self._tips_now()):
            self._look(tips)
        return self._addresses

    def _tips_now(self) -> str:
        """A value that changes with the code: HEAD and what remotes' main branches are at."""
        repository = self._repository
        heads = [repository.head().commit]
        for remote in repository.remotes():
            if branch := repository.remote_head(remote):
                heads.append(repository.remote_tip_of(remote, branch))
        return " ".join(head or "" for head in heads)

    def _look(self, tips: str) -> None:
        from treering.git import log

        addresses = log.list_addresses(
            self._repository.common_dir, ["HEAD"], without=self._tips.split(), most=_COMMITS
        )
        self._addresses |= {address.lower() for address in addresses}
        self._tips = tips
        kept = {"tips": tips, "addresses": sorted(self._addresses)}
        self._database.write_value(_AUTHORS, kept)


class Flags:
    """The flags of one answer's memories; made anew for each answer, which gives it its budget."""

    def __init__(self, workspace: MemoryWorkspace) -> None:
        self._workspace = workspace
        self._inspect = DetectorRules().inspect_briefly()
        self._branches: dict[str, tuple[str, ...]] = {}

    def of(self, place: Copy) -> tuple[str, ...]:
        """Return what looks wrong with a copy of a memory, or with the name of the branch it is
        on."""
        return _join(self.of_text(place), self._of_branch(place.layer.branch))

    def of_text(self, place: Copy) -> tuple[str, ...]:
        """Return what looks wrong with the memory itself."""
        entry = self._workspace.rows.entry(place.blob)
        flags = entry.flags if entry else None
        if flags is None:
            flags = self._workspace.inspected.get(place.blob)
        if flags is None:
            flags = self._inspect(place.memory())
            if flags is None:
                return (UNSCANNED,)
            self._workspace.inspected[place.blob] = flags
        return flags

    def withholds(self, place: Copy) -> bool:
        """Return whether a memory is not injected: it is flagged, and not of this clone's own
        writing. The name of a branch is never somebody's own word."""
        if self._of_branch(place.layer.branch):
            return True
        if not self.of_text(place):
            return False
        memory = place.try_memory()
        return memory is None or not is_own(self._workspace, place.blob, memory)

    def _of_branch(self, name: str) -> tuple[str, ...]:
        if name not in self._branches:
            self._branches[name] = flags_in(name)
        return self._branches[name]


def flags_of_node(node: Node | None) -> tuple[str, ...] | None:
    """Return what the index knows to be wrong, None for nothing: for answers made of entries
    alone."""
    if node is None:
        return None
    return (UNSCANNED,) if node.flags is None else node.flags or None


def _join(*flags: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flag for some in flags for flag in some))
