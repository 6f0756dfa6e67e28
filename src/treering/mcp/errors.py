"""Errors as an agent sees them: the contract's object, and nothing about this machine in it.

A message may have been made from a path or from an argument. Absolute paths become their last
part, long words are cut, and what looks like a credential is never repeated.
"""

import re
from typing import Any

from treering.errors import StorageFailed, TreeringError
from treering.text import secrets

_PATH = r"(?<![\w.:/~-])(?:/[^\s/'\"`,;:()]+){2,}/?"
_LONGEST_WORD, _LONGEST = 100, 600


def refusal(error: Exception) -> dict[str, Any]:
    """The error object of the contract."""
    known = error if isinstance(error, TreeringError) else _bug(error)
    told = known.as_json()["error"]
    return {"error": {"code": told["code"], **{k: quiet(told[k]) for k in ("message", "hint")}}}


def _bug(error: Exception) -> TreeringError:
    if isinstance(error, OSError):
        return StorageFailed(f"{error.strerror or type(error).__name__}.")
    return TreeringError(
        f"This is a bug in treering: {type(error).__name__}.",
        hint="The server's standard error has the details.",
    )


def quiet(text: str) -> str:
    """The text without paths, long words and credentials."""
    if secrets.secrets_in(text):
        return "The arguments look like a credential, so they are not repeated."
    said = re.sub(_PATH, lambda path: path[0].rstrip("/").rpartition("/")[2], text)
    said = re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: f"{word[0][:40]}…", said)
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
