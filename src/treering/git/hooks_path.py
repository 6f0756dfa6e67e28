"""The folder where git looks for the hooks of a repository, and the hooks in it."""

import os
from pathlib import Path
from typing import NamedTuple

from treering.git import config
from treering.git.repository import Repository

#: Hooks for which a script that does nothing is the same as none.
HARMLESS = (
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
)
#: Hooks whose mere presence costs time at every ref update or changes what git does.
DELICATE = (
    "reference-transaction",
    "proc-receive",
    "push-to-checkout",
    "post-index-change",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-prepare-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
)


class HooksPath(NamedTuple):
    """The folder git takes hooks from, and who says so: git itself, or a level of configuration."""

    folder: Path
    level: str


def hooks_path(repository: Repository) -> HooksPath:
    """As `git rev-parse --git-path hooks` would answer at the top of the work tree."""
    levels = config.read_levels(repository.git_dir, "core.hooksPath", "--type=path")
    level, path = levels[-1] if levels else ("", "")
    if not path:
        return HooksPath(repository.common_dir / "hooks", "")
    # A relative path is taken from where hooks run.
    base = repository.workdir or repository.git_dir
    return HooksPath(Path(os.path.normpath(base / path)), level)


def is_inside(folder: Path, outer: Path) -> bool:
    """Return whether a folder is in another one, links followed as far as they exist."""
    return folder.resolve().is_relative_to(outer.resolve())
