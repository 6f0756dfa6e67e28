"""Facts that were updated, as public histories tell them: chains of texts, each in the place of the
one before.

    docs       a sentence of the documentation that another one took the place of
    records    decision records that name the one they supersede

Nothing of a history is part of this repository: a chain is made when it is measured.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from benchmarks._bench import git

COMMITS = 900  # of the documentation, looked at in one history
CHAINS = {"docs": 150, "records": 40}
OTHERS = 1000
SERIES, NUMBERED = 20, 3  # sentences, each told as several numbered facts
_NOT_DOCS = re.compile(r"chang|news|history|releas|announce|licen|author|backers|i18n|locale", re.I)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"(])")
_SHORTEST, _LONGEST = 7, 45
#: Below it a sentence was replaced by another one, not updated.
_UPDATED = 0.55


class Text(NamedTuple):
    """Something said, and when."""

    words: str
    when: int
    kind: str = "docs"


class Updates(NamedTuple):
    """What one history tells: chains, the oldest first, and texts that nobody changed."""

    chains: list[list[Text]]
    others: list[Text]
    #: When sentences went that are not in the documentation any more.
    gone: dict[str, int]
    #: Sentences told as members of a series, an hour and more after each other.
    siblings: list[Text]


def read_updates(clone: Path) -> Updates:
    docs, sentences, gone = _docs(clone)
    commits = _commits(clone)
    chains = [*_spread(docs, CHAINS["docs"]), *_spread(_records(clone), CHAINS["records"])]
    taken = {text.words for chain in [*docs, *chains] for text in chain}
    series = _spread(sentences, SERIES)
    taken |= {text.words for text in series}
    others = [text for text in (*sentences, *commits) if text.words not in taken]
    siblings = [
        Text(f"Rule number {number}: {text.words}", text.when + number * 7200)
        for text in series
        for number in range(1, NUMBERED + 1)
    ]
    return Updates(chains, _spread(others, OTHERS), gone, siblings)


# --- documentation --------------------------------------------------------------------------------


def _docs(clone: Path) -> tuple[list[list[Text]], list[Text], dict[str, int]]:
    """Chains of sentences, the sentences of today that were never changed, and when others went."""
    since: dict[str, int] = {}
    gone: dict[str, int] = {}
    before: dict[str, str] = {}  # newer sentence -> the one it took the place of
    for when, old, new in _doc_changes(clone):
        went, came = _sentences(old), _sentences(new)
        added = [s for s in came if s not in went]
        for sentence in added:
            since.setdefault(sentence, when)
        gone.update((sentence, when) for sentence in went if sentence not in came)
        for old_one, new_one in _pair([s for s in went if s not in came], added):
            if new_one not in before and old_one in since and since[old_one] < since[new_one]:
                before[new_one] = old_one
    names = _doc_names(clone)
    today = [s for name in names for s in _sentences(_show(clone, f"HEAD:{name}"))]
    heads = [s for s in before if s not in set(before.values())]
    chains = [_chain(head, before, since) for head in heads]
    members = {text.words for chain in chains for text in chain}
    last = max(since.values(), default=0)
    rest = [Text(s, since.get(s, last)) for s in dict.fromkeys(today) if s not in members]
    gone = {sentence: when for sentence, when in gone.items() if sentence not in set(today)}
    return [chain for chain in chains if len(chain) > 1], rest, gone


def _chain(head: str, before: dict[str, str], since: dict[str, int]) -> list[Text]:
    chain = [Text(head, since[head])]
    while (older := before.get(chain[-1].words)) and len(chain) < 6:
        if older in {text.words for text in chain}:
            break
        chain.append(Text(older, since[older]))
    return chain[::-1]


def _doc_names(clone: Path) -> list[str]:
    names = git(clone, "ls-tree", "-r", "--name-only", "HEAD").decode(errors="replace")
    return [
        n for n in names.splitlines() if n.endswith((".rst", ".md")) and not _NOT_DOCS.search(n)
    ]


def _doc_changes(clone: Path) -> Iterator[tuple[int, str, str]]:
    """Each change of a file of the documentation, oldest first: when, its text before and after."""
    lines = git(
        clone, "log", "--no-merges", f"-{COMMITS}", "--format=@%ct", "--raw", "--no-abbrev",
        "--no-renames", "HEAD", "--", "*.rst", "*.md",
    ).decode(errors="replace").splitlines()  # fmt: skip
    when, changes = 0, list[tuple[int, str, str]]()
    for line in lines:
        if line.startswith("@"):
            when = int(line[1:])
        elif line.startswith(":"):
            head, _, path = line.partition("\t")
            _, _, old, new, _ = head.split()
            if not _NOT_DOCS.search(path):
                changes.append((when, old, new))
    blobs = _read_blobs(clone, {blob for _, old, new in changes for blob in (old, new)})
    for when, old, new in reversed(changes):
        yield when, blobs.get(old, ""), blobs.get(new, "")


def _read_blobs(clone: Path, blobs: set[str]) -> dict[str, str]:
    names = sorted(blob for blob in blobs if blob.strip("0"))
    data = git(clone, "cat-file", "--batch", feed="\n".join(names).encode())
    texts, at = dict[str, str](), 0
    for name in names:
        end = data.index(b"\n", at)
        fields = data[at:end].split()
        if len(fields) < 3:  # missing
            at = end + 1
            continue
        size = int(fields[2])
        texts[name] = data[end + 1 : end + 1 + size].decode(errors="replace")
        at = end + size + 2
    return texts


def _show(clone: Path, name: str) -> str:
    return git(clone, "show", name).decode(errors="replace")


def _sentences(text: str) -> dict[str, None]:
    """The sentences of prose in a file, without its markup."""
    found: dict[str, None] = {}
    for part in re.split(r"\n\s*\n", re.sub(r"(?s)```.*?```", "\n\n", text)):
        lines = part.splitlines()
        if not lines or any(line.startswith(("    ", "\t", "|", ".. ", ">>>")) for line in lines):
            continue
        prose = re.sub(r"^[-*+>\d.)\s]+", "", " ".join(part.split()))
        for sentence in _SENTENCE_END.split(prose):
            plain = re.sub(r"[`*]+|\[([^\]]*)\]\([^)]*\)", r"\1", sentence).strip()
            if _SHORTEST <= len(plain.split()) <= _LONGEST and plain[-1:] in ".!?":
                found[plain] = None
    return found


def _pair(went: list[str], came: list[str]) -> Iterator[tuple[str, str]]:
    """Which sentence took the place of which; nothing for mere typography."""
    if len(went) * len(came) > 400:
        return
    for old in went:
        ratios = [(_alike(old, new), new) for new in came]
        best, new = max(ratios, default=(0.0, ""))
        if best >= _UPDATED and _letters(old) != _letters(new):
            yield old, new


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower().split(), other.lower().split()).ratio()


def _letters(text: str) -> str:
    return "".join(re.findall(r"[a-z0-9]", text.lower()))


# --- commits and decision records -----------------------------------------------------------------


def _commits(clone: Path) -> list[Text]:
    """Subjects that were used once, oldest first."""
    lines = git(clone, "log", "--no-merges", "-12000", "--format=%ct %s", "HEAD")
    found: dict[str, int] = {}
    for line in reversed(lines.decode(errors="replace").splitlines()):
        when, _, subject = line.partition(" ")
        plain = re.sub(r"(?:\s*\(#\d+\))+$", "", subject)
        if 3 <= len(plain.split()) <= _LONGEST and plain not in found:
            found[plain] = int(when)
    return [Text(words, when, "commit") for words, when in found.items()]


def _records(clone: Path) -> list[list[Text]]:
    """Decision records, by their titles, that say which one superseded them."""
    names = git(clone, "ls-tree", "-r", "--name-only", "HEAD").decode(errors="replace")
    paths = [n for n in names.splitlines() if re.search(r"(?:adr|decisions?)/.*\d+.*\.md$", n)]
    numbers: dict[int, str] = {}
    for path in paths:
        if match := re.search(r"0*(\d+)", path.rpartition("/")[2]):
            numbers[int(match[1])] = path
    chains = []
    for path in paths:
        match = re.search(r"(?i)superseded by\D{0,40}?0*(\d+)", _show(clone, f"HEAD:{path}"))
        newer = numbers.get(int(match[1])) if match else None
        if newer and newer != path:
            chains.append([_record(clone, path), _record(clone, newer)])
    return chains


def _record(clone: Path, path: str) -> Text:
    when = git(clone, "log", "--diff-filter=A", "-1", "--format=%ct", "HEAD", "--", path)
    text = _show(clone, f"HEAD:{path}")
    title = re.sub(r"^[#\s\d.]+", "", next(filter(str.strip, text.splitlines())))
    body = re.sub(r"(?im)^.*supersede.*$", "", text.partition("\n")[2])
    return Text(f"{title}\n\n{body.strip()[:1500]}", int(when.strip() or 0), "decision")


def _spread(items: list, count: int) -> list:  # type: ignore[type-arg]
    step = max(1.0, len(items) / count)
    return [items[int(at * step)] for at in range(min(count, len(items)))]
