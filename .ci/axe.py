"""Ask axe-core about every view of the page, on a repository with some of everything.

Usage: axe.py PATH-OF-AXE. Prints what it finds, and exits with 1 if that is anything.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

TREERING = str(Path(sys.executable).with_name("treering"))
FIND = "axe.run().then(r => r.violations.map(v => [v.id, v.impact, v.nodes[0].html.slice(0, 160)]))"
VIEWS = (
    "/", "/search?q=WAL", "/branches", "/branches/feat", "/files", "/files/a.py", "/review",
    "/graph", "/memory/{id}", "/memory/{id}/revise", "/memory/{id}/link", "/memory/{id}/supersede",
    "/told", "/remember",
)  # fmt: skip


def run(folder: str, *words: str) -> str:
    done = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def make_repository(folder: str) -> str:
    """Make a repository with decisions, doubts, a branch and a checkpoint; return a memory's id."""
    git = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    run(folder, "git", "init", "-q", "-b", "main")
    Path(folder, "a.py").write_text("mode = 'wal'\n", encoding="utf-8")
    run(folder, "git", "add", ".")
    run(folder, *git, "commit", "-q", "-m", "First\n\nReaders block otherwise.")
    words = "Use WAL mode because readers block"
    said = run(folder, TREERING, "remember", words, "--type", "decision", "--file", "a.py")
    remember = (TREERING, "remember", "--type", "insight")
    run(folder, *remember, "Retrying on busy was tried and made it worse", "--outcome", "failed")
    run(folder, *remember, "WAL mode is used because readers block", "--agent", "bot")
    run(folder, "git", "switch", "-q", "-c", "feat")
    run(folder, *git, "commit", "-q", "--allow-empty", "-m", "Second")
    run(folder, *remember, "The branch knows this")
    run(folder, TREERING, "checkpoint", "save", "--summary", "Half of it")
    run(folder, "git", "switch", "-q", "main")
    return said.split()[1]


def main() -> int:
    axe, count = Path(sys.argv[1]).read_text(encoding="utf-8"), 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        memory = make_repository(folder)
        served = subprocess.Popen(
            [TREERING, "web", "--no-open"], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        try:
            line = served.stdout.readline() if served.stdout else ""
            address = re.findall(r"http://\S+", line)[0]
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            page = browser.new_context(bypass_csp=True).new_page()
            page.goto(address)
            state = page.context.storage_state()
            for scheme, width in [(s, w) for s in ("light", "dark") for w in (390, 1280)]:
                context = browser.new_context(
                    bypass_csp=True, color_scheme=scheme, storage_state=state,
                    viewport={"width": width, "height": 900},
                )  # fmt: skip
                page = context.new_page()
                for view in VIEWS:
                    page.goto(address.split("/?")[0] + view.format(id=memory))
                    page.evaluate(axe)
                    for finding in page.evaluate(FIND):
                        count += 1
                        print(scheme, width, view, *finding)
            browser.close()
        finally:
            served.terminate()
            served.wait()
    print(f"{count} findings in {len(VIEWS)} views, light and dark, at 390 and 1280 px")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
