"""A memory as inference sees it: enough to compare it with another, and what its text says.

A subject does without the text. Mentions are of a text: which titles it names, with which words.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from treering.model.dates import instant
from treering.model.memory import Memory
from treering.model.tables import read_word_list
from treering.text.likeness import Sketch, sketch, smallest
from treering.text.words import STOP_WORDS, words

_PROBES = 7
_PIECE = r"[^\W_]+(?:[-'’./_][^\W_]+)*|[^\w\s]|\n\s*\n"
_WORD = r"[^\W_]+"
_ARTICLES = read_word_list("words", "articles")
_NEGATIONS = read_word_list("words", "turned away")
_DEPENDING = [tuple(phrase.split("_")) for phrase in sorted(read_word_list("words", "depending"))]
_DEPENDING_FIRST = {phrase[0] for phrase in _DEPENDING}
_IMPLEMENTING = read_word_list("words", "implementing")
_SUPERSEDING = read_word_list("words", "superseding")
_TURNING = read_word_list("words", "turning")
#: What a superseding word may have as its object besides the title itself.
_EARLIER = read_word_list("words", "earlier")
_LOOK_BACK = 4
_MOST_WORDS = 300


class Subject(NamedTuple):
    """A memory to be compared.

    `words` are the telling words of its title, in order, and `about` are they as a set; `sample` is
    the sketch of its whole text.
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
    sample: Sketch
    #: The ids it links to, as far as they are known.
    targets: frozenset[str] = frozenset()

    def traits(self) -> list[str]:
        """The keys it shares with others that may have to do with it."""
        keys = [f"file {path}" for path in self.files]
        keys += [f"tag {tag}" for tag in self.tags]
        keys += [f"word {word}" for word in dict.fromkeys(self.words)]
        return keys + [f"text {one} {two}" for one, two in pairwise(self._probes())]

    def clues(self) -> list[str]:
        """All keys it is to be found by: its traits, its name, those it links to, and for a
        session those it has."""
        keys = self.traits()
        keys += [f"link {target}" for target in self.targets]
        if self.words:
            keys.append(name_of(self.words))
        if self.type == "session":
            keys += [f"session {name}" for name in {self.id, self.session} if name]
        return keys

    def _probes(self) -> list[int]:
        probes = smallest(self.sample, _PROBES)
        return probes if len(probes) > 1 else 2 * probes


def name_of(title_words: Sequence[str]) -> str:
    """The key under which a memory is found by whoever names it: how its title begins."""
    return "name " + " ".join(title_words[:2])


@lru_cache(64)  # a capture asks twice: when it looks around, and when it is noted
def _take_apart(title: str, content: str) -> tuple[tuple[str, ...], Sketch]:
    title_words = words(title)
    return tuple(title_words), sketch((*title_words, *words(content)))


def subject_of(memory: Memory, blob: str = "") -> Subject:
    memory = memory.as_indexed
    title, sample = _take_apart(memory.title, memory.content)
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
        words=title,
        about=frozenset(title),
        sample=sample,
        targets=frozenset(link.target for link in memory.links),
    )


class Mentions:
    """A text taken apart, ready to be asked about titles."""

    def __init__(self, text: str) -> None:
        self._pieces = re.findall(_PIECE, text.lower())

    @cached_property
    def _sentences(self) -> list[list[str]]:
        sentences: list[list[str]] = [[]]
        for piece in self._pieces:
            if piece in ".;!?" or piece.isspace():
                sentences.append([])
            else:
                sentences[-1].append(piece)
        return [sentence for sentence in sentences if sentence]

    def clues(self, *, anywhere: bool) -> list[str]:
        """Keys of memories that may be named here, by how their titles begin.

        Where a name counts in every sentence (`anywhere`), all are looked at; else those that say
        what something needs or replaces.
        """
        telling = [sentence for sentence, _ in self._objects]
        telling += [sentence for _, sentence in self._superseding]
        keys: dict[str, None] = {}
        for sentence in self._sentences if anywhere else telling:
            in_order = words(" ".join(sentence))
            keys |= dict.fromkeys(name_of((word,)) for word in in_order)
            keys |= dict.fromkeys(name_of(pair) for pair in pairwise(in_order))
        return list(keys)[: 2 * _MOST_WORDS]

    def depends_on(self, other: Subject) -> bool:
        """Return whether it says `uses`, `depends on`, `requires` and the like with the title right
        after.

        A title of one word must stand alone: "uses Redis Cluster" does not speak of `Redis`.
        """
        if not self._objects:
            return False
        title = _title(other)
        return bool(title) and any(_names(sentence, at, title) for sentence, at in self._objects)

    def names(self, other: Subject) -> bool:
        """Return whether the whole title occurs, two telling words or more, and is not denied."""
        if not self.speaks_of(other):
            return False
        title = _title(other)
        return any(
            sentence[at : at + len(title)] == title and not _is_denied(sentence, at)
            for sentence in self._sentences
            for at in range(len(sentence) - len(title) + 1)
        )

    def implements(self, other: Subject) -> bool:
        """Return whether a sentence with an implementing word holds every telling word of the
        title."""
        return self.speaks_of(other) and any(
            other.about <= words for words, _ in self._implementing
        )

    def covers(self, other: Subject) -> bool:
        """Return whether one sentence holds every telling word of a title that has at least
        three."""
        return self.speaks_of(other, least=3) and any(
            other.about <= words for words in map(_relations_in, self._sentences)
        )

    def supersedes(self, other: Subject) -> bool:
        """Return whether it says `supersedes`, `replaces` and the like, and of what it says
        fits."""
        return any(
            other.about & words or _EARLIER.intersection(sentence)
            for words, sentence in self._superseding
        )

    def supersedes_by_name(self, other: Subject) -> bool:
        """Return whether a sentence that says so holds every telling word of the title."""
        return len(other.about) >= 2 and any(other.about <= words for words, _ in self._superseding)

    @cached_property
    def turns_away(self) -> bool:
        """Return whether something is said to be done another way from now on."""
        return any(_TURNING.intersection(sentence) for sentence in self._sentences)

    def speaks_of(self, other: Subject, least: int = 2) -> bool:
        """Return whether the text holds every telling word of a title that has enough of them."""
        return len(other.about) >= least and other.about <= self._words

    @cached_property
    def _words(self) -> set[str]:
        return {word for sentence in self._sentences for word in _relations_in(sentence)}

    @cached_property
    def _objects(self) -> list[tuple[list[str], int]]:
        """Return where the objects of depending verbs begin."""
        return [
            (sentence, at)
            for sentence in self._sentences
            if _DEPENDING_FIRST.intersection(sentence)
            for at in _objects(sentence)
        ]

    @cached_property
    def _implementing(self) -> list[tuple[set[str], list[str]]]:
        return self._with(_IMPLEMENTING)

    @cached_property
    def _superseding(self) -> list[tuple[set[str], list[str]]]:
        return self._with(_SUPERSEDING)

    def _with(self, signs: frozenset[str]) -> list[tuple[set[str], list[str]]]:
        """Sentences that hold one of these words and do not deny it, as telling words and whole."""
        return [
            (_relations_in(sentence), sentence)
            for sentence in self._sentences
            if any(
                piece in signs and not _is_denied(sentence, at) for at, piece in enumerate(sentence)
            )
        ]


def _relations_in(sentence: Sequence[str]) -> set[str]:
    return set(words(" ".join(sentence)))


def _title(subject: Subject) -> list[str]:
    return [token for token in re.findall(_PIECE, subject.title.lower()) if token[0].isalnum()]


def _objects(sentence: Sequence[str]) -> Iterable[int]:
    for phrase in _DEPENDING:
        for at in range(len(sentence) - len(phrase)):
            if tuple(sentence[at : at + len(phrase)]) == phrase and not _is_denied(sentence, at):
                start = at + len(phrase)
                while start < len(sentence) and not re.match(_WORD, sentence[start]):
                    start += 1  # a quote or bracket before the title
                yield start + (start < len(sentence) and sentence[start] in _ARTICLES)


def _names(sentence: Sequence[str], at: int, title: list[str]) -> bool:
    if sentence[at : at + len(title)] != title:
        return False
    after = sentence[at + len(title)] if at + len(title) < len(sentence) else ""
    stands_alone = not after or not re.match(_WORD, after) or after in STOP_WORDS
    return len(title) > 1 or stands_alone


def _is_denied(sentence: Sequence[str], at: int) -> bool:
    before = sentence[max(0, at - _LOOK_BACK) : at]
    return any(t in _NEGATIONS or t.endswith(("n't", "n’t")) for t in before)
