"""From archives to text: sentences, and pairs of texts that say the same at different length.

    func      a function's name, and the first line of its docstring
    doc       the first line of a docstring, and what it goes on with
    title     a heading, and its first paragraph
    change    the first sentence of a release note, and the rest
    wordnet   a word, and what it means

Every project counts for only so much, so that no large one decides how the table sees the world.
"""

import ast
import random
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.model.sources import Source, read_debian, read_texts

SEED = 11
_MOST_SENTENCES, _MOST_PAIRS = 2500, 900  # of one project; pairs of one kind
_ROLE = re.compile(r":[\w:+-]+:`~?([^`<]*?)(?:\s*<[^>]*>)?`")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|`([^`<]*?)\s*<[^>]*>`_*")
_MARKUP = re.compile(r"[`*|]+|__?(?=\W|$)|<[^>]{1,80}>")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_RULE = re.compile(r"([=\-~^\"'#*+.])\1{2,}\s*$")
_HEADING = re.compile(r"#{1,5}\s+(.{3,90})$")
_FIELDS = re.compile(
    r"^(:\w|@\w|Parameters|Args|Arguments|Returns?|Raises|Examples?|Notes?|See Also|>>>|\.\. |---)"
)
_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PROSE = re.compile(r"[A-Za-z][a-z]*")


class Pair(NamedTuple):
    kind: str
    left: str
    right: str


class Corpus(NamedTuple):
    sentences: list[str]
    pairs: list[Pair]


def gather(archives: Iterable[tuple[Source, Path]]) -> Corpus:
    """All of it, in an order that depends on nothing but the lock."""
    sentences: dict[str, None] = {}
    pairs: dict[Pair, None] = {}
    for source, path in archives:
        if source.kind == "teacher":
            continue
        part = _wordnet(path) if source.kind == "debian" else _package(path)
        chosen = part if source.kind == "debian" else _sample(part, source.name)
        sentences.update(dict.fromkeys(chosen.sentences))
        pairs.update(dict.fromkeys(chosen.pairs))
        print(f"{source.file:44} {len(chosen.sentences):6} {len(chosen.pairs):6}", flush=True)
    return Corpus(list(sentences), list(pairs))


def _sample(part: Corpus, name: str) -> Corpus:
    chance = random.Random(f"{SEED} {name}")
    sentences = list(dict.fromkeys(part.sentences))
    pairs = list(dict.fromkeys(part.pairs))
    chance.shuffle(sentences)
    chance.shuffle(pairs)
    kept: list[Pair] = []
    for kind in ("func", "doc", "title", "change"):
        kept += [pair for pair in pairs if pair.kind == kind][:_MOST_PAIRS]
    return Corpus(sentences[:_MOST_SENTENCES], kept)


def _package(path: Path) -> Corpus:
    part = Corpus([], [])
    for name, text in read_texts(path):
        if name.endswith(".py"):
            _take_code(text, part)
        elif name.endswith(".yaml"):
            _take_notes(text, part)
        else:
            _take_prose(text, part)
    return part


# --- docstrings -----------------------------------------------------------------------------------


def _take_code(text: str, part: Corpus) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        is_named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if is_named and (doc := ast.get_docstring(node)):
            _take_docstring(node.name, doc, part)


def _take_docstring(name: str, doc: str, part: Corpus) -> None:
    blocks = [_plain(block) for block in re.split(r"\n\s*\n", doc)]
    first = blocks[0]
    if not _is_prose(first, 3) or _FIELDS.match(doc):
        return
    part.sentences.extend(_sentences(first))
    words = " ".join(_NAME.findall(name)).lower()
    if len(words) > 5 and not words.startswith("test"):
        part.pairs.append(Pair("func", words, first[:240]))
    rest = blocks[1] if len(blocks) > 1 and not _FIELDS.match(blocks[1]) else ""
    if _is_prose(rest, 6):
        part.pairs.append(Pair("doc", first[:200], rest[:400]))
        part.sentences.extend(_sentences(rest))


# --- documentation --------------------------------------------------------------------------------


def _take_prose(text: str, part: Corpus) -> None:
    title = ""
    for block in re.split(r"\n\s*\n", text):
        lines = block.strip("\n").split("\n")
        if heading := _heading(lines):
            title, lines = heading, lines[2 if _RULE.match(lines[-1]) else 1 :]
        indented = lines and lines[0][:1].isspace()
        body = _plain("\n".join(lines))
        if indented or not _is_prose(body, 6) or _FIELDS.match(body):
            continue
        part.sentences.extend(_sentences(body))
        if title:
            part.pairs.append(Pair("title", title, body[:400]))
            title = ""


def _heading(lines: list[str]) -> str:
    if len(lines) >= 2 and _RULE.match(lines[1]) and 3 < len(lines[0]) < 90:
        return _plain(lines[0])
    match = _HEADING.match(lines[0]) if lines else None
    return _plain(match[1]) if match else ""


def _take_notes(text: str, part: Corpus) -> None:
    for item in re.split(r"\n\s*- ", text)[1:]:
        body = _plain(re.sub(r"^[|>]-?\s*", "", item).split("\n\n")[0])
        sentences = _sentences(body)
        part.sentences.extend(sentences)
        if len(sentences) > 1:
            part.pairs.append(Pair("change", sentences[0], " ".join(sentences[1:])[:400]))


# --- WordNet --------------------------------------------------------------------------------------


def _wordnet(path: Path) -> Corpus:
    """Common words and their meanings; what was never counted in a text is left out."""
    files = read_debian(path, r"/(data|index)\.(noun|verb|adj|adv)$")
    words_of: dict[str, list[str]] = {}
    for kind in ("noun", "verb", "adj", "adv"):
        for line in files[f"index.{kind}"].splitlines():
            if not line.startswith(" "):
                word, *_ = fields = line.split()
                senses = fields[-int(fields[2]) :]
                for offset in senses[: int(fields[-int(fields[2]) - 1])]:
                    words_of.setdefault(f"{kind} {offset}", []).append(word)
    sentences, pairs = [], []
    for kind in ("noun", "verb", "adj", "adv"):
        for line in files[f"data.{kind}"].splitlines():
            words = words_of.get(f"{kind} {line[:8]}", [])
            if words and " | " in line:
                meaning, *examples = line.split(" | ", 1)[1].strip().split('; "')
                plain = [word.replace("_", " ") for word in words]
                pairs.append(Pair("wordnet", " ".join(plain[:3]), meaning))
                sentences += [example.strip('" ') for example in examples]
    return Corpus([text for text in sentences if _is_prose(text, 3)], pairs)


# --- plain text -----------------------------------------------------------------------------------


def _plain(text: str) -> str:
    text = _LINK.sub(lambda match: match[1] or match[2] or "", _ROLE.sub(r"\1", text))
    return " ".join(_MARKUP.sub("", text).split())


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if 15 < len(part) < 220 and _is_prose(part, 3)]


def _is_prose(text: str, least: int) -> bool:
    """Words, and not many signs between them."""
    words = _PROSE.findall(text)
    return len(words) >= least and sum(map(len, words)) > 0.65 * len(text)


def iterate(corpus: Corpus) -> Iterator[str]:
    """Every text there is, for counting words."""
    yield from corpus.sentences
    for pair in corpus.pairs:
        yield pair.left
        yield pair.right
