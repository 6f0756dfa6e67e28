"""The tokens of an embedded hub: hashes in a file that only its owner can read."""

import hmac
import json
from collections.abc import Sequence
from pathlib import Path

from treering.errors import HubUnavailable, Invalid
from treering.git import lock
from treering.git.files import read_file, replace_file
from treering.hub.hub import HubToken
from treering.hub.tokens import hash_token, make_token
from treering.model.spelling import suggest

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
        """What a token may see; None for one that is not there."""
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
