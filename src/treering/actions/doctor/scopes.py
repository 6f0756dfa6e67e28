"""One of our refs: its tip, its name, and the way back where the tip cannot be read; and its files,
each the memory it says it is."""

import contextlib
from collections import Counter
from collections.abc import Collection, Iterator

from treering.actions.doctor import MAX_OF_A_KIND, Finding
from treering.actions.workspace import Workspace
from treering.branches import undo
from treering.branches.apply import trash_name
from treering.branches.survey import seen_scopes
from treering.branches.trunk import trunk_of
from treering.derived.content import Problem
from treering.errors import InvalidDocument, StoreDamaged, TreeringError
from treering.git import reach, refs
from treering.git.files import read_plain
from treering.git.lock import Held
from treering.git.objects import BLOB, TREE
from treering.model import document
from treering.model.dates import format_moment
from treering.model.scope import (
    CLONES,
    HEADS,
    KEEP,
    KEEP_REMOTE,
    LANDED,
    PUSHED,
    REFS,
    REMOTES,
    SEEN,
    TRASH,
    UNDO,
    VIEWS,
    Scope,
    is_utf8,
)
from treering.store import heads, layout, message
from treering.store.absence import find_loss, list_kept, put_back, tell
from treering.store.lost_commits import Lost, find_lost
from treering.store.vault import Vault

_ELSEWHERE = (
    "Get them from where they still are: a remote (`treering sync`), another clone "
    f"(git fetch PATH '{HEADS}*:{HEADS}*'), or an export (`treering import FILE`)."
)


def count_vanished(workspace: Workspace) -> int:
    """Return how many shared memories are known, where no ref leads to any; 0 where one does."""
    names = refs.list_refs(workspace.repository.common_dir, REFS)
    if any(not name.startswith((KEEP, KEEP_REMOTE)) for name in names):
        return 0
    blobs = workspace.rows.blobs()
    try:
        private = workspace.store.private
    except StoreDamaged:
        return 0  # whose they were cannot be told
    return sum(not (private and private.repository.objects.exists(blob)) for blob in blobs)


def find_lost_refs(workspace: Workspace, lock: Held | None) -> Iterator[Finding]:
    """Say so, and bring back what git has not pruned yet; without the lock only look."""
    if not (count := count_vanished(workspace)):
        return
    message = f"No memory ref is left, though {count} memories were here{_culprit(workspace)}."
    histories = find_lost(workspace.store.shared)
    if not histories:
        yield Finding("memories-vanished", "error", message, _ELSEWHERE)
        return
    if lock:
        _bring_back(workspace, lock, histories)
    branches = ", ".join(sorted({entry.scope.branch for entry in histories}))
    yield Finding(
        "memories-vanished",
        "error",
        f"{message} git still has those of {branches}.",
        "treering doctor brings them back.",
        fixed=lock is not None,
    )


def _culprit(workspace: Workspace) -> str:
    """git filter-repo writes down which refs it deleted."""
    file = workspace.repository.common_dir / "filter-repo" / "ref-map"
    try:
        has_deletion = f"{'0' * 40} {REFS}".encode() in read_plain(file)
    except OSError:
        return ""
    return ": git filter-repo deleted them" if has_deletion else ""


def _bring_back(workspace: Workspace, lock: Held, histories: list[Lost]) -> None:
    """The newest history of a branch that is here becomes its scope again.

    All others go to the trash, from where nothing is shared: they may have been purged on purpose.
    """
    repository, vault = workspace.repository, workspace.store.shared
    here = {*repository.branches(), repository.head().branch, trunk_of(repository)}
    counts: Counter[Scope] = Counter()
    for entry in histories:
        counts[entry.scope] += 1
        is_first = counts[entry.scope] == 1
        if is_first and (entry.scope.is_detached or entry.scope.branch in here):
            name = entry.scope.ref
        else:
            name = trash_name(vault, entry.scope, workspace.clock())
        vault.move_ref(lock, name, entry.tip, old=None, why="doctor: brought back")


def find_left_out(workspace: Workspace, lock: Held | None) -> Iterator[Finding]:
    scopes = seen_scopes(workspace.store.shared)
    for scope, tip in scopes.items():
        yield from _find_vanished(workspace, lock, scope, tip)
    for loss in list_kept(workspace.store.shared, list(scopes.values())):
        message = (
            f"{loss.files} files of {loss.branch} were left out by {loss.author} in "
            f"{loss.commit[:12]} and put back."
        )
        yield Finding("kept", "info", message, "Ask them. Nothing was lost.")


def ways_back(workspace: Workspace) -> Iterator[Finding]:
    """Syncs that changed or hid much of what was here."""
    vault = workspace.store.shared
    earlier = list(undo.list_before(vault))
    scopes = seen_scopes(vault) if earlier else {}
    for before in earlier:
        try:
            tip = scopes.get(before.scope)
            effect = undo.measure(vault, before.tip, tip) if tip else None
        except TreeringError:
            continue
        if effect and effect.is_large:
            branch = before.scope.branch
            message = f"Since a sync at {format_moment(before.when)} {effect} on {branch}."
            fix = f"If nobody wanted that: treering restore {branch} --before-sync"
            yield Finding("undo", "info", message, fix)


def _find_vanished(
    workspace: Workspace, lock: Held | None, scope: Scope, tip: str
) -> Iterator[Finding]:
    """Files that are in the history of a scope and were taken away by nobody's word."""
    vault = workspace.store.shared
    try:
        loss = find_loss(vault, scope, tip, None)
        if loss and lock:
            whole = put_back(vault, scope, tip, loss)
            heads.append_to_own_head(vault, lock, scope, [whole], "doctor: put back")
    except TreeringError:
        return  # a history that cannot be read has a finding of its own
    for part in tell(vault, scope, loss):
        message = (
            f"{part.files} files of {part.branch} were left out by {part.author} in "
            f"{part.commit[:12]}, and nobody forgot them."
        )
        yield Finding("vanished", "error", message, "treering doctor", fixed=lock is not None)


_FETCH = "Fetch the object from a remote or another clone, or `treering revert` the memory."


def scope_ref(
    workspace: Workspace, vault: Vault, name: str, value: str, may_repair: bool
) -> Iterator[Finding]:
    try:
        vault.snapshot_at(Scope(""), value)
        commit = vault.repository.objects.commit(value)
        entries = vault.trees.lines(commit.tree)
    except TreeringError as error:
        yield _repair_ref(vault, name, value, error, may_repair)
        return
    change = message.read(commit.message)
    if change.format > document.FORMAT:
        yield Finding(
            "format-too-new",
            "warning",
            f"{name} was written by a newer treering.",
            "Upgrade treering.",
        )
    if not is_utf8(name) or (not name.startswith(TRASH) and not _scope(name, change.code.branch)):
        yield Finding(
            "foreign-ref",
            "warning",
            f"{name} is not the name of a scope.",
            f"git update-ref -d {name}",
        )
    for entry in entries:
        if entry.mode == TREE and entry.name == layout.MEMORIES:
            yield from _check_memories(workspace, vault, name, entry.oid)
        else:
            yield _foreign(name, entry.name)


def _check_memories(workspace: Workspace, vault: Vault, name: str, tree: str) -> Iterator[Finding]:
    trees = vault.trees
    try:
        shards = trees.lines(tree)
    except StoreDamaged as error:
        yield Finding("broken-tree", "error", f"{name}: {error.message}", _FETCH)
        return
    for shard in shards:
        if shard.mode != TREE or not layout.is_shard(shard.name):
            yield _foreign(name, f"memories/{shard.name}")
            continue
        try:
            files = trees.lines(shard.oid)
        except StoreDamaged as error:
            yield Finding("broken-tree", "error", f"{name}: {error.message}", _FETCH)
            continue
        # What was parsed once is not parsed again: a stranger may have pushed thousands.
        verdicts = workspace.rows.read_verdicts(file.oid for file in files)
        problems: dict[str, Problem | None] = {}
        for file in files:
            memory_id = layout.id_in(file.name, shard.name)
            if file.mode != BLOB or memory_id is None:
                yield _foreign(name, f"memories/{shard.name}/{file.name}")
                continue
            try:
                found = verdicts.get(file.oid) or _judge(vault, file.oid)
                if isinstance(found, str):
                    vault.repository.objects.blob(file.oid)
            except StoreDamaged as error:
                text = f"{name}: {memory_id}: {error.message}"
                yield Finding("broken-blob", "error", text, _FETCH)
                continue
            fix = f"treering revert {memory_id}"
            if isinstance(found, Problem):
                problems[file.oid] = found
                text = f"{name}: {memory_id} is not a memory ({found.reason}: {found.message})"
                if len(problems) <= MAX_OF_A_KIND:
                    text += f" It is by {workspace.ledger.name_writers([file.oid])}."
                yield Finding("bad-document", "error", text, fix)
            elif found != memory_id:
                text = f"{name}: {memory_id} says it is {found}"
                yield Finding("wrong-id", "error", text, fix)
        if problems.keys() - verdicts.keys():
            workspace.rows.add({}, problems=problems)


def _judge(vault: Vault, blob: str) -> str | Problem:
    """Return the id of the memory in a blob, or why it holds none."""
    try:
        return vault.memory(blob).id
    except InvalidDocument as error:
        return Problem(error.reason, error.message)


def _foreign(name: str, path: str) -> Finding:
    return Finding(
        "foreign-entry",
        "info",
        f"{name}: {path!r} is not a file of treering and is ignored.",
        "Nothing has to be done.",
    )


def _scope(name: str, full_name: str) -> Scope | None:
    component = name.removeprefix(HEADS)
    if name.startswith(REMOTES):
        component = name.rpartition("/")[2]
    return Scope.of_component(component, full_name)


def _repair_ref(
    vault: Vault, name: str, value: str, error: TreeringError, may_repair: bool
) -> Finding:
    """A tip that cannot be read: back to the newest one in its log that can.

    Looked at once more first: to go back for a disk that failed once would lose the newest memory.
    """
    if _is_readable(vault, value):
        return Finding(
            "unsteady-disk",
            "warning",
            f"{name} could only be read at the second try ({error.message})",
            "Check the disk, then run `treering doctor` again.",
        )
    folder = vault.repository.common_dir
    for earlier in _earlier_tips(vault, name, value):
        if earlier != value and _is_readable(vault, earlier):
            if may_repair:
                refs.overwrite(folder, name, earlier)
            return Finding(
                "broken-ref",
                "error",
                f"{name} cannot be read ({error.message})",
                f"treering doctor goes back to {earlier[:12]}",
                fixed=may_repair,
            )
    return Finding(
        "broken-ref",
        "error",
        f"{name} cannot be read ({error.message})",
        f"Fetch it from another clone: git fetch REMOTE '{name}:{name}'",
    )


def _earlier_tips(vault: Vault, name: str, value: str) -> Iterator[str]:
    """Yield where a ref may go back to, the newest first: its log, its own past, what a fetch
    saw."""
    folder = vault.repository.common_dir
    yield from refs.reflog(folder, name)
    with contextlib.suppress(TreeringError):
        yield from vault.repository.objects.commit(value).parents
    if name.startswith(HEADS):
        fetched = refs.list_refs(folder, REMOTES)
        yield from (tip for ref, tip in fetched.items() if ref.endswith(f"/{name[len(HEADS) :]}"))


def _is_readable(vault: Vault, tip: str) -> bool:
    try:
        vault.snapshot_at(Scope(""), tip).listing()
    except StoreDamaged:
        return False
    return True


def past(vault: Vault, tips: Collection[str]) -> Iterator[Finding]:
    """Return whether older versions are all there; git walks the histories of all tips at once."""
    folder = vault.repository.common_dir
    if not tips:
        return
    try:
        missing = reach.count_missing(folder, tips)
    except TreeringError as error:
        yield Finding("broken-history", "error", f"Older versions: {error.message}", _OLDER)
        return
    if missing:
        text = f"{missing} objects of older versions are missing or empty."
        yield Finding("broken-history", "error", text, _OLDER)


_OLDER = "The current memories are complete. Fetch the past from a remote or another clone."


def strangers(vault: Vault) -> Iterator[Finding]:
    """Refs below refs/treering that are none of ours."""
    folders = (HEADS, VIEWS, CLONES, PUSHED, TRASH, UNDO, KEEP, KEEP_REMOTE, REMOTES, SEEN, LANDED)
    for name in refs.list_refs(vault.repository.common_dir, REFS):
        if not name.startswith(folders):
            yield Finding(
                "foreign-ref",
                "warning",
                f"{name} is not the name of a scope.",
                f"git update-ref -d {name}",
            )
