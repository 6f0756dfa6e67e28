"""A transcript: what was asked in a session of an agent, what was done, and what came out.

Readers of each client's format tell a builder what they meet, in order. The builder keeps little of
it: everything is cut where it comes in, so that a transcript of any size takes a small space.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from treering.model.dates import instant

_LONGEST_PROMPT = 2000
_LONGEST_WORDS = 4000
_LONGEST_COMMAND = 2000
_LONGEST_OUTPUT = 2000
_LONGEST_NAME = 500
_MOST_TURNS = 500
_MOST_FILES = 100
_MOST_WAITING = 200
#: What clients put into a person's mouth.
_NOT_ASKED = (
    r"\s*(?:<(?:environment_context|user_instructions|command-name|command-message|local-command|"
    r"system-reminder|turn_aborted|permissions|task-notification|bash-|user-prompt-submit-hook|"
    r"treering-memory|skill\b)|# AGENTS\.md instructions|Caveat: |\[Request interrupted)"
)
_ERROR = r"(?i)error|exception|fail|cannot|not found|no such"
_REMINDER = r"<system-reminder>.*?</system-reminder>"
#: How this server's own tool is named by clients, each of which writes something before it.
_REMEMBERS = r"(?:.*(?:treering|mcp).*[_.-])?(?:remember|revise)"


@dataclass(frozen=True, slots=True)
class SolvedError:
    """A command that failed, its error, and the one that worked later."""

    failed: str
    error: str
    worked: str


@dataclass(slots=True)
class TranscriptTurn:
    """One thing asked, and what followed until the next."""

    prompt: str
    words: str = ""
    files: dict[str, None] = field(default_factory=dict)
    solved: list[SolvedError] = field(default_factory=list)

    @property
    def has_result(self) -> bool:
        return bool(self.words or self.files or self.solved)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session as its client wrote it down. `cwd` and `branch` are where it was begun."""

    session: str
    cwd: str
    branch: str
    project: str
    start: float
    end: float
    turns: Sequence[TranscriptTurn]
    has_remembered: bool

    @property
    def files(self) -> list[str]:
        """Every file it changed, as the client named it."""
        return list(dict.fromkeys(path for turn in self.turns for path in turn.files))

    @property
    def solved(self) -> list[SolvedError]:
        return [solved for turn in self.turns for solved in turn.solved]

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was asked that anything came of."""
        return not any(turn.prompt and turn.has_result for turn in self.turns)


@dataclass(slots=True)
class _Command:
    text: str
    error: str = ""


class TranscriptBuilder:
    """Puts a transcript together from what is met in a file, in order."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._times: list[float] = []
        self._turns: list[TranscriptTurn] = []
        self._running: dict[str, _Command] = {}
        self._failed: dict[str, _Command] = {}
        self._has_remembered = False

    def build(self) -> Transcript:
        return Transcript(
            self._names.get("session", ""),
            self._names.get("cwd", ""),
            self._names.get("branch", ""),
            self._names.get("project", ""),
            min(self._times, default=0.0),
            max(self._times, default=0.0),
            tuple(turn for turn in self._turns if turn.prompt or turn.has_result),
            self._has_remembered,
        )

    def note(self, **names: str) -> None:
        """Names of the session; the first word on each counts."""
        for key, value in names.items():
            if value and key not in self._names:
                self._names[key] = value[:_LONGEST_NAME]

    def note_time(self, text: str) -> None:
        try:
            moment = instant(text)
        except (ValueError, OverflowError):
            return
        if moment > 0:
            self._times = [min([moment, *self._times]), max([moment, *self._times])]

    def ask(self, prompt: str) -> None:
        """A person asked for something."""
        text = re.sub(_REMINDER, "", prompt[: 4 * _LONGEST_PROMPT], flags=re.DOTALL).strip()
        text = text[:_LONGEST_PROMPT]
        if not text or re.match(_NOT_ASKED, text):
            return
        if self._turns and not self._turn.has_result and self._turn.prompt in ("", text):
            self._turn.prompt = text  # clients write some prompts down twice
        else:
            self._turns.append(TranscriptTurn(text))
            # The middle of a very long session goes: what it was begun for, and the end, stay.
            del self._turns[_MOST_TURNS // 2 : len(self._turns) - _MOST_TURNS // 2]

    def say(self, words: str) -> None:
        """The agent said something; of a turn its last words count."""
        if text := words.strip():
            self._turn.words = text[:_LONGEST_WORDS]

    def change(self, path: str) -> None:
        """The agent changed a file."""
        if path and len(self._turn.files) < _MOST_FILES:
            self._turn.files[path[:_LONGEST_NAME]] = None

    def run(self, call: str, command: str) -> None:
        """The agent ran a command; what came of it is told later."""
        if "*** Begin Patch" in command:
            self.patch(command)
        if call and command.strip() and len(self._running) < _MOST_WAITING:
            self._running[call] = _Command(command.strip()[:_LONGEST_COMMAND])
        if re.search(r"\btreering\s+(?:remember|revise)\b", command):
            self._has_remembered = True

    def patch(self, text: str) -> None:
        """The agent applied a patch, in the form in which it names its files."""
        for path in re.findall(r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$", text):
            self.change(path.strip())

    def end(self, call: str, *, has_failed: bool, output: str = "") -> None:
        """A command came to its end. One that works after one like it failed has solved that."""
        command = self._running.pop(call, None)
        errand = errand_of(command.text) if command else ""
        if command is None or not errand:
            return
        if has_failed:
            command.error = _last_line(output[-_LONGEST_OUTPUT:])
            if len(self._failed) < _MOST_WAITING:
                self._failed[errand] = command
        elif failed := self._failed.pop(errand, None):
            self._turn.solved.append(SolvedError(failed.text, failed.error, command.text))

    def use(self, tool: str) -> None:
        """The agent called a tool of this name."""
        if re.fullmatch(_REMEMBERS, tool[:_LONGEST_NAME]):
            self._has_remembered = True

    @property
    def _turn(self) -> TranscriptTurn:
        if not self._turns:
            self._turns.append(TranscriptTurn(""))
        return self._turns[-1]


def _last_line(output: str) -> str:
    """The line of an output that most likely says what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(_ERROR, line)]
    return (errors or lines or [""])[-1]


# --- what a command is for ------------------------------------------------------------------------


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
_LONGEST_ERRAND = 400


def errand_of(command: str) -> str:
    """The program and the first thing it is to work on; "" for a command that only looks.

    `cd app && python -m pytest tests/x -q` and `.venv/bin/pytest tests/x` are one errand.
    """
    for part in re.split(_ENDS, command[:_LONGEST_ERRAND]):
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
