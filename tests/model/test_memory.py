"""The small rules of memories: titles, prefixes, trimming."""

import pytest

from treering.errors import Invalid
from treering.model.memory import Link, Memory, beyond_title, id_prefix, is_id, title_of, trim


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Use WAL mode\n\nbecause", "Use WAL mode"),
        ("\n\n- item one", "item one"),
        ("> quoted   with  spaces", "quoted with spaces"),
        ("---", "untitled"),
        ("plain", "plain"),
    ],
)
def test_the_title_is_the_first_line_that_says_something(content: str, title: str) -> None:
    """People write markdown."""
    assert title_of(content) == title


def test_a_long_first_line_is_cut_to_a_title() -> None:
    """200 characters is the limit of the format."""
    title = title_of("word " * 100)

    assert len(title) <= 200
    assert title.endswith("…")


@pytest.mark.parametrize(
    ("text", "title", "beyond"),
    [
        ("Use WAL mode because readers wait", "Use WAL mode", "because readers wait"),
        ("# Use WAL mode: readers wait", "Use WAL mode", "readers wait"),
        ("Use WAL mode", "Use WAL mode", ""),
        ("Use WAL …", "Use WAL mode", ""),
        ("a long first line", "a long fi…", "…rst line"),
        ("Readers wait", "Use WAL mode", "Readers wait"),
    ],
)
def test_a_text_beside_its_title_does_not_say_it_again(text: str, title: str, beyond: str) -> None:
    assert beyond_title(text, title) == beyond


def test_outer_blank_lines_go_and_inner_ones_stay() -> None:
    """Indentation of the first line is content."""
    assert trim("\n  \n    code\n\n  more \n \n\n") == "    code\n\n  more "


@pytest.mark.parametrize("typed", ["7k2m", "7K2M", "treering://memory/7k2m", " 7k2m "])
def test_prefixes_are_accepted_as_people_type_them(typed: str) -> None:
    """Case and the uri form do not matter."""
    assert id_prefix(typed) == "7k2m"


def test_look_alike_letters_mean_digits() -> None:
    """Crockford's alphabet has no i, l, o: whoever types them means 1 and 0."""
    assert id_prefix("O1iL") == "0111"


@pytest.mark.parametrize("typed", ["", "7k2", "7k2m9qx4c0wd0", "7k2u", "../../x", "7k2m\n"])
def test_what_cannot_be_an_id_is_refused(typed: str) -> None:
    """Ids become paths in trees, so nothing else may get there."""
    if typed == "7k2m\n":  # white space around is forgiven
        assert id_prefix(typed) == "7k2m"
        return
    with pytest.raises(Invalid):
        id_prefix(typed)


def test_an_id_is_twelve_characters_of_the_alphabet() -> None:
    """The same test guards names found in fetched trees."""
    assert is_id("7k2m9qx4c0wd")
    assert not is_id("7k2m9qx4c0wu")
    assert not is_id("7k2m9qx4c0w")
    assert not is_id("7K2M9QX4C0WD")


# --- what becomes of a memory ---------------------------------------------------------------------


def _memory(**fields: object) -> Memory:
    date = "2026-01-01T00:00:00Z"
    return Memory("0" * 12, "decision", "t", "t", date, date, **fields)  # type: ignore[arg-type]


def test_a_forgotten_memory_comes_back_as_it_was() -> None:
    """With the status it had, and without a trace of having been away."""
    memory = _memory(status="needs-review", details={"reason": "slow"})

    assert memory.forget("old").is_forgotten
    assert memory.forget("old").restore() == memory


@pytest.mark.parametrize("mark", [None, "active", {}, {"was": "deleted"}, {"was": ["active"]}])
def test_a_mark_nobody_understands_restores_to_active(mark: object) -> None:
    """Details are anyone's to write."""
    assert _memory(status="deleted", details={"forgotten": mark}).restore().status == "active"


def test_a_link_takes_the_place_of_the_same_one() -> None:
    """A link is known by its relation and its target."""
    first, second = Link("uses", "1" * 12), Link("uses", "2" * 12)
    memory = _memory(links=(first, second, first))

    surer = first._replace(confidence=1.0)

    assert memory.link(surer).links == (surer, second)


def test_what_was_unlinked_is_left_alone_until_it_is_linked_again() -> None:
    """Inference asks for `unlinked`; a person may change their mind."""
    link = Link("uses", "1" * 12)
    memory = _memory(links=(link,))

    assert memory.unlink("uses", link.target).unlinked == (link.target,)
    assert memory.drop_link("uses", link.target).unlinked == ()
    assert memory.unlink("uses", link.target).link(link) == memory
