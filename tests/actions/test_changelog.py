"""A changelog becomes one memory per bullet, dated by its version."""

import pytest

from conftest import Repo

MARKDOWN = """\
# Change Log

## Unreleased

- Add support for NO_COLOR (#5129)

## [24.1.0] - 2024-01-26

<!-- a note to authors
- not an entry -->

### Preview style

- Hug parentheses around one argument, because nested brackets
  were hard to read (#3964)
  - also for sequences
- Prefer splitting right hand sides

## 23.12.1

### Packaging

* Fixed a bug that included dependencies from the `d` extra (#4108)
"""
RST = """\
Version 8.1.0
-------------

Released 2022-03-28

-   Drop support for Python 3.6. :pr:`2129`
-   Use modern packaging metadata with ``setup.cfg`` instead of
    ``setup.py``. :pr:`326`

Version 8.0.4
-------------

Released 2022-02-18

-   ``open_file`` recognizes ``Path("-")`` as a standard stream.
"""


@pytest.mark.parametrize(
    ("name", "text", "entries"),
    [
        ("CHANGES.md", MARKDOWN, [
            ("Add support for NO_COLOR (#5129)", None, "", []),
            ("Hug parentheses around one argument, because nested brackets", "2024-01-26", "24.1.0",
             ["preview-style"]),
            ("Prefer splitting right hand sides", "2024-01-26", "24.1.0", ["preview-style"]),
            ("Fixed a bug that included dependencies from the `d` extra (#4108)", None, "23.12.1",
             ["packaging"]),
        ]),
        ("CHANGES.rst", RST, [
            ("Drop support for Python 3.6. :pr:`2129`", "2022-03-28", "8.1.0", []),
            ("Use modern packaging metadata with ``setup.cfg`` instead of", "2022-03-28", "8.1.0",
             []),
            ('``open_file`` recognizes ``Path("-")`` as a standard stream.', "2022-02-18", "8.0.4",
             []),
        ]),
    ],
)  # fmt: skip
def test_each_bullet_is_a_memory_of_its_version(
    repo: Repo, name: str, text: str, entries: list[tuple[str, str | None, str, list[str]]]
) -> None:
    (repo.path / name).write_text(text)

    assert repo.json("import", name)["imported"] == len(entries)

    found = {
        hit.title: (hit.created[:10], hit.details.get("version", ""), list(hit.tags))
        for hit in repo.tr.recall(detail="full").results
    }
    undated = {title for title, date, *_ in entries if date is None}  # made just now, then
    assert found == {
        title: (found[title][0] if title in undated else date, *rest)
        for title, date, *rest in entries
    }
    assert repo.json("import", name)["skipped"] == len(entries)


def test_continued_lines_and_what_is_nested_stay_with_their_bullet(repo: Repo) -> None:
    (repo.path / "CHANGELOG.md").write_text(MARKDOWN)
    repo.json("import", "CHANGELOG.md")

    (hit,) = repo.tr.recall("parentheses nested brackets", detail="full").results

    assert "were hard to read (#3964)" in hit.content
    assert "- also for sequences" in hit.content


def test_a_page_that_is_only_called_so_is_a_page(repo: Repo) -> None:
    (repo.path / "HISTORY.md").write_text("# How it began\n\nOnce upon a time.\n\n- one\n- two\n")

    assert repo.json("import", "HISTORY.md")["imported"] == 1
