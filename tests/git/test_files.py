"""Files of ours: replaced at once, and as open as a shared repository asks for."""

from pathlib import Path

import pytest

from treering.git.files import is_for_group, replace_file, replacement, umask_for


def test_a_file_is_replaced_at_once_with_the_mode_that_is_asked_for(tmp_path: Path) -> None:
    """A reader finds the old one or the new one."""
    path = tmp_path / "hook"
    path.write_bytes(b"old")

    with path.open("rb") as reader:
        replace_file(path, b"new", mode=0o755, is_synced=True)
        assert reader.read() == b"old"

    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o755)


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "export"
    path.write_bytes(b"old")

    def fail() -> None:
        with replacement(path) as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == [b"old"]


def test_a_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"private")
    path = tmp_path / "ours"
    path.symlink_to(tmp_path / "theirs")

    replace_file(path, b"new")

    assert ((tmp_path / "theirs").read_bytes(), path.is_symlink()) == (b"private", False)


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
