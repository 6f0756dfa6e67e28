"""Credentials in what hooks are told: taken out of every field, since nobody is there to refuse.

A commit is made already when its hook runs, whatever is in its author, its branch or its files. Its
memory must not repeat a credential, and must never keep a branch's memories from being shared.
"""

from collections.abc import Sequence
from functools import lru_cache

from treering.model import document
from treering.model.memory import FileRef, Memory
from treering.model.scope import escape, unescape
from treering.text.secrets import mask_secrets, secrets_in

_ROUNDS = 5
_TEXTS = ("trailers", "masked_files", "summary", "asked")
#: What stands before a credential that has no shape of its own.
_HINTS = ("key", "secret", "token", "pass", "pwd", "credential", "auth", "://", "curl", "mysql")
_LEFT_OUT = "[masked]"


@lru_cache(maxsize=1024)  # the same few authors and branches, commit after commit
def mask(text: str) -> str:
    """The text, cleaned, without credentials: until none is found, for the name of a kind may make
    what follows it look like another one."""
    for _ in range(_ROUNDS):
        before, text = text, mask_secrets(text)
        if text == before:
            break
    return text


def mask_memory(memory: Memory) -> Memory:
    """A memory of a hook, as its file may be shared: where quotes and keys of the front matter make
    a credential of what was none by itself, the texts are left out altogether."""
    if not _may_be_made_one(memory) or not secrets_in(document.dump(memory).decode()):
        return memory
    details = {key: value for key, value in memory.details.items() if key not in _TEXTS}
    return memory._replace(title=_LEFT_OUT, content=_LEFT_OUT, author=_LEFT_OUT, details=details)


def _may_be_made_one(memory: Memory) -> bool:
    """Return whether a text speaks of credentials at all; else its file, which takes ten times as
    long to look at, need not be. What has a vendor's shape has it with and without quotes."""
    paths = (file.path for file in memory.files)
    text = "\n".join((memory.author, memory.content, *paths)).lower()
    return any(word in text for word in _HINTS)


def mask_branch(branch: str) -> str:
    """A branch's name as commits of memories bear it. Where the ref is too short for the name, the
    commit alone tells which branch it is, and bears it as it is."""
    is_in_ref = unescape(escape(branch)) == branch
    return mask(branch) if is_in_ref else branch


def split_files(files: Sequence[FileRef]) -> tuple[tuple[FileRef, ...], tuple[str, ...]]:
    """The files whose paths hold no credential, and the masked paths of the others.

    All are looked at in one go: hardly ever is there one, and a commit may have many.
    """
    if not secrets_in("\n".join(file.path for file in files)):
        return tuple(files), ()
    has_secret = {file: bool(secrets_in(file.path)) for file in files}
    clean = tuple(file for file in files if not has_secret[file])
    return clean, tuple(mask(file.path) for file in files if has_secret[file])
