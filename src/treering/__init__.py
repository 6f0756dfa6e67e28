"""treering: the memory of a repository, kept in the repository.

`from treering import Treering` opens the Python door; importing the package alone loads nothing
else, so that `treering --version` and git hooks stay cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treering.api import Treering as Treering
    from treering.git.objects import Person as Person

__version__ = "0.3.0"

__all__ = ["Person", "Treering", "__version__"]

_HOMES = {"Person": "treering.git.objects", "Treering": "treering.api"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'treering' has no attribute {name!r}")
