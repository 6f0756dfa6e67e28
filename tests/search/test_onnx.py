"""Sentence encoders that others exported: theirs are the names, and what they give."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from treering.search.meaning import models
from treering.search.meaning.models import ModelChoice
from treering.search.meaning.onnx import OnnxEncoder

ENCODERS = Path(__file__).parents[1] / "data" / "encoders"


@pytest.fixture
def semantic() -> None:
    """Skip where the extra is missing."""
    for package in ("numpy", "onnxruntime", "tokenizers"):
        pytest.importorskip(
            package, reason=f"NOT TESTED without {package}: pip install .[semantic]"
        )


def put(folder: Path, name: str = "usual") -> Path:
    """One of the small encoders, as a folder of its own."""
    folder.mkdir()
    shutil.copy(ENCODERS / f"{name}.onnx", folder / "model.onnx")
    shutil.copy(ENCODERS / "tokenizer.json", folder)
    return folder


def nearness(encoder: OnnxEncoder, one: str, other: str) -> float:
    first, second = encoder.encode([one, other])
    return float(first @ second)


@pytest.mark.usefixtures("semantic")
@pytest.mark.parametrize(
    "name", ["usual", "short-names", "no-mask", "other-output", "both-outputs", "per-token"]
)
def test_an_encoder_of_another_exporter_is_understood(tmp_path: Path, name: str) -> None:
    """They agree on words in the names, and not on the names."""
    encoder = OnnxEncoder(put(tmp_path / "model", name))

    encoder.try_out()

    assert nearness(encoder, "login", "token") > 0.9
    assert nearness(encoder, "login", "picture image") < 0.5


@pytest.mark.usefixtures("semantic")
def test_a_text_is_read_beyond_what_the_tokenizer_was_trained_with(tmp_path: Path) -> None:
    """Published tokenizers cut and fill up texts to the length of their training."""
    encoder = OnnxEncoder(put(tmp_path / "model"))

    assert nearness(encoder, "a text a text a login", "a text a text a picture") < 0.9
    assert len(encoder.tokenizer.encode("login").ids) == 3
    assert len(encoder.tokenizer.encode("login " * 1000).ids) == 256


@pytest.mark.usefixtures("semantic")
def test_a_question_in_words_the_model_does_not_know_is_left_to_its_words(tmp_path: Path) -> None:
    encoder = OnnxEncoder(put(tmp_path / "model"))

    assert encoder.understands("some unknown login")
    assert not encoder.understands("some unknown words")


@pytest.mark.usefixtures("semantic")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("takes-floats", "model.onnx cannot be run"),
        ("takes-two-tokens", "model.onnx cannot be run"),
        ("gives-nan", "does not give one vector for each text"),
        ("gives-zeros", "does not give one vector for each text"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(tmp_path: Path, name: str, reason: str) -> None:
    """Whoever names a folder hears what is wrong with it, and no search does."""
    folder = put(tmp_path / "model", name)

    with pytest.raises(ValueError, match=reason):
        ModelChoice(str(folder)).check()


@pytest.mark.usefixtures("semantic")
@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("model.onnx", "model.onnx cannot be run"),
        ("tokenizer.json", "tokenizer.json cannot be read"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_words(tmp_path: Path, file: str, reason: str) -> None:
    folder = put(tmp_path / "model")
    (folder / file).write_bytes(b"nothing of the kind" * 10)

    with pytest.raises(ValueError, match=reason):
        ModelChoice(str(folder)).check()


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_lacks_a_file_is_refused_in_words(tmp_path: Path, file: str) -> None:
    folder = put(tmp_path / "model")
    (folder / file).unlink()

    with pytest.raises(ValueError, match=f"there is no {file} in"):
        ModelChoice(str(folder)).check()


@pytest.mark.parametrize("package", ["numpy", "onnxruntime", "tokenizers"])
def test_without_the_extra_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """Until then the table answers."""
    choice = ModelChoice(str(put(tmp_path / "model")))
    monkeypatch.setattr(models, "find_spec", lambda name: None if name == package else name)

    with pytest.raises(ValueError, match=rf"{package} is not installed: .*treering\[semantic\]"):
        choice.check()
    assert not choice.has_slow
    assert [model.is_quick for model in choice.models()] == [True]


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_vectors_of_another_model_or_tokenizer_are_not_taken_for_its_own(
    tmp_path: Path, file: str
) -> None:
    """Vectors are kept under the name."""
    folder = put(tmp_path / "model")
    before = OnnxEncoder(folder).name
    copy = shutil.copytree(folder, tmp_path / "elsewhere" / "model")

    with (folder / file).open("ab") as opened:
        opened.write(b"\n")

    assert OnnxEncoder(folder).name != before
    assert OnnxEncoder(copy).name == before


@pytest.mark.usefixtures("semantic")
def test_a_model_that_is_named_searches(repo: Any, tmp_path: Path) -> None:
    """Through the program, with vectors of its own beside those of the table."""
    repo.tr.remember("The picture is shown at once", type="decision")
    repo.tr.remember("A token is kept for a day", type="decision")
    repo.cli("config", "semantic", str(put(tmp_path / "model")))
    repo.cli("reindex")

    (hit, *_) = repo.json("recall", "login", "--mode", "semantic")["results"]
    index = repo.path / ".git" / "treering" / "index"

    assert hit["title"] == "A token is kept for a day"
    assert len(list(index.glob("vectors-*"))) == 2
