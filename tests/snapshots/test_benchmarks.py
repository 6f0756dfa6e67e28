"""Figures of quality that come out the same everywhere, as the benchmarks print them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from snapshots.golden import check

ROOT = Path(__file__).parents[2]
_TIMES = re.compile(r"^\(\d+ s\)\n|^\d+ us a text\n", re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("classify", "-m benchmarks classify"),
        ("detectors", "-m benchmarks detectors --quick"),
        pytest.param("questions", "-m benchmarks.questions", marks=pytest.mark.deep),
    ],
)
def test_quality_is_as_recorded(name: str, command: str) -> None:
    """Those that take longer are in `recorded.md`, for whoever runs them again."""
    done = subprocess.run(
        [sys.executable, *command.split()], cwd=ROOT, capture_output=True, text=True, check=True
    )

    figures = _TIMES.sub("", done.stdout)
    check(f"benchmarks/{name}", {"figures.txt": f"$ python {command}\n{figures}"})
