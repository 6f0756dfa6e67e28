"""What a command is for, so that one that works is known to do what another one failed at."""

import re

_ENDS = r"&&|\|\||[;|\n]"
_ASSIGNMENT = r"[A-Za-z_]\w*=\S*"
#: Commands that start another one, by how many words they take.
_WRAPPERS = {
    "sudo": 1, "env": 1, "time": 1, "nice": 1, "npx": 1, "bunx": 1, "exec": 1,
    "uv": 2, "poetry": 2, "pipenv": 2, "pdm": 2, "bundle": 2,
}  # fmt: skip
#: Commands that only look: that one of them failed says nothing.
_LOOKS = frozenset((
    "awk", "cat", "command", "diff", "echo", "find", "grep", "head", "jq", "less", "ls", "pgrep",
    "ps", "pwd", "rg", "sed", "sleep", "stat", "tail", "test", "true", "type", "wc", "which",
))  # fmt: skip
_LONGEST = 400


def errand_of(command: str) -> str:
    """The program and the first thing it is to work on; "" for a command that only looks.

    `cd app && python -m pytest tests/x -q` and `.venv/bin/pytest tests/x` are one errand.
    """
    for part in re.split(_ENDS, command[:_LONGEST]):
        words = _unwrap([word for word in part.split() if not re.fullmatch(_ASSIGNMENT, word)])
        if not words or words[0] in ("cd", "set", "export", "source", "."):
            continue
        program = words[0].rpartition("/")[2]
        if program in _LOOKS:
            return ""
        subject = next((word for word in words[1:] if not word.startswith("-")), "")
        return f"{program} {subject}".strip()
    return ""


def _unwrap(words: list[str]) -> list[str]:
    while words and words[0] in _WRAPPERS:
        if _WRAPPERS[words[0]] == 2 and words[1:2] not in (["run"], ["exec"]):
            break
        words = words[_WRAPPERS[words[0]] :]
    if len(words) > 2 and re.match(r"(?:.*/)?python[\d.]*$", words[0]) and words[1] == "-m":
        return words[2:]
    return words
