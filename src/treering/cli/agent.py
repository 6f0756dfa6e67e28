"""A hook of an agent's client, answered without click: a client waits for it at every step."""

import gc
import os

from treering.cli.caller import open_workspace
from treering.hooks.deadline import Say, answer_within

#: What starting and ending takes of the seconds a client waits for its hook.
_SPARE, _TOOL_SPARE, _LONGEST = 1.0, 0.4, 60.0


def answer_client(repo: str, client: str, event: str) -> None:
    """Answer one call of a hook within the time its client waits, or not at all."""
    gc.freeze()  # what is imported stays
    gc.enable()

    def work(say: Say) -> None:
        from treering.hooks.agent import call_of, handle, read_input

        if call := call_of(client, event, read_input(0)):
            handle(call, repo, open_workspace, say, limit=seconds)

    seconds = _deadline(client, event)
    try:
        answer = answer_within(seconds, work)
    except OSError:
        return
    os.write(1, answer)


def _deadline(client: str, event: str) -> float:
    """As long as the client waits, unless it was told to wait longer, or should not."""
    from treering.actions.setup.clients import HOOK_TIMEOUT, TOOL_TIMEOUT, is_tool_event

    try:
        return min(float(os.environ["TREERING_HOOK_SECONDS"]), _LONGEST)
    except (KeyError, ValueError):
        if is_tool_event(client, event):
            return TOOL_TIMEOUT - _TOOL_SPARE
        return HOOK_TIMEOUT - _SPARE
