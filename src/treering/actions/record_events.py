"""Events taken from the journal: their commits become memories of the branch they happened on."""

import time
from collections.abc import Sequence
from functools import cached_property, partial

from treering.actions.config import SETTINGS
from treering.actions.workspace import Change, Position, Workspace, Writing
from treering.branches import layers
from treering.branches.trunk import trunk_of
from treering.capture.commits import CAPTURES, CodeCommit, commits
from treering.capture.journal import Journal, JournalEvent
from treering.capture.recording import Recording, Rules
from treering.capture.sessions import OpenSessions, agent_session
from treering.errors import Invalid, StoreDamaged
from treering.git import reflog
from treering.git.lock import LOCK_TIMEOUT
from treering.git.repository import Head
from treering.model.dates import duration
from treering.model.memory import Memory
from treering.model.scope import Scope, is_utf8


class EventRecorder:
    """Events taken in turn, one commit of memories for each branch they happened on."""

    def __init__(self, workspace: Workspace, journal: Journal, until: float | None) -> None:
        self._workspace = workspace
        self._repository = workspace.repository
        self._journal = journal
        self._until = until
        self._trunk = trunk_of(self._repository)
        self._shares: dict[JournalEvent, list[str]] = {}
        self.captured = 0
        self.done: list[JournalEvent] = []
        self.errors: list[str] = []

    def take(self, events: Sequence[JournalEvent]) -> None:
        by_scope: dict[Scope, list[JournalEvent]] = {}
        for event in events:
            for part in self._split(event):
                scope = self._scope_of(part)
                if scope is None:
                    self._finish([event])  # it only says: look now
                else:
                    by_scope.setdefault(scope, []).append(part)
        oids = [oid for mine in by_scope.values() for event in mine for oid in self._oids(event)]
        left = None if self._until is None else max(0.01, self._until - time.monotonic())
        by_oid = {c.oid: c for c in commits(self._repository, oids, seconds=left)}
        outcomes = [self._take(scope, mine, by_oid) for scope, mine in by_scope.items()]
        if all(outcomes):  # of an event with several parts each has to be written
            parts = {part.path for part in self._shares}
            self._finish([event for event in events if event.path in parts])

    def _split(self, event: JournalEvent) -> list[JournalEvent]:
        """The event for each branch it is about, the one it is named for last.

        `git rebase --update-refs` moves the branches below, too, and tells of all commits at once:
        each is remembered where it was made, or it would have a memory on both.
        """
        if event.input_lines[:1] != ("rebase",):
            return [event]
        moved = reflog.list_moved_along(self._repository, event.branch, event.rewrites)
        onto = reflog.find_rebase_target(self._repository, event.branch, event.commit)
        if not moved or not onto:
            return [event]
        parts, below = [], [onto]
        for branch, tip in [*moved.items(), (event.branch, event.commit)]:
            part = event._replace(head=f"ref: refs/heads/{branch}", commit=tip)
            self._shares[part] = self._repository.history([tip], without=below)
            parts.append(part)
            below = [*below, tip]
        return parts

    def _take(
        self, scope: Scope, events: list[JournalEvent], by_oid: dict[str, CodeCommit]
    ) -> bool:
        attempt = partial(self._attempt, events, by_oid)
        position = Position(scope, self._trunk, events[-1].commit)
        timeout = LOCK_TIMEOUT if self._until is None else 0.0
        try:
            self.captured += self._workspace.write("", attempt, position=position, timeout=timeout)
        except Invalid as error:
            self.errors.append(f"{scope.branch}: {error.message}")  # and no better another time
        except StoreDamaged as error:
            self.errors.append(f"{scope.branch}: {error.message}")
            return False  # left for after a repair; other branches need not wait for it
        self._finish([event for event in events if event not in self._shares])
        return True

    def _finish(self, events: Sequence[JournalEvent]) -> None:
        self._journal.finish(events)
        self.done += events

    def _attempt(
        self, events: list[JournalEvent], by_oid: dict[str, CodeCommit], writing: Writing
    ) -> int:
        recording = Recording(writing.view, writing.scope, by_oid, self._rules(writing.scope))
        # git tells of an amended commit before it tells which one that took the place of.
        rewrites = {new: olds for event in events for new, olds in event.rewrites.items()}
        for event in events:
            for oid in self._oids(event):
                recording.add(oid, rewrites.get(oid, ()))
            if event.rewrites and writing.scope.branch != self._trunk:
                recording.follow(event.rewrites)
        return write_recorded(writing, recording)

    # --- what an event is about -------------------------------------------------------------------

    def _scope_of(self, event: JournalEvent) -> Scope | None:
        """Return where an event's commits are remembered; None when it has none to remember.

        A name may be another branch's by now. What that one never held is remembered by its commit,
        for whichever branch has it.
        """
        if event.name not in ("post-commit", "post-merge", "post-rewrite") or not event.commit:
            return None
        branch = event.branch
        if not branch:
            head = Head(None, event.commit, is_detached=True)
            return layers.scope_of_head(self._workspace.store, head)
        if not is_utf8(branch):
            return None  # no answer could name it
        tip = self._repository.tip_of(branch)
        if (
            tip is None
            or self._repository.is_ancestor(event.commit, tip)
            or reflog.has_held(self._repository, branch, event.commit)
        ):
            return Scope(branch)
        return Scope.detached_at(event.commit)

    def _oids(self, event: JournalEvent) -> list[str]:
        """The commits to capture for an event, oldest first."""
        if event in self._shares:
            return self._shares[event]
        if event.name == "post-commit":
            return [event.commit]
        if event.name == "post-merge":
            return (
                [event.commit] if len(self._repository.parents_of(event.commit) or ()) > 1 else []
            )
        new = list(event.rewrites)
        if event.input_lines[:1] != ("rebase",):
            return new
        # Commits made by hand at a stop are told of by nobody; they lie between the others.
        onto = reflog.find_rebase_target(self._repository, event.branch, event.commit)
        between = self._repository.history([event.commit], without=[onto]) if onto else []
        return [oid for oid in new if oid not in between] + between

    # --- limits -----------------------------------------------------------------------------------

    def _rules(self, scope: Scope) -> Rules:
        branch, usual_rules = scope.branch, rules(self._workspace)
        sessions = OpenSessions(self._workspace.store.folder)

        def at_work(commit: CodeCommit) -> Memory | None:
            found = sessions.on(branch, commit.time, usual_rules.gap)
            who = str(self._workspace.person)
            return (
                agent_session(found.agent, found.session, branch, who, found.start)
                if found
                else None
            )

        return usual_rules._replace(
            was_left=lambda after, before: any(
                reflog.was_left(log, branch, after, before) for log in self._logs
            ),
            agent_session=at_work,
        )

    @cached_property
    def _logs(self) -> list[list[reflog.ReflogLine]]:
        return reflog.heads(self._repository)


def write_recorded(writing: Writing, recording: Recording) -> int:
    """Write what a recording holds, in one commit; return how many commits were captured. One that
    has a memory already, and only joins a session, was captured before."""
    changes = []
    for memory in recording.memories():
        place = writing.view.place(memory.id)
        changes.append(Change(memory, place, bool(place and place.is_private)))
    if changes:
        writing.commit("capture", changes, allow_secret=True)  # masked where it was read
    return sum(c.memory.type == "commit" and c.replaces is None for c in changes)


def rules(workspace: Workspace) -> Rules:
    """Return how commits are captured here, as git's configuration says."""
    config = workspace.repository.config
    capture = (config("treering.capture") or "").lower()
    usual = SETTINGS["sessiongap"].default
    try:
        gap = duration(config("treering.sessiongap") or usual)
    except Invalid:
        gap = duration(usual)
    return Rules(capture if capture in CAPTURES else CAPTURES[0], gap)
