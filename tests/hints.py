"""Commands that errors and answers name: each has to be one that the program takes as printed.

Every error that a test meets, and every call that an answer offers, is read here as a shell and
click would read it. What happens when it is run is for `cli/test_hints.py`.
"""

import re
import shlex

import click

from treering.call import Call
from treering.cli.group import BESIDE_VERBS, program
from treering.cli.main import Misuse
from treering.errors import TreeringError
from treering.verbs import VERBS

#: What nobody could run, since the last look.
_wrong: list[str] = []


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
        _parse(shlex.split(command))
    except (click.ClickException, Misuse, AssertionError, ValueError) as error:
        _wrong.append(f"treering {command}: {error}")


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
