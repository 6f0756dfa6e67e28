"""What we write is read without a YAML library, as YAML reads it; all else is left to it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treering.errors import InvalidDocument
from treering.model import frontmatter
from treering.model.own_yaml import read_own

KEYS = st.one_of(
    st.sampled_from(["id", "type", "true", "null", "on", "y", "a b", "1", "0x", "~"]),
    st.text("ab_ -:?#'\"é", max_size=6),
)
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text("abz019 _/.@<>()+~'!?;=-:#,[]{}&*|%`\"\\\n\t", max_size=10),
    st.sampled_from(["2026-01-02T03:04:05Z", "67d7y9wb14pd", "1e5", "0.8", "-1", "null", "~"]),
)
SCALARS = st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)
MARKS = ": -#,[]{}\"'\\ \n\tu0Dd8?&*é\x85\u2028\ufeff"
FIELDS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


def by_yaml(text: str) -> Any:
    try:
        return frontmatter._load_yaml(text)
    except InvalidDocument as error:
        return error.reason


def agree(text: str) -> bool:
    own = read_own(text, frontmatter._resolve)
    return own is None or repr(own) == repr(by_yaml(text))


@settings(max_examples=300, deadline=None)
@given(FIELDS)
def test_what_was_dumped_is_read_as_yaml_reads_it(fields: dict[str, Any]) -> None:
    """Two readers of one document must not disagree about what it says."""
    try:
        text = frontmatter.dump(fields).removesuffix("\n")
    except InvalidDocument:
        return

    assert agree(text)


@settings(max_examples=300, deadline=None)
@given(
    FIELDS, st.integers(0, 200), st.text(": -#,[]{}\"'\\ \n\tu0Dd8?&*é\x85\u2028\ufeff", max_size=3)
)
def test_a_document_that_somebody_changed_is_never_read_in_another_way(
    fields: dict[str, Any], at: int, put_in: str
) -> None:
    """Everything fetched is hostile: what YAML refuses must not become a memory here."""
    try:
        text = frontmatter.dump(fields).removesuffix("\n")
    except InvalidDocument:
        return
    at %= len(text) + 1

    assert agree(text[:at] + put_in + text[at:])
    assert agree(text[:at] + text[at + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2",
        "a: {b: 1, b: 2}",
        "true: 1",
        "a: &x 1",
        "a: *x",
        "a: !!str 1",
        "a: [1, 2",
        "a: 'b'",
        "a:\n  b: 1",
        "a: |\n  b",
        "a: b # c",
        'a: "\\ud83d\\ude00"',
        'a: "b" c',
        "a: [b?]",
        "a: [1,2]",
        "a: [1, ]",
        "a:",
        "",
        "- a",
        "a: 1\n- b",
        "---\na: 1",
    ],
)
def test_the_unusual_is_left_to_yaml(text: str) -> None:
    assert read_own(text, frontmatter._resolve) is None


def test_a_memory_as_we_write_it_needs_no_yaml() -> None:
    fields = {
        "id": "67d7y9wb14pd",
        "title": 'Say "no": readers #never block, größer',
        "tags": ["a b", "c,d"],
        "confidence": 0.8,
        "created": "2026-01-02T03:04:05Z",
        "files": [{"path": "src/a.py", "blob": "a" * 40}],
        "links": [{"relation": "supersedes", "target": "67d7y9wb14pd", "confidence": 1.0}],
        "details": {"place": 3, "is": True, "none": None, "more": {"x": []}},
    }

    text = frontmatter.dump(fields).removesuffix("\n")

    assert fields == read_own(text, frontmatter._resolve)
