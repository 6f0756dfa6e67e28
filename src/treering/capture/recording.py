"""A recording: commits of one branch becoming memories, over what is there already.

Everything is worked out from the view and the commits, so doing it twice changes nothing: a commit
whose memory is there is passed over, and so is a rewrite that was followed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from treering.capture import commits, sessions
from treering.capture.commits import CodeCommit, is_left_out, read_overruled
from treering.errors import AmbiguousId, MemoryNotFound
from treering.model.memory import Link, Memory
from treering.model.scope import Scope
from treering.store.view import Copy, View
from treering.text.masking import mask_memory

_MOST_PASSED_OVER = 20
_NAMED_COMMIT = rb"(?m)^commit: ([0-9a-f]{40})$"


class Rules(NamedTuple):
    """Settings of how commits are captured; see `treering.capture` and `treering.sessiongap`."""

    capture: str
    gap: float
    #: Whether the branch was left between two commits.
    was_left: Callable[[str, str], bool] = lambda after, before: False  # noqa: ARG005
    #: The session of the agent at work when a commit was made, as it begins.
    agent_session: Callable[[CodeCommit], Memory | None] = lambda commit: None  # noqa: ARG005


class Recording:
    """Changes that commits and rewrites make to the memories of one scope."""

    def __init__(
        self, view: View, scope: Scope, known: Mapping[str, CodeCommit], rules: Rules
    ) -> None:
        self._view = view
        self._scope = scope
        self._known = known
        self._rules = rules
        self._changed: dict[str, Memory] = {}
        self._touched: dict[str, None] = {}

    def add(self, oid: str, instead_of: Sequence[str] = ()) -> None:
        """Capture a commit, once; those it took the place of are superseded."""
        commit = self._known.get(oid)
        if commit is None or is_left_out(commit, self._rules.capture):
            return
        olds = [old for earlier in instead_of if (old := self._memory_of(earlier)) is not None]
        memory = self._memory_of(oid)
        if memory is None:
            memory = self._overrule(commit, self._capture(commit, olds))
        for old in olds:
            memory = self._supersede(old, memory)

    def follow(self, rewritten: Mapping[str, Iterable[str]]) -> None:
        """Let the scope's other memories name the commits that took the place of theirs."""
        now = {old: new for new, olds in rewritten.items() for old in olds}
        for layer in self._view.layers:
            if layer.snapshot.scope == self._scope:
                for memory_id, blob in layer.listing().items():
                    raw = layer.vault.repository.objects.blob(blob)
                    match = re.search(_NAMED_COMMIT, raw)
                    if match and match[1].decode() in now:
                        self._follow(Copy(memory_id, blob, layer), now)

    def _follow(self, place: Copy, now: Mapping[str, str]) -> None:
        memory = self._find(place.id)
        if memory is not None and memory.type != "commit" and memory.commit in now:
            self._changed[place.id] = memory._replace(commit=now[memory.commit])

    def memories(self) -> list[Memory]:
        """Return what is to be written: commits, and their sessions with their text."""
        for session_id in self._touched:
            session = self._changed[session_id]
            memories = [m for m in map(self._memory_of, sessions.commits_of(session)) if m]
            if not sessions.is_worth_reading(session) and self._look_up(session_id) is None:
                self._drop(session, memories)
                continue
            self._changed[session_id] = sessions.describe(session, memories)
            self._changed |= {m.id: sessions.join(m, session) for m in memories}
        candidates = map(mask_memory, self._changed.values())
        return [memory for memory in candidates if memory != self._look_up(memory.id)]

    def _drop(self, session: Memory, memories: Sequence[Memory]) -> None:
        """A session that is not kept. An agent's may be yet, and is known by its name."""
        del self._changed[session.id]
        if not session.agent:
            self._changed |= {m.id: m._replace(session="") for m in memories}

    # --- commits ----------------------------------------------------------------------------------

    def _capture(self, commit: CodeCommit, olds: Sequence[Memory]) -> Memory:
        draft = commits.memory_of(commit)
        session = self._session_for(commit, draft, olds)
        memory = commits.memory_of(commit, session=session.id, agent=session.agent)
        self._changed[memory.id] = memory
        self._touch(sessions.add_commit(session, memory))
        return memory

    def _supersede(self, old: Memory, by: Memory) -> Memory:
        """The new memory, with the old one out of its way."""
        if old.id == by.id or old.status == "superseded":
            return by
        if session := self._find(old.session):
            rest = sessions.without(session, old.commit)
            if sessions.commits_of(rest):
                self._touch(rest)
            else:
                self._put_away(rest, by.session)
        if self._put_away(old, by.id):
            more_links: tuple[Link, ...] = (Link("supersedes", old.id, 1.0, "system"),)
        else:
            more_links = tuple(link for link in old.links if link.relation == "supersedes")
        links = {link.edge: link for link in (*by.links, *more_links)}
        by = by._replace(links=tuple(links.values()))
        self._changed[by.id] = by
        return by

    def _overrule(self, commit: CodeCommit, memory: Memory) -> Memory:
        """The memory of a commit, with what its message says it overrules superseded by it."""
        for name, _ in read_overruled(commit.message):
            try:
                old = self._find(self._view.find(name).id)
            except (MemoryNotFound, AmbiguousId):
                continue
            if old and old.id != memory.id and old.status not in ("superseded", "deleted"):
                self._changed[old.id] = old.supersede(memory.id)
                memory = memory._replace(links=(*memory.links, Link("supersedes", old.id, 1.0)))
        self._changed[memory.id] = memory
        return memory

    def _put_away(self, memory: Memory, by: str) -> bool:
        """Mark a memory as replaced; whether it was stored. One that never was is just left out."""
        self._touched.pop(memory.id, None)
        if self._look_up(memory.id) is None:
            self._changed.pop(memory.id, None)
            return False
        self._changed[memory.id] = memory.supersede(by)
        return True

    # --- sessions ---------------------------------------------------------------------------------

    def _session_for(self, commit: CodeCommit, draft: Memory, olds: Sequence[Memory]) -> Memory:
        """1 that of the commit it took the place of; 2 the agent's that is at work; 3 the one of
        the commit before, while it fits; 4 a new one."""
        for old in olds:
            session = self._find(old.session)
            if session and session.status == "active":
                return session
        if agents := self._rules.agent_session(commit):
            return self._find(agents.id) or agents
        before = self._before(commit)
        branch = self._scope.branch
        session = self._session_of(before) if before else None
        if (
            before is None
            or session is None
            or not sessions.fits(session, draft, branch, self._rules.gap)
            or self._rules.was_left(before.commit, commit.oid)
        ):
            return sessions.begin(draft, branch)
        return session

    def _session_of(self, before: Memory) -> Memory | None:
        """The session of the commit before; where it was the only one, it begins with that."""
        if before.session:
            return self._find(before.session)
        place = self._view.place(before.id)
        is_here = place is None or place.layer.snapshot.scope == self._scope
        first = sessions.begin(before, self._scope.branch)
        return sessions.add_commit(first, before) if is_here else None

    def _before(self, commit: CodeCommit) -> Memory | None:
        """The memory of the commit before, or of the one before those that were passed over."""
        for _ in range(_MOST_PASSED_OVER):
            if not commit.parents:
                return None
            if memory := self._memory_of(commit.parents[0]):
                return memory
            parent = self._known.get(commit.parents[0])
            if parent is None or not is_left_out(parent, self._rules.capture):
                return None
            commit = parent
        return None

    def _touch(self, session: Memory) -> None:
        self._changed[session.id] = session
        self._touched[session.id] = None

    # --- what is there ----------------------------------------------------------------------------

    def _memory_of(self, oid: str) -> Memory | None:
        return self._find(commits.memory_id(oid))

    def _find(self, memory_id: str) -> Memory | None:
        return self._changed.get(memory_id) or self._look_up(memory_id)

    def _look_up(self, memory_id: str) -> Memory | None:
        place = self._view.place(memory_id) if memory_id else None
        return place.try_memory() if place else None
