"""Answers as short as an agent can read them: what it would assume anyway is not said.

An agent pays for every word of an answer, and a memory that is active, shared, fresh, its own and
of this branch is the usual one. The command line's `--json` says everything, and so does
`recall(detail="full")`; `read` leaves out only what is empty.

What is not a memory, such as a plan, an edge or a reason, passes through as it is.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from treering.model.dates import instant
from treering.model.memory import beyond_title

Answer = dict[str, Any]

_VERSION = 12  # characters of a git id; `expect` takes any prefix of eight or more
_SURE_CONFIDENCE = 0.7
_DAY = 86_400
_MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d.*"
_DATES = ("created", "modified", "when")
#: Never said of a memory in a list: they follow from what is said, or are of use to programs only.
_NEVER = ("uri", "score", "layer")
#: What else says something about a memory, each in its own words.
_UNTOUCHED = frozenset(
    {
        "outdated_by",
        "newer",
        "reverted",
        "outdates",
        "outcome",
        "withheld",
        "warnings",
        "repo",
        "repos",
        "landed",
        "via",
    }
)
#: Of a context: said where there is something to say.
_UNLESS_SAID = ("left_out", "flagged", "checkpoint")


def _is_by_words(why: list[str]) -> bool:
    """Return whether its own words led to a memory: that its meaning is near goes without saying
    then."""
    by_words = {"text", "title", "tag"}
    return not why or (set(why) <= by_words | {"semantic"} and bool(by_words.intersection(why)))


_USUAL: dict[str, Callable[[Any], bool]] = {
    "private": lambda value: value is False,
    "status": lambda value: value == "active",
    "origin": lambda value: value == "you",
    "confidence": lambda value: value >= _SURE_CONFIDENCE,
    "why": _is_by_words,
    "match": lambda value: value == "words",
}


def compact_answer(verb: str, arguments: Mapping[str, Any], answer: Answer, now: float) -> Answer:
    """The answer of a verb, as it goes to an agent."""
    if verb == "recall" and str(arguments.get("detail", "")).strip().lower() == "full":
        return answer
    if verb == "read":
        return _whole(answer, now) if "version" in answer else answer
    if "id" in answer and "version" in answer:  # of remember, revise, and checkpoint save
        return _receipt(answer)
    if verb == "recall":
        answer = _without_echo(answer, arguments)
    elif verb == "context":
        answer = _without_what_the_text_says(answer)
    short: Answer = _each(answer, answer.get("branch", ""), now)
    return short


def _without_what_the_text_says(answer: Answer) -> Answer:
    """A context names its memories a second time, to say why they are in its text."""
    short = {key: value for key, value in answer.items() if key not in _UNLESS_SAID or value}
    for group in ("high", "medium", "low"):
        short[group] = [_reasons(entry, answer["branch"]) for entry in answer[group]]
    return short


def _reasons(card: Answer, branch: str) -> Answer:
    usual = {card["type"], "confident", "branch"}
    said = ["id", "title", "outcome", "conflict", "outdated_by", "newer", "reverted", "repo"]
    if card["branch"] != branch:
        said += ["branch"] + (["standing"] if card.get("standing") == "proposed" else [])
    short = {key: card[key] for key in said if key in card}
    return short | {"why": [reason for reason in card["why"] if reason not in usual]}


def _each(value: Any, branch: str, now: float) -> Any:
    """Every memory in an answer made short, wherever it stands."""
    if isinstance(value, list):
        return [_each(item, branch, now) for item in value]
    if not isinstance(value, dict):
        return value
    if _is_memory(value):
        value = _short(value, branch, now)
    return {
        key: item if key in _UNTOUCHED else _each(item, branch, now) for key, item in value.items()
    }


def _is_memory(value: Answer) -> bool:
    return "id" in value and "title" in value and ("type" in value or "created" in value)


# --- one memory -----------------------------------------------------------------------------------


def _short(memory: Answer, branch: str, now: float) -> Answer:
    """A memory in a list, without what is usual."""
    usual = (key for key in _USUAL if key in memory and _USUAL[key](memory[key]))
    left_out = {*_NEVER, *usual}
    is_own = memory.get("origin") == "you" or (branch and memory.get("branch") == branch)
    if memory.get("standing") == "accepted" or is_own:
        left_out |= {"standing", "landed"}
    if memory.get("origin") == "you":
        left_out.add("author")
    if branch and memory.get("branch") == branch:
        left_out.add("branch")
    if str(memory.get("modified", ""))[:10] == str(memory.get("created", "-"))[:10]:
        left_out.add("modified")
    short = {key: value for key, value in memory.items() if key not in left_out}
    short = _with_plain_files(short)
    if "snippet" in short:
        short["snippet"] = beyond_title(short["snippet"], short["title"])
    return _with_days(_without_empty(_with_short_ids(short)), now)


def _with_plain_files(memory: Answer) -> Answer:
    """Files that are what they were need no state: their paths are enough, and a headline does
    without."""
    stale = memory.get("stale")
    if not stale or stale["state"] != "fresh":
        return memory
    rest = _without(memory, "stale")
    files = [file["path"] for file in stale["files"]]
    return rest | {"files": files} if "snippet" in memory else rest


# --- whole answers --------------------------------------------------------------------------------


def _whole(memory: Answer, now: float) -> Answer:
    """One memory read: everything but its address and what is empty."""
    whole = _without(memory, "uri")
    if whole.get("stale", {}).get("state") == "fresh":
        whole["files"] = [file["path"] for file in whole["files"]]
        whole["stale"] = {"state": "fresh"}
    if "landed" in whole:
        whole["landed"] = whole["landed"] | {"merged_as": whole["landed"]["merged_as"][:_VERSION]}
    if "history" in whole:
        whole["history"] = [_with_days(entry, now) for entry in whole["history"]]
    text = {"content": whole["content"]}  # also where it has been read to its end
    return _with_days(_without_empty(_with_short_ids(whole)) | text, now)


def _receipt(answer: Answer) -> Answer:
    """Return what was written: where it is, and what was found beside it."""
    receipt = {key: value for key, value in answer.items() if key not in ("uri", "title")}
    if receipt.get("private") is False:
        del receipt["private"]
    guess = receipt.pop("classified", None) or {}
    if guess.get("by", "given") != "given":
        is_sure = guess.get("confident")
        guess = _without(guess, "type")
        receipt["classified"] = _without(guess, "alternatives") if is_sure else guess
    changes = {"changed": receipt["changed"]} if "changed" in receipt else {}
    return _without_empty(_with_short_ids(receipt)) | changes


def _without_echo(answer: Answer, arguments: Mapping[str, Any]) -> Answer:
    """The caller knows what it asked for; the mode is said where it is another one, and what was
    withheld where there was something."""
    left_out = {"query"}
    if answer.get("mode") == str(arguments.get("mode", answer.get("mode"))).strip().lower():
        left_out.add("mode")
    short = {key: value for key, value in answer.items() if key not in left_out}
    withheld = {key: count for key, count in answer.get("withheld", {}).items() if count}
    return short | {"withheld": withheld} if withheld else _without(short, "withheld")


# --- values ---------------------------------------------------------------------------------------


def _with_short_ids(answer: Answer) -> Answer:
    return {
        key: value[:_VERSION] if key in ("version", "commit") and value else value
        for key, value in answer.items()
    }


def _with_days(answer: Answer, now: float) -> Answer:
    """Dates as days, but for those of the last day, whose order is of interest."""
    return {key: _day(value, now) if key in _DATES else value for key, value in answer.items()}


def _day(value: Any, now: float) -> Any:
    if not isinstance(value, str) or not re.fullmatch(_MOMENT, value):
        return value
    try:
        is_young = now - instant(value) < _DAY
    except ValueError:
        return value
    return value if is_young else value[:10]


def _without(answer: Answer, name: str) -> Answer:
    return {key: value for key, value in answer.items() if key != name}


def _without_empty(answer: Answer) -> Answer:
    return {key: value for key, value in answer.items() if not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})
