"""What inference knows of a memory: enough to compare it with another, without its text."""

from typing import NamedTuple

from treering.graph.words import sample, words
from treering.model.memory import Memory
from treering.model.when import instant

_PROBES = 6


class Subject(NamedTuple):
    """A memory to be compared; `words` are those of its title, `sample` is of its whole text."""

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
    sample: frozenset[int]

    @property
    def about(self) -> frozenset[str]:
        return frozenset(self.words)

    def clues(self) -> list[str]:
        """The keys by which others that may have to do with it are found."""
        found = [f"file {path}" for path in self.files]
        found += [f"tag {tag}" for tag in self.tags]
        found += [f"word {word}" for word in dict.fromkeys(self.words)]
        found += [f"text {number}" for number in sorted(self.sample)[:_PROBES]]
        if self.session:
            found.append(f"session {self.session}")
        if self.words:
            found.append(name_of(self.words))
        return found


def name_of(title_words: tuple[str, ...]) -> str:
    """The key under which a memory is found by whoever names it: how its title begins."""
    return "name " + " ".join(title_words[:2])


def subject_of(memory: Memory, blob: str = "") -> Subject:
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
        words=tuple(words(memory.title)),
        sample=sample(words(f"{memory.title}\n{memory.content}")),
    )
