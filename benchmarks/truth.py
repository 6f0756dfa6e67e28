"""Truth over time: does recall serve outdated knowledge as current?

    python -m benchmarks truth --histories DIR [--half tuning|reporting] [--scratch DIR] [--quick]

DIR holds bare clones of real repositories. From each come facts that were updated (`_updates.py`),
remembered with their dates among up to a thousand others. Questions are made of the rarest words
that all versions of a fact share. Of every other repository by name (`--half`) rules were tuned,
and the rest is for figures. `--scratch` keeps the stores.

    newest first       the newest version stands before every older one
    unmarked in five   an older version is among the first five without `outdated_by` or `newer`
    marks right        of all sentences of the store that are marked, those whose mark names a newer
                       version of the same fact, or a sentence that came when this one had gone
    siblings marked    numbered facts ("Rule number 3: ...") that bear a mark by words
    commits marked     commits of the newest history, captured by backfill, that bear one
    ordinary           the rank of a fact nobody changed, asked for by its rarest words, with and
                       without newer before older
"""

import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks._bench import git, heading, row
from benchmarks._updates import Text, Updates, read_updates
from treering import Treering
from treering.actions.marks import Marks, find_marks
from treering.actions.workspace import Workspace
from treering.model.dates import instant
from treering.search import lookup
from treering.store.view import View
from treering.text.words import STOP_WORDS

QUESTION_WORDS = 5
ORDINARY = 200
GOALS = {
    "newest first": 0.90, "unmarked in five": 0.20, "marks right": 0.97, "siblings marked": 0.0,
    "commits marked": 0.0, "ordinary": 0.005,
}  # fmt: skip
Counts = dict[str, Counter[str]]


class Fact(NamedTuple):
    """One version of a chain in a store."""

    chain: int
    place: int
    kind: str


def main(
    histories: Path | None = None,
    scratch: Path | None = None,
    half: str = "",
    quick: bool = False,
) -> None:
    if histories is None:
        print("Give --histories DIR, a folder of bare clones: nothing was measured.")
        return
    clones = sorted(path for path in histories.resolve().iterdir() if path.is_dir())
    chosen = {"tuning": clones[::2], "reporting": clones[1::2]}.get(half, clones)
    total: Counts = defaultdict(Counter)
    keep = nullcontext(str(scratch)) if scratch else tempfile.TemporaryDirectory()
    with keep as folder:
        for clone in chosen[: 2 if quick else None]:
            counts = _measure(clone, Path(folder).resolve())
            _report(clone.name, counts)
            for name, numbers in counts.items():
                total[name].update(numbers)
    _report("all of them", total, GOALS)


def _measure(clone: Path, folder: Path) -> Counts:
    updates = read_updates(clone)
    store = folder / clone.name
    if not store.exists():
        _make_store(store, updates)
    treering = Treering.open(store)
    rarity = Counter(word for text in _texts(updates) for word in set(_words(text.words)))
    counts: Counts = defaultdict(Counter)
    facts = _facts(treering, updates)
    for number, chain in enumerate(updates.chains):
        if question := _question(chain, rarity):
            _ask(treering, question, number, chain, facts, counts)
    _count_marks(store, facts, updates.gone, counts)
    _ask_ordinary(treering, updates.others, rarity, counts)
    _count_marked_commits(clone, folder / f"{clone.name}-history", counts)
    return counts


def _texts(updates: Updates) -> Iterator[Text]:
    yield from (text for chain in updates.chains for text in chain)
    yield from updates.others
    yield from updates.siblings


def _make_store(path: Path, updates: Updates) -> None:
    git(path.parent, "init", "-q", "-b", "main", str(path))
    for key, value in (("user.name", "Ada Lovelace"), ("user.email", "ada@example.org")):
        git(path, "config", key, value)
    git(path, "commit", "-q", "--allow-empty", "-m", "first")
    lines = path / "facts.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for text in sorted(_texts(updates), key=lambda text: text.when):
            date = datetime.fromtimestamp(text.when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            kind = "insight" if text.kind == "docs" else text.kind
            line = {"content": text.words, "type": kind, "created": date, "modified": date}
            file.write(json.dumps(line) + "\n")
    Treering.open(path).import_path(lines)
    lines.unlink()


def _facts(treering: Treering, updates: Updates) -> dict[str, Fact]:
    """Versions by the id they have in the store."""
    ids = {memory["content"].strip(): str(memory["id"]) for memory in treering.exported()}
    return {
        ids[text.words.strip()]: Fact(number, place, text.kind)
        for number, chain in enumerate(updates.chains)
        for place, text in enumerate(chain)
        if text.words.strip() in ids
    }


# --- questions ------------------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    words = (word.lower() for word in re.findall(r"[^\W\d_]{3,}", text))
    return [word for word in words if word not in STOP_WORDS]


def _question(chain: Sequence[Text], rarity: Counter[str]) -> str:
    """The rarest words that all versions share, as many as a person types; "" where they share
    too few to be meant."""
    common = set.intersection(*(set(_words(text.words)) for text in chain))
    telling = sorted(common, key=lambda word: (rarity[word], word))[:QUESTION_WORDS]
    return " ".join(w for w in dict.fromkeys(_words(chain[-1].words)) if w in telling) * (
        len(telling) >= 2
    )


def _ask(
    treering: Treering,
    question: str,
    number: int,
    chain: Sequence[Text],
    facts: dict[str, Fact],
    counts: Counts,
) -> None:
    kind = chain[-1].kind
    hits = treering.recall(question, limit=10).results
    places = [
        facts[hit.id].place if hit.id in facts and facts[hit.id].chain == number else None
        for hit in hits
    ]
    stale = any(
        place is not None and place < len(chain) - 1 and not (hit.outdated_by or hit.newer)
        for place, hit in zip(places[:5], hits[:5], strict=True)
    )
    versions = [place for place in places if place is not None]
    is_first = bool(versions) and versions[0] == len(chain) - 1
    with _plain_order():
        plain = treering.recall(question, limit=10).results
        before = [
            facts[hit.id].place
            for hit in plain
            if hit.id in facts and facts[hit.id].chain == number
        ]
    for name in ("asked", f"asked {kind}"):
        counts[name].update(
            all=1,
            newest=is_first,
            stale=stale,
            before=bool(before) and before[0] == len(chain) - 1,
            missed=not versions,
        )


def _count_marks(store: Path, facts: dict[str, Fact], gone: dict[str, int], counts: Counts) -> None:
    workspace = Workspace.open(store)
    view = workspace.view()
    marks = {mid: m.outdated_by or m.newer for mid, m in _find_all(workspace, view).items()}
    numbered = [mid for mid in view.visible if _is_numbered(view.find(mid).memory().content)]
    counts["siblings marked"].update(all=len(numbered), right=sum(mid in marks for mid in numbered))
    for memory_id, mark in marks.items():
        if mark is None or memory_id in numbered:
            continue
        old, new = facts.get(memory_id), facts.get(mark.id)
        older, newer = (view.find(one).memory() for one in (memory_id, mark.id))
        is_right = bool(old and new and old.chain == new.chain and old.place < new.place)
        went = gone.get(older.content)
        is_right |= went is not None and went <= instant(newer.created)
        name = "marks" if older.type == "insight" else "marks of others"
        counts[name].update(all=1, right=is_right)
        counts[f"{name}, {mark.how}"].update(all=1, right=is_right)


def _find_all(workspace: Workspace, view: View) -> dict[str, Marks]:
    return find_marks(workspace, view, view.visible, None)


def _is_numbered(words: str) -> bool:
    return words.startswith("Rule number ")


def _count_marked_commits(clone: Path, copy: Path, counts: Counts) -> None:
    """A history as backfill captures it: commits tell what was done, and none replaces another."""
    if not copy.exists():
        git(copy.parent, "clone", "-q", "--no-checkout", str(clone), str(copy))
        for key, value in (("user.name", "Ada Lovelace"), ("user.email", "ada@example.org")):
            git(copy, "config", key, value)
        Treering.open(copy).backfill()
    workspace = Workspace.open(copy)
    view = workspace.view()
    marks = find_marks(workspace, view, view.visible, workspace.position().head)
    by_words = sum(bool(mark.newer or mark.outdated_by) for mark in marks.values())
    counts["commits marked"].update(all=len(view.visible), right=by_words)
    taken_back = sum(bool(mark.reverted) for mark in marks.values())
    counts["commits reverted"].update(all=len(view.visible), right=taken_back)


def _ask_ordinary(
    treering: Treering, others: Sequence[Text], rarity: Counter[str], counts: Counts
) -> None:
    step = max(1, len(others) // ORDINARY)
    for text in others[::step]:
        words = sorted(set(_words(text.words)), key=lambda word: (rarity[word], word))
        question = " ".join(words[:QUESTION_WORDS])
        ranks = _rank(treering, question, text)
        with _plain_order():
            before = _rank(treering, question, text)
        counts["ordinary"].update({"all": 1, "now": 1000 * ranks, "before": 1000 * before})  # type: ignore[dict-item]


def _rank(treering: Treering, question: str, text: Text) -> float:
    hits = treering.recall(question, limit=10).results
    titles = [(hit.snippet or hit.title)[:100] for hit in hits]
    wanted = " ".join(text.words.split())[:100]
    return next((1 / at for at, title in enumerate(titles, 1) if title == wanted), 0.0)


@contextmanager
def _plain_order() -> Iterator[None]:
    """Recall as it would be if nothing were newer than anything."""
    kept = lookup.put_newer_first, lookup._lead_with_newest
    lookup.put_newer_first = lambda order, *_: list(order)  # type: ignore[assignment]
    lookup._lead_with_newest = lambda order, *_: order  # type: ignore[assignment]
    try:
        yield
    finally:
        lookup.put_newer_first, lookup._lead_with_newest = kept


def _report(name: str, counts: Counts, goals: dict[str, float] | None = None) -> None:
    goals = goals or {}
    heading(name, "count", "share", "before", "goal")
    for key in sorted(k for k in counts if k.startswith("asked")):
        numbers = counts[key]
        rest = key.removeprefix("asked").strip()
        what = f"newest first {rest}".strip()
        _line(what, numbers["all"], numbers["newest"], numbers["before"], goals.get(what))
        what = f"unmarked in five {rest}".strip()
        _line(what, numbers["all"], numbers["stale"], None, goals.get(what), is_most=True)
    for key in sorted(k for k in counts if k.startswith("marks")):
        numbers = counts[key]
        what = "marks right" if key == "marks" else key
        _line(what, numbers["all"], numbers["right"], None, goals.get(what))
    for key in ("siblings marked", "commits marked", "commits reverted"):
        numbers = counts[key]
        _line(key, numbers["all"], numbers["right"], None, goals.get(key), is_most=True)
    ordinary = counts["ordinary"]
    now, before = (ordinary[k] / 1000 / max(1, ordinary["all"]) for k in ("now", "before"))
    verdict = "" if not goals else "ok" if before - now <= goals["ordinary"] else "MISSED"
    row("ordinary, MRR", str(ordinary["all"]), f"{now:.4f}", f"{before:.4f}", verdict)


def _line(
    what: str, count: int, part: int, before: int | None, goal: float | None, is_most: bool = False
) -> None:
    share = part / count if count else 0.0
    verdict = ""
    if goal is not None:
        verdict = "ok" if (share <= goal if is_most else share >= goal) else "MISSED"
    was = "" if before is None or not count else f"{before / count:.1%}"
    row(what, str(count), f"{share:.1%}", was, verdict)


if __name__ == "__main__":
    main()
