"""The files of a scope: shards, names, and whether each is the memory it says it is."""

from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.errors import InvalidDocument, StoreDamaged
from treering.git.objects import BLOB, TREE
from treering.store import layout
from treering.store.vault import Vault

_FETCH = "Fetch the object from a remote or another clone, or `treering revert` the memory."


def memories(vault: Vault, name: str, tree: str) -> Iterator[Finding]:
    trees = vault.trees
    try:
        shards = trees.lines(tree)
    except StoreDamaged as error:
        yield Finding("broken-tree", "error", f"{name}: {error.message}", _FETCH)
        return
    for shard in shards:
        if shard.mode != TREE or not layout.is_shard(shard.name):
            yield foreign(name, f"memories/{shard.name}")
            continue
        try:
            files = trees.lines(shard.oid)
        except StoreDamaged as error:
            yield Finding("broken-tree", "error", f"{name}: {error.message}", _FETCH)
            continue
        for file in files:
            memory_id = layout.id_in(file.name, shard.name)
            if file.mode != BLOB or memory_id is None:
                yield foreign(name, f"memories/{shard.name}/{file.name}")
            else:
                yield from _document(vault, name, memory_id, file.oid)


def check_prompts(vault: Vault, name: str, folder: str, tree: str) -> Iterator[Finding]:
    """The prompts or templates of a scope."""
    try:
        files = vault.trees.lines(tree)
    except StoreDamaged as error:
        yield Finding("broken-tree", "error", f"{name}: {error.message}", _FETCH)
        return
    for file in files:
        if file.mode != BLOB or layout.name_in(file.name) is None:
            yield foreign(name, f"{folder}/{file.name}")


def _document(vault: Vault, name: str, memory_id: str, blob: str) -> Iterator[Finding]:
    try:
        memory = vault.memory(blob)
    except InvalidDocument as error:
        yield Finding(
            "bad-document",
            "error",
            f"{name}: {memory_id} is not a memory ({error.reason}: {error.message})",
            f"treering revert {memory_id}",
        )
    except StoreDamaged as error:
        yield Finding("broken-blob", "error", f"{name}: {memory_id}: {error.message}", _FETCH)
    else:
        if memory.id != memory_id:
            yield Finding(
                "wrong-id",
                "error",
                f"{name}: {memory_id} says it is {memory.id}",
                f"treering revert {memory_id}",
            )


def foreign(name: str, path: str) -> Finding:
    return Finding(
        "foreign-entry",
        "info",
        f"{name}: {path!r} is not a file of treering and is ignored.",
        "Nothing has to be done.",
    )
