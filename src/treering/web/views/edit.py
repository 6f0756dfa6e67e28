"""Forms: a new memory, a change of one, the one that replaces it, a link to another.

A form that could not be sent is shown again with what was typed, and with the reason.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from starlette.responses import Response

from treering.actions.card import Card
from treering.errors import Conflict, TreeringError
from treering.model.choices import OUTCOMES, STATUSES, TYPE_NAMES
from treering.model.taxonomy import RELATIONS
from treering.text.secrets import mask_secrets
from treering.verbs.memories import read, recall
from treering.web.visit import Handler, Visit

WRITABLE = tuple(name for name in STATUSES if name in ("active", "needs-review"))
_CHOICES = 8


def show_remember(visit: Visit, error: TreeringError | None = None) -> Response:
    return _show(visit, "remember.html", error, types=TYPE_NAMES, outcomes=OUTCOMES)


def show_revise(visit: Visit, error: TreeringError | None = None) -> Response:
    memory = read_memory(visit)
    text = visit.text("content") or memory.content
    return _show(
        visit, "revise.html", error, memory=memory, types=TYPE_NAMES, statuses=WRITABLE, text=text
    )


def show_supersede(visit: Visit, error: TreeringError | None = None) -> Response:
    memory = read_memory(visit)
    text = visit.text("content") or memory.content
    return _show(
        visit, "supersede.html", error, memory=memory, text=text, **_find_choices(visit, memory)
    )


def show_link(visit: Visit, error: TreeringError | None = None) -> Response:
    memory = read_memory(visit)
    return _show(
        visit,
        "link.html",
        error,
        memory=memory,
        relations=RELATIONS,
        **_find_choices(visit, memory),
    )


def _find_choices(visit: Visit, memory: Card) -> dict[str, Any]:
    """The memories to choose from: those found by words, before that those nearest to it."""
    words = visit.query("find")
    found = visit.ask(
        recall, words or memory.title, limit=_CHOICES + 1, records=visit.records,
        branch=visit.branch, weak=True,
    )  # fmt: skip
    choices = [hit for hit in found.results if hit.id != memory.id][:_CHOICES]
    chosen = visit.field("target") or visit.field("by")
    return {"find": words, "choices": choices, "chosen": chosen}


def _show(visit: Visit, template: str, error: TreeringError | None, **values: Any) -> Response:
    """What was typed is shown again, but for a credential."""
    if error and "text" in values:
        values["text"] = mask_secrets(values["text"])
    return visit.show(
        template,
        status=400 if error else 200,
        error=error,
        typed=lambda name: mask_secrets(visit.text(name)),
        **values,
    )


def read_memory(visit: Visit) -> Card:
    memory: Card = visit.ask(read, visit.path["id"], branch=visit.branch)
    return memory


def keeps_form(form: Callable[[Visit, TreeringError], Response]) -> Callable[[Handler], Handler]:
    """Show the form again where what it was sent for is refused."""

    def wrap(handler: Handler) -> Handler:
        @wraps(handler)
        def handle(visit: Visit) -> Response:
            try:
                return handler(visit)
            except Conflict:
                raise
            except TreeringError as error:
                return form(visit, error)

        return handle

    return wrap
