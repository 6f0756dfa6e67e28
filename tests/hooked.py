"""Hooks under test: our shims put into a repository, and a way to wait until the worker is done."""

import fcntl
import shutil
import sys
import time
from pathlib import Path

from treering.capture.journal import HOOKS, Journal, shim

TREERING = Path(sys.executable).with_name("treering")
#: Every POSIX shell here; dash is /bin/sh on Debian, busybox on Alpine, bash elsewhere.
SHELLS = {
    "dash": shutil.which("dash"),
    "bash": shutil.which("bash"),
    "busybox": shutil.which("busybox"),
}
PRESENT = [name for name, path in SHELLS.items() if path]
_PATIENCE = 60.0
_STARTS = b'[ -f "$treering/worker" ] && IFS= read'


def shebang(shell: str) -> bytes:
    return f"#!{SHELLS[shell]}{' sh' if shell == 'busybox' else ''}\n".encode()


class Hooked:
    """The hooks of one repository: installed, and looked after."""

    def __init__(self, common_dir: Path) -> None:
        self.folder = common_dir / "treering"
        self.lock = common_dir / "treering-worker.lock"
        self.hooks = common_dir / "hooks"
        self.journal = Journal(self.folder)

    def install(
        self, worker: Path | str = TREERING, shell: str = "", *, only_notes: bool = False
    ) -> "Hooked":
        """Our shims, whole, or cut before they start anybody: with those no moment decides who has
        the worker's lock."""
        self.journal.make()
        self.lock.touch(mode=0o600)
        (self.folder / "worker").write_text(f"{worker}\n")
        self.hooks.mkdir(exist_ok=True)
        for name in HOOKS:
            text = shim(name)
            if only_notes:
                text = text[: text.rindex(_STARTS)]
            if shell:
                text = shebang(shell) + text.partition(b"\n")[2]
            (self.hooks / name).write_bytes(text)
            (self.hooks / name).chmod(0o755)
        return self

    def events(self) -> list[tuple[str, ...]]:
        """What was noted: event, HEAD, commit, and the rest."""
        return [(e.name, e.head, e.commit, *e.input_lines) for e in self.journal.events()]

    def settle(self) -> None:
        """Wait until nothing is pending and no worker runs."""
        until = time.monotonic() + _PATIENCE
        while self.journal.pending() or self._is_working():
            assert time.monotonic() < until, f"still pending: {self.events()} {self.log()}"
            time.sleep(0.01)
        assert self.log() == ""

    def _is_working(self) -> bool:
        """Whether a worker is at it: it has the lock from when a shim started it."""
        try:
            with self.lock.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def log(self) -> str:
        path = self.folder / "hook.log"
        return path.read_text() if path.exists() else ""
