"""What maintain was asked for, as every operation gets it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treering.actions.tidying.writer import Writer

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class MaintainRequest:
    """One call of maintain, its numbers checked; an operation uses what it has use for.

    `branch`, `ids`, `type` and `query` choose memories. `content` and `title` are texts somebody
    wrote, else `writer` writes them. `progress` is called between the steps of what counts them.
    """

    branch: str
    into: str
    ids: Sequence[str]
    type: str
    query: str
    content: str
    title: str
    threshold: float
    min_confidence: float
    limit: int
    remote: str
    direction: str
    purge: bool
    older_than: str
    force: bool
    keep_lessons: bool
    before_sync: bool
    undo: bool
    dry_run: bool
    writer: Writer | None
    progress: Progress | None
