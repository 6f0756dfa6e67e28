"""What inference knows of a memory: enough to compare it with another, without its text."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from treering.model.dates import instant
from treering.model.memory import Memory
from treering.text.likeness import Sketch, sketch, smallest
from treering.text.words import words

_PROBES = 7


class Subject(NamedTuple):
    """A memory to be compared.

    `words` are the telling words of its title, in order, and `about` are they as a set; `sketch` is
    of its whole text.
    """

    id: str
    blob: str
    type: str
    title: str
    status: str
    outcome: str
    created: float
    session: str
    topic: str
    tags: frozenset[str]
    files: frozenset[str]
    words: tuple[str, ...]
    about: frozenset[str]
    sketch: Sketch

    def traits(self) -> list[str]:
        """The keys it shares with others that may have to do with it."""
        found = [f"file {path}" for path in self.files]
        found += [f"tag {tag}" for tag in self.tags]
        found += [f"word {word}" for word in dict.fromkeys(self.words)]
        return found + [f"text {one} {two}" for one, two in pairwise(self._probes())]

    def clues(self) -> list[str]:
        """All keys it is to be found by: its traits, its name, and for a session those it has."""
        found = self.traits()
        if self.words:
            found.append(name_of(self.words))
        if self.type == "session":
            found += [f"session {known}" for known in {self.id, self.session} if known]
        return found

    def _probes(self) -> list[int]:
        probes = smallest(self.sketch, _PROBES)
        return probes if len(probes) > 1 else 2 * probes


def name_of(title_words: Sequence[str]) -> str:
    """The key under which a memory is found by whoever names it: how its title begins."""
    return "name " + " ".join(title_words[:2])


def subject_of(memory: Memory, blob: str = "") -> Subject:
    title = words(memory.title)
    outcome = memory.details.get("outcome", "")
    return Subject(
        id=memory.id,
        blob=blob,
        type=memory.type,
        title=memory.title,
        status=memory.status,
        outcome=outcome if isinstance(outcome, str) else "",
        created=instant(memory.created),
        session=memory.session,
        topic=memory.topic,
        tags=frozenset(tag.lower() for tag in memory.tags),
        files=frozenset(file.path for file in memory.files),
        words=tuple(title),
        about=frozenset(title),
        sketch=sketch((*title, *words(memory.content))),
    )
