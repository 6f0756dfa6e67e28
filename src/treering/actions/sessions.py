"""Sessions of agents, as their clients' own hooks tell of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from treering.actions.drain import drain_briefly
from treering.actions.inputs import line_given
from treering.actions.workspace import Change, Workspace, Writing
from treering.capture import commits, sessions
from treering.capture.sessions import OpenSessions, agent_session_id
from treering.capture.transcripts import account
from treering.capture.transcripts.reading import SECONDS, read_transcript
from treering.capture.transcripts.transcript import Transcript
from treering.errors import Invalid
from treering.model.choices import TRANSCRIPT_USES, TranscriptUse
from treering.model.memory import Memory
from treering.text.masking import mask_memory

START, END = "start", "end"


class Account(NamedTuple):
    """An account of a session: a title, the text, and the files it changed."""

    text: str
    asked: str = ""
    files: tuple[str, ...] = ()
    is_private: bool = False


NOTHING = Account("")


def record_agent_session(
    workspace: Workspace,
    agent: str,
    session: str,
    event: str,
    when: float,
    account: Account = NOTHING,
) -> str:
    """Write down that an agent's session began, goes on, or ended; the id of its memory.

    `event` is `start` or `end`, any other word says that the agent is still at work. Commits
    captured on the branch while the session is open become part of it. There is no memory of a
    session in which nothing happened.
    """
    agent, session = line_given(agent, "agent"), line_given(session, "session")
    if not agent or not session:
        raise Invalid("A session needs the name of its agent and its id.")
    drain_briefly(workspace)  # commits made so far belong to what was open when they were made
    branch = workspace.position().scope.branch
    still_open = OpenSessions(workspace.store.folder)
    known = still_open.note(agent, session, branch, when)
    if event != START:
        write_session(workspace, (agent, session), (known.start, when), account)
        still_open.update(known._replace(written=when))
    if event == END:
        still_open.close(known.id)
    return known.id


def write_session(
    workspace: Workspace,
    names: tuple[str, str],
    times: tuple[float, float],
    account: Account,
) -> bool:
    """Write down the session of an agent, as it is now; whether there was something new to say.

    What was told of it before is told again where there is nothing newer. One that somebody forgot
    stays forgotten.
    """

    def attempt(writing: Writing) -> bool:
        made = _commits(workspace, writing, agent_session_id(*names), times[0])
        change = change_of(workspace, writing, names, times, account, made)
        if change:
            writing.commit("capture", [change, *_join(writing, change.memory)], allow_secret=True)
        return change is not None

    return workspace.write("", attempt)


def change_of(
    workspace: Workspace,
    writing: Writing,
    names: tuple[str, str],
    times: tuple[float, float],
    account: Account,
    made: Sequence[Memory] = (),
) -> Change | None:
    """The session as it is to be written, with the commits made in it; None where it says nothing,
    or nothing new."""
    start, end = times
    who = str(workspace.person)
    fresh = sessions.agent_session(*names, writing.scope.branch, who, start)
    place = writing.view.place(fresh.id)
    old = place.memory() if place else fresh
    if old.is_forgotten:
        return None
    new = sessions.tell(old, account.text, account.asked, account.files)
    for memory in made:
        new = sessions.add_commit(new, memory)
    if new == old and place:
        return None  # that time went by is no news
    new = sessions.lasting_until(new, end)
    new = mask_memory(sessions.describe(new, _known_commits(writing, new)))
    if not sessions.is_worth_reading(new):
        return None
    # What was private once stays so: nobody was asked whether it may be shared.
    is_private = account.is_private or bool(place and place.is_private)
    return Change(new, place, is_private)


def _commits(workspace: Workspace, writing: Writing, session: str, start: float) -> list[Memory]:
    """The commits made in a session that it may not name yet: there was no memory of it then."""
    head = writing.position.head
    oids = workspace.repository.history([head], since=start) if head else []
    places = (writing.view.place(commits.memory_id(oid)) for oid in oids)
    memories = (place.try_memory() for place in places if place)
    return [memory for memory in memories if memory and memory.session == session]


def _known_commits(writing: Writing, session: Memory) -> list[Memory]:
    places = (writing.view.place(commits.memory_id(oid)) for oid in sessions.commits_of(session))
    return [memory for place in places if place and (memory := place.try_memory())]


def _join(writing: Writing, session: Memory) -> Sequence[Change]:
    """The commits of a session that do not say yet that they are part of it."""
    changes = []
    for memory in _known_commits(writing, session):
        if (joined := sessions.join(memory, session)) != memory:
            place = writing.view.place(memory.id)
            changes.append(Change(joined, place, bool(place and place.is_private)))
    return changes


def transcript_use(workspace: Workspace) -> TranscriptUse:
    """Return what `treering.transcripts` says. A word that is not known keeps what it is about to
    itself: nothing is read."""
    word = (workspace.repository.config("treering.transcripts") or TRANSCRIPT_USES[0]).lower()
    return next((use for use in TRANSCRIPT_USES if use == word), "off")


def read_session(
    workspace: Workspace, agent: str, path: str, *, seconds: float = SECONDS
) -> Transcript | None:
    """The transcript a client's hook names; None where none may be read, or it is not one."""
    if not path or transcript_use(workspace) == "off":
        return None
    return read_transcript(Path(path), agent, seconds=seconds, foreign=workspace.repository.workdir)


def tell_session(
    workspace: Workspace, transcript: Transcript | None, *, is_private: bool = False
) -> Account:
    """Return what a transcript tells of its session; nothing where nothing came of it."""
    if transcript is None or transcript.is_empty:
        return NOTHING
    root = _root_of(workspace, transcript)
    return Account(
        account.tell(transcript, root),
        account.first_prompt(transcript),
        tuple(account.paths_below(root, transcript.cwd, transcript.files)),
        is_private or transcript_use(workspace) == "private",
    )


def _root_of(workspace: Workspace, transcript: Transcript) -> Path | None:
    """The work tree a session was in, from whose top its files are named."""
    roots = workspace.repository.worktree_paths()
    inside = (root for root in roots if Path(transcript.cwd).is_relative_to(root))
    return next(inside, roots[0] if roots else None)
