"""Whether a branch's code has landed: each way in, and each trap, on a real repository."""

import random
from pathlib import Path

import pytest

from branches.landing.landings import LINES, edit, feature, judged, squash, targets_of
from conftest import Repo
from treering.branches.landing.judge import Judge, Limits, Target
from treering.git import process
from treering.git.repository import Repository


def test_merged_branch_is_an_ancestor(repo):
    """A true merge keeps the commits, and the merge commit is what brought them."""
    tip = feature(repo)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    merge = repo.git("rev-parse", "HEAD")
    repo.commit_file("later.txt")

    found = judged(repo, tip)

    assert ("ancestor", "main", merge) == found[:3]


def test_squashed_branch_is_found_by_its_whole_diff(repo):
    """A squash leaves no ancestry and none of the commits."""
    tip = feature(repo)
    commit = squash(repo)
    edit(repo, 10, "later")

    found = judged(repo, tip)

    assert ("squash", "main", commit) == found[:3]


def test_squash_with_a_review_fix_is_a_no_op_merge(repo):
    """No patch is equal, but all that the branch did is there."""
    tip = feature(repo)
    commit = squash(repo, fix=True)

    found = judged(repo, tip)

    assert ("noop", "main", commit) == found[:3]


def test_commit_made_of_three_of_the_trunk_did_not_land_there(repo):
    """A long-lived branch that took the trunk in as one commit gave nothing to the trunk."""
    repo.git("branch", "develop")
    for name in ("one", "two", "three"):
        repo.commit_file(f"{name}.txt", f"{name} of the trunk\n" * 4)
    repo.switch("develop")
    repo.git("merge", "-q", "--squash", "main")
    repo.git("commit", "-q", "-m", "take main in")
    tip = repo.git("rev-parse", "HEAD")

    found = judged(repo, tip)

    assert found.evidence == "none"


def test_lines_that_came_one_by_one_from_others_are_a_doubt(repo):
    """Merging the branch would change nothing, but no step of the trunk brought all its commits."""
    base = "".join(f"line {number}\n" for number in range(9))
    repo.commit_file("a.txt", base)
    repo.commit_file("b.txt", base)
    repo.switch("feature", create=True)
    repo.commit_file("a.txt", base + "retry three times\nwith some jitter\nand a cap\n")
    repo.commit_file("b.txt", base + "close the socket\nbefore the file\nin this order\n")
    tip = repo.git("rev-parse", "HEAD")
    repo.switch("main")
    more = "unrelated words of somebody\n"
    repo.commit_file("a.txt", more + base + "retry three times\nwith some jitter\nand a cap\n")
    repo.commit_file("b.txt", more + base + "close the socket\nbefore the file\nin this order\n")

    found = judged(repo, tip)

    assert (found.evidence, found.is_partial) == ("none", True)


def test_a_quick_look_tells_a_landing_by_the_files_alone(repo):
    """Somebody built on the branch, and that landed in one: no patch is equal, all files are."""
    tip = feature(repo)
    repo.git("switch", "-q", "-c", "more", tip)
    repo.commit_file("more.txt")
    repo.switch("main")
    commit = squash(repo, "more")
    judge = Judge(Repository.discover(repo.path))

    found = judge.landing(tip, targets_of(repo), is_quick=True)

    assert ("noop", "main", commit) == found[:3]


def test_unmerged_branch_has_not_landed(repo):
    """The commonest answer of all."""
    tip = feature(repo)

    found = judged(repo, tip)

    assert found[:3] == ("none", "", None)
    assert not found.is_partial
    assert found.bound == ""


# --- commits kept as they are -------------------------------------------------------------------


def test_fast_forwarded_branch_landed_as_itself(repo):
    """There is no merge commit to name, so its own tip is what brought it."""
    repo.switch("feature", create=True)
    tip = repo.commit_file("feature.txt")
    repo.switch("main").git("merge", "-q", "--ff-only", "feature")
    repo.commit_file("later.txt")

    found = judged(repo, tip)

    assert ("ancestor", "main", tip) == found[:3]


def test_octopus_merge_brings_all_its_branches(repo):
    """The second and third parents count like any other."""
    tips = []
    for name in ("a", "b", "c"):
        repo.git("switch", "-q", "-c", name, "main")
        tips.append(repo.commit_file(f"{name}.txt"))
    repo.switch("main").commit_file("trunk.txt")
    repo.git("merge", "-q", "-m", "octopus", "a", "b", "c")
    octopus = repo.git("rev-parse", "main")

    found = [judged(repo, tip)[:3] for tip in tips]

    assert found == [("ancestor", "main", octopus)] * 3


def test_branch_cut_from_the_remote_trunk_has_no_commits_of_its_own(repo):
    """Local main is behind; what it lacks is trunk's, not the branch's."""
    repo.git("branch", "origin-main")
    repo.switch("origin-main").commit_file("theirs.txt")
    repo.git("branch", "feature")
    targets = [Target(name, repo.git("rev-parse", name)) for name in ("main", "origin-main")]

    own = Judge(Repository.discover(repo.path)).own_commits(
        repo.git("rev-parse", "feature"), targets
    )

    assert own == []


def test_branch_under_a_merged_stacked_one_landed_with_it(repo):
    """It is an ancestor only because of the other, yet all its code is in trunk."""
    repo.switch("lower", create=True).commit_file("lower.txt")
    repo.switch("upper", create=True).commit_file("upper.txt")
    repo.switch("main").commit_file("trunk.txt")
    repo.git("merge", "-q", "--no-ff", "-m", "merge upper", "upper")

    found = judged(repo, "lower")

    assert ("ancestor", "main", repo.git("rev-parse", "main")) == found[:3]


def test_branch_under_a_squashed_stacked_one_landed_with_it(repo):
    """The squash holds more than the branch, so only a merge can tell."""
    repo.switch("lower", create=True).commit_file("lower.txt")
    repo.switch("upper", create=True).commit_file("upper.txt")
    repo.switch("main").commit_file("trunk.txt")
    commit = squash(repo, "upper")

    found = judged(repo, "lower")

    assert ("noop", "main", commit) == found[:3]


def test_branch_on_top_of_a_merged_one_has_not_landed(repo):
    """What is below it is in trunk; its own commit is not."""
    repo.switch("lower", create=True).commit_file("lower.txt")
    repo.switch("upper", create=True).commit_file("upper.txt")
    repo.switch("main").commit_file("trunk.txt")
    repo.git("merge", "-q", "--no-ff", "-m", "merge lower", "lower")

    found = judged(repo, "upper")

    assert found.evidence == "none"
    assert not found.is_partial


def test_merge_is_named_in_a_trunk_of_many_merges(repo):
    """Each branch belongs to the merge that brought it first, not to a later one."""
    merges = {}
    for number in range(6):
        repo.git("switch", "-q", "-c", f"b{number}", f"main~{min(number, 2)}")
        repo.commit_file(f"b{number}.txt")
        repo.switch("main").git("merge", "-q", "--no-ff", "-m", f"merge {number}", f"b{number}")
        merges[f"b{number}"] = repo.git("rev-parse", "main")

    found = {branch: judged(repo, branch).merged_as for branch in merges}

    assert found == merges


# --- the same patches ---------------------------------------------------------------------------


def test_rebase_merged_branch_is_found_commit_by_commit(repo):
    """The server writes the commits anew on top of trunk."""
    tip = feature(repo)
    repo.now += 60
    repo.git("cherry-pick", "main..feature")
    newest = repo.git("rev-parse", "main")
    edit(repo, 10, "later")

    found = judged(repo, tip)

    assert ("cherry", "main", newest) == found[:3]


def test_one_picked_commit_of_three_is_only_a_part(repo):
    """Promoting it all would tell trunk of code it does not have."""
    tip = feature(repo)
    repo.git("cherry-pick", "feature~1")

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert found.is_partial
    assert "Only 1 of the 3 commits" in found.reason


def test_tip_from_before_a_pull_with_rebase_landed_with_the_new_one(repo):
    """The recorded tip may be the old one, which nothing points to any more."""
    old = feature(repo)
    repo.switch("feature").git("rebase", "-q", "main")
    new = repo.git("rev-parse", "feature")
    repo.switch("main").git("merge", "-q", "--ff-only", "feature")

    found = judged(repo, old), judged(repo, new)

    assert new != old
    assert [landing[:3] for landing in found] == [
        ("cherry", "main", new),
        ("ancestor", "main", new),
    ]


def test_empty_commits_do_not_stand_in_the_way(repo):
    """A commit made to start the build has no patch to be found."""
    feature(repo)
    repo.switch("feature").git("commit", "-q", "--allow-empty", "-m", "build again")
    repo.switch("main").git("cherry-pick", "feature~3", "feature~2", "feature~1")

    found = judged(repo, "feature")

    assert found.evidence == "cherry"


def test_branch_of_empty_commits_has_not_landed(repo):
    """Nothing changed, so nothing can be shown to be there."""
    repo.switch("feature", create=True).git("commit", "-q", "--allow-empty", "-m", "start")
    repo.switch("main").git("commit", "-q", "--allow-empty", "-m", "release")

    found = judged(repo, "feature")

    assert found.evidence == "none"
    assert "cancel out" in found.reason


def test_net_zero_branch_has_not_landed(repo):
    """Merging it changes nothing, whether it landed or not."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    edit(repo, 10, "one")
    repo.git("revert", "--no-edit", "HEAD")
    repo.switch("main")
    edit(repo, 40, "trunk")

    found = judged(repo, "feature")

    assert found.evidence == "none"
    assert "cancel out" in found.reason


def test_commit_from_before_the_branch_is_no_evidence(repo):
    """The branch brings back what trunk took out before: that is not in trunk now."""
    repo.commit_file("code.txt", "".join(LINES))
    edit(repo, 10, "one")
    repo.git("revert", "--no-edit", "HEAD")
    repo.switch("feature", create=True)
    edit(repo, 10, "one")
    repo.switch("main").commit_file("later.txt")

    found = judged(repo, "feature")

    assert found.evidence == "none"


def test_other_white_space_is_another_patch(repo):
    """Where indentation is meaning, two ways to indent are two changes."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    edit(repo, 10, "    line 10")
    repo.switch("main")
    edit(repo, 10, "        line 10")

    found = judged(repo, "feature")

    assert found.evidence == "none"


def test_merge_with_code_of_its_own_needs_more_than_its_commits(repo):
    """The commits were picked, but not what was added while merging trunk into the branch."""
    tip = feature(repo)
    repo.switch("feature").git("merge", "-q", "--no-commit", "--no-ff", "main")
    repo.commit_file("added-in-the-merge.txt", message="merge main")
    repo.switch("main").git("cherry-pick", f"{tip}~3..{tip}")

    found = judged(repo, "feature")

    assert judged(repo, tip).evidence == "cherry"
    assert found.evidence == "none"
    assert found.is_partial


# --- one patch for all --------------------------------------------------------------------------


def test_squash_later_reverted_counts_as_landed(repo):
    """It was in trunk; that it was taken out again is trunk's history."""
    tip = feature(repo)
    commit = squash(repo)
    repo.git("revert", "--no-edit", "HEAD")

    found = judged(repo, tip)

    assert ("squash", "main", commit) == found[:3]


def test_branch_that_took_trunk_in_before_its_squash_is_found(repo):
    """The merge base moves along with each merge of trunk into the branch."""
    feature(repo)
    repo.switch("feature").git("merge", "-q", "-m", "take main in", "main")
    repo.commit_file("more.txt")
    repo.switch("main").commit_file("trunk-2.txt")
    commit = squash(repo)
    edit(repo, 10, "later")

    found = judged(repo, "feature")

    assert ("squash", "main", commit) == found[:3]


def test_branch_that_took_trunk_in_and_did_not_land_has_not_landed(repo):
    """What came from trunk is in trunk, but it is not the branch's."""
    feature(repo)
    repo.switch("feature").git("merge", "-q", "-m", "take main in", "main")
    repo.switch("main").commit_file("later.txt")

    found = judged(repo, "feature")

    assert found.evidence == "none"
    assert not found.is_partial


def test_squash_on_the_server_is_found_in_the_remote_trunk_alone(repo):
    """Local main has not been pulled yet, as after most pull requests."""
    tip = feature(repo)
    repo.git("switch", "-q", "-c", "origin-main")
    commit = squash(repo)
    repo.git("switch", "-q", "main")

    found = judged(repo, tip, "main", "origin-main")

    assert judged(repo, tip).evidence == "none"
    assert ("squash", "origin-main", commit) == found[:3]


def test_renamed_trunk_is_found_under_its_new_name(repo):
    """master became main; the old remote-tracking branch stays where it was."""
    tip = feature(repo)
    repo.git("branch", "master")
    commit = squash(repo)
    repo.commit_file("later.txt")

    found = judged(repo, tip, "master", "main")

    assert ("squash", "main", commit) == found[:3]


def test_binary_files_are_compared_by_content(repo):
    """git shows no lines for them, so that any two changes of one would look alike."""
    image = repo.path / "image.bin"
    for branch, content in (("main", b"\0old"), ("feature", b"\0new"), ("other", b"\0other")):
        if branch != "main":
            repo.git("switch", "-q", "-c", branch, "main")
        image.write_bytes(content)
        repo.git("add", ".")
        repo.git("commit", "-q", "-m", f"image of {branch}")
    repo.switch("main").commit_file("trunk.txt")
    commit = squash(repo, "feature")

    found = judged(repo, "feature"), judged(repo, "other")

    assert [landing.evidence for landing in found] == ["cherry", "none"]
    assert found[0].merged_as == commit


def test_squashed_rename_is_found_though_trunk_edited_the_old_name(repo):
    """The squash holds trunk's edit under the new name, so that no patch is equal."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True).git("mv", "code.txt", "moved.txt")
    repo.git("commit", "-q", "-m", "move")
    edit(repo, 10, "one", "moved.txt")
    repo.switch("main")
    edit(repo, 40, "trunk")
    commit = squash(repo)
    edit(repo, 10, "later", "moved.txt")

    found = judged(repo, "feature")

    assert ("noop", "main", commit) == found[:3]


def test_squash_onto_a_file_that_trunk_renamed_is_found(repo):
    """The squash touches a path that the branch never knew."""
    feature(repo)
    repo.git("mv", "code.txt", "moved.txt")
    repo.git("commit", "-q", "-m", "move")
    commit = squash(repo)
    edit(repo, 10, "later", "moved.txt")

    found = judged(repo, "feature")

    assert ("noop", "main", commit) == found[:3]


def test_change_of_mode_alone_is_a_change(repo):
    """The patch has no lines, only a header."""
    repo.commit_file("run.sh", "echo\n")
    repo.switch("feature", create=True)
    (repo.path / "run.sh").chmod(0o755)
    repo.git("commit", "-q", "-a", "-m", "may run")
    repo.switch("main").commit_file("trunk.txt")
    before = judged(repo, "feature")
    commit = squash(repo)

    after = judged(repo, "feature")

    assert before.evidence == "none"
    assert ("cherry", "main", commit) == after[:3]


# --- merges that would change nothing -----------------------------------------------------------


def test_squash_over_nearby_edits_is_found_by_its_lines_alone(repo):
    """Trunk's edits are in the context of the patch."""
    tip = feature(repo)
    edit(repo, 12, "near one")
    edit(repo, 28, "near two")
    commit = squash(repo)

    found = judged(repo, tip)

    assert ("squash", "main", commit) == found[:3]


def test_squash_with_a_fix_is_found_after_its_lines_were_edited(repo):
    """At trunk's tip a merge would conflict; right after the squash it would not."""
    tip = feature(repo)
    commit = squash(repo, fix=True)
    edit(repo, 10, "later")
    edit(repo, 30, "later")

    found = judged(repo, tip)

    assert ("noop", "main", commit) == found[:3]


def test_squash_that_only_deletes_lines_is_found_over_nearby_edits(repo):
    """It adds no line that could be looked for."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    repo.commit_file("code.txt", "".join(LINES[:10] + LINES[11:30] + LINES[31:]))
    repo.switch("main")
    edit(repo, 12, "near")
    before = judged(repo, "feature")
    commit = squash(repo)
    edit(repo, 10, "later")

    after = judged(repo, "feature")

    assert before.evidence == "none"
    assert ("cherry", "main", commit) == after[:3]


def test_edits_of_the_same_files_are_no_landing(repo):
    """Trunk's commits touch all of the branch's files, and hold none of its changes."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    edit(repo, 10, "one")
    repo.switch("main")
    for number in range(20, 30):
        edit(repo, number, "trunk")

    found = judged(repo, "feature")

    assert found.evidence == "none"


# --- what is not there --------------------------------------------------------------------------


def test_pruned_tip_is_said_to_be_gone(repo):
    """The branch was deleted long ago and nothing kept its commits."""
    found = Judge(Repository.discover(repo.path)).landing(
        "1234567890" * 4, [Target("main", repo.git("rev-parse", "main"))]
    )

    assert found.evidence == "none"
    assert found.reason == "Its tip 123456789012 is gone from this repository."


def test_missing_target_is_passed_over(repo):
    """A remote-tracking ref may point to what was never fetched."""
    tip = feature(repo)
    commit = squash(repo)
    targets = [Target("origin/main", "1234567890" * 4), Target("main", commit)]
    judge = Judge(Repository.discover(repo.path))

    found = judge.landing(tip, targets)

    assert (found.evidence, found.into) == ("squash", "main")
    assert judge.landing(tip, targets[:1]).evidence == "none"


def test_shallow_clone_without_the_merge_base_says_so(repo, tmp_path):
    """What was cut off cannot be compared with."""
    feature(repo)
    squash(repo)
    repo.git("clone", "-q", "--depth=1", "--no-single-branch", repo.path.as_uri(), "../shallow")
    clone = Repo(tmp_path / "shallow")

    found = judged(clone, "origin/feature", "main")

    assert found.evidence == "none"
    assert "shallow" in found.reason


def test_shallow_clone_with_the_merge_base_is_judged(repo, tmp_path):
    """A cut further back does not matter."""
    feature(repo)
    commit = squash(repo)
    repo.git("clone", "-q", "--depth=4", "--no-single-branch", repo.path.as_uri(), "../shallow")
    clone = Repo(tmp_path / "shallow")

    found = judged(clone, "origin/feature", "main")

    assert ("squash", "main", commit) == found[:3]


def test_unrelated_history_has_not_landed(repo):
    """There is no merge base to measure from."""
    repo.git("switch", "-q", "--orphan", "pages")
    repo.commit_file("index.html")
    repo.switch("main").commit_file("index.html")

    found = judged(repo, "pages")

    assert found.evidence == "none"
    assert "shares no history with main" in found.reason


def test_partial_clone_fetches_nothing(repo, tmp_path):
    """A question must not start a download, which also writes."""
    feature(repo)
    edit(repo, 12, "near")
    squash(repo, fix=True)
    edit(repo, 10, "later")
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", "--bare", repo.path.as_uri(), "../partial")
    clone = Repo(tmp_path / "partial")
    before = files_of(clone.path)

    found = judged(clone, "feature", "main")

    assert found.evidence == "none"
    assert "could not be compared" in found.reason
    assert found.bound  # so that nothing is thrown away for it
    assert files_of(clone.path) == before


# --- whatever the repository is like ------------------------------------------------------------


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_nothing_is_written(repo):
    """A dry run changes nothing, not even by the trees of merges it tried."""
    tip = feature(repo)
    edit(repo, 12, "near")
    squash(repo, fix=True)
    edit(repo, 10, "later")
    before = files_of(repo.path)

    found = judged(repo, tip)

    assert found.evidence == "noop"
    assert files_of(repo.path) == before


SETTINGS = {
    "diff.external": "false",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.renames": "copies",
    "diff.algorithm": "patience",
    "diff.context": "0",
    "diff.suppressBlankEmpty": "true",
    "diff.indentHeuristic": "false",
    "diff.orderFile": "no-such-file",
    "diff.odd.textconv": "false",
    "diff.odd.binary": "true",
    "color.ui": "always",
    "core.quotePath": "false",
    "core.attributesFile": "attributes",
    "core.pager": "false",
    "log.showSignature": "true",
    "history.diffMerges": "off",
    "merge.renames": "false",
    "merge.conflictStyle": "diff3",
    "merge.default": "odd",
    "merge.odd.driver": "true",
    "submodule.recurse": "true",
}


def test_settings_of_the_user_change_no_answer(repo, monkeypatch):
    """Colours, prefixes, drivers and programs are for people's eyes."""
    tip = feature(repo)
    edit(repo, 50, "trunk")
    repo.git("branch", "picked")
    repo.git("branch", "squashed")
    repo.git("branch", "fixed")
    repo.switch("picked").git("cherry-pick", "main..feature")
    repo.switch("squashed")
    squash(repo)
    repo.switch("fixed")
    squash(repo, fix=True)
    names = ("main", "picked", "squashed", "fixed")
    before = [judged(repo, tip, name) for name in names]
    for name in (".gitattributes", "attributes"):
        (repo.path / name).write_text("* diff=odd merge=odd\n", encoding="utf-8")
    for key, value in SETTINGS.items():
        repo.git("config", key, value)
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u0")

    after = [judged(repo, tip, name) for name in names]

    assert [landing.evidence for landing in before] == ["none", "cherry", "squash", "noop"]
    assert after == before


@pytest.mark.parametrize(
    "name",
    ["with space", "it's", 'a "quote"', "new\nline", ":(top)x", "-p", "tab\there", "ünïcödé", "{}"],
)
def test_hostile_names_are_only_names(repo, name):
    """Paths and branches are whatever people and programs make them."""
    repo.git("branch", "-M", "trunk's")
    repo.commit_file(f"./{name}", "".join(LINES))
    repo.switch("feature", create=True)
    edit(repo, 10, "one", f"./{name}")
    edit(repo, 30, "two", f"./{name}")
    repo.switch("trunk's")
    edit(repo, 12, "near", f"./{name}")
    before = judged(repo, "feature", "trunk's")
    commit = squash(repo)

    found = judged(repo, "feature", "trunk's")

    assert before.evidence == "none"
    assert ("squash", "trunk's", commit) == found[:3]


def test_folder_with_a_colon_and_quotes_can_be_judged(new_repo):
    """git parts lists of object folders at colons."""
    repo = new_repo('a:b "c"')
    repo.commit_file("README.md")
    tip = feature(repo)
    commit = squash(repo, fix=True)

    found = judged(repo, tip)

    assert ("noop", "main", commit) == found[:3]


def test_worktree_and_bare_clone_judge_alike(repo, tmp_path):
    """Objects are in the common dir, wherever HEAD is."""
    tip = feature(repo)
    squash(repo, fix=True)
    expected = judged(repo, tip)
    repo.git("worktree", "add", "-q", "../linked", "feature")
    repo.git("clone", "-q", "--bare", ".", "../bare")

    found = [judged(Repo(tmp_path / name), tip) for name in ("linked", "bare")]

    assert expected.evidence == "noop"
    assert found == [expected, expected]


# --- limits -------------------------------------------------------------------------------------


def test_old_git_leaves_merges_out_and_says_so(repo, monkeypatch):
    """`merge-tree --write-tree` came with git 2.38."""
    tip = feature(repo)
    edit(repo, 12, "near")
    squash(repo, fix=True)
    monkeypatch.setattr("treering.git.diff.process.version", lambda: (2, 37))

    found = judged(repo, tip)

    assert found.evidence == "none"
    assert "2.38" in found.bound


def test_more_commits_than_allowed_are_not_looked_at(repo):
    """What lies between is counted, and the answer says that it is too much."""
    tip = feature(repo)
    commit = squash(repo)
    for number in range(5):
        repo.commit_file(f"later-{number}.txt")

    far = judged(repo, tip, limits=Limits(commits=7))
    near = judged(repo, tip, limits=Limits(commits=6))

    assert ("squash", commit, "") == (far.evidence, far.merged_as, far.bound)
    assert (near.evidence, near.bound) == ("none", "6 commits")


def test_limit_counts_only_what_the_branch_lacks(repo):
    """Both took in the same long history by merges: it does not lie between them."""
    repo.switch("develop", create=True)
    for number in range(12):
        repo.commit_file(f"develop-{number}.txt")
    repo.switch("feature", create=True)
    tip = repo.commit_file("feature.txt")
    repo.switch("main").commit_file("trunk.txt")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "develop")
    commit = squash(repo)

    far = judged(repo, tip, limits=Limits(commits=3))
    near = judged(repo, tip, limits=Limits(commits=2))

    assert ("cherry", commit, "") == (far.evidence, far.merged_as, far.bound)
    assert near.bound == "2 commits"


def test_time_that_is_over_is_an_answer(repo):
    """gc goes on with the next branch."""
    tip = feature(repo)

    found = judged(repo, tip, limits=Limits(seconds=0))

    assert (found.evidence, found.bound) == ("none", "0 seconds")


def test_history_too_long_to_list_is_judged_as_far_as_it_is_known(repo):
    """What lies further back is asked of git, or left open and said so."""
    old = feature(repo)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    for number in range(8):
        repo.commit_file(f"later-{number}.txt")
    repo.git("branch", "stale", "main~7")
    repo.switch("new", create=True)
    edit(repo, 20, "new")
    repo.switch("main")
    commit = squash(repo, "new")
    repo.switch("stale").commit_file("stale.txt")
    targets = [Target("main", commit)]
    judge = Judge(Repository.discover(repo.path), Limits(commits=4))

    found = [judged(repo, tip, limits=Limits(commits=4)) for tip in (old, "new", "stale")]
    own = judge.own_commits(repo.git("rev-parse", "stale"), targets)

    assert [landing.evidence for landing in found] == ["ancestor", "cherry", "none"]
    assert found[2].bound == "4 commits"
    assert own == [repo.git("rev-parse", "stale")]


# --- many ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_own_commits_and_ancestry_are_what_git_says(new_repo, seed):
    """A history of random merges, in which first parents lead anywhere."""
    repo = new_repo("random")
    choose = random.Random(seed)
    tree = repo.git("write-tree")
    commits: list[str] = []
    for number in range(60):
        repo.now += choose.choice((-90, 60, 60, 60))  # clocks are wrong at times
        known = commits[-12:]
        parents = choose.sample(known, min(len(known), choose.choice((1, 1, 1, 2, 3))))
        options = [word for parent in parents for word in ("-p", parent)]
        commits.append(repo.git("commit-tree", tree, "-m", str(number), *options))
    judge = Judge(Repository.discover(repo.path))

    for _ in range(25):
        tip, *others = choose.sample(commits, 3)
        targets = [Target(str(number), other) for number, other in enumerate(others)]
        own = judge.own_commits(tip, targets)
        found = judge.landing(tip, targets)

        expected = repo.git("rev-list", tip, "--not", *others).split()
        assert set(own) == set(expected), f"seed {seed}"
        holders = [
            target
            for target in targets
            if repo.git("rev-list", "-1", "--count", tip, "--not", target.tip) == "0"
        ]
        assert (found.evidence == "ancestor") == bool(holders), f"seed {seed}"
        if holders:
            line = repo.git("rev-list", "--first-parent", holders[0].tip).split()
            having = [c for c in line if tip in repo.git("rev-list", c).split()]
            assert (found.into, found.merged_as) == (holders[0].name, having[-1]), f"seed {seed}"


def test_many_branches_share_what_is_known_of_the_trunk(repo, monkeypatch):
    """Two hundred branches must not read the trunk two hundred times."""
    for number in range(20):
        repo.git("switch", "-q", "-c", f"b{number}", "main")
        repo.commit_file(f"b{number}-1.txt")
        repo.commit_file(f"b{number}-2.txt")
        repo.switch("main")
        if number % 2:
            squash(repo, f"b{number}")
        else:
            repo.commit_file(f"trunk-{number}.txt")
    started = []
    run = process.run
    monkeypatch.setattr(process, "run", lambda *a, **k: started.append(a) or run(*a, **k))
    judge = Judge(Repository.discover(repo.path))
    targets = [Target("main", repo.git("rev-parse", "main"))]
    tips = [repo.git("rev-parse", f"b{number}") for number in range(20)]

    found = [judge.landing(tip, targets) for tip in tips]

    assert [landing.evidence for landing in found] == ["none", "squash"] * 10
    assert len(started) <= 20 + 4
