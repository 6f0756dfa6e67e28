"""What hooks do only where a setting asks for it. They look for a file, and ask no configuration.

The hook that shares memories before `git push` returns, for machines that are thrown away, is
`reference-transaction`. git calls it for every ref it moves, so it is there only with
`treering.sync = wait`. With `treering.guard.push` the hook of a push runs guard first.
"""

from contextlib import suppress

from treering.capture.shims import shims_folder
from treering.git import files
from treering.git.hooks_path import hooks_path, is_inside
from treering.git.repository import Repository

_NAME = "reference-transaction"
_MARK = b"# treering: "


def update_wait_hook(repository: Repository, *, is_leaving: bool = False) -> str:
    """Put the hook where git runs it, or take it away, as `treering.sync` says. Return what to tell
    where it cannot be put there."""
    setting = repository.config("treering.sync") or ""
    is_wanted = setting.lower() == "wait" and not is_leaving
    folder = hooks_path(repository).folder
    path, marker = folder / _NAME, repository.common_dir / "treering" / "wait"
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
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
        files.keep_file(marker, "")
    return ""


def update_push_notice(repository: Repository, *, is_leaving: bool = False) -> None:
    """Let the hook of a push know whether it is to run guard, as `treering.guard.push` says."""
    setting = (repository.config("treering.guard.push") or "off").lower()
    marker = repository.common_dir / "treering" / "guard"
    with suppress(OSError):
        if setting in ("on", "block") and not is_leaving:
            marker.parent.mkdir(parents=True, exist_ok=True)
            files.keep_file(marker, "")
        else:
            marker.unlink(missing_ok=True)
