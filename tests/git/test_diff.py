"""Short walks without a process say what git says."""

import random

from treering.git import diff, log
from treering.git.diff import CommitRange
from treering.git.repository import Repository


def test_differences_are_those_of_git(repo):
    """Files that come, go, change their mode, become folders, links and modules."""
    choose = random.Random(7)
    names = ["a", "b/c", "b/d/e", "b/d/f", "-x", "ü n", "b.c"]
    for number in range(25):
        for name in choose.sample(names, 3):
            repo.git("rm", "-q", "-r", "--cached", "--ignore-unmatch", "--", name)
            word = choose.choice(["100644", "100755", "120000", "160000", "", "folder"])
            path = f"{name}/in" if word == "folder" else name
            mode = "100644" if word == "folder" else word
            blob = repo.git("hash-object", "-w", "--stdin", feed=f"{number} {name}\n")
            oid = repo.git("rev-parse", "HEAD") if mode == "160000" else blob
            if mode:
                index = f"{mode} {oid}\t{path}\n"
                repo.git("update-index", "--add", "--replace", "--index-info", feed=index)
        repo.git("commit", "-q", "--allow-empty", "-m", str(number))
    commits = repo.git("rev-list", "--parents", "HEAD").splitlines()
    steps = [CommitRange(*line.split()) for line in commits]
    repository = Repository.discover(repo.path)

    found = [diff.diff_one(repository, step) for step in steps]

    expected = diff.diff(repository, steps, seconds=60)
    assert found == [tuple(sorted(each.files)) for each in expected]


def test_commits_of_one_side_are_those_of_git(repo):
    """Or none are told, when there are more than wanted."""
    repo.switch("feature", create=True)
    for number in range(3):
        repo.commit_file(f"f{number}.txt")
    repo.switch("main").commit_file("trunk.txt")
    repo.git("merge", "-q", "--no-edit", "feature~1")
    repository = Repository.discover(repo.path)
    tips = {"tip": repo.git("rev-parse", "main"), "without": repo.git("rev-parse", "feature")}

    found = repository.read_parents(**tips, most=2)
    fewer = repository.read_parents(**tips, most=1)

    expected = log.read_parents(
        repository.git_dir, [tips["tip"]], without=[tips["without"]], seconds=60
    )
    assert found == expected
    assert fewer is None


def test_history_that_is_not_here_is_left_to_git(repo):
    """A shallow or damaged one."""
    repository = Repository.discover(repo.path)

    found = repository.read_parents("1" * 40, without="2" * 40, most=9)

    assert found is None
