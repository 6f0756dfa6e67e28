"""core.sharedRepository: what one member of a group writes, the others must be able to add to.

git widens the mode of each file it makes; libgit2 makes refs, logs and object folders by the umask
alone, so that the second member of a group could not write to what the first one made. While we
write to a shared repository the umask is the one git's rule amounts to.
"""

import contextlib
import os
import re
from collections.abc import Iterator

_GROUP = {"group", "true", "yes", "on", "1"}
_ALL = {"all", "world", "everybody", "2"}


@contextlib.contextmanager
def share(word: str) -> Iterator[None]:
    """Write with the modes that `core.sharedRepository=word` asks for."""
    # There is no way to ask for the umask without setting it; 077 is what a moment may do no harm.
    before = os.umask(0o077)
    os.umask(umask_for(word, before))
    try:
        yield
    finally:
        os.umask(before)


def umask_for(word: str, umask: int) -> int:
    """The umask that makes files as open as git would make them."""
    said = word.lower()
    if said in _GROUP:
        return umask & ~0o070
    if said in _ALL:
        return umask & ~0o075
    if re.fullmatch("0[0-7]{3}", said):
        return ~(int(said, 8) | int(said, 8) >> 2 & 0o111) & 0o777
    return umask


def is_for_group(word: str) -> bool:
    return umask_for(word, 0o777) != 0o777
