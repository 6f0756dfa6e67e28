"""Where things lie in a scope's tree; names of any other shape are not ours and are left alone."""

from treering.model.memory import ALPHABET, is_id, is_name

MEMORIES = "memories"
#: Kind -> the folder what is saved under a name lies in.
SAVED = {"prompt": "prompts", "template": "templates"}
#: All folders of a scope that hold something of ours.
FOLDERS = (MEMORIES, *SAVED.values())


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


def is_ours(path: str) -> bool:
    """Whether a path of a scope's tree is a memory's, a prompt's or a template's."""
    return id_of_path(path) is not None or saved_key_of_path(path) is not None


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
