"""Entities named in a text: people, organizations, technologies, concepts and files.

By rules made for what developers write: trailers, paths, known names, a few turns of phrase. Each
find says how sure it is. Every pattern is bounded, so 256 KB of anything takes milliseconds.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from treering.text.technologies import AMBIGUOUS, CONCEPTS, ORGANIZATIONS, TECHNOLOGIES

_LONGEST = 262_144

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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENDINGS = _words("""
py pyi js jsx ts tsx mjs cjs go rs java kt kts scala rb php c h cc cpp hpp cs fs swift m sql sh
bash zsh ps1 yml yaml toml json xml html css scss sass less md rst txt ini cfg conf lock proto
graphql tf ipynb vue svelte ex exs erl hs ml clj lua pl r jl dart gradle cmake mk csv env
""")
_BARE_FILES = _words("""
Makefile Dockerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile CMakeLists.txt
""")
#: Capitalised words that begin sentences, and so look like names.
_NO_NAMES = _words("""
the this that these those it its we they he she you i a an and but or if when where why how
what who there here then now next also only all any some each every no not never always do does
did is are was were be been as at by for from in into of on to with after before because since
until while please use using add fix make move run see note todo monday tuesday wednesday
thursday friday saturday sunday january february march april may june july august september
october november december data code test tests docs api team support customer everyone someone
nobody anyone
""")


class NamedEntity(NamedTuple):
    """One entity a text names, and how sure that is."""

    name: str
    kind: str
    confidence: float


def extract(text: str, min_confidence: float = 0.6) -> list[NamedEntity]:
    """What a text names, surest first, each once; one name has one kind."""
    best: dict[str, NamedEntity] = {}
    for found in _all(text[:_LONGEST]):
        known = best.get(found.name.casefold())
        if known is None or found.confidence > known.confidence:
            best[found.name.casefold()] = found
    wanted = (found for found in best.values() if found.confidence >= min_confidence)
    return sorted(wanted, key=lambda found: -found.confidence)


def kind_of(name: str) -> str:
    """The kind a bare name most likely has; what nothing is known about is a concept."""
    if name.lower() in TECHNOLOGIES:
        return "technology"
    found = extract(name, 0.0)
    whole = [item for item in found if item.name.casefold() == name.casefold()]
    return whole[0].kind if whole else "concept"


def _all(text: str) -> Iterator[NamedEntity]:
    prose = _without_code(text)
    yield from _people(prose)
    yield from _organizations(prose)
    yield from _files(text)
    yield from _technologies(prose)
    yield from _concepts(prose)


def _without_code(text: str) -> str:
    """Without fenced blocks, in which names mean other things, and without addresses."""
    kept = text.split("```")[::2]
    return re.sub(r"\b[a-z]{2,10}://\S{1,2000}", " ", "\n".join(kept))


def _people(text: str) -> Iterator[NamedEntity]:
    for name in re.findall(_TRAILER, text):
        if "[bot]" not in name:
            yield NamedEntity(_one_line(name), "person", 0.95)
    for name in re.findall(_MAILED, text):
        yield NamedEntity(_one_line(name), "person", 0.9)
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
    known = text.lower() in TECHNOLOGIES or words[0] in AMBIGUOUS
    return not known and not any(word.lower() in _NO_NAMES for word in words)


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
    lower = " ".join(text.lower().split())
    for name in CONCEPTS:
        if name in lower and re.search(rf"\b{re.escape(name)}\b", lower):
            yield NamedEntity(name, "concept", 0.8)
    for name in re.findall(_HUMPS, text):
        if name.lower() not in TECHNOLOGIES and name not in ORGANIZATIONS:
            yield NamedEntity(name, "concept", 0.65)


def _one_line(text: str) -> str:
    return " ".join(text.split())
