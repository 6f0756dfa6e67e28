"""Squashed commits: the memory of the commit they became stands for theirs.

On the trunk "wip (1)" to "wip (5)" tell nothing that the squash does not tell, and hide what does.
Before such a branch is promoted, its commit memories are superseded in its own scope by the memory
of the commit they landed as, which names them all. So they stay behind the promotion, like commits
that were rewritten, and the one memory goes along, whether or not the trunk had it.
"""

from typing import TYPE_CHECKING

from treering.branches.overlay import was_shared
from treering.branches.plan import PlanLine
from treering.capture.commits import commits, memory_id, memory_of
from treering.model import document
from treering.model.memory import Link, Memory
from treering.model.scope import Scope
from treering.store import heads, message
from treering.store.message import CodePosition, Message
from treering.store.vault import Vault
from treering.text.masking import mask, mask_memory

if TYPE_CHECKING:
    from treering.branches.apply import Actor

_MOST_NAMED = 200


def put_behind(actor: "Actor", vault: Vault, line: PlanLine) -> PlanLine:
    """Supersede the memories of squashed commits; return the line with the one memory that goes
    along in their place.

    Where it is not known what they became, or where the branch's code was, they go along as ever.
    """
    code = _last_code(vault, line.scope) if any(some.behind for some in line.landed) else None
    new: dict[str, Memory] = {}
    landed = []
    for some in line.landed:
        merged_as = some.landing.merged_as or ""
        landing = new.get(memory_id(merged_as)) if some.behind and code else None
        if some.behind and code and landing is None:
            landing = _landing_memory(actor, vault, some.into, merged_as)
        versions = dict(some.versions)
        if landing is None:
            versions |= dict(some.behind)
        else:
            memories = [m for _, blob in some.behind if (m := vault.try_memory(blob))]
            memories.sort(key=lambda memory: (memory.created, memory.id))
            new |= {memory.id: memory.supersede(landing.id) for memory in memories}
            names = [f"{memory.commit[:12]} {memory.title}" for memory in memories]
            # What was never pushed is not named where everyone will see it.
            named = _name(landing, memories, names if was_shared(vault, line.scope) else [])
            new[landing.id] = mask_memory(named)
            versions[landing.id] = ""
        landed.append(some._replace(versions=tuple(versions.items()), behind=()))
    if not new or code is None:
        return line._replace(landed=tuple(landed))
    documents = {memory.id: document.dump(memory) for memory in new.values()}
    subject = f"put {len(new)} squashed commits of {mask(line.scope.branch)} behind"
    why = Message("capture", subject, code, tuple(new))
    commit = actor.write(vault, line.scope, documents, why)
    written = {memory_id: vault.blob_at(commit, memory_id) or "" for memory_id in documents}
    return line._replace(
        tip=vault.tip(line.scope) or commit,
        heads=tuple(heads.list_heads(vault, line.scope)),
        landed=tuple(
            some._replace(
                versions=tuple(sorted((mid, blob or written[mid]) for mid, blob in some.versions))
            )
            for some in landed
        ),
    )


def _landing_memory(actor: "Actor", vault: Vault, into: str, merged_as: str) -> Memory | None:
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
