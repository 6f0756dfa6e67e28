"""git as a program: for what it does better than libgit2 (bulk, history, packing, remotes)."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from treering.errors import StorageFailed


class TookTooLong(StorageFailed):
    """git was stopped: it did not answer in the time it was given."""


def _environment() -> dict[str, str]:
    # git exports GIT_INDEX_FILE, GIT_DIR and more to hooks; a child git would act on the wrong
    # repository or index. What a person set on purpose (ssh command, askpass) stays.
    kept = ("GIT_SSH", "GIT_ASKPASS", "GIT_TERMINAL", "GIT_CONFIG", "GIT_PROXY", "GIT_EXEC_PATH")
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or key.startswith(kept)
    }
    return clean | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


class Answer(NamedTuple):
    """How a git command ended, and what it said."""

    code: int
    out: bytes
    said: bytes


def unattended(ssh_command: str | None) -> dict[str, str]:
    """What keeps git, and ssh below it, from asking a person who is not there.

    An ssh command that someone chose is left as it is: not every ssh takes the same options.
    """
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS_REQUIRE": "never"}
    if not ssh_command and not {"GIT_SSH", "GIT_SSH_COMMAND"} & os.environ.keys():
        quiet["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes"
    return quiet


def command(git_dir: Path, *arguments: str) -> list[str]:
    return ["git", f"--git-dir={git_dir}", *arguments]


def run(
    git_dir: Path,
    *arguments: str,
    feed: bytes | None = None,
    may_fail: Sequence[int] = (),
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> bytes:
    """What git printed; an exit code outside 0 and `may_fail` is StorageFailed with git's words.

    After `seconds` git is killed and TookTooLong raised; `env` is added to the environment.
    """
    done = ask(git_dir, *arguments, feed=feed, env=env, seconds=seconds)
    if done.code not in (0, *may_fail):
        raise StorageFailed(_said(arguments, done.code, done.said))
    return done.out


def ask(
    git_dir: Path,
    *arguments: str,
    feed: bytes | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Answer:
    """Run git and tell how it ended, whatever that was."""
    import subprocess  # most commands start no process and need not pay for the import

    try:
        done = subprocess.run(
            command(git_dir, *arguments),
            input=feed,
            stdin=subprocess.DEVNULL if feed is None else None,
            capture_output=True,
            env=_environment() | dict(env or {}),
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TookTooLong(f"git did not answer within {seconds:.1f} seconds.") from error
    return Answer(done.returncode, done.stdout, done.stderr)


def refusal_of(git_dir: Path) -> str:
    """Why git, standing in a git dir, would not use it; nothing where it would."""
    import subprocess

    done = subprocess.run(
        ["git", "-C", str(git_dir), "rev-parse", "--git-dir"],
        capture_output=True,
        env=_environment(),
        check=False,
    )
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return (lines or ["no reason was given"])[0].removeprefix("fatal: ") if done.returncode else ""


def version() -> tuple[int, ...]:
    """git's own, as far as it is numbers."""
    import re
    import subprocess

    said = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+(\.\d+)+", said)
    return tuple(map(int, found[0].split("."))) if found else ()


def feed(git_dir: Path, *arguments: str, chunks: Iterable[bytes]) -> bytes:
    """Stream chunks to a git command that answers with little, and only at the end."""
    import subprocess

    process = subprocess.Popen(
        command(git_dir, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    assert process.stdin is not None  # noqa: S101 - for the type checker
    assert process.stdout is not None  # noqa: S101
    assert process.stderr is not None  # noqa: S101
    try:
        with process.stdin as pipe:
            for chunk in chunks:
                pipe.write(chunk)
    except BrokenPipeError:
        pass  # git gave up; what it said is below
    except BaseException:
        process.kill()
        raise
    finally:
        with process.stdout, process.stderr:
            answer, said = process.stdout.read(), process.stderr.read()
        process.wait()
    if process.returncode:
        raise StorageFailed(_said(arguments, process.returncode, said))
    return answer


def start_detached(git_dir: Path, *arguments: str) -> None:
    """Start git and forget it: nobody waits, nothing is inherited, failure does not matter."""
    import subprocess

    try:
        subprocess.Popen(
            command(git_dir, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,
        ).returncode = 0  # keeps the interpreter from warning that it was not waited for
    except OSError:
        return


def _said(arguments: Sequence[str], code: int, stderr: bytes) -> str:
    words = stderr.decode(errors="replace").strip().splitlines()
    verb = next((word for word in arguments if word[0] != "-" and "=" not in word), "")
    return f"git {verb} failed with code {code}: {words[-1] if words else 'no message'}"
