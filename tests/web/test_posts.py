"""What forms do: one verb each, with a way back, and never over what somebody else wrote."""

import pytest

from conftest import Repo
from web.pages import Browser, Page


@pytest.fixture
def memory(repo: Repo) -> str:
    return str(repo.tr.remember("The backup goes to tape", type="decision", tags=["ops"]).id)


def test_remember_and_undo(browse: Browser, repo: Repo) -> None:
    form = browse.get("/remember")

    page = browse.press(form, "Remember", content="Use WAL mode\r\n\r\nReaders.", tags="db, wal")

    assert page.headings == ["Use WAL mode"]
    (hit,) = repo.tr.recall("WAL", detail="full").results
    assert (hit.content, set(hit.tags)) == ("Use WAL mode\n\nReaders.", {"db", "wal"})
    browse.press(page, "Undo")
    assert repo.tr.recall("WAL").results == ()


def test_a_secret_is_refused_and_not_repeated(browse: Browser, repo: Repo) -> None:
    secret = "ghp_" + "a1B2" * 9

    page = browse.press(browse.get("/remember"), "Remember", content=f"key {secret}")

    assert page.status == 400
    assert secret not in page.html
    assert repo.titles() == set()


def test_revise_and_undo(browse: Browser, repo: Repo, memory: str) -> None:
    form = browse.press_get(f"/memory/{memory}", "Revise")

    page = browse.press(
        form, "Revise", content="The backup goes to disk", tags="ops, disk", topic="ops/backup"
    )

    now = repo.tr.read(memory)
    assert (now.content, now.tags, now.topic) == (
        "The backup goes to disk", ("ops", "disk"), "ops/backup",
    )  # fmt: skip
    assert now.type == "decision"
    browse.press(page, "Undo")
    assert repo.tr.read(memory).content == "The backup goes to tape"


def test_what_was_not_touched_stays(browse: Browser, repo: Repo, memory: str) -> None:
    form = browse.press_get(f"/memory/{memory}", "Revise")

    page = browse.press(form, "Revise")

    assert "Nothing was changed" in page.text
    assert len(repo.tr.read(memory, history=True).history) == 1


def test_what_changed_meanwhile_is_shown_and_kept(browse: Browser, repo: Repo, memory: str) -> None:
    form = browse.press_get(f"/memory/{memory}", "Revise")
    repo.tr.revise(memory, content="The backup goes to glacier")

    page = browse.press(form, "Revise", content="The backup goes to disk")

    assert page.status == 409
    assert "<ins>glacier</ins>" in page.html
    assert repo.tr.read(memory).content == "The backup goes to glacier"
    page = browse.press(page, "Revise")  # now having seen it
    assert repo.tr.read(memory).content == "The backup goes to disk"


@pytest.mark.parametrize("action", ["forget", "supersede", "link", "outcome", "revert"])
def test_no_action_goes_over_a_change(
    browse: Browser, repo: Repo, memory: str, action: str
) -> None:
    seen = repo.tr.read(memory).version
    other = repo.tr.remember("Something else")
    repo.tr.revise(memory, content="The backup goes to glacier")
    fields = {
        "key": browse.keys.form, "expect": seen, "content": "new", "target": other.id,
        "outcome": "failed", "to": "HEAD",
    }  # fmt: skip

    answer = Page(browse.client.post(f"/memory/{memory}/{action}", data=fields))

    assert answer.status == 409
    now = repo.tr.read(memory)
    assert (now.status, now.content, now.links) == ("active", "The backup goes to glacier", ())


def test_forget_has_a_way_back(browse: Browser, repo: Repo, memory: str) -> None:
    page = browse.press(browse.get(f"/memory/{memory}"), "Forget")

    assert page.headings == ["The backup goes to tape"]
    assert "Undo" in page.buttons
    assert "Forget" not in page.buttons
    assert repo.tr.read(memory).status == "deleted"
    page = browse.press(page, "Undo")
    assert repo.tr.read(memory).status == "active"
    assert "Forget" in page.buttons


def test_outcome_and_undo(browse: Browser, repo: Repo, memory: str) -> None:
    page = browse.press(browse.get(f"/memory/{memory}"), "Set", outcome="failed")

    assert repo.tr.read(memory).details["outcome"] == "failed"
    browse.press(page, "Undo")
    assert "outcome" not in repo.tr.read(memory).details


def test_supersede_and_undo(browse: Browser, repo: Repo, memory: str) -> None:
    form = browse.press_get(f"/memory/{memory}", "Supersede")

    page = browse.press(form, "Supersede", content="The backup goes to disk")

    assert page.headings == ["The backup goes to disk"]
    assert repo.tr.read(memory).status == "superseded"
    browse.press(page, "Undo")
    assert repo.tr.read(memory).status == "active"
    assert repo.titles() == {"The backup goes to tape"}


def test_supersede_by_one_that_is_there(browse: Browser, repo: Repo, memory: str) -> None:
    newer = repo.tr.remember("Backups are on disk since May")
    form = browse.press_get(f"/memory/{memory}", "Supersede")

    page = browse.press(form, "Supersede", by=newer.id, content="")

    assert page.headings == ["Backups are on disk since May"]
    assert repo.tr.read(memory).status == "superseded"


def test_link_and_undo(browse: Browser, repo: Repo, memory: str) -> None:
    other = repo.tr.remember("Restores are tried monthly")
    form = browse.press_get(f"/memory/{memory}", "Link")

    page = browse.press(form, "Link", target=other.id, relation="depends_on")

    assert [(end.relation, end.id) for end in repo.tr.read(memory).links] == [
        ("depends_on", other.id)
    ]
    browse.press(page, "Undo")
    assert repo.tr.read(memory).links == ()


def test_undo_does_not_take_back_what_came_later(browse: Browser, repo: Repo, memory: str) -> None:
    form = browse.press_get(f"/memory/{memory}", "Revise")
    page = browse.press(form, "Revise", content="The backup goes to disk")
    repo.tr.revise(memory, content="The backup goes to glacier")

    answer = browse.press(page, "Undo")

    assert answer.status == 409
    assert repo.tr.read(memory).content == "The backup goes to glacier"


def test_undo_works_once(browse: Browser, repo: Repo) -> None:
    page = browse.press(browse.get("/remember"), "Remember", content="Use WAL mode")

    assert browse.press(page, "Undo").status == 200
    assert browse.press(page, "Undo").status == 400


def test_back_to_a_version(browse: Browser, repo: Repo, memory: str) -> None:
    repo.tr.revise(memory, content="The backup goes to disk")
    first = repo.tr.read(memory, history=True).history[-1].commit

    browse.press(browse.get(f"/memory/{memory}", at=first), "Make it so again")

    assert repo.tr.read(memory).content == "The backup goes to tape"


def test_what_is_kept_leaves_the_review(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("Perhaps use WAL mode", confidence=0.2)

    page = browse.press(browse.get("/review"), "Keep")

    assert "Nothing is doubtful" in page.text
    browse.press(page, "Undo")
    assert repo.tr.review().total == 1


def test_forget_from_the_review(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("Perhaps use WAL mode", confidence=0.2)

    page = browse.press(browse.get("/review"), "Forget")

    assert "Review" in page.headings
    assert repo.titles() == set()
    browse.press(page, "Undo")
    assert repo.titles() == {"Perhaps use WAL mode"}


# --- branches -------------------------------------------------------------------------------------


@pytest.fixture
def branch(repo: Repo) -> str:
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")
    repo.switch("main")
    return "feature"


def test_promote_and_undo(browse: Browser, repo: Repo, branch: str) -> None:
    page = browse.press(browse.get("/branches"), "Promote")

    assert "Promoted 1 memory of feature to main" in page.text
    assert repo.titles() == {"Sessions live in Redis"}
    browse.press(page, "Undo")
    assert repo.titles() == set()
    assert repo.titles(branch) == {"Sessions live in Redis"}
    browse.press(browse.get("/branches"), "Promote")
    assert repo.titles() == {"Sessions live in Redis"}


def test_a_plan_that_promotes_is_undone(browse: Browser, repo: Repo, branch: str) -> None:
    """As one that drops: what landed is its branch's again."""
    repo.git("merge", "-q", "--no-ff", "-m", "land", branch)
    page = browse.press(browse.get("/branches"), "Apply plan")
    assert repo.titles() == {"Sessions live in Redis"}

    browse.press(page, "Undo")

    assert repo.titles() == set()
    assert repo.titles(branch) == {"Sessions live in Redis"}


def test_restore_and_undo(browse: Browser, repo: Repo, branch: str) -> None:
    repo.git("branch", "-q", "-D", branch)
    page = browse.press(browse.get("/branches"), "Apply plan")
    assert "trash 1 memory" in page.text

    page = browse.press(page, "Restore")

    assert "Restored 1 memory of feature" in page.text
    assert repo.titles(branch) == {"Sessions live in Redis"}
    page = browse.press(page, "Undo")
    assert "Restore" in page.buttons


def _told(repo: Repo) -> set[str]:
    """What is seen on the trunk, with what is for its owner alone."""
    return {hit.title for hit in repo.tr.recall(branch="main").results}


def test_a_lesson_goes_with_its_branch_and_back(browse: Browser, repo: Repo, branch: str) -> None:
    """What the trunk got of a dropped branch is its own again, until the restoring is undone."""
    repo.tr.remember("Threads made it slower", outcome="failed", branch=branch)
    repo.git("branch", "-q", "-D", branch)
    page = browse.press(browse.get("/branches"), "Apply plan")
    assert _told(repo) == {"Threads made it slower"}

    page = browse.press(page, "Restore")
    assert _told(repo) == set()

    browse.press(page, "Undo")
    assert _told(repo) == {"Threads made it slower"}


def test_a_plan_that_is_no_longer_true_is_not_applied(
    browse: Browser, repo: Repo, branch: str
) -> None:
    page = browse.get("/branches")
    repo.git("branch", "-q", "-D", branch)

    answer = browse.press(page, "Apply plan")

    assert answer.status == 409
    assert "refs/treering/heads/feature" in repo.refs()


# --- what is typed is kept ------------------------------------------------------------------------


def test_a_refused_form_keeps_what_was_typed(browse: Browser, repo: Repo, memory: str) -> None:
    secret = "ghp_" + "a1B2" * 9
    form = browse.get("/remember")
    page = browse.press(form, "Remember", content=f"The key is {secret}", tags="ops", topic="x/y")

    fields = page.form("Remember")["fields"]
    assert page.status == 400
    assert fields["content"].startswith("The key is ")
    assert secret not in page.html
    assert (fields["tags"], fields["topic"]) == ("ops", "x/y")

    form = browse.press_get(f"/memory/{memory}", "Revise")
    page = browse.press(form, "Revise", content="To disk", confidence="much")
    assert page.status == 400
    assert page.form("Revise")["fields"]["content"] == "To disk"

    form = browse.press_get(f"/memory/{memory}", "Link")
    page = browse.press(form, "Link", target="nosuchmemory", note="both are about backups")
    assert page.form("Link")["fields"]["note"] == "both are about backups"


def test_a_memory_is_chosen_by_its_title(browse: Browser, repo: Repo, memory: str) -> None:
    other = repo.tr.remember("Restores are tried monthly").id
    for action, field in (("link", "target"), ("supersede", "by")):
        page = browse.get(f"/memory/{memory}/{action}", find="restores monthly")

        assert f'name="{field}" value="{other}"' in page.html
        assert "Restores are tried monthly" in page.text
        assert f'value="{memory}"' not in page.html


def test_both_changes_are_in_the_text_of_a_conflict(
    browse: Browser, repo: Repo, memory: str
) -> None:
    text = "The backup goes to tape.\n\nIt runs at night.\n\nAda looks after it."
    repo.tr.revise(memory, content=text)
    form = browse.press_get(f"/memory/{memory}", "Revise")
    repo.tr.revise(memory, content=text.replace("tape", "glacier"))

    page = browse.press(form, "Revise", content=text.replace("Ada", "Ben"))

    fields = page.form("Revise")["fields"]
    assert page.status == 409
    assert fields["content"] == text.replace("tape", "glacier").replace("Ada", "Ben")
    assert "<ins>glacier</ins>" in page.html
    assert "<ins>Ben</ins>" in page.html


# --- the inbox ------------------------------------------------------------------------------------


def test_an_answer_and_its_undo_stay_in_the_view(browse: Browser, repo: Repo) -> None:
    for number in range(12):
        repo.tr.remember(f"Perhaps rule {number} holds for {'abcdefghijkl'[number] * 9}",
                         confidence=0.2)  # fmt: skip
    address = "/review?reason=low-confidence&page=2"

    for button in ("Keep", "Forget"):
        page = browse.press(browse.get(address), button)
        assert page.headings == ["Review"]
        assert 'aria-current="true">low-confidence' in page.html
        assert "Previous" in dict(page.links)  # still on the second page
        page = browse.press(page, "Undo")
        assert 'aria-current="true">low-confidence' in page.html
        assert "12 memories are doubtful" in page.text


def test_the_older_text_is_red_and_the_newer_green(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("The nightly backup of the orders goes to tape", type="decision")
    repo.tr.remember("The nightly backup of the orders goes to disk", type="decision")

    page = browse.get("/review")

    assert "<del>tape</del>" in page.html
    assert "<ins>disk</ins>" in page.html
    assert "<ins>tape</ins>" not in page.html


def test_the_code_that_changed_is_shown(browse: Browser, repo: Repo) -> None:
    repo.commit_file("db.py", "timeout = 30\n")
    repo.tr.remember("The `timeout = 30` is what the proxy allows", type="decision",
                     files=["db.py"])  # fmt: skip
    repo.commit_file("db.py", "timeout = 3\n")

    page = browse.get("/review")

    assert "<del>timeout = 30\n</del><ins>timeout = 3\n</ins>" in page.html


def test_promote_acts_on_the_branch_of_its_row(browse: Browser, repo: Repo, branch: str) -> None:
    """Also where the page is seen from another branch."""
    repo.switch("other", create=True).commit_file("o")
    repo.tr.remember("Reports run at night")
    repo.switch("main")

    page = browse.get("/branches", branch="other")
    number = [f["fields"]["name"] for f in page.forms if "Promote" in f["buttons"]].index(branch)
    browse.press(page, "Promote", number)

    assert repo.titles() == {"Sessions live in Redis"}
