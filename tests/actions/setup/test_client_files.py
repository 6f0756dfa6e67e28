"""`treering init --client`: a client is told of treering, and its files stay the user's."""

import json
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from conftest import Repo
from treering.actions.setup.clients import AGENTS, CLIENTS

SETTINGS = """\
{
    "permissions": {"allow": ["Bash(make test)"], "deny": []},
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
    },
    "env": {"A": "1"}
}"""
COMMENTED = '{\n  // our servers\n  "servers": {},\n}\n'


def _tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (p for p in folder.rglob("*") if p.is_file() and ".git" not in p.parts)
    return {
        str(p.relative_to(folder)): (p.read_bytes(), stat.S_IMODE(p.stat().st_mode)) for p in files
    }


def _init(repo: Repo, *clients: str, **options: bool):
    flags = [f"--{name.replace('_', '-')}" for name in options]
    return repo.json("init", "--no-hooks", *flags, *(w for c in clients for w in ("--client", c)))


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_its_files_and_uninstall_leaves_no_trace(repo: Repo, client):
    """Folders we made go, too."""
    before = _tree(repo.path)

    done = _init(repo, client)
    files = _tree(repo.path)
    again = _init(repo, client)
    repo.json("uninstall")

    assert done["clients"] == [a.path for a in CLIENTS[client].additions]
    assert set(files) - set(before) == set(done["clients"])
    assert again["clients"] == []
    assert _tree(repo.path) == before
    assert not (repo.path / CLIENTS[client].folder).exists()


def test_settings_of_the_user_stay_byte_for_byte(repo: Repo):
    """Order, indentation, one-line lists, a missing last line end, the mode: all of it."""
    path = repo.path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS, encoding="utf-8")
    path.chmod(0o640)
    before = _tree(repo.path)

    _init(repo, "claude")
    text = path.read_text(encoding="utf-8")
    repo.json("uninstall")

    hooks = json.loads(text)["hooks"]
    assert [h["hooks"][0]["command"] for h in hooks["Stop"]] == [
        "say done",
        "treering hook agent claude Stop 2>/dev/null || true",
    ]
    assert all(line in text for line in SETTINGS.splitlines()[:2])
    assert _tree(repo.path) == before


def test_uninstall_after_the_users_edits_takes_only_what_is_ours(repo: Repo):
    """Someone adds a server and a hook of their own between init and uninstall."""
    _init(repo, "claude", "codex", "cursor", agents_md=True)
    servers = repo.path / ".mcp.json"
    servers.write_text(servers.read_text().replace('"treering": {', '"b": {"x": 1}, "treering": {'))
    hooks = repo.path / ".cursor" / "hooks.json"
    hooks.write_text(hooks.read_text().replace('"stop": [', '"stop": [{"command": "mine"},'))
    toml = repo.path / ".codex" / "config.toml"
    toml.write_text("model = 'x'\n\n" + toml.read_text())
    agents = repo.path / "AGENTS.md"
    agents.write_text("# Rules\n\n" + agents.read_text() + "\nMore.\n")

    repo.json("uninstall")

    assert json.loads(servers.read_text()) == {"mcpServers": {"b": {"x": 1}}}
    assert json.loads(hooks.read_text()) == {"version": 1, "hooks": {"stop": [{"command": "mine"}]}}
    assert tomllib.loads(toml.read_text()) == {"model": "x"}
    assert agents.read_text() == "# Rules\n\nMore.\n"
    assert not (repo.path / ".claude").exists()


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_file_with_comments_keeps_them(repo: Repo, start):
    """Taking comments out of someone's settings is damage."""
    path = repo.path / ".vscode" / "mcp.json"
    path.parent.mkdir()
    path.write_text(start + COMMENTED, encoding="utf-8")

    _init(repo, "vscode")

    edited = path.read_text(encoding="utf-8")
    assert edited.startswith(f"{start}{{\n  // our servers\n")
    assert "treering" in edited
    repo.json("uninstall")
    assert path.read_text(encoding="utf-8") == start + COMMENTED


def test_a_file_that_is_not_json_is_left_alone_and_explained(repo: Repo):
    """What it means is for its owner to say."""
    path = repo.path / ".vscode" / "mcp.json"
    path.parent.mkdir()
    path.write_text("{ servers: }", encoding="utf-8")

    done = _init(repo, "vscode")

    assert done["clients"] == []
    assert path.read_text(encoding="utf-8") == "{ servers: }"
    assert any(".vscode/mcp.json" in note and '"servers"' in note for note in done["notes"])


def test_opencode_finds_its_file_as_it_would_write_it(repo: Repo):
    """It names its schema in a file without; uninstall would then leave a file behind."""
    path = repo.path / "opencode.json"
    _init(repo, "opencode")
    assert next(iter(json.loads(path.read_text()))) == "$schema"

    path.write_text(json.dumps(json.loads(path.read_text())))  # laid out anew by someone
    repo.json("uninstall")
    assert not path.exists()


def test_a_schema_of_the_users_own_file_is_their_choice(repo: Repo):
    path = repo.path / "opencode.json"
    path.write_text('{"theme": "dark"}')

    _init(repo, "opencode")

    assert json.loads(path.read_text()).keys() == {"theme", "mcp", "plugin"}


def test_opencode_keeps_plugins_of_others(repo: Repo):
    """A list of theirs gets one more, and loses it again."""
    path = repo.path / "opencode.json"
    path.write_text('{"plugin": ["./mine.js"]}')

    _init(repo, "opencode")
    listed = json.loads(path.read_text())["plugin"]
    path.write_text(json.dumps(json.loads(path.read_text())))
    repo.json("uninstall")

    assert listed == ["./mine.js", "./.treering/opencode.js"]
    assert json.loads(path.read_text()) == {"plugin": ["./mine.js"]}
    assert not (repo.path / ".treering").exists()


def test_a_plugin_that_somebody_changed_is_left_alone_and_explained(repo: Repo):
    _init(repo, "opencode")
    path = repo.path / ".treering" / "opencode.js"
    path.write_text("// mine\n")

    again = _init(repo, "opencode")
    repo.json("uninstall")

    assert any(".treering/opencode.js" in note for note in again["notes"])
    assert path.read_text() == "// mine\n"


def test_codex_is_asked_for_no_more_time_than_it_grants(repo: Repo):
    """It cuts the end of a session to three seconds, and says so each time."""
    _init(repo, "codex")

    hooks = json.loads((repo.path / ".codex/hooks.json").read_text())["hooks"]
    assert hooks["SessionEnd"][0]["hooks"][0]["timeout"] == 3
    assert hooks["Stop"][0]["hooks"][0]["timeout"] == 5


@pytest.mark.parametrize(
    ("client", "path", "matchers", "timeout"),
    [
        (
            "claude",
            ".claude/settings.json",
            {"PostToolUse": "Read", "PreToolUse": "Edit|Write|MultiEdit|NotebookEdit"},
            2,
        ),
        ("codex", ".codex/hooks.json", {"PostToolUse": "Bash", "PreToolUse": "apply_patch"}, 2),
        (
            "gemini",
            ".gemini/settings.json",
            {"AfterTool": "^(read_file|read_many_files|replace|write_file)$"},
            2000,
        ),
        ("cursor", ".cursor/hooks.json", {"postToolUse": "^(Read)$", "preToolUse": "^(Write)$"}, 2),
    ],
)
def test_tools_that_touch_files_call_a_hook_that_keeps_nobody_waiting(
    repo: Repo, client, path, matchers, timeout
):
    _init(repo, client)

    hooks = json.loads((repo.path / path).read_text())["hooks"]
    found = {event: group for event, (group,) in hooks.items() if "matcher" in group}
    assert {event: group["matcher"] for event, group in found.items()} == matchers
    for group in found.values():
        assert (group.get("hooks") or [group])[0]["timeout"] == timeout


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "cursor"])
def test_a_hook_is_silent_where_treering_is_not_installed(repo: Repo, client):
    """The file may be committed, and others have other programs."""
    for addition in CLIENTS[client].additions:
        for edit in (edit for edit in addition.edits if edit.is_item):
            command = edit.value.get("command") or edit.value["hooks"][0]["command"]
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                env={"PATH": "/nonexistent"},
                input="{}",
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_server_of_that_name_is_the_users_choice(repo: Repo):
    """They may run it through uvx, or another version of it."""
    path = repo.path / ".mcp.json"
    text = '{"mcpServers": {"treering": {"command": "uvx", "args": ["treering", "mcp"]}}}'
    path.write_text(text, encoding="utf-8")

    _init(repo, "claude")
    assert path.read_text(encoding="utf-8") == text
    repo.json("uninstall")

    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "text", ["model = 'x'", "[mcp_servers.other]\ncommand = 'a'\n", "# only a comment\n"]
)
def test_a_toml_file_gets_a_table_at_its_end(repo: Repo, text):
    """Whatever stands before it, it is TOML before and after, and comes back as it was."""
    path = repo.path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")

    _init(repo, "codex")
    servers = tomllib.loads(path.read_text())["mcp_servers"]
    repo.json("uninstall")

    assert servers["treering"] == {"command": "treering", "args": ["mcp"]}
    assert path.read_text(encoding="utf-8") == text


def test_toml_that_cannot_take_a_table_is_explained(repo: Repo):
    """An inline table is closed: a header after it would be an error for the whole file."""
    path = repo.path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("mcp_servers = {}\n", encoding="utf-8")

    done = _init(repo, "codex")

    assert path.read_text(encoding="utf-8") == "mcp_servers = {}\n"
    assert any("[mcp_servers.treering]" in note for note in done["notes"])


def test_agents_md_gets_a_block_once(repo: Repo):
    """Between marks, so that people can see whose it is."""
    path = repo.path / "AGENTS.md"
    path.write_text("# Rules\nNo tabs.", encoding="utf-8")

    _init(repo, agents_md=True)
    _init(repo, agents_md=True)
    text = path.read_text(encoding="utf-8")
    repo.json("uninstall")

    assert text == f"# Rules\nNo tabs.\n\n{AGENTS.text}"
    assert path.read_text(encoding="utf-8") == "# Rules\nNo tabs."


def test_a_link_out_of_the_work_tree_is_not_followed(repo: Repo, tmp_path: Path):
    """A cloned repository must not make us edit files in someone's home."""
    outside = tmp_path / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    (repo.path / ".mcp.json").symlink_to(outside)

    done = _init(repo, "claude")

    assert outside.read_text(encoding="utf-8") == "{}"
    assert any("link" in note for note in done["notes"])


def test_dry_run_and_print_write_nothing(repo: Repo):
    """One says which files, the other what goes into them."""
    before = _tree(repo.path)

    planned = repo.json("init", "--client", "gemini", "--dry-run")
    shown = repo.json("init", "--client", "gemini", "--print")

    assert planned["clients"] == [".gemini/settings.json"]
    (file,) = shown["files"]
    assert json.loads(file["content"])["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 5000
    assert _tree(repo.path) == before
    assert not (repo.path / ".git" / "treering").exists()


def test_an_unknown_client_is_an_error_that_names_the_known_ones(repo: Repo):
    """Nothing is done halfway."""
    error = repo.error("init", "--client", "emacs")

    assert (error["code"], "claude" in error["hint"]) == ("invalid", True)
    assert not (repo.path / ".git" / "treering").exists()


def test_uninstall_reaches_the_files_of_every_work_tree(repo: Repo, tmp_path: Path):
    """Hooks and settings are shared; what was written in one work tree is found from another."""
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    _init(side, "claude")

    repo.json("uninstall")

    assert not (side.path / ".mcp.json").exists()
    assert not (side.path / ".claude").exists()


def test_a_client_that_is_used_here_is_pointed_out(repo: Repo):
    """Once, and not when it is connected already."""
    (repo.path / ".cursor").mkdir()

    before = repo.json("init", "--no-hooks")["notes"]
    _init(repo, "cursor")
    after = repo.json("init", "--no-hooks")["notes"]

    assert ["Cursor" in note for note in before if "--client" in note] == [True]
    assert [note for note in after if "--client" in note] == []
