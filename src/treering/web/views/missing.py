"""An address that leads nowhere."""

from starlette.responses import Response

from treering.web.visit import Visit


def show_missing(visit: Visit) -> Response:
    return visit.show(
        "error.html",
        status=404,
        message="There is no such page.",
        hint="The navigation above lists what there is.",
    )
