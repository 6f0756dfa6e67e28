"""What init added to a repository, written down so that uninstall takes back that and no more.

The file lies in the common dir, in no folder that may be deleted. Where it is lost, marked blocks
and keys with our names are still found by what they are.
"""

import contextlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from treering.errors import StorageFailed
from treering.git.files import make_shared_folder, read_file, replace_file
from treering.git.repository import Repository


@dataclass(frozen=True, slots=True)
class ClientFile:
    """One file of an agent's client, below the top of a work tree: what was put in, and what the
    file was then."""

    top: str
    path: str
    insertions: tuple[tuple[int, str], ...]
    digest: str
    is_created: bool
    folders: tuple[str, ...] = ()


@dataclass(slots=True)
class InitRecord:
    """Everything init added, up to now."""

    is_known: bool = False
    has_hooks: bool = False
    folders: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    previous_hooks_path: str = ""
    config: list[tuple[str, str]] = field(default_factory=list)
    files: dict[str, ClientFile] = field(default_factory=dict)

    @classmethod
    def read(cls, repository: Repository) -> "InitRecord":
        try:
            said = json.loads(read_file(_path(repository)))
            return _of(said)
        except (OSError, ValueError, TypeError, KeyError):
            return cls()

    def write(self, repository: Repository) -> None:
        path = _path(repository)
        try:
            make_shared_folder(path.parent)
            replace_file(path, json.dumps(asdict(self), indent=1).encode(), mode=0o600)
        except OSError as error:
            raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error

    @staticmethod
    def remove(repository: Repository) -> None:
        with contextlib.suppress(FileNotFoundError):
            _path(repository).unlink()


def _path(repository: Repository) -> Path:
    return repository.common_dir / "treering" / "init.json"


def _of(said: dict[str, Any]) -> InitRecord:
    files = {
        path: ClientFile(
            top=str(file["top"]),
            path=str(file["path"]),
            insertions=tuple((int(at), str(text)) for at, text in file["insertions"]),
            digest=str(file["digest"]),
            is_created=bool(file["is_created"]),
            folders=tuple(map(str, file["folders"])),
        )
        for path, file in said["files"].items()
    }
    return InitRecord(
        is_known=True,
        has_hooks=bool(said["has_hooks"]),
        folders=[str(folder) for folder in said["folders"]],
        created=[str(name) for name in said["created"]],
        previous_hooks_path=str(said["previous_hooks_path"]),
        config=[(str(key), str(value)) for key, value in said["config"]],
        files=files,
    )
