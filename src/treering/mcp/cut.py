"""Answers cut to what an agent can take: between items, said so, and the whole kept for later."""

import json
from typing import Any

USUAL, MOST = 8_000, 40_000
_SPARE = 60  # for what is said about the cut itself


def compact(answer: Any) -> str:
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def how_many_fit(answer: dict[str, Any], key: str, room: int) -> int:
    """How many items of a list fit, beside everything else in the answer; at least one."""
    left = room - len(compact(answer | {key: []})) - _SPARE
    for number, item in enumerate(answer[key]):
        left -= len(compact(item)) + 1
        if left < 0:
            return max(1, number)
    return len(answer[key])


def fit(answer: dict[str, Any], room: int) -> dict[str, Any]:
    """The answer without the ends of its longest lists, then without the end of its longest text.

    `total` says how long the list was; `next_offset` where the text goes on.
    """
    while len(compact(answer)) > room and (key := _longest(answer, list)):
        whole = answer[key]
        shown = min(how_many_fit(answer, key, room), len(whole) - 1)
        answer = {"total": len(whole)} | answer | {key: whole[:shown]}
    if len(compact(answer)) > room and (key := _longest(answer, str)):
        answer = _cut_text(answer, key, room)
    return answer


def _longest(answer: dict[str, Any], kind: type[list[Any]] | type[str]) -> str:
    """The key of the longest list of more than one item, or of the longest text."""
    sizes = {
        key: len(compact(value))
        for key, value in answer.items()
        if isinstance(value, kind) and len(value) > 1
    }
    return max(sizes, key=sizes.__getitem__, default="")


def _cut_text(answer: dict[str, Any], key: str, room: int) -> dict[str, Any]:
    """As much of a text as fits once it is escaped; found by halving."""
    whole = answer[key]
    left = room - len(compact(answer | {key: ""})) - _SPARE
    low, high = 0, len(whole)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(compact(whole[:middle])) <= left else (low, middle - 1)
    return answer | {key: whole[:low], "next_offset": low}
