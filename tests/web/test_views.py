"""Each view shows what its verb answers, under the names that hold."""

import json
import re
import subprocess
import time

import pytest

from conftest import Repo
from web.pages import Browser

NAVIGATION = [
    "Today", "Search", "Branches", "Files", "Review", "Graph", "Shown to agents",
]  # fmt: skip


def import_many(repo: Repo, count: int) -> set[str]:
    """Many memories at once, and their titles."""
    titles = {f"Shard number {number} is cold" for number in range(count)}
    lines = (json.dumps({"content": title, "type": "component"}) for title in sorted(titles))
    file = repo.path.parent / "many.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    repo.tr.import_path(file)
    return titles


def test_the_navigation_leads_to_every_view(browse: Browser) -> None:
    page = browse.get("/")

    for name in NAVIGATION:
        view = browse.get(page.link(name))
        assert view.status == 200
        assert f'aria-current="page">{name}<' in view.html


def test_every_page_has_one_box_to_search(browse: Browser) -> None:
    for path in ("/", "/search", "/branches", "/nosuch"):
        html = browse.get(path).html
        assert re.findall(r'<label for="(\w+)">Search</label>', html) == ["q"]
        assert html.count('id="q"') == 1


def test_today_tells_what_matters_on_this_branch(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.remember("Threads made it slower", outcome="failed")
    repo.tr.checkpoint("save", summary="The parser works", next_steps=["write docs"])

    text = browse.get("/").text

    assert "Use WAL mode" in text
    assert "Threads made it slower insight failed" in text
    assert "The parser works" in text
    assert "write docs" in text


def test_today_counts_knowledge_apart_from_records(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.backfill()
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")
    repo.tr.remember("Reports run at night")

    lead = "3 things known, 2 of them on this branch itself, beside 1 record of what happened."
    assert lead in browse.get("/").text


def test_today_of_another_branch(browse: Browser, repo: Repo) -> None:
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")
    repo.switch("main")

    assert "Sessions live in Redis" not in browse.get("/").text
    assert "Sessions live in Redis" in browse.get("/", branch="feature").text


def test_hits_are_links_with_the_title(browse: Browser, repo: Repo) -> None:
    made = repo.tr.remember("Use WAL mode: readers never block", tags=["db"])

    page = browse.get("/search", q="readers")

    assert page.link("Use WAL mode: readers never block") == f"/memory/{made.id}"


def test_a_search_goes_by_its_filters(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("Redis keeps sessions", type="component", tags=["cache"])
    repo.tr.remember("Redis was chosen", type="decision")

    by_type = browse.get("/search", q="redis", type="decision").text
    by_tag = browse.get("/search", q="redis", tag="cache").text

    assert "Redis was chosen" in by_type
    assert "Redis keeps sessions" not in by_type
    assert "Redis was chosen" not in by_tag


def test_a_part_of_the_page_is_enough_while_typing(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("Use WAL mode")

    page = browse.get("/search", q="wal", part="1")

    assert "Use WAL mode" in page.html
    assert "<html" not in page.html


def test_a_bad_filter_is_explained(browse: Browser) -> None:
    page = browse.get("/search", q="x", type="nonsense")

    assert page.status == 400
    assert "nonsense" in page.text


def test_pages_of_a_search_lead_there_and_back(browse: Browser, repo: Repo) -> None:
    titles = import_many(repo, 45)
    shown: list[str] = []

    page = browse.get("/search", order="newest")
    first = page
    for _ in range(2):
        shown += [text for text, href in page.links if text in titles]
        page = browse.get(page.link("Next"))
    shown += [text for text, href in page.links if text in titles]

    assert sorted(shown) == sorted(titles)
    assert "Next" not in dict(page.links)
    back = browse.get(browse.get(page.link("Previous")).link("Previous"))
    assert [text for text, _ in back.links if text in titles] == [
        text for text, _ in first.links if text in titles
    ]
    assert "Previous" not in dict(back.links)


def test_a_memory_is_shown_whole(browse: Browser, repo: Repo) -> None:
    repo.commit_file("src/db.py", "one\n")
    other = repo.tr.remember("The report reads while orders are written", type="component")
    made = repo.tr.remember("# Use WAL mode\n\nReaders **never** block.", files=["src/db.py"])
    repo.tr.link(made.id, other.id, relation="affects")
    repo.commit_file("src/db.py", "one\ntwo\n")

    page = browse.get(f"/memory/{made.id}")

    assert page.headings == [repo.tr.read(made.id).title]
    assert "<strong>never</strong>" in page.html
    assert {"Revise", "Forget", "Supersede"} <= set(page.buttons)
    assert "changed" in page.text
    assert page.link("The report reads while orders are written") == f"/memory/{other.id}"
    assert "<svg" in page.html
    changes = browse.get(page.link("what changed"))
    assert "<ins>two" in changes.html


def test_the_past_of_a_memory_can_be_looked_at(browse: Browser, repo: Repo) -> None:
    made = repo.tr.remember("The backup goes to tape")
    repo.tr.revise(made.id, content="The backup goes to disk")
    commits = [entry.commit for entry in repo.tr.read(made.id, history=True).history]

    newest = browse.get(f"/memory/{made.id}", at=commits[0])
    oldest = browse.get(f"/memory/{made.id}", at=commits[1])

    assert "<del>tape</del><ins>disk</ins>" in newest.html
    assert oldest.headings == ["The backup goes to tape"]


def test_an_unknown_memory_is_not_found(browse: Browser) -> None:
    assert browse.get("/memory/zzzz9999zzzz").status == 404
    assert browse.get("/memory/x").status == 400


def test_branches_show_plan_landings_and_trash(browse: Browser, repo: Repo) -> None:
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")
    repo.switch("main").git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "squashed")
    repo.git("branch", "-q", "-D", "feature")
    repo.switch("idea", create=True).commit_file("i")
    repo.tr.remember("It went nowhere")
    repo.switch("main").git("branch", "-q", "-D", "idea")

    before = browse.get("/branches")
    after = browse.press(before, "Apply plan")

    assert "promote 1 memory into main" in before.text
    assert "trash 1 memory" in before.text
    assert {"Promote", "Apply plan"} <= set(before.buttons)
    assert "The plan was applied" in after.text
    assert "Restore" in after.buttons
    assert "What landed where" in after.text
    assert "Sessions live in Redis" in repo.titles()


def test_files_are_a_tree_with_counts(browse: Browser, repo: Repo) -> None:
    repo.commit_file("src/db.py", "one\ntwo\n")
    repo.commit_file("src/plain.py", "three\n")
    repo.tr.remember("Use WAL mode", files=["src/db.py"])

    top = browse.get("/files")
    folder = browse.get(top.link("src/"))
    file = browse.get(folder.link("db.py"))

    assert re.search(r"src/</code></a></td><td class=\"number\">1<", top.html)
    assert [text for text, _ in folder.links if text.endswith(".py")] == ["db.py", "plain.py"]
    assert "Use WAL mode" in dict(file.links)
    assert ">two</span>" in file.html


@pytest.mark.parametrize("path", ["nosuch.py", "../etc/passwd", ".git/config", "src/../x"])
def test_a_path_that_is_not_there(browse: Browser, path: str) -> None:
    assert browse.client.get(f"/files/{path.replace('..', '%2e%2e')}").status_code in (400, 404)


def test_review_shows_both_wordings(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("The nightly backup of the orders table goes to tape in the vault")
    repo.tr.remember("The nightly backup of the orders table goes to tape in the cellar")
    repo.tr.remember("Perhaps use WAL mode", confidence=0.2)

    page = browse.get("/review")

    assert "low-confidence" in page.text
    assert "<ins>" in page.html
    assert {"Keep", "Forget", "Revise"} <= set(page.buttons)


def test_graph_shows_a_neighbourhood(browse: Browser, repo: Repo) -> None:
    ids = [repo.tr.remember(text, type="component").id for text in ("Alpha", "Beta", "Gamma")]
    repo.tr.link(ids[0], ids[1], relation="depends_on")
    repo.tr.link(ids[1], ids[2], relation="uses")

    near = browse.get("/graph", id=ids[0])
    far = browse.get("/graph", id=ids[0], depth="2")
    only = browse.get("/graph", id=ids[1], relation="uses")

    assert "Beta" in near.text
    assert "uses" not in re.findall(r'class="relation">(\w+)<', near.html)
    assert "uses" in re.findall(r'class="relation">(\w+)<', far.html)
    assert set(re.findall(r'class="relation">(\w+)<', only.html)) == {"uses"}


def test_a_branch_says_what_it_learned_as_a_text_to_copy(browse: Browser, repo: Repo) -> None:
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis", type="component")

    page = browse.get(browse.get("/branches").link("feature"))

    assert page.headings == ["feature"]
    assert "1 learned" in page.text
    assert "- **Sessions live in Redis** (component" in page.html


def test_the_page_says_what_landed_and_what_a_change_overrules(browse: Browser, repo: Repo) -> None:
    repo.switch("wait", create=True).commit_file("db.py", "timeout = 30\n")
    decision = repo.tr.remember("Thirty seconds", type="decision", files=["db.py"]).id
    proposed = browse.get(f"/memory/{decision}")
    listed = browse.get("/branches")
    repo.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "wait")
    repo.git("branch", "-q", "-D", "wait")
    repo.tr.gc()
    repo.switch("quick", create=True).commit_file("db.py", "timeout = 3\n")

    page = browse.get("/branches/quick")

    assert "proposed" in proposed.text
    assert "1 proposed" in listed.text
    assert "accepted" in browse.get(f"/memory/{decision}").text
    assert "What its code overrules" in page.text
    assert "Thirty seconds" in page.text
    assert "db.py:1" in page.text


def test_private_memories_are_shown_only_when_asked(browse: Browser, repo: Repo) -> None:
    repo.switch("feature", create=True).commit_file("f")
    made = repo.tr.remember("The plan I keep to myself", type="decision", private=True)

    for path in ("/", "/search", "/branches", "/branches/feature", "/graph", "/review"):
        assert "myself" not in browse.get(path).html, path
    assert browse.get(f"/memory/{made.id}").status == 404
    page = browse.get(browse.get("/search").link("Show private"))

    assert "The plan I keep to myself" in page.text
    assert '<span class="mark">private</span>' in page.html
    assert "myself" in browse.get(page.link("Today")).text  # every link carries it on
    assert "myself" in browse.get("/branches/feature?private=1").text


def test_what_is_remembered_privately_is_shown(browse: Browser, repo: Repo) -> None:
    page = browse.press(browse.get("/remember"), "Remember", content="Just for me", only_here="1")

    assert page.headings == ["Just for me"]
    assert repo.tr.recall().results[0].private


def test_records_are_behind_a_switch_that_every_link_carries_on(
    browse: Browser, repo: Repo
) -> None:
    repo.commit_file("src/db.py", "one\n", message="Open the database once")
    repo.tr.remember("The database is opened once", type="decision", files=["src/db.py"])
    repo.tr.backfill()

    without = {path: browse.get(path) for path in ("/search", "/graph", "/files/src", "/branches")}
    switched = browse.get(without["/search"].link("Show records"))

    for path, page in without.items():
        assert "Open the database" not in page.text, path
    assert re.search(r'db.py</code></a></td><td class="number">1<', without["/files/src"].html)
    assert "Open the database once" in switched.text
    graph = browse.get(switched.link("Graph"))
    assert "commit: Open the database once" in graph.html
    assert "Open the database" not in browse.get(browse.get(
        graph.link("Hide records")).link("Search")).text  # fmt: skip


def test_the_branch_is_in_every_address(browse: Browser, repo: Repo) -> None:
    repo.switch("feature", create=True)
    repo.commit_file("src/db.py", "one\n")
    made = repo.tr.remember("Sessions live in Redis", files=["src/db.py"], tags=["cache"])
    repo.switch("main")
    at = "branch=feature"

    for path in ("/", "/search", "/branches", "/files", "/files/src", "/files/src/db.py", "/graph",
                 "/review", f"/memory/{made.id}", f"/memory/{made.id}/link"):  # fmt: skip
        page = browse.get(path, branch="feature")
        assert page.status == 200, path
        own = [(text, url) for text, url in page.links if url.startswith("/")]
        assert [link for link in own if at not in link[1]] == [], path
        forms = [f for f in page.forms if "q" in f["fields"] or "key" in f["fields"]]
        assert all(form["fields"].get("branch") == "feature" for form in forms), path
        assert "<option selected>feature</option>" in page.html


def test_the_switcher_offers_every_branch_that_knows_something(browse: Browser, repo: Repo) -> None:
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")
    repo.switch("main")

    page = browse.press_get("/search", "Switch")

    assert "<option>feature</option>" in page.html
    assert "main (checked out)" in page.text


# --- files ----------------------------------------------------------------------------------------


@pytest.fixture
def landed(repo: Repo) -> Repo:
    """A file of which some lines landed from a branch that had decided something."""
    repo.commit_file("src/db.py", "import sqlite3\n\n# the end\n", message="Start")
    repo.switch("feature", create=True)
    text = "import sqlite3\n\n" + "".join(f"def f{n}(): return {n}\n" for n in range(30))
    repo.commit_file("src/db.py", text + "# the end\n", message="Open the database once")
    repo.tr.remember(
        "One connection is shared by all reports", type="decision", files=["src/db.py"]
    )
    repo.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "feature")
    repo.tr.gc()
    repo.tr.backfill()
    return repo


def test_a_file_has_notes_beside_the_lines_they_bind(browse: Browser, landed: Repo) -> None:
    page = browse.get("/files/src/db.py")

    code = page.html.partition("<pre")[2].partition("</pre>")[0]
    aside = page.html.partition("<aside")[2].partition("</aside>")[0]
    assert re.findall(r'id="L(\d+)"', code) == [str(n) for n in range(1, 34)]  # in one piece
    assert '<span class="c-keyword">import</span>' in code
    assert aside.count("One connection is shared by all reports") == 1
    assert 'href="#L3">3–32<' in aside
    assert "at-3 " in aside
    bound = re.findall(r'id="L(\d+)" data-n="\d+" class="bound"', code)
    assert bound == [str(n) for n in range(3, 33)]


def test_commits_are_notes_where_records_are_shown(browse: Browser, landed: Repo) -> None:
    page = browse.get("/files/src/db.py")
    assert "Open the database once" not in page.html

    page = browse.get(page.link("show them"))

    aside = page.html.partition("<aside")[2].partition("</aside>")[0]
    assert aside.count("Open the database once") == 1


def test_notes_do_not_lie_on_top_of_each_other(browse: Browser, landed: Repo) -> None:
    landed.switch("more", create=True)
    landed.commit_file("src/more.py", "x = 1\n" * 20)
    for number in range(3):
        landed.tr.remember(f"Rule number {number} of this part", type="decision",
                           files=["src/more.py"])  # fmt: skip

    rows = re.findall(r"note at-(\d+) ", browse.get("/files/src/more.py").html)

    assert rows == ["1", "5", "9"]


def test_a_file_that_is_no_text(browse: Browser, repo: Repo) -> None:
    (repo.path / "x.bin").write_bytes(b"\0\xff" * 50)
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "binary")
    repo.commit_file("empty.txt", "")

    assert "not text" in browse.get("/files/x.bin").text
    assert browse.get("/files/empty.txt").status == 200


def test_what_is_outdated_says_by_what(browse: Browser, repo: Repo) -> None:
    old = repo.tr.remember("The backup goes to tape", type="decision")
    new = repo.tr.remember("The backup goes to disk", type="decision", supersedes=old.id)

    assert "outdated by The backup goes to disk" in browse.get(f"/memory/{old.id}").text
    assert browse.get(f"/memory/{new.id}").link("The backup goes to tape") == f"/memory/{old.id}"


def test_the_hub_is_searched_from_the_page(
    repo: Repo, new_repo, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_repo("other")
    other.commit_file("f")
    import_many(other, 25)
    monkeypatch.setenv("TREERING_HUB", str(tmp_path / "hub"))
    repo.json("hub", "add", "shop", str(other.path))
    repo.json("hub", "update")
    mine = tmp_path / "gitconfig"
    mine.write_text(f"[treering]\n\thub = {tmp_path / 'hub'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(mine))
    browse = Browser(repo)

    page = browse.get(browse.get("/search", q="shard").link("all repositories"))
    following = browse.get(page.link("Next"))
    back = browse.get(following.link("Previous"))

    titles = [text for text, _ in page.links if text.startswith("Shard number")]
    assert len(titles) == 20
    assert titles == [text for text, _ in back.links if text.startswith("Shard number")]
    assert len([text for text, _ in following.links if text.startswith("Shard number")]) == 5
    memory = browse.get(page.link(titles[0]))
    assert memory.headings == [titles[0]]
    assert "A memory of shop" in memory.text
    assert "Forget" not in memory.buttons


def test_without_a_hub_nothing_is_offered(browse: Browser) -> None:
    assert "all repositories" not in browse.get("/search").text


def test_a_file_name_that_is_no_text(browse: Browser, repo: Repo) -> None:
    """git takes any bytes for a name."""
    blob = repo.git("hash-object", "-w", "--stdin", feed="x\n")
    tree = subprocess.run(
        ["git", "mktree"], cwd=repo.path, input=f"100644 blob {blob}\tb\\303\\050d.py\n".encode()
        .replace(b"\\303\\050", b"\xc3\x28"), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    repo.git("update-ref", "HEAD", repo.git("commit-tree", tree, "-p", "HEAD", "-m", "odd"))

    page = browse.get("/files")

    assert page.status == 200
    assert "d.py" in page.text
    assert browse.get(next(url for text, url in page.links if text.endswith("d.py"))).status in (
        200, 400,
    )  # fmt: skip


def test_a_text_is_kept_as_it_was_typed(browse: Browser, repo: Repo) -> None:
    text = "    indented\n\n  more"

    browse.press(browse.get("/remember"), "Remember", content=f"{text}\r\n", title="A title")

    assert repo.tr.read(repo.tr.recall().results[0].id).content == text


def test_all_knowledge_is_drawn_by_type(browse: Browser, repo: Repo) -> None:
    ids = [repo.tr.remember(text, type="component").id for text in ("Alpha", "Beta")]
    repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.link(ids[0], ids[1], relation="depends_on")

    page = browse.get("/graph")
    only = browse.get("/graph", type="decision")

    assert page.html.count('class="t-component"') >= 2
    assert "decision: Use WAL mode" in page.html
    assert page.html.count('class="edge"') == 1
    assert "component: Alpha" not in only.html
    assert "decision: Use WAL mode" in only.html


def test_words_that_were_searched_for_are_marked(browse: Browser, repo: Repo) -> None:
    repo.tr.remember("Use WAL mode\n\nWith `journal_mode` set, readers <never> block.")

    page = browse.get("/search", q="reader journal")

    assert "<mark>readers</mark>" in page.html
    assert "<code><mark>journal_mode</mark></code>" in page.html
    assert "<never>" not in page.html


def test_a_title_has_code_in_its_font(browse: Browser, repo: Repo) -> None:
    made = repo.tr.remember("Echo through `click.echo`, never print", type="convention")

    page = browse.get(f"/memory/{made.id}")

    assert "<h1>Echo through <code>click.echo</code>, never print</h1>" in page.html


def test_reasons_stand_above_links_and_details_are_words(browse: Browser, repo: Repo) -> None:
    old = repo.tr.remember("The backup goes to tape", type="decision")
    made = repo.tr.remember(
        "The backup goes to disk", type="decision", reasoning="Tape was slow", supersedes=old.id
    )
    repo.tr.link(made.id, repo.tr.remember("Restores are tried monthly").id)

    page = browse.get(f"/memory/{made.id}")

    assert page.html.index("Tape was slow") < page.html.index('id="links"')
    assert "{&#39;" not in browse.get(f"/memory/{old.id}").html


def test_time_is_a_choice_and_nothing_is_dated_1970(browse: Browser, repo: Repo) -> None:
    assert "1970" not in browse.get("/branches").html
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")

    page = browse.get("/branches")
    year = browse.get(page.link("a year"))

    assert 'aria-current="true">30 days<' in page.html
    assert 'aria-current="true">a year<' in year.html
    assert "Sessions live in Redis" in year.html


def test_long_texts_are_compared_quickly(browse: Browser, repo: Repo) -> None:
    """The same word many times made a difference take seconds."""
    made = repo.tr.remember("word " * 4000, title="Words")
    repo.tr.revise(made.id, content="word other " * 4000)
    commit = repo.tr.read(made.id, history=True).history[0].commit

    start = time.process_time()
    page = browse.get(f"/memory/{made.id}", at=commit)

    assert page.status == 200
    assert time.process_time() - start < 1.5
