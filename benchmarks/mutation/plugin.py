"""A pytest plugin that notes what each test calls."""

import os
from collections.abc import Iterator

import pytest

from benchmarks.mutation import calls


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    os.environ[calls.TEST] = item.nodeid
    calls.start(item.nodeid)
    try:
        return (yield)
    finally:
        calls.stop()
        del os.environ[calls.TEST]
