"""The models that the setting `semantic` stands for.

    off             none: words alone
    auto, table     the table that comes with the program
    a folder        the sentence encoder in it, as model.onnx and tokenizer.json, beside the table

Nothing here opens a connection or fetches a model.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from treering.search.meaning.onnx import MODEL, TOKENIZER, OnnxEncoder
from treering.search.meaning.protocol import Embedder
from treering.search.meaning.table import FILE, StaticTable

BUILT_IN = ("", "auto", "table", "off")
_PACKAGES = ("numpy", "onnxruntime", "tokenizers")


class ModelChoice(NamedTuple):
    """The models of one setting."""

    setting: str = ""

    @property
    def has_slow(self) -> bool:
        """True if there is a model whose vectors are made where nobody waits."""
        return self._encoder is not None

    @property
    def best(self) -> Embedder | None:
        """The model that answers where it has seen enough."""
        return next(iter(self.models()), None)

    def models(self) -> list[Embedder]:
        """Return those that can be used, the best first."""
        encoder = self._encoder
        has_table = self.setting != "off" and FILE.is_file()
        quick: list[Embedder] = [StaticTable()] if has_table else []
        return [encoder, *quick] if encoder else quick

    def check(self) -> None:
        """Raise ValueError, in words for a user, unless the folder that was named can be used."""
        if self.setting in BUILT_IN:
            return
        folder = Path(self.setting).expanduser()
        if not folder.is_absolute():
            raise ValueError(f"{self.setting} is neither auto, off, table nor a path from the root")
        for name in (MODEL, TOKENIZER):
            if not (folder / name).is_file():
                raise ValueError(f"there is no {name} in {folder}")
        if missing := _missing_packages():
            raise ValueError(f"{missing[0]} is not installed: pip install 'treering[semantic]'")
        OnnxEncoder(folder).try_out()

    @property
    def _encoder(self) -> OnnxEncoder | None:
        """The encoder in the folder that is named, where its files and packages are there."""
        if self.setting in BUILT_IN or _missing_packages():
            return None
        folder = Path(self.setting).expanduser()
        is_whole = (folder / MODEL).is_file() and (folder / TOKENIZER).is_file()
        return OnnxEncoder(folder) if is_whole else None


def _missing_packages() -> list[str]:
    return [name for name in _PACKAGES if not find_spec(name)]
