"""Patterns that are compiled when they are first used.

Compiling the patterns of a module costs more than importing the rest of it, and a short command
uses few of them. For those that are used often: what is used once is passed to `re` as a string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:

    @overload
    def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]: ...
    @overload
    def lazy_pattern(text: bytes, flags: int = 0) -> re.Pattern[bytes]: ...


def lazy_pattern(text: Any, flags: int = 0) -> Any:
    """A pattern like `re.compile` gives it; a mistake in it shows when it is first used."""
    return _LazyPattern(text, flags)


class _LazyPattern:
    def __init__(self, text: Any, flags: int) -> None:
        self._source = (text, flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)  # compiled once: `re` remembers
        setattr(self, name, value)  # the next time it is found without a detour
        return value
