"""Of the words that come with the program, a question looks at few, and misses none."""

from treering.search.analysis import question_terms
from treering.search.synonyms import _FILE, Synonyms, parse_groups, synonyms_of


def test_a_question_finds_all_that_the_whole_list_has_for_it() -> None:
    """Only lines with words that begin alike are taken apart."""
    text = _FILE.read_text(encoding="utf-8")
    whole = Synonyms(parse_groups(text))
    words = {word for line in text.splitlines() for word in line.partition("#")[0].split(",")}

    for word in filter(None, map(str.strip, words)):
        for question in (word, word.upper(), f"{word}s", f"how to {word} things"):
            terms = question_terms(question)
            assert whole.expand(terms) == synonyms_of(question).expand(terms), question


def test_words_of_the_project_count_as_well() -> None:
    expansions = synonyms_of("the frobnicator", "frobnicator, gizmo").expand(["frobnic"])

    assert [other for expansion in expansions for other in expansion.others] == [("gizmo",)]
