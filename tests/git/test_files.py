"""Files of ours: the umask a shared repository is written with."""

import pytest

from treering.git.files import is_for_group, umask_for


@pytest.mark.parametrize(
    ("word", "umask"),
    [
        ("umask", 0o022),
        ("false", 0o022),
        ("group", 0o002),
        ("true", 0o002),
        ("all", 0o002),
        ("world", 0o002),
        ("0660", 0o007),
        ("0640", 0o027),
        ("nonsense", 0o022),
    ],
)
def test_files_are_as_open_as_git_would_make_them(word: str, umask: int) -> None:
    assert umask_for(word, 0o022) == umask


def test_only_words_that_open_something_count() -> None:
    assert [w for w in ("umask", "group", "0660", "all", "") if is_for_group(w)] == [
        "group", "0660", "all",
    ]  # fmt: skip
