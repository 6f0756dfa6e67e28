"""The format page is a promise to other programs, so its examples are run against the code."""

import json
import re
from pathlib import Path

import pytest

import treering.model
from treering.errors import InvalidDocument
from treering.git.objects import hash_blob
from treering.model import document, frontmatter
from treering.model.choices import STATUSES
from treering.model.memory import derive_id
from treering.model.scope import Scope, escape, unescape
from treering.model.taxonomy import RELATIONS, TYPES
from treering.store import message


@pytest.fixture
def format_page(page):
    return page("docs/reference/format.md")


def test_branch_names_escape_as_the_page_says(format_page):
    """Another implementation must find the ref of a branch, and the branch of a ref."""
    for branch, component in format_page.rows("branch", "component"):
        assert escape(branch) == component
        assert unescape(component) in (branch, None)
        assert Scope.of_component(component, full_name=branch) == Scope(branch)


def test_ids_are_derived_as_the_page_says(format_page):
    """Two clones agree on an id only if every program derives it alike."""
    for kind, content, n, memory_id in format_page.rows("type", "content", "n", "id"):
        assert derive_id(kind, json.loads(content), int(n)) == memory_id


def test_scalars_are_read_as_the_page_says(format_page):
    """A YAML library's own idea of `yes` or `12:30` would change what someone wrote."""
    for scalar, value in format_page.rows("scalar", "value"):
        found, expected = frontmatter.load(f"key: {scalar}")["key"], json.loads(value)
        assert (type(found), found) == (type(expected), expected)


def test_text_is_written_as_the_page_says(format_page):
    """The same memory gives the same bytes only if quoting has one rule."""
    for text, written in format_page.rows("text", "written"):
        assert frontmatter.dump({"key": json.loads(text)}) == f"key: {written}\n"


def test_numbers_are_written_as_the_page_says(format_page):
    """A float without a point before its exponent is text to a YAML 1.1 reader."""
    for number, written in format_page.rows("number", "written"):
        assert frontmatter.dump({"key": json.loads(number)}) == f"key: {written}\n"


def test_example_document_is_byte_for_byte_what_the_code_writes(format_page):
    """The example is what people copy; its version proves that no byte is off."""
    (text,) = format_page.blocks("markdown")

    written = document.dump(document.parse(text.encode()))

    assert written.decode() == text
    assert f"has the version `{hash_blob(written)}`" in format_page.text


def test_fields_stand_in_the_order_the_code_writes_them(format_page):
    """The example uses every field, so its keys are the order."""
    (text,) = format_page.blocks("markdown")
    fields = document.fields(document.parse(text.encode()))

    named = [row[0] for row in format_page.rows("field", "type", "required", "rule")]

    assert named == list(fields)


def test_example_commit_message_is_what_the_code_writes(format_page):
    """History is found by trailer, so their spelling and order are part of the format."""
    text = next(block for block in format_page.blocks("text") if "Treering-Op" in block)

    assert message.read(text).as_text() == text


def test_exactly_the_required_fields_cannot_be_left_out(format_page):
    """A reader may rely on what is required, and on nothing else."""
    (text,) = format_page.blocks("markdown")

    for field, _, required, _ in format_page.rows("field", "type", "required", "rule"):
        without = re.sub(rf"^{field}:.*\n(- .*\n)*", "", text, flags=re.MULTILINE)
        assert (_refusal(without) == "missing-field") is (required == "yes"), field


def _refusal(text: str) -> str:
    try:
        document.parse(text.encode())
    except InvalidDocument as error:
        return error.reason
    return ""


def test_every_reason_for_refusing_a_document_is_listed(format_page):
    """Reasons are stable words that others may test for."""
    folder = Path(treering.model.__file__).parent
    sources = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.py")))

    raised = set(re.findall(r'InvalidDocument\(\s*"([a-z0-9-]+)"', sources))

    assert {reason for reason, _ in format_page.rows("reason", "when")} == raised


def test_types_statuses_and_relations_are_those_of_the_taxonomy(format_page):
    """The taxonomy is the one list; the page only shows it."""
    types = dict(format_page.rows("type", "description"))
    statuses = tuple(status for status, _ in format_page.rows("status", "meaning"))
    relations = dict(format_page.rows("relation", "family"))

    assert types == {name: kind.description for name, kind in TYPES.items()}
    assert statuses == STATUSES
    assert relations == RELATIONS


def test_limits_are_those_of_the_code(format_page):
    """A writer that trusts a larger limit would make documents nobody can read."""
    assert f"at most {frontmatter.MAX_BYTES:,} bytes" in format_page.text
    assert f"at most {frontmatter.MAX_DEPTH} levels deep" in format_page.text
    assert f"text of at most {frontmatter.MAX_KEY} characters" in format_page.text
    assert f"more than {message.MOST_NAMED}: how many" in format_page.text
    assert f"has the number {document.FORMAT}." in format_page.text
