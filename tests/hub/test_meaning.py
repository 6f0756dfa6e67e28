"""Search by meaning over many repositories: what is said in other words is found as well."""

from collections.abc import Callable

from conftest import Repo
from hub.conftest import HubAtHand

Make = Callable[[str], Repo]
CAR = "The car is mended in the garage"
ASKED = "automobile repair"


def add(hub: HubAtHand, *repos: Repo) -> None:
    for repo in repos:
        hub.json("hub", "add", repo.path.name, str(repo.path))
    hub.update()


def test_what_is_said_in_other_words_is_found(either: HubAtHand, make: Make) -> None:
    """As it is in the repository itself, where no word is the same either."""
    api, web = make("api"), make("web")
    api.tr.remember(CAR)
    web.tr.remember("The page cache is cleared at night")
    add(either, api, web)
    assert [hit.title for hit in api.tr.recall(ASKED).results] == [CAR]

    answer = either.json("recall", ASKED, "--repos", "all")

    first = answer["results"][0]
    assert (first["repo"], first["title"], answer["mode"]) == ("api", CAR, "hybrid")
    assert "semantic" in first["why"]
    assert either.titles(ASKED)[0] == ("api", CAR)


def test_each_mode_means_what_it_says(either: HubAtHand, make: Make) -> None:
    api = make("api")
    api.tr.remember(CAR)
    add(either, api)

    by_words = either.json("recall", ASKED, "--repos", "all", "--mode", "text")
    by_meaning = either.json("recall", ASKED, "--repos", "all", "--mode", "semantic")
    in_no_language = either.json("recall", "xqzt wvbnk", "--repos", "all", "--mode", "semantic")

    assert (by_words["mode"], by_words["results"]) == ("text", [])
    assert by_meaning["mode"] == "semantic"
    assert [hit["title"] for hit in by_meaning["results"]] == [CAR]
    assert in_no_language["mode"] == "text"
    assert in_no_language["notes"]


def test_filters_hold_for_what_meaning_finds(either: HubAtHand, make: Make) -> None:
    """By type, by words to leave out, and by what was forgotten."""
    api = make("api")
    api.tr.remember(CAR, type="issue")
    gone = api.tr.remember("The automobile was begun to be mended", type="issue")
    api.tr.remember("Fix the truck in the morning", type="decision")
    api.tr.forget([gone.id])
    add(either, api)

    def titles(*words: str) -> list[str]:
        answer = either.json("recall", *words, "--repos", "all", "--weak")
        return [hit["title"] for hit in answer["results"]]

    assert titles(ASKED, "--type", "issue") == [CAR]
    assert titles(f"{ASKED} -garage") == ["Fix the truck in the morning"]


def test_words_of_one_project_mean_nothing_to_another(either: HubAtHand, make: Make) -> None:
    """A stranger's list of synonyms would else decide what others are answered."""
    good, evil = make("good"), make("evil")
    good.tr.remember("The zebrafish stays in its tank")
    evil.tr.remember("invoice = zebrafish", type="convention", tags=["synonyms"])
    add(either, good, evil)

    answer = either.json("recall", "invoice", "--repos", "good", "--mode", "hybrid")

    assert "zebrafish" not in str([hit for hit in answer["results"] if "synonym" in hit["why"]])
    assert evil.tr.recall("zebrafish").results
    assert all("synonym" not in hit["why"] for hit in answer["results"])


def test_where_nothing_is_close_nothing_is_shown(either: HubAtHand, make: Make) -> None:
    api = make("api")
    api.tr.remember(CAR, type="issue")
    api.tr.remember("Releases are cut every second Tuesday", type="decision")
    add(either, api)
    question = "which shoes did the dancers wear at the second wedding"

    answer = either.json("recall", question, "--repos", "all")
    weak = either.json("recall", question, "--repos", "all", "--weak")

    assert (answer["results"], answer["withheld"]["weak"]) == ([], len(weak["results"]))
    assert weak["results"][0]["match"] == "words"
