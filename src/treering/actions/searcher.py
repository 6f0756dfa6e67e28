"""The searcher of a repository: its own model and words, and vectors made beside answers."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.derived.content import MemoryRows
from treering.errors import Invalid, TreeringError
from treering.git.binding import GitError
from treering.git.config import read_protected
from treering.git.files import open_plain, state_of
from treering.git.repository import Repository
from treering.model.memory import Memory
from treering.search.engine import Index, Progress
from treering.search.meaning.models import BUILT_IN, ModelChoice
from treering.search.searcher import SLACK, Searcher, SearchView
from treering.search.synonyms import LONGEST
from treering.search.understanding import SemanticSearch
from treering.store.store import Store
from treering.store.view import View

__all__ = ["SLACK", "LearningSearcher", "SearchView", "Searcher"]  # some are imported for others


class MemoryReader:
    """Reads memories from whichever vault has them; what is no memory is passed over."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """Yield each blob with its memory, dated as it claims."""
        return ((blob, memory) for blob in blobs if (memory := self._parse(blob)))

    def _parse(self, blob: str) -> Memory | None:
        try:
            for vault in self._store.vaults():
                if vault.repository.objects.exists(blob):
                    return vault.memory(blob)
        except (TreeringError, GitError):
            return None  # no memory, or a damaged one
        return None


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


class OwnWords:
    """A project's own synonyms: the text of the file that `treering.synonyms` names, in the work
    tree; empty where there is none.

    The setting is the user's, the file may be anyone's: it is read as data, only where it is a
    plain file inside the work tree, and only so much of it.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._kept: tuple[tuple[int, ...], str] = ((), "")

    def __call__(self) -> str:
        setting, top = self._repository.config("treering.synonyms"), self._repository.workdir
        if not setting or top is None:
            return ""
        path = top / setting
        state = state_of(str(path))
        if state != self._kept[0]:
            self._kept = (state, _read_inside(path, top))
        return self._kept[1]


def _read_inside(path: Path, top: Path) -> str:
    """The beginning of a plain file, if it lies in this folder, wherever links lead."""
    try:
        if not path.is_file() or not path.resolve().is_relative_to(top.resolve()):
            return ""
        with os.fdopen(open_plain(path.resolve()), encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST)
    except (OSError, ValueError):
        return ""


def read_model_setting(repository: Repository) -> str:
    """Return treering.semantic; a folder counts only where the user or the system says it."""
    setting = repository.config("treering.semantic") or ""
    if setting.lower() in BUILT_IN:
        return setting
    return read_protected(repository.git_dir, "treering.semantic")


class LearningSearcher(Searcher):
    """The searcher of a repository, with the model that it chose."""

    def __init__(
        self, store: Store, rows: MemoryRows, folder: Path | None, *, cache: Path | None = None
    ) -> None:
        repository = store.repository
        model = ModelChoice(read_model_setting(repository))
        understanding = SemanticSearch(
            rows.database, model.models(), own_words=OwnWords(repository)
        )
        super().__init__(Index(folder, rows, MemoryReader(store).read, understanding), rows)
        self.learning = Learning(model, repository.git_dir, self.index, cache)

    def rebuild(self, view: View, progress: Progress | None = None) -> int:
        count = super().rebuild(view, progress)
        self.learning.make_vectors()
        return count


class Reindexed(NamedTuple):
    op: str
    indexed: int
    removed: int
    seconds: float


def forget_derived(workspace: Workspace) -> None:
    """Drop index and database, and kept answers with the words in them."""
    workspace.searcher.index.drop()
    workspace.database.clear()
    workspace.rows.forget()
    workspace.state.remove("outputs", "pages", "turns", "told.jsonl")


def catch_up(workspace: Workspace) -> None:
    """Make what was just written or fetched searchable: whoever brings in many memories watches a
    progress bar, and neither the next question nor the next capture should pay for it."""
    workspace.searcher.catch_up(workspace.view_of_all())
    workspace.ledger.catch_up()


def open_beside(git_dir: Path, cache: Path | None) -> tuple[LearningSearcher, View]:
    """A searcher for another thread of this process, and all there is to search."""
    workspace = Workspace(Repository(git_dir), cache=cache)
    return workspace.searcher, workspace.view_of_all()


def tidy(workspace: Workspace) -> None:
    """Index what is new and look at the memories there was no time for, in a process that nobody
    waits for."""
    workspace.neighbourhood.catch_up_alone(workspace.view_of_all())
    workspace.searcher.index.catch_up()
    workspace.searcher.index.inspect_rest()


def reindex(
    workspace: Workspace,
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Reindexed:
    """Index every blob of every scope; what no scope holds any more goes."""
    start = time.perf_counter()
    before = workspace.rows.blobs()
    view = workspace.view_of_all()
    if dry_run:
        blobs = view.ranks_of_all()
        return Reindexed("reindex", len(blobs), len(before - blobs.keys()), 0.0)
    workspace.database.clear("vectors")  # those of a slow model took long
    workspace.rows.forget()
    count = workspace.searcher.rebuild(view, progress)
    removals = len(before - workspace.rows.blobs())
    # Words and the table are there by now: what is missing are the vectors of the model.
    refuse_unusable_model(workspace.searcher.learning.model.setting)
    return Reindexed("reindex", count, removals, round(time.perf_counter() - start, 3))
