"""One memory out of all its changes: the order in which clones meet must not matter."""

import random
from itertools import permutations

import pytest

from treering.git.objects import hash_blob
from treering.model import document
from treering.model.memory import FileRef, Link, Memory
from treering.model.text_merge import merge_texts
from treering.store.merge.replay import MemoryStep, ReplayResult, in_order, replay

ID = "7k2m9qx4c0wd"
START = Memory(
    id=ID,
    type="decision",
    title="Use WAL mode",
    content="Use WAL mode\n\nReaders never block.",
    created="2026-02-02T02:40:00Z",
    modified="2026-02-02T02:40:00Z",
    tags=("db",),
)


def blob(memory: Memory | None) -> str | None:
    return None if memory is None else hash_blob(document.dump(memory))


def at(memory: Memory, minute: int, **changes: object) -> Memory:
    return memory._replace(modified=f"2026-02-02T03:{minute:02}:00Z", **changes)  # type: ignore[arg-type]


def step(
    name: str,
    time: int,
    before: Memory | None,
    after: Memory | None,
    knew: str = "",
    op: str = "revise",
) -> MemoryStep:
    return MemoryStep(name, time, op, before, after, blob(after), frozenset(knew))


def apart(one: Memory, other: Memory) -> list[MemoryStep]:
    """Two changes of one memory, neither of which knew of the other."""
    return [
        step("a", 1, None, START, op="remember"),
        step("b", 2, START, one, "a"),
        step("c", 3, START, other, "a"),
    ]


def test_a_line_of_changes_gives_what_stood_at_its_end() -> None:
    """Byte for byte: clones that only follow each other never rewrite anything."""
    second = at(START, 1, tags=("db", "io"))
    third = at(second, 2, content="Use WAL mode\n\nReaders never block. Checkpoint by hand.")
    steps = [
        step("a", 1, None, START, op="remember"),
        step("b", 2, START, second, "a"),
        step("c", 3, second, third, "ab"),
    ]

    assert replay(steps[::-1]) == ReplayResult(third, blob(third))


def test_fields_changed_apart_are_all_kept() -> None:
    """Each change says only what it changed."""
    title = at(START, 1, title="WAL, always")
    sure = at(START, 2, confidence=0.95, tags=("db", "sure"))
    filed = at(START, 3, files=(FileRef("a.py", "0" * 40),), links=(Link("uses", "0" * 12),))
    steps = [
        step("a", 1, None, START, op="remember"),
        step("b", 2, START, title, "a"),
        step("c", 3, START, sure, "a"),
        step("d", 4, START, filed, "a"),
    ]

    memory = replay(steps).memory

    assert memory is not None
    assert (memory.title, memory.confidence, memory.tags) == ("WAL, always", 0.95, ("db", "sure"))
    assert (memory.files, memory.links) == (filed.files, filed.links)
    assert memory.modified == filed.modified


def test_of_two_wordings_the_later_stands_and_the_other_is_named() -> None:
    """Nobody's words vanish without a trace."""
    one = at(START, 1, content="Use WAL mode\n\nReaders rarely block.")
    other = at(START, 2, content="Use WAL mode\n\nReaders always block.")
    steps = apart(one, other)

    found = replay(steps)

    assert found.memory is not None
    assert found.memory.content == other.content
    assert found.memory.details["merge"] == {"lost": blob(one)}
    assert len(found.notes) == 1


def test_words_added_by_two_are_both_kept() -> None:
    """Appending is the commonest revision of all."""
    one = at(START, 1, content=START.content + "\n\nSeen on ext4.")
    other = at(START, 2, content=START.content + "\n\nSeen on xfs.")
    steps = apart(one, other)

    memory = replay(steps).memory

    assert memory is not None
    assert memory.content == START.content + "\n\nSeen on ext4.\n\nSeen on xfs."
    assert "merge" not in memory.details


def test_a_deletion_loses_to_an_edit_that_did_not_know_of_it() -> None:
    """And is said; a later deletion that did know counts."""
    gone = at(START, 1, status="deleted", details={"forgotten": {"was": "active"}})
    edit = at(START, 2, tags=("db", "used"))
    steps = [
        step("a", 1, None, START, op="remember"),
        step("b", 9, START, gone, "a", op="forget"),
        step("c", 3, START, edit, "a"),
    ]

    found = replay(steps)

    assert found.memory is not None
    assert (found.memory.status, found.memory.tags) == ("needs-review", ("db", "used"))
    assert "forgotten" not in found.memory.details
    assert found.notes
    later = at(found.memory, 5, status="deleted")
    after = replay([*steps, step("d", 10, found.memory, later, "abc", op="forget")])
    assert after.memory is not None
    assert after.memory.is_forgotten


def test_following_a_rewritten_commit_revives_nothing() -> None:
    """No person did that."""
    gone = at(START, 1, status="deleted")
    moved = at(START, 2, commit="1" * 40)
    steps = [
        step("a", 1, None, START, op="remember"),
        step("b", 2, START, gone, "a", op="forget"),
        step("c", 3, START, moved, "a", op="follow"),
    ]

    memory = replay(steps).memory

    assert memory is not None
    assert memory.is_forgotten


def test_the_same_thing_remembered_twice_keeps_its_first_author_and_later_edits() -> None:
    """To remember again is not to reset."""
    mine = START._replace(author="Ada <ada@example.org>")
    edited = at(mine, 1, confidence=0.99, title="WAL, always")
    again = at(START, 5, author="Bob <bob@example.org>", created="2026-02-02T03:05:00Z")
    steps = [
        step("a", 1, None, mine, op="remember"),
        step("b", 2, mine, edited, "a"),
        step("c", 3, None, again, op="remember"),
    ]

    memory = replay(steps).memory

    assert memory is not None
    assert (memory.author, memory.created) == (mine.author, mine.created)
    assert (memory.confidence, memory.title) == (0.99, "WAL, always")


def test_remembered_again_beside_a_branchs_copy_takes_nothing_from_it() -> None:
    """The copy was made from the trunk's, which is what was remembered a second time."""
    copy = at(START, 1, content=START.content + "\n\nSeen on xfs.")
    again = at(START, 5, author="Bob <bob@example.org>")
    steps = [step("a", 1, START, copy), step("b", 2, None, again, op="remember")]

    memory = replay(steps).memory

    assert memory is not None
    assert memory.content == copy.content
    assert "merge" not in memory.details


def test_what_was_redacted_stays_so() -> None:
    """Whatever another clone still knew."""
    gone = START._replace(content="redacted", status="deleted", details={"redacted": True})
    steps = [step("a", 1, None, gone, op="remember"), step("b", 2, None, START, op="remember")]

    assert replay(steps).memory == gone


def test_together_changes_may_not_break_a_rule() -> None:
    """Two long additions can be too long together."""
    one = at(START, 1, content=START.content + "\n" + "a" * 200_000)
    other = at(START, 2, content=START.content + "\n" + "b" * 200_000)
    steps = apart(one, other)

    memory = replay(steps).memory

    assert memory is not None
    document.dump(memory)


@pytest.mark.parametrize("size", [10_000, 200_000])
def test_large_texts_are_put_together_in_bounded_time(size: int) -> None:
    """A comparison is quadratic at worst, and texts may come from strangers."""
    base = "a b " * (size // 4)

    assert merge_texts(base, "x" + base, base + "y").text


# --- any history at all --------------------------------------------------------------------------


class Clones:
    """Three clones of one memory, whose edits and meetings are random."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.steps: dict[str, MemoryStep] = {}
        self.value: list[Memory | None] = [None] * 3
        self.known: list[frozenset[str]] = [frozenset()] * 3

    def edit(self, clone: int) -> None:
        before = self.value[clone]
        number = len(self.steps)
        time = self.random.randrange(5)  # clocks are never right
        after = self._made(clone) if before is None else self._changed(before, number)
        op = "forget" if after.is_forgotten else "revise"
        name = f"{self.random.getrandbits(32):08x}{number:04}"
        self.steps[name] = MemoryStep(name, time, op, before, after, blob(after), self.known[clone])
        self.known[clone] |= {name}
        self.value[clone] = after

    def _made(self, clone: int) -> Memory:
        return START._replace(author=f"clone {clone}")

    def _changed(self, before: Memory, number: int) -> Memory:
        word = f"w{number}"
        words = before.content.split(" ")
        words[self.random.randrange(len(words))] = word
        changes = [
            {"title": word},
            {"confidence": number % 10 / 10},
            {"tags": (*before.tags, word)},
            {"tags": before.tags[1:]},
            {"content": before.content + f"\n\n{word}"},
            {"content": " ".join(words)},
            {"links": (*before.links, Link("uses", f"{number:012}"))},
            {"details": dict(before.details) | {word[0]: number}},
            {"status": "deleted"},
            {"status": "active"},
        ]
        return at(before, number % 60, **self.random.choice(changes))

    def meet(self, one: int, other: int) -> None:
        """As two clones do: by one side's value where the other has nothing new, else by replay."""
        mine, theirs = self.known[one], self.known[other]
        both = mine | theirs
        if both == mine:
            value = self.value[one]
        elif both == theirs:
            value = self.value[other]
        else:
            value = self.all(both)
        self.value[one] = self.value[other] = value
        self.known[one] = self.known[other] = both

    def all(self, names: frozenset[str]) -> Memory | None:
        shuffled = self.random.sample(sorted(names), len(names))
        return replay([self.steps[name] for name in shuffled]).memory


def _converges(seed: int) -> None:
    clones = Clones(seed)
    for _ in range(clones.random.randrange(4, 14)):
        if clones.random.random() < 0.6:
            clones.edit(clones.random.randrange(3))
        else:
            clones.meet(*clones.random.sample(range(3), 2))
    values, known = list(clones.value), list(clones.known)
    ends = set()
    for order in permutations(range(3)):
        clones.value, clones.known = list(values), list(known)
        for one, other in zip(order, [*order[1:], order[0]], strict=True):
            clones.meet(one, other)
        clones.meet(order[0], order[1])
        clones.meet(order[1], order[2])
        assert clones.value[0] == clones.value[1] == clones.value[2]
        if clones.value[0] is not None:
            ends.add(document.dump(clones.value[0]))
    assert len(ends) <= 1, f"seed {seed}: {len(ends)} outcomes"


def test_the_outcome_is_the_same_in_whatever_order_clones_meet() -> None:
    """A three-way merge by field ended differently in one of twelve such histories."""
    for seed in range(250):
        _converges(seed)


@pytest.mark.deep
def test_the_outcome_is_the_same_in_thousands_of_histories() -> None:
    for seed in range(250, 10_000):
        _converges(seed)


def test_order_is_ancestors_then_time_then_id() -> None:
    """A clock that is wrong cannot put a change before what it was made from."""
    steps = [
        step("a", 9, None, START),
        step("c", 1, START, at(START, 1), "a"),
        step("b", 1, START, at(START, 2), "a"),
        step("d", 0, None, START),
    ]

    assert [s.commit for s in in_order(steps)] == ["d", "a", "b", "c"]
