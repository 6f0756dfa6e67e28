"""init: let git hooks and agents' clients know of treering; uninstall: leave all as it was found.

Memories need none of it. Everything is worked out first, so that a dry run says what would be done,
and what was done is written down, so that it can be taken back even after others edited the same
files.
"""

import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from treering.actions.setup import client_files, hook_files
from treering.actions.setup.clients import AGENTS, CLIENTS, Addition, client_named
from treering.actions.setup.hook_files import HookPlan, update_push_notice, update_wait_hook
from treering.actions.setup.traces import (
    HOOKS_PATH,
    InitRecord,
    list_misplaced_settings,
    list_missing_settings,
    list_own_settings,
    local_hooks_path,
    put_setting,
    set_hooks_path,
    take_back_setting,
)
from treering.actions.sync import Progress
from treering.actions.sync import sync as sync_memories
from treering.actions.workspace import Workspace
from treering.capture.journal import HOOKS, Journal
from treering.derived.database import close_all
from treering.errors import Busy, Invalid, StorageFailed, SyncRefused, TreeringError
from treering.git import config as config_file
from treering.git.files import replace_file
from treering.git.refs import list_refs, set_together
from treering.git.remote import Remote
from treering.git.repository import Repository
from treering.model.scope import REFS
from treering.sync.refspec import find_remote, find_sharing_remote

#: Seconds for a remote to answer when nobody is there to wait for it.
_FETCH_TIMEOUT = 30.0
_WRITE_TRANSCRIPTS = frozenset({"claude", "codex", "gemini"})
_TRANSCRIPT_NOTE = (
    "Sessions are summarised from their transcripts, on this machine only: "
    "`treering config transcripts off` turns that off."
)
_ASK_NOTE = (
    "`treering config ask once` asks an agent, once per session, to remember what it learned."
)
_STAY_NOTE = (
    "Memories stay: `git for-each-ref refs/treering` lists them. "
    "`treering uninstall --purge` deletes them."
)
_LOG_NOTE = (
    "`git log --all` also lists memory commits. "
    "`git log --exclude='refs/treering/*' --all` hides them."
)


@dataclass(frozen=True, slots=True)
class Setup:
    """Changes made or planned: hooks by name, configuration as key=value, files by path."""

    dry_run: bool
    hooks: tuple[str, ...]
    config: tuple[str, ...]
    clients: tuple[str, ...]
    notes: tuple[str, ...]
    #: Where memories were taken away, or would be.
    purged: tuple[str, ...] | None = None


def init(
    workspace: Workspace,
    *,
    program: str = "",
    clients: Sequence[str] = (),
    agents_md: bool = False,
    sync: bool = False,
    hooks: bool = True,
    force: bool = False,
    dry_run: bool = False,
    is_interactive: bool = False,
    progress: Progress | None = None,
) -> Setup:
    """Put in place what is missing, and fetch memories; a second time nothing is.

    `program` is what hooks start in the background; where it is empty, what PATH calls treering.
    With `is_interactive` git may ask for a password.
    """
    repository = workspace.repository
    additions = _additions(repository, clients, agents_md)
    if not dry_run:
        _make_worker_lock(workspace)
    with nullcontext() if dry_run else workspace.store.lock():
        traces = InitRecord.read(repository)
        plan = (
            hook_files.plan_hooks(repository, force=force)
            if hooks
            else HookPlan(hook_files.front(repository), (), ())
        )
        settings, notes = list_missing_settings(repository, sync=sync)
        stale = list_misplaced_settings(repository)
        files, more = client_files.plan_files(repository, additions)
        if not dry_run:
            _begin_journal(workspace, program)
            try:
                _apply_hooks(repository, plan, traces)
                for setting in stale:
                    take_back_setting(repository, setting.key, setting.value)
                for setting in settings:
                    put_setting(repository, setting, traces)
                for file in files:
                    client_files.write(repository, file, traces)
                notes = [*notes, *filter(None, [update_wait_hook(repository)])]
                update_push_notice(repository)
            finally:  # what was done before something failed is ours, too
                traces.write(repository)
    news = _fetch_memories(workspace, is_interactive, progress) if not dry_run else []
    config = [str(setting) for setting in settings]
    if plan.sets_path:
        config.append(f"{HOOKS_PATH}={plan.folder}")
    return Setup(
        dry_run,
        plan.names,
        tuple(config),
        tuple(file.path for file in files),
        (
            *plan.notes,
            *notes,
            *more,
            *news,
            *_hints(repository, clients),
            *_tell_of_files([file.path for file in files]),
            _LOG_NOTE,
        ),
    )


def _fetch_memories(
    workspace: Workspace, is_interactive: bool, progress: Progress | None
) -> list[str]:
    """Bring what others remembered, if the remote has something; what to tell about it.

    Who starts with a clone is told nothing by git of memories. Without a network all else is done.
    """
    remote = find_sharing_remote(workspace.repository)
    if not remote:
        return []
    try:
        done = sync_memories(
            workspace,
            "fetch",
            remote=remote,
            is_interactive=is_interactive,
            timeout=_FETCH_TIMEOUT,
            on_stage=progress,
        )
    except TreeringError as error:
        hint = f"Try again with `treering sync fetch --remote {remote}`."
        return [f"Could not fetch memories from {remote}: {error.message} {hint}"]
    count = done.memories_fetched or 0
    if not done.fetched:
        return []
    memories = "1 memory" if count == 1 else f"{count} memories"
    branches = "1 branch" if done.fetched == 1 else f"{done.fetched} branches"
    return [f"Fetched {memories} of {branches} from {remote}."]


def _additions(repository: Repository, clients: Sequence[str], agents_md: bool) -> list[Addition]:
    additions = [addition for name in clients for addition in client_named(name).additions]
    if agents_md:
        additions.append(AGENTS)
    if additions and repository.workdir is None:
        raise Invalid("A bare repository has no work tree, so client files cannot be written.")
    return additions


def _tell_of_files(paths: Sequence[str]) -> list[str]:
    """Client files are everybody's once they are committed, and name a program."""
    if not paths:
        return []
    names = " and ".join(paths)
    return [
        f"Once committed, {names} also apply to your teammates. "
        "Hooks are silent where `treering` is not installed."
    ]


def _hints(repository: Repository, clients: Sequence[str]) -> list[str]:
    """Tell what is done for a client, or which ones are used here and not connected."""
    if clients:
        return _session_notes(repository, clients)
    return [
        f"{CLIENTS[name].title} is used here: `treering init --client {name}` connects it."
        for name in list_unconnected(repository)
    ]


def list_unconnected(repository: Repository, installed: Collection[str] = ()) -> list[str]:
    """List the clients that are used in this repository, or `installed`, and not connected."""
    root = repository.workdir
    return [
        client.name
        for client in (CLIENTS.values() if root else ())
        if root
        and (client.name in installed or (root / client.folder).is_dir())
        and client_files.plan_files(repository, client.additions)[0]
    ]


def _session_notes(repository: Repository, clients: Sequence[str]) -> list[str]:
    """Return what is done for clients that write transcripts, and what could be."""
    if not {name.lower() for name in clients} & _WRITE_TRANSCRIPTS:
        return []
    is_chosen = repository.config("treering.ask") is not None
    return [_TRANSCRIPT_NOTE] if is_chosen else [_TRANSCRIPT_NOTE, _ASK_NOTE]


def _make_worker_lock(workspace: Workspace) -> None:
    """Shims lock what they find; how open it has to be is known here. Before the store's lock, as
    everywhere."""
    with suppress(Busy), workspace.store.lock_driver(timeout=0):
        return


def _begin_journal(workspace: Workspace, program: str) -> None:
    """The folder hooks write events to, without which they do nothing; and whom they start."""
    folder = workspace.store.folder
    Journal(folder).make()
    if program:
        replace_file(folder / "worker", f"{program}\n".encode())


def _apply_hooks(repository: Repository, plan: HookPlan, traces: InitRecord) -> None:
    if plan.writes:
        hook_files.write_hooks(plan, traces)
    if plan.sets_path:
        if not _is_in_front(repository):
            traces.previous_hooks_path = local_hooks_path(repository)
        set_hooks_path(repository, str(plan.folder))


def uninstall(
    workspace: Workspace,
    *,
    purge: bool = False,
    remote: str = "",
    dry_run: bool = False,
    caller: str = "",
) -> Setup:
    """Take back what init added and nothing else; memories stay, unless `purge`."""
    if remote and not purge:
        raise Invalid("--remote requires --purge.")
    if purge and not dry_run and caller:
        raise Invalid("Only a person can delete memories for good.")
    repository = workspace.repository
    wire = (
        Remote(repository, find_remote(repository, remote), is_interactive=True) if remote else None
    )
    there = wire.look(REFS).refs if wire else {}
    with nullcontext() if dry_run else workspace.store.lock():
        traces = InitRecord.read(repository)
        hooks = hook_files.hooks_to_remove(repository, traces)
        values = list_own_settings(repository, traces)
        files, notes = client_files.to_take_back(repository, traces)
        gives_back_path = _is_in_front(repository)
        if not dry_run:
            if gives_back_path:
                set_hooks_path(repository, traces.previous_hooks_path)
            for path in hooks:
                hook_files.remove_hook(path, traces)
            hook_files.remove_folders(repository, traces)
            for setting in values:
                take_back_setting(repository, setting.key, setting.value)
            update_wait_hook(repository, is_leaving=True)
            update_push_notice(repository, is_leaving=True)
            for remote in repository.remotes():  # what it last said of its trunk
                if repository.config(f"remote.{remote}.treering"):
                    config_file.unset(repository.common_dir, f"remote.{remote}.treering")
            for file in files:
                client_files.take_back(file)
            _end_journal(workspace)
            InitRecord.remove(repository)
    config = [str(setting) for setting in values]
    if gives_back_path:
        config.append(f"{HOOKS_PATH}={hook_files.front(repository)}")
    return Setup(
        dry_run,
        tuple(dict.fromkeys(path.name for path in hooks if path.name in HOOKS)),
        tuple(config),
        tuple(file.path for file in files),
        tuple(notes) if purge else (*notes, _STAY_NOTE),
        _purge(workspace, wire, there, dry_run=dry_run) if purge else None,
    )


def _purge(
    workspace: Workspace, wire: Remote | None, there: Mapping[str, str], *, dry_run: bool
) -> tuple[str, ...]:
    """Take away every memory, here and on a remote; return where they were."""
    repository = workspace.repository
    here = list_refs(repository.common_dir, REFS)
    folder = workspace.store.folder
    places = [*here, str(folder), *(f"{wire.name}: {ref}" for ref in there if wire)]
    if dry_run:
        return tuple(places)
    if wire and there:
        for done in wire.push({}, list(there), there):
            if not done.is_done:
                raise SyncRefused(f"{wire.name} keeps {done.ref}: {done.reason}")
    with workspace.store.lock():
        if not set_together(repository.common_dir, {}, here):
            raise StorageFailed("The refs of memories could not be removed.", hint="Run it again.")
        close_all()  # no file of this thread is open when its folder goes
        for gone in (folder, repository.common_dir / "logs" / REFS):
            shutil.rmtree(gone, ignore_errors=True)
    for key, _ in config_file.read_matching(repository.common_dir, r"^branch\..*\.treering"):
        config_file.unset(repository.common_dir, key)
    config_file.unset(repository.common_dir, "treering.clone")
    return tuple(places)


def _end_journal(workspace: Workspace) -> None:
    """Events that wait are kept: the next recall takes them in, or a later init goes on."""
    folder = workspace.store.folder
    (folder / "worker").unlink(missing_ok=True)
    with suppress(OSError):  # something waits in it, or it is gone already
        (folder / "journal").rmdir()


def _is_in_front(repository: Repository) -> bool:
    return hook_files.is_front(Path(local_hooks_path(repository)))
