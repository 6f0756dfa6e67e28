"""Tokens as models count them: o200k_base, from the `bench` extra, which needs no network.

Where it is not installed, a token is taken for four characters, and the figures say so.
"""

import json
from collections.abc import Callable
from typing import Any


def _load() -> tuple[str, Callable[[str], int]]:
    try:
        import bpe_openai
    except ImportError:
        return "characters / 4", lambda text: len(text) // 4
    encoding = bpe_openai.get_encoding("o200k_base")
    return "o200k tokens", lambda text: len(encoding.encode(text))


#: What is counted, and the count of a text.
UNIT, count = _load()


def count_json(value: Any) -> int:
    return count(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
