"""Which clone we are: each pushes to refs of its own, so that nobody has to wait for another."""

import re
import secrets
import string

from treering.git import config
from treering.git.repository import Repository

_KEY = "treering.clone"
_ID = "[a-z0-9]{12}"
_LETTERS = string.ascii_lowercase + string.digits


def read_id(repository: Repository) -> str:
    """The name of this clone on remotes, or nothing where it has none yet. Only the repository's
    own configuration counts: one for all of a user's would name all of them alike."""
    values = config.read_own(repository.common_dir, _KEY)
    return values[-1] if values and re.fullmatch(_ID, values[-1]) else ""


def take_id(repository: Repository) -> str:
    """The name of this clone, made once."""
    return read_id(repository) or take_new_id(repository)


def take_new_id(repository: Repository) -> str:
    """Another name: this repository was copied, and its first one is someone else's now."""
    new = "".join(secrets.choice(_LETTERS) for _ in range(12))
    config.put(repository.common_dir, _KEY, new)
    return new
