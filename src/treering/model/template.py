"""Templates: text with `{{variables}}`, `{{#each}}` and `{{#if}}`, and nothing else.

A template decides, values are data: what a value holds is put in as it is and never looked at again
for `{{`, no attribute or function can be reached, and loops, nesting and output have limits. So a
memory or a variable written by anyone can be rendered safely.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from treering.errors import Invalid

MAX_SOURCE = 64 * 1024
MAX_OUTPUT = 256 * 1024
MAX_NESTING = 8
MAX_ROUNDS = 10_000

_TAG = r"(\\?)\{\{([^{}\n]{0,200})\}\}"
_PATH = r"@?[A-Za-z_][\w-]{0,63}(?:\.[A-Za-z_][\w-]{0,63}){0,7}"
_LITERAL = "Write \\{{ for braces that are meant as text."

Path = tuple[str, ...]


class Text(NamedTuple):
    text: str


class Variable(NamedTuple):
    path: Path


class Each(NamedTuple):
    path: Path
    body: "tuple[Node, ...]"


class If(NamedTuple):
    path: Path
    body: "tuple[Node, ...]"
    otherwise: "tuple[Node, ...]"


Node = Text | Variable | Each | If


class Template(NamedTuple):
    """A template taken apart, and the names it speaks of.

    `needed` must be given; `optional` are only asked about by `{{#if}}`; `inner` are bare names in
    a loop, by the list looped over: fields of its items, or variables where the items have no such.
    """

    nodes: tuple[Node, ...]
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    inner: Mapping[str, frozenset[str]]

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset((*self.needed, *self.optional)).union(*self.inner.values())


def parse(source: str) -> Template:
    """Take a template apart; Invalid says in which line it cannot be understood."""
    if len(source) > MAX_SOURCE:
        raise Invalid(f"The template is longer than {MAX_SOURCE // 1024} KB.")
    nodes = _Parser(source).nodes()
    names = _Names()
    names.gather(nodes, (), frozenset())
    optional = names.asked - names.needed.keys()
    return Template(
        nodes,
        tuple(names.needed),
        tuple(sorted(optional)),
        {root: frozenset(names_in) for root, names_in in names.inner.items()},
    )


# --- taking apart ---------------------------------------------------------------------------------


class _Block(NamedTuple):
    """A block that is still open: its word, its path, its line, and what it holds so far."""

    word: str
    path: Path
    line: int
    body: list[Node]
    otherwise: list[Node]
    has_else: bool = False


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._open: list[_Block] = [_Block("", (), 0, [], [])]

    def nodes(self) -> tuple[Node, ...]:
        at = 0
        for match in re.finditer(_TAG, self._source):
            if match[1]:
                self._text(self._source[at : match.start()] + match[0][1:])
                at = match.end()
                continue
            inside = match[2].strip()
            start, end = match.span()
            if inside == "else" or inside[:1] in ("#", "/"):
                start, end = self._whole_line(start, end)
            self._text(self._check(at, max(at, start)))
            self._tag(inside, self._line(match.start()))
            at = end
        self._text(self._check(at, len(self._source)))
        if len(self._open) > 1:
            block = self._open[-1]
            raise self._wrong(block.line, f"{{{{#{block.word}}}}} is never closed")
        return tuple(self._open[0].body)

    def _tag(self, inside: str, line: int) -> None:
        if inside.startswith("#"):
            self._begin(inside[1:], line)
        elif inside.startswith("/"):
            self._end(inside[1:].strip(), line)
        elif inside == "else":
            self._else(line)
        else:
            self._add(Variable(self._path(inside, line)))

    def _begin(self, inside: str, line: int) -> None:
        word, _, rest = inside.strip().partition(" ")
        if word not in ("each", "if"):
            raise self._wrong(line, f"there is no block {{{{#{word}}}}}, only each and if")
        if len(self._open) > MAX_NESTING:
            raise self._wrong(line, f"blocks are nested more than {MAX_NESTING} deep")
        self._open.append(_Block(word, self._path(rest.strip(), line), line, [], []))

    def _else(self, line: int) -> None:
        block = self._open[-1]
        if block.word != "if" or block.has_else:
            raise self._wrong(line, "{{else}} belongs in an {{#if}}, once")
        self._open[-1] = block._replace(has_else=True)

    def _end(self, word: str, line: int) -> None:
        block = self._open[-1]
        if not block.word or word != block.word:
            raise self._wrong(line, f"{{{{/{word}}}}} closes nothing")
        self._open.pop()
        body, otherwise = tuple(block.body), tuple(block.otherwise)
        node = Each(block.path, body) if word == "each" else If(block.path, body, otherwise)
        self._add(node)

    def _add(self, node: Node) -> None:
        block = self._open[-1]
        (block.otherwise if block.has_else else block.body).append(node)

    def _text(self, text: str) -> None:
        if text:
            self._add(Text(text))

    def _path(self, text: str, line: int) -> Path:
        if not re.fullmatch(_PATH, text):
            raise self._wrong(line, f"{text[:40]!r} is not a variable")
        return tuple(text.split("."))

    def _check(self, start: int, end: int) -> str:
        """Text between tags; a `{{` left in it is a tag that someone meant to write."""
        text = self._source[start:end]
        at = text.find("{{")
        if at >= 0:
            raise self._wrong(self._line(start + at), "{{ has no }} in its line")
        return text

    def _whole_line(self, start: int, end: int) -> tuple[int, int]:
        """A block's tag that is alone in its line takes the line with it."""
        before = self._source.rfind("\n", 0, start) + 1
        after = self._source.find("\n", end)
        after = len(self._source) if after < 0 else after + 1
        alone = not (self._source[before:start] + self._source[end:after]).strip()
        return (before, after) if alone else (start, end)

    def _line(self, at: int) -> int:
        return self._source.count("\n", 0, at) + 1

    def _wrong(self, line: int, what: str) -> Invalid:
        return Invalid(f"Line {line} of the template: {what}.", hint=_LITERAL)


class _Names:
    """The names a template speaks of, gathered by walking it."""

    def __init__(self) -> None:
        self.needed: dict[str, None] = {}
        self.asked: set[str] = set()
        self.inner: dict[str, set[str]] = {}

    def gather(self, nodes: Sequence[Node], loops: tuple[str, ...], sure: frozenset[str]) -> None:
        """`loops` are the lists looped over, `sure` the names an `{{#if}}` around has asked for."""
        for node in nodes:
            if isinstance(node, Text):
                continue
            self._note(node.path, loops, sure, is_asked=isinstance(node, If))
            if isinstance(node, Each):
                self.gather(node.body, (*loops, node.path[-1]), sure)
            elif isinstance(node, If):
                self.gather(node.body, loops, sure | {node.path[0]})
                self.gather(node.otherwise, loops, sure)

    def _note(
        self, path: Path, loops: tuple[str, ...], sure: frozenset[str], *, is_asked: bool
    ) -> None:
        name = path[0]
        if loops and (name in ("this", "@index") or name in map(singular, loops)):
            return
        if loops:
            self.inner.setdefault(loops[-1], set()).add(name)
        elif is_asked or name in sure:
            self.asked.add(name)
        else:
            self.needed[name] = None


# --- rendering ------------------------------------------------------------------------------------


def render(template: Template, values: Mapping[str, Any]) -> str:
    """The template with its values; what is missing is one error that names all of it."""
    rendering = _Rendering(values)
    text = "".join(rendering.pieces(template.nodes))
    if rendering.missing:
        names = ", ".join(rendering.missing)
        raise Invalid(f"The template needs {names}.", hint="Give a value for each of them.")
    return text


def singular(name: str) -> str:
    """Return what one item of a list is called: memory for memories, file for files."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name.removesuffix("s")


class _Rendering:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self._frames: list[Mapping[str, Any]] = [values]
        self._length = 0
        self._rounds = 0
        self.missing: dict[str, None] = {}

    def pieces(self, nodes: Sequence[Node]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, Each):
                yield from self._each(node)
            elif isinstance(node, If):
                branch = node.body if self._value(node.path, may_miss=True) else node.otherwise
                yield from self.pieces(branch)
            else:
                yield self._count(
                    node.text if isinstance(node, Text) else as_text(self._value(node.path))
                )

    def _each(self, node: Each) -> Iterator[str]:
        items = self._value(node.path)
        if isinstance(items, str | Mapping) or not isinstance(items, Sequence):
            if items is not None:
                raise Invalid(
                    f"{'.'.join(node.path)} is not a list, so {{{{#each}}}} cannot go through it."
                )
            return
        alias = singular(node.path[-1])
        for index, item in enumerate(items):
            self._rounds += 1
            if self._rounds > MAX_ROUNDS:
                raise Invalid(f"The template loops more than {MAX_ROUNDS:,} times.")
            fields = item if isinstance(item, Mapping) else {}
            self._frames.append({**fields, "this": item, "@index": index, alias: item})
            yield from self.pieces(node.body)
            self._frames.pop()

    def _value(self, path: Path, *, may_miss: bool = False) -> Any:
        """Return what a path leads to; only keys of mappings are followed, never attributes."""
        for frame in reversed(self._frames):
            if path[0] in frame:
                value = frame[path[0]]
                break
        else:
            return self._miss(path, may_miss)
        for name in path[1:]:
            if not isinstance(value, Mapping) or name not in value:
                return self._miss(path, may_miss)
            value = value[name]
        return value

    def _miss(self, path: Path, may_miss: bool) -> None:
        if not may_miss:
            self.missing[".".join(path)] = None

    def _count(self, text: str) -> str:
        self._length += len(text)
        if self._length > MAX_OUTPUT:
            raise Invalid(f"The rendered text is longer than {MAX_OUTPUT // 1024} KB.")
        return text


def as_text(value: Any) -> str:
    """A value as it is put into text."""
    if isinstance(value, str):
        return value
    if hasattr(value, "as_text"):
        return str(value.as_text())
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, Mapping) and all(isinstance(v, str | int | float) for v in value):
        return ", ".join(as_text(item) for item in value)
    return json.dumps(value, ensure_ascii=False, default=str)
