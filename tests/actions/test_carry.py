"""export and import: nothing lost on the way out and in again."""

import json
from pathlib import Path

import pytest

from conftest import Repo
from treering.errors import Invalid


def _lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def _filled(repo: Repo) -> None:
    one = repo.tr.remember("on main", type="decision", tags=["a"], topic="x/y", reasoning="why")
    repo.tr.remember("also", links=[f"uses:{one.id}"], files=["README.md"])
    repo.switch("feature/x", create=True)
    repo.tr.revise(one.id, title="changed on the branch")
    gone = repo.tr.remember("tried and dropped")
    repo.tr.forget([gone.id])


def test_a_whole_store_survives_export_and_import(repo: Repo, new_repo, tmp_path: Path) -> None:
    """Every field of every copy of every branch."""
    _filled(repo)
    exported = list(repo.tr.exported(all=True))
    other = new_repo("other")

    answer = other.tr.import_path(_lines(tmp_path / "all.jsonl", *exported))

    assert (answer.imported, answer.errors) == (len(exported), ())
    key = json.dumps
    assert sorted(map(key, other.tr.exported(all=True))) == sorted(map(key, exported))
    assert other.git("rev-list", "--count", "refs/treering/heads/main") == "1"


def test_importing_twice_adds_nothing(repo: Repo, tmp_path: Path) -> None:
    """Idempotent, so it can be retried."""
    file = _lines(tmp_path / "m.jsonl", {"content": "one"}, {"content": "two"}, {"content": "one"})
    first = repo.tr.import_path(file)
    tip = repo.refs()

    again = repo.tr.import_path(file)

    assert (first.imported, first.skipped) == (2, 1)
    assert (again.imported, again.skipped) == (0, 3)
    assert repo.refs() == tip


def test_a_bad_line_is_reported_and_the_rest_goes_in(repo: Repo, tmp_path: Path) -> None:
    """With its number and a code."""
    file = tmp_path / "m.jsonl"
    file.write_bytes(
        b'{"content": "good"}\n'
        b"not json\n"
        b'{"title": "no content"}\n'
        b"\n"
        b'{"content": "x", "created": "someday"}\n'
        b'{"content": "key ghp_' + b"a1B2" * 9 + b'"}\n'
        b'{"content": "y", "type": "nonsense"}\n'
        b'{"content": "bytes \xff"}\n'
        b'{"content": "fine", "tags": ["t"]}\n'
    )

    answer = repo.tr.import_path(file)

    assert answer.imported == 2
    assert [(e.line, e.code) for e in answer.errors] == [
        (2, "invalid"), (3, "invalid"), (5, "invalid"), (6, "blocked_secret"), (7, "invalid"),
        (8, "invalid"),
    ]  # fmt: skip
    assert repo.titles() == {"good", "fine"}


def test_foreign_ids_are_kept_as_a_detail(repo: Repo, tmp_path: Path) -> None:
    """Only an id of our shape is ours."""
    file = _lines(
        tmp_path / "m.jsonl",
        {"id": "mem-42", "content": "theirs"},
        {"id": "7k2m9qx4c0wd", "content": "ours", "custom": {"a": 1}},
    )

    repo.tr.import_path(file)

    by_title = {m["title"]: m for m in repo.tr.exported()}
    assert by_title["theirs"]["details"]["imported_id"] == "mem-42"
    assert by_title["ours"]["id"] == "7k2m9qx4c0wd"
    assert by_title["ours"]["custom"] == {"a": 1}


def test_an_id_taken_by_another_content_is_a_conflict(repo: Repo, tmp_path: Path) -> None:
    """Never overwritten silently."""
    repo.tr.remember("mine", id="7k2m9qx4c0wd")

    answer = repo.tr.import_path(
        _lines(tmp_path / "m.jsonl", {"id": "7k2m9qx4c0wd", "content": "x"})
    )

    assert [e.code for e in answer.errors] == ["conflict"]
    assert repo.titles() == {"mine"}


def test_markdown_goes_out_and_in_byte_for_byte(repo: Repo, new_repo, tmp_path: Path) -> None:
    """The files are the format."""
    _filled(repo)
    other = new_repo("other")

    count = repo.tr.export_markdown(tmp_path / "notes", all=True)
    answer = other.tr.import_path(tmp_path / "notes")

    assert count == answer.imported == 4
    assert other.files("feature/x") == repo.files("feature/x")
    for branch in ("main", "feature%2Fx"):
        trees = [
            r.git("rev-parse", f"refs/treering/heads/{branch}^{{tree}}") for r in (repo, other)
        ]
        assert trees[0] == trees[1]


def test_other_peoples_notes_are_understood(repo: Repo, tmp_path: Path) -> None:
    """Front matter of other tools, CRLF and BOM included."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_bytes(
        b"\xef\xbb\xbf---\r\ntitle: Use WAL\r\ntype: decisions\r\ntags: db, perf\r\n"
        b"date: 2026-01-05\r\npermalink: notes/wal\r\n---\r\n\r\nReaders never block.\r\n"
    )
    (notes / "b.md").write_text("# Just text\n\nWe decided to keep it.\n", encoding="utf-8")
    (notes / "bad.md").write_text("---\na: &x 1\nb: *x\n---\ntext\n", encoding="utf-8")

    answer = repo.tr.import_path(notes)

    assert (answer.imported, [e.where for e in answer.errors]) == (2, ["bad.md"])
    memory = next(m for m in repo.tr.exported() if m["title"] == "Use WAL")
    assert (memory["type"], memory["tags"]) == ("decision", ["db", "perf"])
    assert memory["created"] == "2026-01-05T00:00:00Z"
    assert memory["details"] == {"permalink": "notes/wal", "imported_from": "a.md"}
    assert memory["content"] == "Readers never block."


def test_a_dry_run_only_tells(repo: Repo, tmp_path: Path) -> None:
    """Plans before deeds."""
    answer = repo.tr.import_path(_lines(tmp_path / "m.jsonl", {"content": "one"}), dry_run=True)

    assert (answer.imported, answer.dry_run) == (1, True)
    assert repo.refs() == {}


def test_a_missing_file_is_invalid(repo: Repo, tmp_path: Path) -> None:
    """Not a traceback."""
    with pytest.raises(Invalid):
        repo.tr.import_path(tmp_path / "nowhere.jsonl")


def test_memories_of_a_branch_that_is_not_here_keep_their_place(repo: Repo, tmp_path: Path) -> None:
    """On the trunk they would be everyone's."""
    repo.tr.import_path(
        _lines(tmp_path / "m.jsonl", {"content": "elsewhere", "branch": "not/here"})
    )

    assert repo.titles() == set()
    assert repo.titles("not/here") == {"elsewhere"}


def test_an_overlay_survives_export_and_import_in_any_order(
    repo: Repo, new_repo, tmp_path: Path
) -> None:
    """The trunk's copy and the branch's are two copies of one id, whichever comes first."""
    one = repo.tr.remember("as on main", type="insight")
    two = repo.tr.remember("to be hidden", type="insight")
    repo.switch("zeta", create=True)
    repo.tr.revise(one.id, content="as on zeta")
    repo.tr.forget([two.id])
    exported = list(repo.tr.exported(all=True))
    other = new_repo("other")

    answer = other.tr.import_path(_lines(tmp_path / "all.jsonl", *exported))

    assert (answer.imported, answer.skipped, answer.errors) == (4, 0, ())
    assert other.titles("main") == {"as on main", "to be hidden"}
    assert other.titles("zeta") == {"as on zeta"}


def test_a_flat_folder_of_our_files_goes_to_this_branch(
    repo: Repo, new_repo, tmp_path: Path
) -> None:
    """Only a folder inside the folder names a branch."""
    repo.tr.remember("text")
    repo.tr.export_markdown(tmp_path / "out")
    other = new_repo("other")

    other.tr.import_path(tmp_path / "out" / "main")

    assert other.titles() == {"text"}


def test_a_note_that_is_not_utf8_is_named_plainly(repo: Repo, tmp_path: Path) -> None:
    """Not with a codec's words."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "bad.md").write_bytes(b"caf\xe9")

    answer = repo.tr.import_path(tmp_path / "notes")

    assert [e.message for e in answer.errors] == ["The file is not valid UTF-8."]


def test_secrets_in_any_field_of_an_import_are_refused(repo: Repo, tmp_path: Path) -> None:
    """Topic, unknown keys, link reasons: they all end up in a blob."""
    key = "ghp_" + "a1B2" * 9
    records = [
        {"content": "a", "topic": key},
        {"content": "b", "custom": {"deep": [key]}},
        {"content": "c", "agent": key},
    ]

    answer = repo.tr.import_path(_lines(tmp_path / "m.jsonl", *records))

    assert [e.code for e in answer.errors] == ["blocked_secret"] * 3
    assert repo.refs() == {}


def test_lines_of_one_session_and_moment_keep_their_order(repo: Repo, tmp_path: Path) -> None:
    """A chat log has one date a conversation; the order of its lines would be lost in a tree."""
    said = [f"turn {n}" for n in range(12)]
    records = [
        {"content": text, "session": "s1", "created": "2026-01-05T10:00:00Z"} for text in said
    ]

    repo.tr.import_path(_lines(tmp_path / "chat.jsonl", *records))

    assert [r.title for r in repo.tr.recall(session="s1", order="oldest").results] == said
