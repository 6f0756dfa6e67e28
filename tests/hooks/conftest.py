"""Repositories whose hooks are our shims."""

from collections.abc import Iterator

import pytest

from hooked import Hooked
from sync.conftest import clone, origin  # noqa: F401  fixtures


@pytest.fixture
def hooked(repo) -> Iterator[Hooked]:
    """Hooks with the real worker; whatever it is doing is over before the repository goes."""
    made = Hooked(repo.path / ".git").install()
    yield made
    if made.journal.pending() == 0:
        made.settle()


@pytest.fixture
def noting(repo) -> Hooked:
    """Hooks that only note, and start nobody."""
    return Hooked(repo.path / ".git").install(only_notes=True)
