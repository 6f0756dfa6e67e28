"""The door agents' clients come through: a session begins, a file is read, a context shrinks.

The client is answered first. What has to be written down (the session, a checkpoint) comes
after, when nobody waits for it any more. Nothing here may disturb an agent: whatever goes wrong is
written to the hooks' log.
"""

import json
import os
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from treering.actions.setup.clients import CLIENTS, Events
from treering.actions.workspace import Workspace
from treering.errors import TreeringError
from treering.hooks.deadline import Say
from treering.hooks.tools import list_touched

if TYPE_CHECKING:
    from treering.actions.card import Card
    from treering.actions.handover import Handover, HookSession
    from treering.actions.why.bindings import LineBindings

BUDGET = 1400  # characters: some 350 tokens
#: The moments at which an agent is told something, and the settings that switch each off.
_TOLD = {"start": "start", "prompt": "prompts", "read": "reads", "edit": "edits"}
_LARGEST_INPUT = 1024 * 1024
_LARGEST_BUDGET = 8000
QUESTION = (
    "Before you stop: if this session decided something, or found a cause, that the code alone "
    "does not tell, remember it with treering (what, why, which files); if not, just stop."
)
_ASKING_SECONDS = 0.5  # of the second a hook has
_RECENTLY = 600.0
_MOST_FILES = 50
#: How a client's agent is named in memories.
_AGENTS = {"claude": "claude-code", "gemini": "gemini-cli"}


class HookCall(NamedTuple):
    """One call of a hook: by which client, for what, and with which input."""

    client: str
    event: str
    kind: str
    input: Mapping[str, Any]

    @property
    def agent(self) -> str:
        return _AGENTS.get(self.client, self.client)

    @property
    def session(self) -> str:
        return self.text("session_id") or self.text("conversation_id")

    def text(self, key: str) -> str:
        value = self.input.get(key)
        return value if isinstance(value, str) else ""


def call_of(client: str, event: str, data: bytes) -> HookCall | None:
    """A call we know what to do with, or None: also where a tool touched no file."""
    definition = CLIENTS.get(client.lower())
    events = definition.events if definition else None
    for kind in Events._fields if events else ():
        moment = getattr(events, kind)
        name = moment if isinstance(moment, str) else moment.event
        if not name or name.lower() != event.lower():
            continue
        call = HookCall(client.lower(), name, kind, _parse(data))
        if isinstance(moment, str) or (
            call.text("tool_name") in moment.tools and list_touched(call.client, kind, call.input)
        ):
            return call
    return None


def _parse(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_input(stream: int) -> bytes:
    """Return what a client says on standard input. More than we would look at is not read."""
    data = b""
    while len(data) <= _LARGEST_INPUT:
        part = os.read(stream, 65_536)
        if not part:
            return data
        data += part
    return b""


def handle(
    call: HookCall,
    repo: str,
    open_workspace: Callable[[str], Workspace],
    say: Say,
    *,
    limit: float = 0.0,
) -> None:
    """Answer the client, then write down what is worth it; `limit` is how long it waits."""
    started = time.monotonic()
    if call.kind in ("compact", "end"):
        say(b"")  # nothing to tell, so nobody has to wait; a client that ends would not
    try:
        workspace = open_workspace(_place(call, repo))
    except TreeringError:
        return  # no repository, nothing to say
    try:
        with workspace.call():
            if call.kind in _TOLD:
                _tell(workspace, call, say, started, limit)
            elif call.kind == "stop":
                say(ask(workspace, call))
            _write_down(workspace, call)
    except Exception:
        from treering.hooks.worker import log

        log(workspace.store.folder, traceback.format_exc())


def _place(call: HookCall, repo: str) -> str:
    """Return where the agent works: as given, as the client says, or here."""
    roots = call.input.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    paths = (repo, call.text("cwd"), first if isinstance(first, str) else "")
    return next((path for path in paths if path and Path(path).is_dir()), ".")


# --- saying ---------------------------------------------------------------------------------------


def _tell(workspace: Workspace, call: HookCall, say: Say, started: float, limit: float) -> None:
    """Hand over what concerns this moment. It counts as told where somebody still listened."""
    from treering.actions.handover import HookSession, note_told
    from treering.actions.why.bindings import LineBindings

    session = HookSession(workspace.state, call.session)
    if call.kind == "start" and call.text("source") != "resume":
        session.begin()
    bindings = LineBindings(workspace)
    handed = find_context(workspace, call, session, bindings)
    before = set(session.told)
    if handed.page or call.kind in ("start", "prompt"):
        session.save(
            [offer.card.id for offer in handed.page]
        )  # first: the next call may follow at once
    is_missed = False
    try:
        say(answer(call, handed.text))
    except BrokenPipeError:
        is_missed = True
        session.told = before
        session.save()
    note_told(
        workspace, call.agent, call.session, call.kind, handed.text,
        seconds=time.monotonic() - started, limit=limit, is_missed=is_missed,
    )  # fmt: skip
    bindings.refresh_missed()


def find_context(
    workspace: Workspace, call: HookCall, session: "HookSession", bindings: "LineBindings"
) -> "Handover":
    """Return what the agent is told at the start of a session, or about a prompt or lines."""
    from treering.actions import briefing
    from treering.actions.handover import Handover

    setting = (workspace.repository.config(f"treering.tell.{_TOLD[call.kind]}") or "").lower()
    if setting == "off":
        return Handover()
    budget = _budget(workspace)
    if call.kind == "start":
        return briefing.opening(workspace, budget)
    if call.kind == "prompt":
        prompt = call.text("prompt") or call.text("user_prompt")
        return briefing.relevant(workspace, prompt, budget, session, first_only=setting != "all")
    from treering.hooks.lines import list_lines

    touched = list_touched(call.client, call.kind, call.input)
    lines = list_lines(workspace, touched, call.text("cwd"))
    return briefing.binding(workspace, bindings, lines, budget, session) if lines else Handover()


def _budget(workspace: Workspace) -> int:
    setting = workspace.repository.config("treering.hookbudget") or ""
    return min(int(setting), _LARGEST_BUDGET) if setting.isdecimal() else BUDGET


def answer(call: HookCall, text: str) -> bytes:
    """The text in the form the client documents, and not a byte where there is nothing to say."""
    if not text:
        return b""
    if call.client == "opencode":
        fields: dict[str, Any] = {"text": text}
    elif call.client == "cursor":
        fields = {"additional_context": text}
        if call.kind == "prompt":
            fields = {"continue": True} | fields
    else:
        fields = {"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": text}}
    return json.dumps(fields).encode() + b"\n"


def ask(workspace: Workspace, call: HookCall) -> bytes:
    """Ask an agent that stops to remember what it learned: once a session, in the form that lets
    its client send it on.

    Only where init was run, somebody wants it (`treering.ask`), and there is something to remember:
    it changed code or got over an error, and has remembered nothing. That is looked up in the
    transcript, so an agent whose transcript may not be read is not asked. That it was asked is
    noted first: a client that never hears the question is not asked again at every stop.
    """
    if not call.session or call.input.get("stop_hook_active") is True or not _is_set_up(workspace):
        return b""
    path = call.text("transcript_path")
    if not path or (workspace.repository.config("treering.ask") or "").lower() != "once":
        return b""
    from treering.actions.sessions import read_session
    from treering.capture.sessions import OpenSessions, agent_session_id

    sessions = OpenSessions(workspace.store.folder)
    known = sessions.find(agent_session_id(call.agent, call.session))
    if known and known.is_asked:
        return b""
    transcript = read_session(workspace, call.agent, path, seconds=_ASKING_SECONDS)
    if transcript is None or transcript.has_remembered:
        return b""
    if not transcript.files and not transcript.solved:
        return b""
    branch = workspace.position().scope.branch
    noted = sessions.note(call.agent, call.session, branch, workspace.clock())
    sessions.update(noted._replace(is_asked=True))
    word = "deny" if call.client == "gemini" else "block"
    return json.dumps({"decision": word, "reason": QUESTION}).encode() + b"\n"


# --- writing down ---------------------------------------------------------------------------------


def _write_down(workspace: Workspace, call: HookCall) -> None:
    """The session, and before a compaction where the work stands; only where init was run: a plugin
    is everywhere, and a repository nobody set up is not ours to write to."""
    if not call.session or not _is_set_up(workspace) or call.kind in ("prompt", "read", "edit"):
        return
    if call.kind == "compact":
        _save_checkpoint(workspace, call)
    elif call.kind == "stop" and _was_heard_of(workspace, call):
        return
    from treering.actions.sessions import (
        NOTHING,
        read_session,
        record_agent_session,
        tell_session,
    )

    account = NOTHING
    if call.kind != "start" and call.text("transcript_path"):
        transcript = read_session(workspace, call.agent, call.text("transcript_path"))
        account = tell_session(workspace, transcript)
    event = call.kind if call.kind in ("start", "end") else "work"
    record_agent_session(workspace, call.agent, call.session, event, workspace.clock(), account)


def _is_set_up(workspace: Workspace) -> bool:
    return (workspace.store.folder / "journal").is_dir()


def _was_heard_of(workspace: Workspace, call: HookCall) -> bool:
    """An agent stops after every turn: to write that down each time would be noise."""
    from treering.capture.sessions import OpenSessions, agent_session_id

    known = OpenSessions(workspace.store.folder).find(agent_session_id(call.agent, call.session))
    return known is not None and abs(workspace.clock() - known.written) < _RECENTLY


def _save_checkpoint(workspace: Workspace, call: HookCall) -> None:
    """Save the state of the work: the tracked files that changed. What was last saved on the branch
    is carried on: it would be hidden behind a newer checkpoint that knows less. A checkpoint is
    shared, so what was typed for the compaction is not in it."""
    from treering.actions.checkpoint import load, save
    from treering.text.masking import mask
    from treering.text.secrets import secrets_in

    last = load(workspace)
    if not last["checkpoint"] or not _is_own(workspace, last["checkpoint"]):
        last |= {"summary": "", "next_steps": [], "open_files": []}
    summary = last["summary"] or f"Before the context was compacted ({call.agent})."
    files = workspace.repository.list_changed_files()[:_MOST_FILES] or last["open_files"]
    if not (last["summary"] or files):
        return  # it would say that a context was compacted, and nothing else
    save(
        workspace,
        summary=mask(summary),
        next_steps=[mask(step) for step in last["next_steps"]],
        open_files=[file for file in files if not secrets_in(file)],
        session=mask(call.session),
        caller=call.agent,
    )


def _is_own(workspace: Workspace, saved: "Card") -> bool:
    here = workspace.position().scope.branch
    return bool(saved.branch == here and saved.origin == "you")
