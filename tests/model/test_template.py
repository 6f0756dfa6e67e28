"""Templates: what they can say, and what no value can make them do."""

import pytest

from treering.errors import Invalid
from treering.model import template
from treering.model.template import MAX_NESTING, MAX_ROUNDS, parse, render

MEMORIES = [
    {"title": "Use WAL", "type": "decision", "tags": ["db", "io"], "author": {"name": "Ada"}},
    {"title": "Slow start", "type": "issue", "tags": [], "author": {"name": "Bob"}},
]


def rendered(source: str, **values: object) -> str:
    return render(parse(source), values)


def test_variables_and_paths_are_filled_in() -> None:
    """The whole of what most prompts need."""
    assert rendered("Review {{file}} for {{ a.b }}.", file="x.py", a={"b": "bugs"}) == (
        "Review x.py for bugs."
    )


def test_each_walks_a_list_by_alias_this_and_field() -> None:
    """`memory.title`, `this.title` and `title` all mean the item's."""
    source = "{{#each memories}}{{@index}} {{memory.title}}|{{this.type}}|{{title}};{{/each}}"

    assert rendered(source, memories=MEMORIES) == (
        "0 Use WAL|decision|Use WAL;1 Slow start|issue|Slow start;"
    )


def test_an_outer_variable_is_seen_inside_a_loop() -> None:
    """Where the item has no field of that name."""
    source = "{{#each memories}}{{who}}: {{memory.author.name}}. {{/each}}"

    assert rendered(source, memories=MEMORIES, who="by") == "by: Ada. by: Bob. "


def test_tags_alone_in_their_line_leave_no_blank_line() -> None:
    """Templates are written over several lines and should read well."""
    source = "# List\n{{#each memories}}\n- {{title}}\n{{/each}}\nend\n"

    assert rendered(source, memories=MEMORIES) == "# List\n- Use WAL\n- Slow start\nend\n"


def test_if_and_else_look_at_whether_there_is_something() -> None:
    """A missing variable is nothing, and so are empty texts and lists."""
    source = "{{#if note}}note: {{note}}{{else}}no note{{/if}}"

    assert rendered(source, note="read this") == "note: read this"
    assert rendered(source, note="") == "no note"
    assert rendered(source) == "no note"


def test_loops_nest() -> None:
    """Each with its own item."""
    source = "{{#each memories}}{{title}}:{{#each memory.tags}} {{tag}}{{this}}{{/each}}\n{{/each}}"

    assert rendered(source, memories=MEMORIES) == "Use WAL: dbdb ioio\nSlow start:\n"


def test_values_are_written_plainly() -> None:
    """Numbers, truth and lists as people write them; other data as JSON."""
    assert rendered("{{a}} {{b}} {{c}} {{d}}", a=1.5, b=True, c=["x", 2], d={"k": "v"}) == (
        '1.5 true x, 2 {"k": "v"}'
    )


def test_all_that_is_missing_is_named_at_once() -> None:
    """Whoever gets them one by one gives up."""
    with pytest.raises(Invalid, match=r"needs one, a\.c, two"):
        rendered("{{one}} {{a.b}} {{a.c}} {{two}} {{one}}", a={"b": ""})


def test_names_are_known_before_anything_is_rendered() -> None:
    """So that a prompt can tell which arguments it takes."""
    made = parse(
        "{{a}} {{#if b}}{{b}}{{/if}} {{#if c}}x{{/if}} {{c.d}} {{a}} "
        "{{#each memories}}{{title}} {{memory.type}} {{this.id}}{{/each}}"
    )

    assert made.needed == ("a", "c", "memories")
    assert made.optional == ("b",)
    assert made.inner == {"memories": {"title"}}
    assert made.mentioned == {"a", "b", "c", "memories", "title"}


@pytest.mark.parametrize(
    "value",
    [
        "{{secret}}",
        "{{#each memories}}x{{/each}}",
        "{{/each}}",
        "\\{{secret}}",
        "{{this.__class__}}",
        "{" + "{secret}}",
    ],
)
def test_a_value_is_never_rendered_again(value: str) -> None:
    """A memory that holds a template is text."""
    source = "<{{a}}>{{#each memories}}[{{memory.content}}]{{/each}}"

    assert rendered(source, a=value, memories=[{"content": value}]) == f"<{value}>[{value}]"


def test_values_that_meet_make_no_tag() -> None:
    """`{` from one value and `{x}}` from the next stay what they are."""
    assert rendered("{{a}}{{b}}", a="{", b="{secret}}") == "{{secret}}"


@pytest.mark.parametrize(
    "path", ["memory.__class__", "memory.keys", "this.__init__", "memory.title.upper", "a.b.c"]
)
def test_only_keys_are_followed(path: str) -> None:
    """No attribute, no method, however it is spelt."""
    with pytest.raises(Invalid, match="needs"):
        rendered(f"{{{{#each memories}}}}{{{{{path}}}}}{{{{/each}}}}", memories=MEMORIES, a={})


def test_braces_meant_as_text_can_be_written() -> None:
    """A prompt about templates needs them."""
    assert rendered("\\{{name}} is {{name}}", name="x") == "{{name}} is x"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a\n{{#each x}}", "Line 2.*each.*never closed"),
        ("{{/each}}", "closes nothing"),
        ("{{#if a}}{{/each}}", "closes nothing"),
        ("{{#unless a}}{{/unless}}", "no block"),
        ("{{else}}", "belongs in"),
        ("{{#if a}}{{else}}{{else}}{{/if}}", "once"),
        ("{{a b}}", "not a variable"),
        ("{{}}", "not a variable"),
        ("{{a..b}}", "not a variable"),
        ("{{ä'; drop}}", "not a variable"),
        ("text {{open", "has no }}"),
        ("{{#each}}{{/each}}", "not a variable"),
        ("x" * (template.MAX_SOURCE + 1), "longer than 64 KB"),
        ("{{#if a}}" * (MAX_NESTING + 1) + "{{/if}}" * (MAX_NESTING + 1), "nested more than"),
    ],
)
def test_what_cannot_be_understood_is_said_with_its_line(source: str, message: str) -> None:
    """At saving, not at the moment it is needed."""
    with pytest.raises(Invalid, match=message):
        parse(source)


def test_nested_loops_over_huge_lists_end() -> None:
    """Ten thousand times ten thousand rounds are not made."""
    source = "{{#each a}}{{#each b}}x{{/each}}{{/each}}"

    with pytest.raises(Invalid, match="loops more than"):
        rendered(source, a=[1] * MAX_ROUNDS, b=[1] * MAX_ROUNDS)


def test_huge_output_ends() -> None:
    """A few loops over a long text are cut before they fill the memory."""
    with pytest.raises(Invalid, match="longer than 256 KB"):
        rendered("{{#each a}}{{b}}{{/each}}", a=[1] * 5000, b="x" * 5000)


def test_each_wants_a_list() -> None:
    """A text would be walked letter by letter."""
    for value in ("text", {"a": 1}, 7):
        with pytest.raises(Invalid, match="not a list"):
            rendered("{{#each a}}x{{/each}}", a=value)


def test_hostile_sources_take_no_time() -> None:
    """Long runs of braces and spaces are looked at once."""
    for source in (
        "{" * 60_000,
        "{{" + " " * 60_000,
        "{{" * 30_000,
        "}}" * 30_000,
        "\\{{" * 20_000,
    ):
        try:
            parse(source)
        except Invalid:
            continue
