"""Delivery: is the deciding memory handed to the agent before the edit is written?

    python -m benchmarks delivery --histories DIR [--half tuning|reporting] [--part NAME]
                                  [--scratch DIR] [--quick]

DIR holds bare clones: sde-bench (vectorize-io), boltons (mahmoud), and any others for `replay`.
`--scratch` keeps the prepared repositories; empty it after a change in what is captured.

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
    replay   other histories: a commit changes lines that an earlier commit wrote with a reason.
             Before that edit, with the history captured up to there, is the reason handed over?
    cpu      user and system time of hook processes at 10,000 memories

A session is played through `treering hook agent claude EVENT` processes: SessionStart, the bug
report as prompt, a Read of the module, an Edit of the largest part that the reference solution
changes. Handed over means that one event says at least 60 % of the decision's words, or the
memory's id and title, within its first 400 tokens.
"""

import difflib
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from uuid import uuid4

from benchmarks._bench import ENVIRONMENT, git, heading, row
from benchmarks._tokens import UNIT, count
from treering import Treering
from treering.text.words import STOP_WORDS

PARTS = ("tasks", "silence", "replay", "cpu")
BOLTONS = "979fa9b613fa8c0a455ae16ea6f2ec91c11ecafe"
MOST_TOKENS = 400
HANDED = 0.6  # of the decision's words
GOALS = {"history": 0.95, "conversation": 0.80}  # words in `context`
HOOKS_GOAL = 0.9
TREERING = str(Path(sys.executable).with_name("treering"))


class Task(NamedTuple):
    """A bug report, and the earlier decision that its right fix needs."""

    name: str
    half: str
    source: str
    tier: str
    prompt: str
    module: str
    decision: str
    subject: str
    chats: list[list[dict[str, str]]]

    @property
    def kind(self) -> str:
        return "history" if self.source == "history" else "conversation"


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


def _bare(path: Path) -> Path:
    return path / "repo" if (path / "repo").is_dir() else path


def _find_clone(clones: Mapping[str, Path], name: str) -> Path:
    return next(path for key, path in clones.items() if key.endswith(name))


# --- sde-bench ------------------------------------------------------------------------------------


def _half_of(folder: str) -> str:
    """The half that a task is in, by the decision it needs; "" for those that are not ours.

    Half of all decisions are kept for somebody else to score: rules are never tuned on them, nor
    are they looked at. A decision has up to three tasks, which stay together.
    """
    decision = re.sub(r"(-history|-amended)?(-\d+)?$", "", folder)
    digest = hashlib.sha256(decision.encode()).digest()
    return "" if digest[0] % 2 else ("reporting" if digest[1] % 2 else "tuning")


def _read_tasks(data: Path, half: str) -> list[Task]:
    names = git(data, "ls-tree", "--name-only", "HEAD").decode().split()
    tasks = []
    for name in (name for name in names if name.startswith("boltons-") and _half_of(name)):
        fields = json.loads(git(data, "show", f"HEAD:{name}/tasks/main/task.json"))
        chats = fields.get("conversations", [])
        tasks.append(
            Task(
                name,
                _half_of(name),
                fields["source"],
                fields["tier"],
                fields["bug_report"],
                fields["module"],
                fields.get("decision_rationale")
                or fields["policy"].removesuffix("(post-amendment)"),
                fields.get("decision_subject", ""),
                chats if chats and isinstance(chats[0], list) else [chats] * bool(chats),
            )
        )
    return [task for task in tasks if half in ("", task.half)]


def _make_base(clones: Mapping[str, Path], place: Path) -> Path:
    """Boltons at the benchmark's commit with its history captured, and the generator beside it."""
    base, data = place / "base", _find_clone(clones, "sde-bench")
    if (base / ".git").is_dir():
        return base
    _init(base, _find_clone(clones, "boltons"), BOLTONS)
    decoys = json.loads(git(data, "show", "HEAD:gen/decoy_conversations.json"))
    chats = {f"decoy-{at}": decoy["turns"] for at, decoy in enumerate(decoys)}
    _import_chats(base, chats, [280 - 2 * at for at in range(len(decoys))])
    return base


def _init(path: Path, clone: Path, commit: str) -> None:
    """A repository of one branch at a commit of a clone, with its history captured."""
    if not path.exists():
        git(path.parent, "init", "-q", "-b", "main", str(path))
        for key, value in (("name", "Ada Lovelace"), ("email", "ada@example.org")):
            git(path, "config", f"user.{key}", value)
        git(path, "config", "gc.auto", "0")
    git(path, "fetch", "-q", str(clone), commit)
    git(path, "reset", "-q", "--hard", "FETCH_HEAD")
    _run([TREERING, "backfill"], path)


def _run(words: Sequence[str], path: Path, feed: bytes = b"", **environment: str) -> bytes:
    done = subprocess.run(
        words, cwd=path, env=ENVIRONMENT | environment, input=feed, capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def _import_chats(
    path: Path, chats: Mapping[str, Sequence[Mapping[str, str]]], days_ago: Sequence[int]
) -> None:
    """Import conversations as Claude Code would have written them down."""
    with tempfile.TemporaryDirectory() as folder:
        for (name, turns), days in zip(chats.items(), days_ago, strict=True):
            start = datetime.now(UTC) - timedelta(days=days)
            lines = [
                {
                    "type": turn["role"],
                    "sessionId": name,
                    "cwd": str(path),
                    "gitBranch": "main",
                    "timestamp": f"{start + timedelta(minutes=at):%Y-%m-%dT%H:%M:%SZ}",
                    "message": {
                        "role": turn["role"],
                        "content": [{"type": "text", "text": turn["text"]}],
                    },
                }
                for at, turn in enumerate(turns)
            ]
            text = "".join(json.dumps(line) + "\n" for line in lines)
            Path(folder, f"{name}.jsonl").write_text(text)
        _run([TREERING, "import", folder, "--from", "claude-code"], path)


def _build(task: Task, data: Path, base: Path, place: Path) -> Path:
    """Make a task's repository, anew each time."""
    path, source = place / task.name, place / "sde-bench"
    if not (source / task.name).is_dir():
        source.mkdir(exist_ok=True)
        packed = git(data, "archive", "HEAD", "gen", task.name)
        _run(["tar", "-x"], source, packed)
    day = f"{datetime.now(UTC) - timedelta(days=60):%Y-%m-%dT%H:%M:%SZ}"
    dates = {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
    script = [sys.executable, f"{task.name}/build.py", str(path)]
    _run(script, source, SDEBENCH_BOLTONS_HOST=str(base), **dates)
    _run([TREERING, "backfill"], path)
    if task.chats:
        chats = {f"chat-{at}": turns for at, turns in enumerate(task.chats)}
        _import_chats(path, chats, [40, 20][: len(chats)])
    return path


def _read_reference(task: Task, source: Path, old: str) -> str:
    """The module as the reference solution has it, from the generator's table under its key."""
    module, table = ("traps", "TRAPS")
    if task.tier == "real-function":
        module, table = ("realfn_traps", "REALFN_TRAPS")
    key = task.name.split("-")[1]
    code = f"import json; from {module} import {table} as t; print(json.dumps(t[{key!r}]))"
    trap = json.loads(_run([sys.executable, "-c", code], source / "gen"))
    return old.replace(trap["anchor"], trap["correct"], 1) if "anchor" in trap else trap["correct"]


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


class Agent:
    """One session of Claude Code, as far as its hooks see it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session = str(uuid4())

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
        answer = _run(command, self.path, json.dumps(told | fields).encode())
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
    """The longest run of lines that differ, with the line before it where lines are only added."""
    before, after = old.splitlines(), new.splitlines()
    changes = [
        code
        for code in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if code[0] != "equal"
    ]
    _, a, b, c, d = max(changes, key=lambda code: code[2] - code[1] + code[4] - code[3])
    if a == b:
        a, c = max(a - 1, 0), max(c - 1, 0)
    return "\n".join(before[a:b]), "\n".join(after[c:d])


# --- part: tasks ----------------------------------------------------------------------------------


def _measure_tasks(clones: Mapping[str, Path], place: Path, half: str, quick: bool) -> None:
    data = _find_clone(clones, "sde-bench")
    base = _make_base(clones, place)
    results: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for task in _read_tasks(data, half)[:: 4 if quick else 1]:
        results[task.half, task.kind].append(_measure(task, data, base, place))
    for (part, kind), measured in sorted(results.items(), reverse=True):
        _report(part, kind, measured)


def _measure(task: Task, data: Path, base: Path, place: Path) -> dict[str, Any]:
    path = _build(task, data, base, place)
    treering = Treering.open(path)
    memories = [
        memory
        for memory in treering.exported(private=True)
        if (task.chats and str(memory.get("session", "")).startswith("chat-"))
        or (task.subject and memory["type"] == "commit" and task.subject in memory["content"])
    ]
    memories.sort(key=lambda memory: memory["created"])
    stored = "\n".join(memory["content"] for memory in memories)
    newest = memories[-1]
    with_files = treering.context(task=task.prompt, files=[task.module])["text"]
    result: dict[str, Any] = {
        "name": task.name,
        "stored": _share(stored, task.decision),
        "files": _share(with_files, task.decision),
        "alone": _share(treering.context(task=task.prompt)["text"], task.decision),
    }
    if len(task.chats) > 1:
        places = [with_files.find(memory["id"]) for memory in memories]
        result["first"] = places[1] >= 0 and not 0 <= places[0] < places[1]
        result["under"] = 0 <= places[1] < places[0]
    agent, old = Agent(path), (path / task.module).read_text()
    change = _largest_change(old, _read_reference(task, place / "sde-bench", old))
    texts = {
        "SessionStart": agent.start(),
        "prompt": agent.prompt(task.prompt),
        "Read": agent.read(task.module),
        "Edit": agent.edit(task.module, *change),
    }
    result["tokens"] = sum(map(count, texts.values()))
    result["by"], result["how"] = "", ""
    for event, text in texts.items():
        if how := _is_handed(text, task.decision, newest["id"], newest["title"]):
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
    print(f"    {UNIT} in a session, median {median(r['tokens'] for r in measured):.0f}")
    if missed := [result["name"] for result in measured if not result["by"]]:
        print(f"    missed: {', '.join(missed)}")
    if amended := [result for result in measured if "first" in result]:
        _tell("amendment first in context", sum(r["first"] for r in amended) / len(amended), 1.0)
        _tell("  the earlier one under it", sum(r["under"] for r in amended) / len(amended), 1.0)


def _tell(what: str, share: float, goal: float | None) -> None:
    verdict = "" if goal is None else f"{goal:.0%} {'ok' if share >= goal else 'MISSED'}"
    row(f"  {what}", f"{share:.1%}", verdict)


if __name__ == "__main__":
    main()
