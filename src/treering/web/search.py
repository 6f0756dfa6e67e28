"""Search, Today and what was shown to agents.

Search lists knowledge first, with the reasons why each hit is there, and filters to narrow it.
"""

import re
from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.card import Card
from treering.actions.checkpoint import load_all
from treering.actions.handover import ToldEntry, list_told, wants_log
from treering.actions.status import share_state
from treering.errors import TreeringError
from treering.hub.names import ALL
from treering.model.choices import ORDERS, SCOPES, STATUSES, TYPE_NAMES, UNSUCCESSFUL
from treering.model.taxonomy import RECORD_TYPES
from treering.verbs.memories import recall
from treering.web.rendering import make_url
from treering.web.visit import PageLinks, Visit, cut_page

_PAGE_SIZE = 20
_MOST_REPOS = 12
_CURSOR = r"[0-9a-f]{12}\.(\d{1,9})"
#: Filters of the address that recall knows by the same name.
_FILTERS = (
    "type", "topic", "since", "until", "status", "author", "agent", "file", "scope", "branch",
    "at", "records", "private", "order",
)  # fmt: skip
#: Those that are not asked of several repositories.
_OF_ONE = ("scope", "branch", "at")
_SCOPE_WORDS = {"branch": "seen from here", "trunk": "the trunk's", "all": "every branch"}
_TIERS = {"none": "knowledge only", "auto": "records too", "only": "records only"}


class Chip(NamedTuple):
    """One filter as a link: taken, it takes the filter away."""

    text: str
    url: str
    is_on: bool


def show_search(visit: Visit) -> Response:
    query = visit.query("q")
    filters = {name: text for name in _FILTERS if (text := visit.query(name))}
    tags = visit.queries("tag")
    cursor, repos = visit.query("cursor"), visit.queries("repo")
    if repos:  # these are asked of one repository alone
        filters = {name: text for name, text in filters.items() if name not in _OF_ONE}
    wanted = {name: text for name, text in filters.items() if name != "private"}
    if filters.get("type") not in RECORD_TYPES:
        wanted["records"] = visit.records
    answer = visit.ask(
        recall, query, tags=tags, limit=_PAGE_SIZE, cursor=cursor, repos=repos, **wanted
    )
    address = {"q": query, "tag": tags, "repo": repos, **filters}
    is_part = bool(visit.query("part"))
    return visit.show(
        "results.html" if is_part else "search.html",
        current="Search",
        query=query,
        answer=answer,
        first=_start_of(cursor) + 1,
        links=_link_pages(address, cursor, answer.cursor),
        filters=dict.fromkeys(_FILTERS, "") | filters,
        tags=tags,
        repos=repos,
        chips=[_choose_repos(address, list_hub(visit)), *_make_chips(address, answer)],
        types=TYPE_NAMES,
        statuses=("all", *STATUSES),
    )


def list_hub(visit: Visit) -> list[str]:
    """The repositories that can be searched from here, where there is a hub on this machine."""
    try:
        hub = visit.workspace.hub
        records = hub.list_repositories() if hub.kind == "folder" else ()
    except (TreeringError, OSError):
        return []
    return sorted(record.name for record in records)


def _start_of(cursor: str) -> int:
    """Return how many hits are before a page: a cursor counts from the second one."""
    match = re.fullmatch(_CURSOR, cursor)
    return int(match[1]) + _PAGE_SIZE if match else 0


def _link_pages(address: dict[str, Any], cursor: str, following: str) -> PageLinks:
    """A cursor names an answer and a place in it, so the way back is a smaller place."""
    previous = ""
    if cursor:
        start = _start_of(cursor) - _PAGE_SIZE
        before = f"{cursor[:12]}.{start - _PAGE_SIZE}"
        previous = make_url("/search", **address, cursor=before if start > 0 else "")
    following = make_url("/search", **address, cursor=following) if following else ""
    return PageLinks(previous, following)


def _choose_repos(address: dict[str, Any], names: list[str]) -> list[Chip]:
    """This repository, all that the hub has, or one of those."""
    if not names:
        return []
    choices: dict[str, list[str]] = {"this repository": [], "all repositories": [ALL]}
    choices |= {name: [name] for name in names[:_MOST_REPOS]}
    return [
        Chip(text, make_url("/search", **(address | {"repo": repos})), address["repo"] == repos)
        for text, repos in choices.items()
    ]


def _make_chips(address: dict[str, Any], answer: Any) -> list[list[Chip]]:
    kinds = list(dict.fromkeys(hit.type for hit in answer.results))[:8]
    if (chosen := address.get("type")) and chosen not in kinds:
        kinds.insert(0, chosen)
    tags = list(dict.fromkeys([*address["tag"], *(t for hit in answer.results for t in hit.tags)]))
    return [
        [_choose(address, "scope", word, _SCOPE_WORDS[word], usual="branch") for word in SCOPES],
        [_choose(address, "records", word, said, usual="none") for word, said in _TIERS.items()],
        [_toggle(address, "type", kind) for kind in kinds],
        [_toggle_tag(address, tag) for tag in tags[:8]],
        [_choose(address, "order", word, word, usual="relevance") for word in ORDERS[:3]],
    ]  # fmt: skip


def _choose(address: dict[str, Any], name: str, word: str, text: str, *, usual: str) -> Chip:
    is_on = address.get(name, usual) == word
    return Chip(
        text, make_url("/search", **(address | {name: "" if word == usual else word})), is_on
    )


def _toggle(address: dict[str, Any], name: str, word: str) -> Chip:
    is_on = address.get(name) == word
    return Chip(word, make_url("/search", **(address | {name: "" if is_on else word})), is_on)


def _toggle_tag(address: dict[str, Any], tag: str) -> Chip:
    tags = address["tag"]
    is_on = tag in tags
    rest = [one for one in tags if one != tag] if is_on else [*tags, tag]
    return Chip(f"#{tag}", make_url("/search", **(address | {"tag": rest})), is_on)


_MOST = 8


def show_today(visit: Visit) -> Response:
    recent = visit.ask(recall, records="none", order="newest", limit=_MOST * 2, branch=visit.branch)
    decisions = visit.ask(
        recall, type="decision", records="none", order="newest", limit=_MOST, branch=visit.branch
    )
    known = _KnowledgeInForce(visit)
    failures = known.list_failures()
    ids = {hit.id for hit in (*decisions.results, *failures)}
    return visit.show(
        "today.html",
        current="Today",
        here_branch=recent.branch,
        layers=recent.layers,
        decisions=[hit for hit in decisions.results if hit.outcome not in UNSUCCESSFUL],
        decisions_total=decisions.total,
        failures=failures,
        others=[hit for hit in recent.results if hit.id not in ids][:_MOST],
        total=known.count(),
        own=known.count_own(recent.branch),
        records=recent.withheld.get("records", 0),
        checkpoint=visit.ask(load_all, branch=visit.branch),
        sharing=visit.ask(share_state),
    )


class _KnowledgeInForce:
    """The knowledge in force that is seen from a branch, without records of what happened."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        view = visit.workspace.view(visit.branch)
        self._seen = visit.workspace.searcher.knowledge_view(view)
        self._entries = [e for e in self._seen.entries() if e.status in ("active", "needs-review")]

    def count(self) -> int:
        return len(self._entries)

    def count_own(self, branch: str) -> int:
        """Return how much of it lies on a branch itself."""
        own = {rank for rank, ly in enumerate(self._seen.view.layers) if ly.branch == branch}
        return sum(self._seen.ranks[entry.blob] in own for entry in self._entries)

    def list_failures(self) -> list[Card]:
        """Return what was tried and did not work, newest first: nobody should try it again
        unawares."""
        failures = [entry for entry in self._entries if entry.outcome in UNSUCCESSFUL]
        failures.sort(key=lambda entry: entry.created, reverse=True)
        return self._visit.make_cards(entry.id for entry in failures[:_MOST])


_TOLD_PAGE = 20
_LETTERS_A_TOKEN = 4


def show_told(visit: Visit) -> Response:
    entries: list[ToldEntry] = visit.ask(list_told)
    page = cut_page(visit, entries, visit.number("page", 1, most=100_000), _TOLD_PAGE)
    late = [entry for entry in entries if entry.is_missed]
    letters = sum(len(entry.text) for entry in entries if not entry.is_missed)
    return visit.show(
        "told.html",
        current="Shown to agents",
        page=page,
        is_kept=wants_log(visit.workspace),
        late=len(late),
        letters=letters,
        tokens=letters // _LETTERS_A_TOKEN,
        median=_median([entry.seconds for entry in entries]),
        letters_a_token=_LETTERS_A_TOKEN,
    )


def _median(numbers: list[float]) -> float:
    return sorted(numbers)[len(numbers) // 2] if numbers else 0.0


def show_missing(visit: Visit) -> Response:
    return visit.show(
        "error.html",
        status=404,
        message="There is no such page.",
        hint="The navigation above lists what there is.",
    )
