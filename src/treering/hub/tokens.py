"""Tokens: made once, shown once, kept as hashes.

A token is as long as a key, so a plain hash of it tells nothing: there is nothing to guess.
"""

import hashlib
import re
import secrets

from treering.errors import Invalid

_PREFIX = "trh_"
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"


def make_token() -> str:
    return _PREFIX + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogateescape")).hexdigest()


def check_token_name(name: str) -> str:
    """The name a token is listed and revoked by."""
    if not re.fullmatch(_NAME, name):
        raise Invalid(
            f"{name[:64]!r} cannot be the name of a token.",
            hint="Use letters, digits, dots and dashes.",
        )
    return name
