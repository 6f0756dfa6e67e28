"""Golden files: what the doors show, with a stable word for each unstable value.

`TREERING_SNAPSHOTS=write pytest tests/snapshots` renews them.
"""

import difflib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from treering import __version__

DATA = Path(__file__).parent / "data"
RENEW = "TREERING_SNAPSHOTS=write pytest tests/snapshots"
#: Figures that depend on the engine, the machine or the moment: their value says nothing here.
_MEASURED = re.compile(r'("(?:score|seconds)\\?": ?)[0-9.e-]+')
_OTHER_DAY = re.compile(r"\b(?!2026-02-02)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_TOKEN = re.compile(r"(?<![\w.-])[0-9a-z]{7,40}(?![\w-])")


class Placeholders:
    """The same value gets the same word, as long as one of these lives.

    `known` are values with a word of their own: paths, and the ids a script named.
    """

    def __init__(self, known: dict[str, str] | None = None) -> None:
        self.known = {__version__: "<version>"} | (known or {})
        self.seen: dict[str, str] = {}

    def replace(self, text: str) -> str:
        for value in sorted(self.known, key=len, reverse=True):
            text = re.sub(rf"(?<![\w.]){re.escape(value)}(?![\w])", self.known[value], text)
        text = _OTHER_DAY.sub("<now>", text)  # of a file
        text = re.sub(r"(?<=/clones/)[0-9a-z]{12}", "<clone>", text)  # drawn by lot
        return _MEASURED.sub(r"\1<measured>", _TOKEN.sub(self._word, text))

    def _word(self, match: re.Match[str]) -> str:
        value = match[0]
        is_hex = set(value) <= set("0123456789abcdef")
        is_word = value.isalpha() or value.isdigit()
        if (is_word and not (is_hex and len(value) in (12, 16, 40))) or not (
            is_hex or len(value) == 12
        ):
            return value  # of a sentence
        kind = "oid" if is_hex else "id"
        for known, word in self.seen.items():  # a version is shown as the start of its oid
            if known.startswith(value) or value.startswith(known):
                return word
        count = sum(word.startswith(f"<{kind}") for word in self.seen.values())
        return self.seen.setdefault(value, f"<{kind}:{count + 1}>")


def pretty(value: Any) -> str:
    """JSON as people compare it: in its own order, a field a line."""
    return json.dumps(value, indent=1, ensure_ascii=False)


def check(folder: str, texts: dict[str, str]) -> None:
    """Compare texts with all golden files of a folder, or write these."""
    texts = {name: text.rstrip("\n") + "\n" for name, text in texts.items()}
    files = {file.name: file for file in (DATA / folder).glob("*")}
    if os.environ.get("TREERING_SNAPSHOTS") == "write":
        (DATA / folder).mkdir(parents=True, exist_ok=True)
        for name in files.keys() - texts:
            files[name].unlink()
        for name, text in texts.items():
            (DATA / folder / name).write_text(text, encoding="utf-8")
        return
    before = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
    lines: list[str] = []
    for name in sorted(before.keys() | texts):
        two = (before.get(name, "").splitlines(), texts.get(name, "").splitlines())
        lines += difflib.unified_diff(*two, f"{name}, recorded", f"{name}, now", lineterm="")
    if lines:
        shown = "\n".join(lines)
        pytest.fail(f"{shown}\n\nIf this was meant to change: {RENEW}", pytrace=False)
