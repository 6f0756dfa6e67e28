"""Entities in software prose."""

import pytest

from treering.text.extraction import extract, kind_of


def found(text: str, sure: float = 0.6) -> set[tuple[str, str]]:
    return {(item.name, item.kind) for item in extract(text, sure)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We moved the cache from memcached to redis.",
         {("Memcached", "technology"), ("Redis", "technology")}),
        ("Postgres runs on k8s", {("PostgreSQL", "technology"), ("Kubernetes", "technology")}),
        ("The worker is written in Rust and Go", {("Rust", "technology"), ("Go", "technology")}),
        ("Go to the settings page", set()),
        ("Fix src/auth/jwt.py and tests/test_jwt.py, see README.md",
         {("src/auth/jwt.py", "file"), ("tests/test_jwt.py", "file"), ("README.md", "file")}),
        ("See https://example.org/a/b.py for more", set()),
        ("Fix it\n\nCo-authored-by: Ada Lovelace <ada@example.org>\nSigned-off-by: Bob <b@x.y>",
         {("Ada Lovelace", "person"), ("Bob", "person")}),
        ("Co-authored-by: dependabot[bot] <x@github.com>", set()),
        ("Alice from Anthropic uses Rust to build the API.",
         {("Alice", "person"), ("Anthropic", "organization"), ("Rust", "technology")}),
        ("According to Grace Hopper the queue is full", {("Grace Hopper", "person")}),
        ("ask @octocat about it", {("@octocat", "person")}),
        ("mail me at me@example.org", set()),
        ("Built for Acme Widgets Inc under contract", {("Acme Widgets Inc", "organization")}),
        ("The OrderService does rate limiting",
         {("OrderService", "concept"), ("rate limiting", "concept")}),
        ("```\n@decorator\nclass FooBar: ...\n```", set()),
        ("When from Monday on The Team said nothing", set()),
        ("GitHub Actions runs the tests", {("GitHub Actions", "technology")}),
        ("Node.js and C++ and .NET", {("Node.js", "technology"), ("C++", "technology"),
                                      (".NET", "technology")}),
    ],
)  # fmt: skip
def test_what_prose_names(text: str, expected: set[tuple[str, str]]) -> None:
    """Exactly this: a false find is clutter for everyone."""
    names = found(text)

    assert expected <= names
    assert {item for item in names - expected if item != ("GitHub", "technology")} == set()


def test_finds_say_how_sure_they_are_and_come_once() -> None:
    """A trailer is surer than a turn of phrase."""
    items = extract(
        "Ada Lovelace said so.\n\nReviewed-by: Ada Lovelace <ada@example.org>\nredis Redis"
    )

    assert [(item.name, item.confidence) for item in items] == [
        ("Ada Lovelace", 0.95), ("Redis", 0.9),
    ]  # fmt: skip


def test_less_sure_finds_are_left_out() -> None:
    """As the caller wishes."""
    assert found("Rust is fine", 0.9) == set()
    assert ("Rust", "technology") in found("Rust is fine", 0.4)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("redis", "technology"),
        ("src/a.py", "file"),
        ("dark mode", "concept"),
        ("Google", "organization"),
    ],
)
def test_a_bare_name_has_a_likely_kind(name: str, kind: str) -> None:
    """For whoever adds one without saying."""
    assert kind_of(name) == kind


@pytest.mark.parametrize("unit", ["a.", "A a ", "Aa", "/a", "@a ", "<a@a> ", "Ab Cd ", "```", "- "])
def test_hostile_texts_take_no_time(unit: str) -> None:
    """A quarter of a megabyte of anything."""
    assert len(extract(unit * (262_144 // len(unit)), 0.6)) < 100
