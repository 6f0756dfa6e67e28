"""What each commit put into its scope: which files, made from what, by whom.

Asked of git's own comparison of trees, not of trailers: a commit of others may say of itself
whatever it likes. Of a merge only the files count that none of its parents has.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from treering.git import process
from treering.store import layout, message
from treering.store.vault import Vault

_RAW = rb":+((?:\d{6} )+)((?:[0-9a-f]{40} )+)[A-Z]+"
_FILE = b"100644"
_NOTHING = "0" * 40
_FORMAT = "%H%n%P%n%ct%n%an <%ae>%n%B"


class PutFile(NamedTuple):
    """A file as a commit left it: a memory's id or a prompt's key, its blob, and those it was in
    the parents that had it."""

    id: str
    blob: str
    before: tuple[str, ...]


class Contribution(NamedTuple):
    """One commit, and the files it put into its scope."""

    oid: str
    parents: tuple[str, ...]
    time: int
    author: str
    op: str
    bases: dict[str, str]
    files: tuple[PutFile, ...]


def read_contributions(
    vault: Vault, tips: Sequence[str], known: Collection[str], *, most: int = 0
) -> Iterator[Contribution]:
    """The commits of `tips` that are in no history of `known`, parents first; at most the newest
    `most`. What cannot be read ends it early: a damaged history tells less."""
    revisions = "".join([*(f"{tip}\n" for tip in tips), *(f"^{oid}\n" for oid in known)])
    text = process.run(
        vault.repository.common_dir,
        *("-c", "log.showRoot=true", "log", "-z", "-c", "--raw", "-r", "--no-abbrev"),
        *("--no-renames", "--no-ext-diff", "--no-show-signature", "--no-color"),
        *("--reverse", "--topo-order", f"--format={_FORMAT}", "--ignore-missing"),
        *([f"--max-count={most}"] if most else ()),
        *("--stdin", "--"),
        feed=revisions.encode(),
        may_fail=(128,),
    )
    yield from _parse(text.split(b"\0"))


def _parse(tokens: list[bytes]) -> Iterator[Contribution]:
    """Each commit is a token, followed by two for each of its files: what happened, and the path.

    A message cannot be taken for a file: every commit's token starts with its id.
    """
    head: bytes = b""
    files: list[PutFile] = []
    left = iter(tokens)
    for token in left:
        text = token.lstrip(b"\n")
        if raw := re.fullmatch(_RAW, text):
            if put := _put_file(raw, next(left, b"")):
                files.append(put)
        elif text:  # git puts an empty one before the files of a merge
            if head:
                yield _contribution(head, files)
            head, files = text, []
    if head:
        yield _contribution(head, files)


def _put_file(raw: re.Match[bytes], path: bytes) -> PutFile | None:
    """A file of ours that is there after the commit, or None."""
    modes, blobs = raw[1].split(), raw[2].decode().split()
    name = path.decode(errors="replace")
    key = layout.id_of_path(name) or layout.saved_key_of_path(name)
    if key is None or modes[-1] != _FILE:
        return None
    before = (
        blob
        for mode, blob in zip(modes[:-1], blobs[:-1], strict=True)
        if mode == _FILE and blob != _NOTHING
    )
    return PutFile(key, blobs[-1], tuple(dict.fromkeys(before)))


def _contribution(head: bytes, files: list[PutFile]) -> Contribution:
    oid, parents, time, author, body = (
        *head.decode(errors="replace").split("\n", 4),
        *("",) * 4,
    )[:5]
    said = message.read(body)
    seconds = int(time) if re.fullmatch(r"-?\d{1,15}", time) else 0
    return Contribution(
        oid, tuple(parents.split()), seconds, author, said.op, dict(said.bases), tuple(files)
    )
