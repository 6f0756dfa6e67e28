"""What each commit put into its scope: which files, made from what, by whom.

Asked of git's own comparison of trees, not of trailers: a commit of others may say of itself
whatever it likes. Of a merge only the files count that none of its parents has.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from treering.git import log
from treering.git.log import CommitFile
from treering.store import layout, message
from treering.store.vault import Vault

_FILE = "100644"
_NOTHING = "0" * 40


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
    folder = vault.repository.common_dir
    for commit, files in log.read_changes(folder, tips, without=known, most=most):
        text = message.read(commit.message)
        yield Contribution(
            commit.oid,
            commit.parents,
            commit.time,
            commit.author,
            text.op,
            dict(text.bases),
            tuple(filter(None, map(_put_file, files))),
        )


def _put_file(file: CommitFile) -> PutFile | None:
    """A file of ours that is there after the commit, or None."""
    key = layout.id_of_path(file.path) or layout.saved_key_of_path(file.path)
    if key is None or file.modes[-1] != _FILE:
        return None
    before = (
        blob
        for mode, blob in zip(file.modes[:-1], file.blobs[:-1], strict=True)
        if mode == _FILE and blob != _NOTHING
    )
    return PutFile(key, file.blobs[-1], tuple(dict.fromkeys(before)))
