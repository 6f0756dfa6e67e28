"""Names in a text: people, organizations, technologies, concepts, files; and tags it suggests.

By rules made for what developers write: trailers, paths, known names, a few turns of phrase. Each
find says how sure it is. Every pattern is bounded, so 256 KB of anything takes milliseconds.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from treering.model.choices import EntityKind
from treering.model.tables import read_table, read_word_list
from treering.text.words import one_line

_MAX_TEXT = 262_144

_TRAILER = (
    r"(?im)^[ \t]{0,8}(?:co-authored|signed-off|reviewed|acked|tested|reported|suggested|helped"
    r"|authored|mentored)-by:[ \t]{1,4}([^<>\n@]{2,80}?)[ \t]{0,4}(?:<[^<>\n]{1,120}>)?[ \t]*$"
)
_MAILED = r"((?:[A-Z][\w'’-]{1,30}[ ]){1,3}[A-Z][\w'’-]{1,30})[ ]<[^<>\s@]{1,64}@[^<>\s]{1,120}>"
_NAME = r"[A-Z][a-zà-ÿ'’-]{1,20}(?:[ ][A-Z][a-zà-ÿ'’-]{1,20})?"
_COMPANY = r"[A-Z][A-Za-z0-9&.-]{1,30}"
_FROM = rf"\b({_NAME}) (?:from|at|of|works at|works for|joined) (?:the )?({_COMPANY})\b"
_SAID = (
    r"\b(?:[Aa]ccording to|[Tt]hanks to|[Aa]sk(?:ed)?|[Ss]uggested by|[Rr]eviewed by|[Rr]eported by"
    r"|[Ww]ritten by|[Oo]wned by|[Mm]aintained by|[Pp]aired with|[Tt]alked to|[Tt]old)"
    rf" ({_NAME})\b"
)
_DID = (
    rf"\b({_NAME}) (?:said|says|suggested|reported|proposed|asked|agreed|prefers|wants|noticed)\b"
)
_HANDLE = r"(?<![\w@/.`])@([A-Za-z][A-Za-z0-9-]{1,38})\b(?![./(\w])"
_INCORPORATED = (
    rf"\b((?:{_COMPANY} ){{1,3}}(?:Inc|Ltd|LLC|GmbH|Corp|Corporation|AG|SE|Foundation|University"
    r"|Institute|Labs))\b"
)
_CHUNK = r"[^\s`'\"()<>\[\]{},;|*]{2,300}"
_WORD = r"[A-Za-z.][\w+#./-]{0,60}"
_HUMPS = r"\b(?:[A-Z][a-z0-9]{1,30}){2,6}\b"


_ENDINGS = read_word_list("entities", "endings")
_BARE_FILES = read_word_list("entities", "files")
#: Capitalised words that begin sentences, and so look like names.
_NO_NAMES = read_word_list("entities", "no names")


class NamedEntity(NamedTuple):
    """One entity a text names, and how sure that is."""

    name: str
    kind: EntityKind
    confidence: float


def extract(text: str, min_confidence: float = 0.6) -> list[NamedEntity]:
    """Return what a text names, surest first, each once; one name has one kind."""
    best: dict[str, NamedEntity] = {}
    for entity in _all(text[:_MAX_TEXT]):
        rival = best.get(entity.name.casefold())
        if rival is None or entity.confidence > rival.confidence:
            best[entity.name.casefold()] = entity
    sure = (entity for entity in best.values() if entity.confidence >= min_confidence)
    return sorted(sure, key=lambda entity: -entity.confidence)


def kind_of(name: str) -> EntityKind:
    """The kind a bare name most likely has; what nothing is known about is a concept."""
    if name.lower() in TECHNOLOGIES:
        return "technology"
    entities = extract(name, 0.0)
    kinds = [entity.kind for entity in entities if entity.name.casefold() == name.casefold()]
    return kinds[0] if kinds else "concept"


def _all(text: str) -> Iterator[NamedEntity]:
    prose = _without_code(text)
    yield from _people(prose)
    yield from _organizations(prose)
    yield from _files(text)
    yield from _technologies(prose)
    yield from _concepts(prose)


def _without_code(text: str) -> str:
    """Without fenced blocks, in which names mean other things, and without addresses."""
    prose = text.split("```")[::2]
    return re.sub(r"\b[a-z]{2,10}://\S{1,2000}", " ", "\n".join(prose))


def _people(text: str) -> Iterator[NamedEntity]:
    for name in re.findall(_TRAILER, text):
        if "[bot]" not in name:
            yield NamedEntity(one_line(name), "person", 0.95)
    for name in re.findall(_MAILED, text):
        yield NamedEntity(one_line(name), "person", 0.9)
    for handle in re.findall(_HANDLE, text):
        yield NamedEntity(f"@{handle}", "person", 0.65)
    for pattern, sure in ((_SAID, 0.75), (_DID, 0.7)):
        for name in re.findall(pattern, text):
            if _is_name(name):
                yield NamedEntity(name, "person", sure)


def _organizations(text: str) -> Iterator[NamedEntity]:
    for name in re.findall(_INCORPORATED, text):
        yield NamedEntity(name, "organization", 0.85)
    for person, company in re.findall(_FROM, text):
        if _is_name(person) and _is_name(company) and company.lower() not in TECHNOLOGIES:
            yield NamedEntity(person, "person", 0.75)
            yield NamedEntity(company.rstrip("."), "organization", 0.75)
    for name in ORGANIZATIONS:
        if name in text and re.search(rf"\b{re.escape(name)}\b", text):
            yield NamedEntity(name, "organization", 0.8)


def _is_name(text: str) -> bool:
    """Not a word that merely begins a sentence, and not a thing we know."""
    words = text.split()
    is_thing = text.lower() in TECHNOLOGIES or words[0] in AMBIGUOUS
    return not is_thing and not any(word.lower() in _NO_NAMES for word in words)


def _files(text: str) -> Iterator[NamedEntity]:
    for token in re.findall(_CHUNK, text):
        path = token.rstrip(".:!?").removeprefix("./")
        if "://" in path or path.startswith(("/", "-", "www.", "@", "~")):
            continue
        stem, dot, ending = path.rpartition(".")
        is_source = bool(dot and stem) and ending.lower() in _ENDINGS
        if not re.fullmatch(r"[\w.@+/-]{2,200}", path) or ".." in path:
            continue
        if "/" in path and (is_source or path.rpartition("/")[2] in _BARE_FILES):
            yield NamedEntity(path, "file", 0.9)
        elif path in _BARE_FILES or (is_source and path.lower() not in TECHNOLOGIES):
            yield NamedEntity(path, "file", 0.75)


def _technologies(text: str) -> Iterator[NamedEntity]:
    words = [word.rstrip("./-") for word in re.findall(_WORD, text)]
    for at, word in enumerate(words):
        for length in (3, 2, 1):
            phrase = " ".join(words[at : at + length]).lower()
            if name := TECHNOLOGIES.get(phrase):
                sure = 0.9 if length > 1 or len(name) > 3 or word.isupper() else 0.8
                yield NamedEntity(name, "technology", sure)
                break
        if word in AMBIGUOUS:
            yield NamedEntity(word, "technology", _how_sure(words, at))


def _how_sure(words: list[str], at: int) -> float:
    """Of a name that is also a plain word: `in Rust` is one, `Go to` is none."""
    before = words[at - 1].lower() if at else ""
    after = words[at + 1].lower() if at + 1 < len(words) else ""
    if before in ("in", "using", "use", "uses", "our", "with"):
        return 0.75
    if after in ("to", "through", "back", "ahead", "on", "with", "sure", "it", "the", "a"):
        return 0.3
    if before in ("and", "or", "from", "for", "to"):
        return 0.7
    return 0.6 if before else 0.5


def _concepts(text: str) -> Iterator[NamedEntity]:
    lower = one_line(text.lower())
    for name in CONCEPTS:
        if name in lower and re.search(rf"\b{re.escape(name)}\b", lower):
            yield NamedEntity(name, "concept", 0.8)
    for name in re.findall(_HUMPS, text):
        if name.lower() not in TECHNOLOGIES and name not in ORGANIZATIONS:
            yield NamedEntity(name, "concept", 0.65)


# --- what a memory's own text suggests about it ---------------------------------------------------

_MOST_TAGS = 5
_SUGGESTING = 20_000  # characters looked at
_LONG_TITLE = 80
_CODE_NAME = r"(?<![\w./-])[A-Za-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*(?![\w/-]|\.\w)"
_PLAIN_WORD = r"[\w-]+"
_PATH = r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])"
_SENTENCE_END = r"(?<=[.!?])\s|[;:]\s|\s[–—-]\s"
_SHOUTED = read_word_list("entities", "shouted")


def tags_for(text: str, used: Iterable[str], own: Collection[str]) -> tuple[str, ...]:
    """Tags others already use whose word is in the text, then names like PostgreSQL or JSONB.

    `own` are those the memory has.
    """
    words = {word.lower() for word in re.findall(_PLAIN_WORD, text[:_SUGGESTING])}
    names = re.findall(_CODE_NAME, text[:_SUGGESTING])
    tags = [tag for tag in used if tag.lower() in words]
    tags += [name.lower() for name in names if _is_code_name(name)]
    present = {tag.lower() for tag in own}
    return tuple(dict.fromkeys(tag for tag in tags if tag.lower() not in present))[:_MOST_TAGS]


def _is_code_name(word: str) -> bool:
    """Capitals inside a word make a name; a word all in capitals may just be shouted."""
    capitals = sum(letter.isupper() for letter in word)
    return capitals >= 2 and len(word) <= 30 and word.lower() not in _SHOUTED


def title_for(title: str) -> str:
    """The first clause of a title that runs on; empty where the title is short enough."""
    if len(title) <= _LONG_TITLE:
        return ""
    clause = re.split(_SENTENCE_END, title, maxsplit=1)[0].rstrip(" .;:,–—-")
    if 8 <= len(clause) <= _LONG_TITLE:
        return clause
    return f"{title[: _LONG_TITLE - 1].rsplit(' ', 1)[0].rstrip(' ,;:')}…"


def paths_in(text: str) -> tuple[str, ...]:
    """Return what looks like a file's path; whether there is one is for the caller to see."""
    paths = dict.fromkeys(re.findall(_PATH, text[:_SUGGESTING]))
    return tuple(path for path in paths if ".." not in path.split("/"))


# --- names that software prose uses without explaining them ---------------------------------------


def _read_list(section: str) -> list[str]:
    """Return the items of a section, apart by semicolons and line ends."""
    lines = read_table("entities")[section]
    return [item.strip() for line in lines for item in line.split(";") if item.strip()]


def _spellings() -> dict[str, str]:
    names: dict[str, str] = {}
    for item in _read_list("technologies"):
        name, _, others = item.partition(": ")
        for word in (name, *others.split(",")):
            if word.strip():
                names[word.strip().lower()] = name
    return names


#: Any spelling in lower case -> the canonical one.
TECHNOLOGIES = _spellings()
#: Also plain words: only as written, and with less confidence.
AMBIGUOUS = read_word_list("entities", "ambiguous")
CONCEPTS = frozenset(_read_list("concepts"))
ORGANIZATIONS = frozenset(_read_list("organizations"))
