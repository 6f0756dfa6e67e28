"""Every error a user can meet.

TreeringError
├── Invalid               the input is wrong
│   └── InvalidDocument   stored bytes are not a memory
├── MemoryNotFound
├── AmbiguousId
├── Conflict              someone else changed it first
├── BlockedSecret
├── PromptNotFound
├── BranchNotFound
├── PathNotFound
├── NotARepository
├── UnsupportedRepository
├── FormatTooNew
├── StoreDamaged
├── StorageFailed         full disk, I/O, permissions
├── SyncRefused           no remote, or it refused
├── Busy                  another process holds the lock
├── NeedsModel            a text has to be written by the caller
├── HubUnavailable        the hub's folder or database does not answer
├── RepoNotFound          the hub has no repository of that name
└── NotAllowed            the token does not permit it

Each knows its code (the contract's word for it), its message and a hint that says what to do next.
"""

from treering.call import Advice, Call, Option


class TreeringError(Exception):
    """Something the user can act on; the doors print it and exit with 1."""

    code = "internal"
    hint = ""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        if hint:
            self.hint = hint

    def as_json(self) -> dict[str, dict[str, str]]:
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class Invalid(TreeringError):
    """An argument, a query or a line of input is not valid."""

    code = "invalid"


class InvalidDocument(Invalid):
    """Bytes that should be a memory and are not; `reason` is one stable word for why."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class MemoryNotFound(TreeringError):
    """No visible memory has this id."""

    code = "memory_not_found"
    hint: str = Advice(
        "{} lists what is visible here, {} lists every branch.",
        Call("recall"), Call("recall", scope="all"),
    )  # fmt: skip


class AmbiguousId(TreeringError):
    """An id prefix matches several memories."""

    code = "ambiguous_id"


class Conflict(TreeringError):
    """The memory is no longer the version the caller expected."""

    code = "conflict"
    hint = "Read it again, apply your change to the current version, and retry."


class BlockedSecret(TreeringError):
    """The text contains what looks like a credential; nothing was stored."""

    code = "blocked_secret"
    hint = "Say where the secret is kept instead of quoting it."


class PromptNotFound(TreeringError):
    """No prompt or template of this name is visible."""

    code = "prompt_not_found"
    hint: str = Advice("{} lists the names.", Call("prompts", "list"))


class BranchNotFound(TreeringError):
    """A branch known neither as a branch, a scope nor a remote scope."""

    code = "branch_not_found"
    hint: str = Advice("`git branch --all` and {} list the names.", Call("status"))


class PathNotFound(TreeringError):
    """No chain of links leads from one memory to the other."""

    code = "path_not_found"
    hint: str = Advice(
        "Allow a longer path with {}, or other links with {} and {}.",
        Option("depth"), Option("relation"), Option("direction"),
    )  # fmt: skip


class NotARepository(TreeringError):
    """No git repository here."""

    code = "not_a_repository"
    hint = "Run this inside a git repository, or name one with --repo PATH."


class UnsupportedRepository(TreeringError):
    """A repository libgit2 cannot open (SHA-256 objects, reftable)."""

    code = "unsupported_repository"
    hint = "treering needs SHA-1 objects and the files ref backend, which are git's defaults."


class FormatTooNew(TreeringError):
    """Memories written by a newer treering."""

    code = "format_too_new"
    hint = "Upgrade treering. Nothing was changed."


class StoreDamaged(TreeringError):
    """A memory ref or an object below it cannot be read."""

    code = "store_damaged"
    hint = "Run `treering doctor` to see what is wrong and repair what is safe."


class StorageFailed(TreeringError):
    """The disk or git refused; the message says why. Earlier memories are untouched."""

    code = "storage_failed"
    hint = "Nothing was stored. Retrying is safe: the same content gets the same id."


class SyncRefused(TreeringError):
    """The remote does not exist, cannot be reached, or refuses the push."""

    code = "sync_refused"
    hint: str = Advice("Nothing was lost. Run {} again when this is fixed.", Call("sync"))


class Busy(TreeringError):
    """Another treering process kept the lock for too long."""

    code = "busy"
    hint = "Try again in a moment."


class NeedsModel(TreeringError):
    """A text has to be written, and the caller has not done it."""

    code = "needs_model"
    hint = "Write the text and pass it as content."


class HubUnavailable(TreeringError):
    """The folder or the database of the hub cannot be used."""

    code = "hub_unavailable"
    hint = "`treering hub status` shows where the hub is. Set TREERING_HUB or --hub to use another."


class RepoNotFound(TreeringError):
    """No repository of this name was added to the hub."""

    code = "repo_not_found"
    hint = "`treering hub list` lists the names. `treering hub add NAME URL` adds one."


class NotAllowed(TreeringError):
    """A token that is unknown or revoked, or that was not granted this repository."""

    code = "not_allowed"
    hint = "`treering hub grant NAME --repos a,b` creates a token for some repositories."
