"""Sessions of agents, as their clients' own hooks tell of them."""

from treering.actions.drain import drain_briefly
from treering.actions.inputs import line_given
from treering.actions.workspace import Change, Workspace, Writing
from treering.capture import commits, sessions
from treering.capture.sessions import OpenSessions
from treering.errors import Invalid
from treering.model.memory import Memory
from treering.store.view import View
from treering.text.masking import mask_memory

END = "end"


def record_agent_session(
    workspace: Workspace,
    agent: str,
    session: str,
    event: str,
    when: float,
    summary: str = "",
) -> str:
    """Write down that an agent's session began, goes on, or ended; the id of its memory.

    `event` is `start` or `end`, any other word says that the agent is still at work. Commits
    captured on the branch while the session is open become part of it.
    """
    agent, session = line_given(agent, "agent"), line_given(session, "session")
    if not agent or not session:
        raise Invalid("A session needs the name of its agent and its id.")
    drain_briefly(workspace)  # commits made so far belong to what was open when they were made

    def attempt(writing: Writing) -> tuple[str, str]:
        branch, view = writing.scope.branch, writing.view
        fresh = sessions.agent_session(agent, session, branch, str(workspace.person), when)
        place = view.place(fresh.id)
        old = place.memory() if place else fresh
        new = sessions.lasting_until(old, when, summary)
        new = mask_memory(sessions.describe(new, _commits(view, new)))
        if place is None or new != old:
            writing.commit("capture", [Change(new, place, is_private=False)], allow_secret=True)
        return new.id, branch

    memory_id, branch = workspace.write("", attempt)
    still_open = OpenSessions(workspace.store.folder)
    if event == END:
        still_open.close(memory_id)
    else:
        still_open.note(memory_id, branch, when)
    return memory_id


def _commits(view: View, session: Memory) -> list[Memory]:
    places = (view.place(commits.memory_id(oid)) for oid in sessions.commits_of(session))
    return [place.memory() for place in places if place]
