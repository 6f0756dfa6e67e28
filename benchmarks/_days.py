"""What somebody writes and asks on a day of work, drawn by lot from the words of a made-up store.

Words are spread as in the store itself (see `search.Corpus`): a few are in every other memory, most
are rare. So what is written has to do with a few memories that are there, and nothing with most.
"""

import random
from collections.abc import Sequence
from typing import Any

from benchmarks.search import Corpus
from treering import Treering

#: What people write by hand; commits and sessions come from hooks.
TYPES = ("decision", "insight", "issue", "config", "pattern", "component", "progress")
FILES = tuple(f"src/module{number}.py" for number in range(40))
_COMMON = 40  # of the words, the most frequent


class Day:
    """Captures and questions, other ones at each call."""

    def __init__(self, seed: float) -> None:
        corpus = Corpus(0)
        self._words, self._ranks = corpus.words, corpus.ranks
        self._lots = random.Random(seed)

    def words(self, count: int) -> str:
        return " ".join(self._lots.choices(self._words, cum_weights=self._ranks, k=count))

    def capture(self, files: Sequence[str] = ()) -> dict[str, Any]:
        """The arguments of one call of `remember`."""
        lots = self._lots
        return {
            "content": self.words(lots.randint(40, 100)),
            "title": self.words(6),
            "type": lots.choice(TYPES),
            "tags": [f"tag{lots.randrange(40)}"],
            "files": [lots.choice(files)] if files else [],
        }

    def question(self) -> str:
        """Two words of which the one is rare."""
        return f"{self.words(1)} {self._lots.choice(self._words[len(self._words) // 4 :])}"

    def common_question(self) -> str:
        return " ".join(self._lots.sample(self._words[:_COMMON], 3))

    def memories(self, treering: Treering, count: int) -> list[str]:
        """The ids of memories of every type, wherever they are in the store."""
        ids: list[str] = []
        for kind in (*TYPES, "commit"):
            hits = treering.recall(self.common_question(), type=kind, limit=count).results
            ids += [hit.id for hit in hits]
        return self._lots.sample(ids, min(count, len(ids)))
