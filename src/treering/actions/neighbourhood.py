"""Surroundings of a memory that is being written: links it should have, and memories like it.

A capture never depends on this. What has no row yet is read if it is little; else the capture goes
on without, and the rest is read outside of it.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from treering.actions.marks import Outdates, list_replaced
from treering.actions.workspace import Change, Workspace
from treering.derived.content import MemoryRows
from treering.errors import Busy, TreeringError
from treering.git import lock
from treering.git.files import make_folder, open_file
from treering.graph.inference import (
    MOST,
    InferenceCase,
    Inferred,
    find_failures,
    infer,
    may_replace,
    similar,
)
from treering.graph.subject import Mentions, Subject, subject_of
from treering.model.memory import Memory
from treering.model.scope import Scope
from treering.store import layout
from treering.store.store import Store
from treering.store.view import Copy, View
from treering.text.flags import flags_in

#: How many unknown memories are read on the way.
_A_FEW = 100
#: How many memories, those that share most words, are read to see whether they say something else.
_MOST_COMPARED = 8


class SimilarMemory(NamedTuple):
    id: str
    title: str
    score: float


class SuggestedLink(NamedTuple):
    """A link that may be right; `treering link` makes it."""

    relation: str
    target: str
    confidence: float
    reason: str
    title: str


class LinkClues(NamedTuple):
    """Clues found around a memory; `is_complete` says whether everything was looked at."""

    links: tuple[Inferred, ...] = ()
    suggested: tuple[SuggestedLink, ...] = ()
    similar: tuple[SimilarMemory, ...] = ()
    failed: tuple[Subject, ...] = ()
    outdates: tuple[Outdates, ...] = ()
    is_complete: bool = True


class Neighbourhood:
    """The rows of memories, asked what is around one."""

    def __init__(self, store: Store, rows: MemoryRows, lock_path: Path) -> None:
        self._store = store
        self._rows = rows
        self._lock_path = lock_path
        self.is_behind = False
        self._reading: threading.Thread | None = None

    def find_link_clues(
        self, view: View, memory: Memory, *, is_private: bool, avoid: Iterable[str]
    ) -> LinkClues:
        """Return what is around a memory about to be written; `avoid` are ids never to be linked.

        Nothing that goes wrong here may cost the memory.
        """
        try:
            return self._look_around(view, memory, is_private, avoid)
        except Exception:
            return LinkClues(is_complete=False)

    def _look_around(
        self, view: View, memory: Memory, is_private: bool, avoid: Iterable[str]
    ) -> LinkClues:
        is_complete = self._rows.catch_up(view, _A_FEW)
        self.is_behind = not is_complete
        case, others = self.case_of(memory)
        visible = _VisibleCopies(view)
        targets = {link.target for link in memory.links}
        certain, possible = list[Inferred](), list[SuggestedLink]()
        for link, other in infer(case, others, targets.union(avoid)):
            if len(certain) + len(possible) == MOST:
                break
            place = visible.place(other)
            # A shared memory must not carry the title of a private one, which a reason may hold.
            if place and link.is_certain and (is_private or not place.is_private):
                certain.append(link)
            elif place:
                possible.append(SuggestedLink(*link, other.title))
        others = [other for other in others if other.id not in targets]
        near = ((s, score) for s, score in similar(case.subject, others) if visible.place(s))
        # What an inferred link supersedes is still for somebody to confirm.
        told_apart = {link.target for link in certain if link.relation != "supersedes"}
        failures = (s for s in find_failures(case.subject, others) if visible.place(s))
        return LinkClues(
            tuple(certain),
            tuple(possible),
            tuple(SimilarMemory(s.id, s.title, score) for s, score in islice(near, MOST)),
            tuple(islice(failures, MOST)),
            _list_replaced(memory, case.subject, others, visible, told_apart),
            is_complete,
        )

    def list_replaced(self, view: View, memory: Memory) -> tuple[Outdates, ...]:
        """Return what a memory about to be reworded probably replaces, and is not linked with."""
        try:
            self._rows.catch_up(view, _A_FEW)
            case, others = self.case_of(memory)
            targets = {link.target for link in memory.links}
            return _list_replaced(memory, case.subject, others, _VisibleCopies(view), targets)
        except Exception:
            return ()  # it must not cost the memory

    def case_of(self, memory: Memory, blob: str = "") -> tuple[InferenceCase, list[Subject]]:
        """A memory ready for inference, and the memories that may have to do with it."""
        subject = subject_of(memory, blob)
        mentions = Mentions(f"{memory.title}\n\n{memory.content}")
        keys = subject.traits() + ([f"session {memory.session}"] if memory.session else [])
        clues = mentions.clues(anywhere=subject.type == "component")
        others = self._rows.candidates(subject, keys, clues)
        return InferenceCase(subject, mentions, self._rows.crowded_files(subject.files)), others

    def note(
        self, scope: Scope, changes: Iterable[Change], versions: Mapping[str, str], *, whole: bool
    ) -> None:
        """Note what was just written, while the lock is still held.

        Where everything before was known (`whole`), everything in the new trees is.
        """
        try:
            self._note(scope, list(changes), versions, whole)
        except Exception:
            self.is_behind = True  # the memory is safe; the table will be caught up

    def _note(
        self, scope: Scope, changes: list[Change], versions: Mapping[str, str], whole: bool
    ) -> None:
        trees: dict[str | None, None] = {}
        for change in changes if whole else ():
            vault = self._store.private if change.is_private else self._store.shared
            if vault:
                snapshot = vault.snapshot(scope)
                shard = snapshot.shards().get(layout.shard_of(change.memory.id))
                trees |= dict.fromkeys((shard, snapshot.key[1]))
        memories = {versions[change.memory.id]: change.memory for change in changes}
        self._rows.add(memories, trees=[tree for tree in trees if tree])

    def knows(self, view: View) -> bool:
        """Return whether the table has everything a view shows, a few memories having been read if
        need be."""
        trees = [tree for layer in view.layers if (tree := layer.snapshot.key[1])]
        try:
            if not self._rows.unknown_trees(trees):
                return True
            return self._rows.catch_up(view, _A_FEW) and not self._rows.unknown_trees(trees)
        except Exception:
            return False

    def saying(self, view: View, memory: Memory) -> list[str]:
        """The ids of memories that were reworded, in some version, to say what this one says."""
        return self._rows.saying(memory) if self.knows(view) else []

    def catch_up_alone(self, view: View) -> None:
        """Read everything, unless another process is at it: each capture may start one of us."""
        with contextlib.suppress(Busy, OSError):
            make_folder(self._lock_path.parent, levels=2)
            os.close(open_file(self._lock_path, os.O_RDWR | os.O_CREAT))  # or it is a link
            with lock.hold(self._lock_path, timeout=0):
                self._rows.catch_up(view)

    def catch_up_soon(self, another: Callable[[], Workspace]) -> None:
        """Read everything there is in a thread of its own, with a workspace of its own."""

        def read_all() -> None:
            # The repository may be gone by now, and nobody waits for this.
            with contextlib.suppress(Exception):
                workspace = another()
                workspace.neighbourhood.catch_up_alone(workspace.view_of_all())

        if self._reading is None or not self._reading.is_alive():
            self._reading = threading.Thread(target=read_all, daemon=True)
            self._reading.start()


def _list_replaced(
    memory: Memory,
    subject: Subject,
    others: Iterable[Subject],
    visible: "_VisibleCopies",
    linked: Collection[str],
) -> tuple[Outdates, ...]:
    near = [other for other in others if other.id not in linked and may_replace(subject, other)]
    near.sort(key=lambda other: len(subject.sample & other.sample), reverse=True)
    places = (place for other in near if (place := visible.place(other)))
    memories = (place.try_memory() for place in islice(places, _MOST_COMPARED))
    return tuple(list_replaced(memory, filter(None, memories), MOST))


class _VisibleCopies:
    """Candidates of the table checked against what git shows, once each.

    What reads like an order is not: its words would come back in an answer nobody asked it of, and
    stay in the reason of a link.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._places: dict[str, Copy | None] = {}

    def place(self, subject: Subject) -> Copy | None:
        if subject.id not in self._places:
            self._places[subject.id] = self._look(subject)
        place = self._places[subject.id]
        return place if place and place.blob == subject.blob else None

    def _look(self, subject: Subject) -> Copy | None:
        words = "\n".join((subject.title, subject.topic, *subject.tags, *subject.files))
        try:
            return None if flags_in(words) else self._view.place(subject.id)
        except TreeringError:
            return None
