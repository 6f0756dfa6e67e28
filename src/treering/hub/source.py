"""A repository elsewhere: a folder of this machine or a url, and which of its refs the hub takes.

Only the heads of memories: what clones pushed to a remote, and in somebody's own repository what it
says itself and what it fetched. Private memories lie in a repository of their own, which no fetch
reaches. Names of refs were chosen by others: what cannot be one of ours is left where it is.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from treering.branches.long_lived import long_lived
from treering.branches.trunk import former_names, is_often_long_lived, usual_names
from treering.errors import Invalid, TreeringError
from treering.git import refs
from treering.git.repository import Repository
from treering.model.scope import CLONES, HEADS, REFS, REMOTES, Scope, is_utf8
from treering.store.fetched import CLONES_SEEN, FetchedHead
from treering.sync.refspec import prefix_of
from treering.sync.remote_state import WORKING

if TYPE_CHECKING:
    from treering.hub.hub import RepositoryRecord

REMOTE = "origin"
#: More heads than a team has; those beyond are left out.
MAX_HEADS = 20_000
_MAX_REF = 240
_OID = r"[0-9a-f]{40}"
_CLONE = r"[0-9a-z]{12}"
_URL = r"[a-z][a-z0-9+.-]*://.+|[\w.@-]+:(?!\\).+"
_PASSWORD = r"[a-z][a-z0-9+.-]*://[^/@]*:[^/@]*@"  # noqa: S105
_FILE_URL = "file://"
#: Where hosts that allow branches only keep memories, as the manual has it.
AS_BRANCHES = "refs/heads/treering/"


class SourceHead(NamedTuple):
    """One head of a scope, as a source has it: where, and how the mirror keeps it."""

    ref: str
    component: str
    tip: str
    seen: str


def read_place(text: str, folder: Path) -> str:
    """A url, or the absolute path of a repository that is there now."""
    if not text or text.startswith("-") or not text.isprintable():
        raise Invalid(f"{text!r} is neither a url nor a folder.")
    path = folder / Path(text).expanduser()
    if re.fullmatch(_URL, text, re.IGNORECASE) and not path.exists():
        if re.match(_PASSWORD, text, re.IGNORECASE):
            raise Invalid(
                "The url holds a password, which everyone who uses the hub would have.",
                hint="Leave it out, and let git ask a credential helper or ssh.",
            )
        return text
    Repository.discover(path, is_named=True)
    return str(path.resolve())


def hide_password(url: str) -> str:
    return re.sub(r"://[^/@\s]+@", "://", url)


def open_local(place: str) -> Repository | None:
    """The repository itself, where it is on this machine; None where only git can reach it."""
    path = Path(place.removeprefix(_FILE_URL))
    if not path.is_absolute() or not path.is_dir():
        return None
    try:
        return Repository.discover(path, is_named=True)
    except TreeringError:
        return None  # git says what is wrong with it


def url_for_git(place: str) -> str:
    """Return what git fetches from: of a work tree, the repository it belongs to."""
    local = open_local(place)
    return str(local.common_dir) if local else place


# --- its heads ------------------------------------------------------------------------------------


def list_prefixes(repository: Repository) -> tuple[str, ...]:
    """Below which names a source may keep memories: a host that allows branches only has them where
    `treering.remoteprefix` says, and most say the one place that the manual names."""
    try:
        configured = prefix_of(repository)
    except Invalid:
        configured = CLONES
    usual = (REFS, AS_BRANCHES)
    return usual if configured.startswith(usual) else (*usual, configured)


def read_heads(
    listing: Mapping[str, str], prefixes: Collection[str] = (AS_BRANCHES,)
) -> Iterator[SourceHead]:
    """The heads among some refs, each with a name of its own in the mirror."""
    for ref, tip in sorted(listing.items()):
        place = _split(ref, prefixes)
        if place is None or not re.fullmatch(_OID, tip):
            continue
        clone, component = place
        if ref.isprintable() and is_utf8(ref) and 0 < len(component.encode()) <= _MAX_REF:
            seen = FetchedHead(REMOTE, CLONES_SEEN, clone, component, tip)
            yield SourceHead(ref, component, tip, seen.ref)


def _split(ref: str, prefixes: Collection[str]) -> tuple[str, str] | None:
    """Return whose head a ref is, and of which scope; None where it is not a head."""
    if ref.startswith(HEADS):
        component = ref.removeprefix(HEADS)
        return None if "/" in component else (WORKING, component)
    if ref.startswith(REMOTES):
        return _split_fetched(ref.removeprefix(REMOTES))
    if ref.startswith(CLONES):
        match = re.fullmatch(r"([^/]+)/([^/]+)", ref.removeprefix(CLONES))
        return (match[1], match[2]) if match else None
    if ref.startswith(REFS):
        return None
    for prefix in prefixes:
        # Among branches there may be some of that name with code, which is not for us.
        if match := re.fullmatch(rf"{re.escape(prefix)}({_CLONE})/([^/]+)", ref):
            return match[1], match[2]
    return None


def _split_fetched(name: str) -> tuple[str, str] | None:
    """Return what somebody's repository fetched of others; two of its remotes may know one
    clone."""
    match = re.fullmatch(r"(.+/(?:clones|lost)/[^/]+)/([^/]+)", name)
    if match is None:
        return None
    digest = hashlib.sha256(match[1].encode(errors="surrogateescape")).hexdigest()
    return digest[:16], match[2]


def choose_heads(
    heads: Iterable[SourceHead], components: Collection[str] | None
) -> list[SourceHead]:
    """Return those of some scopes, or of all."""
    return [head for head in heads if components is None or head.component in components]


def digest_of(heads: Iterable[SourceHead]) -> str:
    """A word that changes when any of these heads does."""
    lines = sorted(f"{head.ref} {head.tip}" for head in heads)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


# --- its branches ---------------------------------------------------------------------------------


class Trunks(NamedTuple):
    """The branches others land on: the trunk, names it had before, and those like it."""

    trunk: str
    former: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.trunk, *self.former, *self.others)))

    @property
    def components(self) -> set[str]:
        return {Scope(name).component for name in self.names if is_utf8(name)}


def trunks_of_local(repository: Repository) -> Trunks:
    """As the repository itself knows them: its code tells what was merged into what."""
    trunk, *others = long_lived(repository)
    return Trunks(trunk, tuple(former_names(repository, trunk)), tuple(others))


def trunks_of_listing(mirror: Repository, trunk: str, branches: Collection[str]) -> Trunks:
    """From what a remote listed: without its code, names have to tell."""
    usual = usual_names(mirror)
    others = [name for name in usual if name in branches]
    others += sorted(name for name in branches if is_often_long_lived(name))
    former = tuple(former_names(mirror, trunk))
    return Trunks(trunk, former, tuple(name for name in others if name != trunk))


def is_behind(record: "RepositoryRecord") -> bool:
    """Never updated, not at the last try, or on this machine and moved on since.

    A remote is not asked: whoever recalls does not wait for a network.
    """
    if not record.updated or record.error:
        return True
    try:
        if record.url not in _LOCAL:
            local = open_local(record.url)
            if local is None:
                return False
            _LOCAL[record.url] = (local.common_dir, list_prefixes(local))
        folder, prefixes = _LOCAL[record.url]
        listing = {k: v for prefix in prefixes for k, v in refs.list_refs(folder, prefix).items()}
    except (TreeringError, OSError):
        return True
    components = None if record.all_branches else record.state.components
    heads = choose_heads(read_heads(listing, prefixes), components)
    return digest_of(heads) != record.state.fingerprint


#: Repositories on this machine: where their refs are, and below which names. A server looks at each
#: of many at every call.
_LOCAL: dict[str, tuple[Path, tuple[str, ...]]] = {}
