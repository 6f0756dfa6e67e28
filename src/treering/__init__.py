"""treering: the memory of a repository, kept in the repository.

`from treering import Treering` opens the Python door; importing the package alone loads nothing
else, so that `treering --version` and git hooks stay cheap.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treering.api import Treering as Treering

__version__ = "0.1.0"

__all__ = ["Treering", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Treering":
        from treering.api import Treering

        return Treering
    raise AttributeError(f"module 'treering' has no attribute {name!r}")
