"""Small files that are replaced whole."""

import contextlib
import os
from pathlib import Path


def replace_file(path: Path, text: str) -> bool:
    """Write beside and move into place, so that a reader finds the old text or the new one; whether
    it could be written."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        return False
    return True
