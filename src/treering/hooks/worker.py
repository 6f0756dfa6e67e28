"""The worker a shim starts: a driver in the background, which ends when nothing is left to do.

It runs in the background of someone's git command, so it says nothing, never fails loudly, and
gives way: one at a time, in a session of its own, as nice as the shim made it. What goes wrong is
written to a log that stays small.
"""

import os
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from treering.actions import driver
from treering.actions.why.bindings import LineBindings
from treering.actions.workspace import Workspace
from treering.errors import Busy, TreeringError
from treering.git import lock, refs
from treering.git.files import check_folder, open_plain
from treering.git.objects import Person
from treering.text.masking import mask

if TYPE_CHECKING:
    from treering.sync.plan import Synced

_LOG_BYTES = 64 * 1024
#: So long a push may take before its memories are shared without it.
_PUSH_SECONDS, _PUSH_STEP = 60.0, 0.1
#: So long the lines of files that are worked on may be looked up ahead of agents' hooks.
_BINDING_SECONDS = 5.0


def work(
    path: str, event: str = "", inherited: int | None = None, *, person: Person | None = None
) -> None:
    """Do what there is to do for the repository at `path`. `event` is what just happened.

    `inherited` is a descriptor by which the shim holds the worker's lock for us; `person` is who
    git was told to commit as, if it was.
    """
    with suppress(OSError):
        os.setsid()  # a terminal that closes must not take a write with it
    try:
        workspace = Workspace.open(path, is_named=True, one_shot=True, person=person)
    except TreeringError:
        return  # not a repository any more
    os.chdir("/")  # nobody's folder is held back
    try:
        pushes: dict[str, str] = {}
        done = driver.work(workspace, event, inherited, pushes)
        for error in done.errors:
            log(workspace.store.folder, error)
        if "pre-push" in done.events:
            _share(workspace, "full", pushes)
        elif "post-merge" in done.events:  # after a pull nothing is sent out
            _share(workspace, "fetch", pushes)
        LineBindings(workspace).refresh_recent(_BINDING_SECONDS)
    except TreeringError as error:
        log(workspace.store.folder, error.message)
    except Exception:  # the door: there is nobody to tell
        log(workspace.store.folder, traceback.format_exc())


def _share(workspace: Workspace, direction: str, pushes: Mapping[str, str]) -> None:
    """Memories go where the code went, if that is wanted. One at a time, and not as the worker: a
    remote may let us wait for minutes, in which commits are to be captured."""
    from treering.sync import refspec

    if not refspec.is_automatic(workspace.repository):
        return
    with suppress(Busy), lock.hold(workspace.store.folder / "share.lock", timeout=0):
        wait_for_push(workspace, pushes)
        share_in_background(workspace, direction=direction)


def wait_for_push(workspace: Workspace, pushes: Mapping[str, str]) -> None:
    """Wait until a push under way has moved its remote-tracking refs, at most a minute: what it
    brings to the remote is shared, and what the remote refuses is not."""
    until = time.monotonic() + _PUSH_SECONDS
    tips = {ref: tip for ref, tip in pushes.items() if _is_tracked(workspace, ref)}
    while time.monotonic() < until and any(
        refs.read(workspace.repository.handle, ref) != tip for ref, tip in tips.items()
    ):
        time.sleep(_PUSH_STEP)


def _is_tracked(workspace: Workspace, ref: str) -> bool:
    """Return whether a push moves a remote-tracking ref: not if the remote is only a url."""
    name = ref.removeprefix("refs/remotes/")
    return any(name.startswith(f"{remote}/") for remote in workspace.repository.remotes())


def log(folder: Path, text: str) -> None:
    """A line in the log. The older half goes when it has grown too large."""
    path = folder / "hook.log"
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {mask(text).strip()}\n"
    with suppress(OSError):
        check_folder(folder, is_own=False)
        descriptor = open_plain(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with os.fdopen(descriptor, "r+b") as file:
            if os.fstat(descriptor).st_size > _LOG_BYTES:
                file.seek(-_LOG_BYTES // 2, os.SEEK_END)
                newer = file.read()
                file.truncate(0)
                file.write(newer)
            file.write(line.encode(errors="replace"))


def share_in_background(
    workspace: Workspace, remote: str = "", *, direction: str = "full"
) -> "Synced | None":
    """After `git push REMOTE` or `git pull`: share memories where `treering.sync` asks for it.

    Nobody is there to be asked or told: whoever calls logs what is raised.
    """
    from treering.actions.sync import sync  # only this needs the network
    from treering.sync import refspec

    repository = workspace.repository
    if not refspec.is_automatic(repository):
        return None
    name = repository.config("treering.remote") or (
        remote if remote in repository.remotes() else ""
    )
    return sync(workspace, direction, remote=name)
