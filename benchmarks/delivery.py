"""Delivery: is the deciding memory handed to the agent before the edit is written?

    python -m benchmarks delivery --histories DIR [--half tuning|reporting] [--part NAME]
                                  [--scratch DIR] [--quick]

DIR holds bare clones: sde-bench (vectorize-io), boltons (mahmoud), and any others for `replay`.
`--scratch` keeps boltons as captured (`base`): remove it after a change in what is captured.

    tasks    sde-bench: bug reports whose right fix hinges on an earlier decision. Each repository
             is made by the task's own script from boltons with its whole history, captured by
             `treering backfill`, beside 140 conversations that decide nothing. The decision is a
             commit that a later one silently undid, or a conversation imported as a Claude Code
             transcript (40 days old; an amendment follows 20 days later). Dates in the build are
             60 days back, so that nothing is found for being new.
             The decision's words are the content words of the commit's body, or of the task's
             `policy` for a conversation, which the agent never sees. "Stored" is the share of them
             in the memory itself: no hand-over can do better.
    silence  prompts that have nothing to do with the store, and reads of lines that no commit with
             a reason wrote: the share that hooks answer with nothing
    replay   other histories: a commit changes lines that an earlier fix wrote with a reason. Before
             that edit, with the history captured up to there, is the reason handed over? And how
             often do reads of random files speak? `--half` is every other history by name.
    cpu      user and system time of hook processes at 10,000 memories

Half of the tasks is left to others to score and never opened (`_sde_bench.half_of`). A session
is played through `treering hook agent claude EVENT` processes: SessionStart, the bug
report as prompt, a Read of the module, an Edit of the lines that the reference solution
changes most. Handed over means that one event says at least 60 % of the decision's words, or the
memory's id and title, within its first 400 tokens.
"""

import ctypes
import difflib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from uuid import uuid4

from benchmarks._bench import ENVIRONMENT, git, heading, milliseconds, repository, row
from benchmarks._sde_bench import (
    TREERING,
    Task,
    build,
    capture,
    find_clone,
    find_deciding_commit,
    import_chats,
    make_base,
    read_reference,
    read_tasks,
    run,
)
from benchmarks._tokens import UNIT, count
from benchmarks.agent_hook import fill
from benchmarks.search import Corpus
from treering import Treering
from treering.text.words import STOP_WORDS

#: Lets processes whose parent has gone become our children (Linux), so that we can wait for them.
_SUBREAPER = 36
ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)

PARTS = ("tasks", "silence", "replay", "cpu")
MOST_TOKENS = 400
HANDED = 0.6  # of the decision's words
GOALS = {"history": 0.95, "conversation": 0.80}  # words in `context`
HOOKS_GOAL = 0.9
SILENCE_GOAL = 0.95
CPU_GOAL = 0.1
ROUNDS = 15
WINDOW = 40  # lines of a read
FEWEST_WORDS = 12  # of a message body that gives a reason
MOST_CHANGED = 10  # files of a change that is replayed
SOURCES = (".py", ".go", ".js", ".ts", ".rs", ".c", ".java")
NEAR = 8  # lines between two changes that one edit makes


def main(
    histories: Path | None = None,
    scratch: Path | None = None,
    half: str = "",
    part: str = "",
    quick: bool = False,
) -> None:
    if part and part not in PARTS:
        print(f"No part {part}: {', '.join(PARTS)}.")
        return
    if histories is None:
        print("Give --histories DIR, a folder of bare clones: nothing was measured.")
        return
    clones = {path.name: _bare(path) for path in sorted(histories.resolve().iterdir())}
    keep = nullcontext(str(scratch)) if scratch else tempfile.TemporaryDirectory()
    with keep as folder:
        place = Path(folder).resolve()
        place.mkdir(parents=True, exist_ok=True)
        if part in ("", "tasks"):
            _measure_tasks(clones, place, half, quick)
        if part in ("", "silence"):
            _measure_silence(clones, place, half, quick)
        if part in ("", "replay"):
            _measure_replay(clones, place, half, quick)
    if part in ("", "cpu"):
        _measure_cpu(quick)


def _bare(path: Path) -> Path:
    return path / "repo" if (path / "repo").is_dir() else path


# --- what is handed over --------------------------------------------------------------------------


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower())) - STOP_WORDS


def _share(text: str, decision: str) -> float:
    wanted = _words(decision)
    return len(wanted & _words(text)) / max(len(wanted), 1)


def _cut(text: str) -> str:
    """The lines of a text that are within the tokens a hook may use."""
    lines = text.splitlines()
    while count("\n".join(lines)) > MOST_TOKENS:
        lines.pop()
    return "\n".join(lines)


def _is_handed(text: str, decision: str, memory_id: str, title: str) -> str:
    """How a memory is handed over: "passage", "named", or "" where it is not."""
    begin = _cut(text)
    if _share(begin, decision) >= HANDED:
        return "passage"
    return "named" if memory_id in begin and title.rstrip("…")[:60] in begin else ""


def _wait_for_all() -> float:
    """Wait for all processes that a hook started, and return their CPU: the work is done by a child
    that the hook itself does not wait for."""
    taken = 0.0
    with suppress(ChildProcessError):
        while True:
            _, _, usage = os.wait4(-1, 0)
            taken += usage.ru_utime + usage.ru_stime
    return taken


class Agent:
    """One session of Claude Code, as far as its hooks see it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session = str(uuid4())
        self.cpu = 0.0  # of the last call

    def call(self, event: str, **fields: object) -> str:
        """Text that the hook adds to the context; "" where it is silent."""
        told = {
            "session_id": self.session,
            "transcript_path": str(self.path / ".git" / "none.jsonl"),
            "cwd": str(self.path),
            "permission_mode": "default",
            "hook_event_name": event,
        }
        command = [TREERING, "hook", "agent", "claude", event]
        with tempfile.TemporaryFile() as feed:
            feed.write(json.dumps(told | fields).encode())
            feed.seek(0)
            with subprocess.Popen(
                command, cwd=self.path, env=ENVIRONMENT, stdin=feed, stdout=subprocess.PIPE
            ) as hook:
                assert hook.stdout is not None
                answer = hook.stdout.read()
                self.cpu = _wait_for_all()
                hook.returncode = 0
        added = json.loads(answer)["hookSpecificOutput"] if answer.strip() else {}
        return str(added.get("additionalContext", ""))

    def start(self) -> str:
        return self.call("SessionStart", source="startup", model="claude")

    def prompt(self, words: str) -> str:
        return self.call("UserPromptSubmit", prompt=words)

    def read(self, name: str, first: int = 1, most: int = 2000) -> str:
        path = str(self.path / name)
        lines = (self.path / name).read_text(encoding="utf-8").splitlines()
        shown = lines[first - 1 : first - 1 + most]
        given: dict[str, object] = {"file_path": path}
        if len(shown) < len(lines):
            given |= {"offset": first, "limit": most}
        file = {
            "filePath": path,
            "content": "\n".join(shown),
            "numLines": len(shown),
            "startLine": first,
            "totalLines": len(lines),
        }
        response = {"type": "text", "file": file}
        return self.call("PostToolUse", tool_name="Read", tool_input=given, tool_response=response)

    def edit(self, name: str, old: str, new: str) -> str:
        given = {"file_path": str(self.path / name), "old_string": old, "new_string": new}
        return self.call("PreToolUse", tool_name="Edit", tool_input=given)


def _largest_change(old: str, new: str) -> tuple[str, str]:
    """The longest run of lines that differ, as an agent would edit them: runs that are close to
    each other are one, an addition takes the line below along, and lines above make it unique."""
    before, after = old.splitlines(), new.splitlines()
    runs: list[tuple[int, int, int, int]] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if runs and a - runs[-1][1] <= NEAR:
            a, _, c, _ = runs.pop()
        runs.append((a, b, c, d))
    a, b, c, d = max(runs, key=lambda run: run[1] - run[0] + run[3] - run[2])
    if a == b:
        b, d = b + 1, d + 1
    while a and old.count("\n".join(before[a:b])) > 1:
        a, c = a - 1, c - 1
    return "\n".join(before[a:b]), "\n".join(after[c:d])


# --- part: tasks ----------------------------------------------------------------------------------


def _measure_tasks(clones: Mapping[str, Path], place: Path, half: str, quick: bool) -> None:
    data = find_clone(clones, "sde-bench")
    base = make_base(clones, place)
    results: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for task in read_tasks(data, half)[:: 4 if quick else 1]:
        results[task.half, task.kind].append(_measure(task, data, base, place))
    for (part, kind), measured in sorted(results.items(), reverse=True):
        _report(part, kind, measured)


def _measure(task: Task, data: Path, base: Path, place: Path) -> dict[str, Any]:
    path = build(task, data, base, place)
    treering = Treering.open(path)
    commit = find_deciding_commit(path)
    decision = git(path, "log", "-1", "--format=%b", commit).decode() if commit else task.policy
    memories = [
        memory
        for memory in treering.exported(private=True)
        if (memory.get("commit") == commit if commit else "chat-" in memory.get("session", ""))
    ]
    memories.sort(key=lambda memory: memory["created"])
    stored = "\n".join(memory["content"] for memory in memories)
    newest = memories[-1]
    with_files = treering.context(task=task.prompt, files=[task.module])["text"]
    result: dict[str, Any] = {
        "name": task.name,
        "stored": _share(stored, decision),
        "files": _share(with_files, decision),
        "alone": _share(treering.context(task=task.prompt)["text"], decision),
    }
    if len(task.chats) > 1:
        places = [with_files.find(memory["id"]) for memory in memories]
        result["first"] = places[1] >= 0 and not 0 <= places[0] < places[1]
        result["under"] = 0 <= places[1] < places[0]
    agent, old = Agent(path), (path / task.module).read_text()
    change = _largest_change(old, read_reference(task, path, place / "sde-bench"))
    texts = {
        "SessionStart": agent.start(),
        "prompt": agent.prompt(task.prompt),
        "Read": agent.read(task.module),
        "Edit": agent.edit(task.module, *change),
    }
    result["tokens"] = [count(text) for text in texts.values()]
    result["by"], result["how"] = "", ""
    for event, text in texts.items():
        if how := _is_handed(text, decision, newest["id"], newest["title"]):
            result["by"], result["how"] = event, how
            break
    return result


def _report(half: str, kind: str, measured: Sequence[Mapping[str, Any]]) -> None:
    name = "commits" if kind == "history" else "conversations"
    heading(f"{name}, {half} half: {len(measured)} tasks", "share", "goal")
    for key, what in (
        ("stored", "words of the decision in the memory"),
        ("files", "words in context, with the file"),
        ("alone", "words in context, prompt alone"),
    ):
        share = sum(result[key] for result in measured) / len(measured)
        _tell(what, share, None if key == "stored" else GOALS[kind])
    by = Counter(result["by"] for result in measured if result["by"])
    named = sum(result["how"] == "named" for result in measured)
    _tell("handed over by hooks before the edit", by.total() / len(measured), HOOKS_GOAL)
    events = ", ".join(
        f"{event} {by[event]}" for event in ("SessionStart", "prompt", "Read", "Edit")
    )
    print(f"    {events}; {named} by id and title alone")
    tokens = [result["tokens"] for result in measured]
    most = max(map(max, tokens))
    print(
        f"    {UNIT} in a session, median {median(map(sum, tokens)):.0f}; most of an event {most}"
    )
    if missed := [result["name"] for result in measured if not result["by"]]:
        print(f"    missed: {', '.join(missed)}")
    if amended := [result for result in measured if "first" in result]:
        _tell("amendment first in context", sum(r["first"] for r in amended) / len(amended), 1.0)
        _tell("  the earlier one under it", sum(r["under"] for r in amended) / len(amended), 1.0)


def _tell(what: str, share: float, goal: float | None) -> None:
    verdict = "" if goal is None else f"{goal:.0%} {'ok' if share >= goal else 'MISSED'}"
    row(f"  {what}", f"{share:.1%}", verdict)


# --- part: silence --------------------------------------------------------------------------------


def _measure_silence(clones: Mapping[str, Path], place: Path, half: str, quick: bool) -> None:
    """All decisions of conversations are in the store, beside boltons and the other ones."""
    path, base = place / "silence", make_base(clones, place)
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(base, path, symlinks=True)
    tasks = [t for t in read_tasks(find_clone(clones, "sde-bench"), half) if len(t.chats) == 1]
    import_chats(path, {task.name: task.chats[0] for task in tasks}, [40] * len(tasks))
    prompts = Path(__file__).with_name("data") / "unrelated_prompts.txt"
    unrelated = prompts.read_text(encoding="utf-8").splitlines()[:: 5 if quick else 1]
    windows = _list_unbound(path, 20 if quick else 100)
    heading("silence", "silent", "goal")
    spoken = {prompt: text for prompt in unrelated if (text := Agent(path).prompt(prompt))}
    _tell(f"{len(unrelated)} unrelated prompts", 1 - len(spoken) / len(unrelated), SILENCE_GOAL)
    for prompt, text in spoken.items():
        print(f"    {count(text)} {UNIT}: {prompt}")
    loud = [f"{n}:{at}" for n, at in windows if Agent(path).read(n, at, WINDOW)]
    _tell(f"{len(windows)} reads that nothing binds", 1 - len(loud) / len(windows), SILENCE_GOAL)
    if loud:
        print(f"    {', '.join(loud[:10])}")


def _list_unbound(path: Path, most: int) -> list[tuple[str, int]]:
    """Windows of lines, all of them written by commits whose message gives no reason."""
    names = git(path, "ls-files", "*.py", "*.md").decode().split()
    found: list[tuple[str, int]] = []
    for name in random.Random(1).sample(names, len(names)):
        if len(found) >= most:
            break
        writers = _blame(path, "HEAD", name)
        starts = range(0, len(writers) - WINDOW, 2 * WINDOW)
        quiet = [
            (name, at + 1)
            for at in starts
            if not any(_read_reason(path, commit) for commit in set(writers[at : at + WINDOW]))
        ]
        found += quiet[:5]
    return found[:most]


def _blame(path: Path, commit: str, name: str, *lines: str) -> list[str]:
    """Return the commit that wrote each line."""
    text = git(path, "blame", "-l", "-s", "-w", *lines, commit, "--", name)
    return [line.split(" ", 1)[0] for line in text.decode(errors="replace").splitlines()]


@cache
def _read_reason(path: Path, commit: str) -> str:
    """The body of a commit's message without trailers; "" where it is too short for a reason."""
    body = git(path, "log", "-1", "--format=%b", commit.lstrip("^")).decode(errors="replace")
    lines = [line for line in body.splitlines() if not re.match(r"[A-Z][\w-]+: |\* ", line)]
    reason = "\n".join(lines).strip()
    return reason if len(_words(reason)) >= FEWEST_WORDS else ""


# --- part: replay ---------------------------------------------------------------------------------


class Change(NamedTuple):
    """Lines of a fix with a reason, which a later commit changes."""

    parent: str
    fix: str
    name: str
    old: str
    new: str


def _measure_replay(clones: Mapping[str, Path], place: Path, half: str, quick: bool) -> None:
    others = [n for n in sorted(clones) if not n.endswith(("sde-bench", "boltons"))]
    chosen = {"tuning": others[::2], "reporting": others[1::2]}.get(half, others)
    for name in chosen[: 1 if quick else None]:
        try:
            changes = _find_changes(clones[name], 5 if quick else 25)
            if changes:
                _replay(name, clones[name], changes, place)
        except subprocess.CalledProcessError as error:  # a clone that is not complete
            print(f"  {name} is left out: {error.stderr.decode(errors='replace').strip()[:200]}")


def _find_changes(clone: Path, most: int) -> list[Change]:
    """The newest, oldest first: each parent is an ancestor of the next."""
    commits = git(clone, "rev-list", "--first-parent", "--max-count=1500", "HEAD").decode().split()
    changes: list[Change] = []
    for commit, parent in pairwise(commits):
        if len(changes) == most:
            break
        patch = git(clone, "diff", "-U0", "--no-renames", "--diff-filter=M", parent, commit)
        change = _find_change(clone, parent, patch.decode(errors="replace"))
        changes += [change] if change else []
    return changes[::-1]


def _find_change(clone: Path, parent: str, patch: str) -> Change | None:
    files = re.split(r"(?m)^diff --git .*\n", patch)[1:]
    for file in files[:MOST_CHANGED]:  # what is changed everywhere is hardly about a reason
        if len(files) > MOST_CHANGED or not (match := re.search(r"(?m)^\+\+\+ b/(.+)", file)):
            continue
        if "test" in match[1] or not match[1].endswith(SOURCES):
            continue
        for hunk in re.split(r"(?m)^(?=@@ )", file)[1:7]:
            header = re.match(r"@@ -(\d+)(?:,(\d+))? ", hunk)
            length = int(header[2] or 1) if header else 0
            if not header or not 1 <= length <= 15:
                continue
            writers = _blame(clone, parent, match[1], f"-L{header[1]},+{length}")
            fix, lines = Counter(writers).most_common(1)[0]
            subject = git(clone, "log", "-1", "--format=%s", fix.lstrip("^")).decode()
            is_fix = re.search(r"(?i)\b(fix|bug|prevent|avoid|correct|handle)", subject)
            if 2 * lines > length and is_fix and _read_reason(clone, fix):
                old, new = (
                    "\n".join(re.findall(rf"(?m)^{sign}(.*)$", hunk)) for sign in ("-", r"\+")
                )
                return Change(parent, fix.lstrip("^"), match[1], old, new)
    return None


def _replay(name: str, clone: Path, changes: Sequence[Change], place: Path) -> None:
    path = place / f"replay-{name}"
    shutil.rmtree(path, ignore_errors=True)
    chance, told, reads = random.Random(2), list[str](), list[int]()
    for change in changes:
        capture(path, clone, change.parent)
        told.append(Agent(path).edit(change.name, change.old, change.new))
        files = [n for n in git(path, "ls-files").decode().splitlines() if n.endswith(SOURCES)]
        reads += [count(Agent(path).read(n)) for n in chance.sample(files, min(2, len(files)))]
    ids = {m.get("commit"): (m["id"], m["title"]) for m in Treering.open(path).exported()}
    how = Counter(
        _is_handed(text, _read_reason(clone, change.fix)[:400], *ids[change.fix])
        for change, text in zip(changes, told, strict=True)
        if change.fix in ids
    )
    heading(f"edits replayed, {name}: {how.total()}", "share", "goal")
    _tell("earlier reason handed over", 1 - how[""] / max(how.total(), 1), HOOKS_GOAL)
    print(f"    {how['named']} by id and title alone, {sum(not t for t in told)} silent")
    print(f"    {UNIT} of an edit, most {max(map(count, told))}")
    spoken = [tokens for tokens in reads if tokens]
    row("  random files read: spoke", f"{len(spoken)} of {len(reads)}")
    print(f"    {UNIT} where it spoke, median {median(spoken or [0]):.0f}, most {max(reads)}")


# --- part: cpu ------------------------------------------------------------------------------------


def _measure_cpu(quick: bool) -> None:
    """A store of made-up memories, and a file that twenty commits wrote, each with its reason."""
    corpus = Corpus(1_000 if quick else 10_000)
    with repository() as path:
        code = path / "code.py"
        lines: list[str] = []
        for number in range(20):
            lines += [f"value_{number}_{at} = {at}" for at in range(10)]
            code.write_text("\n".join(lines) + "\n")
            git(path, "add", "code.py")
            reason = f"Without value_{number}_3 the importer gave up half-way, see report {number}."
            git(path, "commit", "-q", "-m", f"Fix values {number}\n\n{reason}")
        fill(path, corpus)
        run([TREERING, "backfill"], path)
        question = corpus.questions(1, 4, 6)[0]
        edited = "\n".join(lines[42:46])
        ways: dict[str, Callable[[Agent], str]] = {
            "SessionStart": lambda agent: agent.start(),
            "UserPromptSubmit": lambda agent: agent.prompt(question),
            "PostToolUse Read": lambda agent: agent.read("code.py"),
            "PreToolUse Edit": lambda agent: agent.edit("code.py", edited, "pass"),
        }
        heading(f"CPU of a hook, {len(corpus.memories)} memories", "median", "goal 100 ms", "spoke")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(ROUNDS):
            run([sys.executable, "-c", ""], path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        idle = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        row("  python that does nothing (mean)", milliseconds(idle / ROUNDS))
        for name, way in ways.items():
            taken, spoke = [], 0
            for _ in range(ROUNDS):
                agent = Agent(path)
                spoke += bool(way(agent))
                taken.append(agent.cpu)
            verdict = "ok" if median(taken) <= CPU_GOAL else "MISSED"
            row(f"  {name}", milliseconds(median(taken)), verdict, f"{spoke} of {len(taken)}")


if __name__ == "__main__":
    main()
