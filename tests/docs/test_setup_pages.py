"""What people copy into their settings: shown, shipped and written, it has to be the same."""

import json
import re
import tomllib

import pytest
import yaml

import treering
from treering.actions.setup.clients import AGENTS, CLIENTS, whole

PAGE = "docs/howto/agents.md"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_page_names_what_init_writes(page, repo, client):
    """Whoever looks at a diff of these files should find out where they came from."""
    printed = repo.json("init", "--client", client, "--print")["files"]
    rows = {row[1]: row[2] for row in page(PAGE).rows("client", "command", "files", "note")}

    named = rows[f"treering init --client {client}"]

    assert re.findall(r"[\w./]+", named) == [file["path"] for file in printed]


def test_the_page_shows_the_section_for_agents(page):
    """Whoever adds it by hand gets the same text."""
    assert page(PAGE).blocks("markdown") == [AGENTS.text]


def test_events_of_the_page_are_those_of_the_clients(page):
    """Clients name the same moments differently."""
    names = ("claude", "codex", "gemini", "cursor", "opencode")
    titles = [CLIENTS[name].title for name in names]
    rows = page("docs/howto/handover.md").rows("moment", *titles, "what happens")

    for column, name in enumerate(names, start=1):
        moments = [
            (moment or "none")
            if isinstance(moment, str)
            else f"{moment.event}: {', '.join(moment.tools)}"
            for moment in CLIENTS[name].events
        ]
        assert [row[column] for row in rows] == moments


def test_every_hook_of_a_client_is_one_we_answer():
    """Written by init, called by the client, understood by `treering hook agent`."""
    from treering.hooks.agent import call_of

    text = "".join(whole(a) for client in CLIENTS.values() for a in client.additions)
    calls = re.findall(r"treering hook agent (\w+) (\w+)", text)
    calls += [("opencode", event) for event in re.findall(r'ask\(directory, "([\w.]+)"', text)]
    told = {
        "tool_input": {"file_path": "a", "content": "", "command": "cat a"},
        "tool_response": {},
    }
    patch = {"tool_input": {"command": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}}

    assert len(calls) == 32
    for client, event in calls:
        answered = [
            call_of(client, event, json.dumps({"tool_name": tool, **inputs}).encode())
            for tool in _tools(client)
            for inputs in (told, patch)
        ]
        assert any(answered), (client, event)


def _tools(client: str) -> tuple[str, ...]:
    events = CLIENTS[client].events
    return (*events.read.tools, *events.edit.tools)


def test_the_plugin_has_what_init_writes(root):
    """Two ways to the same server and hooks."""
    servers, settings = CLIENTS["claude"].additions

    assert (root / "plugin" / ".mcp.json").read_text(encoding="utf-8") == whole(servers)
    hooks = root / "plugin" / "hooks" / "hooks.json"
    assert hooks.read_text(encoding="utf-8") == whole(settings)


def test_the_plugin_is_complete(root):
    """Name, version and front matter, as Claude Code wants them."""
    manifest = json.loads((root / "plugin/.claude-plugin/plugin.json").read_text(encoding="utf-8"))

    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"])
    assert manifest["version"] == treering.__version__
    skill = _front_matter(root / "plugin/skills/treering/SKILL.md")
    assert skill["name"] == "treering"
    assert 0 < len(skill["description"]) <= 1024
    commands = sorted((root / "plugin/commands").glob("*.md"))
    assert [path.stem for path in commands] == ["checkpoint", "recall", "remember"]
    assert all(_front_matter(path)["description"] for path in commands)


def _front_matter(path) -> dict[str, str]:
    found = re.match(r"---\n(.*?)\n---\n", path.read_text(encoding="utf-8"), re.DOTALL)
    return yaml.safe_load(found[1])


def test_the_registry_entry_names_this_package(root, page):
    """The registry looks for the server's name in the description of the package."""
    entry = json.loads((root / "server.json").read_text(encoding="utf-8"))
    (package,) = entry["packages"]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert entry["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100
    assert entry["version"] == package["version"] == treering.__version__
    assert (package["registryType"], package["identifier"]) == ("pypi", project["name"])
    assert package["transport"] == {"type": "stdio"}
    assert f"<!-- mcp-name: {entry['name']} -->" in page("README.md").text


def test_the_line_for_hooks_of_ones_own_is_the_one_init_explains(page):
    """It stands in the page, in init's note and in people's hooks."""
    from treering.actions.setup.hook_files import CALL

    assert CALL.format(name="post-commit") in page("docs/howto/hooks.md").text
