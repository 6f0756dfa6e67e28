"""Trees nobody of ours would write: every verb has the same idea of them, and doctor names them.

They are written byte by byte, since git itself refuses to make most of them.
"""

from collections.abc import Callable

import pytest

from conftest import Repo
from treering.errors import MemoryNotFound

MAIN = "refs/treering/heads/main"
Line = tuple[str, str, str]  # mode, name, object


def raw_tree(repo: Repo, *lines: Line) -> str:
    """A tree of exactly these lines, in this order."""
    raw = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in lines)
    return raw_object(repo, raw)


def raw_object(repo: Repo, raw: bytes) -> str:
    import subprocess

    done = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        cwd=repo.path, input=raw, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode().strip()


class Scene:
    """A repository with one good memory, whose tree is then laid out anew by hand."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        answer = repo.tr.remember("Use WAL mode", type="decision")
        self.id, self.blob, self.shard = answer.id, answer.version, answer.id[:2]
        self.file = f"{self.id}.md"
        self.empty = raw_tree(repo)

    def tree(self, *lines: Line) -> str:
        return raw_tree(self.repo, *lines)

    def with_shard(self, *lines: Line) -> str:
        """A root whose one shard, of the memory's name, has these lines."""
        return self.with_shards(("40000", self.shard, self.tree(*lines)))

    def with_shards(self, *lines: Line) -> str:
        return self.tree(("40000", "memories", self.tree(*lines)))

    def good_shard(self) -> str:
        return self.tree(("100644", self.file, self.blob))

    def show(self, root: str) -> None:
        made = self.repo.git("commit-tree", root, "-m", "x\n\nTreering-Op: import")
        self.repo.git("update-ref", MAIN, made)


def other_shard(scene: Scene) -> str:
    return "00" if scene.shard != "00" else "11"


HOSTILE: dict[str, Callable[[Scene], str]] = {
    "a link": lambda s: s.with_shard(("120000", s.file, s.blob)),
    "a program": lambda s: s.with_shard(("100755", s.file, s.blob)),
    "for a group": lambda s: s.with_shard(("100664", s.file, s.blob)),
    "a padded mode": lambda s: s.with_shard(("0100644", s.file, s.blob)),
    "a folder": lambda s: s.with_shard(("40000", s.file, s.empty)),
    "another repository": lambda s: s.with_shard(("160000", s.file, s.blob)),
    "upper case": lambda s: s.with_shard(("100644", s.file.upper(), s.blob)),
    "another ending": lambda s: s.with_shard(("100644", f"{s.id}.txt", s.blob)),
    "a name in a name": lambda s: s.with_shard(("120000", f"100644 {s.file}", s.blob)),
    "twice": lambda s: s.with_shard(("100644", s.file, s.blob), ("100644", s.file, s.blob)),
    "twice, once a link": lambda s: s.with_shard(
        ("120000", s.file, s.blob), ("100644", s.file, s.blob)
    ),
    "the wrong shard": lambda s: s.with_shards(("40000", other_shard(s), s.good_shard())),
    "two shards of one name": lambda s: s.with_shards(
        ("40000", s.shard, s.empty), ("40000", s.shard, s.good_shard())
    ),
    "a shard and a file of one name": lambda s: s.with_shards(
        ("100644", s.shard, s.blob), ("40000", s.shard, s.good_shard())
    ),
    "a shard with a padded mode": lambda s: s.with_shards(("040000", s.shard, s.good_shard())),
    "a shard that is a link": lambda s: s.with_shards(("120000", s.shard, s.blob)),
    "two folders of memories": lambda s: s.tree(
        ("40000", "memories", s.empty),
        ("40000", "memories", s.tree(("40000", s.shard, s.good_shard()))),
    ),
    "memories in capitals": lambda s: s.tree(
        ("40000", "Memories", s.tree(("40000", s.shard, s.good_shard())))
    ),
    "memories that are a link": lambda s: s.tree(("120000", "memories", s.blob)),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_not_of_our_shape_is_shown_by_nobody_and_named(repo: Repo, case: str) -> None:
    """Neither by a listing nor by its id, now or in the past; what is written beside it stays."""
    scene = Scene(repo)
    scene.show(HOSTILE[case](scene))

    assert repo.titles() == set()
    assert not repo.tr.recall("mode").results
    for text in (scene.id, scene.id[:6]):
        with pytest.raises(MemoryNotFound):
            repo.tr.read(text)
    assert not repo.workspace.store.shared.blob_at(repo.refs()[MAIN], scene.id)
    assert "foreign-entry" in {f.code for f in repo.tr.doctor(dry_run=True).findings}
    repo.tr.remember("Retry with jitter", type="pattern")
    assert "Retry with jitter" in repo.titles()


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_not_of_our_shape_is_no_change_to_a_merge(repo: Repo, case: str) -> None:
    """The comparison of trees has no ideas of its own."""
    scene = Scene(repo)
    trees = repo.workspace.store.shared.trees
    hostile = HOSTILE[case](scene)
    good = scene.with_shard(("100644", scene.file, scene.blob))

    assert trees.differing(None, hostile) == {}
    assert trees.differing(good, hostile) == {scene.id: (scene.blob, None)}


MALFORMED = [
    b"no tree at all", b"100644 cut.md\0abc", b"100644 \xff", b"9 x\0" + bytes(20), b" x\0" * 9,
]  # fmt: skip


@pytest.mark.parametrize(
    ("depth", "raw"),
    [
        # Every kind at one depth and one kind at every depth; the others in the deep run.
        pytest.param(depth, raw, marks=() if not (place and kind) else pytest.mark.deep)
        for place, depth in enumerate(("shard", "memories", "root"))
        for kind, raw in enumerate(MALFORMED)
    ],
)
def test_a_malformed_tree_is_an_error_with_words(repo: Repo, depth: str, raw: bytes) -> None:
    """Never "bug: ValueError"; what lies beside it is still shown."""
    scene = Scene(repo)
    bad = raw_object(repo, raw)
    lines: dict[str, tuple[Line, ...]] = {
        "shard": (("40000", "memories", scene.tree(
            ("40000", scene.shard, scene.good_shard()), ("40000", other_shard(scene), bad))),),
        "memories": (("40000", "memories", bad),),
    }  # fmt: skip
    scene.show(bad if depth == "root" else scene.tree(*lines[depth]))

    for command in (
        ["recall", "mode"], ["read", scene.id], ["export"], ["status"], ["log"],
        ["prompts", "list"], ["context", "--task", "mode"], ["doctor", "--dry-run"],
        ["recall", "--at", "today"],
    ):  # fmt: skip
        done = repo.cli(*command, "--json")
        assert done.returncode in (0, 1), f"{command}: {done.stderr}"
        assert '"internal"' not in done.stderr
    if depth == "shard":
        assert repo.titles() == {"Use WAL mode"}
        assert repo.tr.read(scene.id).title == "Use WAL mode"
    findings = repo.tr.doctor(dry_run=True).findings
    assert {"broken-tree", "broken-ref"} & {finding.code for finding in findings}
