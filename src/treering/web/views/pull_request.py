"""Pull request: what one branch knows that another does not, to look at and to copy."""

from starlette.responses import Response

from treering.actions.diff import Diff, diff, markdown
from treering.actions.guard import Guarded, find_overruled
from treering.branches.trunk import trunk_of
from treering.errors import TreeringError
from treering.web.paging import cut_page
from treering.web.visit import Visit

_SIZE = 30
_SECONDS = 3.0


def show_pull_request(visit: Visit) -> Response:
    here = visit.workspace.position().scope.branch
    base = visit.query("base") or trunk_of(visit.workspace.repository)
    head = visit.query("head") or here
    private = bool(visit.query("private"))
    difference: Diff = visit.ask(diff, f"{base}..{head}", private=private)
    items = [
        (word, item)
        for word, part in (
            ("learned", difference.added),
            ("changed", difference.changed),
            ("forgotten", difference.forgotten),
        )
        for item in part
    ]
    page = visit.number("page", 1, most=100_000)
    scopes = {scope.branch for vault in visit.workspace.store.vaults() for scope in vault.scopes()}
    return visit.show(
        "pull_request.html",
        current="Pull request",
        base=base,
        head=head,
        private=private,
        difference=difference,
        overruled=_find_overruled(visit, f"{base}..{head}", private=private),
        page=cut_page(
            items, page, _SIZE, "/pull-request", base=base, head=head, private="1" * private
        ),
        markdown=markdown(difference),
        names=visit.ask(lambda _: sorted(scopes | {base, head})),
    )


def _find_overruled(visit: Visit, range: str, *, private: bool) -> Guarded | None:
    """What the code of a branch overrules; None where there is no code of that name here."""
    try:
        answer: Guarded = visit.ask(
            find_overruled, range, staged=False, private=private, seconds=_SECONDS
        )
    except TreeringError:
        return None
    return answer
