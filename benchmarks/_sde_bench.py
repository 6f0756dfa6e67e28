"""Tasks of sde-bench (vectorize-io): bug reports whose right fix needs an earlier decision.

Each task's own script makes its repository from boltons with its whole history, which
`treering backfill` captures, beside 140 conversations that decide nothing. The decision is a commit
that a later one silently undid, or a conversation, imported as a transcript of Claude Code.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks._bench import ENVIRONMENT, git

TREERING = str(Path(sys.executable).with_name("treering"))
BOLTONS = "979fa9b613fa8c0a455ae16ea6f2ec91c11ecafe"
BUILT, DECIDED, AMENDED = 60, 40, 20  # days ago: nothing is found for being new
_NONE: Mapping[str, str] = {}


class Task(NamedTuple):
    """A bug report, and the earlier decision that its right fix needs."""

    name: str
    half: str
    source: str
    tier: str
    prompt: str
    module: str
    policy: str
    chats: list[list[dict[str, str]]]

    @property
    def kind(self) -> str:
        return "history" if self.source == "history" else "conversation"


def find_clone(clones: Mapping[str, Path], name: str) -> Path:
    return next(path for key, path in clones.items() if key.endswith(name))


def half_of(folder: str) -> str:
    """Return the half that a task is in, by the decision it needs; "" if it is not ours.

    Half of all decisions are kept for somebody else to score: rules are never tuned on them, nor
    are they looked at. A decision has up to three tasks, which stay together.
    """
    decision = re.sub(r"(-history|-amended)?(-\d+)?$", "", folder)
    digest = hashlib.sha256(decision.encode()).digest()
    return "" if digest[0] % 2 else ("reporting" if digest[1] % 2 else "tuning")


def read_tasks(data: Path, half: str) -> list[Task]:
    names = git(data, "ls-tree", "--name-only", "HEAD").decode().split()
    tasks = []
    for name in (name for name in names if name.startswith("boltons-") and half_of(name)):
        fields = json.loads(git(data, "show", f"HEAD:{name}/tasks/main/task.json"))
        chats = fields.get("conversations", [])
        tasks.append(
            Task(
                name,
                half_of(name),
                fields["source"],
                fields["tier"],
                fields["bug_report"],
                fields["module"],
                fields["policy"].removesuffix("(post-amendment)"),
                chats if chats and isinstance(chats[0], list) else [chats] * bool(chats),
            )
        )
    return [task for task in tasks if half in ("", task.half)]


def make_base(clones: Mapping[str, Path], place: Path) -> Path:
    """Make boltons at the commit of the tasks, with its history and the other conversations."""
    base, data = place / "base", find_clone(clones, "sde-bench")
    if (base / ".git").is_dir():
        return base
    capture(base, find_clone(clones, "boltons"), BOLTONS)
    decoys = json.loads(git(data, "show", "HEAD:gen/decoy_conversations.json"))
    chats = {f"decoy-{at}": decoy["turns"] for at, decoy in enumerate(decoys)}
    import_chats(base, chats, [280 - 2 * at for at in range(len(decoys))])
    return base


def capture(path: Path, clone: Path, commit: str) -> None:
    """Move a repository of one branch to a commit of a clone, and capture its history."""
    if not path.exists():
        git(path.parent, "init", "-q", "-b", "main", str(path))
        for key, value in (("name", "Ada Lovelace"), ("email", "ada@example.org")):
            git(path, "config", f"user.{key}", value)
        git(path, "config", "gc.auto", "0")
    git(path, "fetch", "-q", str(clone), commit)
    git(path, "reset", "-q", "--hard", "FETCH_HEAD")
    run([TREERING, "backfill"], path)


def run(
    words: Sequence[str], path: Path, feed: bytes = b"", environment: Mapping[str, str] = _NONE
) -> bytes:
    done = subprocess.run(
        words, cwd=path, env={**ENVIRONMENT, **environment}, input=feed, capture_output=True
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def import_chats(
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
        run([TREERING, "import", folder, "--from", "claude-code"], path)


def build(task: Task, data: Path, base: Path, place: Path) -> Path:
    """Make a task's repository, anew each time."""
    path, source = place / task.name, place / "sde-bench"
    if not (source / task.name).is_dir():
        source.mkdir(exist_ok=True)
        packed = git(data, "archive", "HEAD", "gen", task.name)
        run(["tar", "-x"], source, packed)
    day = f"{datetime.now(UTC) - timedelta(days=BUILT):%Y-%m-%dT%H:%M:%SZ}"
    dates = {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
    script = [sys.executable, f"{task.name}/build.py", str(path)]
    run(script, source, environment={"SDEBENCH_BOLTONS_HOST": str(base)} | dates)
    run([TREERING, "backfill"], path)
    if task.chats:
        chats = {f"chat-{at}": turns for at, turns in enumerate(task.chats)}
        import_chats(path, chats, [DECIDED, AMENDED][: len(chats)])
    return path


def find_deciding_commit(path: Path) -> str:
    """Return the one commit of a build that has a reason in its message; "" if there is none."""
    log = git(path, "log", "--format=%H %b%x00", f"{BOLTONS}..HEAD").decode().split("\0")
    return next((words[0] for line in log if len(words := line.split()) > 1), "")


def read_reference(task: Task, path: Path, source: Path) -> str:
    """Return the module as the reference solution has it: what the deciding commit wrote, or what
    the generator has under the task's key."""
    if commit := find_deciding_commit(path):
        return git(path, "show", f"{commit}:{task.module}").decode()
    old = (path / task.module).read_text()
    module, table = ("traps", "TRAPS")
    if task.tier == "real-function":
        module, table = ("realfn_traps", "REALFN_TRAPS")
    key = task.name.split("-")[1]
    code = f"import json; from {module} import {table} as t; print(json.dumps(t[{key!r}]))"
    trap = json.loads(run([sys.executable, "-c", code], source / "gen"))
    return old.replace(trap["anchor"], trap["correct"], 1) if "anchor" in trap else trap["correct"]
