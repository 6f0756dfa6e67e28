"""Two tiers: what somebody meant to say comes before what hooks wrote down."""

import shutil

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.recall import Recalled
from treering.errors import Invalid

DECISION = "Cookies are signed, because a proxy changed them"


def _types(answer: Recalled) -> list[str]:
    return [result.type for result in answer.results]


def _commit(repo: Repo, *subjects: str) -> None:
    for number, subject in enumerate(subjects):
        repo.commit_file(f"file{number}.py", f"{subject}\n", message=subject)
    repo.tr.backfill()


@pytest.fixture
def busy(repo: Repo) -> Repo:
    """Many commits about cookies, and one thing somebody said about them."""
    repo.tr.remember(f"{DECISION}\n\nIt took a week to find.", type="decision")
    _commit(repo, *(f"Cookie cookie handling, signed cookies part {n}" for n in "abcdefghijkl"))
    return repo


@pytest.fixture
def many(busy: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The same, where twelve records are too many to be opened for nothing."""
    monkeypatch.setattr("treering.actions.recall.FEW_RECORDS", 3)
    return busy


def _is_open(tr: Treering) -> bool:
    """Whether the index that holds records was opened."""
    return any(part.is_open for part in tr._workspace.searcher.index._parts if part.is_record)


def test_knowledge_that_answers_comes_before_all_records(busy: Repo) -> None:
    """Each of the commits has the words more often."""
    answer = busy.tr.recall("signed cookies")

    assert answer.results[0].title == DECISION
    assert set(_types(answer)[1:]) <= {"commit", "session"}
    assert answer.total >= 13


def test_knowledge_with_but_a_word_in_common_does_not_come_first(busy: Repo) -> None:
    """Whoever asks for a commit finds it."""
    _commit(busy, "Remove the frobnicator of cookies")

    answer = busy.tr.recall("remove frobnicator cookies")

    assert answer.results[0].title == "Remove the frobnicator of cookies"


def test_records_can_be_left_out_and_are_counted(busy: Repo) -> None:
    answer = busy.tr.recall("signed cookies", records="none")

    assert _types(answer) == ["decision"]
    assert answer.withheld["records"] >= 12


def test_records_alone(busy: Repo) -> None:
    answer = busy.tr.recall("signed cookies", records="only")

    assert set(_types(answer)) <= {"commit", "session"}
    assert answer.withheld["records"] == 0


def test_checkpoints_and_progress_are_records(repo: Repo) -> None:
    repo.tr.remember("Half of the cookies are signed", type="progress")
    repo.tr.checkpoint("save", summary="Signing cookies")

    answer = repo.tr.recall("cookies", records="none")

    assert (answer.results, answer.withheld["records"]) == ((), 2)


def test_an_unknown_word_for_records_is_refused(repo: Repo) -> None:
    with pytest.raises(Invalid, match="records"):
        repo.tr.recall("x", records="some")


def test_a_listing_has_knowledge_first(busy: Repo) -> None:
    """The newest sixty memories are commits, nearly always."""
    assert busy.tr.recall().results[0].title == DECISION
    assert busy.tr.recall(order="newest").results[0].type != "decision"


def test_a_session_is_folded_under_its_commit(repo: Repo) -> None:
    """It repeats the commit at more length."""
    _commit(repo, "Sign the cookies")

    answer = repo.tr.recall("sign cookies")

    first, *rest = answer.results
    sessions = [result.id for result in rest if result.type == "session"]
    assert first.type == "commit"
    assert sessions == list(first.similar or ())


def test_equal_subjects_are_one(repo: Repo) -> None:
    """Work in progress is numbered, squashed commits have the number of their pull request."""
    _commit(repo, "Sign cookies (1)", "Sign cookies (2)", "Sign cookies (#31)", "Bake cookies")

    answer = repo.tr.recall("cookies", records="only")

    heads = [r.title for r in answer.results if r.type == "commit" and r.similar]
    assert len([title for title in heads if title.startswith("Sign")]) == 1


def test_where_knowledge_is_enough_records_are_not_opened(many: Repo) -> None:
    """A cold recall in a long history costs what knowledge costs."""
    tr = many.tr

    answer = tr.recall("signed cookies", limit=1)

    assert [result.title for result in answer.results] == [DECISION]
    assert any("records=only" in note for note in answer.notes or ())
    assert "records" not in answer.withheld  # 0 would be wrong
    assert not _is_open(tr)


def test_where_it_leaves_room_they_are(many: Repo) -> None:
    answer = many.tr.recall("signed cookies", limit=5)

    assert _types(answer)[0] == "decision"
    assert len(answer.results) == 5


@pytest.mark.parametrize("options", [{"type": "decision"}, {"records": "none"}])
def test_a_question_for_knowledge_never_opens_records(many: Repo, options: dict[str, str]) -> None:
    tr = many.tr

    answer = tr.recall("signed cookies", **options)

    assert _types(answer) == ["decision"]
    assert not _is_open(tr)


def test_what_other_branches_know_is_counted_without_records(many: Repo) -> None:
    many.switch("feature", create=True)
    many.tr.remember("Signed cookies are slow", type="insight")
    many.switch("main")

    answer = many.tr.recall("signed cookies", records="none")

    assert answer.withheld["other_branches"] == 1


# --- the index is derived -------------------------------------------------------------------------


def test_the_index_may_vanish(many: Repo) -> None:
    many.tr.recall("signed cookies", records="none")
    shutil.rmtree(many.path / ".git" / "treering" / "index")

    answer = many.tr.recall("signed cookies", records="none")

    assert [result.title for result in answer.results] == [DECISION]


def test_what_changed_is_followed(many: Repo) -> None:
    """Added, revised, forgotten, on a branch and in the trunk: without a look at the rest."""
    tr = many.tr
    tr.recall("signed cookies", records="none")
    new = tr.remember("Signed cookies expire", type="insight").id
    old = tr.recall("proxy", records="none").results[0].id

    many.tr.revise(old, content="Cookies are sealed now")
    many.tr.forget([new])

    titles = [result.title for result in many.tr.recall("cookies", records="none").results]
    assert titles == ["Cookies are sealed now"]


def test_reindex_makes_both_anew(many: Repo) -> None:
    many.tr.recall("signed cookies", records="none")

    many.tr.reindex()

    assert many.tr.recall("signed cookies", records="none").results[0].title == DECISION


# --- how it turned out ----------------------------------------------------------------------------


def test_a_failed_attempt_comes_first_and_says_so(repo: Repo) -> None:
    """Whoever asks is about to try it again."""
    repo.tr.remember("Sign cookies with the session key, rotated daily", type="decision")
    repo.tr.remember(
        "Sign cookies with the user's password hash as session key", type="decision",
        outcome="failed",
    )  # fmt: skip

    answer = repo.tr.recall("sign cookies with the session key")

    assert [result.outcome for result in answer.results] == ["failed", None]
    assert "failed: Sign cookies" in repo.cli("recall", "sign cookies").stdout


def test_every_surface_says_what_failed(repo: Repo) -> None:
    """A failed attempt must not look like a decision anywhere."""
    repo.switch("feature", create=True)
    failed = repo.tr.remember("Sign cookies twice", type="decision", outcome="failed").id
    other = repo.tr.remember("Cookies expire", type="decision", outcome="partial").id
    repo.tr.link(failed, other)

    assert "failed: Sign cookies twice" in repo.cli("log").stdout
    assert "partial: Cookies expire" in repo.cli("log").stdout
    assert "failed: Sign cookies twice" in repo.cli("diff", "main..feature").stdout
    assert "failed decision" in repo.cli("diff", "main..feature", "--markdown").stdout
    assert repo.json("graph", "neighbors", other)["nodes"][0]["outcome"] == "failed"
    assert "failed decision: Sign" in repo.cli("graph", "draw").stdout
    assert "[failed, decision" in repo.tr.context(task="sign cookies")["text"]


def test_context_puts_failed_attempts_at_the_files_first(repo: Repo) -> None:
    repo.commit_file("cookies.py")
    repo.tr.remember("Cookies are signed", type="decision", files=["cookies.py"], confidence=0.9)
    repo.tr.remember("Cookies in a cache", type="insight", files=["cookies.py"], outcome="failed")

    text = repo.tr.context(files=["cookies.py"])["text"]

    assert text.index("Cookies in a cache") < text.index("Cookies are signed")


def test_context_has_records_only_where_they_give_a_reason(busy: Repo) -> None:
    reason = "The parser reads ahead, because a comment may end the line."
    busy.commit_file("file1.py", "reads = 'ahead'\n", f"Read ahead\n\n{reason}")
    busy.tr.backfill()
    busy.tr.remember("Part a is about the parser", type="insight", files=["file0.py"])

    said = busy.tr.context(files=["file0.py"])
    unsaid = busy.tr.context(files=["file1.py"])

    assert "commit" not in {e.type for group in ("high", "medium", "low") for e in said[group]}
    assert [e.title for e in unsaid["high"] + unsaid["medium"] + unsaid["low"]] == ["Read ahead"]
    assert reason in unsaid["text"]


# --- questions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["???", "🚀", "-- !!", "…"])
def test_a_question_without_a_word_says_so(busy: Repo, query: str) -> None:
    answer = busy.tr.recall(query)

    assert (answer.results, answer.total) == ((), 0)
    assert any("no word" in note for note in answer.notes or ())


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("Die Straße ist gesperrt", "strasse"),
        ("Die STRASSE ist gesperrt", "straße"),
        ("Müller wrote the parser", "muller"),
        ("The ﬁlter is slow", "filter"),
        ("Łódź has its own server", "lodz"),
        ("Smørrebrød is the code name", "smorrebrod"),
        ("We removed django.utils.six", "django/utils/six.py"),
        ("lib/utils/six.py is gone", "utils.six"),
    ],
)
def test_words_are_found_however_they_are_typed(repo: Repo, content: str, query: str) -> None:
    repo.tr.remember(content, type="insight")

    assert [result.title for result in repo.tr.recall(query).results] == [content]


def test_a_title_that_is_the_question_comes_first(repo: Repo) -> None:
    """Others have its words far more often."""
    for number in range(15):
        text = f"NullBooleanField removed {number}, " + "NullBooleanField was removed here. " * 9
        repo.tr.remember(f"Forms of model {number} and all their widgets\n\n{text}", type="insight")
    repo.tr.remember("Removed NullBooleanField per timeline", type="insight")

    answer = repo.tr.recall("NullBooleanField removed")

    assert answer.results[0].title == "Removed NullBooleanField per timeline"


def test_knowledge_comes_before_a_record_whose_title_is_the_question(repo: Repo) -> None:
    """Unless records are asked for."""
    repo.tr.remember("Cookies are signed since a proxy changed them", type="decision")
    _commit(repo, "Signed cookies")

    assert _types(repo.tr.recall("signed cookies"))[:2] == ["decision", "commit"]
    assert _types(repo.tr.recall("signed cookies", records="only"))[0] == "commit"
    assert set(_types(repo.tr.recall("signed cookies", type="commit"))) == {"commit"}


def test_a_commit_shows_its_commit(repo: Repo) -> None:
    repo.tr.remember("Cookies are signed since a proxy changed them", type="decision")
    _commit(repo, "Signed cookies")
    head = repo.git("rev-parse", "HEAD")

    decision, commit = repo.tr.recall("signed cookies").results[:2]

    assert (decision.commit, commit.commit) == (None, head)
    assert f"commit {head[:12]}" in repo.cli("recall", "signed", "cookies").stdout


def test_no_link_is_suggested_for_being_made_soon_after(repo: Repo) -> None:
    """It was wrong more often than right."""
    repo.tr.remember("The payment queue is slow", type="issue")

    answer = repo.tr.remember("Payment receipts are mailed", type="component")

    assert "follows" not in {link.relation for link in answer.suggested_links}
