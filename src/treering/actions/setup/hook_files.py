"""Our hooks in a repository: put in place beside what is there, found again, taken out.

Two ways, chosen for a repository as a whole:

1. in place    a marked block in each hook file, or a file of ours where there is none
2. in front    a folder of our own, named by `core.hooksPath`, whose hooks first run those of the
               folder that counted before; for folders that are not this repository's to change,
               and for hooks no block can stand in (programs, links, other languages)
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote, split
from typing import NamedTuple

from treering.actions.setup.traces import InitRecord
from treering.capture.journal import HOOKS, shim, shims_folder
from treering.errors import StorageFailed
from treering.git import files
from treering.git.files import replace_file
from treering.git.hooks_path import DELICATE, HARMLESS, hooks_path, is_inside
from treering.git.repository import Repository

BEGIN = b"# >>> treering >>> added by `treering init`, taken out by `treering uninstall`\n"
END = b"# <<< treering <<<\n"
SHEBANG = b"#!/bin/sh\n"

#: Hooks that are fed on standard input, which both the user's hook and ours have to see.
_FED = ("post-rewrite", "pre-push")
_SHELL = (
    rb"#![ \t]*(\S*/env[ \t]+(-S[ \t]+)?)?(\S*/)?(sh|bash|dash|ash|ksh|zsh)([ \t][^\r\n]*)?(\n|$)"
)


def write_block_alone(name: str) -> bytes:
    """A hook that is only ours."""
    return SHEBANG + BEGIN + _body(name) + END


def write_block_in_front_of(folder: str, name: str) -> bytes:
    """A hook that first runs the one of that name in another folder, if that is there."""
    hook = f'"$treering_behind/{name}"'
    run = f'if [ -x {hook} ]; then {hook} "$@"; fi'
    return SHEBANG + BEGIN + _keep_folder(folder) + _after(run, name) + END


def write_passing_on(folder: str, name: str) -> bytes:
    """A hook that only runs the one of that name in another folder, if that is there."""
    hook = f'"$treering_behind/{name}"'
    script = f'[ -x {hook} ] && exec {hook} "$@"\nexit 0\n'
    return SHEBANG + BEGIN + _keep_folder(folder) + script.encode() + END


def _keep_folder(folder: str) -> bytes:
    return b"treering_behind=" + quote(folder).encode("utf-8", "surrogateescape") + b"\n"


def folder_behind(script: bytes) -> str:
    """The folder whose hooks a hook of ours runs first; empty where there is none."""
    match = re.search(rb"^treering_behind=(.*?)\n(?:treering_status|\[ -x)", script, re.M | re.S)
    words = split(match[1].decode("utf-8", "surrogateescape")) if match else []
    return words[0] if words else ""


def can_hold_block(script: bytes) -> bool:
    """Return whether a block can stand in this script: a shell's, with the line ends of a shell."""
    if script.startswith(b"#!"):
        return re.match(_SHELL, script) is not None
    return b"\0" not in script and b"\r\n" not in script  # without `#!` it is run by sh


def has_block(script: bytes) -> bool:
    return BEGIN.rstrip() in script


def with_block(script: bytes, name: str) -> bytes:
    """A script with our block on top; the script itself runs first."""
    first = re.match(rb"#![^\n]*\n?", script)
    top = first[0] if first else b""
    block = BEGIN + _again(name) + END
    if top and not top.endswith(b"\n"):
        return top + b"\n" + block.removesuffix(b"\n")
    return top + block + script[len(top) :]


def without_block(script: bytes) -> bytes:
    """A script without our block, as it was."""
    start, end = script.find(BEGIN.rstrip()), script.find(END.rstrip())
    if start < 0 or end < start:
        return script
    end += len(END.rstrip())
    if end == len(script):  # put after a last line that had no line end
        return script[:start].removesuffix(b"\n")
    return script[:start] + script[end:].removeprefix(b"\n")


def _again(name: str) -> bytes:
    """Run the script that holds the block once more, this time past the block."""
    inner = _after('TREERING_REST=1 "$0" "$@"', name)
    return b'if [ -z "${TREERING_REST-}" ]; then\n' + inner + b"fi\nunset TREERING_REST\n"


def _after(run: str, name: str) -> bytes:
    """Run the other hook, then ours, and end with the other's exit code."""
    lines, feed = ["treering_status=0"], ""
    if name in _FED:
        feed = "treering_feed | "
        # The dot keeps $() from dropping empty last lines.
        lines.append("treering_input=$(cat; echo .)")
        lines.append('treering_feed() { printf %s "${treering_input%.}" 2>/dev/null || :; }')
    lines.append(f"{feed}{{ {run}; }} || treering_status=$?")
    if name == "pre-push":  # nothing is pushed, so nothing has happened
        lines.append('[ "$treering_status" = 0 ] || exit "$treering_status"')
    top = "\n".join([*lines, f"{feed}(", ""]).encode("utf-8", "surrogateescape")
    end = b") || treering_status=$?\n" if name == "pre-push" else b")\n"
    return top + _body(name) + end + b'exit "$treering_status"\n'


def _body(name: str) -> bytes:
    """A shim without its first line; its name is written into it, as others may rename the file."""
    body = re.sub(rb"^#![^\n]*\n", b"", shim(name))
    return body.replace(b"event=${0##*/}", b"event=" + name.encode())


_NAME = "reference-transaction"
_MARK = b"# treering: "


def update_wait_hook(repository: Repository, *, is_leaving: bool = False) -> str:
    """Put the hook where git runs it, or take it away, as `treering.sync` says. Return what to tell
    where it cannot be put there."""
    setting = repository.config("treering.sync") or ""
    is_wanted = setting.lower() == "wait" and not is_leaving
    folder = hooks_path(repository).folder
    path, marker = folder / _NAME, repository.common_dir / "treering" / "wait"
    content = _content(path)
    is_ours = _MARK in content[:200]
    if not is_wanted:
        if is_ours:
            path.unlink(missing_ok=True)
        marker.unlink(missing_ok=True)
        return ""
    is_tracked = repository.workdir is not None and (
        is_inside(folder, repository.workdir) and not is_inside(folder, repository.common_dir)
    )
    if is_tracked or (content and not is_ours):
        return (
            f"No hook {_NAME} was written: {folder} is not ours alone, or has one. "
            "`treering sync --wait` after each push does the same."
        )
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        files.replace_file(path, (shims_folder() / _NAME).read_bytes())
        path.chmod(0o755)
        files.mark_file(marker)
    return ""


def update_push_notice(repository: Repository, *, is_leaving: bool = False) -> None:
    """Let the hook of a push know whether it is to run guard, as `treering.guard.push` says."""
    setting = (repository.config("treering.guard.push") or "off").lower()
    marker = repository.common_dir / "treering" / "guard"
    with suppress(OSError):
        if setting in ("on", "block") and not is_leaving:
            files.mark_file(marker)
        else:
            marker.unlink(missing_ok=True)


#: Where other tools put a hook they found in the way of theirs; pre-commit goes on running it.
_PUSHED_ASIDE = (".legacy", ".old")
#: The line for hooks that are not ours to write; where treering is not set up it does nothing.
CALL = 'sh "$(git rev-parse --git-common-dir)/treering/hooks/{name}" "$@" 2>/dev/null || :'
_CALLED = b"/treering/hooks/"


class HookFile(NamedTuple):
    """A hook file as it should be."""

    path: Path
    content: bytes
    mode: int


class HookPlan(NamedTuple):
    """The steps that make our hooks run."""

    folder: Path
    names: tuple[str, ...]
    writes: tuple[HookFile, ...]
    sets_path: bool = False
    notes: tuple[str, ...] = ()


def front(repository: Repository) -> Path:
    return repository.common_dir / "treering" / "hooks"


# --- planning -------------------------------------------------------------------------------------


def plan_hooks(repository: Repository, *, force: bool = False) -> HookPlan:
    """Return which files have to be written; nothing is changed."""
    path = hooks_path(repository)
    if is_front(path.folder):
        return _in_front(repository, _behind(repository))
    if path.level == "worktree":
        return _explain(
            repository, f"core.hooksPath is set for this work tree alone ({path.folder})"
        )
    if is_inside(path.folder, repository.common_dir):
        return _in_place(path.folder) or _in_front(repository, path.folder)
    if repository.workdir and is_inside(path.folder, repository.workdir):
        if not force:
            return _explain(repository, f"core.hooksPath is in the work tree ({path.folder})")
        return _in_place(path.folder) or _in_front(repository, path.folder)
    return _in_front(repository, path.folder)


def is_front(folder: Path) -> bool:
    """Return whether a folder is one of ours, maybe from before the repository was moved."""
    return folder.parts[-2:] == ("treering", "hooks")


def _behind(repository: Repository) -> Path:
    """The folder our hooks run first, as they say themselves."""
    folder = folder_behind(_content(front(repository) / HOOKS[0]))
    usual = repository.common_dir / "hooks"
    return Path(folder) if folder and Path(folder).exists() else usual


def _explain(repository: Repository, why: str) -> HookPlan:
    """Hooks of ours that git does not run, ready to be called from those it does."""
    folder = front(repository)
    hooks = (HookFile(folder / n, write_block_alone(n), 0o755) for n in HOOKS)
    writes = tuple(hook for hook in hooks if _content(hook.path) != hook.content)
    note = (
        f"No hook was written: {why}, where files may be shared, or written by other tools. "
        f"Add a line like this to your own hooks ({', '.join(HOOKS)}), or use --force to have a "
        f"marked block added: {CALL.format(name=HOOKS[0])}"
    )
    return HookPlan(folder, (), writes, notes=(note,))


def _in_place(folder: Path) -> HookPlan | None:
    """A block in each hook; None where one of them cannot hold it."""
    writes = []
    for name in HOOKS:
        path = folder / name
        if _is_run_by_precommit(path):
            continue
        try:
            info = path.lstat()
        except FileNotFoundError:
            writes.append(HookFile(path, write_block_alone(name), 0o777 & ~_umask()))
            continue
        script = _script(path, info)
        if script is None:
            return None
        plain = without_block(script)
        content = write_block_alone(name) if plain == SHEBANG else with_block(plain, name)
        if content != script:
            writes.append(HookFile(path, content, stat.S_IMODE(info.st_mode)))
    return HookPlan(folder, tuple(write.path.name for write in writes), tuple(writes))


def _script(path: Path, info: os.stat_result) -> bytes | None:
    """A hook a block can stand in; None where git would not run it, or it is no shell script."""
    if not stat.S_ISREG(info.st_mode) or not os.access(path, os.X_OK | os.R_OK):
        return None
    script = _content(path)
    return script if can_hold_block(script) else None


def _in_front(repository: Repository, behind: Path) -> HookPlan:
    """Hooks of ours for every name, which run those behind them first."""
    folder = front(repository)
    delicate = [name for name in DELICATE if os.access(behind / name, os.X_OK)]
    writes = []
    for name in (*HARMLESS, *delicate):
        make = write_block_in_front_of if name in HOOKS else write_passing_on
        content = make(str(behind), name)
        if _content(folder / name) != content:
            writes.append(HookFile(folder / name, content, 0o755))
    files = {write.path.name for write in writes}
    names = tuple(name for name in HOOKS if name in files)
    sets_path = hooks_path(repository).folder.resolve() != folder.resolve()
    note = (
        f"The hooks in {behind} stay as they are: core.hooksPath of this repository now names "
        f"{folder}, whose hooks run them first."
    )
    return HookPlan(folder, names, tuple(writes), sets_path, (note,) if sets_path else ())


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


# --- looking --------------------------------------------------------------------------------------


def list_installed(repository: Repository) -> tuple[str, ...]:
    """Return those of our hooks that git would run now."""
    folder = hooks_path(repository).folder
    return tuple(name for name in HOOKS if _runs(folder / name))


def list_lost(repository: Repository) -> tuple[str, ...]:
    """Return those of our hooks that init put in place and git no longer runs."""
    if not InitRecord.read(repository).has_hooks:
        return ()
    there = list_installed(repository)
    return tuple(name for name in HOOKS if name not in there)


def _runs(path: Path) -> bool:
    script = _content(path)
    is_ours = (has_block(script) or _CALLED in script) and os.access(path, os.X_OK)
    # husky's own folder is `_`, in the one that holds people's hooks.
    is_husky = path.parent.name == "_" and _CALLED in _content(path.parent.parent / path.name)
    return is_ours or _is_run_by_precommit(path) or is_husky


def _is_run_by_precommit(path: Path) -> bool:
    """Return whether pre-commit moved our hook aside and runs it before its own."""
    aside = path.with_name(path.name + ".legacy")
    return (
        b"pre-commit" in _content(path) and has_block(_content(aside)) and os.access(aside, os.X_OK)
    )


def _content(path: Path) -> bytes:
    try:
        return files.read_plain(path.resolve())  # people link hooks to files of theirs
    except OSError:
        return b""


# --- doing ----------------------------------------------------------------------------------------


def write_hooks(plan: HookPlan, traces: InitRecord) -> None:
    """Carry out a plan, and write down what is ours by it."""
    try:
        if not plan.folder.exists():
            plan.folder.mkdir(parents=True)
            traces.folders.append(str(plan.folder))
        for write in plan.writes:
            name = write.path.name
            if not write.path.exists() and name not in traces.created:
                traces.created.append(name)
            # At once: git may run the hook at this very moment.
            replace_file(write.path, write.content, mode=write.mode)
    except OSError as error:
        raise StorageFailed(f"{plan.folder} cannot be written: {error.strerror}.") from error
    traces.has_hooks = traces.has_hooks or bool(plan.names)


def hooks_to_remove(repository: Repository, traces: InitRecord) -> list[Path]:
    """Every file our block is in, whoever moved it where."""
    folders = {hooks_path(repository).folder, repository.common_dir / "hooks", front(repository)}
    folders |= {Path(folder) for folder in traces.folders}
    return sorted(path for folder in folders for path in _ours_in(folder))


def _ours_in(folder: Path) -> Iterator[Path]:
    names = [*HOOKS, *(f"{name}{end}" for name in HOOKS for end in _PUSHED_ASIDE)]
    if folder.name == "hooks" and folder.parent.name == "treering":
        names = [*HARMLESS, *DELICATE]
    for path in (folder / name for name in names):
        if not path.is_symlink() and has_block(_content(path)):
            yield path


def remove_hook(path: Path, traces: InitRecord) -> None:
    """Take our block out; a file of ours that holds nothing else goes."""
    rest = without_block(_content(path))
    # Without a record of what we made, an empty script is taken for ours.
    may_go = path.name.split(".")[0] in traces.created or not traces.created
    try:
        if rest == SHEBANG and may_go:
            path.unlink()
        else:
            replace_file(path, rest, mode=stat.S_IMODE(path.stat().st_mode))
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error


def remove_folders(repository: Repository, traces: InitRecord) -> None:
    for folder in {front(repository), *map(Path, traces.folders)}:
        with contextlib.suppress(OSError):  # something else is in it, or it is gone already
            folder.rmdir()
