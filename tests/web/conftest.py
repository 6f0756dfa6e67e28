"""A browser of our own for most tests, and a real one, once, for those that need it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Repo
from web.pages import Browser

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture
def browse(repo: Repo) -> Browser:
    """The page of the repository, open to whoever holds the token."""
    return Browser(repo)


@pytest.fixture
def open_page() -> Callable[..., Browser]:
    return Browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A real browser, one for a module: while it is open no other test may run a loop of its own.
    Where there is none, its tests say so."""
    from pathlib import Path

    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}: nothing was looked at in a real browser")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()
