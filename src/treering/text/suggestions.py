"""What a memory's own text suggests about it: tags, a shorter title, files. Words, no model."""

import re
from collections.abc import Collection, Iterable

_MOST_TAGS = 5
_LONG_TITLE = 80
_NAME = r"(?<![\w./-])[A-Za-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*(?![\w/-]|\.\w)"
_WORD = r"[\w-]+"
_PATH = r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])"
_SENTENCE_END = r"(?<=[.!?])\s|[;:]\s|\s[–—-]\s"
_SHOUTED = frozenset({"todo", "fixme", "note", "warning", "important", "must", "never", "always",
                      "not", "and", "or", "ok"})  # fmt: skip


def tags_for(text: str, known: Iterable[str], own: Collection[str]) -> tuple[str, ...]:
    """Tags others already use whose word is in the text, then names like PostgreSQL or JSONB."""
    words = {word.lower() for word in re.findall(_WORD, text[:20_000])}
    had = {tag.lower() for tag in own}
    used = [tag for tag in known if tag.lower() in words]
    names = [name.lower() for name in re.findall(_NAME, text[:20_000]) if _is_name(name)]
    found = dict.fromkeys(tag for tag in [*used, *names] if tag.lower() not in had)
    return tuple(found)[:_MOST_TAGS]


def _is_name(word: str) -> bool:
    """Capitals inside a word make a name; a word all in capitals may just be shouted."""
    capitals = sum(letter.isupper() for letter in word)
    return capitals >= 2 and len(word) <= 30 and word.lower() not in _SHOUTED


def title_for(title: str) -> str:
    """The first clause of a title that runs on; empty where the title is short enough."""
    if len(title) <= _LONG_TITLE:
        return ""
    clause = re.split(_SENTENCE_END, title, maxsplit=1)[0].rstrip(" .;:,–—-")
    if 8 <= len(clause) <= _LONG_TITLE:
        return clause
    return f"{title[: _LONG_TITLE - 1].rsplit(' ', 1)[0].rstrip(' ,;:')}…"


def paths_in(text: str) -> tuple[str, ...]:
    """What looks like a file's path; whether there is one is for the caller to see."""
    found = dict.fromkeys(re.findall(_PATH, text[:20_000]))
    return tuple(path for path in found if ".." not in path.split("/"))
