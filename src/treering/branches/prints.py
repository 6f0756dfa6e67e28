"""Fingerprints that go with what is pushed, so that a clone that never had a branch's code can tell
whether it has landed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from treering.branches.apply import Actor
from treering.branches.landing.finding import Target
from treering.branches.landing.fingerprints import Fingerprints
from treering.branches.landing.judge import Judge
from treering.branches.long_lived import long_lived_tips
from treering.git import log
from treering.model.scope import Scope
from treering.model.value import NamedTuple
from treering.store import heads, message
from treering.store.message import NOTE, Message
from treering.store.store import Store
from treering.store.vault import Vault
from treering.text.masking import mask

#: How the paragraph of a commit begins that holds them.
_BEGIN = "treering-fingerprints "


class CodePrints(NamedTuple):
    """A scope, and what its branch has changed by now."""

    scope: Scope
    prints: Fingerprints


def list_new_prints(store: Store, vault: Vault, scopes: Iterable[Scope]) -> Iterator[CodePrints]:
    """What is to be written down before some scopes are pushed. It may take long, and needs no
    lock."""
    repository = store.repository
    long_lived: Mapping[str, Sequence[str]] = long_lived_tips(repository)
    targets = [Target(name, tip) for name, tips in long_lived.items() for tip in tips]
    judge = Judge.open(store)
    for scope in scopes:
        tip = repository.tip_of(scope.branch)
        own = vault.head(scope)
        if tip is None or own is None or scope.is_detached or scope.branch in long_lived:
            continue
        prints = judge.fingerprints_of(tip, targets)
        if prints and str(prints).strip() != _read_last(vault, own):
            yield CodePrints(scope, prints)


def _read_last(vault: Vault, own: str) -> str:
    folder = vault.repository.common_dir
    for commit in log.read_log(folder, [own], containing=[_BEGIN], most=1):
        return message.read(commit.message).prints
    return ""


def note_prints(actor: Actor, vault: Vault, news: Iterable[CodePrints]) -> None:
    """Write fingerprints down, each in a commit that changes no memory."""
    for scope, prints in news:
        subject = f"note what {mask(scope.branch)} changed"
        why = Message(NOTE, subject, actor.code_of(scope), prints=str(prints))
        heads.write(vault, actor.held, scope, {}, why, person=actor.person, seconds=actor.seconds)
