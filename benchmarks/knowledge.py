"""Knowledge among records: is what somebody said found before what hooks wrote down, and how fast?

    python -m benchmarks knowledge --histories DIR [--scratch DIR] [--quick]

DIR holds bare clones of real repositories. Each is captured whole (backfill), and a few hundred
paragraphs of its own documentation are remembered beside its commits: they speak of the same things
in the same words. Two kinds of questions are asked, made of some of the words of what is looked
for: a paragraph's, and a commit's subject. The mean reciprocal rank among the first ten is what
counts. Then CPU time of whole processes, beside the same paragraphs without a history. `--scratch`
keeps the stores, which take minutes to make. Nothing of them is part of this repository.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from benchmarks._bench import git, heading, milliseconds, ratio, row
from benchmarks.recall import _cpu
from treering import Treering
from treering.text.words import STOP_WORDS

PARAGRAPHS, QUESTIONS = 400, 200
GOAL, TIMES, BEYOND_IMPORTS = 0.9, 2.0, 2.0
TYPES = ("decision", "insight", "convention", "concept", "pattern")
_PROSE = re.compile(r"[A-Z][^\n]*(?:\n[^\n]+)*[.]")
_HOOK = """
import sys
from treering.cli.caller import open_workspace
from treering.hooks.agent import HookCall, tell
kind, prompt = sys.argv[1:]
tell(open_workspace("."), HookCall("claude", kind, kind, {"prompt": prompt}))
"""

#: A question, and the title of what answers it.
Asked = tuple[str, str]


def main(histories: Path | None = None, scratch: Path | None = None, quick: bool = False) -> None:
    if histories is None:
        print("Give --histories DIR, a folder of bare clones: nothing was measured.")
        return
    keep = nullcontext(str(scratch)) if scratch else tempfile.TemporaryDirectory()
    with keep as folder:
        for clone in sorted(path for path in histories.resolve().iterdir() if path.is_dir()):
            _measure(clone, Path(folder).resolve(), QUESTIONS // 4 if quick else QUESTIONS)


def _measure(clone: Path, folder: Path, count: int) -> None:
    paragraphs = _paragraphs(clone)
    store, small = folder / clone.name, folder / f"{clone.name}-small"
    for path, has_history in ((store, True), (small, False)):
        if not path.exists():
            _make_store(clone, path, paragraphs, has_history=has_history)
    treering = Treering.open(store)
    memories = treering.status()["memories"]["by_type"]
    records = sum(memories.get(kind, 0) for kind in ("commit", "session"))
    heading(f"{clone.name}: {records} records, {len(paragraphs)} said", "MRR", "first", "")
    said = _spread([(_question(text), _title(text)) for text in paragraphs], count)
    _report("questions for what was said", _ranks(treering, said), GOAL)
    _report("questions for commits", _ranks(treering, _commits(clone, count)), 0.0)
    _time(store, small, said[0][0])


def _make_store(clone: Path, path: Path, paragraphs: Sequence[str], *, has_history: bool) -> None:
    git(path.parent, "clone", "-q", "-s", "--no-checkout", str(clone), str(path))
    for key, value in (("user.name", "Ada Lovelace"), ("user.email", "ada@example.org")):
        git(path, "config", key, value)
    treering = Treering.open(path)
    if has_history:
        treering.backfill()
    _remember(treering, path, paragraphs)


def _remember(treering: Treering, path: Path, paragraphs: Sequence[str]) -> None:
    lines = path / "paragraphs.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for number, text in enumerate(paragraphs):
            memory = {"content": text, "title": _title(text), "type": TYPES[number % len(TYPES)]}
            file.write(json.dumps(memory) + "\n")
    treering.import_path(lines)
    lines.unlink()
    treering.recall("anything", records="only")


# --- what is remembered, and what is asked ------------------------------------------------------


def _paragraphs(clone: Path) -> list[str]:
    """Prose of the documentation, some of it from everywhere."""
    names = git(clone, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    docs = [n for n in names if n.endswith((".rst", ".txt", ".md")) and "/" in n]
    found: dict[str, str] = {}
    for name in _spread(docs, PARAGRAPHS):
        text = git(clone, "show", f"HEAD:{name}").decode(errors="replace")
        for part in re.split(r"\n\s*\n", text):
            paragraph = " ".join(part.split())
            if _PROSE.fullmatch(part.strip()) and 25 <= len(paragraph.split()) <= 90:
                found.setdefault(_title(paragraph), paragraph)
    return _spread(list(found.values()), PARAGRAPHS)


def _commits(clone: Path, count: int) -> list[Asked]:
    """Questions for commits whose subject nobody else used."""
    subjects = git(clone, "log", "--no-merges", "--format=%s", "HEAD").decode(errors="replace")
    lines = subjects.splitlines()
    once = [line for line in lines if lines.count(line) == 1] if len(lines) < 50_000 else lines
    asked = [(_words(subject), subject) for subject in _spread(once, 8 * count)]
    return _spread([pair for pair in asked if len(pair[0].split()) >= 3], count)


def _title(paragraph: str) -> str:
    return re.split(r"(?<=[.:;]) ", paragraph)[0][:120].rstrip()


def _question(paragraph: str) -> str:
    """As someone asks who remembers what it is about, not how it was put: its longest words."""
    words = list(dict.fromkeys(_words(paragraph).lower().split()))
    telling = sorted(words, key=len)[-5:]
    return " ".join(word for word in words if word in telling)


def _words(text: str) -> str:
    words = [w for w in re.findall(r"[\w.]*\w", text) if w.lower() not in STOP_WORDS and len(w) > 2]
    return " ".join(word for at, word in enumerate(words) if at % 3 != 2)


def _spread(items: list, count: int) -> list:  # type: ignore[type-arg]
    """At most so many, from the first to the last."""
    step = max(1.0, len(items) / count)
    return [items[int(at * step)] for at in range(min(count, len(items)))]


# --- what comes back ----------------------------------------------------------------------------


def _ranks(treering: Treering, asked: Sequence[Asked]) -> Iterator[int]:
    """At which place each was found, 0 where it was not among the first ten."""
    for question, title in asked:
        titles = [result.title for result in treering.recall(question, limit=10).results]
        places = (at for at, one in enumerate(titles, 1) if _same(one, title))
        yield next(places, 0)


def _same(one: str, other: str) -> bool:
    return " ".join(one.split())[:60] == " ".join(other.split())[:60]


def _report(what: str, ranks: Iterator[int], goal: float) -> None:
    places = list(ranks)
    mean = sum(1 / place for place in places if place) / len(places)
    first = sum(place == 1 for place in places)
    verdict = ("ok" if mean >= goal else "MISSED") if goal else ""
    row(what, f"{mean:.3f}", f"{first} of {len(places)}", verdict)


def _time(store: Path, small: Path, question: str) -> None:
    program = str(Path(sys.executable).with_name("treering"))
    imports = [sys.executable, "-W", "ignore", "-c", "import pygit2, whoosh"]
    ways: dict[str, list[str]] = {
        "SessionStart": [sys.executable, "-c", _HOOK, "start", ""],
        "UserPromptSubmit": [sys.executable, "-c", _HOOK, "prompt", question],
        "cold recall --records none": [program, "recall", "--records", "none", question],
        "cold recall": [program, "recall", question],
    }
    heading("whole processes, CPU", "no history", "history", "goal 2x")
    for name, words in ways.items():
        few, many = _median(words, small), _median(words, store)
        row(name, milliseconds(few), milliseconds(many), ratio(many, few, TIMES))
    alone = _median(imports, store)
    recall = _median(ways["cold recall --records none"], store)
    heading("", "imports alone", "recall", "goal 2x")
    row("cold recall --records none", milliseconds(alone), milliseconds(recall),
        ratio(recall, alone, BEYOND_IMPORTS))  # fmt: skip


def _median(words: list[str], place: Path) -> float:
    return median(_cpu(words, place) for _ in range(5))
