"""Running a command whose words were read, by whatever reads them.

The module of a command is imported when it runs. For a verb NAME it has `render_NAME`, which makes
text of the answer. It has `run_NAME` where the words of the command line are not yet the action's
arguments, and `exit_code_NAME` where an answer can mean that something is left to do.

Starting is most of what a short command costs, and to import click takes a quarter of a capture. So
the commands that agents call by the hundred are read here where every word of theirs is plain: an
option that is spelled out, with its value, or a word that is an argument. Whatever is in the least
unusual is None and left to click, which also makes every error and all help: nothing is refused
here, and nothing is read in another way than there.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Set
from importlib import import_module
from typing import Any, NamedTuple

from treering.errors import Invalid
from treering.verbs import VERBS, find_verb
from treering.verbs.verb import Parameter, Verb

#: Commands whose module is not named after the subject of their verb.
_MODULES = {
    "completion": "completion", "demo": "demo", "guard": "guard", "mcp": "serve", "web": "serve",
    "why": "why",
}  # fmt: skip


def run_verb(
    verb: Verb, repo: str | None, as_json: bool, typed: Set[str], options: dict[str, Any]
) -> int:
    """Act, answer, and tell the exit code. `typed` are the options that somebody wrote."""
    from treering.cli.invocation import name_invocation  # and all that works on a repository

    run = _find(verb, "run")
    if run is None:
        verb.load()
    stop_collecting_imports()
    maps = (p.name for p in verb.parameters_of("cli") if p.kind == "map")
    options |= {name: _pairs(options[name]) for name in maps}

    call = name_invocation(repo, as_json, typed)
    answer = run(call, **options) if run else call.act(verb.name, **options)
    if answer is None or isinstance(answer, int):
        return answer or 0  # it has printed its answer itself
    call.answer(answer, _find(verb, "render") or _render_plainly)
    exit_code = _find(verb, "exit_code")
    return exit_code(answer) if exit_code else 0


def _find(verb: Verb, what: str) -> Callable[..., Any] | None:
    """Return a function of the command's module, if it has it."""
    name = _MODULES.get(verb.name) or VERBS[verb.name].rpartition(".")[2]
    try:
        module = import_module(f"treering.cli.{name}")
    except ModuleNotFoundError:
        return None
    function: Callable[..., Any] | None = getattr(module, f"{what}_{verb.name}", None)
    return function


def _render_plainly(answer: object) -> str:
    """Show the answer of a verb that nobody wrote a text for: a line per field."""
    from treering.text.values import jsonable

    fields = jsonable(answer)
    return "\n".join(f"{key}: {value}" for key, value in fields.items())


def stop_collecting_imports() -> None:
    """Keep what was imported from the garbage collector: it stays as long as the process."""
    gc.freeze()
    gc.enable()


def _pairs(words: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            raise Invalid(f"{word!r} is not NAME=VALUE.", hint="Write a name, `=` and a value.")
        pairs[name.strip()] = value
    return pairs


_VERBS = frozenset(
    {"remember", "recall", "read", "revise", "forget", "link", "checkpoint", "context"}
)
_CONVERT = {"number": float, "whole": int}


class PlainCommand(NamedTuple):
    """A verb with its options, those that were typed by name, and what every command has."""

    verb: Verb
    options: dict[str, Any]
    typed: frozenset[str]
    repo: str | None
    as_json: bool

    def run(self) -> int:

        return run_verb(self.verb, self.repo, self.as_json, self.typed, self.options)


class _NotPlainError(Exception):
    """Not plain: click's to read."""


def read_plain(arguments: list[str]) -> PlainCommand | None:
    """The command as click would read it, or None."""
    if "_TREERING_COMPLETE" in os.environ:  # a shell asks for words
        return None
    words = iter(arguments)
    shared: dict[str, Any] = {}
    try:
        name = _read_shared(words, shared)
        if name not in _VERBS:
            return None
        verb = find_verb(name)
        options = _Reader(verb).read(words, shared)
    except (_NotPlainError, ValueError):
        return None
    repo, as_json = shared.get("repo"), shared.get("as_json", False)
    return PlainCommand(verb, _fill(verb, options), frozenset(options), repo, as_json)


def _read_shared(words: Iterator[str], shared: dict[str, Any]) -> str:
    """Return what stands before the verb, and the verb."""
    for word in words:
        if not _take_shared(word, words, shared):
            return word
    raise _NotPlainError


def _take_shared(word: str, words: Iterator[str], shared: dict[str, Any]) -> bool:
    """Return whether a word is an option of every command; the last one counts."""
    if word == "--json":
        shared["as_json"] = True
    elif word in ("-C", "--repo"):
        shared["repo"] = _value(words)
    else:
        return False
    return True


class _Reader:
    """The words behind a verb."""

    def __init__(self, verb: Verb) -> None:
        parameters = verb.parameters_of("cli")
        self._arguments = [parameter for parameter in parameters if parameter.arg.place]
        self._spellings = {
            spelling: (parameter, is_on)
            for parameter in parameters
            if not parameter.arg.place
            for spelling, is_on in _spell(parameter)
        }

    def read(self, words: Iterator[str], shared: dict[str, Any]) -> dict[str, Any]:
        options: dict[str, Any] = {}
        given: list[str] = []
        for word in words:
            if _take_shared(word, words, shared):
                continue
            if word[:1] == "-" and word != "-":
                self._read_option(word, words, options)
            elif word:
                given.append(word)
            else:
                raise _NotPlainError
        return options | self._name(given)

    def _read_option(self, word: str, words: Iterator[str], options: dict[str, Any]) -> None:
        parameter, is_on = self._spellings.get(word, (None, True))
        if parameter is None:
            raise _NotPlainError
        if parameter.kind == "flag":
            options[parameter.name] = is_on
        elif parameter.kind in ("list", "map"):
            options[parameter.name] = (*options.get(parameter.name, ()), _value(words))
        else:
            options[parameter.name] = _CONVERT.get(parameter.kind, str)(_value(words))

    def _name(self, given: list[str]) -> dict[str, Any]:
        """The arguments by name: as many words as there are, or all that are left."""
        named: dict[str, Any] = {}
        rest = list(given)
        for parameter in self._arguments:
            is_single = parameter.arg.place in ("one", "optional")
            if not rest:
                if parameter.arg.place in ("one", "several"):
                    raise _NotPlainError
            elif is_single:
                named[parameter.name] = _CONVERT.get(parameter.kind, str)(rest.pop(0))
            elif parameter.arg.place == "joined":
                named[parameter.name], rest = " ".join(rest), []
            else:
                named[parameter.name], rest = tuple(rest), []
        if rest:
            raise _NotPlainError
        return named


def _spell(parameter: Parameter) -> Iterator[tuple[str, bool]]:
    """Yield how an option may be written, and whether that turns it on."""
    for name in parameter.spellings:
        yield f"--{name}", True
    if parameter.arg.short:
        yield f"-{parameter.arg.short}", True
    if parameter.arg.off:
        yield f"--{parameter.arg.off}", False


def _value(words: Iterator[str]) -> str:
    value = next(words, "")
    if not value or (value[0] == "-" and value != "-"):
        raise _NotPlainError
    return value


def _fill(verb: Verb, options: dict[str, Any]) -> dict[str, Any]:
    """All options of the verb, with their defaults where nothing was said."""
    return {
        parameter.name: options.get(parameter.name, _default(parameter))
        for parameter in verb.parameters_of("cli")
    }


def _default(parameter: Parameter) -> Any:
    if parameter.kind in ("list", "map"):
        return ()
    return None if parameter.is_required else parameter.default
