"""From a client's tool call to the files and lines it touched."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.hooks.tools import MAX_FILES, MAX_TEXT, TouchedLines, list_touched

PATCH = """\
*** Begin Patch
*** Update File: src/pool.py
@@ class Pool:
     def size(self):
-        return 5
+        return 50
@@
-import old
+import new
*** Add File: notes.md
+# Notes
+One line.
*** Delete File: gone.py
*** Update File: a.txt
*** Move to: b.txt
@@
 same
-x
+y
*** End of File
*** End Patch
"""


def _claude_read(**file: Any) -> dict[str, Any]:
    return {
        "session_id": "s",
        "transcript_path": "/home/ada/.claude/projects/x/s.jsonl",
        "cwd": "/repo",
        "permission_mode": "default",
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "/repo/a.py", "offset": 10, "limit": 20},
        "tool_response": {"type": "text", "file": {"filePath": "/repo/a.py", **file}},
        "tool_use_id": "toolu_1",
    }


def _call(tool_name: str, tool_input: object, **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s", "cwd": "/repo", "tool_name": tool_name, "tool_input": tool_input, **more
    }  # fmt: skip


def _gemini_after(tool_name: str, tool_input: object, **response: Any) -> dict[str, Any]:
    response = {"llmContent": "...", "returnDisplay": "", **response}
    return _call(
        tool_name, tool_input, tool_response=response, timestamp="2026-01-01T00:00:00.000Z"
    )


READS = {
    "claude, a part": (
        "claude",
        _claude_read(content="...", startLine=10, numLines=20, totalLines=99),
        ("/repo/a.py", 10, 29),
    ),
    "claude, all of it": (
        "claude",
        _claude_read(content="...", startLine=1, numLines=99, totalLines=99),
        ("/repo/a.py", 0, 0),
    ),
    "claude, unchanged since the last read": (
        "claude",
        _call(
            "Read",
            {"file_path": "/repo/a.py", "offset": 10},
            tool_response={"type": "file_unchanged", "file": {"filePath": "/repo/a.py"}},
        ),
        ("/repo/a.py", 10, 2009),
    ),
    "gemini, a part": (
        "gemini",
        _gemini_after("read_file", {"file_path": "a.py", "start_line": 5, "end_line": 9}),
        ("a.py", 5, 9),
    ),
    "gemini, all of it": (
        "gemini",
        _gemini_after("read_file", {"file_path": "a.py"}),
        ("a.py", 0, 0),
    ),
    "gemini, files among patterns": (
        "gemini",
        _gemini_after("read_many_files", {"include": ["src/**/*.py", "a.py"]}),
        ("a.py", 0, 0),
    ),
    "cursor": (
        "cursor",
        _call(
            "Read",
            {"file_path": "/repo/a.py"},
            tool_output='{"file_path":"/repo/a.py","content_length":900}',
            duration=3,
            hook_event_name="postToolUse",
            workspace_roots=["/repo"],
        ),
        ("/repo/a.py", 0, 0),
    ),
    "opencode": (
        "opencode",
        _call("read", {"filePath": "/repo/a.py", "offset": 3, "limit": 4}),
        ("/repo/a.py", 3, 6),
    ),
}


@pytest.mark.parametrize("example", READS)
def test_a_read_names_its_file_and_lines(example):
    client, input, (path, first, last) = READS[example]

    assert list_touched(client, "read", input) == [TouchedLines(path, first, last)]


@pytest.mark.parametrize(
    "input",
    [
        _call("Read", {"file_path": "a.png"}, tool_response={"type": "image", "file": {}}),
        _gemini_after("read_file", {"file_path": "a.py"}, error={"message": "not found"}),
        _call("Read", {}),
    ],
)
def test_a_read_that_showed_no_lines_touches_nothing(input):
    assert list_touched("claude", "read", input) == []


@pytest.mark.parametrize(
    ("command", "touched"),
    [
        ("cat a.py", [("a.py", 0, 0)]),
        ("cat -n a.py b.py", [("a.py", 0, 0), ("b.py", 0, 0)]),
        ("sed -n '10,60p' src/a.py", [("src/a.py", 10, 60)]),
        ("sed -n '10,$p' a.py", [("a.py", 10, -1)]),
        ("sed -n '1,5p;9p' 'b c.py'", [("b c.py", 1, 5), ("b c.py", 9, 9)]),
        ("nl -ba a.py | sed -n '10,60p'", [("a.py", 10, 60)]),
        ("nl -b a a.py | sed -n 5p", [("a.py", 5, 5)]),
        ("head -n 40 a.py", [("a.py", 1, 40)]),
        ("head -40 a.py", [("a.py", 1, 40)]),
        ("head a.py", [("a.py", 1, 10)]),
        ("tail -n 20 a.py", [("a.py", -20, -1)]),
        ("tail -n +30 a.py", [("a.py", 30, -1)]),
        ("head -n 100 a.py | tail -n 20", [("a.py", 81, 100)]),
        ("tail -n +30 a.py | head -n 5", [("a.py", 30, 34)]),
        ("cat a.py 2>/dev/null | head -5", [("a.py", 1, 5)]),
        ("cd src && cat a.py", [("src/a.py", 0, 0)]),
        ("pwd && sed -n '1,9p' a.py; cat b.py\ncat c.py",
         [("a.py", 1, 9), ("b.py", 0, 0), ("c.py", 0, 0)]),
        ("bash -lc \"sed -n '3,4p' a.py\"", [("a.py", 3, 4)]),
        (["bash", "-lc", "cat a.py"], [("a.py", 0, 0)]),
        (["cat", "b c.py"], [("b c.py", 0, 0)]),
        ("/bin/cat /etc/motd", [("/etc/motd", 0, 0)]),
    ],
)  # fmt: skip
def test_codex_reads_by_plain_commands(command, touched):
    found = list_touched("codex", "read", _call("Bash", {"command": command}, tool_response="..."))

    assert [piece[:3] for piece in found] == touched


@pytest.mark.parametrize(
    "command",
    [
        "rg -n pool a.py",
        "grep -n pool a.py",
        "cat a.py | grep pool",
        "cat a.py > b.py",
        "cat > b.py <<'EOF'\ncat a.py\nEOF",
        "sed -i 's/a/b/' a.py",
        "sed -n '/def/,/return/p' a.py",
        "cat *.py $FILE ~/.netrc",
        "tail -f log",
        "head -5 a.py | sed -n '10,20p'",
        "git show HEAD:a.py | head -n 5",
        "cat 'a.py",
        "cat",
        "",
        None,
        7,
        ["cat", 7],
    ],
)
def test_other_commands_are_no_reads(command):
    assert list_touched("codex", "read", _call("Bash", {"command": command})) == []


EDITS = {
    "claude edits": (
        "claude",
        _call("Edit", {"file_path": "/repo/a.py", "old_string": "x = 1", "new_string": "x = 2",
                       "replace_all": False}),
        [TouchedLines("/repo/a.py", old="x = 1", new="x = 2")],
    ),
    "claude writes": (
        "claude",
        _call("Write", {"file_path": "/repo/a.py", "content": "x = 2\n"}),
        [TouchedLines("/repo/a.py", new="x = 2\n", is_whole=True)],
    ),
    "claude edits several places": (
        "claude",
        _call("MultiEdit", {"file_path": "/repo/a.py",
                            "edits": [{"old_string": "a", "new_string": "b"},
                                      {"old_string": "c", "new_string": ""}]}),
        [TouchedLines("/repo/a.py", old="a", new="b"), TouchedLines("/repo/a.py", old="c")],
    ),
    "claude edits a notebook": (
        "claude",
        _call("NotebookEdit", {"notebook_path": "/repo/a.ipynb", "cell_id": "c1",
                               "new_source": "x = 2", "edit_mode": "replace"}),
        [TouchedLines("/repo/a.ipynb", new="x = 2")],
    ),
    "gemini replaced, and says what was there": (
        "gemini",
        _gemini_after("replace", {"file_path": "a.py", "instruction": "Raise it.",
                                  "old_string": "5", "new_string": "50"},
                      returnDisplay={"fileDiff": "...", "fileName": "a.py", "isNewFile": False,
                                     "originalContent": "x = 5\n", "newContent": "x = 50\n"}),
        [TouchedLines("a.py", old="x = 5\n", new="x = 50\n", is_whole=True)],
    ),
    "gemini replaced in a file too long to compare": (
        "gemini",
        _gemini_after("replace", {"file_path": "a.py", "old_string": "5", "new_string": "50"},
                      returnDisplay={"originalContent": "5", "newContent": "x" * (MAX_TEXT + 1)}),
        [TouchedLines("a.py", old="5", new="50")],
    ),
    "gemini wrote, and says what was there": (
        "gemini",
        _gemini_after("write_file", {"file_path": "a.py", "content": "new\n"},
                      returnDisplay={"fileDiff": "...", "fileName": "a.py",
                                     "originalContent": "old\n", "newContent": "new\n"}),
        [TouchedLines("a.py", old="old\n", new="new\n", is_whole=True)],
    ),
    "cursor writes": (
        "cursor",
        _call("Write", {"file_path": "/repo/a.py", "content": "x = 2\n"}, generation_id="g"),
        [TouchedLines("/repo/a.py", new="x = 2\n", is_whole=True)],
    ),
    "cursor, with arguments as text": (
        "cursor",
        _call("Write", json.dumps({"file_path": "/repo/a.py", "content": "x = 2\n"})),
        [TouchedLines("/repo/a.py", new="x = 2\n", is_whole=True)],
    ),
    "opencode edits": (
        "opencode",
        _call("edit", {"filePath": "/repo/a.py", "oldString": "x", "newString": "y"}),
        [TouchedLines("/repo/a.py", old="x", new="y")],
    ),
    "opencode writes": (
        "opencode",
        _call("write", {"filePath": "/repo/a.py", "content": "y\n"}),
        [TouchedLines("/repo/a.py", new="y\n", is_whole=True)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("example", EDITS)
def test_an_edit_names_the_text_it_replaces(example):
    client, input, touched = EDITS[example]

    assert list_touched(client, "edit", input) == touched


@pytest.mark.parametrize(
    ("client", "name", "key"),
    [("codex", "apply_patch", "command"), ("opencode", "apply_patch", "patchText")],
)
def test_every_hunk_of_a_patch_is_an_edit(client, name, key):
    """Its context and removed lines are what stands there now."""
    assert list_touched(client, "edit", _call(name, {key: PATCH})) == [
        TouchedLines(
            "src/pool.py",
            old="    def size(self):\n        return 5",
            new="    def size(self):\n        return 50",
        ),
        TouchedLines("src/pool.py", old="import old", new="import new"),
        TouchedLines("notes.md", new="# Notes\nOne line.\n", is_whole=True),
        TouchedLines("gone.py", is_whole=True),
        TouchedLines("a.txt", old="same\nx", new="same\ny"),
    ]


def test_a_failed_edit_touched_nothing():
    """Gemini CLI tells of an edit when it is over."""
    input = _gemini_after(
        "replace",
        {"file_path": "a.py", "old_string": "5", "new_string": "50"},
        error={"message": "0 occurrences found", "type": "edit_no_occurrence_found"},
    )

    assert list_touched("gemini", "edit", input) == []


def test_what_is_taken_from_one_call_is_bounded():
    many = "\n".join(f"*** Update File: {n}.py\n@@\n-a\n+b" for n in range(99))
    patch = _call("apply_patch", {"command": f"*** Begin Patch\n{many}\n*** End Patch"})
    edit = _call("Edit", {"file_path": "a", "old_string": "é\n" * MAX_TEXT, "new_string": ""})
    write = _call("Write", {"file_path": "a", "content": "x" * (MAX_TEXT + 1)})

    assert len(list_touched("codex", "edit", patch)) == MAX_FILES
    (cut,) = list_touched("claude", "edit", edit)
    assert MAX_TEXT - 2 <= len(cut.old) <= MAX_TEXT
    assert list_touched("claude", "edit", write) == [TouchedLines("a")]


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "x" * 5000, 7, None, ["a"]])
def test_what_cannot_be_a_path_is_none(path):
    assert list_touched("claude", "read", _call("Read", {"file_path": path})) == []


_NAMES = st.sampled_from(
    ["tool_input", "tool_response", "command", "patchText", "file_path", "filePath", "path", "file",
     "offset", "limit", "start_line", "end_line", "old_string", "new_string", "content", "edits",
     "include", "error", "type", "numLines", "startLine", "totalLines", "returnDisplay",
     "originalContent", "newContent"]
)  # fmt: skip
_WORDS = st.lists(
    st.sampled_from(
        ["cat", "sed", "-n", "'1,2p'", "head", "tail", "nl", "|", "&&", ";", "\n", ">", "<<", "'",
         '"', "\\", "a.py", "-", "+3", "bash", "-lc", "cd", "*** Begin Patch\n",
         "*** Update File: a\n", "*** Add File: b\n", "@@\n", "+x\n", "-y\n", "*** End Patch"]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip
_TEXT = st.lists(st.sampled_from("ab/.\0\n\r'\"\\$é\ud800\u2028"), max_size=8).map("".join)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(
    st.sampled_from(["claude", "codex", "gemini", "cursor", "opencode", "other"]),
    st.sampled_from(["read", "edit", "start"]),
    st.dictionaries(st.just("tool_input") | st.just("tool_response"), _ANYTHING),
)
def test_no_input_is_a_reason_to_fail(client, kind, input):
    for piece in list_touched(client, kind, input):
        assert piece.path.encode()
        assert max(len(piece.old.encode()), len(piece.new.encode())) <= 4 * MAX_TEXT
        assert piece.last < 0 or 0 <= piece.first <= piece.last


def test_it_loads_next_to_nothing():
    """It runs in a hook that a tool waits for."""
    code = "import sys; import treering.hooks.tools; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"shlex", "dataclasses", "subprocess", "pygit2"} & set(done.stdout.split())
