"""Where things lie in a scope's tree; names of any other shape are not ours and are left alone."""

import struct

from treering.model.memory import ALPHABET, is_id, is_name

MEMORIES = "memories"
#: Kind -> the folder what is saved under a name lies in.
SAVED = {"prompt": "prompts", "template": "templates"}


#: A memory as a line of a raw tree: mode, id, ending, blob.
LINE = struct.Struct("7s12s4s20s")
_ALPHABET = ALPHABET.encode()


def is_plain(line: tuple[bytes, bytes, bytes, bytes], shard: str) -> bool:
    """Whether a raw line is a memory of this shard."""
    mode, memory_id, ending, _ = line
    named = memory_id.startswith(shard.encode()) and not memory_id.strip(_ALPHABET)
    return mode == b"100644 " and ending == b".md\0" and named


def shard_of(memory_id: str) -> str:
    """One level of shards keeps a capture at a few milliseconds up to 100,000 memories."""
    return memory_id[:2]


def file_of(memory_id: str) -> str:
    return f"{memory_id}.md"


def path_of(memory_id: str) -> str:
    return f"{MEMORIES}/{shard_of(memory_id)}/{file_of(memory_id)}"


def saved_key(kind: str, name: str) -> str:
    """What a prompt or template goes by in listings and trailers."""
    return f"{SAVED[kind]}/{name}"


def saved_path(key: str) -> str:
    return f"{key}.md"


def name_in(file: str) -> str | None:
    """The name a file of `prompts` or `templates` stands for, or None when it is not ours."""
    name, dot, ending = file.partition(".")
    return name if dot and ending == "md" and is_name(name) else None


def is_shard(name: str) -> bool:
    return len(name) == 2 and not name.strip(ALPHABET)


def id_in(file: str, shard: str) -> str | None:
    """The id a file of a shard stands for, or None when the name is not of our shape."""
    memory_id, dot, ending = file.partition(".")
    ours = dot and ending == "md" and is_id(memory_id) and memory_id.startswith(shard)
    return memory_id if ours else None
