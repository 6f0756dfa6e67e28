"""recall over many repositories: one ranking, and for each hit the repository it is from."""

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from treering.actions.card import Card, Neighbour, make_card
from treering.actions.context import ContextAnswer, make_answer, rate, sort_offers
from treering.actions.handover import Offer, can_speak, hand_over
from treering.actions.link import IndexedLinks, neighbours
from treering.actions.marks import NO_MARKS, Marks, describe
from treering.actions.origin import UNVERIFIED, Attribution, name_people
from treering.actions.read import show_whole, write_event
from treering.actions.recall import Recalled, order_linked
from treering.call import Advice, Call
from treering.errors import (
    AmbiguousId,
    Invalid,
    MemoryNotFound,
    NotAllowed,
    RepoNotFound,
    TreeringError,
)
from treering.hub.hub import HubCopy, HubHit, RepositoryHub
from treering.hub.names import RepoFreshness, choose_names, split_id
from treering.hub.records import freshness_of
from treering.model.choices import Mode, Order
from treering.model.dates import instant
from treering.model.memory import id_prefix
from treering.model.provenance import Contributor, address_of
from treering.model.query import LONGEST, Filters, Query
from treering.model.relevance import RelevanceCase, relevance
from treering.model.taxonomy import SAVED_TYPES
from treering.search.hits import count_weak
from treering.search.matching import Request
from treering.text.fence import fence, fresh_nonce
from treering.text.flags import UNSCANNED
from treering.text.words import words as telling_words


def read_across(
    hub: RepositoryHub,
    id: str,
    repos: Sequence[str],
    *,
    at: str,
    history: bool,
    links: int,
    offset: int,
    branch: str,
    now: float,
) -> Card:
    """The memory, as the hub last saw it, or as it was `at` a commit of its history or a date."""
    refuse_single(branch=branch)
    freshness = choose_repos(hub, repos)
    try:
        name, prefix = split_id(id.strip(), [repo.name for repo in freshness])
    except RepoNotFound as error:
        raise refuse(hub, error) from None
    nearer = tuple(repo for repo in freshness if not name or repo.name == name)
    copy = _find(hub, [repo.name for repo in nearer], id_prefix(prefix), id)
    events = hub.read_history(copy) if history else None
    version = hub.read_past(copy, at) if at else copy
    is_current = version.blob == copy.blob
    marks = describe(hub.find_successors(copy)) if is_current else NO_MARKS
    card = card_of_copy(version, marks)
    return show_whole(card, version.memory, version.blob, offset)._replace(
        links=_list_links(hub, version, links, now) if links else (),
        history=None if events is None else tuple(map(write_event, events)),
        repos=tuple(repo for repo in nearer if repo.name == copy.repo),
    )


def _find(hub: RepositoryHub, names: Sequence[str], prefix: str, typed: str) -> HubCopy:
    copies = hub.find(names, prefix)
    if not copies:
        where = names[0] if len(names) == 1 else f"any of {len(names)} repositories"
        raise MemoryNotFound(
            f"The hub has no memory {typed.strip()[:80]} in {where}",
            hint=Advice("{} lists what the hub has.", Call("recall", repos=["all"])),
        )
    if len(copies) > 1:
        some = ", ".join(f"{copy.repo}:{copy.memory.id}" for copy in copies[:5])
        raise AmbiguousId(
            f"{typed.strip()[:80]} matches {len(copies)} memories: {some}",
            hint="Name the repository, or give one more character.",
        )
    return copies[0]


def _list_links(hub: RepositoryHub, copy: HubCopy, hops: int, now: float) -> tuple[Neighbour, ...]:
    """What it is linked with in its own repository, both ways."""
    ids = [copy.memory.id, *(link.target for link in copy.memory.links)]
    network = hub.find_network(copy.repo, ids, hops)
    return neighbours(IndexedLinks(network), copy.memory, hops, now=now)


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
    filters = Filters(without_types=tuple(sorted(SAVED_TYPES)))
    request = Request(Query(words, words), filters, now=now, limit=_MOST_FOUND)
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


#: What is asked of one repository alone.
_OF_ONE = "That is a question to one repository: ask it there."


class LinkQuestion(NamedTuple):
    """How many links to follow, and which."""

    hops: int
    relations: tuple[str, ...]


def choose_repos(hub: RepositoryHub, repos: Sequence[str]) -> tuple[RepoFreshness, ...]:
    """The repositories that are meant, with how fresh each is. To a token those that it was not
    granted and those that are not there are the same."""
    records = {record.name: record for record in hub.list_repositories()}
    try:
        names = choose_names(repos, list(records))
    except RepoNotFound as error:
        raise refuse(hub, error) from None
    return tuple(freshness_of(records[name]) for name in names)


def recall_across(
    hub: RepositoryHub,
    now: float,
    question: Query,
    filters: Filters,
    *,
    repos: Sequence[str],
    mode: Mode,
    order: Order,
    detail: str,
    limit: int,
    cursor: str,
    weak: bool,
    expand: int = 0,
    relation: Sequence[str] = (),
) -> Recalled:
    """Answer a question over what the hub holds of some repositories."""
    if question.filters.branch:
        raise Invalid("branch: cannot be asked of several repositories.", hint=_OF_ONE)
    freshness = choose_repos(hub, repos)
    names = tuple(repo.name for repo in freshness)
    words = _digest(question.text, filters, names, mode, order)
    offset = _read_cursor(cursor, words)
    if not question.filters.merge(filters).types:
        filters = filters._replace(without_types=(*filters.without_types, *sorted(SAVED_TYPES)))
    request = Request(question, filters, order, mode, now, limit, is_strict=not weak)
    result = hub.search(names, request, offset)
    results = [_as_result(hit, question.words, detail) for hit in result.hits]
    if expand:
        asked = LinkQuestion(expand, tuple(relation))
        results += _list_linked(hub, results, question.words, detail, asked)
        results = order_linked(results, order)
    return Recalled(
        query=question.text,
        branch="",
        layers=(),
        total=result.total,
        cursor=f"{offset + limit}-{words}" if result.is_more else "",
        results=tuple(results),
        withheld={key: result.withheld.get(key, 0) for key in ("superseded", "deleted")}
        | count_weak(result.withheld),
        mode=result.mode,
        notes=result.notes or None,
        repos=freshness,
    )


def refuse(hub: RepositoryHub, error: RepoNotFound) -> TreeringError:
    """The error for a repository that the caller does not see."""
    if not hub.is_limited:
        return error
    return NotAllowed("This token was not granted all of these repositories.")


def refuse_single(**options: object) -> None:
    """Invalid for what only one repository can be asked."""
    for name, value in options.items():
        if value:
            raise Invalid(f"{name} cannot be asked of several repositories.", hint=_OF_ONE)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:12]


def _read_cursor(cursor: str, words: str) -> int:
    if not cursor:
        return 0
    match = re.fullmatch(r"(\d{1,4})-([0-9a-f]{12})", cursor)
    if match is None or match[2] != words:
        raise Invalid("This cursor is not of this question.", hint="Ask again without a cursor.")
    return int(match[1])


def _as_result(hit: HubHit, words: str, detail: str) -> Card:
    card = card_of_copy(hit.copy, describe(hit.successors))._replace(
        score=hit.score,
        why=hit.why,
        match=hit.match,
        spelled=hit.spelled or None,
        similar=hit.similar or None,
    )
    return card.with_text(hit.copy.memory, detail, words)


def _list_linked(
    hub: RepositoryHub, results: Sequence[Card], words: str, detail: str, asked: LinkQuestion
) -> list[Card]:
    """What the results are linked with, each in its own repository."""
    linked = []
    for name in dict.fromkeys(result.repo or "" for result in results):
        ids = [result.id for result in results if result.repo == name]
        steps = hub.find_network(name, ids, asked.hops).reach(ids, asked.hops, asked.relations)
        copies = {copy.memory.id: copy for copy in hub.read(name, [step.id for step in steps])}
        for step in steps:
            if copy := copies.get(step.id):
                card = card_of_copy(copy)._replace(
                    score=0.0, why=(f"linked:{step.edge.relation}",), via=step.via
                )
                linked.append(card.with_text(copy.memory, detail, words))
    return linked


def card_of_copy(copy: HubCopy, marks: Marks = NO_MARKS) -> Card:
    """A memory of the hub. Its word is nobody's that is known here, since the code that would tell
    who works there is not."""
    memory, author = copy.memory, address_of(copy.memory.author)
    others = (Contributor(name) for name in copy.people if address_of(name) != author)
    return make_card(
        memory,
        Attribution(UNVERIFIED, name_people(others), memory.created, memory.modified),
        uri=f"treering://hub/{copy.repo}/{memory.id}",
        branch=copy.branch,
        layer=copy.layer,
        flags=flags_of_copy(copy),
        marks=marks,
        repo=copy.repo,
    )


def flags_of_copy(copy: HubCopy) -> tuple[str, ...]:
    return (UNSCANNED,) if copy.flags is None else copy.flags
