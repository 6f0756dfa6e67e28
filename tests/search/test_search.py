"""What a question finds, in which order, and what is said about it."""

import random
from typing import Any

NOW = 1_767_225_600.0


def test_rare_words_outweigh_common_ones(library: Any) -> None:
    """The word few memories have says most."""
    for number in range(20):
        library.remember(f"Deploy note {number}", f"The deploy ran, part {number}.")
    library.remember("Deploy with bluegreen", "Switch the router.")

    assert library.titles("deploy bluegreen")[0] == "Deploy with bluegreen"


def test_a_title_counts_more_than_a_mention(library: Any) -> None:
    """What a memory is about is in its title."""
    library.remember("Other things", "Among others it mentions the scheduler and more words here.")
    library.remember("The scheduler", "It runs jobs; among them are several other words too.")

    assert library.titles("scheduler")[0] == "The scheduler"


def test_what_somebody_said_comes_before_what_hooks_wrote_down(library: Any) -> None:
    """Commits and sessions are many and repeat the words of the work; a lesson is said once."""
    library.remember("Threads and the order queue", type="session", created="2025-12-31T00:00:00Z")
    library.remember("Threads made orders slower", type="decision")

    assert library.titles("threads")[0] == "Threads made orders slower"


def test_hits_say_why_they_are_there(library: Any) -> None:
    """A reader decides by the reasons how far to trust a hit."""
    library.remember("Scheduler", "Runs jobs.", tags=("cron",), created="2025-12-31T00:00:00Z")

    hit = library.recall("scheduler cron").hits[0]

    assert hit.why == ("text", "title", "tag", "recent")
    assert hit.parts["text"] > 0


def test_files_topics_and_tags_are_searched(library: Any) -> None:
    """They are words about the memory like any other."""
    from treering.model.memory import FileRef

    library.remember("One", files=(FileRef("src/billing/invoice_job.py"),))
    library.remember("Two", topic="frontend/routing")
    library.remember("Three", tags=("observability",))

    assert library.titles("invoice_job.py") == ["One"]
    assert library.titles("routing") == ["Two"]
    assert library.titles("observability") == ["Three"]


def test_a_misspelt_word_finds_what_was_meant(three: Any) -> None:
    """When nothing is found, one slip is forgiven and said so."""
    hit = three.recall("authentiction").hits[0]

    assert three.memories[hit.blob].title == "Use JWT for authentication"
    assert "spelling" in hit.why


def test_a_word_spelt_right_is_never_guessed_at(three: Any) -> None:
    """A guess beside a real match would only confuse."""
    three.remember("Cashing cheques")
    three.remember("Catch rendered exceptions")

    assert all("spelling" not in hit.why for hit in three.recall("cache").hits)


def test_a_prefix_finds_every_word_it_starts(library: Any) -> None:
    """`auth*` is how people ask for a family of words."""
    library.remember("Authorization headers")
    library.remember("Authentication tokens")
    library.remember("Autumn colours")

    found = library.recall("auth*")

    assert found.total == 2
    assert found.hits[0].why[0] == "prefix"


def test_a_phrase_must_stand_word_for_word(library: Any) -> None:
    """Quotes mean exactly this."""
    library.remember("One", "the cache is invalidated on write")
    library.remember("Two", "on write the invalidated entry leaves the cache")

    found = library.recall('"cache is invalidated"')

    assert [library.memories[hit.blob].title for hit in found.hits] == ["One"]
    assert "phrase" in found.hits[0].why


def test_a_phrase_nobody_wrote_is_searched_by_its_words(library: Any) -> None:
    """An agent that quotes a question should not get nothing."""
    library.remember("One", "the cache is invalidated on write")

    found = library.recall('"invalidated cache write"')

    assert found.total == 1
    assert found.notes


def test_excluded_words_take_memories_away(library: Any) -> None:
    """Also from a listing."""
    library.remember("Login with oauth")
    library.remember("Login with passwords")

    assert library.titles("login -oauth") == ["Login with passwords"]
    assert library.titles("-oauth") == ["Login with passwords"]


def test_only_common_words_still_answer(three: Any) -> None:
    """A question of stop words lists what is newest and says so."""
    found = three.recall("what is it")

    assert found.total == 3
    assert found.notes


def test_replaced_and_forgotten_memories_are_withheld_and_counted(library: Any) -> None:
    """The reader learns that there is more, and how much."""
    library.remember("Token one is active")
    library.remember("Token two was replaced", status="superseded")
    library.remember("Token three was forgotten", status="deleted")
    library.remember("Something else", status="deleted")

    found = library.recall("token")

    assert found.total == 1
    assert found.withheld == {"superseded": 1, "deleted": 1}
    assert library.recall("token status:superseded").total == 1
    assert library.recall("token status:all").total == 3


def test_matches_on_other_branches_are_counted_only(library: Any) -> None:
    """Nothing of another branch leaks but the number; old copies of a visible one do not count."""
    here = library.remember("Token here", id="aaaaaaaaaaaa")
    older = library.remember("Token here, older", id="aaaaaaaaaaaa")
    there = library.remember("Token there")
    library.index.catch_up(library.memories)

    found = library.recall(
        "token", visible={here: 0}, elsewhere={"other_branches": {here: 0, older: 0, there: 0}}
    )

    assert [hit.blob for hit in found.hits] == [here]
    assert found.withheld == {"other_branches": 1}


def test_near_duplicates_are_folded_under_the_best(library: Any) -> None:
    """Ten ways to say one thing would push out the nine other things."""
    body = "The nightly export job fails when the bucket is full because retries are not limited"
    library.remember("Export job fails", f"{body} at all.")
    library.remember("Export job fails", f"{body} at all, still.")
    library.remember("Export of invoices", "Invoices are exported as csv files every month.")

    found = library.recall("export job fails", limit=10)

    assert [len(hit.folded) for hit in found.hits] == [1, 0, 0]
    assert found.total == 3


def test_neighbours_in_a_session_lift_each_other(library: Any) -> None:
    """The answer often comes right after the words of the question."""
    for number, text in enumerate(["Which database did we pick", "Postgres", "Lunch was good"]):
        moment = f"2025-03-01T10:0{number}:00Z"
        library.remember(text, session="s1", created=moment)
    library.remember("Unrelated thing", session="s2")

    found = library.recall("which database")

    assert [library.memories[hit.blob].title for hit in found.hits][1] == "Postgres"
    assert found.hits[1].why == ("session",)


def test_a_session_is_read_two_memories_far(library: Any) -> None:
    """Of two who talk each speaks every other time."""
    said = ["Which database did we pick", "Good question", "Postgres", "Lunch was good"]
    for number, text in enumerate(said):
        library.remember(text, session="s1", created=f"2025-03-01T10:0{number}:00Z")

    assert library.titles("which database") == said[:3]


def test_nobody_is_lifted_above_what_lifts_him(library: Any) -> None:
    """Two good matches beside a weak one do not make it the best."""
    said = ["We pick a database this week", "A database it is", "The database we pick is Postgres"]
    for number, text in enumerate(said):
        library.remember(text, session="s1", created=f"2025-03-01T10:0{number}:00Z")

    found = library.titles("pick database week postgres")

    assert found[-1] == "A database it is"


def test_the_nearer_layer_comes_first_among_equals(library: Any) -> None:
    """What was learned on this branch is nearer to the work at hand."""
    far = library.remember("Token rule", "the same words one", type="issue")
    near = library.remember("Token rule", "the same words two")

    found = library.recall("token rule", visible={far: 2, near: 0})

    assert [hit.blob for hit in found.hits] == [near, far]


def test_recent_and_confident_memories_come_first_among_equals(library: Any) -> None:
    """Priors settle what words leave open."""
    library.remember("Token rule alpha", "words", confidence=0.2)
    library.remember("Token rule beta", "words", confidence=0.9)
    library.remember("Token rule gamma", "words", confidence=0.9, created="2025-12-30T00:00:00Z")

    assert library.titles("token rule") == [
        "Token rule gamma",
        "Token rule beta",
        "Token rule alpha",
    ]


def test_scores_fall_and_never_pass_one(library: Any) -> None:
    """A score is shown to people, so it has to make sense beside the others."""
    rng = random.Random(3)
    for number in range(300):
        words = rng.choices(["token", "cache", "queue", "router", "index"], k=6)
        library.remember(f"Note {number}", " ".join([*words, f"unique{number}", f"x{number}y"]))

    found = library.recall("token cache queue", limit=None)
    scores = [hit.score for hit in found.hits]

    assert scores == sorted(scores, reverse=True)
    assert scores[0] <= 1
    assert found.total == sum(1 + len(hit.folded) for hit in found.hits)


def test_a_longer_answer_begins_with_the_shorter_one(library: Any) -> None:
    """Pages are cut from one order, whatever their size."""
    rng = random.Random(4)
    for number in range(260):
        words = rng.choices(["token", "cache", "queue", "router", "index"], k=5)
        library.remember(f"Note {number}", " ".join([*words, f"unique{number}", f"x{number}y"]))

    whole = [hit.blob for hit in library.recall("token cache", limit=None).hits]

    for limit in (1, 7, 60, 150):
        assert [hit.blob for hit in library.recall("token cache", limit=limit).hits] == whole[
            :limit
        ]


def test_ten_thousand_characters_are_answered(three: Any) -> None:
    """A pasted log is a question too."""
    assert three.recall("authentication token " * 500).total >= 1
