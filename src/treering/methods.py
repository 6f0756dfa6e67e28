"""Actions as methods of the Python door."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from treering.actions.workspace import Workspace
from treering.operations import Operations

P = ParamSpec("P")
Answer = TypeVar("Answer")


def offer(
    action: Callable[Concatenate[Workspace, P], Answer], doc: str
) -> Callable[Concatenate[Operations, P], Answer]:
    """An action as a method, with a text for those who know nothing of workspaces."""

    @wraps(action)
    def method(self: Operations, /, *args: P.args, **options: P.kwargs) -> Answer:
        return action(self._workspace, *args, **options)

    _, *parameters = inspect.signature(action).parameters.values()
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    setattr(method, "__signature__", inspect.Signature([first, *parameters]))  # noqa: B010
    method.__doc__ = inspect.cleandoc(doc)
    return method
