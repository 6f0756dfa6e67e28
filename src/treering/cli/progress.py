"""A progress bar for people who wait, and silence for everyone else."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Progress = Callable[[int, int], None]


@contextmanager
def progress_bar(label: str, *, quiet: bool) -> Iterator[Progress | None]:
    """A bar on standard error while it is a terminal; the total is known with the first step."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = click.progressbar(length=0, label=label, file=sys.stderr)

    def step(done: int, total: int) -> None:
        bar.length = total
        bar.update(done - bar.pos)

    with bar:
        yield step
