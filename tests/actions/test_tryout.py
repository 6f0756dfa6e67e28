"""treering try: what the history already knows, with nothing written."""

import os
from pathlib import Path

from conftest import Repo

WHY = "Ten connections\n\nThe database closes all of them because it refuses the eleventh."


def _list_files(repo: Repo) -> dict[str, tuple[int, int]]:
    files = (Path(folder) / name for folder, _, names in os.walk(repo.path) for name in names)
    return {str(file): (file.stat().st_size, file.stat().st_mtime_ns) for file in files}


def test_it_cites_the_commits_behind_lines_changed_lately(repo: Repo) -> None:
    for name in ("pool", "cache", "queue"):
        text = "".join(f"{name}_{number} = {number}\n" for number in range(9))
        repo.commit_file(f"{name}.py", text, WHY.replace("Ten", name.title()))
    for number in range(90):
        repo.git("commit", "-q", "--allow-empty", "-m", f"Turn {number}")
    for name in ("pool", "cache", "queue"):
        text = (repo.path / f"{name}.py").read_text()
        repo.commit_file(f"{name}.py", f"{text}last = 1\n", f"Touch {name}")
    before = _list_files(repo)

    answer = repo.json("try")

    assert answer["commits"] >= 96
    assert {finding["path"] for finding in answer["findings"]} == {
        "pool.py", "cache.py", "queue.py",
    }  # fmt: skip
    for finding in answer["findings"]:
        assert (finding["from"], finding["to"]) == (1, 9)
        assert "because it refuses the eleventh" in finding["reason"]
        assert repo.git("cat-file", "-t", finding["commit"]).strip() == "commit"
    assert _list_files(repo) == before


def test_a_reason_that_no_line_leads_to_is_named_all_the_same(repo: Repo) -> None:
    repo.commit_file("pool.py", "size = 10\n", WHY)

    said = repo.cli("try", ".")

    assert "refuses the eleventh" in said.stdout

    assert "give a reason" in said.stdout
    assert "next: treering init && treering backfill" in said.stdout


def test_where_there_is_no_commit_it_says_so(tmp_path: Path, repo: Repo) -> None:
    empty = tmp_path / "empty"
    repo.git("init", "-q", str(empty))

    assert repo.error("try", str(empty))["code"] == "invalid"


def test_it_names_a_reason_that_a_recent_commit_overruled(repo: Repo) -> None:
    lines = [f"retry_{number} = {number}\n" for number in range(6)]
    repo.commit_file("pool.py", "size = 10\n" + "".join(lines), WHY)
    repo.commit_file("pool.py", "size = 10\n", "Without retries")
    by = repo.git("rev-parse", "HEAD").strip()

    (finding,) = [f for f in repo.json("try")["findings"] if "overruled_by" in f]

    assert (finding["path"], finding["from"], finding["to"]) == ("pool.py", 2, 7)
    assert finding["overruled_by"] == by
    assert by[:12] in repo.cli("try").stdout


def test_it_names_a_rule_for_agents_that_the_code_no_longer_follows(repo: Repo) -> None:
    repo.commit_file("src/db.py", "x = 1\n", "Add it")
    repo.commit_file("AGENTS.md", "# Rules\n\nAll queries go through `src/db.py`.\n", "Rules")
    repo.git("rm", "-q", "src/db.py")
    repo.git("commit", "-q", "-m", "Split the database module")
    gone = repo.git("rev-parse", "HEAD").strip()

    (finding,) = [f for f in repo.json("try")["findings"] if f["path"] == "AGENTS.md"]

    assert (finding["from"], finding["commit"]) == (3, gone)
    assert "`src/db.py`" in finding["reason"]
