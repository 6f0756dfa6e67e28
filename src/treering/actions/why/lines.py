"""Lines named to other verbs: `recall(file="db.py:42")`, `context(files=["db.py:40-60"])`.

What explains the lines counts there as being about the file, and more than what only names it.
"""

from collections.abc import Sequence

from treering.actions.why.target import (
    LineTarget,
    entry_at,
    find_target,
    name_path,
    split_target,
)
from treering.actions.why.why import Inquest, choose_ranges, rank
from treering.actions.workspace import Workspace
from treering.errors import Invalid, StorageFailed
from treering.model.query import Filters


def name_target(workspace: Workspace, text: str, commit: str | None) -> LineTarget:
    """The lines that a text names, if it does; a file that is called so is not taken apart."""
    target = split_target(text)
    try:
        is_file = entry_at(workspace, commit, name_path(workspace, text)) is not None
    except Invalid:
        return LineTarget(text)
    return LineTarget(text) if is_file else target


def explain_targets(
    workspace: Workspace, targets: Sequence[LineTarget], branch: str = ""
) -> dict[str, float]:
    """What explains some lines, best first, with how well; of lines that are not there, nothing:
    an agent's editor may be ahead of the files."""
    scores: dict[str, float] = {}
    inquest: Inquest | None = None
    for target in targets:
        if not target.first:
            continue
        inquest = inquest or Inquest(workspace, branch=branch)
        try:
            for memory_id, score in _rank(inquest, str(target)).items():
                scores[memory_id] = max(score, scores.get(memory_id, 0.0))
        except (Invalid, StorageFailed):
            continue
    return scores


def explain_file(workspace: Workspace, filters: Filters, branch: str) -> Filters:
    """Filters whose file named lines: by the file, or by what explains the lines."""
    commit = workspace.position(branch or filters.branch).head
    target = name_target(workspace, filters.file, commit)
    if not target.first:
        return filters
    inquest = Inquest(workspace, branch=branch or filters.branch)
    ids = tuple(_rank(inquest, filters.file))
    return filters._replace(file=name_path(workspace, target.path), explaining=ids)


def _rank(inquest: Inquest, text: str) -> dict[str, float]:
    target = find_target(inquest.workspace, text, inquest.commit, is_past=inquest.is_past)
    source = inquest.read(target.path)
    return rank(inquest.explain(source, choose_ranges(source, target.first, target.last)))
