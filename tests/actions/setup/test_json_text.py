"""A settings file is the user's: an edit may add what is ours, and not move one other byte."""

import json

import pytest

from treering.actions.setup import json_text
from treering.errors import Invalid

LAYOUTS = {
    "two spaces": '{\n  "a": 1,\n  "mcpServers": {\n    "x": {"command": "y"}\n  }\n}\n',
    "four spaces": '{\n    "mcpServers": {\n        "x": [\n            0\n        ]\n    }\n}',
    "tabs": '{\n\t"mcpServers": {\n\t\t"x": []\n\t}\n}\n',
    "one line": '{"mcpServers": {"x": 1}, "b": [1, 2]}',
    "empty": "{}",
    "empty, open": "{\n}\n",
    "empty object": '{\n  "mcpServers": {}\n}\n',
    "without it": '{\n  "b": [\n    1,\n    2\n  ]\n}\n',
    "carriage returns": '{\r\n  "mcpServers": {\r\n    "x": 1\r\n  }\r\n}\r\n',
    "odd spacing": '  { "a" :1 ,\n"mcpServers" : {"é\\u00e9\\"": "}{][,:"}  }  \n',
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_member_is_added_and_nothing_else_changes(layout):
    """Everything before and after the insertion is what it was."""
    text = LAYOUTS[layout]

    insertion = json_text.put_member(text, ("mcpServers", "treering"), {"args": ["mcp"]})
    after = json_text.apply(text, insertion)

    wanted = json.loads(text)
    wanted.setdefault("mcpServers", {})["treering"] = {"args": ["mcp"]}
    assert json.loads(after) == wanted
    assert list(json.loads(after)) == list(wanted)
    assert after[: insertion.at] + after[insertion.at + len(insertion.text) :] == text


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_was_added_can_be_taken_out_by_name(layout):
    """After other edits places have moved, but the member is still ours."""
    text = LAYOUTS[layout]
    put = json_text.put_member(text, ("mcpServers", "treering"), {"args": ["mcp"]})
    edited = json_text.apply(text, put)
    edited = json_text.apply(edited, json_text.put_member(edited, ("mine",), "kept"))

    rest = json_text.without_member(edited, ("mcpServers", "treering"))

    wanted = {"mcpServers": {}} | json.loads(text) | {"mine": "kept"}
    assert {"mcpServers": {}} | json.loads(rest) == wanted


def test_new_lines_have_the_files_own_indentation():
    """A diff should show the new lines and nothing odd about them."""
    text = LAYOUTS["four spaces"]

    after = json_text.apply(text, json_text.put_member(text, ("mcpServers", "t"), {"a": [1]}))

    assert after == (
        '{\n    "mcpServers": {\n        "x": [\n            0\n        ],\n'
        '        "t": {\n            "a": [\n                1\n            ]\n        }\n    }\n}'
    )


def test_items_are_added_to_lists_and_taken_out_by_value():
    """Hooks of others stand in the same list."""
    text = '{\n  "hooks": {\n    "Stop": [\n      {"command": "theirs"}\n    ]\n  }\n}\n'
    ours = {"command": "treering"}

    one = json_text.apply(text, json_text.put_item(text, ("hooks", "Stop"), ours))
    two = json_text.apply(one, json_text.put_item(one, ("hooks", "Start"), ours))
    back = json_text.without_item(two, ("hooks", "Start"), ours)

    assert json.loads(one)["hooks"] == {"Stop": [{"command": "theirs"}, ours]}
    assert json.loads(two)["hooks"]["Start"] == [ours]
    assert json_text.without_item(back, ("hooks", "Stop"), ours) == text


@pytest.mark.parametrize("text", ["// hello\n{}", '{"a": 1,}', "", "{", "[" * 100_000])
def test_what_is_not_plain_json_is_refused(text):
    """Comments would be lost, or worse."""
    with pytest.raises(Invalid):
        json_text.put_member(text, ("a", "b"), 1)


@pytest.mark.parametrize("text", ["[]", "1", '{"mcpServers": []}', '{"mcpServers": "x"}'])
def test_a_place_of_another_kind_is_refused(text):
    """Someone means something else by that name."""
    with pytest.raises(Invalid):
        json_text.put_member(text, ("mcpServers", "treering"), {})
