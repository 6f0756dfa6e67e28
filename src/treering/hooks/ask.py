"""What an agent is asked when it stops: once a session, in a sentence, to remember what it learned.

Only where somebody wants it (`treering.ask`), and where there is something to remember: it changed
code or got over an error, and has remembered nothing. It is looked up in the transcript, so an
agent whose transcript may not be read is not asked.
"""

from treering.actions.sessions import read_session
from treering.actions.workspace import Workspace
from treering.capture.sessions import OpenSessions, agent_session_id
from treering.capture.transcripts.transcript import Transcript

QUESTION = (
    "Before you stop: if this session decided something, or found a cause, that the code alone "
    "does not tell, remember it with treering (what, why, which files); if not, just stop."
)
_SECONDS = 0.5  # of the second a hook has


def wants_asking(workspace: Workspace) -> bool:
    return (workspace.repository.config("treering.ask") or "").lower() == "once"


def question_for(workspace: Workspace, agent: str, session: str, path: str) -> str:
    """What to ask an agent that stops, or nothing. That it was asked is noted first: a client that
    never hears the question is not asked again, rather than asked at every stop."""
    sessions = OpenSessions(workspace.store.folder)
    known = sessions.find(agent_session_id(agent, session))
    if known and known.is_asked:
        return ""
    transcript = read_session(workspace, agent, path, seconds=_SECONDS)
    if transcript is None or not _has_something_to_say(transcript):
        return ""
    branch = workspace.position().scope.branch
    noted = sessions.note(agent, session, branch, workspace.clock())
    sessions.update(noted._replace(is_asked=True))
    return QUESTION


def _has_something_to_say(transcript: Transcript) -> bool:
    return not transcript.has_remembered and bool(transcript.files or transcript.solved)
