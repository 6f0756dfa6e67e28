"""The vectors of a slow model, made where nobody waits: by a reindex, or beside a server's
answers."""

import threading
from pathlib import Path

from treering.errors import Invalid
from treering.search.engine import Index
from treering.search.meaning.models import ModelChoice

_MODEL_HINT = (
    "Name a folder with the model.onnx and the tokenizer.json of a sentence encoder, or take the "
    "table: `treering config semantic table`."
)


def refuse_unusable_model(setting: str) -> None:
    """A model that a setting names is tried out before anything is made with it."""
    try:
        ModelChoice(setting).check()
    except (OSError, ValueError) as error:
        raise Invalid(f"This model cannot be used: {error}.", hint=_MODEL_HINT) from error


class Learning:
    """One repository's index, and the model that it is to know."""

    def __init__(self, model: ModelChoice, git_dir: Path, index: Index, cache: Path | None) -> None:
        self.model = model
        self._git_dir = git_dir
        self._index = index
        self._cache = cache
        self._thread: threading.Thread | None = None

    def make_vectors(self) -> None:
        """Make every vector that is missing, however long it takes."""
        if self.model.has_slow and self._is_usable:
            self._index.make_vectors()

    def start(self) -> None:
        """Make them beside the answers, if any are missing, for a process that lives on."""
        if not self.model.has_slow or (self._thread and self._thread.is_alive()):
            return
        if self._index.understanding.library.behind:
            self._thread = threading.Thread(target=self._learn, daemon=True)
            self._thread.start()

    def _learn(self) -> None:
        """Git handles are not for two threads: this one has a searcher of its own."""
        from treering.actions.reindex import open_beside

        searcher, view = open_beside(self._git_dir, self._cache)
        searcher.catch_up(view)
        searcher.learning.make_vectors()

    @property
    def _is_usable(self) -> bool:
        """The table goes on answering for a model that is not; `reindex` says what is wrong."""
        try:
            self.model.check()
        except (OSError, ValueError):
            return False
        return True
