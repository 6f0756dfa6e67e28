"""Histories as a stranger may push them: written by git itself, with nothing of ours in the way."""

import hashlib
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from conftest import START, Repo
from treering.model import document
from treering.model.memory import ALPHABET, FileRef, Link, Memory

MALLORY = "refs/treering/clones/mallory00000/"
_DATE = "2026-02-02T02:40:00Z"


def id_of(name: str) -> str:
    """An id of our shape for any name."""
    number = int(hashlib.sha256(name.encode()).hexdigest(), 16)
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(12))


def memory(
    name: str,
    content: str,
    *,
    links: Sequence[Link] = (),
    files: Sequence[str] = (),
    created: str = _DATE,
) -> bytes:
    """The document of a memory whose id comes from a name."""
    return document.dump(
        Memory(
            id=id_of(name),
            type="decision",
            title=content[:60].strip().splitlines()[0],
            content=content,
            created=created,
            modified=created,
            links=tuple(links),
            files=tuple(FileRef(path) for path in files),
            author="Mallory <mallory@example.org>",
        )
    )


class Forge:
    """Writes commits of memories into a repository, thousands of them in a second."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[bytes] = []
        self._marks = 0
        self.documents = 0
        self._seconds = START + 60

    def commit(
        self,
        ref: str,
        documents: Mapping[str, bytes],
        *parents: str,
        words: str = "remember",
        op: str = "remember",
    ) -> str:
        """Put documents, by the name their id comes from, on top of some commits; return a name of
        the new commit that the next may build on."""
        self._marks += 1
        self._seconds += 1
        message = f"{words}\n\nTreering-Op: {op}\nCode-Branch: {ref.rpartition('/')[2]}\n".encode()
        who = f"Mallory <mallory@example.org> {self._seconds} +0000"
        self._lines.append(f"commit {ref}\nmark :{self._marks}\ncommitter {who}\n".encode())
        self._lines.append(b"data %d\n%s\n" % (len(message), message))
        for number, parent in enumerate(parents):
            self._lines.append(f"{'merge' if number else 'from'} {parent}\n".encode())
        self.documents += len(documents)
        for name, data in documents.items():
            path = f"memories/{id_of(name)[:2]}/{id_of(name)}.md"
            self._lines.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode())
            self._lines.append(data + b"\n")
        return f":{self._marks}"

    def start(self, ref: str) -> None:
        """Let the next commit on a ref have no parents."""
        self._lines.append(f"reset {ref}\n\n".encode())

    def write(self) -> None:
        """Hand all of it to git."""
        subprocess.run(
            ["git", "fast-import", "--quiet", "--force", "--date-format=raw"],
            cwd=self._folder,
            input=b"".join(self._lines),
            check=True,
            capture_output=True,
        )
        self._lines = []


def give_to(victim: Repo, *, remote: str = "origin") -> None:
    """What a plain `git fetch` of all that a remote has brings."""
    victim.git("fetch", "-q", remote, f"+refs/treering/*:refs/treering/remotes/{remote}/*")


# --- quantities that somebody else controls -------------------------------------------------------

EVE = "refs/treering/clones/eve000000000/"


def scopes(forge: Forge, size: int) -> None:
    for number in range(size):
        forge.commit(f"{MALLORY}b{number}", {f"s{number}": memory(f"s{number}", f"text {number}")})


def heads(forge: Forge, size: int) -> None:
    for number in range(size):
        name = f"h{number % 50}"
        ref = f"refs/treering/clones/m{number:011}/main"
        forge.commit(ref, {name: memory(name, f"text {number}")})


def revisions(forge: Forge, size: int) -> None:
    start = forge.commit(f"{MALLORY}main", {"r": memory("r", "start")})
    for ref in (f"{MALLORY}main", f"{EVE}main"):
        last = start
        for number in range(size):
            text = f"revision {number} of {ref}"
            last = forge.commit(ref, {"r": memory("r", text)}, last)


def crossings(forge: Forge, size: int) -> None:
    one = forge.commit(f"{MALLORY}main", {"c": memory("c", "one")})
    other = forge.commit(f"{EVE}main", {"c": memory("c", "other")})
    for number in range(size):
        one, other = (
            forge.commit(f"{MALLORY}main", {"c": memory("c", f"one {number}")}, one, other),
            forge.commit(f"{EVE}main", {"c": memory("c", f"other {number}")}, other, one),
        )


def parents(forge: Forge, size: int) -> None:
    ref, some = f"{MALLORY}parents", []
    for number in range(size):
        forge.start(ref)
        some.append(forge.commit(ref, {f"p{number}": memory(f"p{number}", f"text {number}")}))
    forge.start(f"{MALLORY}main")
    forge.commit(f"{MALLORY}main", {"p": memory("p", "all of them")}, *some)


def links(forge: Forge, size: int) -> None:
    names = [f"l{number}" for number in range(size)]
    targets = [Link("supersedes", id_of(name)) for name in names]
    documents = {
        name: memory(name, f"wal readers {name}", links=[*targets[:at], *targets[at + 1 :]])
        for at, name in enumerate(names)
    }
    forge.commit(f"{MALLORY}main", documents)


def files(forge: Forge, size: int) -> None:
    documents = {}
    for n in range(20):
        lines = "".join(f"- {{path: d{n}/f{m}.py}}\n" for m in range(size))
        data = memory(f"f{n}", f"wal readers {n}")
        documents[f"f{n}"] = data.replace(b"---\n", f"---\nfiles:\n{lines}".encode(), 1)
    forge.commit(f"{MALLORY}main", documents)


def headers(forge: Forge, size: int, count: int = 300) -> None:
    documents = {f"u{n}": b"---\nid: %s%d\n---\nx\n" % (b"x" * size, n) for n in range(count)}
    forge.commit(f"{MALLORY}main", documents)


def texts(forge: Forge, size: int) -> None:
    """Repeated words, which a comparison may take the square of."""
    start = forge.commit(f"{MALLORY}main", {"t": memory("t", "a b " * size)})
    for ref, words in ((f"{MALLORY}main", "b a "), (f"{EVE}main", "a a b ")):
        last = start
        for number in range(4):
            text = f"{number} " + words * (size + number)
            last = forge.commit(ref, {"t": memory("t", text)}, last)


def messages(forge: Forge, size: int) -> None:
    last = forge.commit(f"{MALLORY}main", {"g": memory("g", "below")})
    last = forge.commit(f"{MALLORY}main", {"g": memory("g", "huge")}, last, words="w" * size)
    forge.commit(f"{MALLORY}main", {"g": memory("g", "above")}, last)


def trees(forge: Forge, size: int) -> None:
    forge.commit(f"{MALLORY}main", {f"e{number}": b"junk" for number in range(size)})


def tags(forge: Forge, size: int) -> None:
    documents = {f"t{n}": memory(f"t{n}", f"wal readers {n}") for n in range(50)}
    for number, (name, data) in enumerate(documents.items()):
        line = ", ".join(f"t{number}x{m}" for m in range(size))
        documents[name] = data.replace(b"---\n", f"---\ntags: [{line}]\n".encode(), 1)
    forge.commit(f"{MALLORY}main", documents)


def values(forge: Forge, size: int) -> None:
    """Headers of many small parts, which cost more to read than their bytes."""
    documents = {f"v{n}": memory(f"v{n}", f"wal readers {n}") for n in range(100)}
    line = f"---\nx: [{'[],' * size}]\n".encode()
    forge.commit(
        f"{MALLORY}main", {n: data.replace(b"---\n", line, 1) for n, data in documents.items()}
    )


def ordinary(forge: Forge, size: int) -> None:
    """What a teammate pushes: as many memories, fifty to a commit."""
    last: tuple[str, ...] = ()
    for start in range(0, size, 50):
        numbers = range(start, min(size, start + 50))
        documents = {f"o{n}": memory(f"o{n}", f"wal readers and note {n}") for n in numbers}
        last = (forge.commit(f"{MALLORY}main", documents, *last),)


class Quantity(NamedTuple):
    """A way to push much of something: a usual size, one at the limit or large, and one beyond it
    or very large. `is_said` where the last is left out, refused or no memory."""

    write: Callable[[Forge, int], None]
    usual: int
    large: int
    beyond: int
    is_said: bool = False


#: What a stranger may push.
QUANTITIES = {
    "scopes": Quantity(scopes, 20, 100, 1000),
    "heads": Quantity(heads, 20, 250, 2100, is_said=True),
    "revisions": Quantity(revisions, 30, 600, 4000, is_said=True),
    "crossings": Quantity(crossings, 10, 100, 400),
    "parents": Quantity(parents, 16, 300, 3000),
    "links": Quantity(links, 20, 100, 150),
    "tags": Quantity(tags, 50, 1000, 4100, is_said=True),
    "values": Quantity(values, 100, 3900, 4100, is_said=True),
    "files": Quantity(files, 100, 1300, 1500, is_said=True),
    "headers": Quantity(headers, 60_000, 70_000, 1_000_000, is_said=True),
    "texts": Quantity(texts, 400, 4000, 20_000),
    "messages": Quantity(messages, 1000, 1_000_000, 80_000_000, is_said=True),
    "trees": Quantity(trees, 200, 5_000, 100_000, is_said=True),
}
