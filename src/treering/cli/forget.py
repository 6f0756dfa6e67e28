"""treering forget"""

from treering.actions.forget import Forgotten


def text(answer: Forgotten) -> str:
    if answer.restored is not None:
        return f"restored  {' '.join(answer.restored)}"
    hidden = f"  ({answer.links_hidden} links hidden)" if answer.links_hidden else ""
    return f"forgotten  {' '.join(answer.forgotten or ())}{hidden}"
