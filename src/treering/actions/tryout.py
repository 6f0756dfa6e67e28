"""try: what the history of a repository already knows. Nothing is set up, and nothing written."""

import fnmatch
import re
import time
from collections.abc import Iterator
from typing import NamedTuple

from treering.actions.why.source import is_text
from treering.actions.workspace import Workspace
from treering.call import Call, ways
from treering.errors import Invalid, TreeringError
from treering.git import log
from treering.git.blame import LineRun, blame
from treering.model.dates import format_moment
from treering.model.tables import read_word_list
from treering.text.passages import reason_of_message, split_sentences

_MOST_COMMITS = 20_000
_RECENT = 80
_MOST_FINDINGS = 5
_SECONDS = 12.0
_BLAME_SECONDS = 8.0
_LARGEST = 512 * 1024
_LONGEST_REASON = 300
_NOT_CODE = ("*.md", "*.rst", "*.txt", "*.yml", "*.yaml", "*.toml")
#: How English gives a reason.
_CAUSE = r"\b(because|since|so that|otherwise|instead of|in order to|to avoid|due to|would|broke)\b"


class HistoryFinding(NamedTuple):
    """Lines of a file that was changed lately, and the commit that gives the reason for them."""

    path: str
    first: int
    last: int
    commit: str
    when: str
    author: str
    subject: str
    reason: str

    def as_json(self) -> dict[str, object]:
        """In the contract's words, two of which are none of Python's."""
        fields = {name: value for name, value in self._asdict().items() if value != 0}
        names = {"first": "from", "last": "to"}
        return {names.get(name, name): value for name, value in fields.items()}


class Tryout(NamedTuple):
    """How much of the history gives reasons, and some of them."""

    commits: int
    with_reason: int
    findings: tuple[HistoryFinding, ...]
    seconds: float
    #: The call that takes all of it in.
    next: str


def try_out(workspace: Workspace) -> Tryout:
    """Read the history, and name the reasons behind lines that were changed lately."""
    started = time.monotonic()
    repository = workspace.repository
    head = workspace.position().head
    if head is None:
        raise Invalid("There is no commit here yet.", hint="Try it where there is some history.")
    commits = list(log.read_log(repository.git_dir, [head], most=_MOST_COMMITS))
    reasons = {
        c.oid: c
        for c in commits
        if len(c.parents) < 2 and "[bot]" not in c.author and reason_of_message(c.message)
    }
    found = list(_explain_recent(workspace, head, reasons, started + _SECONDS))
    found.sort(key=lambda finding: not re.search(_CAUSE, finding.reason, re.IGNORECASE))
    findings: dict[str, HistoryFinding] = {}
    for finding in found:
        if len(findings) < _MOST_FINDINGS:
            findings.setdefault(finding.commit, finding)
    for finding in _list_newest(workspace, reasons):
        if len(findings) >= _MOST_FINDINGS - 2:
            break
        findings.setdefault(finding.commit, finding)
    return Tryout(
        len(commits), len(reasons), tuple(findings.values()),
        round(time.monotonic() - started, 1), ways(Call("init"), Call("backfill")),
    )  # fmt: skip


def _explain_recent(
    workspace: Workspace, head: str, reasons: dict[str, log.LogCommit], until: float
) -> Iterator[HistoryFinding]:
    """Yield, of each file changed lately, the lines that an earlier commit gives a reason for."""
    repository = workspace.repository
    recent = list(
        log.read_changes(repository.git_dir, [head], without=(), most=_RECENT, may_lack=True)
    )
    newest = {commit.oid for commit, _ in recent}
    patterns = read_word_list("words", "generated")
    paths = dict.fromkeys(
        file.path for commit, files in reversed(recent) if len(commit.parents) < 2 for file in files
    )
    for path in paths:
        if time.monotonic() > until:
            return
        name = path.rpartition("/")[2]
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in (*patterns, *_NOT_CODE)):
            continue
        runs = _blame(workspace, head, path)
        told = [run for run in runs if run.commit in reasons and run.commit not in newest]
        if told:
            run = max(told, key=lambda each: (min(each.size, 20), -each.first))
            yield _make_finding(reasons[run.commit], path, run.first, run.first + run.size - 1)


def _blame(workspace: Workspace, head: str, path: str) -> list[LineRun]:
    repository = workspace.repository
    blob = repository.blob_at(head, path)
    if blob is None:
        return []  # it is gone by now
    try:
        text = repository.objects.blob(blob, most=_LARGEST)
        if not is_text(text):
            return []
        return blame(repository, head, path, seconds=_BLAME_SECONDS)
    except TreeringError:
        return []


def _list_newest(
    workspace: Workspace, reasons: dict[str, log.LogCommit]
) -> Iterator[HistoryFinding]:
    """Yield the newest reasons, where lines lead to too few."""
    git_dir = workspace.repository.git_dir
    newest = list(reasons)[:_MOST_FINDINGS]
    for commit, files in log.read_changes(git_dir, newest, without=(), is_walked=False):
        yield _make_finding(commit, files[0].path if files else "", 0, 0)


def _make_finding(commit: log.LogCommit, path: str, first: int, last: int) -> HistoryFinding:
    subject = commit.message.strip().partition("\n")[0]
    reason = reason_of_message(commit.message)
    sentences = [sentence.text for sentence in split_sentences(reason)]
    said = next((s for s in sentences if re.search(_CAUSE, s, re.IGNORECASE)), "") or reason
    text = " ".join(said.split())
    if len(text) > _LONGEST_REASON:
        text = f"{text[:_LONGEST_REASON].rpartition(' ')[0]} …"
    when = format_moment(commit.time)[:10]
    return HistoryFinding(path, first, last, commit.oid, when, commit.author, subject, text)
