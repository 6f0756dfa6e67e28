"""The graded test by lines: what mergers, formatters and reviewers leave of a branch."""

from branches.landing.landings import LINES, edit, judged, squash
from treering.branches.landing.judge import Limits

WORK = [f"    value_{number} = compute('part {number}')\n" for number in range(20)]


def work(repo, *, commits: int = 2):
    """A branch that adds ten lines a commit to one file."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    for number in range(1, commits + 1):
        repo.commit_file("code.txt", "".join(LINES[:30] + WORK[: 10 * number] + LINES[30:]))
    tip = repo.git("rev-parse", "HEAD")
    repo.switch("main").commit_file("trunk.txt")
    return tip


def land(repo, lines: list[str]) -> str:
    return repo.commit_file("code.txt", "".join(LINES[:30] + lines + LINES[30:]))


def test_branch_behind_what_was_merged_has_landed(repo):
    """Someone else pushed a review fix, which changed some of its lines."""
    tip = work(repo)
    fixed = [line.replace("compute", "calculate") for line in WORK[:3]] + WORK[3:]
    commit = land(repo, [*fixed, "    more = 1000\n"])

    found = judged(repo, tip)

    assert ("lines", "main", commit) == found[:3]
    assert "17 of the 20 lines" in found.reason


def test_squash_with_a_reworded_line_has_landed(repo):
    """The merger put one word right."""
    tip = work(repo)
    commit = land(repo, [WORK[0].replace("part", "piece"), *WORK[1:]])
    edit(repo, 31, "later")

    found = judged(repo, tip)

    assert ("lines", "main", commit) == found[:3]


def test_squash_that_was_formatted_has_landed(repo):
    """Quotes, indentation and the rest of the file are the formatter's."""
    tip = work(repo)
    text = "".join(LINES[:30] + WORK + LINES[30:]).replace("'", '"').replace("    ", "\t")
    commit = repo.commit_file("code.txt", text.replace("\n", "\r\n"))

    found = judged(repo, tip)

    assert ("lines", "main", commit) == found[:3]


def test_half_of_a_branch_is_a_doubt(repo):
    """Nobody knows whether the rest is still wanted."""
    tip = work(repo, commits=1)
    land(repo, WORK[:5])

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert found.is_partial
    assert "5 of the 10 lines" in found.reason


def test_branch_that_went_on_after_it_landed_is_a_doubt(repo):
    """Most of its lines are there, but of its last commit there is none."""
    work(repo)
    repo.switch("feature").commit_file("code.txt", "".join(LINES[:30] + WORK + LINES[31:]))
    tip = repo.git("rev-parse", "HEAD")
    repo.switch("main")
    land(repo, [WORK[0].replace("part", "piece"), *WORK[1:]])

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert found.is_partial


def test_file_that_is_missing_there_is_a_doubt(repo):
    """A squash without one of its files did not take the branch."""
    work(repo)
    repo.switch("feature")
    (repo.path / "extra.txt").write_text("something of its own\n", encoding="utf-8")
    text = "".join(LINES[:30] + WORK + ["    last_one = 1\n"] + LINES[30:])
    tip = repo.commit_file("code.txt", text)
    repo.git("add", ".")
    repo.git("commit", "-q", "--amend", "--no-edit")
    tip = repo.git("rev-parse", "HEAD")
    repo.switch("main")
    land(repo, [WORK[0].replace("part", "piece"), *WORK[1:], "    last_one = 1\n"])

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert found.is_partial


def test_file_taken_away_is_no_landing_of_edits_in_it(repo):
    """The trunk removed all the lines that the branch removed, and all the others."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    tip = repo.commit_file("code.txt", "".join(LINES[:20] + LINES[40:]))
    repo.switch("main")
    repo.git("rm", "-q", "code.txt")
    repo.commit_file("other.txt")

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert not found.is_partial


def test_one_line_in_other_words_is_a_doubt(repo):
    """It is all that the branch had, and the merger put a word right."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    tip = repo.commit_file("code.txt", "".join([*LINES, "please close the file afterwards\n"]))
    repo.switch("main")
    repo.commit_file("code.txt", "".join([*LINES, "please close the files afterwards\n"]))

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert found.is_partial
    assert "4 of the 5 words" in found.reason


def test_few_lines_are_no_evidence(repo):
    """Both change one line, which is half of what the branch did."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    tip = edit(repo, 10, "one thing")
    repo.switch("main")
    edit(repo, 10, "other thing")

    found = judged(repo, tip)

    assert found.evidence == "none"


def test_branch_landed_piece_by_piece_is_a_doubt(repo):
    """No step has much of it, all of them together have nearly all."""
    tip = work(repo)
    for number in range(0, 16, 4):
        land(repo, WORK[: number + 4])
    land(repo, [*WORK[:18], "    another = 1\n"])

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert found.is_partial
    assert "piece by piece" in found.reason


def test_work_that_never_landed_beside_edits_of_its_file_is_no_doubt(repo):
    """Trunk changes the same file all the time."""
    tip = work(repo)
    for number in range(20):
        edit(repo, number + 25, f"another thing {number}")

    found = judged(repo, tip)

    assert found[:3] == ("none", "", None)
    assert not found.is_partial


def test_much_to_read_is_a_limit_and_says_so(repo):
    """The limit counts bytes, so that the answer is the same on a busy machine."""
    tip = work(repo)
    land(repo, WORK[:15])

    found = judged(repo, tip, limits=Limits(megabytes=0.001))

    assert found.evidence == "none"
    assert found.bound == "0.001 MB of files"


def test_squash_among_other_context_is_an_equal_patch(repo):
    """The same lines in the same file, with another line beside them."""
    tip = work(repo)
    edit(repo, 28, "beside it")
    commit = squash(repo)

    found = judged(repo, tip)

    assert ("squash", "main", commit) == found[:3]


def test_moved_lines_alone_need_git_to_compare_them(repo):
    """Nothing is added or removed, so that lines say nothing."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    tip = repo.commit_file("code.txt", "".join(LINES[10:20] + LINES[:10] + LINES[20:]))
    repo.switch("main")
    repo.commit_file("code.txt", "".join(LINES[:30] + LINES[40:50] + LINES[30:40] + LINES[50:]))
    other = judged(repo, tip)
    repo.commit_file("code.txt", "".join(LINES))
    commit = squash(repo)

    same = judged(repo, tip)

    assert other.evidence == "none"
    assert ("cherry", commit) == (same.evidence, same.merged_as)
