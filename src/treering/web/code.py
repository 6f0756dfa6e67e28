"""Code in colours: Pygments names what each word is, our own style says how that looks."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

#: Longer lines, and longer pages, are shown without colours: some lexers take long over them.
_LONGEST_LINE, _LONGEST = 1_000, 200_000
#: Kinds of words that have a colour, the more special ones first, and their classes.
_KINDS = ("Comment", "String", "Number", "Keyword", "Name.Function", "Name.Class", "Name.Decorator")


def colour_lines(path: str, lines: Sequence[str]) -> list[Markup]:
    """The lines of a file as HTML, each whole in itself."""
    text = "\n".join(lines)
    if len(text) > _LONGEST or any(len(line) > _LONGEST_LINE for line in lines):
        return [escape(line) for line in lines]
    return list(_colour(path, text)[: len(lines)])


@lru_cache(maxsize=16)
def _colour(path: str, text: str) -> tuple[Markup, ...]:
    return tuple(Markup().join(parts) for parts in _split(path, text))


def _split(path: str, text: str) -> Iterator[list[Markup]]:
    from pygments import lex
    from pygments.lexers import get_lexer_for_filename
    from pygments.lexers.special import TextLexer
    from pygments.token import string_to_tokentype
    from pygments.util import ClassNotFound

    options = {"stripnl": False, "ensurenl": False}
    try:
        lexer = get_lexer_for_filename(path, **options)
    except ClassNotFound:
        lexer = TextLexer(**options)
    kinds = [(string_to_tokentype(name), f"c-{name.partition('.')[2] or name}") for name in _KINDS]
    line: list[Markup] = []
    for token, value in lex(text, lexer):
        name = next((name for kind, name in kinds if token in kind), "")
        for number, part in enumerate(value.split("\n")):
            if number:
                yield line
                line = []
            if part and name:
                line.append(Markup('<span class="{}">{}</span>').format(name.lower(), part))
            elif part:
                line.append(escape(part))
    yield line
