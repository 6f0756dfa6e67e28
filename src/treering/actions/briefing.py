"""Context injected by hooks: at the start of a session, at its first prompt, and where lines are
read or edited that something binds.

It costs every session of every agent, so it is short, and silent where there is nothing to say. A
memory is told once in a session. Flagged memories of others are left out before anything is
counted, and each writer gets a share: nobody can silence the others by writing much.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from treering.actions.card import CardMaker
from treering.actions.handover import (
    Handover,
    HookSession,
    Offer,
    can_speak,
    find_words,
    hand_over,
    place_below_newer,
)
from treering.actions.marks import is_out_of_force
from treering.actions.origin import YOU, Flags, attribute, is_own, name_writer
from treering.actions.standing import find_standings
from treering.actions.workspace import Position, Workspace
from treering.errors import StoreDamaged, TreeringError
from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago, instant
from treering.model.memory import Memory
from treering.model.taxonomy import BOOKKEEPING_TYPES, RECORD_TYPES
from treering.store import message
from treering.store.view import Copy, Layer, View
from treering.text.fence import fence, fresh_nonce
from treering.text.flags import unless_flagged
from treering.text.passages import holds_together
from treering.text.words import words

if TYPE_CHECKING:
    from treering.actions.why.bindings import LineBindings
    from treering.actions.why.source import SourceFile


MORE = "More: the tools `recall` and `read`, or `treering recall WORDS`."
_MOST_COMMITS, _MOST_BULK, _MOST_READ = 300, 100, 60
_MOST_FOUND, _MOST_TOLD, _MOST_HEADLINES = 10, 3, 30
_LONGEST_PROMPT, _FEWEST_WORDS = 2000, 3
_MOST_BINDING = 60
#: So many lines are no single thing: there a record speaks if it shares words with the task.
_MANY_LINES, _FEW_SHARED = 120, 2
_LONGEST_LINE = 160
#: Characters told at the start of a session of what this branch decided; the rest is headlines.
_PASSAGE = 240
_TRUNK = ("trunk", "private_trunk")


#: A file, and ranges of its lines as they lie in the work tree.
FileLines = tuple["SourceFile", Sequence[tuple[int, int]]]


class PlacedMemory(NamedTuple):
    """A memory that may be told, and where it is."""

    place: Copy
    memory: Memory


# --- the start of a session -----------------------------------------------------------------------


def leave_untold(workspace: Workspace, candidates: Iterable[PlacedMemory]) -> list[PlacedMemory]:
    """Return those that may be told unasked, as `treering.tell` says: all of them, what landed, or
    what this clone's own person wrote."""
    some = list(candidates)
    setting = (workspace.repository.config("treering.tell") or "all").lower()
    if setting == "accepted":
        standings = find_standings(workspace, [one.place for one in some])
        return [one for one in some if standings[one.memory.id].is_accepted]
    if setting == "own":
        return [one for one in some if is_own(workspace, one.place.blob, one.memory)]
    return some


def opening(workspace: Workspace, budget: int) -> Handover:
    """Return what a session is told at its start: the checkpoint to resume, what this branch
    decided and tried, conventions for the files at hand, then the newest."""
    position = workspace.position()
    view = workspace.view_from(position)
    found, checkpoint = _read_newest(view)
    found = leave_untold(workspace, found)
    if not found and checkpoint is None:
        return Handover()
    own = [c for c in found if c.place.layer.kind not in _TRUNK and _decides(c)]
    files = set(workspace.repository.list_changed_files())
    rules = [c for c in found if c.memory.type == "convention" and _names_any(c.memory, files)]
    ordered = {c.memory.id: c for c in (*own, *rules)}
    telling = set(ordered)
    ordered |= {c.memory.id: c for c in _share(workspace, found) if c.memory.id not in ordered}
    search_view = workspace.searcher.knowledge_view(view)  # knows flags and marks
    cards, flagged = CardMaker(workspace, search_view, position.head), 0
    sound: list[PlacedMemory] = []
    for one in ordered.values():
        if len(sound) == _MOST_HEADLINES:
            break
        if cards.flags.withholds(one.place):
            flagged += 1
        else:
            sound.append(one)
    cards.prepare(one.place for one in sound)
    offers = [
        offer._replace(room=_PASSAGE if offer.card.id in telling else 0)
        for offer in _make_offers(cards, sound)
    ]
    where = unless_flagged(f"branch {position.scope.branch}", "this branch")
    header = f"what this repository remembers on {where}"
    lead = "\n".join(_resume(workspace, checkpoint, position))

    def name_left_out(told: int) -> str:
        counts = {"flagged": flagged, "more": max(len(found) - flagged - told, 0)}
        left = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        left += ", and older ones" if left and len(found) == _MOST_READ else ""
        return f"Left out: {left}. {MORE}" if left else MORE

    return _tell(workspace, offers, (), budget, header, name_left_out, lead)


def _decides(candidate: PlacedMemory) -> bool:
    return candidate.memory.type in ("decision", "convention") or bool(
        candidate.memory.outcome in UNSUCCESSFUL
    )


def _read_newest(view: View) -> tuple[list[PlacedMemory], Copy | None]:
    """List pieces of knowledge that were said last, the nearest layer first, and the last
    checkpoint of the nearest branch that has one. Memory commits tell, without any index."""
    found: dict[str, PlacedMemory] = {}
    checkpoint: Copy | None = None
    for layer in view.layers:
        newest: Copy | None = None
        for memory_id in _take_turns(_list_said(layer)):
            place = view.place(memory_id) if memory_id not in found else None
            memory = place.try_memory() if place and place.layer is layer else None
            if place is None or memory is None or memory.status in ("deleted", "superseded"):
                continue
            if memory.type == "checkpoint":
                newest = max(filter(None, (newest, place)), key=_age_of_checkpoint)
            elif memory.type not in BOOKKEEPING_TYPES and memory.type not in RECORD_TYPES:
                found[memory_id] = PlacedMemory(place, memory)
            if len(found) == _MOST_READ:
                break
        checkpoint = checkpoint or newest
    return list(found.values()), checkpoint


def _age_of_checkpoint(place: Copy) -> float:
    return instant(place.memory().created)


def _list_said(layer: Layer) -> Iterator[tuple[str, str]]:
    """The ids of memories that were written last on a scope, newest first, and who committed each.
    What hooks captured is left out."""
    objects = layer.vault.repository.objects
    todo: list[tuple[int, str]] = []
    known: set[str] = set()

    def add(oids: Iterable[str]) -> None:
        for oid in oids:
            with suppress(StoreDamaged):
                if oid not in known:
                    known.add(oid)
                    heappush(todo, (-objects.commit(oid).time, oid))

    add([layer.snapshot.tip] if layer.snapshot.tip else [])
    for _ in range(_MOST_COMMITS):
        if not todo:
            return
        commit = objects.commit(heappop(todo)[1])
        add(commit.parents)
        change = message.read(commit.message)
        if change.op != "capture":
            yield from ((memory_id, commit.author) for memory_id in change.memories)
        if change.bulk:
            before = objects.commit(commit.parents[0]).tree if commit.parents else None
            some = _list_bulk(layer, commit.tree, before)
            yield from ((memory_id, commit.author) for memory_id in some)


def _take_turns(said: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The ids by turns of their writers: nobody keeps others from being read by writing much."""
    by_writer: dict[str, dict[str, None]] = {}
    for memory_id, writer in said:
        by_writer.setdefault(writer, {})[memory_id] = None
    for turn in zip_longest(*by_writer.values()):
        yield from filter(None, turn)


def _list_bulk(layer: Layer, tree: str, before: str | None) -> list[str]:
    """Some of the memories that a commit changed which names none of them."""
    trees = layer.vault.trees
    new, old = trees.memories(tree), trees.memories(before)
    ids: list[str] = []
    for name, then, now in trees.shards_apart(old, new):
        with suppress(StoreDamaged):
            changed = trees.shard(name, now).items() - trees.shard(name, then).items()
            ids += [memory_id for memory_id, _ in changed]
        if len(ids) >= _MOST_BULK:
            break
    return ids[:_MOST_BULK]


def _names_any(memory: Memory, files: set[str]) -> bool:
    names = [file.path for file in memory.files]
    return any(path == name or path.startswith(f"{name}/") for name in names for path in files)


def _share(workspace: Workspace, candidates: Sequence[PlacedMemory]) -> Iterator[PlacedMemory]:
    """Take turns among writers, in the order of their first memory."""
    versions = workspace.ledger.versions(one.place.blob for one in candidates)
    by_writer: dict[str, list[PlacedMemory]] = {}
    for one in candidates:
        version = versions.get(one.place.blob)
        writer = name_writer(workspace, version.people if version else ())
        by_writer.setdefault(writer, []).append(one)
    for turn in zip_longest(*by_writer.values()):
        yield from filter(None, turn)


def _resume(workspace: Workspace, place: Copy | None, position: Position) -> list[str]:
    """Return where the work was left: in words where they are the user's own, else by title."""
    memory = place.try_memory() if place else None
    if place is None or memory is None or Flags(workspace).withholds(place):
        return []
    from treering.actions.checkpoint import next_steps_of, since, summary_of

    whose = attribute(workspace, place.blob, memory)
    when = ago(whose.created, workspace.clock())
    if whose.origin != YOU:
        if not leave_untold(workspace, [PlacedMemory(place, memory)]):
            return []
        who = _name(memory.author)
        return [f"Checkpoint {memory.id} by {who}, {when}: {_short(memory.title)}"]
    lines = [f"Checkpoint {memory.id}, {when}: {_short(summary_of(memory))}"]
    lines += [f"  next: {_short(step)}" for step in next_steps_of(memory)[:3]]
    change = since(workspace, position, memory)
    if commits := change["commits"]:
        lines.append(f"  since then: {commits} commits, {len(change['files'])} files")
    return lines


# --- a prompt -------------------------------------------------------------------------------------


def relevant(
    workspace: Workspace, prompt: str, budget: int, session: HookSession, *, first_only: bool
) -> Handover:
    """Return the passages of the few memories that a prompt is about, failed attempts first;
    nothing where none is close, or where another prompt was the first to ask for something."""
    asked = prompt[:_LONGEST_PROMPT]
    if len(set(words(asked))) < _FEWEST_WORDS:
        return Handover()
    session.note_prompt(asked)
    if first_only and session.prompts > 1:
        return Handover()
    close = leave_untold(workspace, _find_close(workspace, asked))
    close = [one for one in close if one.memory.id not in session.told]
    chosen = close[:_MOST_TOLD]
    position = workspace.position()
    search_view = workspace.searcher.search_view(workspace.view_from(position))
    cards = CardMaker(workspace, search_view, position.head)
    cards.prepare(one.place for one in chosen)
    offers = _make_offers(cards, chosen)
    header = "what this repository remembers that may concern the prompt"
    return _tell(workspace, offers, words(asked), budget, header, lambda _: "")


def _find_close(workspace: Workspace, prompt: str) -> list[PlacedMemory]:
    """Find what is close to a prompt by its words, the closest first."""
    from treering.model.query import Query

    search_view = workspace.searcher.search_view(workspace.view())
    result = search_view.index.search(
        Query(prompt, prompt), search_view.ranks, mode="text", now=workspace.clock(),
        limit=_MOST_FOUND,
    )  # fmt: skip
    flags = Flags(workspace)
    hits = sorted(result.hits, key=lambda hit: -hit.closeness.weight)
    asked = words(prompt)
    close: list[PlacedMemory] = []
    for hit in hits:
        place = search_view.place(hit.blob)
        memory = place.try_memory() if place else None
        if place is None or memory is None or not can_speak(memory) or flags.withholds(place):
            continue
        if hit.closeness.is_close or (
            hit.closeness.holds_most and holds_together(find_words(memory), asked)
        ):
            close.append(PlacedMemory(place, memory))
    return close


# --- lines ----------------------------------------------------------------------------------------


def binding(
    workspace: Workspace,
    bindings: "LineBindings",
    lines: "Sequence[FileLines]",
    budget: int,
    session: HookSession,
) -> Handover:
    """Return the passages of the memories that bind some lines of files, failed attempts first;
    nothing where nothing binds them that the session was not told yet.

    `lines` are files with ranges of their lines; without a range all of a file is meant.
    """
    from treering.actions.why.source import list_lines

    view = workspace.view()
    strengths: dict[str, float] = {}
    question, size = set(session.task), 0
    for source, ranges in lines:
        try:
            found = bindings.find(source, ranges)
        except TreeringError:
            continue
        text = source.shown.split(b"\n")
        for first, last in ranges:
            question.update(words("\n".join(list_lines(text, first, last))[:_LONGEST_PROMPT]))
        size += sum(last - first + 1 for first, last in ranges) or source.size
        for one in found:
            worth = one.strength * min(one.last - one.first + 1, 20) ** 0.25
            strengths[one.memory] = max(worth, strengths.get(one.memory, 0.0))
    new = [mid for mid in strengths if mid not in session.told]
    new.sort(key=lambda mid: (-strengths[mid], mid))
    ranked: list[tuple[tuple[bool, bool, float], PlacedMemory]] = []
    for memory_id in new[:_MOST_BINDING]:
        place = view.place(memory_id)
        memory = place.try_memory() if place else None
        if place is None or memory is None or memory.status in ("deleted", "superseded"):
            continue
        if memory.type == "checkpoint" or not can_speak(memory):
            continue
        shared = len(session.task & set(words(f"{memory.title}\n{memory.content[:4000]}")))
        is_record = memory.type in RECORD_TYPES
        if is_record and size > _MANY_LINES and session.task and shared < _FEW_SHARED:
            continue  # of a long file some commit always gives a reason
        worth = strengths[memory_id] + min(shared, 6) / 3
        ranked.append(
            ((memory.outcome != "failed", is_record, -worth), PlacedMemory(place, memory))
        )
    ranked.sort(key=lambda pair: (pair[0], pair[1].memory.id))
    most = 1 if size > _MANY_LINES and not session.task else _MOST_TOLD
    cards = CardMaker(workspace, view, None)
    flags = cards.flags
    sound = leave_untold(workspace, (c for _, c in ranked if not flags.withholds(c.place)))[:most]
    cards.prepare((one.place for one in sound), is_marked=False)  # marks need an index
    offers = _make_offers(cards, sound)
    names = ", ".join(dict.fromkeys(source.path for source, _ in lines))
    header = f"why these lines of {unless_flagged(names, 'a file')} are as they are"
    return _tell(workspace, offers, question, budget, header, lambda _: "")


# --- telling --------------------------------------------------------------------------------------


def _make_offers(cards: CardMaker, candidates: Sequence[PlacedMemory]) -> list[Offer]:
    """The memories to tell, in the order in which they are told: failed attempts first, what was
    taken back in code last, and what a later one amends right below that."""
    if len(candidates) <= _MOST_TOLD:
        cards.mark_amended(one.place for one in candidates)
    offers = []
    for one in candidates:
        card = cards.make(one.place, one.memory)
        by = "" if card.origin == YOU else _names(card.author, *(card.edited_by or ()))
        card = card._replace(created=card.modified)
        offers.append(Offer(card, one.memory.content, find_words(one.memory), by=by))

    def rank(offer: Offer) -> tuple[bool, bool]:
        card = offer.card
        return is_out_of_force(card.type, card.outcome, card.marks), card.outcome != "failed"

    return place_below_newer(sorted(offers, key=rank))


def _tell(
    workspace: Workspace,
    offers: Sequence[Offer],
    question: Iterable[str],
    budget: int,
    header: str,
    end: Callable[[int], str],
    lead: str = "",
) -> Handover:
    """Put offers into a text within the budget, between marks that say they are data; `end` is
    called with the number of memories told, and says what follows."""
    nonce = fresh_nonce()
    closing = end(0)  # the longest: nothing told, everything left out
    room = budget - len(closing) - bool(closing)
    handed = hand_over(
        offers, frozenset(question), room, workspace.clock(),
        lambda body: fence(body, nonce, f"treering: {header}"), lead,
    )  # fmt: skip
    if not handed.text:
        return handed
    last = end(len(handed.page))
    return handed._replace(text=f"{handed.text}\n{last}" if last else handed.text)


def _names(*people: str) -> str:
    return ", ".join(map(_name, people))


def _name(person: str) -> str:
    return person.partition(" <")[0]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"
