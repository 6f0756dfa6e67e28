"""Which memories the database looks at for a question, so that the cost hardly grows with the hub.

A memory that answers holds one of the rarest words, or several of the others together. So memories
with any of the rare words are taken, as long as these are few, and those that hold two of the
common ones, where that is not many either. What only holds one common word is asked for when too
little was found. The score is BM25 over all words of the question.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from treering.graph.network import Network
from treering.hub.index import mark_of, split_mark
from treering.hub.postgres.corpus import Candidate, CandidateCorpus, WordCounts, number_of
from treering.hub.postgres.filters import (
    Condition,
    join_conditions,
    list_conditions,
    status_condition,
)
from treering.hub.postgres.rows import ENTRY_COLUMNS, read_entry
from treering.model.query import Filters
from treering.search.analysis import question_terms
from treering.search.corpus import K1, B
from treering.search.entry import Entry, mark_entry
from treering.search.visible import WITHHELD

#: So many memories with one of the rare words are looked at, and so many at most in all.
FEW, MOST = 4_000, 20_000
#: Of each tier so many get a second look by the rules of `search/`.
POOL = 150
_MOST_WORDS = 40
_PAIRED = 5
#: How often a row holds each of some words, in their order.
_TALLIES = (
    "ARRAY(SELECT coalesce(m.counts[array_position(m.words, w)], 0)"
    " FROM unnest(%s::integer[]) WITH ORDINALITY AS q (w, place) ORDER BY place)"
)
#: Memories with other words for the same that are looked at, and what these words count.
_SIMILAR, _SAME = 1_000, 0.4
#: Words that belong to one subject meet so much more often than chance would have it.
_TOGETHER = 10.0


class WordChoice(NamedTuple):
    """Any of `rare`, or all of one of `together`."""

    rare: tuple[int, ...]
    together: tuple[tuple[int, ...], ...] = ()
    #: Whether words were left out, by which more could be found.
    is_partial: bool = False

    def as_condition(self) -> Condition:
        parts = ["words && %s::integer[]"] if self.rare else []
        parts += ["words @> %s::integer[]"] * len(self.together)
        values = ([list(self.rare)] if self.rare else []) + [list(one) for one in self.together]
        return Condition(" OR ".join(parts) or "false", tuple(values))

    def as_table(self, repositories: Sequence[int], is_limited: bool) -> Condition:
        """Where rows are looked for: behind the wall of a token, among those that hold the words,
        which the database finds for it."""
        if not is_limited:
            return _MEMORY
        together = ["{" + ",".join(map(str, one)) + "}" for one in self.together]
        return Condition(
            "treering.find_holders(%s, %s::integer[], %s::text[], %s) AS holder (place)"
            " JOIN treering.memory ON memory.ctid = holder.place",
            (list(repositories), list(self.rare), together, MOST),
        )


_MEMORY = Condition("treering.memory")


class RowQuestion(NamedTuple):
    """What is asked of the rows: whose, under which conditions, and whether with a token."""

    connection: Any
    repositories: Sequence[int]
    filters: Filters
    excluded: Sequence[str]
    is_limited: bool

    def list_conditions(self) -> list[Condition]:
        """What a row must be like, but for its repository, its words and its status."""
        return [*list_conditions(self.filters), *(_without(text) for text in self.excluded)]


class Candidates(NamedTuple):
    """What was found: the best, how many matched, and how many more would have."""

    best: list[Candidate]
    total: int
    withheld: dict[str, int]


def choose_words(frequencies: Mapping[int, int], documents: int, room: int = FEW) -> WordChoice:
    """The words by which memories are looked for, rarest first."""
    words = sorted((count, word) for word, count in frequencies.items() if count)
    rare: list[int] = []
    common: list[tuple[int, int]] = []
    for count, word in words:
        if count <= room or (not rare and len(words) == 1):
            rare.append(word)
            room -= count
        else:
            common.append((count, word))
    together = _choose_together(common[:_PAIRED], documents)
    return WordChoice(tuple(rare), tuple(together), bool(common))


def add_similar(
    choice: WordChoice, groups: Sequence[Sequence[tuple[int, int]]], room: int = _SIMILAR
) -> WordChoice:
    """The choice, and other words for the same: each group is all words of one way to say it, with
    how many memories hold each."""
    rare, together = list(choice.rare), list(choice.together)
    for group in sorted(groups, key=min):
        count, word = min(group)
        if not 0 < count <= room:
            continue
        room -= count
        if len(group) == 1:
            rare.append(word)
        else:
            together.append(tuple(word for _, word in group))
    return choice._replace(rare=tuple(rare), together=tuple(together))


def _choose_together(common: Sequence[tuple[int, int]], documents: int) -> list[tuple[int, ...]]:
    """Pairs of common words that few memories hold, or more words where pairs are common, too."""
    for size in range(2, len(common) + 1):
        groups = []
        for group in combinations(common, size):
            estimate = _TOGETHER * documents
            for count, _ in group:
                estimate *= count / max(documents, 1)
            if estimate <= FEW or size == len(common):
                groups.append(tuple(word for _, word in group))
        if groups:
            return groups
    return []


def find_candidates(
    asked: RowQuestion,
    terms: Sequence[str],
    counts: WordCounts,
    choice: WordChoice,
    similar: Collection[str] = (),
) -> Candidates:
    """The best memories of a choice of words, by all words of the question, of which some are
    others for the same."""
    words = {number_of(term): term for term in terms[:_MOST_WORDS] if counts.frequency(term)}
    if not words or not asked.repositories:
        return Candidates([], 0, {})
    table = choice.as_table(asked.repositories, asked.is_limited)
    conditions = asked.list_conditions()
    if not asked.is_limited:
        place = Condition("repository = ANY(%s)", (list(asked.repositories),))
        conditions = [choice.as_condition(), place, *conditions]
    where, status = join_conditions(conditions), status_condition(asked.filters)
    score, score_values = _score(words, counts, similar)
    columns = ", ".join(f"m.{name}" for name in (*ENTRY_COLUMNS, "rank"))
    query = (
        "WITH candidate AS MATERIALIZED ("
        f" SELECT repository, id, status, is_record, ({status.text}) AS is_shown, {score} AS score"
        f" FROM {table.text} WHERE {where.text} LIMIT %s),"
        " best AS (SELECT repository, id, score FROM (SELECT repository, id, score,"
        " row_number() OVER ("
        " PARTITION BY is_record ORDER BY score DESC, repository, id) AS place"
        " FROM candidate WHERE is_shown) AS ranked WHERE place <= %s)"
        f" SELECT {columns}, {_TALLIES} AS tallies,"
        " (SELECT count(*) FROM candidate WHERE is_shown) AS total,"
        " (SELECT count(*) FROM candidate WHERE status = 'superseded') AS superseded,"
        " (SELECT count(*) FROM candidate WHERE status = 'deleted') AS deleted"
        " FROM best JOIN treering.memory AS m USING (repository, id) ORDER BY score DESC"
    )
    values = (
        *(*status.values, *score_values, *table.values, *where.values),
        *(MOST, POOL, list(words)),
    )
    rows = fetch_rows(asked.connection, query, values)
    if not rows:
        return Candidates([], 0, _count_hidden(asked, table, where))
    best = [read_candidate(row, list(words.values())) for row in rows]
    counts_hidden = {key: rows[0][key] for key in ("superseded", "deleted")}
    return Candidates(best, rows[0]["total"], {} if asked.filters.status else counts_hidden)


def _count_hidden(asked: RowQuestion, table: Condition, where: Condition) -> dict[str, int]:
    """What would have matched, where nothing that may be shown does."""
    if asked.filters.status:
        return {}
    query = (
        f"SELECT status, count(*) FROM (SELECT status FROM {table.text} WHERE {where.text}"
        " LIMIT %s) AS hidden GROUP BY status"
    )
    values = (*table.values, *where.values, MOST)
    counts = dict(asked.connection.execute(query, values).fetchall())
    return {key: counts.get(key, 0) for key in ("superseded", "deleted")}


def _score(
    words: Mapping[int, str], counts: WordCounts, similar: Collection[str]
) -> tuple[str, list[object]]:
    """BM25 as an expression of the database."""
    corpus = CandidateCorpus([], counts)
    low, share = K1 * (1 - B), K1 * B / counts.mean
    parts, values = [], list[object]()
    for word, term in words.items():
        weight = corpus.rarity(counts.frequency(term)) * (K1 + 1)
        weight *= _SAME if term in similar else 1.0
        # weight * tally / (tally + norm), in which the tally, which takes longest, is there once
        tally = "coalesce(counts[array_position(words, %s)], 0)"
        parts.append(f"%s * (1 - (%s + %s * length) / ({tally} + %s + %s * length))")
        values += [weight, low, share, word, low, share]
    return " + ".join(parts), values


def _without(text: str) -> Condition:
    """Nothing that holds every term of a text."""
    return Condition(
        "NOT words @> %s::integer[]", ([number_of(term) for term in question_terms(text)],)
    )


def list_newest(
    asked: RowQuestion, order: str, limit: int, in_title: Sequence[str] = ()
) -> Candidates:
    """A listing: no words but those that stand in the title, and an order."""
    conditions = [
        Condition("repository = ANY(%s)", (list(asked.repositories),)),
        *(Condition("strpos(lower(title), %s) > 0", (word,)) for word in in_title),
        *asked.list_conditions(),
    ]
    where = join_conditions([*conditions, status_condition(asked.filters)])
    columns = ", ".join((*ENTRY_COLUMNS, "rank"))
    query = (
        f"SELECT {columns} FROM treering.memory WHERE {where.text}"
        f" ORDER BY {_ORDERS[order]} LIMIT %s"
    )
    rows = fetch_rows(asked.connection, query, (*where.values, limit))
    count = f"SELECT count(*) FROM (SELECT 1 FROM treering.memory WHERE {where.text} LIMIT %s) AS m"
    total = asked.connection.execute(count, (*where.values, MOST)).fetchone()[0]
    best = [read_candidate({**row, "tallies": []}, []) for row in rows]
    rest = _count_hidden(asked, _MEMORY, join_conditions(conditions))
    return Candidates(best, total, rest)


_ORDERS = {
    "relevance": "is_record, created DESC, id",
    "newest": "created DESC, place DESC, id",
    "oldest": "created, place, id",
    "confidence": "confidence DESC, created DESC, id",
    "uncertain": "confidence, created DESC, id",
}


def fetch_candidates(connection: Any, table: Condition, terms: Sequence[str]) -> list[Candidate]:
    """Candidates that were found otherwise, from a table with the rows of memories as `m`."""
    columns = ", ".join(f"m.{name}" for name in (*ENTRY_COLUMNS, "rank"))
    query = f"SELECT {columns}, {_TALLIES} AS tallies FROM {table.text}"
    values = ([number_of(term) for term in terms], *table.values)
    rows = fetch_rows(connection, query, values)
    return [read_candidate(row, terms) for row in rows]


def fetch_rows(connection: Any, query: str, values: Sequence[object]) -> list[dict[str, Any]]:
    """Rows by the names of their columns."""
    cursor = connection.execute(query, values)
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def read_candidate(row: Mapping[str, Any], terms: Sequence[str]) -> Candidate:
    """A candidate, with the mark of its repository."""
    entry = mark_entry(read_entry(row), mark_of(row["repository"]))
    tallies = dict(zip(terms, row["tallies"], strict=True))
    return Candidate(entry, row["rank"], tallies)


SOURCES = 20  # as many as lend
_MAX_NEIGHBOURS = 1_000


def find_neighbours(
    connection: Any, candidates: Sequence[Candidate], terms: Sequence[str]
) -> list[Candidate]:
    """The members of the sessions that some candidates are of."""
    sessions = {
        (split_mark(candidate.entry.blob)[0], candidate.entry.session.partition(":")[2])
        for candidate in candidates
        if candidate.entry.session
    }
    if not sessions:
        return []
    pairs = sorted(sessions)
    numbers, names = [number for number, _ in pairs], [session for _, session in pairs]
    table = Condition(
        "unnest(%s::integer[], %s::text[]) AS s (repository, session)"
        " JOIN treering.memory AS m USING (repository, session)"
        " WHERE NOT m.status = ANY(%s) LIMIT %s",
        (numbers, names, list(WITHHELD), _MAX_NEIGHBOURS),
    )
    return fetch_candidates(connection, table, terms)


_MAX_LINKED = 2_000


def read_network(connection: Any, number: int, ids: Collection[str], hops: int) -> Network:
    """What is up to so many links away from some memories, and what these are linked with."""
    entries: dict[str, Entry] = {}
    front = set(ids)
    for _ in range(hops + 1):
        rows = _read_around(connection, number, front)
        entries |= {entry.id: entry for entry in rows}
        targets = {link[1] for entry in rows for link in entry.links}
        front = (targets | {entry.id for entry in rows}) - front
        if not front or len(entries) >= _MAX_LINKED:
            break
    return Network(entries.values())


def _read_around(connection: Any, number: int, ids: Collection[str]) -> list[Entry]:
    """Some memories of a repository, and those that link to them."""
    columns = ", ".join(ENTRY_COLUMNS)
    # By parts: one condition with `OR` would be looked for in every row.
    query = (
        f"SELECT {columns} FROM treering.memory WHERE repository = %s AND id = ANY(%s)"
        f" UNION SELECT {columns} FROM treering.memory WHERE repository = %s AND links <> '[]'"
        " AND EXISTS (SELECT 1 FROM jsonb_array_elements(links) AS l WHERE l ->> 1 = ANY(%s))"
        " LIMIT %s"
    )
    names = list(ids)
    values = (number, names, number, names, _MAX_LINKED)
    return [read_entry(row) for row in fetch_rows(connection, query, values)]
