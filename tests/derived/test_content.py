"""Rows of memories: whom a capture compares itself with, and what is known of each."""

import random
from pathlib import Path

import pytest

from treering.derived import content as module
from treering.derived.content import MemoryRows, Problem
from treering.derived.database import Database
from treering.graph.inference import SAME_SUBJECT, InferenceCase, infer, may_replace, similar
from treering.graph.subject import Mentions, Subject, subject_of
from treering.model.memory import FileRef, Memory, derive_id
from treering.model.provenance import Version
from treering.text import flags

NAMES = [f"{first}{last}" for first in "bcdfghklmn" for last in ("avon", "erit", "olum", "usta")]

ALIKE = (
    "Calls of the worker are made again {} times with a growing pause between them, then the "
    "invoice waits for somebody who looks at the ledger and decides what to do about it"
)


def _memory(title: str, content: str, tags: tuple[str, ...] = (), files: str = "") -> Memory:
    return Memory(
        id=derive_id("insight", content),
        type="insight",
        title=title,
        content=content,
        created="2026-01-01T00:00:00Z",
        modified="2026-01-01T00:00:00Z",
        tags=tags,
        files=tuple(FileRef(path, "") for path in files.split()),
    )


def _subject(memory: Memory) -> Subject:
    return subject_of(memory, blob=memory.id)


def _find(table: MemoryRows, memory: Memory) -> list[str]:
    subject = _subject(memory)
    return [other.title for other in table.candidates(subject, subject.traits(), [])]


@pytest.fixture
def table(tmp_path: Path) -> MemoryRows:
    return MemoryRows(Database(tmp_path))


@pytest.mark.parametrize(
    ("other", "is_near"),
    [
        (_memory("Retry budget", "One text"), False),
        (_memory("Retry limit of ledgers", "One text"), True),
        (_memory("Elsewhere", "One text", tags=("billing",)), False),
        (_memory("Elsewhere", "One text", tags=("billing", "gateway")), True),
        (_memory("Elsewhere", "One text", files="src/pay.py"), True),
        (_memory("Elsewhere", ALIKE.format("three")), True),
    ],
)
def test_one_word_or_tag_in_common_is_not_worth_a_comparison(
    table: MemoryRows, other: Memory, is_near: bool
) -> None:
    """No rule says anything of such two, and every capture would read dozens of them."""
    table.add({other.id: other})

    new = _memory(
        "Retry limit of the gateway",
        ALIKE.format("four"),
        tags=("billing", "gateway"),
        files="src/pay.py",
    )

    assert _find(table, new) == ([other.title] if is_near else [])


def test_short_titles_are_about_the_same_by_one_word(table: MemoryRows) -> None:
    other = _memory("Redis timeouts", "One text")
    table.add({other.id: other})

    assert _find(table, _memory("Redis", "Something else")) == ["Redis timeouts"]


@pytest.mark.parametrize("seed", range(8))
def test_what_a_rule_would_link_is_among_the_candidates(
    table: MemoryRows, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at everything finds nothing more, but for texts that are hardly alike."""
    monkeypatch.setattr(module, "_MAX_PER_KEY", 1_000)
    monkeypatch.setattr(module, "_MAX_CANDIDATES", 1_000)
    dice = random.Random(seed)

    def make() -> Memory:
        title = " ".join(dice.sample(NAMES, dice.randrange(1, 5)))
        content = " ".join(dice.choices(NAMES, k=dice.randrange(3, 30)))
        files = " ".join(dice.sample(("a.py", "b.py", "c.py", "d.py"), dice.randrange(2)))
        return _memory(title, content, tuple(dice.sample(NAMES[:6], dice.randrange(3))), files)

    memories = {memory.id: memory for memory in (make() for _ in range(12))}
    subjects = {key: _subject(memory) for key, memory in memories.items()}
    table.add(memories)
    memory = make()
    subject = _subject(memory)
    case = InferenceCase(subject, Mentions(""))
    near = {other.id for other in table.candidates(subject, subject.traits(), [])}
    linked = {other.id for _, other in infer(case, subjects.values())}
    alike = {other.id for other, _ in similar(subject, subjects.values())}
    replaced = {
        other.id
        for other in subjects.values()
        if may_replace(subject, other)
        and len(subject.sample & other.sample) >= SAME_SUBJECT * len(subject.sample | other.sample)
    }

    assert linked | alike | replaced <= near


def test_a_row_holds_what_the_blob_says_and_commits_tell_the_dates(tmp_path: Path) -> None:
    """Who said it and when depends on more than the blob, so it is asked at each call."""
    memory = _memory("Retry limit", "Retry three times", tags=("billing",), files="src/pay.py")
    version = Version("b" * 40, memory.id, (), born=100.0, changed=200.0, said=150.0)
    rows = MemoryRows(Database(tmp_path), lambda blobs: dict.fromkeys(blobs, version))
    rows.add({"b" * 40: memory})

    entry = rows.entry("b" * 40)

    assert entry
    assert (entry.title, entry.tags, entry.files) == ("Retry limit", ("billing",), ("src/pay.py",))
    assert (entry.created, entry.modified, entry.said) == (100.0, 200.0, 150.0)
    assert entry.flags == ()


def test_flags_are_kept_by_the_version_of_the_rules(
    table: MemoryRows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = _memory("Retry limit", "Retry three times")
    monkeypatch.setattr(flags, "flags_of", lambda _: ("override",))

    table.add({memory.id: memory})

    assert table.list_uninspected(5) == []
    assert [e.flags for e in table.entries([memory.id]).values()] == [("override",)]
    monkeypatch.setattr(module, "DETECTORS", module.DETECTORS + 1)
    assert table.list_uninspected(5) == [memory.id]
    assert MemoryRows(Database(tmp_path)).entries([memory.id])[memory.id].flags is None


def test_a_blob_that_holds_no_memory_is_known_as_such(table: MemoryRows) -> None:
    table.add({}, problems={"f" * 40: Problem("too-large", "The document has 9 bytes.")})

    assert table.unknown_blobs(["f" * 40, "e" * 40]) == ["e" * 40]
    assert table.entry("f" * 40) is None
    assert table.blobs() == set()
    assert table.read_verdicts(["f" * 40])["f" * 40] == ("too-large", "The document has 9 bytes.")
