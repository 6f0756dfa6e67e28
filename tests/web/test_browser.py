"""The page in a real browser: names that hold, keys, no script of others, with and without ours."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Repo
from hostile.test_injection import plant
from web.test_hostile import MARKUP, SCRIPT
from web.test_process import ServedPage

Open = Callable[..., Any]


@pytest.fixture
def served(repo: Repo) -> Iterator[Callable[..., ServedPage]]:
    pages: list[ServedPage] = []

    def serve(*options: str) -> ServedPage:
        pages.append(ServedPage(repo.path, *options))
        return pages[-1]

    yield serve
    for page in pages:
        page.end()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Open]:
    """A tab of its own; whatever goes wrong in it, or leaves the machine, fails the test."""
    contexts: list[Any] = []
    trouble: list[str] = []

    def open_tab(address: str, **options: Any) -> Any:
        context = chromium.new_context(**options)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(20_000)
        tab.on("pageerror", lambda error: trouble.append(str(error)))
        tab.on("dialog", lambda dialog: trouble.append(dialog.message))
        tab.on("request", lambda request: _note_foreign(request.url, trouble))
        tab.goto(address)
        return tab

    yield open_tab
    for context in contexts:
        context.close()
    assert trouble == []


def _note_foreign(url: str, trouble: list[str]) -> None:
    if not url.startswith("http://127.0.0.1:"):
        trouble.append(url)


def test_a_memory_is_found_forgotten_and_brought_back(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    repo.tr.remember("Use WAL mode: readers never block", type="decision")
    tab = visit(served().line)
    assert "token" not in tab.url

    for name in ("Today", "Branches", "Files", "Review", "Graph", "Search"):
        tab.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        tab.get_by_role("heading", level=1).wait_for()
    tab.get_by_label("Search").fill("readers")  # hits come while one types
    tab.get_by_role("link", name="Use WAL mode: readers never block").click()
    assert tab.get_by_role("heading", level=1).inner_text() == "Use WAL mode: readers never block"
    for name in ("Revise", "Supersede", "Forget"):
        assert tab.get_by_role("button", name=name, exact=True).count() == 1

    tab.get_by_role("button", name="Forget").click()
    tab.get_by_role("button", name="Undo").wait_for()
    assert repo.tr.recall("readers").total == 0
    tab.get_by_role("button", name="Undo").click()
    tab.get_by_role("button", name="Forget").wait_for()
    assert repo.tr.recall("readers").total == 1


def test_it_can_be_used_by_key(repo: Repo, served: Callable[..., ServedPage], visit: Open) -> None:
    repo.tr.remember("Perhaps use WAL mode", confidence=0.2)
    page = served()
    tab = visit(page.line)

    tab.keyboard.press("/")
    tab.keyboard.type("wal")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search?q=wal")
    tab.get_by_role("heading", level=1).wait_for()
    tab.locator("main").focus()
    tab.keyboard.press("j")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/memory/*")

    tab.goto(f"http://127.0.0.1:{page.port}/review")
    tab.keyboard.press("j")
    tab.keyboard.press("y")
    tab.get_by_text("Nothing is doubtful").wait_for()
    assert repo.tr.review().total == 0


def test_it_can_be_read_and_used_without_script(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    tab = visit(served().line, java_script_enabled=False)

    tab.get_by_label("Search").fill("wal")
    tab.get_by_label("Search").press("Enter")
    tab.get_by_role("link", name="Use WAL mode").click()
    tab.get_by_role("button", name="Revise").click()
    tab.get_by_label("Text", exact=True).fill("Use WAL mode everywhere")
    tab.get_by_role("button", name="Revise").click()

    assert tab.get_by_role("heading", level=1).inner_text() == "Use WAL mode everywhere"


def test_nothing_of_anybody_elses_runs(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    """Markup in every field of a memory, in names of branches and files, on every view."""
    path = "src/<img src=x onerror=window.owned=1>.py"
    repo.commit_file(path, SCRIPT, message=SCRIPT)
    plant(
        repo, "\n\n".join(MARKUP), title=SCRIPT, author=f"{SCRIPT} <eve@evil.example>",
        tags=[SCRIPT], topic=SCRIPT, agent=SCRIPT, confidence=0.1, files=[{"path": path}],
    )  # fmt: skip
    name = "x<svg/onload=window.owned=1>"
    repo.git("branch", name)
    repo.tr.remember(SCRIPT, branch=name)
    page = served("--read-only")
    tab = visit(page.line)
    blocked: list[str] = []
    tab.on("console", lambda message: blocked.append(message.text))
    id = repo.tr.recall(status="all").results[0].id

    for view in (
        "/", "/search", "/search?scope=all", "/branches", "/files/src", "/review", "/graph",
        f"/pull-request?base=main&head={name}", f"/memory/{id}", "/search?q=<script>x",
    ):  # fmt: skip
        tab.goto(f"http://127.0.0.1:{page.port}{view}")
        assert tab.evaluate("window.owned") is None, view
        assert tab.locator("img").count() == 1, view  # our own

    assert [text for text in blocked if "Content Security Policy" in text] == []


def test_another_site_can_neither_read_nor_send(
    repo: Repo, served: Callable[..., ServedPage], visit: Open, chromium: Any
) -> None:
    """A page of another port is of the same site to a browser: it sends the cookie along."""
    repo.tr.remember("Use WAL mode", type="decision")
    page, other = served(), served()
    context = chromium.new_context(bypass_csp=True)
    tab = context.new_page()
    tab.goto(page.line)
    tab.goto(other.line)
    target = f"http://127.0.0.1:{page.port}/"

    answers = tab.evaluate(
        """async (url) => {
          const tries = [["GET", "cors"], ["GET", "no-cors"], ["POST", "no-cors"]];
          const seen = [];
          for (const [method, mode] of tries) {
            try {
              const answer = await fetch(url, {method, mode, credentials: "include"});
              seen.push(await answer.text());
            } catch (error) { seen.push("refused"); }
          }
          return seen;
        }""",
        target,
    )
    context.close()

    assert "WAL" not in " ".join(answers)


def test_there_is_no_sideways_scrolling_on_a_phone(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    repo.commit_file("src/" + "long" * 20 + ".py", "x" * 300)
    repo.tr.remember("W" * 120 + " and more", tags=["t" * 60], files=["src/" + "long" * 20 + ".py"])
    page = served()
    tab = visit(page.line, viewport={"width": 360, "height": 700}, color_scheme="dark")
    id = repo.tr.recall().results[0].id

    for view in ("/", "/search", f"/memory/{id}", "/branches", "/files/src", "/review"):
        tab.goto(f"http://127.0.0.1:{page.port}{view}")
        wide = tab.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, view
