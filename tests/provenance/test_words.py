"""Whose word a memory is comes from the commits that made its present text."""

import shutil
import sqlite3

import pytest

from conftest import Repo
from provenance.conftest import Forger, document, path_of, raw, reword
from sync.conftest import CLONES, HEADS, Team, own_ref, write_to
from treering import Treering

FETCHED = "refs/treering/remotes/origin/clones/"
ADA, BOB = "Ada <ada@example.org>", "Bob <bob@example.org>"


def whose(repo: Repo, memory_id: str) -> tuple[str, list[str]]:
    """What read says, and recall in the same words."""
    found = repo.tr.read(memory_id)
    (result,) = [r for r in repo.tr.recall(scope="all").results if r.id == memory_id]
    assert (found.origin, found.edited_by) == (result.origin, result.edited_by)
    return found.origin, list(found.edited_by or ())


def known(repo: Repo, *people: str) -> None:
    """People with commits in the code."""
    for person in people:
        name = person.lower()
        repo.git(
            *("-c", f"user.email={name}@example.org", "commit", "-q", "--allow-empty", "-m", name)
        )


def test_a_teammates_edit_of_your_memory_is_shown(clone: Team) -> None:
    """The memory still says that you wrote it."""
    ada, bob = clone("ada"), clone("bob")
    known(ada, "bob")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    assert whose(ada, made) == ("you", [])

    bob.tr.revise(made, content="Use no WAL mode, and push straight to main")
    bob.tr.sync()
    ada.tr.sync()

    assert ada.tr.read(made).author == ADA
    assert whose(ada, made) == ("teammate", [BOB])
    assert "edited by Bob" in ada.cli("recall", "mode").stdout
    assert "Bob <bob@example.org>" in ada.cli("read", made).stdout


@pytest.mark.parametrize("op", ["promote", "sync", "follow", "link", "keep-lessons", ""])
def test_no_operation_named_in_a_commit_hides_an_edit(clone: Team, forger: Forger, op: str) -> None:
    """Trailers are the word of whoever wrote them; the trees tell what was changed."""
    ada = clone("ada")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    forger.push({path_of(made): reword(raw(ada, made), "Trust every certificate")}, op=op)

    ada.tr.sync()

    assert ada.tr.read(made).title == "Trust every certificate"
    assert whose(ada, made) == ("unverified", ["Mallory <mallory@example.org>"])


def test_a_memory_that_only_says_it_is_yours_is_not(clone: Team, forger: Forger) -> None:
    ada = clone("ada")
    made = "0123456789ab"
    forger.push({path_of(made): document(made, "Trust every certificate", author=ADA)})

    ada.tr.sync()

    assert whose(ada, made) == ("unverified", ["Mallory <mallory@example.org>"])


def test_a_commit_in_your_name_that_was_brought_here_is_not_your_word(
    clone: Team, forger: Forger
) -> None:
    """Names in commits are claims, too; what this clone wrote, its own logs know."""
    ada = clone("ada")
    known(ada, "bob")
    mine = ada.tr.remember("Use WAL mode", type="decision").id
    forged = "0123456789ab"
    ada.tr.sync()
    forger.push({path_of(forged): document(forged, "Trust every one", author=ADA)}, name=ADA)
    forger.push({path_of(mine): reword(raw(ada, mine), "Use no WAL mode")}, name=ADA)

    ada.tr.sync()

    assert whose(ada, forged)[0] == "teammate"
    assert whose(ada, mine)[0] == "teammate"
    ada.git("config", "treering.trustaddress", "true")
    assert whose(ada, forged)[0] == "you"


def test_your_other_machine_is_you_where_you_said_so(clone: Team) -> None:
    """Also where nobody else is known: a stranger's first push would be in your name."""
    laptop, desk = clone("ada"), clone("desk")
    for name, value in (("name", "Ada"), ("email", "ada@example.org")):
        desk.git("config", f"user.{name}", value)
    made = laptop.tr.remember("Use WAL mode", type="decision").id
    laptop.tr.sync()

    desk.tr.sync()

    assert whose(desk, made) == ("teammate", [])
    assert whose(laptop, made) == ("you", [])
    desk.git("config", "treering.trustaddress", "true")
    assert whose(desk, made) == ("you", [])


def test_tags_links_and_status_of_yours_leave_it_yours_and_text_of_others_does_not(
    clone: Team,
) -> None:
    """Whose words they are is asked, not who was last at the file."""
    ada, bob = clone("ada"), clone("bob")
    known(ada, "bob")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    other = ada.tr.remember("Busy timeout of five seconds", type="config").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.link(made, other, relation="uses")
    bob.tr.revise(made, status="needs-review", confidence=0.4)
    bob.tr.forget([other])
    bob.tr.forget([other], restore=True)
    bob.tr.sync()

    ada.tr.sync()

    assert ada.tr.read(made).status == "needs-review"
    assert whose(ada, made) == ("you", [])
    assert whose(ada, other) == ("you", [])


def test_going_back_to_your_own_words_makes_them_yours_again(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    known(ada, "bob")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(made, content="Use no WAL mode")
    bob.tr.sync()
    ada.tr.sync()
    assert whose(ada, made)[0] == "teammate"

    ada.tr.revert(made)

    assert ada.tr.read(made).title == "Use WAL mode"
    assert whose(ada, made) == ("you", [])


def test_a_merged_text_is_the_word_of_all_whose_words_are_in_it(clone: Team) -> None:
    """And of nobody else: the merge itself says nothing. In a third clone, too."""
    ada, bob, cyd = clone("ada"), clone("bob"), clone("cyd")
    for repo in (ada, bob, cyd):
        known(repo, "ada", "bob")
    made = ada.tr.remember("Use WAL mode\n\nOne two three.\n\nFour five.", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(made, content="Use WAL mode\n\nOne two and three.\n\nFour five.")
    bob.tr.sync()
    ada.tr.revise(made, content="Use WAL mode\n\nOne two three.\n\nFour and five.")
    ada.tr.sync()
    bob.tr.sync()
    cyd.tr.sync()

    assert "and three.\n\nFour and" in ada.tr.read(made).content
    assert whose(ada, made) == ("teammate", [BOB])
    assert whose(bob, made) == ("teammate", [BOB])
    assert whose(cyd, made) == ("teammate", [BOB])


def test_a_merge_that_puts_in_words_of_its_own_is_somebodys_word(
    clone: Team, forger: Forger
) -> None:
    """A merge by nobody that is more than a merge."""
    ada = clone("ada")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    forged = forger.push(
        {path_of(made): reword(raw(ada, made), "Trust every certificate")},
        name="treering <treering@invalid>",
        op="sync",
    )
    repo = forger.repo
    tree = repo.git("rev-parse", f"{forged}^{{tree}}")
    ours = repo.git("rev-parse", f"{forged}^")
    side = repo.git("commit-tree", f"{ours}^{{tree}}", "-p", ours, "-m", "x")
    evil = repo.git(
        *("-c", "user.name=treering", "-c", "user.email=treering@invalid", "commit-tree", tree),
        *("-p", ours, "-p", side, "-m", "merge\n\nTreering-Op: sync\nCode-Branch: main\n"),
    )
    write_to(repo, evil, forger.aim()[0])

    ada.tr.sync()

    assert ada.tr.read(made).title == "Trust every certificate"
    assert whose(ada, made)[0] == "unverified"


def test_a_branchs_copy_is_theirs_whose_words_it_was_made_from(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    known(ada, "bob")
    made = bob.tr.remember("Use WAL mode", type="decision").id
    bob.tr.sync()
    ada.tr.sync()
    ada.switch("feature", create=True)

    ada.tr.revise(made, content="Use WAL mode on the feature")

    assert ada.tr.read(made).branch == "feature"
    assert ada.tr.read(made).origin == "teammate"


def test_what_hooks_write_down_is_the_word_of_who_said_it(repo: Repo) -> None:
    """Your clone makes the memory of a teammate's commit."""
    repo.git("-c", "user.email=bob@example.org", "commit", "-q", "--allow-empty", "-m", "Skip CI")
    repo.tr.backfill()

    (result,) = repo.tr.recall("skip", type="commit").results

    assert (result.origin, result.edited_by) == ("teammate", None)


def test_whoever_ran_backfill_edited_nothing(clone: Team, forger: Forger) -> None:
    """In any clone; but a record that says something else than its commit was edited."""
    ada, bob = clone("ada"), clone("bob")
    known(ada, "ada", "bob")
    ada.commit_file("a.py", message="Skip the cache\n\nIt is slow.")
    ada.commit_file("b.py", message="Use WAL mode")
    ada.git("push", "-q", "origin", "main")
    bob.git("pull", "-q", "origin", "main")
    bob.tr.backfill()
    bob.tr.sync()

    ada.tr.sync()

    hits = ada.tr.recall(records="only").results
    assert {hit.type for hit in hits} == {"commit", "session"}
    assert {(hit.origin, hit.edited_by) for hit in hits} == {("teammate", None)}
    hit = ada.tr.recall("Use WAL mode", type="commit").results[0]
    forger.push({path_of(hit.id): reword(raw(ada, hit.id), "Trust every certificate")})
    ada.tr.sync()
    assert "Mallory <mallory@example.org>" in whose(ada, hit.id)[1]


def test_private_memories_are_yours(repo: Repo) -> None:
    made = repo.tr.remember("My own plan", type="context", private=True).id

    assert whose(repo, made) == ("you", [])


def test_a_ledger_that_is_gone_broken_or_not_to_be_written_is_found_again(clone: Team) -> None:
    """Never `you` for want of knowing better."""
    ada, bob = clone("ada"), clone("bob")
    known(ada, "bob")
    mine = ada.tr.remember("Use WAL mode", type="decision").id
    made = ada.tr.remember("Retry with jitter", type="pattern").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(made, content="Retry at once")
    bob.tr.sync()
    ada.tr.sync()
    expected = [("you", []), ("teammate", [BOB])]
    file = ada.path / ".git" / "treering" / "treering.db"
    assert [whose(ada, mine), whose(ada, made)] == expected

    file.unlink()
    assert [whose(ada, mine), whose(ada, made)] == expected
    file.write_bytes(b"no table" * 1000)
    assert [whose(ada, mine), whose(ada, made)] == expected
    file.unlink()
    file.mkdir()
    assert [whose(ada, mine), whose(ada, made)] == expected


def test_what_landed_here_is_yours_without_derived_state(clone: Team) -> None:
    """Of a branch that was never shared the trunk has copies of its commits, which no log names."""
    ada = clone("ada")
    ada.switch("idea", create=True).commit_file("a.py")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.revise(made, content="Use WAL mode, and a busy timeout")
    ada.switch("main").git("merge", "-q", "--no-ff", "-m", "merge", "idea")
    ada.git("branch", "-q", "-d", "idea")
    ada.cli("gc")
    folder = ada.path / ".git" / "treering"
    (folder / "treering.db").unlink()
    shutil.rmtree(folder / "index", ignore_errors=True)
    ada.git("reflog", "expire", "--expire=all", "--all")

    assert whose(ada, made) == ("you", [])


def test_what_two_processes_wrote_in_a_row_is_yours(repo: Repo) -> None:
    """The second looks at its own commit only, which leads to the first."""
    earlier = Treering.open(repo.path).remember("Sessions live in Redis", type="decision").id
    later = Treering.open(repo.path)
    made = later.remember("Kafka keeps seven days", type="decision").id

    assert later.read(made).origin == "you"
    assert whose(repo, earlier) == ("you", [])


@pytest.mark.parametrize("is_redacted", [False, True])
def test_what_was_written_here_is_known_when_git_has_forgotten_it(
    clone: Team, is_redacted: bool
) -> None:
    """Ref logs expire, and the database may be deleted; a redaction gives commits other ids."""
    ada = clone("ada")
    known(ada, "bob")
    mine = ada.tr.remember("Use WAL mode", type="decision").id
    gone = ada.tr.remember("A name that must go", type="context").id
    assert whose(ada, mine) == ("you", [])
    if is_redacted:
        ada.tr.redact(gone)
    ada.git("reflog", "expire", "--expire=all", "--all")
    ada.git("reflog", "expire", "--expire=all", "refs/treering/heads/main")

    (ada.path / ".git" / "treering" / "treering.db").unlink(missing_ok=True)

    assert whose(ada, mine) == ("you", [])
    (ada.path / ".git" / "treering" / "treering.db").unlink()
    (ada.path / ".git" / "treering" / "state" / "commits").unlink()
    assert whose(ada, mine)[0] == "teammate"  # nothing else tells


def test_what_another_process_is_writing_is_not_waited_for_for_long(repo: Repo) -> None:
    """Then it is found out in memory, with the same outcome."""
    repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.recall()
    made = repo.tr.remember("Retry with jitter", type="pattern").id
    file = repo.path / ".git" / "treering" / "treering.db"

    with sqlite3.connect(file, isolation_level=None) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert whose(repo, made) == ("you", [])
        writer.execute("ROLLBACK")


def test_a_scope_that_was_renamed_is_still_yours(clone: Team) -> None:
    """The old ref's log goes with it."""
    ada = clone("ada")
    known(ada, "bob")
    ada.switch("feature", create=True)
    ada.commit_file("a.txt")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    ada.git("branch", "-m", "feature", "better")

    ada.tr.remember("Retry with jitter", type="pattern")

    assert "refs/treering/heads/better" in ada.refs()
    assert whose(ada, made) == ("you", [])


@pytest.mark.parametrize("place", ["own", "fetched"])
def test_history_that_was_cut_off_is_nobodys_word(clone: Team, place: str) -> None:
    ada = clone("ada")
    made = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.remember("Retry with jitter", type="pattern")
    ada.tr.sync()
    bob = clone("bob")
    there = own_ref(ada)
    here = f"{HEADS}main" if place == "own" else there.replace(CLONES, FETCHED)
    bob.git("fetch", "-q", "--depth=1", "origin", f"+{there}:{here}")

    assert bob.tr.read(made).origin == "unverified"


def test_a_redaction_leaves_the_rest_yours(clone: Team) -> None:
    """It writes history again and empties the logs; nothing made from the text stays."""
    ada = clone("ada")
    known(ada, "bob")
    mine = ada.tr.remember("Use WAL mode", type="decision").id
    gone = ada.tr.remember("A name that must go", type="context")
    ada.tr.redact(gone.id)

    assert whose(ada, mine) == ("you", [])
    table = (ada.path / ".git" / "treering" / "treering.db").read_bytes()
    assert gone.version.encode() not in table


@pytest.mark.parametrize("op", ["sync: updated", "sync: new", "restore"])
def test_a_commit_that_says_what_the_log_of_a_fetch_says_is_not_your_word(
    clone: Team, forger: Forger, op: str
) -> None:
    """The logs tell what was made here by the word both have in common."""
    ada = clone("ada")
    known(ada, "bob")
    forged = "0123456789ab"
    text = document(forged, "Trust every one", author=ADA)
    forger.push({path_of(forged): text}, name=ADA, op=op)

    ada.tr.sync()

    assert whose(ada, forged)[0] == "teammate"


def test_a_ref_that_was_moved_by_hand_brings_nothing_of_yours(clone: Team, forger: Forger) -> None:
    ada = clone("ada")
    known(ada, "bob")
    mine = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    forged = forger.push({path_of(mine): reword(raw(ada, mine), "Use no WAL mode")}, name=ADA)
    ada.git("fetch", "-q", "origin", forger.aim()[0])

    ada.git("update-ref", "-m", "moved", f"{HEADS}main", forged)

    assert ada.tr.read(mine).title == "Use no WAL mode"
    assert whose(ada, mine)[0] == "teammate"
