"""The store of one repository: its shared vault, its private one, and the lock of both."""

import copy
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

from treering.clock import Clock, wall_clock
from treering.errors import Busy, NotARepository, StorageFailed, StoreDamaged
from treering.git import files, lock
from treering.git.lock import Held
from treering.git.repository import Repository, make_bare
from treering.store.history import GitHistory
from treering.store.vault import Vault


class Store:
    """The memories of this repository: a shared vault and a private one."""

    def __init__(self, repository: Repository, clock: Clock = wall_clock) -> None:
        self.repository = repository
        self._clock = clock
        self.shared = Vault(repository, clock=clock)
        self._make_history: Callable[[], GitHistory] = GitHistory
        self._private: Vault | None = None
        self._private_dir = self.folder / "private.git"
        self._private_head = str(self._private_dir / "HEAD")

    def use_history(self, make: Callable[[], GitHistory]) -> None:
        """Let vaults read memory history by another reader, made when it is first asked."""
        self._make_history = self.shared.make_history = make

    @property
    def folder(self) -> Path:
        """Ours under the common dir; only `index` and `cache` in it may be deleted."""
        return self.repository.common_dir / "treering"

    @property
    def lock_path(self) -> Path:
        return self.repository.common_dir / "treering.lock"

    @contextmanager
    def lock(self, timeout: float = lock.LOCK_TIMEOUT) -> Iterator[Held]:
        """Hold the lock; whatever is written meanwhile is as open as the repository is shared."""
        word = self.repository.config("core.sharedRepository") or "umask"
        group = files.is_for_group(word)
        with (
            files.share(word) if group else nullcontext(),
            lock.hold(self.lock_path, timeout=timeout, group=group) as held,
        ):
            yield held

    @property
    def driver_lock_path(self) -> Path:
        return self.repository.common_dir / "treering-worker.lock"

    @contextmanager
    def lock_driver(self, timeout: float, inherited: int | None = None) -> Iterator[None]:
        """Be the one who drains and lets memories follow their branches. This lock is taken before
        the store's, never after it; `inherited` is a descriptor that may hold it already."""
        path = self.driver_lock_path
        with ExitStack() as stack:
            if inherited is not None and lock.adopt(path, inherited):
                stack.callback(os.close, inherited)
            else:
                word = self.repository.config("core.sharedRepository") or "umask"
                group = files.is_for_group(word)
                try:
                    stack.enter_context(lock.hold(path, timeout=timeout, group=group))
                except Busy as error:
                    raise Busy(
                        f"The worker's lock is held by {lock.describe_holder(path)}, "
                        f"for more than {timeout:g} seconds.",
                        hint="It drains what hooks noted, or runs gc. If it is stopped, "
                        "`kill -CONT` lets it go on.",
                    ) from error
            stack.enter_context(lock.sign(path))
            yield

    @property
    def private(self) -> Vault | None:
        """The private vault, if anything private was ever remembered here.

        A repository of its own, because `git push --mirror` sends every ref there is.
        """
        if self._private is None and os.path.exists(self._private_head) and self.is_private_ours():
            self._private = self._open_private()
        return self._private

    def without_private(self) -> "Store":
        """The same store, as anyone else who has this repository would see it."""
        shared = copy.copy(self)
        shared._private, shared._private_head = None, ""
        return shared

    def is_private_ours(self) -> bool:
        """Return whether the private vault is a folder of this user's: in a repository that a group
        shares, whoever made another one reads what is put into it."""
        try:
            files.check_folder(self._private_dir, levels=2)
            for name in ("HEAD", "config"):
                os.close(files.open_file(self._private_dir / name))
        except OSError:
            return False
        return True

    def _open_private(self) -> Vault:
        try:
            vault = Vault(Repository(self._private_dir), is_private=True, clock=self._clock)
            vault.make_history = self._make_history
            return vault
        except NotARepository as error:
            raise StoreDamaged(
                f"The private memories cannot be read: {error.message}",
                hint=f"Restore {self._private_dir} from a backup, or move it away.",
            ) from error

    def make_private(self, held: Held) -> Vault:
        """The private vault, made if it is not there; whoever calls holds the lock."""
        if (vault := self.private) is not None:
            return vault
        if os.path.lexists(self._private_dir):
            raise StorageFailed(
                f"Private memories are refused: {self._private_dir} is not a repository of yours."
            )
        # Made beside and renamed: `git init` killed half-way leaves what no one can open.
        making = self.folder / "private.git.new"
        try:
            files.make_folder(making, levels=2)  # others of a shared repository use the one above
            making.chmod(0o700)
            make_bare(making)
            making.rename(self._private_dir)
        except OSError as error:
            raise StorageFailed(
                f"{held.path.parent} cannot be written: {error.strerror}."
            ) from error
        self._private = self._open_private()
        return self._private

    def vaults(self) -> list[Vault]:
        private = self.private
        return [self.shared, private] if private else [self.shared]
