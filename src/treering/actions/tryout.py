"""try: what the history of a repository already knows. Nothing is set up, and nothing written."""

import fnmatch
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.actions.why.overruled import read_edits
from treering.actions.why.source import is_text
from treering.actions.workspace import Workspace
from treering.call import Call, ways
from treering.errors import Invalid, TreeringError
from treering.git import log
from treering.git.blame import LineRun, blame
from treering.git.diff import find_removal, list_changed_files
from treering.model.dates import format_moment
from treering.model.tables import read_word_list
from treering.text.passages import reason_of_message, split_sentences

_MOST_COMMITS = 20_000
_RECENT = 80
_MOST_FINDINGS = 5
_SECONDS = 12.0
_BLAME_SECONDS = 8.0
_MAX_FILE = 512 * 1024
_LONGEST_REASON = 300
#: Commits of more files are sweeping changes; fewer lines are no reason overruled.
_MOST_FILES, _FEWEST_LINES = 20, 3
#: Files with rules for agents, and how many paths they name are looked for in the history.
_RULES, _MOST_ASKED = ("AGENTS.md", "CLAUDE.md"), 8
_NOT_CODE = ("*.md", "*.rst", "*.txt", "*.yml", "*.yaml", "*.toml")
#: How English gives a reason.
_CAUSE = r"\b(because|since|so that|otherwise|instead of|in order to|to avoid|due to|would|broke)\b"


_Recent = Sequence[tuple[log.LogCommit, Sequence[log.CommitFile]]]
_Reasons = Mapping[str, log.LogCommit]


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
    #: The recent commit that took these lines away.
    overruled_by: str | None = None

    def as_json(self) -> dict[str, object]:
        """In the contract's words, two of which are none of Python's."""
        fields = {name: value for name, value in self._asdict().items() if value not in (0, None)}
        names = {"first": "from", "last": "to"}
        return {names.get(name, name): value for name, value in fields.items()}


class Tryout(NamedTuple):
    """The share of the history that gives reasons, and some of them."""

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
    recent = list(
        log.read_changes(repository.git_dir, [head], without=(), most=_RECENT, may_lack=True)
    )
    found = list(_explain_recent(workspace, head, recent, reasons, started + _SECONDS))
    found.sort(key=_rank)
    findings: dict[str, HistoryFinding] = {}
    overruled = _find_overruled(workspace, recent, reasons, time.monotonic() + _SECONDS / 2)
    for finding in (*overruled, *_find_broken_rules(workspace, head)):
        findings.setdefault(finding.commit, finding)
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


def _rank(finding: HistoryFinding) -> tuple[bool, bool]:
    """Whole sentences come before the items of a list, which a squash makes of subjects; those that
    give a cause come first."""
    is_item = finding.reason.startswith(("* ", "- "))
    return is_item, not re.search(_CAUSE, finding.reason, re.IGNORECASE)


def _find_overruled(
    workspace: Workspace, recent: _Recent, reasons: _Reasons, until: float
) -> list[HistoryFinding]:
    """Find the reason that recent commits overruled most: lines of its commit that are gone, and
    were most of what was left of them in a file."""
    best: tuple[int, HistoryFinding] | None = None
    for commit, files in reversed(recent):
        if len(commit.parents) != 1 or len(files) > _MOST_FILES or time.monotonic() > until:
            continue
        changes = list_changed_files(workspace.repository, commit.parents[0], commit.oid)
        for edit in read_edits(workspace.repository, changes):
            name, gone = edit.path.rpartition("/")[2], set(edit.removed)
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in _NOT_CODE):
                continue
            lines: dict[str, list[int]] = {}
            for run in _blame(workspace, commit.parents[0], edit.path):
                lines.setdefault(run.commit, []).extend(range(run.first, run.first + run.size))
            for oid, numbers in lines.items():
                taken = gone.intersection(numbers)
                if oid not in reasons or len(taken) < max(_FEWEST_LINES, len(numbers) / 2):
                    continue
                finding = _make_finding(reasons[oid], edit.path, min(taken), max(taken))
                finding = finding._replace(overruled_by=commit.oid)
                if best is None or len(taken) > best[0]:
                    best = len(taken), finding
    return [best[1]] if best else []


def _find_broken_rules(workspace: Workspace, head: str) -> Iterator[HistoryFinding]:
    """Yield the first rule for agents that names a file which a commit took away."""
    repository = workspace.repository
    for name in _RULES:
        blob = repository.blob_at(head, name)
        text = (
            repository.objects.blob(blob, most=_MAX_FILE).decode(errors="replace") if blob else ""
        )
        asked = 0
        for number, line in enumerate(text.splitlines(), 1):
            for path in re.findall(r"`((?:[\w.-]+/)+[\w-][\w.-]*\.\w+)`", line):
                if repository.blob_at(head, path) or asked >= _MOST_ASKED:
                    continue
                asked += 1
                gone = find_removal(repository.git_dir, head, path, _BLAME_SECONDS)
                removal = (
                    next(iter(log.read_log(repository.git_dir, [gone], most=1)), None)
                    if gone
                    else None
                )
                if removal is not None:
                    finding = _make_finding(removal, name, number, number)
                    said = f"It names `{path}`, which this commit took away: {line.strip()}"
                    yield finding._replace(reason=_shorten(said))
                    return


def _explain_recent(
    workspace: Workspace, head: str, recent: _Recent, reasons: _Reasons, until: float
) -> Iterator[HistoryFinding]:
    """Yield, of each file changed lately, the lines that an earlier commit gives a reason for."""
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
        text = repository.objects.blob(blob, most=_MAX_FILE)
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
    whole = [text for text in sentences if not text.lstrip().startswith(("* ", "- "))]
    causes = (text for text in (*whole, *sentences) if re.search(_CAUSE, text, re.IGNORECASE))
    said = next(causes, "") or next(iter(whole), "") or reason
    when = format_moment(commit.time)[:10]
    return HistoryFinding(
        path, first, last, commit.oid, when, commit.author, subject, _shorten(said)
    )


def _shorten(said: str) -> str:
    text = " ".join(said.split())
    if len(text) <= _LONGEST_REASON:
        return text
    return f"{text[:_LONGEST_REASON].rpartition(' ')[0]} …"
