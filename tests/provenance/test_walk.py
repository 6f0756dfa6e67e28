"""Commits made into versions, without a repository."""

from treering.derived.walk import Contribution, Walk, order_by_source
from treering.model.memory import Memory
from treering.store.history import ChangedMemory

ADA, BOB = "Ada <ada@example.org>", "Bob <bob@example.org>"
DATE = "2026-02-02T02:40:00Z"


def commit(oid: str, blob: str, author: str, *before: str, **more: object) -> Contribution:
    """A commit that leaves a memory as this blob."""
    files = (ChangedMemory("000000000000", blob, before),)
    return Contribution(oid, (), 1_770_000_000, author, "revise", files)._replace(**more)


def walked(*commits: Contribution) -> Walk:
    texts = {blob: Memory("m", "decision", blob, f"text {blob}", DATE, DATE) for blob in "abcdefgh"}
    walk = Walk([], {}, lambda _, blob: texts.get(blob), 1_780_000_000)
    for one in order_by_source(list(commits)):
        walk.add(one, is_here=one.author == ADA, is_cut=False)
    return walk


def names(walk: Walk, blob: str) -> list[str]:
    return [person.name for person in walk.found[blob].people]


def test_a_copy_is_looked_at_after_what_it_was_made_from() -> None:
    """Two scopes' histories do not meet, so git may tell the copy first."""
    copy = commit("2", "b", ADA, "a")
    source = commit("1", "a", BOB)

    assert names(walked(copy, source), "b") == [BOB, ADA]


def test_copies_said_to_be_made_from_each_other_are_looked_at_all_the_same() -> None:
    one = commit("1", "a", BOB, "b")
    other = commit("2", "b", BOB, "a")

    walk = walked(one, other)

    assert {"a", "b"} == walk.found.keys()
    assert names(walk, "a")[0] == "", "what is not known is nobody's word"


def test_the_same_text_said_twice_is_the_word_of_who_is_here() -> None:
    """In whichever order they come."""
    mine, theirs = commit("1", "a", ADA), commit("2", "a", BOB)

    assert names(walked(mine, theirs), "a") == names(walked(theirs, mine), "a") == [ADA]


def test_times_are_no_earlier_than_parents_and_no_later_than_seen() -> None:
    day = 86_400
    root = commit("1", "a", BOB)
    late = commit("2", "b", BOB, parents=("1",), time=4_000_000_000)
    early = commit("3", "c", BOB, parents=("2",), time=1)
    fine = commit("4", "d", BOB, parents=("3",), time=root.time + day)
    lonely = commit("5", "e", BOB, time=4_000_000_000)

    moments = walked(root, late, early, fine, lonely).moments

    assert [int(moments[oid].made) - root.time for oid in "1234"] == [0, 0, 0, day]
    assert [moments[oid].is_odd for oid in "12345"] == [False, True, True, False, True]
    assert moments["5"].made == 0


def test_commits_of_one_second_were_made_one_after_another() -> None:
    """Agents are faster than git's clock, and what they said last is what they mean."""
    root = commit("1", "a", BOB)
    child = commit("2", "b", BOB, parents=("1",))

    moments = walked(root, child).moments

    assert root.time == moments["1"].made < moments["2"].made < root.time + 1
    assert not moments["2"].is_odd


def test_when_words_were_said_is_kept_while_they_stay() -> None:
    """A tag or a status is no change of content; to go back to an earlier text is one."""
    first = commit("1", "a", BOB)
    second = commit("2", "b", BOB, parents=("1",), time=first.time + 100)
    back = commit("3", "c", ADA, parents=("2",), time=first.time + 200)
    tagged = commit("4", "d", ADA, parents=("3",), time=first.time + 300)
    texts = {
        "a": Memory("m", "decision", "One", "One", DATE, DATE),
        "b": Memory("m", "decision", "Two", "Two", DATE, DATE),
        "c": Memory("m", "decision", "One", "One", DATE, DATE, status="needs-review"),
        "d": Memory("m", "decision", "One", "One", DATE, DATE, tags=("old",)),
    }
    walk = Walk([], {}, lambda _, blob: texts[blob], 1_780_000_000)
    for one, before in ((first, ()), (second, ("a",)), (back, ("b",)), (tagged, ("c",))):
        (put,) = one.files
        walk.add(one._replace(files=(put._replace(before=before),)), is_here=False, is_cut=False)

    versions = [walk.found[blob] for blob in "abcd"]

    assert [v.said - first.time for v in versions] == [0, 100, 200, 200]
    assert [v.changed - first.time for v in versions] == [0, 100, 200, 300]
    assert [v.born - first.time for v in versions] == [0, 0, 0, 0]
    assert names(walk, "c") == [BOB]
