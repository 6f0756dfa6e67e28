"""The user's repository as we find it: where it is, what HEAD means, what its config says.

Identity is the common dir: worktrees share refs, index, journal and lock through it, and each has
a HEAD of its own. Nothing here writes to it.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from treering.errors import NotARepository, StoreDamaged, UnsupportedRepository
from treering.git import discovery, refs
from treering.git.binding import GitError, Handle, Oid
from treering.git.files import state_of
from treering.git.objects import TREE, Objects, Person, TreeEntry

_TOPOLOGICAL = 1  # an order of libgit2
_UNSUPPORTED = ("extension", "object format", "unknown object", "repository format")

#: Attributes under which a file is not what is committed for it, and libgit2 cannot tell what is.
_CONVERTED = ("filter", "working-tree-encoding")


class Head(NamedTuple):
    """The position of HEAD. During a rebase or bisect it is detached, and still on a branch."""

    branch: str | None
    commit: str | None
    is_detached: bool


class Repository:
    """One git repository, opened once; libgit2 handles are kept one a thread."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._head_file = os.path.join(git_dir, "HEAD")
        self._local = threading.local()
        self._local.handle = _open(git_dir)
        self._known_settings: tuple[tuple[int, ...], dict[str, list[str]]] = ((), {})

    @classmethod
    def discover(cls, path: Path, *, is_named: bool = False) -> "Repository":
        """The repository that holds `path`: a folder inside it, its top, or its git dir."""
        return cls(discovery.find(path, is_named=is_named))

    @contextmanager
    def call(self) -> Iterator[None]:
        """One call from outside: what is found once in it is looked for anew in the next."""
        is_inner = hasattr(self._local, "found")
        if not is_inner:
            self._local.found = {}
        try:
            yield
        finally:
            if not is_inner:
                del self._local.found

    def find_once(self, name: str, find: Callable[[], str]) -> str:
        """Return what is found under a name: once in a call, or until the configuration changes."""
        if not hasattr(self._local, "found"):
            return find()
        found: dict[tuple[object, ...], str] = self._local.found
        key = (name, *self._stamp_config())
        if key not in found:
            found[key] = find()
        return found[key]

    @property
    def handle(self) -> Handle:
        if not hasattr(self._local, "handle"):
            self._local.handle = _open(self.git_dir)
        handle: Handle = self._local.handle
        return handle

    @property
    def objects(self) -> Objects:
        if not hasattr(self._local, "objects"):
            self._local.objects = Objects(self.handle)
        objects: Objects = self._local.objects
        return objects

    @cached_property
    def common_dir(self) -> Path:
        pointer = self.git_dir / "commondir"
        try:
            return (self.git_dir / pointer.read_text(encoding="utf-8").strip()).resolve()
        except FileNotFoundError:
            return self.git_dir

    @cached_property
    def workdir(self) -> Path | None:
        return Path(self.handle.workdir) if self.handle.workdir else None

    @property
    def is_bare(self) -> bool:
        return bool(self.handle.is_bare)

    @property
    def is_shallow(self) -> bool:
        return (self.common_dir / "shallow").exists()

    @property
    def is_partial(self) -> bool:
        """Return whether objects were left out when it was cloned, to be fetched when they are
        needed."""
        return any(
            key.startswith("remote.") and key.endswith(".promisor") for key in self._settings()
        )

    def worktree_paths(self) -> list[Path]:
        """The folders of all work trees, this one's first, as git last knew them."""
        paths = [self.workdir] if self.workdir else []
        if self.common_dir.name == ".git":
            paths.append(self.common_dir.parent)
        for file in sorted((self.common_dir / "worktrees").glob("*/gitdir")):
            with suppress(OSError, UnicodeDecodeError):
                pointer = file.read_text(encoding="utf-8").strip()
                paths.append((file.parent / pointer).parent)
        return list(dict.fromkeys(paths))

    def worktrees(self) -> int:
        """Return how many work trees share this repository, the main one included."""
        try:
            count = len(os.listdir(self.common_dir / "worktrees"))
        except FileNotFoundError:
            count = 0
        main_is_bare = self.config("core.bare") == "true"
        return count + (not main_is_bare)

    # --- HEAD and branches ------------------------------------------------------------------------

    def head(self) -> Head:
        with open(self._head_file, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read().strip()
        symbol = text.removeprefix("ref:").strip()
        if text.startswith("ref:") and symbol.startswith("refs/heads/"):
            branch = symbol.removeprefix("refs/heads/")
            return Head(branch, self.tip_of(branch), is_detached=False)
        commit = refs.read(self.handle, symbol) if text.startswith("ref:") else text
        return Head(self._branch_in_progress(), commit, is_detached=True)

    def _branch_in_progress(self) -> str | None:
        """The branch a rebase or bisect is about, while HEAD is detached for it."""
        for name in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
            try:
                text = (self.git_dir / name).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError):
                continue
            branch = text.removeprefix("refs/heads/")
            if self.tip_of(branch):
                return branch
        return None

    def tip_of(self, branch: str) -> str | None:
        """The commit of a local branch, or None."""
        return self._commit_at(f"refs/heads/{branch}")

    def _commit_at(self, ref: str) -> str | None:
        try:
            return str(self.handle.lookup_reference(ref).resolve().target)
        except (KeyError, ValueError, GitError, UnicodeEncodeError):
            return None

    def branches(self) -> dict[str, str]:
        """Local branches and their commits."""
        tips = refs.list_refs(self.common_dir, "refs/heads/")
        return {name.removeprefix("refs/heads/"): oid for name, oid in tips.items()}

    def remotes(self) -> list[str]:
        names = {
            key[len("remote.") : -len(".url")]
            for key in self._settings()
            if key.startswith("remote.") and key.endswith(".url")
        }
        return sorted(names, key=lambda name: (name != "origin", name))

    def remote_head(self, remote: str) -> str | None:
        """The branch a remote calls its HEAD."""
        try:
            target = self.handle.lookup_reference(f"refs/remotes/{remote}/HEAD").target
        except (KeyError, ValueError, GitError):
            return None
        prefix = f"refs/remotes/{remote}/"
        return target.removeprefix(prefix) if isinstance(target, str) else None

    def remote_branches(self, remote: str) -> dict[str, str]:
        """The branches a remote was last seen to have, and their commits."""
        prefix = f"refs/remotes/{remote}/"
        found = refs.list_refs(self.common_dir, prefix)
        return {name.removeprefix(prefix): oid for name, oid in found.items()}

    def remote_tip_of(self, remote: str, branch: str) -> str | None:
        return self._commit_at(f"refs/remotes/{remote}/{branch}")

    # --- history ----------------------------------------------------------------------------------

    def resolve(self, revision: str) -> str | None:
        """The commit a revision names, or None."""
        try:
            target = self.handle.revparse_single(revision)
            return str(target.peel(1).id)  # 1 is a commit
        except (KeyError, ValueError, GitError, TypeError):
            return None

    def find_blob(self, prefix: str) -> str | None:
        """The blob whose id begins so, or None. A name is never looked up."""
        if not 7 <= len(prefix) <= 40 or set(prefix) - set("0123456789abcdef"):
            return None
        try:
            found = self.handle.revparse_single(prefix)
        except (KeyError, ValueError, GitError, TypeError):
            return None
        return str(found.id) if found.type_str == "blob" else None

    def is_ancestor(self, old: str, new: str) -> bool:
        if old == new:
            return True
        try:
            return bool(self.handle.descendant_of(Oid(hex=new), Oid(hex=old)))
        except (KeyError, ValueError, GitError):
            return False

    def merge_base(self, one: str, other: str) -> str | None:
        if one == other:
            return one
        try:
            base = self.handle.merge_base(Oid(hex=one), Oid(hex=other))
        except (KeyError, ValueError, GitError):
            return None
        return str(base) if base else None

    def nearest_base(self, head: str, tips: Sequence[str]) -> str | None:
        """The merge base with the one of some tips that leaves the fewest commits of its own."""
        if len(tips) > 1:
            tips = sorted(tips, key=lambda tip: self.apart(head, tip)[0])
        return self.merge_base(head, tips[0]) if tips else None

    def parents_of(self, commit: str) -> tuple[str, ...] | None:
        """A commit's parents, or None when it is not in this repository."""
        try:
            return tuple(map(str, self.handle.look_up(commit).parent_ids))
        except (KeyError, ValueError, AttributeError, GitError, OSError):
            return None

    def first_parents(self, tip: str | None) -> Iterator[str]:
        """A commit, its first parent, that one's first parent, and so on."""
        while tip:
            yield tip
            tip = next(iter(self.parents_of(tip) or ()), None)

    def shallow_commits(self) -> frozenset[str]:
        """Return where the history of a shallow clone was cut off."""
        try:
            text = (self.common_dir / "shallow").read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return frozenset()
        return frozenset(text.split())

    def history(
        self, tips: Sequence[str], *, without: Sequence[str] = (), since: float | None = None
    ) -> list[str]:
        """The commits reachable from some and not from others, parents before children."""
        from treering.git import log

        return log.list_commits(self.common_dir, tips, without=without, since=since)[::-1]

    def read_parents(
        self, tip: str, *, without: str, most: int
    ) -> dict[str, tuple[str, ...]] | None:
        """The parents of a history's commits that another one lacks, children before parents.

        None where there are more than `most`, or libgit2 cannot tell: git is to be asked then.
        """
        try:
            walker = self.handle.walk(Oid(hex=tip), _TOPOLOGICAL)
            walker.hide(Oid(hex=without))
            found = {
                str(commit.id): tuple(str(parent) for parent in commit.parent_ids)
                for commit in islice(walker, most + 1)
            }
        except (KeyError, ValueError, GitError, OSError):
            return None
        return found if len(found) <= most else None

    def apart(self, one: str, other: str | None) -> tuple[int, int]:
        """Return how many commits each of two has that the other has not (None: has nothing)."""
        try:
            if other is None:
                return sum(1 for _ in self.handle.walk(Oid(hex=one), 0)), 0
            return self.handle.ahead_behind(one, other)
        except (KeyError, ValueError, GitError):
            return 0, 0

    def find_entry(self, commit: str, path: str) -> TreeEntry | None:
        """Return what a commit's tree has under a path, whatever bytes its name is made of."""
        entry = TreeEntry("", TREE, self.objects.commit(commit).tree)
        for name in path.split("/"):
            lines = self.objects.tree(entry.oid) if entry.mode == TREE else []
            found = next((line for line in lines if line.name == name), None)
            if found is None:
                return None
            entry = found
        return entry

    def blob_at(self, commit: str, path: str) -> str | None:
        """The blob a path holds in a commit's tree, or None."""
        try:
            entry = self.handle.look_up(commit).peel(2)[path]  # 2 is a tree
        except (KeyError, ValueError, GitError, TypeError):
            return None
        return str(entry.id) if entry.type_str == "blob" else None

    def list_folder(self, commit: str, path: str) -> list[TreeEntry] | None:
        """The lines of a folder in a commit's tree; None where there is no such folder."""
        try:
            tree = self.handle.look_up(commit).peel(2)
            entry = tree[path] if path else tree
            return self.objects.tree(str(entry.id)) if entry.type_str == "tree" else None
        except (KeyError, ValueError, GitError, TypeError, StoreDamaged):
            return None

    def has_path(self, commit: str, path: str) -> bool:
        """Return whether a commit's tree has a file or a folder of this name."""
        try:
            return path in self.handle.look_up(commit).peel(2)
        except (KeyError, ValueError, GitError, TypeError):
            return False

    def is_clean(self) -> bool:
        """Return whether the work tree holds nothing that HEAD does not; where it cannot be told,
        no."""
        if self.workdir is None:
            return True
        try:
            return not self.handle.status("normal")
        except (GitError, OSError, ValueError):
            return False

    def upstream_of(self, branch: str) -> tuple[str, str] | None:
        """The remote and the branch there that a branch is set to follow."""
        remote = self.config(f"branch.{branch}.remote")
        name = self.config(f"branch.{branch}.merge") or ""
        if not remote or not name.startswith("refs/heads/"):
            return None
        return remote, name.removeprefix("refs/heads/")

    def upstreams(self) -> dict[str, tuple[str, str]]:
        """Every branch that is set to follow a remote's, with the remote and the branch there."""
        keys = (key for key in self._settings() if key.startswith("branch."))
        branches = (key[len("branch.") : -len(".merge")] for key in keys if key.endswith(".merge"))
        pairs = ((branch, self.upstream_of(branch)) for branch in branches)
        return {branch: upstream for branch, upstream in pairs if upstream}

    def list_changed_files(self) -> list[str]:
        """Files of the work tree that differ from HEAD; those git does not track stay unnamed."""
        if self.workdir is None:
            return []
        try:
            names = sorted(self.handle.status("no"))
        except (GitError, OSError, ValueError):  # an index libgit2 cannot read: split, or sparse
            return []
        return [os.fsencode(name).decode(errors="replace") for name in names]

    def hash_file(self, path: str) -> str | None:
        """The blob a file of the work tree would become, line ends seen to; None where only a
        program of the repository's could tell, or where git would refuse the file."""
        try:
            return None if self.is_converted(path) else self.handle.hash_file(path)
        except (GitError, KeyError, OSError, ValueError):
            return None

    def is_converted(self, path: str) -> bool:
        """Return whether a file of the work tree is not what is committed for it, by its
        attributes."""
        try:
            return any(self.handle.attribute(path, name) for name in _CONVERTED)
        except (GitError, KeyError, OSError, ValueError):
            return True

    def read_attribute(self, path: str, name: str, commit: str) -> bool | None:
        """Return what .gitattributes say of a file at a commit; None where they say nothing."""
        try:
            return self.handle.attribute_at(path, name, commit)
        except (GitError, KeyError, OSError, ValueError):
            return None

    # --- configuration ----------------------------------------------------------------------------

    def config(self, key: str) -> str | None:
        """A setting as git would give it; section and variable in any case."""
        values = self.config_values(key)
        return values[-1] if values else None

    def config_values(self, key: str) -> list[str]:
        """All values of a setting, in the order they are written in; where several files have it,
        those of the nearest one."""
        section, _, rest = key.partition(".")
        middle, _, variable = rest.rpartition(".")
        name = ".".join(part for part in (section.lower(), middle, variable.lower()) if part)
        return self._settings().get(name, [])

    def _settings(self) -> dict[str, list[str]]:
        """All of git's configuration, read anew when this repository's file changed, else at most
        once a second: asking libgit2 for each key costs more than the rest of a look-up."""
        key = (*self._stamp_config(), int(time.monotonic()))
        if self._known_settings[0] != key:
            self._known_settings = (key, self._read_settings())
        return self._known_settings[1]

    def _stamp_config(self) -> tuple[int, ...]:
        """Return what changes when this repository's file of configuration does."""
        return state_of(os.path.join(self.common_dir, "config"))

    def _read_settings(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        levels: dict[str, int] = {}
        try:
            for name, value, level in self.handle.config():
                if levels.setdefault(name, level) != level:
                    found[name], levels[name] = [], level
                found.setdefault(name, []).append(value or "true")
        except (GitError, ValueError, OSError):
            return {}
        return found

    def person(self) -> Person:
        """The user of this repository; without one configured, the login name, as git would."""
        name, email = self.config("user.name"), self.config("user.email")
        if not name or not email:
            import getpass
            import socket

            login = getpass.getuser()
            name, email = name or login, email or f"{login}@{socket.gethostname()}"
        clean = str.maketrans("", "", "<>\n\0")
        return Person(
            name.translate(clean).strip() or "unknown", email.translate(clean).strip() or "unknown"
        )


def make_bare(folder: Path) -> None:
    """Make an empty folder a bare repository."""
    from treering.git import process

    process.run(folder, "init", "--bare", "--quiet", str(folder))


def _open(git_dir: Path) -> Handle:
    try:
        return Handle(str(git_dir))
    except (GitError, KeyError, OSError, ValueError) as error:
        reason = str(error)
        if any(words in reason for words in _UNSUPPORTED):
            raise UnsupportedRepository(
                f"libgit2 cannot open this kind of repository: {reason}"
            ) from error
        hint = ""
        if "own" in reason:
            hint = "`git config --global --add safe.directory PATH` trusts it."
        elif "config file" in reason:
            hint = "Mend that line. `git config --list` tells whether git can read it."
        raise NotARepository(f"{git_dir} cannot be opened: {reason}", hint) from error
