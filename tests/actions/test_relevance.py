"""What recall answers to questions that nothing here answers, that are misspelt, or that are asked
in other words."""

import random
import re
import shlex

import pytest

from conftest import Repo
from treering.actions.recall import Recalled

MEMORIES = (
    "Use WAL mode in SQLite: readers never block writers",
    "Authentication tokens expire after fifteen minutes",
    "We retry failed requests three times with exponential backoff",
    "Releases are cut every second Tuesday, after the smoke tests",
    "The load is balanced over three workers, ready when the health check passes",
    "Large files are uploaded in parts of eight megabytes",
)


@pytest.fixture
def team(repo: Repo) -> Repo:
    for content in MEMORIES:
        repo.tr.remember(content, type="decision")
    return repo


def _titles(answer: Recalled) -> list[str]:
    return [result.title for result in answer.results]


# --- nothing is close -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "how many people were at the wedding after the second dance",
        "which shoes did the dancers wear at the second wedding",
        "what files did grandmother keep in the garden shed",
    ],
)
def test_where_nothing_is_close_nothing_is_shown_and_the_rest_is_counted(
    team: Repo, question: str
) -> None:
    answer = team.tr.recall(question)

    assert (answer.results, answer.total, answer.cursor) == ((), 0, "")
    assert answer.withheld["weak"] > 0
    assert any("close" in note for note in answer.notes or ())

    weak = team.tr.recall(question, weak=True)
    assert weak.total == len(weak.results) == answer.withheld["weak"]
    assert "weak" not in weak.withheld


def test_the_command_line_says_that_nothing_is_close_and_how_to_list_it(team: Repo) -> None:
    question = "how many people were at the wedding after the second dance"

    said = team.cli("recall", question).stdout

    assert said.startswith("Nothing matches closely on main.")
    assert "--weak" in said
    assert team.cli("recall", question, "--weak").stdout.count("decision") > 0


@pytest.mark.parametrize(
    "question",
    [
        "wal",
        "wal mode",
        "retry backoff",
        "when do tokens expire",
        "how often do we try a request again",
        '"smoke tests"',
        "megab*",
        *MEMORIES,
    ],
)
def test_what_is_asked_for_in_words_or_by_its_title_is_close(team: Repo, question: str) -> None:
    assert team.tr.recall(question).results


def test_listings_and_filters_alone_have_no_floor(team: Repo) -> None:
    for options in ({}, {"type": "decision"}, {"author": "ada"}, {"since": "7d"}):
        assert team.tr.recall("", **options).total == len(MEMORIES)
    assert team.tr.recall("type:decision").total == len(MEMORIES)
    assert team.tr.recall("wedding dance", mode="semantic").withheld.get("weak") is None


def test_how_many_are_shown_does_not_decide_whether_any_is(team: Repo) -> None:
    for question in ("how often do we try a request again", "the wedding dance of the second day"):
        answers = [team.tr.recall(question, limit=limit) for limit in (1, 3, 10, 100)]

        assert len({bool(answer.results) for answer in answers}) == 1


# --- what matches ---------------------------------------------------------------------------------


def test_a_hit_says_whether_words_or_meaning_match(team: Repo) -> None:
    words = team.tr.recall("exponential backoff").results[0]
    meaning = team.tr.recall("passwords login session lifetime", weak=True).results[0]

    assert (words.match, words.spelled) == ("words", None)
    assert (meaning.match, meaning.title) == ("meaning", MEMORIES[1])
    assert team.tr.recall("").results[0].match is None


@pytest.mark.parametrize("question", ["authentcation", "authentcation minutes", "exponental"])
def test_a_misspelt_word_is_searched_as_the_word_it_may_be_and_that_is_said(
    team: Repo, question: str
) -> None:
    hit = team.tr.recall(question).results[0]

    assert hit.match == "spelling"
    assert hit.spelled in {"authentication", "exponential"}
    assert f"for {hit.spelled}" in team.cli("recall", question).stdout


@pytest.mark.parametrize("word", ["redis", "banana", "sqlit3", "wals", "readily"])
def test_a_stem_in_common_is_no_slip(team: Repo, word: str) -> None:
    """`redis` with an a in it has the stem of `ready`, and is another word."""
    hits = team.tr.recall(word, weak=True).results

    assert all(hit.spelled is None for hit in hits)


# --- rare words -----------------------------------------------------------------------------------


def test_a_memory_that_holds_every_rare_word_is_on_the_first_page(repo: Repo) -> None:
    """However near in meaning to the rest of the question others are."""
    lots = random.Random(11)
    topics = ("database connection pool timeout", "login token session cookie",
              "deployment of a release to production", "slow test suite in the pipeline",
              "memory leak in the worker process")  # fmt: skip
    rare = ["".join(lots.choices("bcdfglmnprstvz", k=2)) + f"{lots.choice('aeiou')}x{n}quor"
            for n in range(60)]  # fmt: skip
    questions = []
    for number in range(120):
        lines = [f"Note {number}: {lots.choice(topics)} and {lots.choice(topics)}"]
        if number < 20:
            mine = rare[3 * number : 3 * number + 3]
            lines.append(f"Seen with {mine[0]}, {mine[1]} and {mine[2]}.")
            asked = " ".join(lots.choice(topics) for _ in range(3))
            questions.append((f"{asked} {' '.join(mine)}", lines[0]))
        repo.tr.remember("\n\n".join(lines), type="insight")

    for question, title in questions:
        assert title in _titles(repo.tr.recall(question)), question


def test_words_of_every_question_are_not_rare(repo: Repo) -> None:
    """One memory happens to hold `own` and `hold`, another what is asked for."""
    repo.tr.remember("Teams own what they hold, and hold what they own", type="convention")
    repo.tr.remember("The scheduler keeps the lease for a minute", type="insight")
    for number in range(40):
        repo.tr.remember(f"The worker number {number} has a queue and a log", type="insight")

    answer = repo.tr.recall("who can own and hold the scheduler lease")

    assert _titles(answer)[0] == "The scheduler keeps the lease for a minute"


@pytest.mark.parametrize(
    ("asked", "said"),
    [("recover", "restore"), ("abort", "cancel"), ("quit", "shutdown"), ("recent", "newer"),
     ("passphrase", "password"), ("phone", "android")],
)  # fmt: skip
def test_words_of_strangers_are_known(repo: Repo, asked: str, said: str) -> None:
    repo.tr.remember(f"How to {said} it is in the handbook", type="insight")
    repo.tr.remember("The menu has three colours", type="insight")

    assert said in _titles(repo.tr.recall(asked, weak=True))[0]


# --- the trash ------------------------------------------------------------------------------------


def test_what_lies_in_the_trash_comes_with_a_command_that_brings_it_back(repo: Repo) -> None:
    repo.switch("it's an idea".replace(" ", "-"), create=True)
    repo.tr.remember("Radix trees were three times slower", type="insight")
    repo.switch("other", create=True)
    repo.tr.remember("The menu has three colours", type="insight")
    repo.switch("main")
    for branch in ("it's-an-idea", "other"):
        repo.git("branch", "-D", branch)
        repo.now += 60
        repo.cli("gc", "--no-lessons", "--force")

    said = repo.cli("recall", "radix", "trees").stdout
    command = re.search(r"`(treering restore [^`]+)`", said)
    assert command, said
    assert repo.cli(*shlex.split(command[1])[1:]).returncode == 0

    seen = repo.tr.recall("radix trees", scope="all")
    assert _titles(seen) == ["Radix trees were three times slower"]
