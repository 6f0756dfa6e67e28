"""Texts that steer, credentials, and what looks like them, read from tests/data.

In two halves: `tune` was looked at while rules were made, `held` was not. Shared by the tests and
by `python -m benchmarks detectors`.
"""

import base64
import codecs
import json
import random
import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parents[1] / "data"
SEEDS = 3

_LETTERS = string.ascii_letters + string.digits
ALPHABETS = {
    "w": _LETTERS,
    "h": "0123456789abcdef",
    "U": string.ascii_uppercase + string.digits,
    "d": string.digits,
    "l": string.ascii_lowercase + string.digits,
    "a": string.ascii_lowercase,
    "b": _LETTERS + "-_",
    "p": _LETTERS + "!@#$%^&*?+",
}
ENCODERS: dict[str, Callable[[str], str]] = {
    "b64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "pct": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "rev": lambda text: text[::-1],
}


class Sample(NamedTuple):
    """A text, what it is, and in which language."""

    kind: str
    language: str
    text: str


def read_steering(half: str) -> list[Sample]:
    """Texts that steer, by class, and innocent ones; `@rot13:...` is encoded here."""
    return [
        Sample(item["kind"], item["language"], _encode(item["text"]))
        for item in _read("steering.jsonl")
        if item["half"] == half
    ]


def read_credentials(half: str) -> list[Sample]:
    """Credentials and what looks like them; `~w36` becomes 36 random letters and digits here, so
    that no file holds anything that looks like a credential."""
    return [
        Sample(item["kind"], "", fill(item["text"], seed))
        for item in _read("credentials.jsonl")
        if item["half"] == half
        for seed in range(SEEDS)
    ]


def fill(shape: str, seed: int) -> str:
    dice = random.Random(f"{shape}{seed}")

    def part(match: re.Match[str]) -> str:
        return "".join(dice.choices(ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(r"~([whUdlabp])(\d+)", part, shape)


def _read(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def _encode(text: str) -> str:
    if match := re.match(r"@(\w+):", text):
        return ENCODERS[match[1]](text[match.end() :])
    return text
