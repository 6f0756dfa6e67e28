"""Programs that must never run: each leaves its name behind when it does."""

from pathlib import Path


class Trap:
    """A folder of programs, and the names of those that ran."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._marks = folder / "ran"
        self._marks.mkdir(parents=True)

    def program(self, name: str) -> str:
        """A program to name in a setting, or to put where one is looked for."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n: >'{self._marks}/{name}'\nexit 1\n")
        path.chmod(0o755)
        return str(path)

    def module(self, name: str) -> str:
        """Python that tells on itself when it is imported."""
        return f"open({str(self._marks / name)!r}, 'w').close()\n"

    def ran(self) -> list[str]:
        return sorted(mark.name for mark in self._marks.iterdir())
