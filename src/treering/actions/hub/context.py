"""context over many repositories: what others know that bears on a task, within a budget."""

from collections.abc import Sequence

from treering.actions.context.context import ContextAnswer, make_answer, rate, sort_offers
from treering.actions.context.handover import Offer, can_speak, hand_over
from treering.actions.hub.recall import card_of_copy, choose_repos, flags_of_copy, refuse_single
from treering.actions.marks import describe
from treering.hub.hub import HubHit, RepositoryHub
from treering.model.dates import instant
from treering.model.query import LONGEST, Filters, Query
from treering.model.relevance import RelevanceCase, relevance
from treering.search.matching import Request
from treering.text.fence import fence, fresh_nonce
from treering.text.words import words as telling_words

_MOST_FOUND, _MOST = 200, 12  # flagged ones take nobody's place
_WEAK = 0.25
_HEADER = "what is remembered in several repositories"


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
    refuse_single(template=template, branch=branch)
    freshness = choose_repos(hub, repos)
    names = [path.rpartition("/")[2] for path in (*files, *recent_files)]
    words = " ".join([task, *names])[:LONGEST]
    request = Request(Query(words, words), Filters(), now=now, limit=_MOST_FOUND)
    hits = hub.search([repo.name for repo in freshness], request).hits
    best = max((hit.score for hit in hits), default=0.0)
    fitting = [hit for hit in hits if not words.strip() or hit.score >= _WEAK * best > 0]
    suspects = [hit.copy.memory.id for hit in fitting if flags_of_copy(hit.copy)]
    sound = [h for h in fitting if not flags_of_copy(h.copy) and can_speak(h.copy.memory)]
    offers = sort_offers(_make_offer(hit, best, now) for hit in sound[:_MOST])
    nonce = fresh_nonce()
    handed = hand_over(
        offers, telling_words(words), budget, now, lambda body: fence(body, nonce, _HEADER)
    )
    answer = make_answer(budget, handed, total=len(offers), flagged=suspects)
    answer["repos"] = list(freshness)
    return answer


def _make_offer(hit: HubHit, best: float, now: float) -> Offer:
    memory = hit.copy.memory
    marks = describe(hit.successors)
    case = RelevanceCase(
        type=memory.type,
        status=memory.status,
        confidence=memory.confidence,
        age=now - instant(memory.modified),
        task=round(hit.score / best, 3) if best else 0.0,
        has_failed=memory.outcome == "failed",
        is_outdated=marks.is_replaced,
    )
    return rate(card_of_copy(hit.copy, marks), memory, relevance(case))
