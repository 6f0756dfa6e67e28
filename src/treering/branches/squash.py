"""Squashed commits: the memory of the commit they became stands for theirs.

On the trunk "wip (1)" to "wip (5)" tell nothing that the squash does not tell, and hide what does.
Before such a branch is promoted, its commit memories are superseded in its own scope by the memory
of the commit they landed as, which names them all. So they stay behind the promotion, like commits
that were rewritten, and the one memory goes along, whether or not the trunk had it.
"""

from treering.branches.apply import Actor
from treering.branches.overlay import was_shared
from treering.branches.plan import PlanLine
from treering.branches.verdict import SQUASHES
from treering.capture.commits import commits, memory_id, memory_of
from treering.model import document
from treering.model.memory import Link, Memory
from treering.model.scope import Scope
from treering.store import heads, layout, message
from treering.store.message import CodePosition, Message
from treering.store.vault import Vault
from treering.text.masking import mask, mask_memory

_MOST_NAMED = 200


def put_behind(actor: Actor, vault: Vault, line: PlanLine) -> bool:
    """Supersede the memories of squashed commits; whether something was written.

    Where it is not known what they became, or where the branch's code was, they go along as ever.
    """
    if line.trashed or vault.is_private:
        return False
    code = _last_code(vault, line.scope)
    changed: dict[str, Memory] = {}
    for into, merged_as, memories in _list_squashed(vault, line) if code else ():
        landing = _landing_memory(actor, vault, into, merged_as)
        if landing is not None:
            changed |= {memory.id: memory.supersede(landing.id) for memory in memories}
            names = [f"{memory.commit[:12]} {memory.title}" for memory in memories]
            # What was never pushed is not named where everyone will see it.
            named = _name(landing, memories, names if was_shared(vault, line.scope) else [])
            changed[landing.id] = mask_memory(named)
    if not changed or code is None:
        return False
    files: dict[str, bytes | None] = {
        layout.path_of(memory.id): document.dump(memory) for memory in changed.values()
    }
    subject = f"put {len(changed)} squashed commits of {mask(line.scope.branch)} behind"
    why = Message("capture", subject, code, tuple(changed))
    heads.write(
        vault, actor.held, line.scope, files, why, person=actor.person, seconds=actor.seconds
    )
    return True


def _list_squashed(vault: Vault, line: PlanLine) -> list[tuple[str, str, list[Memory]]]:
    """Where commits were squashed into which commit, and their memories."""
    commits_behind = []
    for landing in line.landed:
        merged_as = landing.landing.merged_as
        if landing.landing.evidence not in SQUASHES or not merged_as:
            continue
        blobs = [blob for path, blob in landing.files if layout.id_of_path(path)]
        memories = [memory for blob in blobs if (memory := vault.try_memory(blob))]
        mine = [m for m in memories if m.type == "commit" and m.commit not in ("", merged_as)]
        if mine:
            mine.sort(key=lambda memory: (memory.created, memory.id))
            commits_behind.append((landing.into, merged_as, mine))
    return commits_behind


def _landing_memory(actor: Actor, vault: Vault, into: str, merged_as: str) -> Memory | None:
    """The memory of the commit they became, as the target has it, or made now."""
    blob = vault.snapshot(Scope(into)).blob(memory_id(merged_as))
    if blob and (memory := vault.try_memory(blob)):
        return memory
    return next((memory_of(c) for c in commits(actor.store.repository, [merged_as])), None)


def _name(landing: Memory, squashed: list[Memory], lines: list[str]) -> Memory:
    """The memory of a squash with the commits that went into it."""
    before = landing.details.get("squashed")
    known = [str(name) for name in before] if isinstance(before, list) else []
    links = {link.edge: link for link in landing.links}
    links |= {("supersedes", m.id): Link("supersedes", m.id, 1.0, "system") for m in squashed}
    if names := list(dict.fromkeys([*known, *lines]))[:_MOST_NAMED]:
        landing = landing.with_details(squashed=names)
    return landing._replace(links=tuple(links.values()))


def _last_code(vault: Vault, scope: Scope) -> CodePosition | None:
    """Where the branch's code was when something was last said on it."""
    for head in filter(None, (vault.head(scope), *heads.list_heads(vault, scope))):
        code = message.read(vault.repository.objects.commit(head).message).code
        if code.head:
            return code
    return None
