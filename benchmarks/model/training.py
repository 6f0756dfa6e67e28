"""The table: a vector for each piece of a word, such that their sum is near the teacher's vector.

It starts from what the teacher makes of each piece alone, and is then moved so that (1) the vectors
of sentences point where the teacher's do, (2) sentences are as near to each other as they are for
the teacher, and (3) the two sides of a pair are nearer to each other than to other pairs. Words of
the stop list have no vector. One thread and fixed seeds: the same input makes the same table.
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy
import torch
from torch.nn import functional

from benchmarks.model.corpus import Corpus, iterate
from treering.search.meaning.wordpiece import WordPiece, plain_words
from treering.text.words import STOP_WORDS

SEED = 5
DIMENSIONS = 256
EPOCHS = 3
BATCH = 384
RATE = 2e-3
TEACHER = 2.0  # how much the teacher counts beside the pairs
HEAT = 0.05
#: How many pairs of each kind are used.
CAPS = {"func": 30_000, "doc": 20_000, "title": 20_000, "change": 15_000, "wordnet": 12_000}


class Table:
    """The vocabulary's vectors while they are trained."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._pieces = WordPiece(numbers)

    def pieces(self, text: str, longest: int = 64) -> list[int]:
        words = (word for word in plain_words(text) if word not in STOP_WORDS)
        return [piece for word in words for piece in self._pieces.pieces(word)][:longest]

    def train(self, corpus: Corpus, tokens: Any, texts: Sequence[str], vectors: Any) -> Any:
        """The rows of the table, and how often each piece occurs."""
        torch.manual_seed(SEED)
        torch.set_num_threads(1)
        chance = random.Random(SEED)
        axes = _main_axes(vectors)
        counts = self._count(corpus)
        rows = _start(tokens @ axes, counts)
        bags = torch.nn.EmbeddingBag(len(rows), DIMENSIONS, mode="mean", sparse=True)
        bags.weight.data = torch.tensor(rows, dtype=torch.float32)
        steps = torch.optim.SparseAdam(bags.parameters(), lr=RATE)
        pairs = self._pairs(corpus, chance)
        sentences = [self.pieces(text) for text in texts]
        kept = [at for at, pieces in enumerate(sentences) if pieces]
        goal = functional.normalize(torch.tensor(vectors @ axes), dim=1)
        print(f"{len(pairs)} pairs, {len(kept)} sentences", flush=True)
        for epoch in range(EPOCHS):
            chance.shuffle(pairs)
            chance.shuffle(kept)
            total, place = 0.0, 0
            for start in range(0, len(pairs) - BATCH + 1, BATCH):
                place = place if place + BATCH <= len(kept) else 0
                chosen = kept[place : place + BATCH]
                place += BATCH
                loss = _contrast(bags, pairs[start : start + BATCH])
                loss += TEACHER * _follow(bags, [sentences[at] for at in chosen], goal[chosen])
                steps.zero_grad()
                loss.backward()
                steps.step()
                total += float(loss.detach())
            print(f"epoch {epoch}: {total / (len(pairs) // BATCH):.4f}", flush=True)
        return bags.weight.detach().numpy(), counts

    def _pairs(self, corpus: Corpus, chance: random.Random) -> list[tuple[list[int], list[int]]]:
        pairs, remaining = list(corpus.pairs), dict(CAPS)
        chance.shuffle(pairs)
        chosen = []
        for kind, left, right in pairs:
            sides = self.pieces(left, 32), self.pieces(right)
            if remaining[kind] and all(sides):
                remaining[kind] -= 1
                chosen.append(sides)
        return chosen

    def _count(self, corpus: Corpus) -> Any:
        counts = numpy.zeros(len(self._numbers))
        for text in iterate(corpus):
            numpy.add.at(counts, self.pieces(text), 1)
        return counts


def _main_axes(vectors: Any) -> Any:
    """The axes along which the teacher's vectors differ most."""
    _, axes = numpy.linalg.eigh(vectors.T @ vectors)
    return axes[:, ::-1][:, :DIMENSIONS].copy()


def _start(rows: Any, counts: Any) -> Any:
    """The teacher's own vectors of pieces; common pieces say less."""
    rows = rows - rows.mean(axis=0)
    shares = (counts + 1) / (counts.sum() + len(counts))
    rows *= (1e-3 / (1e-3 + shares))[:, None]
    return rows / (numpy.abs(rows).mean() * 20)


def _bag(bags: Any, texts: Sequence[Sequence[int]]) -> Any:
    starts = numpy.cumsum([0, *map(len, texts[:-1])])
    flat = torch.tensor([piece for text in texts for piece in text])
    return functional.normalize(bags(flat, torch.tensor(starts)), dim=1)


def _contrast(bags: Any, pairs: Sequence[tuple[list[int], list[int]]]) -> Any:
    left = _bag(bags, [one for one, _ in pairs])
    right = _bag(bags, [other for _, other in pairs])
    nearness, own = left @ right.T / HEAT, torch.arange(len(pairs))
    forth = functional.cross_entropy(nearness, own)
    return (forth + functional.cross_entropy(nearness.T, own)) / 2


def _follow(bags: Any, texts: Sequence[Sequence[int]], goal: Any) -> Any:
    ours = _bag(bags, texts)
    apart = (1 - (ours * goal).sum(1)).mean()
    between = ((ours @ ours.T - goal @ goal.T) ** 2).mean()
    return 2 * apart + 20 * between
