"""Nothing but gc trashes, when someone asks for it: neither a worker, nor a write, nor a sync."""

import ast
import inspect
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import treering
from conftest import Repo
from treering.actions import driver
from treering.branches import apply

SOURCE = Path(treering.__file__).parent


def _calls(name: str) -> Iterator[str]:
    """The functions that call something of a name, as `module.function`."""
    for file in sorted(SOURCE.rglob("*.py")):
        module = str(file.relative_to(SOURCE).with_suffix("")).replace("/", ".")
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.Call) and _name(node.func) == name:
                        yield f"{module}.{function.name}"


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _functions_that_say_trash() -> Iterator[str]:
    """Those that give a line of a plan the action `trash`."""
    for file in sorted((SOURCE / "branches").glob("*.py")):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                words = [node for node in ast.walk(function) if isinstance(node, ast.keyword)]
                if any(ast.unparse(word) == "action='trash'" for word in words):
                    yield f"{file.stem}.{function.name}"


def test_only_gc_and_the_driver_carry_a_plan_out() -> None:
    """And of the two only gc without leaving out what trashes."""
    assert set(_calls("apply_plan")) == {"actions.gc.gc", "actions.driver.follow_branches"}


def test_nothing_turns_keep_into_trash() -> None:
    """What lies in the way of a write moves aside."""
    assert list(_functions_that_say_trash()) == []


def test_a_write_applies_nothing_of_a_plan_but_names() -> None:
    others = ("actions.revise", "actions.setup")  # which apply something else
    assert {name for name in _calls("apply") if not name.startswith((*others, "store."))} == {
        "actions.driver._do",
        "branches.apply._clear_name",
    }
    assert 'if line.action in ("rename", "aside")' in inspect.getsource(apply._clear_name)


# --- played ---------------------------------------------------------------------------------------


def _work_on(repo: Repo, branch: str = "feature") -> Repo:
    repo.switch(branch, create=True).commit_file(f"{branch}.txt")
    repo.tr.remember(f"learned on {branch}", type="insight")
    return repo


def _abandoned(repo: Repo) -> None:
    _work_on(repo).switch("main").git("branch", "-q", "-D", "feature")


def _landed(repo: Repo) -> None:
    _work_on(repo).switch("main").git("merge", "-q", "feature")
    repo.git("branch", "-q", "-D", "feature")


def _landed_and_going_on(repo: Repo) -> None:
    _work_on(repo).switch("main").git("merge", "-q", "feature")
    repo.switch("feature").commit_file("more.txt")
    repo.tr.remember("learned since")


def _reset(repo: Repo) -> None:
    _work_on(repo).git("reset", "-q", "--hard", "main")


def _used_again(repo: Repo) -> None:
    _abandoned(repo)
    repo.switch("feature", create=True).commit_file("other.txt")


def _renamed_over_a_left_name(repo: Repo) -> None:
    _abandoned(repo)
    _work_on(repo, "second").git("branch", "-q", "-M", "second", "feature")


def _trunk_made_anew(repo: Repo) -> None:
    repo.commit_file("by-mistake.txt")
    repo.tr.remember("learned on main")
    repo.git("branch", "-q", "meant")
    repo.git("switch", "-q", "--detach", "origin/main")
    repo.git("branch", "-q", "-D", "main")
    repo.git("switch", "-q", "-c", "main", "origin/main")


def _trunk_reset_and_logs_gone(repo: Repo) -> None:
    repo.commit_file("by-mistake.txt")
    repo.tr.remember("learned on main")
    repo.git("reset", "-q", "--hard", "origin/main")
    repo.git("reflog", "expire", "--expire=now", "--all")


def _detached(repo: Repo) -> None:
    repo.git("switch", "-q", "--detach")
    repo.commit_file("detached.txt")
    repo.tr.remember("learned nowhere")
    repo.switch("main")


def _gone_and_logs_gone(repo: Repo) -> None:
    _abandoned(repo)
    repo.git("reflog", "expire", "--expire=now", "--all")


STATES = [
    _abandoned,
    _landed,
    _landed_and_going_on,
    _reset,
    _used_again,
    _renamed_over_a_left_name,
    _trunk_made_anew,
    _trunk_reset_and_logs_gone,
    _detached,
    _gone_and_logs_gone,
]


def _trash(repo: Repo) -> list[str]:
    return [name for name in repo.refs() if name.startswith("refs/treering/trash/")]


@pytest.mark.parametrize("bring_about", STATES)
def test_worker_write_and_sync_trash_nothing(
    repo: Repo, tmp_path: Path, bring_about: Callable[[Repo], None]
) -> None:
    """Here, and in another clone that fetched all of it."""
    far, other = tmp_path / "far.git", tmp_path / "other"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(far)], check=True)
    repo.git("remote", "add", "origin", str(far))
    repo.git("push", "-q", "origin", "main")
    repo.git("fetch", "-q")
    subprocess.run(["git", "clone", "-q", str(far), str(other)], check=True)
    mate = Repo(other)
    mate.now = repo.now
    mate.git("config", "user.name", "Ben")
    mate.git("config", "user.email", "ben@example.org")

    bring_about(repo)
    repo.tr.sync()
    for clone in (repo, mate, repo):
        clone.git("fetch", "-q")
        for event in ("post-commit", "post-merge", "post-checkout", "post-rewrite"):
            driver.work(clone.workspace, event)
        clone.tr.sync()
        for branch in ("main", *(["feature"] if _has(clone, "feature") else [])):
            clone.tr.remember(f"a thought on {branch} of {clone.path.name}", branch=branch)
        driver.work(clone.workspace, "post-checkout")
        clone.tr.sync()

    assert (_trash(repo), _trash(mate)) == ([], [])


def _has(repo: Repo, branch: str) -> bool:
    return bool(repo.git("for-each-ref", f"refs/heads/{branch}"))


def test_restoring_what_is_there_uses_nothing_up(repo: Repo) -> None:
    """Somebody remembered it again meanwhile: the trash still has what was dropped."""
    repo.switch("feature", create=True).commit_file("f.txt")
    made = repo.tr.remember("Feature flags are read once", type="decision")
    repo.switch("main").git("branch", "-D", "feature")
    repo.json("gc")
    repo.json("restore", "feature")
    entry = next(ref for ref in repo.refs() if ref.startswith("refs/treering/heads/feature"))
    repo.git("update-ref", "refs/treering/trash/feature/20260202T000000Z", entry)

    answer = repo.json("restore", "feature")

    assert (answer["memories"], answer["branch"]) == (0, "feature")
    assert answer["note"]
    assert answer["from"] in repo.refs()
    assert repo.tr.read(made.id, branch="feature").status == "active"


def test_a_promotion_out_of_the_trash_is_taken_back_into_it(repo: Repo) -> None:
    """Its code landed after gc had dropped it; taken back it lies where it lay."""
    repo.switch("feature", create=True)
    code = repo.commit_file("f.txt")
    repo.tr.remember("Feature flags are read once", type="decision")
    repo.switch("main").git("branch", "-D", "feature")
    repo.json("gc")
    before = [ref for ref in repo.refs() if "/trash/" in ref]
    repo.git("merge", "-q", "--no-ff", "-m", "land", code)

    (line,) = [one for one in repo.json("gc")["plan"] if one["action"] == "promote"]
    assert not [ref for ref in repo.refs() if "/trash/" in ref]
    repo.json(*line["back"].split()[1:])

    assert [ref for ref in repo.refs() if "/trash/" in ref] == before
    assert repo.titles("main") == set()
    assert not [one for one in repo.json("gc")["plan"] if one["action"] == "promote"]
    assert [ref for ref in repo.refs() if "/trash/" in ref] == before


def test_the_trash_knows_the_commit_of_a_memory_after_its_name_was_used_again(repo: Repo) -> None:
    """It was remembered before its commit; later the commit is picked from the deleted branch."""
    repo.switch("feature", create=True)
    made = repo.tr.remember("Feature flags are read once", type="decision")
    code = repo.commit_file("f.txt")
    repo.switch("main").git("branch", "-D", "feature")
    repo.json("gc")
    repo.switch("feature", create=True).switch("main")
    repo.git("cherry-pick", code)

    repo.json("gc")

    assert repo.tr.read(made.id, branch="main").status == "active"
    assert not [ref for ref in repo.refs() if "/trash/" in ref]


def test_restore_alone_names_what_waits_for_gc(repo: Repo) -> None:
    repo.switch("idea", create=True).commit_file("f.txt")
    repo.tr.remember("A trie was slower", type="insight")
    repo.switch("main").git("branch", "-D", "idea")

    assert repo.json("restore")["waiting"] == [{"branch": "idea", "memories": 1}]

    repo.json("restore", "idea")
    assert repo.json("restore")["waiting"] == []
