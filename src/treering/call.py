"""Calls as values: hints, next steps and ways back, which each door spells in its own words.

    Advice("{} brings it back.", Call("forget", "7k2m", restore=True))

is "`treering forget 7k2m --restore` brings it back." at the command line, and to an agent
"`forget(ids=["7k2m"], restore=true)` brings it back."
"""

import shlex
from collections.abc import Callable
from typing import Any, NamedTuple


class Call:
    """A verb with its arguments: words in the order the command line takes them, options by name.

    Written as text it is a command that can be pasted into a shell.
    """

    def __init__(self, verb: str, *words: str, **options: Any) -> None:
        self.verb = verb
        self.words = words
        self.options = {name: value for name, value in options.items() if value not in ("", None)}

    def __str__(self) -> str:
        parts = ["treering", self.verb, *map(shlex.quote, self.words)]
        for name, value in self.options.items():
            option = f"--{name.replace('_', '-')}"
            if isinstance(value, bool):
                parts += [option] if value else []
            else:
                many = value if isinstance(value, list | tuple) else [value]
                parts += [word for each in many for word in (option, shlex.quote(str(each)))]
        return " ".join(parts)

    def __repr__(self) -> str:
        return f"<Call {self}>"


class Option(NamedTuple):
    """A parameter of the verb that was called; the command line may take it as a word."""

    name: str
    value: str = ""
    is_word: bool = False

    def __str__(self) -> str:
        if self.is_word:
            return self.name.upper()
        return f"--{self.name.replace('_', '-')} {self.value}".strip()


Spell = Callable[[Call | Option], str]


class Advice(str):
    """A text with calls in it, spelled as commands; `spell` spells them for another door."""

    template: str
    parts: tuple[Call | Option, ...]
    mark: str

    def __new__(cls, template: str, *parts: Call | Option, mark: str = "`") -> "Advice":
        text = template.format(*(f"{mark}{part}{mark}" for part in parts))
        advice = super().__new__(cls, text)
        advice.template, advice.parts, advice.mark = template, parts, mark
        return advice

    def spell(self, spell: Spell) -> str:
        mark = self.mark
        return self.template.format(*(f"{mark}{spell(part)}{mark}" for part in self.parts))


def ways(*calls: Call) -> Advice:
    """Return calls to be made one after another."""
    return Advice(" && ".join("{}" for _ in calls), *calls, mark="")
