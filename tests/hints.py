"""Commands that errors and answers name: each has to be one that the program takes as printed.

Every error that a test meets, and every call that an answer offers, is read here as a shell and
click would read it. A command without a placeholder is also run, in a copy of the test's
repository, the first time that its verb is met with these options. That it does what the hint says
is for `cli/test_hints.py`.
"""

import re
import shlex
import shutil
import stat
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import click

from treering.call import Call
from treering.cli.group import BESIDE_VERBS, program
from treering.cli.main import Misuse
from treering.errors import TreeringError
from treering.verbs import VERBS

#: What nobody could run, since the last look.
_wrong: list[str] = []
#: Commands to be run, by their form.
_todo: dict[str, list[str]] = {}
#: Names that stand for what whoever reads them knows; servers, which go on; and what pushes to a
#: remote, which tests may share.
_PLACEHOLDER = r"\.\.\.|[A-Z][A-Z-]+(=[A-Z]+)?|a,b"
_NOT_RUN = ("mcp", "web", "hub", "sync")
#: Verbs whose first word says which operation is meant.
_OPERATED = ("graph", "entities", "prompts", "checkpoint", "maintain", "hook", "config")


def check_text(text: str) -> None:
    """Note what a text quotes as a command of ours and click does not take; a question whether
    another verb was meant names just that."""
    for command in re.findall(r"(?<!Did you mean )`treering ([^`]*)`", text):
        _check(command)


def take_wrong() -> list[str]:
    found = _wrong[:]
    _wrong.clear()
    return found


def _check(command: str) -> None:
    try:
        words = shlex.split(command)
        _parse(words)
    except (click.ClickException, Misuse, AssertionError, ValueError) as error:
        _wrong.append(f"treering {command}: {error}")
        return
    verb = words[: 2 if words[0] in _OPERATED else 1]
    form = " ".join((*verb, *(word for word in words if word.startswith("-"))))
    is_whole = not any(re.fullmatch(_PLACEHOLDER, word) for word in words)
    if is_whole and words[0] not in _NOT_RUN:
        _todo.setdefault(form, words)


def run_new(
    repository: Path, run: Callable[[list[str], Path], tuple[int, str]], done: Path
) -> None:
    """Run the commands of a form that was not run before, each in a copy of the repository as the
    test left it. There it may be refused with an error, as what it speaks of may be over; but it
    is never a misuse, and never a bug."""
    todo = _todo.copy()
    _todo.clear()
    for form, words in todo.items():
        try:
            (done / sha256(form.encode()).hexdigest()).touch(exist_ok=False)
        except FileExistsError:
            continue
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            shutil.copytree(repository, copy, symlinks=True, ignore=_list_odd)
            code, said = run(words, copy)
        if code not in (0, 1):
            _wrong.append(f"treering {shlex.join(words)}: exit {code}: {said}")


def _list_odd(folder: str, names: list[str]) -> list[str]:
    """List what cannot be copied: pipes and sockets that a test planted."""
    modes = {name: (Path(folder) / name).lstat().st_mode for name in names}
    return [name for name, mode in modes.items() if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)]


def _parse(words: list[str]) -> None:
    if words[-1] == "--help":
        assert words[0] in (*VERBS, *BESIDE_VERBS, "--help"), words
        return
    context = program.make_context("treering", list(words))
    command: click.Command = program
    while isinstance(command, click.Group):
        rest = [*context._protected_args, *context.args]  # the public name is going to be removed
        name, found, rest = command.resolve_command(context, rest)
        assert found, words
        command, context = found, found.make_context(name, rest, parent=context)


def watch() -> None:
    """From now on, look at every error and every call that is made in this process."""
    make_error, make_call = TreeringError.__init__, Call.__init__

    def error(self: TreeringError, message: str, hint: str = "") -> None:
        make_error(self, message, hint)
        check_text(f"{self.message}\n{self.hint}")

    def call(self: Call, verb: str, *words: str, **options: object) -> None:
        make_call(self, verb, *words, **options)
        _check(str(self).removeprefix("treering "))

    TreeringError.__init__ = error  # type: ignore[method-assign]
    Call.__init__ = call  # type: ignore[method-assign]
