"""The machine under us: may we write, does the disk keep what it is given, is YAML fast."""

import os
from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.actions.workspace import Workspace
from treering.git import lock


def machine(workspace: Workspace) -> Iterator[Finding]:
    import yaml

    if not os.access(workspace.repository.common_dir, os.W_OK):
        said = "The repository cannot be written, only read."
        yield Finding("read-only", "info", said, "Nothing can be repaired here.")

    if not hasattr(yaml, "CSafeLoader"):
        yield Finding(
            "slow-yaml",
            "warning",
            "PyYAML has no C loader here: reading is 8x slower.",
            "Install PyYAML from a wheel, or libyaml and its headers.",
        )
    try:
        if not lock.is_flock_supported(workspace.repository.common_dir):
            yield Finding(
                "no-flock",
                "info",
                "The file system has no flock. A pid file is used.",
                "If several hosts write, keep the repository on a local disk.",
            )
    except OSError:
        return
    if not workspace.is_synced:
        yield Finding(
            "no-fsync",
            "info",
            "treering.fsync is off: a power cut can lose memories.",
            "treering config --unset fsync",
        )
