"""The words memories are sorted by: types, relations and their families.

They stand in data/types.txt, the one place that lists them: status and the docs read it, too.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeVar, cast

from treering.errors import Invalid
from treering.model.tables import read_items

Word = TypeVar("Word", bound=str)

#: evolution: what a memory came from or replaces; implementation: how parts of the system need each
#: other; association: what belongs together; temporal: what was at about the same time.
RelationFamily = Literal["evolution", "implementation", "association", "temporal"]


class MemoryType(NamedTuple):
    """One kind of memory, and other words for it."""

    name: str
    description: str
    synonyms: tuple[str, ...] = ()


def _read_types() -> Iterator[MemoryType]:
    for name, value in read_items("types", "types"):
        synonyms, _, description = value.partition(" | ")
        yield MemoryType(name, description, tuple(synonyms.split(", ")))


TYPES: dict[str, MemoryType] = {kind.name: kind for kind in _read_types()}

TYPE_SYNONYMS: dict[str, str] = {
    synonym: kind.name for kind in reversed(TYPES.values()) for synonym in kind.synonyms
}

_GROUPS = {name: frozenset(types.split()) for name, types in read_items("types", "groups")}
#: Written by hooks, from what git says.
CAPTURED_TYPES = _GROUPS["captured"]
#: About the work on a branch, which is over once the branch has landed.
PASSING_TYPES = _GROUPS["passing"]
#: What happened rather than what is known: nothing depends on it, and it supersedes nothing.
RECORD_TYPES = CAPTURED_TYPES | PASSING_TYPES
#: Kept for what they stand for, not for what they say: never told unasked, merged or summarized.
BOOKKEEPING_TYPES = _GROUPS["bookkeeping"]
#: Kept under a name: nobody is shown one who did not ask for it.
SAVED_TYPES = _GROUPS["saved"]

#: Relation -> family. Any other word is kept as written and counts as association.
RELATIONS = cast("dict[str, RelationFamily]", dict(read_items("types", "relations")))


def family_of(relation: str) -> RelationFamily:
    """The family a relation belongs to."""
    return RELATIONS.get(relation.lower(), "association")


def type_named(word: str) -> str:
    """The type a person means by this word, in any case, singular, plural or by a synonym."""
    name = word.strip().lower().replace("_", "-").replace(" ", "-")
    if name in TYPES:
        return name
    if name in TYPE_SYNONYMS:
        return TYPE_SYNONYMS[name]
    from treering.model.spelling import suggest

    types = f"The types are: {', '.join(TYPES)}."
    raise Invalid(f"Unknown type {word!r}.", hint=suggest(name, (*TYPES, *TYPE_SYNONYMS), types))


def one_of(word: str, allowed: tuple[Word, ...], what: str) -> Word:
    """The allowed word that was meant, in any case, with dash or underscore."""
    name = word.strip().lower().replace("_", "-")
    for choice in allowed:
        if choice == name:
            return choice
    raise unknown_word(word, allowed, what)


def unknown_word(word: str, allowed: tuple[str, ...], what: str) -> Invalid:
    """The error for a word that is not among those allowed."""
    from treering.model.spelling import suggest

    hint = suggest(word, allowed, f"Allowed: {', '.join(allowed)}.")
    return Invalid(f"Unknown {what} {word!r}.", hint=hint)
