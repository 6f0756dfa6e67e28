"""A saved prompt or template made from all its changes, as replay.py does for memories."""

from collections.abc import Sequence
from typing import NamedTuple

from treering.errors import InvalidDocument
from treering.model import prompt
from treering.model.prompt import Prompt
from treering.model.text_merge import merge_texts
from treering.store.merge.replay import in_order


class PromptStep(NamedTuple):
    """One commit's change of one prompt: from what, to what, and which other steps it knew."""

    commit: str
    time: int
    before: Prompt | None
    after: Prompt
    knew: frozenset[str] = frozenset()


def replay_prompt(steps: Sequence[PromptStep]) -> Prompt:
    """The prompt after all steps, ancestors first; an edit outlives a deletion it did not know."""
    sequence = in_order(steps)
    now = sequence[0].after
    for step in sequence[1:]:
        before = step.before or now
        if now == step.before:
            now = step.after
        elif not (step.after.is_deleted and _is_overruled(step, sequence)):
            now = _sound(_apply(now, before, step.after), step.after)
    return now


def _is_overruled(step: PromptStep, steps: Sequence[PromptStep]) -> bool:
    return any(
        not other.after.is_deleted
        and other.commit not in step.knew
        and step.commit not in other.knew
        for other in steps
        if other is not step
    )


def _apply(now: Prompt, before: Prompt, after: Prompt) -> Prompt:
    removals = set(before.tags) - set(after.tags)
    rest = [tag for tag in now.tags if tag not in removals]
    is_new = before.description != after.description
    return now._replace(
        content=merge_texts(before.content, now.content, after.content).text,
        description=after.description if is_new else now.description,
        tags=tuple(dict.fromkeys([*rest, *(tag for tag in after.tags if tag not in before.tags)])),
        is_deleted=after.is_deleted,
        modified=max(now.modified, after.modified),
    )


def _sound(together: Prompt, after: Prompt) -> Prompt:
    """What both made of it, unless together it is none any more."""
    try:
        return prompt.parse(prompt.dump(together))
    except InvalidDocument:
        return after
