"""The page in a real browser: names that hold, keys, no script of others, with and without ours."""

import os
import pty
import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conftest import TREERING, Repo
from hostile.test_injection import plant
from web.test_hostile import MARKUP, SCRIPT
from web.test_process import ServedPage
from web.test_views import import_many

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
        "/branches/" + name, f"/memory/{id}", "/search?q=<script>x",
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


def test_the_inbox_is_answered_in_place(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    for word in ("alpha", "beta", "gamma", "delta"):
        repo.tr.remember(f"Perhaps {word} is what the {word} part needs", confidence=0.2)
    page = served()
    tab = visit(page.line, viewport={"width": 1280, "height": 400})
    tab.goto(f"http://127.0.0.1:{page.port}/review")
    titles = tab.locator("[data-card] h2").all_inner_texts()

    for key in ("j", "j", "j", "x"):
        tab.keyboard.press(key)
    tab.get_by_role("button", name="Undo").wait_for()

    assert tab.url.endswith("/review")  # no other page was loaded
    assert tab.locator("[data-card] h2").all_inner_texts() == [*titles[:2], titles[3]]
    assert tab.locator(".is-at h2").inner_text() == titles[3]
    assert tab.evaluate("window.scrollY") > 0
    assert "3 memories are doubtful" in tab.locator("main .lead").inner_text()
    tab.get_by_role("button", name="Undo").click()
    tab.get_by_text("4 memories are doubtful").wait_for()
    assert tab.locator("[data-card] h2").all_inner_texts() == titles
    assert tab.locator(".is-at h2").inner_text() == titles[2]


def test_another_branch_is_one_choice_away(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis", type="decision")
    repo.switch("main")
    tab = visit(served().line)

    tab.get_by_label("Branch").select_option("feature")
    tab.get_by_role("link", name="Sessions live in Redis").wait_for()
    tab.get_by_label("Search").fill("redis")
    tab.get_by_label("Search").press("Enter")
    tab.get_by_role("link", name="Sessions live in Redis").click()

    assert tab.get_by_role("heading", level=1).inner_text() == "Sessions live in Redis"
    assert "branch=feature" in tab.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_file_is_whole_and_its_notes_can_be_read(
    repo: Repo, served: Callable[..., ServedPage], visit: Open, width: int, scheme: str
) -> None:
    repo.switch("feature", create=True)
    repo.commit_file("db.py", "def connect():\n    return 1\n" * 20)
    titles = [f"Rule {name} of this module" for name in ("one", "two", "three")]
    for title in titles:
        repo.tr.remember(title, type="decision", files=["db.py"])
    page = served()
    tab = visit(page.line, viewport={"width": width, "height": 800}, color_scheme=scheme)
    tab.goto(f"http://127.0.0.1:{page.port}/files/db.py")

    lines = [tab.locator(f"#L{number}").bounding_box()["y"] for number in range(1, 41)]
    notes = [tab.locator(".note", has_text=title).bounding_box() for title in titles]
    steps = [round(b - a, 1) for a, b in pairwise(lines)]
    assert len(set(steps)) == 1  # nothing tears the code apart
    assert all(note["x"] >= 0 and note["x"] + note["width"] <= width for note in notes)
    tops = sorted((note["y"], note["y"] + note["height"]) for note in notes)
    assert all(one[1] <= other[0] + 1 for one, other in pairwise(tops))
    if width == 1280:
        assert abs(tops[0][0] - lines[0]) < 8  # beside the line it binds


def test_details_are_shown_by_pointer_and_by_key(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    page = served()
    tab = visit(page.line)

    for view in ("/branches", "/graph"):
        tab.goto(f"http://127.0.0.1:{page.port}{view}")
        dot = tab.get_by_role("link", name="decision: Use WAL mode")
        tip = dot.locator(".tip")
        assert not tip.is_visible()
        dot.focus()
        assert tip.is_visible()
        tab.locator("h1").focus()
        dot.locator("circle").hover()
        assert tip.is_visible()


def test_the_navigation_is_in_sight_on_a_phone(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    tab = visit(served().line, viewport={"width": 390, "height": 800})

    for name in ("Today", "Search", "Branches", "Files", "Review", "Graph"):
        box = (
            tab.get_by_role("navigation").get_by_role("link", name=name, exact=True).bounding_box()
        )
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_the_newest_end_of_the_river_is_in_sight_on_a_phone(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    page = served()
    tab = visit(page.line, viewport={"width": 390, "height": 800})
    tab.goto(f"http://127.0.0.1:{page.port}/branches")

    right = tab.evaluate("document.querySelector('.river').getBoundingClientRect().right")

    assert right <= 390


def test_three_hundred_memories_can_be_read_in_the_graph(
    repo: Repo, served: Callable[..., ServedPage], visit: Open
) -> None:
    titles = sorted(import_many(repo, 300))
    hits = {hit.title: hit.id for hit in repo.tr.recall(limit=400).results}
    for number in range(1, 25):
        repo.tr.link(hits[titles[number]], hits[titles[number // 3]], relation="depends_on")
    page = served()
    tab = visit(page.line)
    tab.goto(f"http://127.0.0.1:{page.port}/graph")

    boxes = tab.evaluate(
        """[...document.querySelectorAll('.map circle')].map(
          dot => [dot.cx.baseVal.value, dot.cy.baseVal.value])"""
    )
    near = [
        (a, b) for n, a in enumerate(boxes) for b in boxes[n + 1 :]
        if (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 < 144
    ]  # fmt: skip
    assert len(boxes) == 300
    assert near == []  # no dot lies on another


def test_the_browser_is_let_in_by_a_file(
    repo: Repo, visit: Open, chromium: Any, tmp_path: Path
) -> None:
    """What is opened names a file, which only its owner can read; no address is an argument."""
    seen = tmp_path / "opened"
    script = tmp_path / "browser"
    script.write_text(
        f"""#!/bin/sh
echo "$1" > {seen}.new
cp "${{1#file://}}" {seen}.html
stat -c %a "${{1#file://}}" > {seen}.mode
mv {seen}.new {seen}
"""
    )
    script.chmod(0o755)
    environment = os.environ | {"DISPLAY": ":9", "BROWSER": f"{script} %s"}
    main, side = pty.openpty()
    with subprocess.Popen(
        [TREERING, "web"], cwd=repo.path, stdout=side, stderr=side, env=environment
    ) as process:
        try:
            until = time.monotonic() + 20
            while not seen.exists() and time.monotonic() < until:
                time.sleep(0.05)
            assert seen.read_text().startswith("file:///")
            assert "token" not in seen.read_text()
            assert Path(f"{seen}.mode").read_text().strip() == "600"
            context = chromium.new_context()
            tab = context.new_page()
            tab.goto(Path(f"{seen}.html").as_uri())
            tab.get_by_role("heading", name="Today").wait_for()
            assert "token" not in tab.url
            context.close()
        finally:
            process.terminate()
            os.close(side)
            os.close(main)
    assert not Path(seen.read_text().strip().removeprefix("file://")).exists()
