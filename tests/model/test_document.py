"""A memory as bytes: exact both ways, and closed to everything else."""

import contextlib
import string

import frontmatter as python_frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.errors import Invalid, InvalidDocument
from treering.model import document, frontmatter
from treering.model.memory import FileRef, Link, Memory, derive_id
from treering.model.strict_yaml import HANDLER

FULL = Memory(
    id="7k2m9qx4c0wd",
    type="decision",
    title="Use JWT for authentication",
    content="We need stateless authentication for the services ...",
    created="2026-02-08T10:00:00Z",
    modified="2026-02-08T10:00:00Z",
    tags=("auth", "security"),
    topic="backend/auth/tokens",
    confidence=0.9,
    source="agent",
    author="Ada Lovelace <ada@example.org>",
    agent="claude-code",
    session="4h1n0w8zt6rb",
    commit="9fceb02d0ae598e95dc970b74767f19372d61af8",
    files=(FileRef("src/auth/jwt.py", "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"),),
    links=(Link("affects", "0c5x8m2qw7vz", 0.85, "system", "common files"),),
    details={"reasoning": "stateless services", "outcome": "success"},
)
WRITTEN = """\
---
id: 7k2m9qx4c0wd
type: decision
title: Use JWT for authentication
tags: [auth, security]
topic: backend/auth/tokens
status: active
confidence: 0.9
source: agent
author: Ada Lovelace <ada@example.org>
agent: claude-code
session: 4h1n0w8zt6rb
commit: 9fceb02d0ae598e95dc970b74767f19372d61af8
files:
- {path: src/auth/jwt.py, blob: 3b18e512dba79e4c8300dd08aeb37f8e728b8dad}
created: 2026-02-08T10:00:00Z
modified: 2026-02-08T10:00:00Z
links:
- {relation: affects, target: 0c5x8m2qw7vz, confidence: 0.85, by: system, reason: common files}
details: {reasoning: stateless services, outcome: success}
---
We need stateless authentication for the services ...
"""


def _nest(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


def test_a_memory_is_written_as_the_format_says() -> None:
    """The bytes are the format: other programs read them, and blob ids depend on them."""
    assert document.dump(FULL).decode() == WRITTEN


def test_what_is_written_reads_back_the_same() -> None:
    """Nothing is lost or changed by being stored."""
    assert document.parse(document.dump(FULL)) == FULL


def test_unknown_keys_survive_in_their_order() -> None:
    """A newer version's fields must outlive an older version's edit."""
    text = WRITTEN.replace("---\nWe", "zebra: 1:30\nalpha: [1, {b: null}, yes]\n---\nWe")

    memory = document.parse(text.encode())

    assert list(memory.extra.items()) == [("zebra", "1:30"), ("alpha", [1, {"b": None}, "yes"])]
    assert document.parse(document.dump(memory._replace(title="Other"))).extra == memory.extra


@pytest.mark.parametrize(
    "content",
    [
        "x",
        "    indented first line\n\n---\n\nafter a rule",
        "line\r\nends\rmixed\n",
        "---\ntype: evil\n---\nnot front matter",
        "tail\n\n\n",
        "\ttab and trailing space ",
        "é ü 日本語 🎉 a\u0301",
        "w" * 256 * 1024,
    ],
)
def test_content_round_trips_byte_for_byte(content: str) -> None:
    """Up to 256 KB, whatever it looks like."""
    assert document.parse(document.dump(FULL._replace(content=content))).content == content


@pytest.mark.parametrize(
    ("reason", "broken"),
    [
        ("no-front-matter", b""),
        ("no-front-matter", b"just text\n"),
        ("no-front-matter", b"---\nid: x\nno end\n"),
        ("bad-value", WRITTEN.encode() + b"w" * 256 * 1024 + b"\n"),
        ("bom", b"\xef\xbb\xbf" + WRITTEN.encode()),
        ("crlf", WRITTEN.replace("\n", "\r\n").encode()),
        ("not-utf-8", WRITTEN.replace("We", "W\udcff").encode(errors="surrogateescape")),
        ("no-final-newline", WRITTEN.rstrip("\n").encode()),
        ("alias", WRITTEN.replace("tags: [auth, security]", "tags: &a [x]\nmore: *a").encode()),
        ("alias", WRITTEN.replace("source: agent", "source: &a agent").encode()),
        ("alias", WRITTEN.replace("source: agent", "source: *a").encode()),
        ("tag", WRITTEN.replace("source: agent", "source: !!str agent").encode()),
        ("tag", WRITTEN.replace("tags: [", "tags: !!set [").encode()),
        ("tag", WRITTEN.replace("topic: b", "topic: !!python/name:os.system b").encode()),
        ("duplicate-key", WRITTEN.replace("source: agent", "type: decision").encode()),
        ("duplicate-key", WRITTEN.replace("source: agent", "x: {b: 1, b: 2}").encode()),
        ("bad-key", WRITTEN.replace("source: agent", "true: 1").encode()),
        ("bad-key", WRITTEN.replace("source: agent", "k" * 201 + ": 1").encode()),
        ("bad-key", WRITTEN.replace("source: agent", "? [a]\n: b").encode()),
        ("bad-key", WRITTEN.replace("source: agent", "1: b").encode()),
        ("too-deep", WRITTEN.replace("source: agent", "x: " + "[" * 500 + "]" * 500).encode()),
        ("too-many", WRITTEN.replace("source: agent", f"x: [{'a,' * 4000}]").encode()),
        ("too-many", WRITTEN.replace("source: agent", f"x: [{'[],' * 4000}]").encode()),
        ("too-deep", WRITTEN.replace("source: agent", "x:\n  " + "- " * 500 + "a").encode()),
        ("too-large", WRITTEN.replace("source: agent", "x: " + "a" * 70_000).encode()),
        ("not-yaml", WRITTEN.replace("source: agent", "source: [agent").encode()),
        ("not-yaml", WRITTEN.replace("source: agent", "source: a\n...\n--- b").encode()),
        ("not-a-mapping", b"---\n\n---\ntext\n"),
        ("not-a-mapping", b"---\n- a\n- b\n---\ntext\n"),
        ("missing-field", WRITTEN.replace("type: decision\n", "").encode()),
        ("wrong-type", WRITTEN.replace("title: Use", "title: [Use]\nx: Use").encode()),
        ("wrong-type", WRITTEN.replace("confidence: 0.9", "confidence: high").encode()),
        ("wrong-type", WRITTEN.replace("confidence: 0.9", "confidence: true").encode()),
        ("bad-value", WRITTEN.replace("confidence: 0.9", "confidence: 1.5").encode()),
        ("bad-value", WRITTEN.replace("confidence: 0.9", "confidence: .nan").encode()),
        ("bad-value", WRITTEN.replace("created: 2026-02-08", "created: 2026-13-08").encode()),
        ("bad-value", WRITTEN.replace("type: decision", "type: nonsense").encode()),
        ("bad-value", WRITTEN.replace("path: src/auth", "path: ../../etc").encode()),
        ("bad-value", WRITTEN.replace("7k2m9qx4c0wd", "7k2m9qx4c0wu").encode()),
    ],
)
def test_hostile_documents_are_named_errors(reason: str, broken: bytes) -> None:
    """Never a crash, never a memory its author did not write."""
    with pytest.raises(InvalidDocument) as caught:
        document.parse(broken)

    assert caught.value.reason == reason
    assert caught.value.message


def test_python_frontmatter_reads_and_writes_our_headers_with_the_strict_handler() -> None:
    """Its handler is how headers are read here, and anyone can read memories with it."""
    post = python_frontmatter.loads(WRITTEN, handler=HANDLER)

    assert post.metadata == document.fields(FULL) | {"tags": list(FULL.tags)}
    assert python_frontmatter.dumps(post, handler=HANDLER).startswith(WRITTEN.partition("\nWe")[0])
    with pytest.raises(InvalidDocument, match="anchor or alias"):
        python_frontmatter.loads("---\na: &a [x]\nb: [*a, *a]\n---\ntext\n", handler=HANDLER)


def test_an_empty_content_cannot_be_written() -> None:
    """A memory says something."""
    with pytest.raises(Invalid):
        document.dump(FULL._replace(content=""))


def test_front_matter_over_64_kb_cannot_be_written() -> None:
    """What we write, every version must be able to read."""
    with pytest.raises(InvalidDocument, match="64 KB"):
        document.dump(FULL._replace(details={"reasoning": "x" * 70_000}))


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    | st.sampled_from(["yes", "No", "~", "null", "1e5", "0x1f", ".5", "2026-02-08", "1:30", "- a"])
)
keys = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(keys, values, min_size=1, max_size=6))
def test_any_front_matter_reads_back_as_it_was_written(fields: dict[str, object]) -> None:
    """The writer is our own, so it is held against the reader on everything YAML can get wrong."""
    assert frontmatter.load(frontmatter.dump(fields)) == fields


@given(st.dictionaries(keys, values, min_size=1, max_size=4))
def test_the_same_fields_give_the_same_bytes(fields: dict[str, object]) -> None:
    """Two clones that write the same memory must make the same blob."""
    text = frontmatter.dump(fields)

    assert frontmatter.dump(frontmatter.load(text)) == text


@given(st.binary(max_size=300) | st.text(string.printable, max_size=300).map(str.encode))
def test_arbitrary_bytes_never_crash_the_reader(junk: bytes) -> None:
    """Fetched trees are hostile."""
    for data in (junk, b"---\n" + junk + b"\n---\ntext\n"):
        with contextlib.suppress(InvalidDocument):
            document.parse(data)


def test_ids_come_from_type_and_content() -> None:
    """Two clones that learn the same thing store one memory."""
    one = derive_id("decision", "Use WAL mode")

    assert one == derive_id("decision", "Use WAL mode") == "sj5s4byfgq4e"
    assert one != derive_id("pattern", "Use WAL mode")
    assert one != derive_id("decision", "Use WAL mode", 1)


@pytest.mark.parametrize(
    "extra",
    [
        {"k" * 201: 1},
        {"deep": [{"x": _nest(15)}]},
        {"deep": _nest(16)},
        {"\x85" * 200: 1},
        {"n": 10**1000},
        {"a": object()},
    ],
    ids=["long key", "deep in a list", "deep", "key that grows when quoted", "huge", "no value"],
)
def test_what_could_not_be_read_back_cannot_be_written(extra: dict[str, object]) -> None:
    """An acknowledged memory must be a readable one."""
    with pytest.raises(InvalidDocument):
        document.dump(FULL._replace(extra=extra))


@pytest.mark.parametrize("number", [12345678901234567890, -(10**40), 0, -7, 1e300, -1e-300])
def test_numbers_keep_their_value(number: float) -> None:
    """Whatever their size."""
    assert document.parse(document.dump(FULL._replace(details={"n": number}))).details == {
        "n": number
    }


@pytest.mark.parametrize("text", ["007", "-007", "1e400", "+1e999", "0x1f", "1_000"])
def test_what_is_not_quite_a_number_stays_text(text: str) -> None:
    """A part number is not to become another one."""
    written = WRITTEN.replace("source: agent", f"source: agent\npart: {text}")

    assert document.parse(written.encode()).extra == {"part": text}


def test_bytes_do_not_depend_on_the_unicode_version() -> None:
    """Two clones may run two Pythons: what is not ASCII is always quoted."""
    title = document.dump(FULL._replace(title="Über 日本")).decode().splitlines()[3]

    assert title == 'title: "Über 日本"'
