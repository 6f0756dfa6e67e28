"""A settings file is the user's: an edit may add what is ours, and not move one other byte."""

import json

import pytest

from treering.errors import Invalid
from treering.text import json_text

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


def test_new_lines_have_the_files_own_indentation():
    """A diff should show the new lines and nothing odd about them."""
    text = LAYOUTS["four spaces"]

    after = json_text.apply(text, json_text.put_member(text, ("mcpServers", "t"), {"a": [1]}))

    assert after == (
        '{\n    "mcpServers": {\n        "x": [\n            0\n        ],\n'
        '        "t": {\n            "a": [\n                1\n            ]\n        }\n    }\n}'
    )


def test_items_are_added_to_lists():
    """Hooks of others stand in the same list."""
    text = '{\n  "hooks": {\n    "Stop": [\n      {"command": "theirs"}\n    ]\n  }\n}\n'
    ours = {"command": "treering"}

    one = json_text.apply(text, json_text.put_item(text, ("hooks", "Stop"), ours))
    two = json_text.apply(one, json_text.put_item(one, ("hooks", "Start"), ours))

    assert json.loads(one)["hooks"] == {"Stop": [{"command": "theirs"}, ours]}
    assert json.loads(two)["hooks"]["Start"] == [ours]


COMMENTED = {
    "before all": '// hello\n{\n  "a": 1\n}\n',
    "byte order mark": '\ufeff{\r\n  "a": 1\r\n}\r\n',
    "last comma": '{\n  "a": 1,\n}\n',
    "after the last": '{\n  "a": 1 // one\n}\n',
    "below the last": '{\n  "a": 1\n  /* nothing, "b": 2, */\n}\n',
    "in an empty one": "{\n  // nothing yet\n}\n",
    "between": '{\n  "a": 1, // one\n  /* two */ "b": 2\n}\n',
    "inside": '{\n  "mcpServers": {\n    "x": {"url": "http://a//b"}, // x\n  },\n}\n',
    "on one line": '{"a": 1, /* b */ "b": [1, 2,]}',
    "not one": '{\n  "a": "// no /* comment */ ,}"\n}\n',
}


@pytest.mark.parametrize("layout", COMMENTED)
def test_comments_and_marks_survive_an_edit(layout):
    """Editors write them, and people mean them."""
    text = COMMENTED[layout]
    comments = [part for part in ("hello", "// one", "nothing", "two", "// x", "/* b */", "// no")
                if part in text]  # fmt: skip

    insertion = json_text.put_member(text, ("mcpServers", "treering"), {"args": ["mcp"]})
    after = json_text.apply(text, insertion)
    wanted = json_text.parse(text)
    wanted.setdefault("mcpServers", {})["treering"] = {"args": ["mcp"]}
    assert json_text.parse(after) == wanted
    assert after[: insertion.at] + after[insertion.at + len(insertion.text) :] == text
    assert [part for part in comments if part not in after] == []


def test_a_changed_value_is_written_in_the_files_own_layout():
    text = '{\r\n    "a": ["x", "y"],\r\n    "b": "http://c"\r\n}\r\n'

    assert json_text.rewrite(text, json.loads(text)) == text


def test_a_file_with_comments_is_not_written_anew():
    with pytest.raises(Invalid):
        json_text.rewrite('{\n  "a": 1 // one\n}\n', {})


@pytest.mark.parametrize("text", ["// hello", '{"a": 1,,}', "", "{", '{"a": /* b }', "[" * 100_000])
def test_what_is_not_json_is_refused(text):
    """Nobody can say what it means."""
    with pytest.raises(Invalid):
        json_text.put_member(text, ("a", "b"), 1)


@pytest.mark.parametrize("text", ["[]", "1", '{"mcpServers": []}', '{"mcpServers": "x"}'])
def test_a_place_of_another_kind_is_refused(text):
    """Someone means something else by that name."""
    with pytest.raises(Invalid):
        json_text.put_member(text, ("mcpServers", "treering"), {})
