"""A remote may hold anything: it is bounded and told, and good memories still arrive."""

from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import CLONES, HEADS, Aim, Team, own_ref, publish, write_to

STRANGER = f"{CLONES}mallory00000/"


def tree(repo: Repo, *lines: str) -> str:
    return repo.git("mktree", "--missing", feed="".join(f"{line}\n" for line in lines))


def commit(repo: Repo, root: str, message: str = "x", *parents: str) -> str:
    options = [word for parent in parents for word in ("-p", parent)]
    return repo.git("commit-tree", root, *options, "-m", message)


def blob(repo: Repo, data: str) -> str:
    return repo.git("hash-object", "-w", "--stdin", feed=data)


def codes(repo: Repo) -> set[str]:
    return {finding.code for finding in repo.tr.doctor(dry_run=True).findings}


def test_what_is_not_of_our_shape_is_ignored_and_told(clone: Team) -> None:
    """Links, other repositories, programs, strange names, no text, too much text, YAML bombs."""
    ada, bob = clone("ada"), clone("bob")
    good = ada.tr.remember("Use WAL mode", type="decision")
    tip = ada.refs()[HEADS + "main"]
    shard = good.id[:2]
    text = blob(ada, "text")
    bomb = "---\na: &a [x]\nb: [*a, *a]\n---\nx\n"
    lines = [
        f"100644 blob {good.version}\t{good.id}.md",
        f"120000 blob {blob(ada, '/etc/passwd')}\t{shard}0000000001.md",
        f"160000 commit {tip}\t{shard}0000000002.md",
        f"100755 blob {text}\t{shard}0000000003.md",
        f"100644 blob {blob(ada, chr(1) * 100)}\t{shard}0000000004.md",
        f"100644 blob {blob(ada, 'x' * 3_000_000)}\t{shard}0000000005.md",
        f"100644 blob {blob(ada, bomb)}\t{shard}0000000006.md",
        f"100644 blob {text}\t.git",
        f"100644 blob {text}\t..md",
    ]
    memories = tree(
        ada,
        f"040000 tree {tree(ada, *lines)}\t{shard}",
        f"120000 blob {text}\tzz",
        f"040000 tree {tree(ada)}\t..",
    )
    root = tree(ada, f"040000 tree {memories}\tmemories", f"100644 blob {text}\tprompts")
    bad = commit(ada, root, "x\n\nTreering-Op: import\nCode-Branch: main", tip)
    write_to(ada, bad, f"{STRANGER}main")

    answer = bob.tr.sync()

    assert [line.status for line in answer.scopes] == ["new"]
    assert bob.titles() == {"Use WAL mode"}
    assert [result.title for result in bob.tr.recall("mode").results] == ["Use WAL mode"]
    assert {"foreign-entry", "bad-document"} <= codes(bob)
    assert any("too-large" in finding.message for finding in bob.tr.doctor().findings)
    bob.tr.remember("Retry with jitter", type="pattern")
    bob.tr.sync()
    ada.tr.sync()
    assert ada.titles() == {"Use WAL mode", "Retry with jitter"}


@pytest.mark.parametrize("prefix", [STRANGER, HEADS])
def test_refs_that_are_no_scopes_keep_nobody_from_the_others(clone: Team, prefix: str) -> None:
    """Not a commit, a newer format, nested and unreadable names, no memories at all."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    text = blob(ada, "text")
    newer = commit(ada, tree(ada), "x\n\nTreering-Op: remember\nTreering-Format: 99")
    plain = commit(ada, tree(ada))
    for name, oid in {
        "blob": text,
        "develop": newer,  # one by name, whoever wrote to it
        "tree": tree(ada),
        "nested/name": plain,
        "odd%zz": plain,
        "%40nothex": plain,
        "empty": plain,
    }.items():
        write_to(ada, oid, prefix + name)
        if "/" not in name and "%" not in name:
            bob.git("branch", name)
            bob.git("config", f"branch.{name}.remote", "origin")
            bob.git("config", f"branch.{name}.merge", f"refs/heads/{name}")

    answer = bob.tr.sync()

    found = {line.branch: line.status for line in answer.scopes}
    assert found["main"] == "new"
    assert {found[name] for name in ("blob", "develop", "tree")} == {"refused"}
    assert bob.titles() == {"Use WAL mode"}
    assert {"broken-ref", "format-too-new"} <= codes(bob)
    assert bob.error("remember", "x", "--branch", "develop")["code"] == "format_too_new"


def test_a_rewritten_history_is_merged_not_followed(clone: Team, aim: Aim) -> None:
    """Nobody can take away by force what is here."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    bob.tr.sync()
    other = clone("cyd")
    other.tr.remember("Other history", type="insight")
    write_to(other, f"{HEADS}main", aim(ada))

    bob.tr.sync()
    ada.tr.sync()

    assert ada.titles() == bob.titles() == {"Use WAL mode", "Other history"}


def test_many_refs_are_bounded(clone: Team, origin: Path, monkeypatch: object) -> None:
    """What belongs to branches here comes first."""
    from treering.sync import fetching

    monkeypatch.setattr(fetching, "MAX_SCOPES", 20)
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    tip = ada.refs()[HEADS + "main"]
    lines = "".join(f"create {STRANGER}a{number} {tip}\n" for number in range(300))
    Repo(origin).git("update-ref", "--stdin", feed=lines)

    answer = bob.tr.sync()

    assert bob.titles() == {"Use WAL mode"}
    assert len(bob.refs()) <= 22
    assert "301 scopes" in (answer.notes or ("",))[0]
    assert "mallory00000 (281)" in (answer.notes or ("",))[0]


def test_many_heads_of_a_scope_are_bounded(
    clone: Team, origin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen before stays, whatever comes later; the note names clones that are left out."""
    from treering.sync import fetching

    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    bob.tr.sync()
    tip = ada.refs()[HEADS + "main"]
    names = [f"refs/treering/clones/{number:012}/main" for number in range(30)]
    Repo(origin).git("update-ref", "--stdin", feed="".join(f"create {n} {tip}\n" for n in names))
    monkeypatch.setattr(fetching, "MAX_HEADS", 5)

    answer = bob.tr.sync()
    ada.tr.remember("Retry with jitter", type="pattern")
    ada.tr.sync()
    bob.tr.sync()

    assert bob.titles() == {"Use WAL mode", "Retry with jitter"}
    assert len([ref for ref in bob.refs() if "remotes/origin/clones" in ref]) == 5
    assert "31 heads" in (answer.notes or ("",))[0]
    assert "000000000029" not in (answer.notes or ("",))[0]
    assert "clone 0000000000" in (answer.notes or ("",))[0]


def test_all_heads_of_a_remote_together_are_bounded(
    clone: Team, origin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few enough scopes, each with few enough heads, are too many all the same."""
    from treering.sync import fetching

    monkeypatch.setattr(fetching, "MAX_REFS", 20)
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    tip = ada.refs()[HEADS + "main"]
    names = [f"refs/treering/clones/{n:012}/s{n % 10}" for n in range(60)]
    Repo(origin).git("update-ref", "--stdin", feed="".join(f"create {n} {tip}\n" for n in names))

    answer = bob.tr.sync()

    assert bob.titles() == {"Use WAL mode"}
    assert len([ref for ref in bob.refs() if "remotes/origin/clones" in ref]) == 19
    assert "11 scopes, 4 of them are used" in (answer.notes or ("",))[0]


def test_who_went_beyond_a_limit_is_named(clone: Team) -> None:
    """By sync, when it comes, and by doctor."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    shard = tree(ada, f"100644 blob {blob(ada, 'x' * 400_000)}\tzz0000000005.md")
    root = tree(ada, f"040000 tree {tree(ada, f'040000 tree {shard}' + chr(9) + 'zz')}\tmemories")
    bad = commit(ada, root, "x\n\nTreering-Op: import\nCode-Branch: main")
    write_to(ada, bad, f"{STRANGER}main")

    notes = bob.tr.sync().notes or ()
    named = [f.message for f in bob.tr.doctor().findings if f.code == "bad-document"]

    author = ada.git("log", "-1", "--format=%an <%ae>", bad).strip()
    assert [note for note in notes if "1 documents of main" in note and author in note]
    assert [message for message in named if "mallory00000" in message and author in message]


def test_one_ref_that_cannot_be_had_does_not_stop_the_rest(clone: Team, origin: Path) -> None:
    """git gives up on a whole fetch when one object is missing on the server."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    publish(ada, "broken", "Lost on the server")
    ada.tr.sync()
    server = Repo(origin)
    lost = server.git("rev-parse", f"{own_ref(ada, 'broken')}^{{tree}}")
    (origin / "objects" / lost[:2] / lost[2:]).unlink()

    answer = bob.tr.sync()

    assert bob.titles() == {"Use WAL mode"}
    assert "broken" in (answer.notes or ("",))[0]


def test_a_huge_message_below_a_head_is_refused(clone: Team) -> None:
    """Eighty megabytes pack into one, and every read of the history would pay for them."""
    ada, bob = clone("ada"), clone("bob")
    for repo in (ada, bob):
        repo.tr.remember(f"known to {repo.path.name}", type="insight")
        repo.tr.sync()
    head = ada.git("rev-parse", "refs/treering/heads/main")
    for text in ("word " * 400_000, "small"):
        head = ada.git("commit-tree", f"{head}^{{tree}}", "-p", head, "-F", "-", feed=text)
    write_to(ada, head, own_ref(ada))

    lines = {line.branch: line for line in bob.tr.sync().scopes}

    assert lines["main"].status == "refused"
    assert "too large" in (lines["main"].reason or "")
    assert "known to bob" in bob.titles("main")


@pytest.mark.parametrize("is_fetched_by_git", [False, True])
def test_a_huge_message_in_a_scope_of_others_is_not_read(
    clone: Team, is_fetched_by_git: bool
) -> None:
    """It would be read where it was fetched to, by every look at all scopes."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("known to all", type="insight")
    ada.tr.sync()
    head = ada.git("rev-parse", "refs/treering/heads/main")
    for text in ("word " * 400_000, "small"):
        head = ada.git("commit-tree", f"{head}^{{tree}}", "-p", head, "-F", "-", feed=text)
    write_to(ada, head, f"{STRANGER}theirs")
    if is_fetched_by_git:
        theirs = "refs/treering/remotes/origin/clones/mallory00000/theirs"
        bob.git("fetch", "-q", "origin", f"{STRANGER}theirs:{theirs}")

    lines = {line.branch: line for line in bob.tr.sync().scopes}

    assert lines["theirs"].status == "refused"
    assert "too large" in (lines["theirs"].reason or "")
    assert "mallory00000" in (lines["theirs"].reason or "")
    assert not [ref for ref in bob.refs() if ref.endswith("/theirs")]
    assert bob.titles("main") == {"known to all"}


def test_a_huge_message_that_git_fetched_is_not_read_before_the_next_sync(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("known to all", type="insight")
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.remember("on top of it", type="insight")
    head = ada.git("rev-parse", "refs/treering/heads/main")
    tree, below = f"{head}^{{tree}}", f"{head}^"
    for text in ("word " * 400_000, "small\n\nTreering-Op: remember\nCode-Branch: theirs\n"):
        below = ada.git("commit-tree", tree, "-p", below, "-F", "-", feed=text)
    write_to(ada, below, f"{STRANGER}theirs")
    theirs = "refs/treering/remotes/origin/clones/mallory00000/theirs"

    bob.git("fetch", "-q", "origin", f"{STRANGER}theirs:{theirs}")

    assert {hit.title for hit in bob.tr.recall(scope="all").results} == {"known to all"}
    assert {event.title for event in bob.tr.log(all=True).entries} == {"known to all"}
    assert "theirs" not in str(bob.tr.status())


def test_a_tree_that_is_too_large_is_refused(clone: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """And told, also where something of ours goes out."""
    monkeypatch.setattr("treering.sync.incoming._MOST_LISTED", 10_000)
    ada, bob = clone("ada"), clone("bob")
    bob.tr.remember("known to bob", type="insight")
    text = blob(ada, "text")
    shard = tree(ada, *(f"100644 blob {text}\t00{number:010}.md" for number in range(300)))
    root = tree(ada, f"040000 tree {tree(ada, f'040000 tree {shard}{chr(9)}00')}\tmemories")
    write_to(ada, commit(ada, root, "x\n\nTreering-Op: import"), f"{STRANGER}main")

    pushed = {line.branch: line for line in bob.tr.sync().scopes}["main"]
    refused = {line.branch: line for line in bob.tr.sync().scopes}["main"]

    assert pushed.status == "pushed"
    assert "too many memories" in str(pushed.notes)
    assert (refused.status, refused.reason) == ("refused", pushed.notes[0] if pushed.notes else "")
    assert bob.titles() == {"known to bob"}
