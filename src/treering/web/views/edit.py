"""Forms: a new memory, a change of one, the one that replaces it, a link to another."""

from starlette.responses import Response

from treering.actions.card import Card
from treering.model.choices import OUTCOMES, STATUSES, TYPE_NAMES
from treering.model.taxonomy import RELATIONS
from treering.verbs.memories import read
from treering.web.visit import Visit

WRITABLE = tuple(name for name in STATUSES if name in ("active", "needs-review"))


def show_remember(visit: Visit) -> Response:
    return visit.show("remember.html", types=TYPE_NAMES, outcomes=OUTCOMES, text="", values={})


def show_revise(visit: Visit) -> Response:
    memory = read_memory(visit)
    return visit.show(
        "revise.html", memory=memory, types=TYPE_NAMES, statuses=WRITABLE, text=memory.content
    )


def show_supersede(visit: Visit) -> Response:
    memory = read_memory(visit)
    return visit.show("supersede.html", memory=memory, text=memory.content)


def show_link(visit: Visit) -> Response:
    memory = read_memory(visit)
    return visit.show("link.html", memory=memory, relations=RELATIONS)


def read_memory(visit: Visit) -> Card:
    memory: Card = visit.ask(read, visit.path["id"], branch=visit.branch)
    return memory
