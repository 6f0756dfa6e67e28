"""Where things lie in a scope's tree; names of any other shape are not ours and are left alone."""

import struct

from treering.model.memory import ALPHABET, is_id, is_name

MEMORIES = "memories"
#: Kind -> the folder what is saved under a name lies in.
SAVED = {"prompt": "prompts", "template": "templates"}
#: All folders of a scope that hold something of ours.
FOLDERS = (MEMORIES, *SAVED.values())


#: A memory as a line of a raw tree: mode, id, ending, blob.
LINE = struct.Struct("7s12s4s20s")
#: A shard as a line of the raw tree of all of them: mode, name, tree.
SHARD_LINE = struct.Struct("29s")
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


def saved_key_of_path(path: str) -> str | None:
    """The key of the prompt or template a path of a scope's tree holds, or None."""
    folder, _, file = path.partition("/")
    name = name_in(file) if folder in SAVED.values() else None
    return f"{folder}/{name}" if name else None


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


def shard_in(line: tuple[bytes]) -> tuple[str, str] | None:
    """The name and tree in a raw line, or None when it is no shard."""
    raw = line[0]
    is_ours = raw[:6] == b"40000 " and raw[8:9] == b"\0" and not raw[6:8].strip(_ALPHABET)
    return (raw[6:8].decode(), raw[9:].hex()) if is_ours else None
