"""What an import answers, whatever it read."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Failure:
    line: int
    where: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a dry run would import."""

    type: str
    title: str
    branch: str


@dataclass(frozen=True, slots=True)
class Imported:
    imported: int
    skipped: int
    errors: tuple[Failure, ...]
    source: str | None = None
    dry_run: bool | None = None
    preview: tuple[Preview, ...] | None = None
    #: The command that undoes it; prompts stay.
    back: str | None = None
