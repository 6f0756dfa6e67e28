"""What somebody else redacts or withdraws: named, reversible here, and never destructive beyond."""

from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import CLONES, Team, own_ref, remote_refs, remote_scopes, write_to
from treering.model import document
from treering.store import layout
from treering.store.redaction import tombstone

MALLORY = f"{CLONES}mallory00000/main"


def forge_redaction(
    repo: Repo, ids: list[str], ref: str = MALLORY, author: str = "Mallory"
) -> None:
    """Push a commit that marks memories as redacted, as anyone who may push can."""
    repo.git("read-tree", "--empty")
    for memory_id in ids:
        text = document.dump(tombstone(memory_id, None)).decode()
        blob = repo.git("hash-object", "-w", "--stdin", feed=text)
        repo.git(
            "update-index", "--add", "--cacheinfo", f"100644,{blob},{layout.path_of(memory_id)}"
        )
    tree = repo.git("write-tree")
    said = "redact\n\nTreering-Op: redact\n" + "".join(f"Treering-Memory: {i}\n" for i in ids)
    name = ("-c", f"user.name={author}", "-c", f"user.email={author.lower()}@example.org")
    tip = repo.git(*name, "commit-tree", tree, feed=f"{said}Code-Branch: main\n")
    repo.git("reset", "-q")
    write_to(repo, tip, ref)


@pytest.fixture
def team(clone: Team) -> tuple[Repo, Repo, Repo, list[str]]:
    """Ada and Ben share eight memories of Ada's; Mallory may push."""
    ada, ben, mallory = clone("ada"), clone("ben"), clone("mallory")
    ids = [ada.tr.remember(f"fact number {n} of many", type="insight").id for n in range(8)]
    ada.tr.sync()
    ben.tr.sync()
    return ada, ben, mallory, ids


@pytest.mark.parametrize("author", ["Mallory", "Ada"])
def test_a_redaction_of_many_memories_waits_for_a_yes(
    team: tuple[Repo, Repo, Repo, list[str]], clone: Team, author: str
) -> None:
    """Whoever it claims to be from."""
    ada, ben, mallory, ids = team
    before = remote_refs(ada)
    forge_redaction(mallory, ids, author=author)

    for repo in (ada, ben):
        answer = repo.json("sync")
        notes = " ".join(answer["notes"])
        assert author in notes
        assert "8 memories" in notes
        assert "treering redact" in notes
        assert len(repo.titles()) == 8
    assert {ref: tip for ref, tip in remote_refs(ada).items() if ref != MALLORY} == before
    ada.tr.remember("work goes on", type="insight")
    assert "work goes on" in ada.titles()
    ada.json("sync")
    assert remote_refs(ada)[own_ref(ada)] != before[own_ref(ada)]


def test_so_does_one_of_a_memory_that_the_redactor_did_not_write(
    team: tuple[Repo, Repo, Repo, list[str]],
) -> None:
    ada, ben, mallory, ids = team
    forge_redaction(mallory, ids[:1])

    for repo in (ada, ben):
        assert "Mallory" in " ".join(repo.json("sync")["notes"])
        assert len(repo.titles()) == 8


def test_who_redacted_is_told_whoever_wrote_it(team: tuple[Repo, Repo, Repo, list[str]]) -> None:
    """A history that is written again keeps its authors, so the redactor has a commit as well."""
    ada, ben, mallory, ids = team
    mallory.tr.sync()
    ada.tr.revise(ids[0], tags_add=["mine"])
    mallory.tr.redact(ids[0])
    mallory.tr.sync()

    for repo in (ada, ben, ada):
        (note,) = repo.json("sync")["notes"]
        assert note.startswith("Mallory redacted 1 memory")
        assert "waits" in note
        assert len(repo.titles()) == 8


def test_who_agrees_says_so_by_redacting(team: tuple[Repo, Repo, Repo, list[str]]) -> None:
    ada, _, mallory, ids = team
    forge_redaction(mallory, ids[:1])
    ada.tr.sync()

    ada.tr.redact(ids[0])
    answer = ada.json("sync")

    assert len(ada.titles()) == 7
    assert not answer.get("notes")


def test_what_is_redacted_here_goes_out_with_who_says_so(
    team: tuple[Repo, Repo, Repo, list[str]],
) -> None:
    """While our head waits for a yes nobody else's is replaced: its owner could not tell by whom,
    and would wait, too."""
    ada, ben, mallory, ids = team
    ben.tr.revise(ids[0], tags_add=["mine"])
    ben.tr.sync()
    mallory.tr.sync()
    mallory.tr.redact(ids[1])
    mallory.tr.sync()
    ada.tr.redact(ids[0])
    before = remote_refs(ada)

    answer = ada.json("sync")

    assert remote_refs(ada) == before
    assert [scope["status"] for scope in answer["scopes"]] == ["refused"]
    assert "1 redaction of yours" in answer["notes"][-1]
    ada.tr.redact(ids[1])
    ada.tr.sync()
    assert not any("waits" in note for note in ben.json("sync")["notes"])
    assert len(ben.titles()) == 6


def test_one_by_who_wrote_it_is_named_and_can_be_taken_back_here(
    team: tuple[Repo, Repo, Repo, list[str]], clone: Team, origin: Path
) -> None:
    ada, ben, _, ids = team
    ada.tr.redact(ids[0])
    ada.tr.sync()

    notes = " ".join(ben.json("sync")["notes"])
    assert "Ada redacted 1 memory" in notes
    assert "treering restore main" in notes
    assert len(ben.titles()) == 7

    restored = ben.json("restore", "main")
    assert restored["memories"] == 1
    memory = ben.tr.read(ids[0])
    assert (memory.title, memory.private) == ("fact number 0 of many", True)
    ben.tr.remember("after", type="insight")
    ben.json("sync")
    text = Repo(origin).git("log", "-p", "--glob=refs/treering", "--")
    assert "number 0 " not in text


def test_a_restore_that_brings_nothing_back_keeps_the_entry(
    team: tuple[Repo, Repo, Repo, list[str]],
) -> None:
    ada, ben, _, ids = team
    ada.tr.redact(ids[0])
    ada.tr.sync()
    ben.tr.sync()
    ben.json("restore", "main")
    before = [ref for ref in ben.refs() if "/trash/" in ref]

    ben.cli("restore", "main")

    assert [ref for ref in ben.refs() if "/trash/" in ref] == before


def test_a_revert_brings_a_redacted_text_back_here_alone(
    team: tuple[Repo, Repo, Repo, list[str]], origin: Path
) -> None:
    ada, ben, _, ids = team
    version = ben.tr.read(ids[0]).version
    commit = ben.git("log", "--all", "--format=%H", f"--find-object={version}").split()[-1]
    ben.git("update-ref", "refs/keep/it", commit)
    ada.tr.redact(ids[0])
    ada.tr.sync()
    ben.tr.sync()

    ben.tr.revert(ids[0], to=commit)
    ben.json("sync")

    assert ben.tr.read(ids[0]).private
    assert "number 0 " not in Repo(origin).git("log", "-p", "--glob=refs/treering", "--")


def test_only_who_redacted_replaces_heads_of_others(
    team: tuple[Repo, Repo, Repo, list[str]], clone: Team
) -> None:
    ada, ben, _, ids = team
    cleo = clone("cleo")
    cleo.tr.sync()
    cleo.tr.revise(ids[0], tags_add=["mine"])
    ada.tr.redact(ids[0])
    ada.tr.sync()
    cleo.tr.sync("push")  # who only pushes hears of nothing
    before = remote_refs(ada)[own_ref(cleo)]

    ben.tr.sync()

    assert remote_refs(ada)[own_ref(cleo)] == before


@pytest.mark.parametrize("branch", ["main", "feat"])
def test_a_forged_withdrawal_of_what_is_alive_here_does_nothing(clone: Team, branch: str) -> None:
    """It counts for branches that are gone, never for long-lived ones, and is said aloud."""
    ada, mallory = clone("ada"), clone("mallory")
    if branch != "main":
        ada.switch(branch, create=True).commit_file("f.txt")
        ada.git("push", "-q", "-u", "origin", branch)
    ada.tr.remember("kept", type="insight")
    ada.tr.sync()
    tip = remote_refs(ada)[own_ref(ada, branch)]
    tree = mallory.git("hash-object", "-t", "tree", "-w", "--stdin", feed="")
    said = f"withdraw\n\nTreering-Op: withdraw\nCode-Branch: main\nWithdrawn: {branch} {tip}\n"
    write_to(mallory, mallory.git("commit-tree", tree, feed=said), MALLORY)
    write_to(mallory, "", own_ref(ada, branch))
    ada.tr.sync()

    ada.tr.sync()

    assert branch in remote_scopes(ada)
    fresh = clone("fresh")
    fresh.tr.sync()
    assert "kept" in fresh.titles(branch)
