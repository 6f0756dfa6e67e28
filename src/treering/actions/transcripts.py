"""Transcripts of agents, as far as they may be read here, made into what a session tells."""

from pathlib import Path

from treering.actions.sessions import NOTHING, Account
from treering.actions.workspace import Workspace
from treering.capture.transcripts import account
from treering.capture.transcripts.reading import SECONDS, read_transcript
from treering.capture.transcripts.transcript import Transcript
from treering.model.choices import TRANSCRIPT_USES, TranscriptUse


def transcript_use(workspace: Workspace) -> TranscriptUse:
    """What `treering.transcripts` says. A word that is not known keeps what it is about to itself:
    nothing is read."""
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
    """What a transcript tells of its session; nothing where nothing came of it."""
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
