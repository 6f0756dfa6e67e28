"""Paths in a scope's tree; names of any other shape are not ours and are left alone."""

from treering.model.memory import ALPHABET, is_id

MEMORIES = "memories"


def shard_of(memory_id: str) -> str:
    """One level of shards keeps a capture at a few milliseconds up to 100,000 memories."""
    return memory_id[:2]


def file_of(memory_id: str) -> str:
    return f"{memory_id}.md"


def path_of(memory_id: str) -> str:
    return f"{MEMORIES}/{shard_of(memory_id)}/{file_of(memory_id)}"


def is_shard(name: str) -> bool:
    return len(name) == 2 and not name.strip(ALPHABET)


def id_in(file: str, shard: str) -> str | None:
    """The id a file of a shard stands for, or None when the name is not of our shape."""
    memory_id, dot, ending = file.partition(".")
    ours = dot and ending == "md" and is_id(memory_id) and memory_id.startswith(shard)
    return memory_id if ours else None


def id_of_path(path: str) -> str | None:
    """The memory a path of a scope's tree holds, or None."""
    folder, _, rest = path.partition("/")
    shard, _, file = rest.partition("/")
    return id_in(file, shard) if folder == MEMORIES else None
