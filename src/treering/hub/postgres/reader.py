"""The rows of a hub in a database, as the verbs that read see a repository: layers that look up one
memory at a time, and an index that asks the database for candidates."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, cast

from treering.derived.ledger import Versions
from treering.errors import MemoryNotFound, TreeringError
from treering.hub.hub import HubSearchView, HubView, RepositoryRecord
from treering.hub.postgres.rows import link_key, number_of
from treering.hub.postgres.search import (
    MOST,
    Candidate,
    CandidateCorpus,
    RowSearch,
    WordCounts,
    read_candidate,
)
from treering.model import document
from treering.model.mark import make_mark, mark_memory, mark_of, unmark
from treering.model.memory import Memory
from treering.model.provenance import Contributor, Version
from treering.model.query import Filters, Query
from treering.model.scope import Scope
from treering.model.taxonomy import SAVED_TYPES
from treering.search.analysis import question_terms
from treering.search.corpus import Corpus
from treering.search.entry import Entry, alike_keys, superseding_key
from treering.search.hits import SearchResult
from treering.search.lookup import check
from treering.search.matching import Request
from treering.search.searcher import SearchView
from treering.search.succession import CROWD, Successors, find_predecessors, find_successors
from treering.search.visible import WITHHELD, VisibleEntries
from treering.store.trees import Snapshot
from treering.store.vault import Vault
from treering.store.view import Layer, View

_MOST_FOUND = 20
_MOST_SHARING = 2_000
_ROUNDS = 4  # memories that supersede others, which supersede others


class DatabaseRows:
    """Rows that were read of some repositories so far, for the length of a call."""

    def __init__(self, connection: Any, records: Iterable[RepositoryRecord]) -> None:
        self.connection = connection
        self.names = {make_mark(record.number): record.name for record in records}
        self.numbers = [int(mark[:-1]) for mark in self.names]
        self._by_blob: dict[str, Candidate] = {}
        self._by_id: dict[str, Candidate | None] = {}
        self._memories: dict[str, Memory | None] = {}

    def select(self, table: str, *values: object) -> list[Candidate]:
        """Return the candidates in a table that has rows of memories as `m`, and note them."""
        query = f"SELECT m.repository, m.rank, m.facts FROM {table}"
        rows = self.connection.execute(query, values).fetchall()
        return self.note([read_candidate(*row) for row in rows])

    def note(self, candidates: list[Candidate]) -> list[Candidate]:
        self._by_blob |= {one.entry.blob: one for one in candidates}
        self._by_id |= {one.entry.id: one for one in candidates}
        return candidates

    def find_ids(self, ids: Iterable[str]) -> list[Candidate]:
        """Return the memories with these ids, as far as they are there."""
        wanted = list(ids)
        if missing := [one for one in wanted if one not in self._by_id]:
            self._by_id |= dict.fromkeys(missing)
            self.select(
                "unnest(%s::integer[], %s::text[]) AS k (repository, id)"
                " JOIN treering.memory AS m USING (repository, id)",
                *_split(missing),
            )
        return [found for one in wanted if (found := self._by_id[one])]

    def candidates(self, blobs: Iterable[str]) -> dict[str, Candidate]:
        wanted = list(blobs)
        if missing := [blob for blob in wanted if blob not in self._by_blob]:
            self.select(
                "unnest(%s::integer[], %s::text[]) AS k (repository, blob)"
                " JOIN treering.memory AS m USING (repository, blob)",
                *_split(missing),
            )
        return {blob: self._by_blob[blob] for blob in wanted if blob in self._by_blob}

    def find_keyed(self, keys: Iterable[str]) -> list[Candidate]:
        """Return memories that may have one of some keys that few have, or several of them."""
        wanted = list(map(number_of, keys))
        query = (
            "SELECT m.repository, m.id,"
            " ARRAY(SELECT key FROM unnest(m.keys) AS key WHERE key = ANY(%s))"
            " FROM treering.find_keyed(%s, %s::integer[], %s) AS found (place)"
            " JOIN treering.memory AS m ON m.ctid = found.place"
        )
        values = (wanted, self.numbers, wanted, _MOST_SHARING)
        rows = self.connection.execute(query, values).fetchall()
        counts = Counter(key for *_, some in rows for key in some)
        return self.find_ids(
            make_mark(number) + memory_id
            for number, memory_id, some in rows
            if len(some) > 1 or counts[some[0]] <= CROWD
        )

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """Yield each marked blob with its memory; what is none is passed over."""
        wanted = list(blobs)
        if missing := {unmark(blob) for blob in wanted}.difference(self._memories):
            query = "SELECT blob, body FROM treering.document WHERE blob = ANY(%s)"
            for blob, body in self.connection.execute(query, (list(missing),)).fetchall():
                try:
                    self._memories[blob] = document.parse(bytes(body))
                except TreeringError:
                    self._memories[blob] = None
        for blob in wanted:
            if memory := self._memories.get(unmark(blob)):
                yield blob, mark_memory(memory, mark_of(blob))

    # --- as an index asks its rows ----------------------------------------------------------------

    def catch_up(self, view: View, limit: int | None = None) -> bool:  # noqa: ARG002
        return True  # updates write the rows

    def entry(self, blob: str) -> Entry | None:
        return self.entries([blob]).get(blob)

    def entries(self, blobs: Iterable[str]) -> dict[str, Entry]:
        return {blob: one.entry for blob, one in self.candidates(blobs).items()}

    def linking_to(self, memory_id: str) -> list[str]:
        """Return the ids of memories that link to this one."""
        found = self.find_keyed([link_key(memory_id)])
        entries = (candidate.entry for candidate in found)
        return [e.id for e in entries if any(link[1] == memory_id for link in e.links)]

    def list_saved(self) -> list[str]:
        return []  # questions leave them out

    def count_records(self) -> int:
        return 0  # the database looks through neither kind


def _split(marked: Iterable[str]) -> tuple[list[int], list[str]]:
    """The numbers of repositories, and words without their marks."""
    pairs = [(int(mark_of(word)[:-1]), unmark(word)) for word in marked]
    return [number for number, _ in pairs], [word for _, word in pairs]


class RowVersions(Versions):
    """Authors of versions, as the updater found out."""

    def __init__(self, rows: DatabaseRows, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._rows = rows

    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        query = (
            "SELECT m.repository, m.version FROM unnest(%s::integer[], %s::text[])"
            " AS k (repository, blob) JOIN treering.memory AS m USING (repository, blob)"
        )
        versions = {}
        for number, values in self._rows.connection.execute(query, _split(blobs)).fetchall():
            if values:
                mark = make_mark(number)
                people = tuple(Contributor(name, bool(here)) for name, here in values["people"])
                marked = {"blob": mark + values["blob"], "id": mark + values["id"]}
                versions[marked["blob"]] = Version(**values | marked | {"people": people})
        return versions


class RowVault:
    """The documents."""

    is_private = False

    def __init__(self, rows: DatabaseRows) -> None:
        self._rows = rows

    def memory(self, blob: str) -> Memory:
        memory = self.try_memory(blob)
        if memory is None:
            raise MemoryNotFound(f"The hub has no text {blob}")
        return memory

    def try_memory(self, blob: str) -> Memory | None:
        return next((memory for _, memory in self._rows.read([blob])), None)


class RowSnapshot:
    """A scope of a repository, of which the database has what no nearer one shows."""

    tip = None

    def __init__(self, rows: DatabaseRows, mark: str, rank: int, branch: str) -> None:
        self.rows = rows
        self.scope = Scope(branch)
        self.key = (self.scope, None)
        self._mark = mark
        self._rank = rank

    def blob(self, memory_id: str) -> str | None:
        for candidate in self.rows.find_ids([self._mark + memory_id]):
            return unmark(candidate.entry.blob) if candidate.rank == self._rank else None
        return None


class RowView(HubView):
    """The layers of some repositories in a database."""

    @classmethod
    def of(
        cls, rows: DatabaseRows, records: Iterable[RepositoryRecord], is_limited: bool
    ) -> "RowView":
        vault = cast(Vault, RowVault(rows))
        layers = []
        for record in records:
            mark = make_mark(record.number)
            for rank, layer in enumerate(record.state.layers):
                snapshot = cast(Snapshot, RowSnapshot(rows, mark, rank, layer.branch))
                layers.append(Layer(layer.kind, vault, snapshot, mark=mark))
        return cls(tuple(layers), rows.names, is_limited=is_limited)

    def _list_starting(self, name: str, prefix: str) -> set[str]:
        marks = [mark for mark, one in self.names.items() if name in ("", one)]
        for layer in self.layers[:1]:
            found = cast(RowSnapshot, layer.snapshot).rows.select(
                "treering.memory AS m WHERE id >= %s AND id < %s AND repository = ANY(%s) LIMIT %s",
                prefix, f"{prefix}~", [int(mark[:-1]) for mark in marks], _MOST_FOUND,
            )  # fmt: skip
            return {candidate.entry.id for candidate in found}
        return set()


class RowRanks(Mapping[str, int]):
    """The number of each blob's layer in a view, looked up as it is asked for."""

    def __init__(self, rows: DatabaseRows, view: View) -> None:
        self._rows = rows
        self._first: dict[str, int] = {}
        for number, layer in enumerate(view.layers):
            self._first.setdefault(layer.mark, number)

    def __getitem__(self, blob: str) -> int:
        return self._first[mark_of(blob)] + self._rows.candidates([blob])[blob].rank

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return len(self._first)


class RowIndex:
    """Asks the database, and ranks what it finds as any index does."""

    def __init__(self, rows: DatabaseRows, view: View, *, with_saved: bool) -> None:
        self.rows = rows
        self._numbers = list(dict.fromkeys(int(layer.mark[:-1]) for layer in view.layers))
        self._without = () if with_saved else tuple(sorted(SAVED_TYPES))

    def search(
        self,
        query: Query,
        visible: Mapping[str, int],  # noqa: ARG002
        *,
        filters: Filters | None = None,
        order: str = "relevance",
        mode: str = "hybrid",
        now: float,
        limit: int | None = 10,
        elsewhere: Mapping[str, Mapping[str, int]] | None = None,  # noqa: ARG002
        with_records: bool = True,  # noqa: ARG002
    ) -> SearchResult:
        """Answer a question over the repositories of the view."""
        filters = filters or Filters()
        filters = filters._replace(without_types=(*filters.without_types, *self._without))
        request = Request(query, filters, *check(order, mode), now, limit)
        asked = RowSearch(self.rows.connection, self._numbers, request, self.rows.read)
        result, candidates = asked.answer()
        self.rows.note(candidates)
        return result

    def holding(self, text: str, visible: Mapping[str, int]) -> list[Entry]:  # noqa: ARG002
        """Return the memories in force that hold every word of a text, in no order."""
        words = ",".join(str(number_of(term)) for term in question_terms(text))
        found = self.rows.select(
            "treering.find_holders(%s, '{}', %s::text[], %s) AS holder (place)"
            " JOIN treering.memory AS m ON m.ctid = holder.place WHERE NOT status = ANY(%s)",
            self._numbers, ["{" + words + "}"] if words else [], MOST, list(WITHHELD),
        )  # fmt: skip
        return [candidate.entry for candidate in found]

    def newest(
        self,
        visible: Mapping[str, int],  # noqa: ARG002
        limit: int,
        types: Collection[str] = (),
    ) -> list[Entry]:
        """Return the memories in force that were changed last, of some types or of any."""
        found = self.rows.select(
            "treering.memory AS m WHERE repository = ANY(%s) AND NOT status = ANY(%s)"
            " AND NOT facts ->> 'type' = ANY(%s) AND (%s OR facts ->> 'type' = ANY(%s))"
            " ORDER BY created DESC, id LIMIT %s",
            self._numbers, list(WITHHELD), list(self._without), not types, list(types), limit,
        )  # fmt: skip
        return [candidate.entry for candidate in found]

    def entry(self, blob: str) -> Entry | None:
        return self.rows.entry(blob)

    def find_successors(
        self,
        blobs: Collection[str],
        visible: Mapping[str, int],  # noqa: ARG002
        *,
        with_records: bool = True,  # noqa: ARG002
    ) -> dict[str, Successors]:
        """Return those of some memories that another of the same repository replaces, or may."""
        view = self._look_around(self.rows.candidates(blobs).values())
        numbers = {n: b for b in blobs if (n := view.snapshot.numbers.get(b)) is not None}
        found = find_successors(numbers, view, self.rows.read)
        return {numbers[number]: successors for number, successors in found.items()}

    def find_predecessors(
        self,
        blob: str,
        visible: Mapping[str, int],  # noqa: ARG002
    ) -> list[tuple[Entry, Successors]]:
        """Return the memories that one of them replaces, or may."""
        some = list(self.rows.candidates([blob]).values())
        targets = (ln[1] for one in some for ln in one.entry.links if ln[0] == "supersedes")
        some += self.rows.find_ids(targets)
        view = self._look_around(some, rounds=2)
        number = view.snapshot.numbers.get(blob)
        return [] if number is None else find_predecessors(number, view, self.rows.read)

    def _look_around(self, some: Iterable[Candidate], rounds: int = 1) -> VisibleEntries:
        """Some memories with all that share keys with them, and those that supersede these."""
        found = {one.entry.blob: one for one in some}
        new = list(found.values())
        for number in range(_ROUNDS):
            keys: list[str] = []
            for entry in (candidate.entry for candidate in new):
                keys.append(superseding_key(entry.id))
                keys += alike_keys(entry) if number < rounds else ()
            new = [one for one in self.rows.find_keyed(keys) if one.entry.blob not in found]
            found |= {one.entry.blob: one for one in new}
            if not new:
                break
        counts = WordCounts(self.rows.connection, self._numbers)
        corpus = cast(Corpus, CandidateCorpus(list(found.values()), counts))
        return VisibleEntries(corpus, {blob: one.rank for blob, one in found.items()})


class RowSearcher:
    """Makes views of rows searchable."""

    def __init__(self, rows: DatabaseRows) -> None:
        self._rows = rows

    def search_view(
        self,
        view: View,
        *,
        every_copy: bool = False,  # noqa: ARG002
        with_saved: bool = False,
    ) -> SearchView:
        """The database has the nearest copy of each memory alone."""
        index = RowIndex(self._rows, view, with_saved=with_saved)
        return HubSearchView(index, view, RowRanks(self._rows, view), with_records=True)

    knowledge_view = search_view
