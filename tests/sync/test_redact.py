"""A memory's text taken out of history: here, on the remote, and in the other clones."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import CLONES, HEADS, VIEWS, Clone, Team, seen
from treering.model.scope import REMOTES

SECRET = "correct horse battery staple"


def texts(repo: Repo) -> bytes:
    """Every object there is, reachable or not."""
    done = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch", "--buffer"],
        cwd=repo.path,
        capture_output=True,
        check=True,
    )
    return done.stdout


def reachable(repo: Repo) -> str:
    """What is shown, shared or was seen: all but the trash."""
    globs = [f"--glob={prefix}" for prefix in (HEADS, VIEWS, CLONES, REMOTES)]
    return repo.git("log", "-p", "--format=%B", *globs, "--")


def test_the_text_is_gone_from_every_history(repo: Repo) -> None:
    """Branches, trash, private memories, logs, loose objects, and the index."""
    keep = repo.tr.remember("Use WAL mode", type="decision").id
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    repo.tr.revise(memory, append=f"Again: {SECRET}")
    repo.switch("work", create=True).commit_file("work.txt")
    repo.tr.revise(memory, append="on a branch")
    repo.switch("main").git("branch", "-q", "-D", "work")
    repo.tr.gc()
    repo.tr.remember("after it", type="insight")
    repo.tr.recall("password")
    whole = repo.tr.read(memory)
    shown = repo.tr.redact(memory, dry_run=True)
    before = repo.refs()
    assert shown.versions == 3
    assert len(shown.refs) == 2

    done = repo.tr.redact(memory[:8])

    assert (done.id, done.versions, done.held_by) == (memory, 3, ())
    assert before != repo.refs()
    assert SECRET not in repo.git("log", "-p", "--all", "--reflog")
    found = [str(p) for p in (repo.path / ".git").rglob("*") if p.is_file()
             and any(word in p.read_bytes() for word in (b"horse", b"battery"))]  # fmt: skip
    assert found == []
    assert repo.titles() == {"Use WAL mode", "after it"}
    stone = repo.tr.read(memory, history=True)
    assert (stone.status, stone.content, stone.title) == ("deleted", "redacted", "redacted")
    assert (stone.type, stone.created) == (whole.type, whole.created)
    assert {entry.title for entry in stone.history or ()} == {"redacted"}
    assert repo.tr.recall("password").results == ()
    assert repo.tr.read(keep).title == "Use WAL mode"
    repo.git("fsck", "--strict", "--no-dangling")
    assert not [f for f in repo.tr.doctor().findings if f.is_left_to_do]


def test_private_memories_are_redacted_too(repo: Repo) -> None:
    memory = repo.tr.remember(f"The password is {SECRET}", type="config", private=True).id

    repo.tr.redact(memory)

    assert repo.tr.read(memory).content == "redacted"
    private = Repo(repo.path / ".git" / "treering" / "private.git")
    assert SECRET not in private.git("log", "-p", "--all")


def keep(repo: Repo, how: str, commit: str) -> None:
    """Hold on to an old memory commit, as people and tools do."""
    blob = repo.git("ls-tree", "-r", "--object-only", commit).splitlines()[0]
    match how:
        case "backup":
            repo.git("update-ref", "refs/original/refs/treering/heads/main", commit)
        case "odd name":
            repo.git("update-ref", "refs/back'up/$(touch${IFS}ran)", commit)
        case "branch":
            repo.git("branch", "copy", commit)
        case "tag":
            repo.git("tag", "-a", "-m", "a tag of a tag", "outer", commit)
            repo.git("tag", "-a", "-m", "a tag of a tag", "v1", "outer")
            repo.git("tag", "-d", "outer")
        case "blob":
            repo.git("update-ref", "refs/notes/text", blob)
        case "tree":
            repo.git("update-ref", "refs/notes/tree", f"{commit}^{{tree}}")
        case "exported":
            repo.git("switch", "-q", "-c", "docs")
            (repo.path / "note.md").write_text(repo.git("cat-file", "blob", blob) + "\n")
            repo.git("add", "note.md")
            repo.git("commit", "-q", "-m", "a memory in the code")
            repo.git("switch", "-q", "main")
        case "stash":
            for text in ("older", repo.git("cat-file", "blob", blob), "newer"):
                (repo.path / "README.md").write_text(text + "\n")
                repo.git("stash", "push", "-q")
        case "log of HEAD":
            repo.git("checkout", "-q", commit)
            repo.git("checkout", "-q", "main")
            repo.commit_file("later.txt")
        case "log of a branch":
            repo.git("branch", "moved", commit)
            repo.git("branch", "-f", "moved", "main")
        case "log of a worktree":
            repo.git("worktree", "add", "-q", "--detach", "../tree", commit)
            repo.git("-C", "../tree", "checkout", "-q", "main~0")
        case "ref of a worktree":
            repo.git("worktree", "add", "-q", "--detach", "../tree", "main")
            repo.git("-C", "../tree", "update-ref", "refs/worktree/mark", commit)


HELD = {
    "backup": ["refs/original/refs/treering/heads/main"],
    "odd name": ["refs/back'up/$(touch${IFS}ran)"],
    "branch": ["refs/heads/copy"],
    "tag": ["refs/tags/v1"],
    "blob": ["refs/notes/text"],
    "tree": ["refs/notes/tree"],
    "exported": ["refs/heads/docs", "HEAD@{1}"],
    "stash": ["refs/stash@{1}"],
    "log of HEAD": ["HEAD@{2}"],
    "log of a branch": ["refs/heads/moved@{1}"],
    "log of a worktree": ["worktrees/tree/HEAD@{1}"],
    "ref of a worktree": ["worktrees/tree/refs/worktree/mark"],
}


@pytest.mark.parametrize("how", [*HELD, "nothing"])
@pytest.mark.parametrize("packed", [True, False])
def test_the_commands_it_gives_remove_the_text_for_good(repo: Repo, how: str, packed: bool) -> None:
    """Whoever follows the advice to the letter is rid of the text; whoever does not, knows it."""
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    blob = repo.git("ls-tree", "-r", "--object-only", HEADS + "main")
    keep(repo, how, repo.refs()[HEADS + "main"])
    if packed:
        repo.git("repack", "-a", "-d", "-q")
        repo.git("pack-refs", "--all")
    stashes = len(repo.git("stash", "list").splitlines())

    done = repo.json("redact", memory)

    assert done["held_by"] == HELD.get(how, [])
    assert SECRET in repo.git("cat-file", "blob", blob)
    assert any("git cat-file" in line for line in done["left"])
    for command in done["commands"]:
        subprocess.run(command, shell=True, cwd=repo.path, check=True, capture_output=True)
    assert SECRET.encode() not in texts(repo)
    assert not [log for log in repo.git("reflog", "--all").splitlines() if blob[:7] in log]
    repo.git("fsck", "--strict", "--no-dangling")
    assert not (repo.path / "ran").exists()
    assert len(repo.git("stash", "list").splitlines()) == max(0, stashes - 1)
    assert repo.json("redact", memory, "--dry-run")["commands"] == []


def test_the_commands_it_gives_remove_a_private_text_for_good(repo: Repo) -> None:
    memory = repo.tr.remember(f"The password is {SECRET}", type="config", private=True).id
    private = Repo(repo.path / ".git" / "treering" / "private.git")
    private.git("update-ref", "refs/backup", HEADS + "main")

    done = repo.tr.redact(memory)

    assert done.held_by == ("refs/backup",)
    assert SECRET.encode() in texts(private)
    for command in done.commands:
        subprocess.run(command, shell=True, cwd=repo.path, check=True, capture_output=True)
    assert SECRET.encode() not in texts(private)
    assert repo.tr.read(memory).content == "redacted"


def test_the_commands_hold_in_another_work_tree(repo: Repo) -> None:
    """HEAD there is not the HEAD whose log has the text."""
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    keep(repo, "log of HEAD", repo.refs()[HEADS + "main"])
    repo.git("worktree", "add", "-q", "--detach", "../tree", "main")
    tree = Repo(repo.path.parent / "tree")

    done = tree.tr.redact(memory)

    for command in done.commands:
        subprocess.run(command, shell=True, cwd=tree.path, check=True, capture_output=True)
    assert done.held_by == ("HEAD@{2}",)
    assert SECRET.encode() not in texts(repo)


def test_what_is_checked_out_is_named_and_left_to_the_user(repo: Repo) -> None:
    """A command that throws the ground away under a work tree is no advice."""
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    repo.git("checkout", "-q", HEADS + "main")

    done = repo.tr.redact(memory)

    assert "HEAD" in done.held_by
    assert any("check out something" in line for line in done.left)
    assert not [command for command in done.commands if "update-ref" in command]


def test_a_ref_that_is_not_ours_is_left_whole(repo: Repo) -> None:
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    repo.git("update-ref", "refs/backup", HEADS + "main")
    before = repo.git("rev-parse", "refs/backup")

    repo.tr.redact(memory)

    assert repo.git("rev-parse", "refs/backup") == before
    assert SECRET in repo.git("log", "-p", "refs/backup")


def test_a_clone_that_borrows_our_objects_is_not_broken(repo: Repo, tmp_path: Path) -> None:
    """`git clone --shared` reads objects from here, and nothing here knows of it."""
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    subprocess.run(["git", "clone", "-q", "--shared", repo.path, tmp_path / "ben"], check=True)
    ben = Repo(tmp_path / "ben")
    ben.git("fetch", "-q", "origin", "refs/treering/*:refs/treering/*")

    done = repo.tr.redact(memory)

    ben.git("fsck", "--no-dangling")
    assert SECRET in ben.tr.read(memory).content
    assert any("--shared" in line and "not known here" in line for line in done.left)


def test_objects_we_borrow_are_said_to_be_out_of_reach(repo: Repo, tmp_path: Path) -> None:
    """No gc here removes what lies in another repository."""
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    subprocess.run(["git", "clone", "-q", "--shared", repo.path, tmp_path / "ben"], check=True)
    ben = Repo(tmp_path / "ben")
    ben.git("fetch", "-q", "origin", "refs/treering/heads/*:refs/treering/heads/*")

    done = ben.tr.redact(memory)

    assert any(str(repo.path / ".git" / "objects") in line for line in done.left)


def test_packs_that_git_is_told_to_keep_are_named(repo: Repo) -> None:
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    repo.git("gc", "-q")
    pack = next((repo.path / ".git" / "objects" / "pack").glob("*.pack")).with_suffix(".keep")
    pack.touch()

    assert any(pack.name in line for line in repo.tr.redact(memory).left)


def test_what_was_only_in_our_logs_or_on_a_remote_is_forgotten(clone: Team) -> None:
    """A version nobody took in, and one a ref was moved away from."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember("The password is", type="config").id
    first = ada.refs()[HEADS + "main"]
    ada.tr.revise(memory, append=SECRET)
    ada.git("update-ref", HEADS + "main", first)
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(memory, append=f"and also {SECRET}")
    bob.tr.sync()
    ada.git("fetch", "-q", "origin", f"+{CLONES}*:{REMOTES}origin/clones/*")

    done = ada.tr.redact(memory)

    assert done.held_by == ()
    assert done.versions == 3
    assert SECRET not in ada.git("log", "-p", "--all", "--reflog")
    for command in done.commands:
        subprocess.run(command, shell=True, cwd=ada.path, check=True, capture_output=True)
    assert SECRET.encode() not in texts(ada)


def test_what_no_history_holds_is_not_found(repo: Repo) -> None:
    repo.tr.remember("Use WAL mode", type="decision")

    assert repo.error("redact", "0" * 12)["code"] == "memory_not_found"
    assert repo.error("redact", "zzzzz")["code"] == "memory_not_found"


def test_redaction_reaches_the_remote_and_the_other_clones(clone: Team) -> None:
    """Each writes its own history again and comes to the same commits; unshared work stays."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    memory = ada.tr.remember(f"The password is {SECRET}", type="config").id
    ada.tr.remember("after it", type="insight")
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.remember("not shared yet", type="insight")
    bob.tr.revise(memory, tags_add=["mine"])

    told = ada.tr.redact(memory)
    assert any("origin still has it" in line for line in told.left)
    assert SECRET not in ada.git("log", "-p", "--all", "--reflog")
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.sync()

    assert seen(ada) == seen(bob)
    assert ada.titles() == bob.titles() == {"Use WAL mode", "after it", "not shared yet"}
    for repo in (ada, bob):
        assert SECRET not in reachable(repo)
        assert repo.tr.read(memory).content == "redacted"
    server = clone("fresh")
    server.git("fetch", "-q", "origin", f"{CLONES}*:{CLONES}*")
    assert SECRET not in reachable(server)


def test_a_head_that_was_redacted_away_is_not_said_again(clone: Team, tmp_path: Path) -> None:
    """A copy of the machine saw the text on the remote once more, and then no longer: what a remote
    has lost is said again, but not this."""
    ada = clone("ada")
    memory = ada.tr.remember(f"The password is {SECRET}", type="config").id
    ada.tr.sync()
    ada.tr.redact(memory)
    ada.git("fetch", "-q", "origin", f"+{CLONES}*:{REMOTES}origin/clones/*")
    shutil.copytree(ada.path, tmp_path / "twin", symlinks=True)
    twin = Clone(tmp_path / "twin", ada._clock)
    ada.tr.sync()

    for repo in (twin, ada, twin):
        repo.tr.sync()

    server = clone("server")
    server.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
    assert SECRET not in server.git("log", "-p", "--glob=refs/there", "--")
    assert SECRET not in reachable(twin)


def redacted_by_others(clone: Team) -> tuple[Repo, Repo, str]:
    """Ada redacted what Bob had, too, and had not pushed: his of before is in his trash."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember(f"The password is {SECRET}", type="config").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(memory, tags_add=["mine"])
    bob.tr.remember("known to Bob alone", type="insight")
    ada.tr.redact(memory)
    ada.tr.sync()
    bob.tr.sync("fetch")
    return ada, bob, memory


def test_who_redacts_what_others_redacted_still_says_all_else(clone: Team) -> None:
    """His trash then has the same history as his head, and what is in the trash is not pushed."""
    _, bob, memory = redacted_by_others(clone)

    bob.tr.redact(memory)
    bob.tr.sync()

    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {"known to Bob alone"}
    assert SECRET not in reachable(bob)


def test_what_others_redacted_stays_in_the_trash_though_it_comes_again(clone: Team) -> None:
    """Anyone who may push could redact anything, twice as well as once."""
    ada, bob, memory = redacted_by_others(clone)
    late = clone("late")
    late.git("fetch", "-q", str(bob.path), "+refs/treering/trash/*:refs/old/*")
    old = late.git("for-each-ref", "--format=%(objectname)", "refs/old")
    late.git("push", "-q", "origin", f"{old}:{CLONES}late00000000/main")

    bob.tr.sync()

    assert SECRET in bob.git("log", "-p", "--glob=refs/treering/trash", "--")
    ada.tr.sync()  # who redacted it takes it off the remote again
    server = clone("server")
    server.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
    assert SECRET not in server.git("log", "-p", "--glob=refs/there", "--")
    ada.tr.sync()
    assert memory not in {m["id"] for m in ada.tr.exported()}


def test_the_command_tells_what_it_cannot_do(clone: Team) -> None:
    ada = clone("ada")
    memory = ada.tr.remember(f"The password is {SECRET}", type="config").id
    ada.tr.sync()

    shown = ada.json("redact", memory, "--dry-run")
    said = ada.cli("redact", memory).stdout

    assert shown["dry_run"] is True
    assert shown["commands"] == ["git gc --prune=now"]
    assert said.endswith("\n  git gc --prune=now\n")
    assert "cannot be undone" in said
    assert SECRET not in said
