"""The index is Whoosh's own: stock Whoosh opens it, and nothing planted in it runs."""

import io
import os
import pickle
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from whoosh.filedb.structfile import StructFile
from whoosh.scoring import BM25F
from whoosh.searching import Searcher

from treering.search.corpus import K1, B, rarity
from treering.search.index import load_pickle, loads_pickle

STOCK = """
import sys
sys.modules["treering"] = None  # as if it were not installed
from whoosh.index import open_dir
from whoosh.qparser import QueryParser
for name in ("knowledge", "records"):
    with open_dir(sys.argv[1], indexname=name).searcher() as searcher:
        query = QueryParser("text", searcher.schema).parse("totals")
        print(name, *sorted(hit["blob"] for hit in searcher.search(query)))
"""


def test_stock_whoosh_opens_and_searches_both_indexes(library: Any) -> None:
    """In a process that has no treering."""
    decision = library.remember("Cache the totals", type="decision")
    commit = library.remember("Add up totals once", type="commit")
    library.recall("totals")

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", STOCK, str(library.folder / "index")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout.split("\n") == [f"knowledge {decision}", f"records {commit}", ""]


def test_weights_are_those_of_whooshs_own_scorer(library: Any) -> None:
    """BM25 over several segments and texts of all lengths, by our inverse document frequency."""
    chance = random.Random(5)
    for number in range(60):
        words = chance.choices(("totals", "cache", "invoice", "ledger", "queue"), k=number + 1)
        kind = "commit" if number % 3 else "decision"
        library.remember(f"Note {number}", " ".join(words), type=kind)
        if number % 20 == 19:
            library.recall("totals")  # what is new becomes a segment
    corpus = library.index.corpus()
    searcher = Searcher(corpus.reader, weighting=_Bm25(B=B, K1=K1))

    for term in ("total", "cach", "ledger", "note"):
        weights = corpus.weights(term)
        theirs: dict[int, float] = {}
        for leaf, offset in searcher.leaf_searchers():
            matcher = leaf.postings("text", term.encode())
            while matcher.is_active():
                theirs[offset + matcher.id()] = matcher.score()
                matcher.next()
        assert len(weights) > 20
        assert weights == pytest.approx(theirs)


class _Bm25(BM25F):  # type: ignore[misc]
    def idf(self, searcher: Any, fieldname: str, text: bytes) -> float:
        reader = searcher.get_parent().reader()
        return rarity(reader.doc_count_all(), reader.doc_frequency(fieldname, text))


class Gadget:
    """Runs a command when it is unpickled by whoever lets it."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self._mark}",)


@pytest.mark.parametrize("protocol", range(6))
def test_a_gadget_is_not_loaded(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "ran"
    data = pickle.dumps((1, Gadget(mark)), protocol)

    with pytest.raises(pickle.UnpicklingError, match="system"):
        loads_pickle(data)
    with pytest.raises(pickle.UnpicklingError, match="system"):
        load_pickle(io.BytesIO(data))
    assert not mark.exists()


def test_no_codec_runs_but_the_one_pickles_need() -> None:
    """Pickles of protocol 2 hold bytes as a call of `_codecs.encode`, which knows many codecs."""
    data = pickle.dumps(b"bytes \xff", 2)

    assert loads_pickle(data) == b"bytes \xff"
    with pytest.raises(pickle.UnpicklingError, match="base64"):
        loads_pickle(data.replace(b"latin1", b"base64"))


def test_gadgets_in_every_file_of_an_index_do_not_run(
    make_library: Callable[[str], Any], tmp_path: Path
) -> None:
    """Each pickle in each file in turn is replaced by one that would leave a mark."""
    whole = make_library("whole")
    whole.remember("Cache the totals", "word " * 300, type="decision")
    for number in range(200):
        whole.remember(f"Totals of invoice {number}", "the totals are added up once", type="commit")
    whole.recall("totals")
    mark, planted = tmp_path / "ran", 0
    gadget = pickle.dumps(Gadget(mark), 2)

    for number, source in enumerate(sorted((whole.folder / "index").iterdir())):
        if source.suffix not in (".toc", ".seg"):
            continue
        data = source.read_bytes()
        starts = [at for at in range(len(data) - 1) if data[at : at + 2] == b"\x80\x02"]
        for start in starts[:: max(1, len(starts) // 8)]:
            library = make_library(f"copy{number}-{start}")
            library.memories = whole.memories
            shutil.copytree(whole.folder, library.folder)
            (library.folder / "index" / source.name).write_bytes(
                data[:start] + gadget + data[start + len(gadget) :]
            )
            library.recall("totals")  # an answer, whatever else was damaged
            planted += 1

    assert planted >= 8
    assert not mark.exists()


def test_whooshs_own_reader_would_have_run_it(tmp_path: Path) -> None:
    """The guard is needed: the plain unpickler obeys."""
    mark = tmp_path / "ran"
    pickle.loads(pickle.dumps(Gadget(mark), 2))

    assert mark.exists()
    with pytest.raises(pickle.UnpicklingError):
        StructFile(io.BytesIO(pickle.dumps(Gadget(mark), 2))).read_pickle()
