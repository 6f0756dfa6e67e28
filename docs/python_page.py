"""Makes docs/reference/python.md from the class `Treering`: signatures, texts, examples, answers."""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from treering import Treering, answers
from treering.verbs import find_verb

PAGE = Path(__file__).parent / "reference" / "python.md"
WIDTH = 100
_VERB_OF = {"exported": "export", "import_path": "import", "try_out": "try"}
_NAMES = {id(getattr(answers, name)): name for name in answers.__all__}

TOP = """\
# The Python library

This page is made from the class by `python docs/generate.py`, and its examples are run by a test.

```python
from treering import Treering

tr = Treering.open(".")
```

What stands here is all there is to rely on; every other module may change.
An answer's fields are the words of the JSON that `treering COMMAND --json` prints, and its type is importable from `treering.answers`.
What goes wrong is raised as an error of `treering.errors`, each with a code, a message and a hint; [errors](errors.md) lists them.
Parameters mean what [the command line](cli.md) says about the options of the same name.

| method | does |
| --- | --- |
{table}
"""


def page() -> str:
    """The whole page."""
    names = [name for name in dir(Treering) if not name.startswith("_")]
    rows = [f"| [`{name}`](#{name}) | {_texts(name)[0].splitlines()[0]} |" for name in names]
    return "\n".join([TOP.format(table="\n".join(rows)), *map(_section, names)])


def _section(name: str) -> str:
    text, example = _texts(name)
    parts = [f"## {name}", _code(_signature(name)), text, _code(example), _answers(name)]
    return "\n\n".join(parts) + "\n"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _texts(name: str) -> tuple[str, str]:
    """The words of a docstring, one sentence a line, and its example."""
    doc = inspect.getdoc(getattr(Treering, name)) or ""
    words, _, example = doc.partition(">>> ")
    paragraphs = [" ".join(part.split()) for part in words.strip().split("\n\n")]
    return "\n\n".join(re.sub(r"(?<=\.) (?=[A-Z`])", "\n", part) for part in paragraphs), (
        f">>> {example}".rstrip()
    )


def _signature(name: str) -> str:
    """As a caller writes it: parameters with their defaults."""
    verb = _VERB_OF.get(name, name)
    if name == "maintain":
        given = [
            parameter.name
            if parameter.is_required
            else f"{parameter.name}={_value(parameter.default)}"
            for parameter in find_verb(verb).parameters_of("python")
        ]
    else:
        parameters = inspect.signature(getattr(Treering, name)).parameters.values()
        given = [_spelled(each) for each in parameters if each.name not in ("cls", "workspace")]
    return _call("Treering.open" if name == "open" else f"tr.{name}", given)


def _call(name: str, given: list[str]) -> str:
    """Laid out as the formatter would, which looks into pages, too."""
    inside = ", ".join(given)
    if len(name) + len(inside) + 2 <= WIDTH:
        return f"{name}({inside})"
    if len(inside) + 4 <= WIDTH:
        return f"{name}(\n    {inside}\n)"
    return f"{name}(\n" + "".join(f"    {each},\n" for each in given) + ")"


def _spelled(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    return f"{parameter.name}={_value(parameter.default)}"


def _value(default: Any) -> str:
    if isinstance(default, str):
        return json.dumps(default)
    return default.__name__ if callable(default) else repr(default)


def _answers(name: str) -> str:
    """What comes back."""
    names = vars(answers) | {"Iterator": Iterator, "Any": Any, "Workspace": object, "Path": Path}
    hints = get_type_hints(getattr(Treering, name), localns=names | {"Person": object})
    return f"Answers {_named(hints['return'])}."


def _named(kind: Any) -> str:
    if isinstance(kind, UnionType):
        return " or ".join(_named(part) for part in get_args(kind))
    if origin := get_origin(kind):
        inner = ", ".join(_named(part).strip("`") for part in get_args(kind))
        return f"`{_NAMES.get(id(origin), origin.__name__)}[{inner}]`"
    return f"`{_NAMES.get(id(kind)) or getattr(kind, '__name__', str(kind))}`"
