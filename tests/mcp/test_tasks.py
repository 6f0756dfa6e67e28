"""Sixty things people ask for, and the call a careful reader of the list of tools makes for each.

The list is paid for in every session, so its words become fewer over the years. These tasks say
which of them must stay: each names the words that decide for its tool or an argument, and no other
tool's description may hold those that decide for the tool.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from treering.mcp.arguments import check_arguments
from treering.mcp.tools import list_tools_as_json
from treering.verbs import find_verb

TASKS = json.loads((Path(__file__).parents[1] / "data/agent_tasks.json").read_text("utf-8"))
TOOLS = {tool["name"]: tool for tool in list_tools_as_json("full")}


def _whole_text(tool):
    """Everything a model reads about a tool, as it reads it."""
    return f"{tool['description']} {json.dumps(tool['inputSchema'])}".replace('\\"', '"')


def test_there_are_sixty_and_every_tool_is_asked_for():
    assert len(TASKS) == len({task["task"] for task in TASKS}) == 60
    assert min(Counter(task["tool"] for task in TASKS)[name] for name in TOOLS) >= 2


@pytest.mark.parametrize("task", TASKS, ids=[task["task"][:60] for task in TASKS])
def test_the_list_of_tools_leads_to_the_call(task):
    tool = TOOLS[task["tool"]]
    properties = tool["inputSchema"]["properties"]

    assert [words for words in task["decides"] if words not in _whole_text(tool)] == []
    in_description = [words for words in task["decides"] if words in tool["description"]]
    others = [other for name, other in TOOLS.items() if name != task["tool"]]
    assert not [
        (words, other["name"])
        for words in in_description
        for other in others
        if len(words.split()) > 1 and words in other["description"]
    ]
    assert task["arguments"].keys() <= properties.keys()
    for name, value in task["arguments"].items():
        assert value in properties[name].get("enum", [value])
    given = {name: value for name, value in task["arguments"].items() if value not in ("", [])}
    assert check_arguments(find_verb(task["tool"]), task["arguments"]) == given


def test_most_tasks_are_decided_by_the_description_alone():
    """A model chooses the tool by its description, and arguments by their own."""
    undecided = [
        task["task"]
        for task in TASKS
        if not any(words in TOOLS[task["tool"]]["description"] for words in task["decides"])
    ]
    assert len(undecided) <= 25, undecided


def test_the_list_stays_short():
    """Characters, since tokens need a tokenizer: `python -m benchmarks mcp` counts those."""
    sizes = {
        name: len(json.dumps(list_tools_as_json(name), separators=(",", ":")))
        for name in ("full", "core")
    }
    assert sizes["full"] < 12_650  # some 3,000 tokens
    assert sizes["core"] < 7_950  # some 1,900
