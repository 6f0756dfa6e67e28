"""Importing Whoosh without its warnings.

Whoosh 2.7.4 was written for older Pythons: compiled for the first time it warns of invalid escapes,
and a program run with warnings as errors could not import it.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def whoosh_modules() -> Iterator[None]:
    """Around imports of Whoosh: what its source code is warned for stays out of sight."""
    with warnings.catch_warnings():
        for kind in (SyntaxWarning, DeprecationWarning):
            warnings.simplefilter("ignore", kind)
        yield
