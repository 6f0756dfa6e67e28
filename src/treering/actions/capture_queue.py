"""Captures that wait for the lock together share one commit.

An agent that remembers eight things at once would wait for the disk eight times. Whoever comes
first writes alone; what comes meanwhile waits, and the next one writes all of it. Each is told of
its memory only when that is on disk. One that cannot be written with others, or fails among them,
is tried by itself: it takes nobody down, and gets the answer it would have got alone.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.actions.writing import Writing

MOST = 32  # in one commit
_MOMENT = 0.003  # seconds


class WaitingCapture:
    """One capture: where it is to be written, what writes it, and what came of it."""

    def __init__(
        self, workspace: "Workspace", branch: str, attempt: Callable[["Writing"], Any]
    ) -> None:
        self.workspace = workspace
        self.branch = branch
        self.attempt = attempt
        self.is_done = False
        self._answer: Any = None
        self._error: BaseException | None = None

    def finish(self, answer: Any) -> None:
        self._answer, self.is_done = answer, True

    def write_alone(self) -> None:
        try:
            self.finish(self.workspace.write(self.branch, self.attempt))
        except Exception as error:
            self._error, self.is_done = error, True

    def answer(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._answer


class CaptureQueue:
    """The captures of one process in one repository."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._waiting: list[WaitingCapture] = []
        self._is_busy = False
        self._last_size = 0

    def write(self, capture: WaitingCapture) -> Any:
        """Write a capture, with others that wait or after them; what its attempt answered."""
        with self._turn:
            self._waiting.append(capture)
            while self._is_busy and not capture.is_done:
                self._turn.wait()
            if capture.is_done:
                return capture.answer()
            self._is_busy = True
            if self._last_size > 1:
                self._turn.wait(_MOMENT)  # those who wrote together are about to come again
            captures = self._take(capture)
        try:
            _write_all(captures)
        finally:
            with self._turn:
                # Where this thread was interrupted, the others' turn is still to come.
                rest = [c for c in captures if not c.is_done and c is not capture]
                self._waiting = rest + self._waiting
                self._is_busy, self._last_size = False, len(captures)
                self._turn.notify_all()
        return capture.answer()

    def _take(self, capture: WaitingCapture) -> list[WaitingCapture]:
        """A capture and those that wait for the same branch, in the order they came."""
        others = [c for c in self._waiting if c.branch == capture.branch and c is not capture]
        batch = {capture, *others[: MOST - 1]}
        captures = [c for c in self._waiting if c in batch]
        self._waiting = [c for c in self._waiting if c not in batch]
        return captures


def _write_all(captures: list[WaitingCapture]) -> None:
    first = captures[0]
    if len(captures) > 1:
        try:
            pairs = first.workspace.write(first.branch, lambda w: _write_group(w, captures))
            for capture, answer in pairs:
                capture.finish(answer)
        except Exception:  # noqa: S110  each is tried by itself, and gets its own error
            pass
    for capture in captures:
        if not capture.is_done:
            capture.write_alone()


def _write_group(
    writing: "Writing", captures: list[WaitingCapture]
) -> list[tuple[WaitingCapture, Any]]:
    """Write what can be written together; the answers of those."""
    answers = []
    with writing.gather() as group:
        for capture in captures:
            count = len(group.changes)
            try:
                answers.append((capture, capture.attempt(writing)))
            except Exception:
                group.go_back(count)
    return answers
