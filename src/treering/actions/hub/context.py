"""context over many repositories: what others know that bears on a task, within a budget."""

from collections.abc import Sequence

from treering.actions.context.budget import Headline, pack
from treering.actions.context.context import ContextAnswer, list_entries, read_budget
from treering.actions.hub.recall import choose_repos, flags_of_copy, refuse_single
from treering.hub.hub import HubHit, RepositoryHub
from treering.model.dates import instant
from treering.model.query import LONGEST, Filters, Query
from treering.model.relevance import RelevanceCase, relevance
from treering.model.taxonomy import RECORD_TYPES
from treering.search.matching import Request
from treering.text.fence import fence, fresh_nonce

_MOST = 40
_WEAK = 0.25


def context_across(
    hub: RepositoryHub,
    now: float,
    *,
    task: str,
    files: Sequence[str],
    recent_files: Sequence[str],
    budget: int,
    template: str,
    branch: str,
    repos: Sequence[str],
) -> ContextAnswer:
    """What the hub holds about a task, ready to be put before an agent.

    Files of other repositories are not ours, but a name may be the same: names are words, too.
    """
    read_budget(budget)
    refuse_single(template=template, branch=branch)
    freshness = choose_repos(hub, repos)
    names = [path.rpartition("/")[2] for path in (*files, *recent_files)]
    words = " ".join([task, *names])[:LONGEST]
    request = Request(Query(words, words), Filters(), mode="text", now=now, limit=_MOST)
    hits = hub.search([repo.name for repo in freshness], request).hits
    best = max((hit.score for hit in hits), default=0.0)
    fitting = [hit for hit in hits if not words.strip() or hit.score >= _WEAK * best > 0]
    suspects = [hit.copy.memory.id for hit in fitting if flags_of_copy(hit.copy)]
    entries = [_headline(hit, best, now) for hit in fitting if not flags_of_copy(hit.copy)]
    entries.sort(key=lambda entry: (entry.type in RECORD_TYPES, -entry.score))
    text, page = _text(entries, budget, now)
    return {
        "budget": budget,
        "used": len(text),
        "text": text,
        "high": list_entries(page, "high"),
        "medium": list_entries(page, "medium"),
        "low": list_entries(page, "low"),
        "left_out": len(entries) - len(page),
        "flagged": suspects,
        "branch": "",
        "checkpoint": None,
        "repos": list(freshness),
    }


def _headline(hit: HubHit, best: float, now: float) -> Headline:
    copy, memory = hit.copy, hit.copy.memory
    case = RelevanceCase(
        type=memory.type,
        status=memory.status,
        confidence=memory.confidence,
        age=now - instant(memory.modified),
        task=round(hit.score / best, 3) if best else 0.0,
        has_failed=memory.outcome == "failed",
    )
    verdict = relevance(case)
    return Headline(
        id=memory.id,
        type=memory.type,
        title=memory.title,
        content=memory.content,
        branch=copy.branch,
        author=memory.author,
        created=memory.created,
        stale="",
        score=verdict.score,
        why=verdict.why,
        group=verdict.group,
        tags=memory.tags,
        topic=memory.topic,
        status=memory.status,
        confidence=memory.confidence,
        modified=memory.modified,
        outcome=memory.outcome or "",
        repo=copy.repo,
    )


def _text(entries: Sequence[Headline], budget: int, now: float) -> tuple[str, list[Headline]]:
    nonce = fresh_nonce()
    header = "what is remembered in several repositories"
    room = budget - len(fence("", nonce, header))
    while room > 0:
        body, page = pack(entries, None, room, now)
        text = fence(body, nonce, header) if body else ""
        if len(text) <= budget:
            return text, page
        room -= len(text) - budget  # marks that were taken out left longer words behind
    return "", []
