"""A remote, through the git program: with its credentials, proxies, and ways of cloning.

Nothing is pushed without a lease: a bare repository accepts any forced update.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from treering.call import Advice, Call
from treering.errors import SyncRefused
from treering.git import process
from treering.git.process import ProcessResult
from treering.git.repository import Repository

#: At most this many refs go over one connection.
_REFS_PER_CONNECTION = 500
#: How often a fetch that fails is taken apart, to get what can be had.
_MOST_FAILURES = 40
_MOVED = (
    "fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref",
    "incorrect old value", "atomic", "needs force",
)  # fmt: skip
_BRANCHES = "refs/heads/"
_SYMREF = f"ref: {_BRANCHES}"
_OFFLINE = ("resolve host", "Could not connect", "Connection", "timed out", "unreachable")
_VAGUE = "Could not read from remote repository"
_FORBIDDEN = (
    "Permission denied", "Authentication failed", "prompts disabled", "403", "could not read Us",
    "access denied", "not authorized", "insufficient permission", "could not read Pass",
)  # fmt: skip


class PushedRef(NamedTuple):
    """The outcome of a push for one ref."""

    ref: str
    is_done: bool
    reason: str = ""

    @property
    def is_worth_a_retry(self) -> bool:
        """Return whether someone else was faster, and nothing else is wrong."""
        return not self.is_done and any(words in self.reason for words in _MOVED)


class RemoteListing(NamedTuple):
    """The refs of a remote below a prefix, its branches, and the one its HEAD is on (or "").

    Names are what a stranger chose.
    """

    refs: dict[str, str]
    branches: dict[str, str]
    head: str


class Remote:
    """One remote of a repository; `is_interactive` says that someone is there to be asked. `called`
    is how errors call it, where its name says nothing; `seconds` limits each step."""

    def __init__(
        self,
        repository: Repository,
        name: str,
        *,
        is_interactive: bool = False,
        called: str = "",
        seconds: float | None = None,
    ) -> None:
        self._repository = repository
        self.name = name
        self._called = called or name
        self.seconds = seconds
        self._folder = _folder_for_urls(repository, name)
        ssh = repository.config("core.sshCommand")
        self._env = {} if is_interactive else process.ask_nobody(ssh)

    def look(self, *prefixes: str) -> RemoteListing:
        """The refs below some prefixes, the branches and HEAD, in one go: a fetch moves no
        `refs/remotes/*/HEAD`, so a default branch that changed is seen here alone."""
        wanted = ("HEAD", f"{_BRANCHES}*", *(f"{prefix}*" for prefix in prefixes))
        answer = self._ask(
            "ls-remote", "--quiet", "--symref", "--", self.name, *wanted, env=self._env
        )
        if answer.code:
            raise self._refusal(answer, "cannot be reached")
        lines = answer.out.decode(errors="surrogateescape").split("\n")
        pairs = [line.split("\t", 1) for line in lines if "\t" in line]
        head = next((value for value, ref in pairs if ref == "HEAD" and " " in value), "")
        oids = {ref: oid for oid, ref in pairs if " " not in oid and "^{}" not in ref}
        branches = {
            ref.removeprefix(_BRANCHES): oid
            for ref, oid in oids.items()
            if ref.startswith(_BRANCHES) and not ref.startswith(prefixes)
        }
        return RemoteListing(
            {ref: oid for ref, oid in oids.items() if ref.startswith(prefixes)},
            branches,
            head.removeprefix(_SYMREF) if head.startswith(_SYMREF) else "",
        )

    def fetch(self, refs: Mapping[str, str]) -> dict[str, str]:
        """Fetch refs (theirs -> ours); those that cannot be had, and why.

        One bad ref makes git give up on all, so then they are asked for in halves.
        """
        reasons: dict[str, str] = {}
        items = list(refs.items())
        # git looks through all refs for each name it is given: by hundreds, not by thousands.
        waiting = [
            items[at : at + _REFS_PER_CONNECTION]
            for at in range(0, len(items), _REFS_PER_CONNECTION)
        ]
        failures = 0
        while waiting:
            some = waiting.pop()
            answer = self._fetch([f"+{theirs}:{ours}" for theirs, ours in some])
            if not answer.code:
                continue
            failures += 1
            if len(some) == 1 or failures > _MOST_FAILURES:
                reasons |= {theirs: reason(answer.err) for theirs, _ in some}
                if len(items) == 1:
                    raise self._refusal(answer, "cannot be fetched from")
            else:
                half = len(some) // 2
                waiting += [some[half:], some[:half]]
        return reasons

    def fetch_objects(self, oids: Collection[str], *, in_parts: bool = False) -> bool:
        """Fetch commits by their ids, without any ref, and return whether all came.

        git gives up on all ids when the remote lacks one: `in_parts` asks again in halves.
        """
        some = list(oids)
        if self._fetch(some).code == 0:
            return True
        if in_parts and len(some) > 1:
            half = len(some) // 2
            self.fetch_objects(some[:half], in_parts=True)
            self.fetch_objects(some[half:], in_parts=True)
        return False

    def _fetch(self, refspecs: Sequence[str]) -> ProcessResult:
        lines = "".join(f"{line}\n" for line in refspecs)
        return self._ask(
            *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"),
            # A partial clone would leave the memories out; configured refspecs are not ours.
            *("--no-recurse-submodules", "--no-filter", "--refmap=", "--stdin", "--", self.name),
            feed=lines.encode(errors="surrogateescape"),
        )

    def push(
        self, new: Mapping[str, str], gone: Iterable[str], leases: Mapping[str, str]
    ) -> Iterator[PushedRef]:
        """Push commits to refs, and remove refs; each must still have the value its lease says, ""
        for none at all. A history need not be built upon what was there.

        What is removed goes after all that was to be pushed is there, or not at all.
        """
        items, done = list(new.items()), True
        for start in range(0, len(items), _REFS_PER_CONNECTION):
            for result in self._push(dict(items[start : start + _REFS_PER_CONNECTION]), (), leases):
                done = done and result.is_done
                yield result
        names = list(gone) if done else []
        for start in range(0, len(names), _REFS_PER_CONNECTION):
            yield from self._push({}, names[start : start + _REFS_PER_CONNECTION], leases)

    def _push(
        self, new: Mapping[str, str], gone: Iterable[str], leases: Mapping[str, str]
    ) -> list[PushedRef]:
        names = [*new, *gone]
        answer = self._ask(
            *_not_a_mirror(self.name),
            *("-c", "push.followTags=false"),
            *("push", "--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no"),
            *(f"--force-with-lease={name}:{leases[name]}" for name in names),
            *("--", self.name),
            *(f"{tip}:{ref}" for ref, tip in new.items()),
            *(f":{ref}" for ref in gone),
        )
        results = list(_results(answer.out))
        if not results:
            raise self._refusal(answer, "cannot be pushed to")
        return results

    @cached_property
    def _env_without_hooks(self) -> dict[str, str]:
        """For what moves refs; a look, which is all that most syncs are, starts no hook."""
        return self._env | process.without_hooks(self._repository.common_dir)

    def _ask(
        self, *arguments: str, feed: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> ProcessResult:
        return process.ask(
            self._repository.common_dir,
            *arguments,
            feed=feed,
            env=self._env_without_hooks if env is None else env,
            seconds=self.seconds,
            folder=self._folder,
            is_remote=True,
        )

    def _refusal(self, answer: ProcessResult, what: str) -> SyncRefused:
        why = reason(answer.err)
        hint = ""
        if any(words in why for words in _FORBIDDEN):
            hint = (
                "Check your permission and credentials for it, or choose another remote with "
                "`treering config remote NAME`. Nothing was lost."
            )
        elif any(words in why for words in _OFFLINE):
            hint = Advice("Run {} again when it can be reached. Nothing was lost.", Call("sync"))
        return SyncRefused(f"{self._called} {what}: {why}", hint)


def _folder_for_urls(repository: Repository, name: str) -> Path:
    """Return where git has to stand, since a url may be a relative path: at the top of the work
    tree, as when someone types it there; a worker, and whoever is in a folder of it, stands
    elsewhere.

    Of a linked work tree at the top of the main one, if only from there the path leads somewhere.
    """
    common_dir = repository.common_dir
    main = common_dir.parent if common_dir.name == ".git" else common_dir
    here = repository.workdir or common_dir
    url = repository.config(f"remote.{name}.url") or ""
    if not (here / url).exists() and (main / url).exists():
        return main
    return here if here.is_dir() else common_dir


def _not_a_mirror(name: str) -> list[str]:
    """A remote set up as a mirror takes no single refs, and would delete everyone's scopes."""
    return [] if "=" in name or "\n" in name else ["-c", f"remote.{name}.mirror=false"]


def _results(porcelain: bytes) -> Iterator[PushedRef]:
    for line in porcelain.decode(errors="surrogateescape").splitlines():
        flag, _, rest = line.partition("\t")
        names, _, summary = rest.partition("\t")
        if len(flag) == 1 and ":" in names:
            yield PushedRef(names.rpartition(":")[2], flag != "!", "" if flag != "!" else summary)


def reason(err: bytes) -> str:
    """Return what went wrong, in git's words: its last verdict, without passwords."""
    lines = [line.strip() for line in err.decode(errors="replace").splitlines() if line.strip()]
    verdicts = [line for line in lines if line.startswith(("fatal:", "error:", "ERROR:", "ssh:"))]
    forbidden = next((line for line in lines if any(words in line for words in _FORBIDDEN)), "")
    verdict = forbidden or (
        verdicts[0] if verdicts else lines[-1] if lines else "git gave no reason"
    )
    at = lines.index(verdict) if verdict in lines else 0
    if _VAGUE in verdict and at:
        verdict = lines[at - 1]  # the last that ssh said
    return re.sub(r"://[^/@\s]+@", "://", verdict.removeprefix("fatal: ").removeprefix("error: "))
