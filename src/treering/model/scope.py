"""Scopes: what the memories of one branch are called in git.

The refs of scopes are spelled only here. A branch name is escaped, not nested, so that `a` and
`a/b` can both have memories, and any name git allows can be read back from its ref.
"""

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple

REFS = "refs/treering/"
#: Our own chain of each scope.
HEADS = "refs/treering/heads/"
#: What our own head of a scope and those of other clones are together.
VIEWS = "refs/treering/views/"
#: On a remote: a folder for each clone, with its heads.
CLONES = "refs/treering/clones/"
TRASH = "refs/treering/trash/"
UNDO = "refs/treering/undo/"
KEEP = "refs/treering/keep/"
KEEP_REMOTE = "refs/treering/keep-remote/"
REMOTES = "refs/treering/remotes/"
#: A commit for each remote, on top of the heads there that are none of ours.
SEEN = "refs/treering/seen/"
#: What we last pushed to our own refs of a remote.
PUSHED = "refs/treering/pushed/"
#: Promotion -> what a branch that was never shared had said: kept here, since its name and what did
#: not land must not go along.
LANDED = "refs/treering/landed/"

_MAX_COMPONENT = 200
_CUT = 160
_DETACHED = r"@[0-9a-f]{12}"


def is_utf8(name: str) -> bool:
    """Return whether a name git allows can be written anywhere else, too."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(256)  # every call spells the refs of the same few branches, many times
def escape(branch: str) -> str:
    """The branch name as one ref component.

    git adds `.lock` to a component and file systems end at 255 bytes, so a long name is cut and
    marked by a hash; the whole name then stands in the `Code-Branch` trailer of its tip.
    """
    escaped = branch.replace("%", "%25").replace("/", "%2F").replace("~", "%7E")
    if len(escaped.encode()) <= _MAX_COMPONENT:
        return escaped
    head = escaped.encode()[:_CUT].decode(errors="ignore")
    head = re.sub(r"%[0-9A-F]?$", "", head)
    return f"{head}%+{hashlib.sha256(branch.encode()).hexdigest()[:16]}"


def unescape(component: str) -> str | None:
    """The branch name behind an escaped one; None where it was cut, or is not ours."""
    if "%+" in component or re.search(r"%(?!25|2F|40|7E)", component):
        return None
    plain = component.replace("%2F", "/").replace("%40", "@").replace("%7E", "~")
    return plain.replace("%25", "%")


class Scope(NamedTuple):
    """The memories of one branch, or of one detached commit (shown as `@<12 of the commit>`)."""

    branch: str
    is_detached: bool = False

    @classmethod
    def detached_at(cls, commit: str) -> "Scope":
        return cls(f"@{commit[:12]}", is_detached=True)

    @classmethod
    def of_component(cls, component: str, full_name: str = "") -> "Scope | None":
        """The scope an escaped name stands for; `full_name` is the trailer's, for cut names."""
        if component.startswith("%40"):
            name = "@" + component[3:]
            return cls(name, is_detached=True) if re.fullmatch(_DETACHED, name) else None
        branch = unescape(component) or full_name
        return cls(branch) if branch and escape(branch) == component else None

    def aside(self, oldest: str) -> "Scope":
        """The name this scope gets when another branch needs its own: no branch can have it, and it
        is the same in every clone, from the oldest of its memory commits."""
        return Scope(f"{self.branch}~{oldest[:12]}")

    @property
    def is_aside(self) -> bool:
        return not self.is_detached and "~" in self.branch

    @property
    def component(self) -> str:
        return "%40" + self.branch[1:] if self.is_detached else escape(self.branch)

    @property
    def ref(self) -> str:
        return HEADS + self.component

    @property
    def view_ref(self) -> str:
        return VIEWS + self.component
