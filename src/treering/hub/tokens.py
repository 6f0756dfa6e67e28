"""Tokens of a hub: made once, shown once, kept as hashes.

A token is as long as a key, so a plain hash of it tells nothing: there is nothing to guess.
"""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from treering.errors import HubUnavailable, Invalid
from treering.git import lock
from treering.git.files import read_file, replace_file
from treering.hub.hub import HubToken
from treering.model.spelling import suggest

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


_Lines = dict[str, dict[str, object]]


class TokenFile:
    """Token name -> its hash, what it may see, and since when. Read anew at each look: what was
    revoked counts at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def grant(self, name: str, repos: Sequence[str], now: str) -> str:
        token = make_token()
        with lock.hold(self._path.with_suffix(".lock")):
            lines = self._read()
            if name in lines:
                raise Invalid(
                    f"There is a token {name!r} already.",
                    hint=f"`treering hub revoke {name}` takes it back.",
                )
            lines[name] = {"hash": hash_token(token), "repos": list(repos), "created": now}
            self._write(lines)
        return token

    def revoke(self, name: str) -> None:
        if not self._path.exists():
            raise _unknown(name, [])
        with lock.hold(self._path.with_suffix(".lock")):
            lines = self._read()
            if name not in lines:
                raise _unknown(name, list(lines))
            del lines[name]
            self._write(lines)

    def forget(self, repo: str) -> None:
        """A repository is gone: one that is added under its name is not granted to anybody."""
        if not self._path.exists():
            return
        with lock.hold(self._path.with_suffix(".lock")):
            lines = self._read()
            for line in lines.values():
                line["repos"] = [name for name in _repos(line) if name != repo]
            self._write(lines)

    def list_tokens(self) -> list[HubToken]:
        return [
            HubToken(name, _repos(line), str(line.get("created", "")))
            for name, line in sorted(self._read().items())
        ]

    def find_repos(self, token: str) -> tuple[str, ...] | None:
        """Return what a token may see; None for one that is not there."""
        digest = hash_token(token)
        for line in self._read().values():
            if hmac.compare_digest(str(line.get("hash", "")), digest):
                return _repos(line)
        return None

    def _read(self) -> _Lines:
        try:
            lines = json.loads(read_file(self._path))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise HubUnavailable(f"{self._path} cannot be read.") from error
        return {k: v for k, v in lines.items() if isinstance(v, dict)}

    def _write(self, lines: _Lines) -> None:
        text = json.dumps(lines, indent=1, sort_keys=True)
        replace_file(self._path, text.encode(), mode=0o600, is_synced=True)


def _repos(line: dict[str, object]) -> tuple[str, ...]:
    repos = line.get("repos")
    return tuple(map(str, repos)) if isinstance(repos, list) else ()


def _unknown(name: str, names: list[str]) -> Invalid:
    hint = suggest(name, names, "`treering hub status` lists the tokens.")
    return Invalid(f"There is no token {name[:64]!r}.", hint)
