"""Takes docs/pictures/*.png from a real page in a real browser: `make pictures`.

A small project is made, with a few weeks of work on its branches, and `treering web` is started in
it. What the pictures show is what the program made of it.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from treering import Treering
from treering.cli.caller import own_command
from treering.git.objects import Person

FOLDER = Path(__file__).parent / "pictures"
CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
DAY = 86_400.0
ADA = Person("Ada Lovelace", "ada@example.org")


class Project:
    """A repository whose time is told to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = time.time() - 24 * DAY
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", ADA.name)
        self.git("config", "user.email", ADA.email)

    def git(self, *words: str) -> None:
        stamp = f"{int(self.now)} +0000"
        dates = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        subprocess.run(["git", *words], cwd=self.path, env=os.environ | dates, check=True)

    def wait(self, days: float) -> "Project":
        self.now += days * DAY
        return self

    def memory(self, agent: str = "", person: Person | None = None) -> Treering:
        return Treering.open(self.path, clock=self._clock, agent=agent, person=person)

    def _clock(self) -> float:
        self.now += 40
        return self.now

    def commit(self, message: str, **files: str) -> None:
        for name, text in files.items():
            file = self.path / name.replace("__", "/").replace("_py", ".py")
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-q", "-m", message)
        self.wait(0.1)

    def branch(self, name: str, base: str = "main") -> None:
        self.git("switch", "-q", "-c", name, base)

    def land(self, name: str, message: str) -> None:
        """A squash merge, after which the branch is deleted."""
        self.git("switch", "-q", "main")
        self.git("merge", "-q", "--squash", name)
        self.git("commit", "-q", "-m", message)
        self.git("branch", "-q", "-D", name)
        self.wait(0.3).memory().gc()

    def drop(self, name: str) -> None:
        self.git("switch", "-q", "main")
        self.git("branch", "-q", "-D", name)
        self.wait(0.2).memory().gc()


DB = """import sqlite3


def connect(path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    return db
"""
REPORT = """from shop.db import connect


def totals(path, month):
    db = connect(path)
    return db.execute(
        "SELECT sum(amount) FROM orders WHERE month = ?", (month,)
    ).fetchone()
"""


def make_project(path: Path) -> Project:
    """Some weeks of a small shop."""
    project = Project(path)
    project.commit(
        "Start", shop__db_py=DB.replace('    db.execute("PRAGMA journal_mode = WAL")\n', "")
    )
    memory = project.memory()
    orders = memory.remember(
        "Orders are written in one transaction\n\nA crash leaves none half-written, and the mail "
        "goes out only after the commit.",
        type="decision", tags=["orders"], topic="shop/orders", files=["shop/db.py"],
    )  # fmt: skip
    backup = memory.remember("The nightly backup goes to tape", type="decision", tags=["ops"])
    memory.remember(
        "Amounts are whole cents, never floats", type="convention", tags=["orders", "money"]
    )

    project.wait(3).branch("feature/wal")
    project.commit("Readers no longer wait", shop__db_py=DB)
    memory = project.memory()
    wal = memory.remember(
        "Use WAL mode: readers never block\n\nThe report reads for minutes. With the rollback "
        "journal every order waited for it.\n\n- `PRAGMA journal_mode = WAL`, once per database\n"
        "- the file system must be local: no NFS\n\nMeasured in `shop/db.py`: 40 s of waiting a "
        "day before, none since.",
        type="decision", tags=["db", "performance"], topic="shop/db", files=["shop/db.py"],
    )  # fmt: skip
    memory.remember(
        "Threads made the report slower: the lock is held while rows are read",
        type="insight", tags=["db", "report"], outcome="failed", files=["shop/db.py"],
    )  # fmt: skip
    memory.link(wal.id, orders.id, relation="affects")
    project.wait(1).land("feature/wal", "Readers no longer wait (#12)")

    project.wait(1).branch("idea/cache")
    project.commit("Try a cache", shop__cache_py="CACHE = {}\n")
    project.memory("claude-code").remember(
        "A cache of totals goes stale with every refund", type="insight", outcome="failed"
    )
    project.wait(0.5).drop("idea/cache")

    project.wait(2).memory().remember(
        "The nightly backup goes to object storage", type="decision", tags=["ops"],
        supersedes=backup.id,
    )  # fmt: skip
    project.branch("feature/report")
    project.commit("Totals of a month", shop__report_py=REPORT)
    memory = project.memory("claude-code")
    report = memory.remember(
        "The report reads from one snapshot\n\nIt depends on WAL mode: totals and lines have to "
        "agree.",
        type="decision", tags=["report"], files=["shop/report.py"],
    )  # fmt: skip
    memory.link(report.id, wal.id, relation="depends_on")
    project.wait(2)
    project.memory().remember(
        "Month ends are in UTC, whatever the shop's own time is", type="convention",
        tags=["report"], files=["shop/report.py"],
    )  # fmt: skip
    project.wait(1).land("feature/report", "Totals of a month (#15)")

    project.wait(1.5).branch("fix/refunds")
    project.commit("Refunds are orders", shop__refund_py="def refund(order):\n    return -order\n")
    refund = project.memory("codex").remember(
        "Refunds are orders with a negative amount: the report needs no case of its own",
        type="component", tags=["orders", "money"], files=["shop/refund.py"],
    )  # fmt: skip
    project.memory().link(refund.id, report.id, relation="affects")
    project.wait(2)
    project.git("switch", "-q", "main")
    memory = project.memory()
    memory.remember("Perhaps mails should be queued", confidence=0.3, tags=["mail"])
    memory.remember("Amounts are whole cents and never a float", type="convention")

    project.wait(1).branch("feature/months")
    project.commit(
        "Months side by side", shop__report_py=REPORT.replace("month):", "month, other=None):")
    )
    memory = project.memory()
    memory.remember(
        "Two months are one query with a window, not two queries", type="decision",
        tags=["report", "performance"], files=["shop/report.py"],
    )  # fmt: skip
    memory.remember(
        "Rounding per line does not add up to the total", type="issue", outcome="partial",
        tags=["report", "money"],
    )  # fmt: skip
    memory.checkpoint(
        "save",
        summary="Months stand side by side. **Refunds** are still counted twice when an order was "
        "refunded in another month.",
        next_steps=["Join refunds by the month of the order", "Test with a leap year"],
        open_files=["shop/report.py"],
    )  # fmt: skip
    _tell_agent(project)
    return project


def _tell_agent(project: Project) -> None:
    """What hooks say at the start of a session and about a prompt."""
    environment = os.environ | {"TREERING_HOOK_SECONDS": "30"}
    for event, text in (
        ("SessionStart", '{"session_id": "a1"}'),
        ("UserPromptSubmit", '{"session_id": "a1", "prompt": "make the report of totals faster"}'),
    ):
        words = [*own_command("hook", "agent", "claude", event)]
        subprocess.run(words, cwd=project.path, input=text, text=True, env=environment, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
    time.sleep(1)  # it is written down once nobody waits


@contextmanager
def serve(path: Path) -> Iterator[str]:
    words = own_command("web", "--no-open", "-C", str(path))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip() if process.stdout else ""
        process.terminate()


def take_pictures(browser: Any, address: str) -> None:
    home = address.partition("/?")[0]
    wide = browser.new_context(viewport={"width": 1180, "height": 860}).new_page()
    wide.goto(address)
    for name in ("today", "branches", "review", "graph", "told"):
        path = "" if name == "today" else name
        _take(wide, f"{home}/{path}", name.partition("?")[0])
    _take(wide, f"{home}/search?q=report", "search")
    wide.get_by_role("link", name="Use WAL mode: readers never block").first.click()
    _take(wide, wide.url, "memory")
    _take(wide, f"{home}/files/shop/report.py", "files")
    state = wide.context.storage_state()
    dark = browser.new_context(
        viewport={"width": 1180, "height": 860}, color_scheme="dark", storage_state=state
    ).new_page()
    _take(dark, f"{home}/branches", "branches-dark")
    narrow = browser.new_context(
        viewport={"width": 400, "height": 860}, color_scheme="dark", storage_state=state
    ).new_page()
    _take(narrow, f"{home}/", "today-narrow")


def _take(tab: Any, address: str, name: str) -> None:
    tab.goto(address)
    tab.wait_for_load_state("networkidle")
    file = FOLDER / f"{name}.png"
    tab.screenshot(path=file)
    _shrink(file)


def _shrink(file: Path) -> None:
    """A page has few colours: a palette of them takes a third of the room. Pillow is not needed."""
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(file) as picture:
        small = picture.convert("RGB").quantize(96, dither=Image.Dither.NONE)
    small.save(file, optimize=True)


def main() -> int:
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists():
        sys.stderr.write(f"There is no {CHROMIUM}: no pictures were taken.\n")
        return 1
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        project = make_project(Path(folder) / "shop")
        browser = started.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        with serve(project.path) as address:
            take_pictures(browser, address)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
