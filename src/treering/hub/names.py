"""Names of repositories in the hub: words that can stand in a list, an id and a path; and what an
answer says of each."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from treering.errors import Invalid, RepoNotFound

#: Means every repository, so none may be called so.
ALL = "all"
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*"
_MAX_NAME = 100


class RepoFreshness(NamedTuple):
    """The time of the last update; `behind` is True if the repository is known to have more."""

    name: str
    updated: str
    behind: bool


def check_name(name: str) -> str:
    """The name, if a repository may be called so."""
    if name.lower() == ALL:
        raise Invalid(
            f"A repository cannot be called {name!r}: that means all of them.",
            hint="Choose another name.",
        )
    if len(name) > _MAX_NAME or not re.fullmatch(_NAME, name) or name.endswith(".lock"):
        raise Invalid(
            f"{name[:_MAX_NAME]!r} cannot be a repository's name.",
            hint="Use letters, digits, dots, dashes, and slashes between them, such as acme/api.",
        )
    return name


def split_names(words: Iterable[str]) -> tuple[str, ...]:
    """Names as people give them: `a,b`, or one at a time; each once."""
    names = (name.strip() for word in words for name in word.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def choose_names(words: Iterable[str], names_there: Sequence[str]) -> tuple[str, ...]:
    """The repositories that are meant, in the order of those there; RepoNotFound for others."""
    names = split_names(words)
    if not names or ALL in (name.lower() for name in names):
        return tuple(names_there)
    for name in names:
        if name not in names_there:
            raise _unknown(name, names_there)
    return tuple(name for name in names_there if name in names)


def _unknown(name: str, names_there: Sequence[str]) -> RepoNotFound:
    from treering.model.spelling import suggest  # only an error needs it

    hint = suggest(name, names_there, RepoNotFound.hint)
    return RepoNotFound(f"The hub has no repository {name[:_MAX_NAME]!r}.", hint)


def split_id(text: str, names_there: Sequence[str]) -> tuple[str, str]:
    """The repository and the id in `NAME:ID`; no name where there is none."""
    name, colon, memory_id = text.rpartition(":")
    if not colon:
        return "", text
    if name not in names_there:
        raise _unknown(name, names_there)
    return name, memory_id


def folder_name(name: str) -> str:
    """The name as one part of a path, in which names that differ in case alone differ, too."""
    return re.sub(r"[A-Z/]", lambda found: f"%{ord(found[0]):02X}", name)
