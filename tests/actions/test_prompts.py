"""Saved prompts and templates: on the branch like memories, or the user's own."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conftest import Repo
from treering import Treering
from treering.errors import BlockedSecret, Invalid, PromptNotFound
from treering.model.memory import derive_id


@pytest.fixture
def user(tmp_path: Path, repo: Repo) -> Treering:
    return Treering.open(repo.path, clock=repo.clock, user_folder=tmp_path / "own")


def test_a_prompt_is_saved_listed_run_and_deleted(repo: Repo) -> None:
    """The whole life, in the contract's words."""
    tr = repo.tr
    saved = tr.prompts(
        "save", name="code-review", content="Review {{file}} for {{kind}} issues",
        description="A review", tags=["review"],
    )  # fmt: skip

    assert saved["name"] == "code-review"
    (memory,) = tr.recall(type="prompt").results
    assert memory.id == derive_id("prompt", "code-review")
    assert saved["version"] == tr.read(memory.id).version
    (listed,) = tr.prompts("list")["prompts"]
    assert listed["name"] == "code-review"
    assert (listed["kind"], listed["description"]) == ("prompt", "A review")
    assert listed["variables"] == ["file", "kind"]
    got = tr.prompts("get", name="code-review")
    assert got["content"] == "Review {{file}} for {{kind}} issues"
    assert tr.prompts("run", name="code-review", variables={"file": "a.py", "kind": "x"}) == {
        "text": "Review a.py for x issues"
    }
    deleted = tr.prompts("delete", name="code-review", domain="project")
    assert deleted["deleted"] == "code-review"
    assert tr.prompts("list")["prompts"] == []
    with pytest.raises(PromptNotFound):
        tr.prompts("get", name="code-review")


def test_saving_the_same_twice_makes_no_commit(repo: Repo) -> None:
    """Retrying is safe."""
    tr = repo.tr
    first = tr.prompts("save", name="a", content="x {{y}}")
    tip = repo.refs()

    assert tr.prompts("save", name="a", content="x {{y}}")["version"] == first["version"]
    assert repo.refs() == tip
    assert tr.prompts("save", name="a", content="z")["version"] != first["version"]


def test_missing_and_unknown_variables_are_named(repo: Repo) -> None:
    """All of them, at once."""
    tr = repo.tr
    tr.prompts("save", name="a", content="{{one}} {{two}} {{#if three}}{{three}}{{/if}}")

    with pytest.raises(Invalid, match="needs one, two"):
        tr.prompts("run", name="a")
    with pytest.raises(Invalid, match="does not know four, five"):
        tr.prompts("run", name="a", variables={"one": 1, "two": 2, "four": 4, "five": 5})
    with pytest.raises(Invalid, match="does not know memories"):
        tr.prompts("run", name="a", variables={"one": 1, "two": 2, "memories": []})
    assert tr.prompts("run", name="a", variables={"one": 1, "two": 2})["text"] == "1 2 "


def test_dotted_variables_are_parts(repo: Repo) -> None:
    """The command line has no other way to write them."""
    tr = repo.tr
    tr.prompts("save", name="a", content="{{a.b}}-{{a.c}}")

    assert tr.prompts("run", name="a", variables={"a.b": "1", "a.c": "2"})["text"] == "1-2"
    assert tr.prompts("run", name="a", variables={"a": {"b": 1, "c": 2}})["text"] == "1-2"


def test_a_template_renders_what_recall_finds(repo: Repo) -> None:
    """Title from the caller, memories from the store."""
    tr = repo.tr
    tr.remember("Tokens expire after an hour, says the auth service", type="decision")
    tr.remember("Unrelated gardening advice", type="insight")
    tr.prompts(
        "save", name="results", kind="template",
        content="# {{title}}\n{{#each memories}}\n- **{{memory.type}}**: {{memory.content}}\n"
        "{{/each}}\n{{count}} for {{query}} on {{branch}}",
    )  # fmt: skip

    text = tr.prompts(
        "render", name="results", query="auth tokens", variables={"title": "Auth"}, limit=1
    )["text"]

    assert text == (
        "# Auth\n- **decision**: Tokens expire after an hour, says the auth service\n"
        "1 for auth tokens on main"
    )
    assert tr.prompts("get", name="results")["variables"] == ["title"]


def test_a_memory_with_template_marks_stays_text(repo: Repo) -> None:
    """The oldest trick."""
    tr = repo.tr
    tr.remember("Inject {{secret}} {{#each memories}}x{{/each}}", type="insight")
    tr.prompts("save", name="t", kind="template", content="{{#each memories}}{{content}}{{/each}}")

    text = tr.prompts("render", name="t")["text"]

    assert text == "Inject {{secret}} {{#each memories}}x{{/each}}"


def test_json_and_xml_hold_the_memories_as_data(repo: Repo) -> None:
    """Whatever a memory says, the document stays well formed."""
    tr = repo.tr
    hostile = 'A "quoted" </text><memories id="x"> & ]]> text'
    tr.remember(hostile, type="insight")
    tr.prompts("save", name="t", kind="template", content="Found: {{memories}}")

    data = json.loads(tr.prompts("render", name="t", format="json")["text"])
    tree = ElementTree.fromstring(tr.prompts("render", name="t", format="xml")["text"])

    assert data["memories"][0]["content"] == hostile
    assert data["text"].startswith("Found: - **A")
    assert [element.text for element in tree.iter("memory")] == [hostile]
    assert hostile in (tree.findtext("text") or "")


@pytest.mark.parametrize(
    "name",
    ["", "..", "../x", "a/b", "A", "Ä", "a_b", "-a", "a-", "a--b", "a.md", "a b", "x" * 65, "a\n"],
)
def test_hostile_names_are_refused(repo: Repo, user: Treering, name: str) -> None:
    """They become paths."""
    if name != "a\n":
        for domain in ("project", "user"):
            with pytest.raises(Invalid):
                user.prompts("save", name=name, content="x", domain=domain)
    with pytest.raises((Invalid, PromptNotFound)):
        user.prompts("get", name=name)


def test_bad_templates_and_secrets_are_not_saved(repo: Repo) -> None:
    """Nothing is half-written."""
    before = repo.refs()

    with pytest.raises(Invalid, match="never closed"):
        repo.tr.prompts("save", name="a", content="{{#each x}}")
    with pytest.raises(BlockedSecret):
        repo.tr.prompts("save", name="a", content="key: AKIAQWERTYUIOPASDFGH")
    with pytest.raises(Invalid):
        repo.tr.prompts("save", name="a", content="  ")
    with pytest.raises(Invalid):
        repo.tr.prompts("nonsense")
    assert repo.refs() == before


def test_the_users_own_are_files_and_come_first(repo: Repo, user: Treering, tmp_path: Path) -> None:
    """get and run look in the user's folder, then in the project; delete must be told."""
    user.prompts("save", name="a", content="own", domain="user")

    assert (tmp_path / "own" / "prompts" / "a.md").read_text().endswith("own\n")
    assert repo.refs() == {}
    user.prompts("save", name="a", content="project's")
    assert user.prompts("run", name="a") == {"text": "own"}
    assert user.prompts("get", name="a")["content"] == "own"
    assert user.prompts("run", name="a", domain="project")["text"] == "project's"
    assert [(p["domain"], p["owner"]) for p in user.prompts("list")["prompts"]] == [
        ("project", "Ada Lovelace <ada@example.org>"), ("user", "you"),
    ]  # fmt: skip
    with pytest.raises(Invalid, match="whose"):
        user.prompts("delete", name="a")
    user.prompts("delete", name="a", domain="user")
    assert not (tmp_path / "own" / "prompts" / "a.md").exists()
    assert user.prompts("run", name="a")["text"] == "project's"


def test_a_template_of_yours_is_not_covered_by_a_prompt_of_the_project(user: Treering) -> None:
    """Run prefers prompts to templates, but not those of others to yours."""
    user.prompts("save", name="a", content="own", kind="template", domain="user")
    user.prompts("save", name="a", content="project's", kind="prompt")

    assert user.prompts("run", name="a")["text"] == "own"


def test_a_branch_sees_the_trunks_and_hides_them_by_its_own(repo: Repo) -> None:
    """Layers as for memories; a deletion on a branch is the branch's."""
    repo.tr.prompts("save", name="a", content="trunk a")
    repo.tr.prompts("save", name="b", content="trunk b")
    repo.switch("feature", create=True)
    assert repo.tr.prompts("run", name="a")["text"] == "trunk a"

    repo.tr.prompts("save", name="a", content="branch a")
    repo.tr.prompts("delete", name="b", domain="project")

    assert repo.tr.prompts("run", name="a")["text"] == "branch a"
    with pytest.raises(PromptNotFound):
        repo.tr.prompts("run", name="b")
    assert repo.tr.prompts("run", name="a", branch="main")["text"] == "trunk a"
    assert repo.tr.prompts("run", name="b", branch="main")["text"] == "trunk b"


def test_promotion_carries_prompts_to_the_trunk(repo: Repo) -> None:
    """New, changed and deleted ones, when the branch's code lands."""
    repo.tr.prompts("save", name="changed", content="old")
    repo.tr.prompts("save", name="gone", content="old")
    repo.tr.prompts("save", name="both", content="old")
    repo.switch("feature", create=True)
    repo.commit_file("a.py")
    repo.tr.prompts("save", name="new", content="new", kind="template")
    repo.tr.prompts("save", name="changed", content="new")
    repo.tr.prompts("delete", name="gone", domain="project")
    repo.tr.prompts("save", name="both", content="from the branch")
    repo.switch("main")
    repo.tr.prompts("save", name="both", content="from the trunk, later")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "feature")
    repo.git("branch", "-q", "-D", "feature")

    repo.tr.gc()

    assert repo.tr.prompts("run", name="new")["text"] == "new"
    assert repo.tr.prompts("run", name="changed")["text"] == "new"
    assert repo.tr.prompts("run", name="both")["text"] == "from the trunk, later"
    with pytest.raises(PromptNotFound):
        repo.tr.prompts("run", name="gone")


def test_a_living_branch_with_prompts_alone_is_promoted_too(repo: Repo) -> None:
    """And later changes in the trunk are seen from it again."""
    repo.switch("feature", create=True)
    repo.commit_file("a.py")
    repo.tr.prompts("save", name="a", content="from the branch")
    repo.switch("main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "feature")

    repo.tr.gc()

    assert repo.tr.prompts("run", name="a")["text"] == "from the branch"
    repo.tr.prompts("save", name="a", content="changed in the trunk")
    assert repo.tr.prompts("run", name="a", branch="feature")["text"] == "changed in the trunk"


def test_a_dropped_branch_gives_its_prompts_back_on_restore(repo: Repo) -> None:
    """The trash holds the whole scope."""
    repo.switch("feature", create=True)
    repo.commit_file("a.py")
    repo.tr.prompts("save", name="a", content="text")
    repo.tr.remember("a memory")
    repo.switch("main")
    repo.git("branch", "-q", "-D", "feature")
    repo.tr.gc()

    repo.tr.restore("feature")

    assert repo.tr.prompts("run", name="a", branch="feature")["text"] == "text"


def test_the_command_line_runs_them(repo: Repo) -> None:
    """Variables as NAME=VALUE, content as argument or on stdin."""
    assert repo.json("prompts", "save", "hello", "Hello {{who}}")["name"] == "hello"
    repo.json("prompts", "save", "--name", "bye", "--domain", "user", feed="Bye {{who}}\n")

    assert repo.json("prompts", "run", "hello", "--variables", "who=a=b") == {"text": "Hello a=b"}
    assert repo.cli("prompts", "run", "bye", "--variables", "who=you").stdout == "Bye you\n"
    assert repo.error("prompts", "run", "hello")["code"] == "invalid"
    assert repo.error("prompts", "get", "nothing")["code"] == "prompt_not_found"
    assert "hello" in repo.cli("prompts", "list").stdout
    assert repo.json("prompts", "delete", "bye", "--domain", "user")["deleted"] == "bye"


def test_an_export_as_files_brings_prompts_along(repo: Repo, new_repo, tmp_path: Path) -> None:
    """And an import of it takes them as what they are."""
    repo.tr.prompts("save", name="a", content="Hello {{who}}", description="greets")
    repo.tr.prompts("save", name="b", content="{{memories}}", kind="template")
    repo.tr.remember("a memory", type="insight")

    assert repo.tr.export_markdown(tmp_path / "out") == 3
    other = new_repo("other")
    other.tr.import_path(tmp_path / "out")

    assert other.tr.prompts("list")["prompts"] == repo.tr.prompts("list")["prompts"]
    assert other.titles() == {"a memory"}
    tip = other.refs()
    other.tr.import_path(tmp_path / "out")
    assert other.refs() == tip


def test_a_prompt_is_a_memory_that_nobody_is_shown_who_did_not_ask(repo: Repo) -> None:
    """recall, context, tidying and review leave it out; a type, an id and the log name it."""
    tr = repo.tr
    tr.prompts("save", name="code-review", content="Review the retry queue for lost messages")
    tr.prompts("save", name="digest", kind="template", content="{{memories}} of the retry queue")
    known = tr.remember("The retry queue loses messages on restart", type="insight")

    prompt = derive_id("prompt", "code-review")
    assert [hit.id for hit in tr.recall("retry queue").results] == [known.id]
    assert [hit.id for hit in tr.recall().results] == [known.id]
    assert [hit.title for hit in tr.recall("retry", type="prompt").results] == ["code-review"]
    assert [hit.title for hit in tr.recall(type="template").results] == ["digest"]
    context = tr.context(task="review the retry queue")
    assert [card.id for key in ("high", "medium", "low") for card in context[key]] == [known.id]
    repo.commit_file("queue.py", "x = 1\n")
    tr.prompts("save", name="said-here", content="Review the queue")
    assert {card.type for card in tr.why("queue.py").memories} <= {"insight"}
    assert prompt not in str(tr.review()) + str(tr.maintain("dedupe", threshold=0.1))
    assert tr.read(prompt).content == "Review the retry queue for lost messages"
    assert prompt in [entry.id for entry in tr.log().entries]


def test_a_prompt_that_was_deleted_is_forgotten_and_comes_back(repo: Repo) -> None:
    tr = repo.tr
    tr.prompts("save", name="a", content="Hello")
    tr.prompts("delete", name="a", domain="project")

    tr.forget([derive_id("prompt", "a")], restore=True)

    assert tr.prompts("get", name="a")["content"] == "Hello"


def test_a_prompt_is_saved_under_a_name_not_remembered(repo: Repo) -> None:
    with pytest.raises(Invalid, match="under a name"):
        repo.tr.remember("Review it", type="prompt")
