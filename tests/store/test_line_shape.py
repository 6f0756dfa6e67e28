"""A tree of shards changed as bytes is the one git writes."""

import random

from conftest import Repo
from treering.git.objects import TREE
from treering.model.memory import ALPHABET
from treering.store.line_shape import SHARD
from treering.store.trees import Trees

EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def _names(dice: random.Random, count: int) -> list[str]:
    return ["".join(dice.choices(ALPHABET, k=2)) for _ in range(count)]


def test_shards_put_in_one_by_one_are_the_tree_that_git_makes(repo: Repo) -> None:
    """New ones at their place, known ones in the place of the old."""
    repository = repo.workspace.repository
    objects, trees, dice = repository.objects, Trees(repository), random.Random(5)
    other = objects.write_tree(None, {"file": (0o100644, objects.write_blob(b"text"))})
    empty = objects.write_tree(None, {})
    assert empty == EMPTY
    base = by_git = objects.write_tree(None, {"zz": (TREE, empty)})
    for name in _names(dice, 60):
        line = {name: (TREE, dice.choice((empty, other)))}
        by_git = objects.write_tree(by_git, line)
        written = trees.write_shards(base, line)
        assert written == by_git
        base = written


def test_a_tree_that_is_not_ours_alone_is_left_to_git(repo: Repo) -> None:
    """Whatever else lies in it stays, and lines in a wrong order are put in order."""
    repository = repo.workspace.repository
    objects, trees = repository.objects, Trees(repository)
    empty = objects.write_tree(None, {})
    mixed = objects.write_tree(None, {"aa": (TREE, empty), "notes": (TREE, empty)})
    raw = objects.raw_tree(objects.write_tree(None, {"aa": (TREE, empty), "bb": (TREE, empty)}))
    swapped = objects.write_raw_tree(raw[SHARD.size :] + raw[: SHARD.size])
    line = {"cc": (TREE, empty)}

    assert trees.write_shards(mixed, line) is None
    assert trees.write_shards(swapped, line) is None
    assert trees.write_shards(None, line) is None
    assert trees.write_shards(objects.write_tree(None, line), {"notes": (TREE, empty)}) is None
    assert trees.write_shards(objects.write_tree(None, line), {"cc": None}) is None
