"""git as a program: for what it does better than libgit2 (bulk, history, packing, remotes).

A repository can name programs for git to start: in its configuration, its attributes and its hooks.
Here is the one place that takes them away, since what treering asks of git nobody typed. What git
asks the work tree (which files are edited, what their blobs would be) is asked of libgit2, which
starts nothing: filters have names of a repository's choosing and cannot be switched off as a whole.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from treering.errors import StorageFailed

#: Settings that start programs, switched off: what is said with -c counts over every file.
_SWITCHED_OFF = (
    # Asked for what changed whenever the index is read.
    "core.fsmonitor=false",
    # reference-transaction, post-index-change, pre-auto-gc. Memories are no code: a user's own
    # hooks do not judge them, as they do not when libgit2 writes; a push says --no-verify, too.
    "core.hooksPath=/dev/null",
    # Asked by fetch and push where objects are borrowed; `true` has nothing to tell.
    "core.alternateRefsCommand=true",
    # Would ask gpg.program about every commit of a log.
    "log.showSignature=false",
    # A url that is itself a command line. How else a remote is reached (ssh command, proxy,
    # credential helpers, the programs at the other end) belongs to the remote.
    "protocol.ext.allow=never",
)
#: The same, by environment.
_UNASKED = {
    "GIT_EDITOR": ":",  # nothing we call edits; core.editor must not be tried
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
#: Without a remote: none is reached, by whatever program, when a partial clone lacks an object.
_AT_HOME = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",  # since git 2.44, and quicker
    "GIT_TERMINAL_PROMPT": "0",
}
#: What makes diffs is told to make them itself: diff.external, diff.*.command, diff.*.textconv.
_DIFFING = ("blame", "diff", "diff-tree", "log")
_PLAIN_DIFFS = ("--no-ext-diff", "--no-textconv")
#: Hooks by configuration, since git 2.54; core.hooksPath does not take these away.
_NAMED_HOOKS = r"^hook\..*\.(command|event)$"


class TookTooLong(StorageFailed):
    """git was stopped: it did not answer in the time it was given."""


def time_left(until: float) -> float:
    """Seconds until a moment of the monotonic clock; TookTooLong when it has passed."""
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise TookTooLong("The time is over.")
    return seconds


def _environment() -> dict[str, str]:
    # git exports GIT_INDEX_FILE, GIT_DIR and more to hooks; a child git would act on the wrong
    # repository or index. What a person set on purpose (ssh command, askpass) stays.
    allowed = (
        *("GIT_SSH", "GIT_ASKPASS", "GIT_TERMINAL", "GIT_CONFIG", "GIT_PROXY", "GIT_EXEC_PATH"),
        *("GIT_ALLOW_PROTOCOL", "GIT_PROTOCOL_FROM_USER"),
    )
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or key.startswith(allowed)
    }
    return clean | _UNASKED


class ProcessResult(NamedTuple):
    """The exit code of a git command, and what it said."""

    code: int
    out: bytes
    err: bytes


def ask_nobody(ssh_command: str | None) -> dict[str, str]:
    """Return what keeps git, and ssh below it, from asking a person who is not there.

    An ssh command that someone chose is left as it is: not every ssh takes the same options.
    """
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS_REQUIRE": "never"}
    if not ssh_command and not {"GIT_SSH", "GIT_SSH_COMMAND"} & os.environ.keys():
        quiet["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes"
    return quiet


def command(git_dir: Path, *arguments: str) -> list[str]:
    """The words that start git, without what would start others."""
    options, (verb, *rest) = _split(arguments)
    start = ["git", "--no-pager", f"--git-dir={git_dir}"]
    if verb == "config":  # starts nothing, and would answer with what is switched off
        return [*start, *arguments]
    switches = [word for setting in _SWITCHED_OFF for word in ("-c", setting)]
    plain = _PLAIN_DIFFS if verb in _DIFFING else ()
    return [*start, *switches, *options, verb, *plain, *rest]


def _split(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """git's own options, and the verb with what follows it."""
    at = 0
    while arguments[at].startswith("-"):
        at += 2 if arguments[at] in ("-c", "-C") else 1
    return arguments[:at], arguments[at:]


def without_hooks(git_dir: Path) -> dict[str, str]:
    """The environment in which hooks that the configuration names are off, for what moves refs.

    git itself is asked for them, since it alone follows all of its includes.
    """
    arguments = ("config", "--null", "--name-only", "--get-regexp", _NAMED_HOOKS)
    text = run(git_dir, *arguments, may_fail=(1,))
    keys = {os.fsdecode(key).rpartition(".")[0] for key in text.split(b"\0") if key}
    first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    settings = {"GIT_CONFIG_COUNT": str(first + len(keys))}
    for at, key in enumerate(sorted(keys), first):
        settings |= {f"GIT_CONFIG_KEY_{at}": f"{key}.enabled", f"GIT_CONFIG_VALUE_{at}": "false"}
    return settings


def run(
    git_dir: Path,
    *arguments: str,
    feed: bytes | None = None,
    may_fail: Sequence[int] = (),
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> bytes:
    """Return what git printed; an exit code outside 0 and `may_fail` is StorageFailed with git's
    words.

    After `seconds` git is killed and TookTooLong raised; `env` is added to the environment.
    """
    result = ask(git_dir, *arguments, feed=feed, env=env, seconds=seconds)
    if result.code not in (0, *may_fail):
        raise StorageFailed(_explain(arguments, result.code, result.err))
    return result.out


def ask(
    git_dir: Path,
    *arguments: str,
    feed: bytes | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
    folder: Path | None = None,
    is_remote: bool = False,
) -> ProcessResult:
    """Run git and tell how it ended, whatever that was; only with `is_remote` is one reached.

    `folder` is where git stands, for what it reads relative to that.
    """
    import subprocess  # most commands start no process and need not pay for the import

    try:
        process = subprocess.run(
            command(git_dir, *arguments),
            input=feed,
            stdin=subprocess.DEVNULL if feed is None else None,
            capture_output=True,
            cwd=folder,
            env=_environment() | ({} if is_remote else _AT_HOME) | dict(env or {}),
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TookTooLong(f"git did not answer within {seconds:.1f} seconds.") from error
    return ProcessResult(process.returncode, process.stdout, process.stderr)


def refusal_of(git_dir: Path) -> str:
    """Return why git, standing in a git dir, would not use it; nothing where it would."""
    import subprocess

    process = subprocess.run(
        ["git", "-C", str(git_dir), "rev-parse", "--git-dir"],
        capture_output=True,
        env=_environment(),
        check=False,
    )
    lines = process.stderr.decode(errors="replace").strip().splitlines()
    return (
        (lines or ["no reason was given"])[0].removeprefix("fatal: ") if process.returncode else ""
    )


def version() -> tuple[int, ...]:
    """git's own, as far as it is numbers."""
    import re
    import subprocess

    text = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"\d+(\.\d+)+", text)
    return tuple(map(int, match[0].split("."))) if match else ()


def start_detached(git_dir: Path, *arguments: str, env: Mapping[str, str]) -> None:
    """Start git and forget it: nobody waits, nothing is inherited, failure does not matter."""
    import subprocess

    try:
        subprocess.Popen(
            command(git_dir, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment() | _AT_HOME | dict(env),
            start_new_session=True,
        ).returncode = 0  # keeps the interpreter from warning that it was not waited for
    except OSError:
        return


def _explain(arguments: Sequence[str], code: int, stderr: bytes) -> str:
    words = stderr.decode(errors="replace").strip().splitlines()
    verb = _split(arguments)[1][0]
    return f"git {verb} failed with code {code}: {words[-1] if words else 'no message'}"
