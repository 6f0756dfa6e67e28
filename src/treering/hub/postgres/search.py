"""A question to the database: its words counted, candidates found, and ranked like any others.

So that the cost hardly grows with the hub, not every memory that holds a word is looked at. A
memory that answers holds one of the rarest words, or several of the others together. So memories
with any of the rare words are taken, as long as these are few, and those that hold two of the
common ones, where that is not many either. What only holds one common word is asked for when too
little was found. The best of them by BM25 are ranked by the very same rules as the memories of one
repository (search/lookup.py). How rare a word is, is counted over all that were asked, and only of
what the caller may see.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, cast

from treering.hub.postgres.rows import (
    hub_model,
    mark_entry,
    number_of,
    read_facts,
    write_signs,
)
from treering.model.mark import make_mark, unmark
from treering.model.query import ANY_STATUS, PARTS, Filters, Query
from treering.model.taxonomy import RECORD_TYPES
from treering.search.analysis import join_terms, question_terms, terms
from treering.search.corpus import K1, B, Corpus, rarity
from treering.search.entry import Entry, keys_of
from treering.search.hits import SearchResult
from treering.search.lookup import search
from treering.search.matching import Read, Request, list_similar_terms
from treering.search.meaning.nearness import Nearness, VectorView, embed_question, scanned_by
from treering.search.meaning.protocol import Meaning
from treering.search.meaning.vectors import SmallVector, VectorColumns
from treering.search.synonyms import synonyms_of
from treering.search.understanding import SemanticMatch
from treering.search.visible import WITHHELD, VisibleEntries

#: So many memories with one of the rare words are looked at, and so many at most in all.
FEW, MOST = 4_000, 20_000
#: Of each tier so many get a second look by the rules of `search/`.
POOL = 150
#: So many of the nearest by meaning, and so many where a filter sorts most of them out.
NEAREST, _NEAREST_FILTERED = 300, 5_000
_MOST_WORDS, _MOST_GUESSED, _MOST_EXPANSIONS = 40, 12, 64
_PAIRED = 5  # common words that are looked for in pairs
#: Memories with other words for the same that are looked at, and what these words count.
_SIMILAR, _SAME = 1_000, 0.4
#: Words that belong to one subject meet so much more often than chance would have it.
_TOGETHER = 10.0
_SOURCES, _MAX_NEIGHBOURS = 20, 1_000  # of sessions whose members are looked at, and of these
_LITTLE, _SLACK = 3, 64
#: How often a row holds each of some words, in their order.
_TALLIES = (
    "ARRAY(SELECT coalesce(m.counts[array_position(m.words, w)], 0)"
    " FROM unnest(%s::integer[]) WITH ORDINALITY AS q (w, place) ORDER BY place)"
)


class Condition(NamedTuple):
    """A condition of the database, and the values for the marks in it."""

    text: str
    values: tuple[Any, ...] = ()


def join_conditions(conditions: Iterable[Condition]) -> Condition:
    """All at once."""
    some = list(conditions)
    text = " AND ".join(f"({condition.text})" for condition in some) or "true"
    return Condition(text, tuple(value for c in some for value in c.values))


def list_conditions(filters: Filters) -> Iterator[Condition]:
    """One for each filter but the status: the same rules as `search/visible.py`."""
    if filters.types:
        yield Condition("facts ->> 'type' = ANY(%s)", (list(filters.types),))
    if filters.without_types:
        yield Condition("NOT facts ->> 'type' = ANY(%s)", (list(filters.without_types),))
    if filters.records != "auto":
        yield Condition("is_record = %s", (filters.records == "only",))
    if filters.session:
        yield Condition("session = %s", (filters.session,))
    for column, sign, value in (
        ("created", ">=", filters.since),
        ("created", "<=", filters.until),
        ("(facts ->> 'confidence')::float8", ">=", filters.min_confidence),
        ("(facts ->> 'confidence')::float8", "<=", filters.max_confidence),
    ):
        if value is not None:
            yield Condition(f"{column} {sign} %s", (value,))
    tags = "ARRAY(SELECT lower(t) FROM jsonb_array_elements_text(facts -> 'tags') AS t)"
    if filters.tags:
        yield Condition(f"%s <@ {tags}", ([tag.lower() for tag in filters.tags],))
    if filters.without_tags:
        yield Condition(f"NOT %s && {tags}", ([tag.lower() for tag in filters.without_tags],))
    if topic := filters.topic.lower():
        name = "lower(facts ->> 'topic')"
        yield Condition(f"({name} = %s OR starts_with({name}, %s))", (topic, f"{topic}/"))
    for field in PARTS:
        if part := getattr(filters, field):
            yield Condition(f"strpos(lower(facts ->> '{field}'), %s) > 0", (part.lower(),))
    if place := filters.file.removeprefix("./").rstrip("/"):
        base = "" if "/" in place else f"/{place}"
        yield Condition(
            "EXISTS (SELECT 1 FROM jsonb_array_elements_text(facts -> 'files') AS path"
            " WHERE path = %s OR starts_with(path, %s)"
            " OR (%s <> '' AND right(path, length(%s)) = %s))",
            (place, f"{place}/", base, base, base),
        )


def status_condition(filters: Filters) -> Condition:
    """Return what may be shown: one status, all, or what is in force."""
    if not filters.status:
        return Condition("NOT status = ANY(%s)", (list(WITHHELD),))
    return Condition("status = %s OR %s = %s", (filters.status, filters.status, ANY_STATUS))


# --- the candidates as a corpus -------------------------------------------------------------------


class WordCounts:
    """In how many of the memories that are asked words occur."""

    def __init__(self, connection: Any, repositories: Sequence[int]) -> None:
        self._connection = connection
        self._repositories = list(repositories)
        self._frequencies: dict[str, int] = {}
        self._missing: set[str] = set()
        self.expansions: dict[str, list[str]] = {}
        query = (
            "SELECT coalesce(sum(memories), 0), coalesce(sum(length), 0) FROM treering.repository"
            " WHERE number = ANY(%s)"
        )
        row = connection.execute(query, (self._repositories,)).fetchone()
        self.documents, length = int(row[0]), int(row[1])
        self.mean = max(length / self.documents, 1.0) if self.documents else 1.0

    def frequency(self, term: str) -> int:
        """Return the count of a term; one that was not counted is noted for the next time."""
        if term not in self._frequencies:
            self._missing.add(term)
        return self._frequencies.get(term, 0)

    def count(self, terms: Iterable[str]) -> None:
        """Count some terms, all in one go."""
        numbers = {number_of(term): term for term in terms if term not in self._frequencies}
        if not numbers:
            return
        query = (
            "SELECT number, sum(frequency) FROM treering.word"
            " WHERE number = ANY(%s) AND repository = ANY(%s) GROUP BY number"
        )
        rows = self._connection.execute(query, (list(numbers), self._repositories)).fetchall()
        self._frequencies |= dict.fromkeys(numbers.values(), 0)
        self._frequencies |= {numbers[number]: int(total) for number, total in rows}

    def expand(self, prefix: str) -> list[str]:
        """Return the terms that start like this."""
        if prefix not in self.expansions:
            query = (
                "SELECT DISTINCT term FROM treering.word WHERE starts_with(term, %s)"
                " AND term >= %s AND repository = ANY(%s) ORDER BY term LIMIT %s"
            )
            values = (prefix, prefix, self._repositories, _MOST_EXPANSIONS)
            found = [row[0] for row in self._connection.execute(query, values).fetchall()]
            self.expansions[prefix] = found
            self.count(found)
        return self.expansions[prefix]

    def guess(self, word: str) -> list[str]:
        """Return terms one slip away from a word. They are asked for once to see which are needed,
        and once more when these were counted."""
        list_similar_terms(word, cast(Corpus, self))  # it asks for frequencies alone
        self.count(self._missing)
        self._missing.clear()
        return list_similar_terms(word, cast(Corpus, self))


class Candidate(NamedTuple):
    """A memory, the number of its layer in its repository, and how often it holds each term of the
    question."""

    entry: Entry
    rank: int
    counts: Mapping[str, int] = {}


class CountedWeights(dict[int, float]):
    """A term's weights in the candidates; its length is in how many memories the term occurs."""

    def __init__(self, weights: Mapping[int, float], frequency: int) -> None:
        super().__init__(weights)
        self._frequency = frequency

    def __len__(self) -> int:
        return self._frequency


class _ReadEntries(list[Entry]):
    """Entries that are all here."""

    def load(self, numbers: Collection[int]) -> None:
        pass


class CandidateCorpus:
    """A corpus that holds the candidates alone, and knows the counts of all that were asked."""

    def __init__(self, candidates: Sequence[Candidate], counts: WordCounts) -> None:
        self._candidates = candidates
        self._counts = counts
        self.entries = _ReadEntries(candidate.entry for candidate in candidates)
        self.numbers = {entry.blob: number for number, entry in enumerate(self.entries)}
        self.blobs = [entry.blob for entry in self.entries]
        self.ids = [entry.id for entry in self.entries]
        #: Of all memories that were asked: how common a word is depends on it.
        self.count = max(counts.documents, len(self.entries))

    def rarity(self, frequency: int) -> float:
        return rarity(max(self.count, frequency), frequency)

    def frequency(self, term: str) -> int:
        return self._counts.frequency(term)

    def is_record(self, number: int) -> bool:
        return self.entries[number].type in RECORD_TYPES

    def find(self, field: str, value: str) -> set[int]:
        """Return the candidates whose field has a value."""
        return {n for n, entry in enumerate(self.entries) if getattr(entry, field) == value}

    def sharing(self, keys: Sequence[str], limit: int) -> dict[str, list[int]]:
        """Return the candidates that have each of some keys; none for a key that more than `limit`
        have."""
        found = {key: self._by_key.get(key, []) for key in keys}
        return {key: some if len(some) <= limit else [] for key, some in found.items()}

    @cached_property
    def _by_key(self) -> dict[str, list[int]]:
        numbers: dict[str, list[int]] = {}
        for number, entry in enumerate(self.entries):
            for key in keys_of(entry):
                numbers.setdefault(key, []).append(number)
        return numbers

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        return self._counts.expand(prefix)[:limit]

    def weights(self, term: str) -> CountedWeights:
        """Return how much each candidate that holds the term speaks for it, by BM25."""
        frequency = self.frequency(term)
        most = self.rarity(frequency) * (K1 + 1)
        low, share = K1 * (1 - B), K1 * B / self._counts.mean
        weights = {}
        for number, candidate in enumerate(self._candidates):
            if count := candidate.counts.get(term, 0):
                weights[number] = most * count / (count + low + share * candidate.entry.length)
        return CountedWeights(weights, max(frequency, len(weights)))


class CandidateMeaning:
    """Nearness of candidates to a question, where most memories are elsewhere.

    `is_whole` says that the nearest of all memories are among the candidates. Where they are not
    and the ranking would look through all, `is_missing` says so, and it has to be done again.
    """

    def __init__(self, nearness: Meaning, memories: int, *, is_whole: bool) -> None:
        self._nearness = nearness
        self._is_whole = is_whole
        self.weight = nearness.weight
        self.floor = nearness.floor
        #: What counts is how many memories there are, not how many are at hand.
        self.scanned = nearness.scanned if memories <= nearness.scanned else -1
        self.is_missing = False

    def nearest(self, numbers: Collection[int], count: int) -> dict[int, float]:
        self.is_missing = not self._is_whole
        return self._nearness.nearest(numbers, count)

    def join(self, numbers: Collection[int], count: int) -> dict[int, float]:
        self.is_missing = not self._is_whole
        return self._nearness.join(numbers, count)

    def near(self, scores: Mapping[int, float]) -> dict[int, float]:
        return self._nearness.near(scores)


# --- which words are looked for -------------------------------------------------------------------


class WordChoice(NamedTuple):
    """Any of `rare`, or all of one of `together`."""

    rare: tuple[int, ...]
    together: tuple[tuple[int, ...], ...] = ()
    #: Whether words were left out, by which more could be found.
    is_partial: bool = False

    def as_table(self, repositories: Sequence[int]) -> Condition:
        """The rows that hold the words, which a function of the database finds: see schema.py."""
        together = ["{" + ",".join(map(str, one)) + "}" for one in self.together]
        return Condition(
            "treering.find_holders(%s, %s::integer[], %s::text[], %s) AS holder (place)"
            " JOIN treering.memory ON memory.ctid = holder.place",
            (list(repositories), list(self.rare), together, MOST),
        )


def choose_words(
    frequencies: Mapping[int, int], documents: int, groups: Sequence[Sequence[tuple[int, int]]] = ()
) -> WordChoice:
    """The words by which memories are looked for, rarest first; `groups` are other ways to say it,
    each as the count and number of every word of it."""
    words = sorted((count, word) for word, count in frequencies.items() if count)
    rare: list[int] = []
    common: list[tuple[int, int]] = []
    room = FEW
    for count, word in words:
        if count <= room or (not rare and len(words) == 1):
            rare.append(word)
            room -= count
        else:
            common.append((count, word))
    together = _choose_together(common[:_PAIRED], documents)
    room = _SIMILAR
    for group in sorted(groups, key=min):
        count, word = min(group)
        if 0 < count <= room:
            room -= count
            together.append(tuple(word for _, word in group))
    return WordChoice(tuple(rare), tuple(together), bool(common))


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


# --- the question ---------------------------------------------------------------------------------


class RowMatches(NamedTuple):
    """Matching rows: the best, how many matched, and how many more would have."""

    best: list[Candidate]
    total: int = 0
    withheld: Mapping[str, int] = {}


class RowSearch:
    """One question, and what is known of its words and of its meaning."""

    def __init__(
        self, connection: Any, repositories: Sequence[int], request: Request, read: Read
    ) -> None:
        query = request.query
        self._connection = connection
        self._repositories = list(repositories)
        self._request = request
        self._filters = query.filters.merge(request.filters)
        self._conditions = [
            *list_conditions(self._filters),
            *(Condition("NOT words @> %s::integer[]", ([number_of(t) for t in question_terms(x)],))
              for x in query.excluded),
        ]  # fmt: skip
        self._counts = WordCounts(connection, repositories)
        self._words: list[str] = []
        self._read = read

    def answer(self) -> tuple[SearchResult, list[Candidate]]:
        """Ranked by the rules of `search/`. Where these want the nearest of all memories, the
        database looks for them, and it is ranked again."""
        query, found = self._request.query, RowMatches([])
        if not self._repositories or query.is_wordless:
            return SearchResult(), []
        if not query.is_empty:
            found = self._find()
        if not found.best and not terms(query.words) and not query.prefixes:
            found = self._list()
        model = hub_model()
        is_whole = self._question is not None and model is not None and (
            self._request.mode == "semantic" or self._counts.documents <= scanned_by(model)
        )  # fmt: skip
        result, candidates, is_missing = self._rank(found.best, is_whole=is_whole)
        if is_missing:
            result, candidates, _ = self._rank(found.best, is_whole=True)
        total = max(found.total, result.total)
        return result._replace(total=total, withheld=found.withheld), candidates

    @cached_property
    def _question(self) -> SmallVector | None:
        """Its vector, when its words are counted; None where the model does not understand it."""
        query, model = self._request.query, hub_model()
        if self._request.mode == "text" or query.is_empty or model is None:
            return None
        try:
            counts = self._counts
            return embed_question(model, query.words, counts.documents, counts.frequency)
        except Exception:  # a model that fails costs its part of the answer, no more
            return None

    def _rank(
        self, best: Sequence[Candidate], *, is_whole: bool
    ) -> tuple[SearchResult, list[Candidate], bool]:
        """The answer, what it was chosen from, and whether the nearest of all were missed in it."""
        nearest = self._find_nearest() if is_whole else []
        neighbours = self._find_neighbours([*best[:_SOURCES], *nearest[:_SOURCES]])
        by_blob = {one.entry.blob: one for one in (*neighbours, *nearest, *best)}
        candidates = list(by_blob.values())
        visible = {candidate.entry.blob: candidate.rank for candidate in candidates}
        view = VisibleEntries(cast(Corpus, CandidateCorpus(candidates, self._counts)), visible)
        sense, meaning, model = SemanticMatch(), None, hub_model()
        if self._request.mode != "text":
            if self._question and model:
                vectors = VectorView(view, self._read_vectors(candidates, model.dimensions))
                nearness = Nearness(vectors, self._question, model)
                meaning = CandidateMeaning(nearness, self._counts.documents, is_whole=is_whole)
            words = synonyms_of(self._request.query.words)
            sense = SemanticMatch(meaning, words, has_model=model is not None)
        result = search(self._request, view, self._read, sense)
        return result, candidates, bool(meaning and meaning.is_missing)

    def _find(self) -> RowMatches:
        """Candidates by the words of the question; the terms they were found by are noted."""
        query, counts = self._request.query, self._counts
        words, pairs = question_terms(query.words), join_terms(query.words)
        counts.count([*words, *pairs])
        words += [pair for pair in pairs if counts.frequency(pair)]
        words += [term for prefix in query.prefixes for term in counts.expand(prefix.lower())]
        words = list(dict.fromkeys(words))
        frequencies = {number_of(word): counts.frequency(word) for word in words}
        groups = self._list_similar()
        similar = {word for group in groups for word in group if word not in words}
        words += similar

        def find(choice: WordChoice) -> RowMatches:
            return self._find_holders(words, choice, similar)

        pairs_of = [[(counts.frequency(word), number_of(word)) for word in one] for one in groups]
        choice = choose_words(frequencies, counts.documents, pairs_of)
        found = find(choice)
        if choice.is_partial and len(found.best) < max(_LITTLE, self._request.limit or 0):
            found = find(WordChoice(tuple(word for word, count in frequencies.items() if count)))
        if len(found.best) < _LITTLE and (guesses := self._guess(query)):
            words += guesses
            found = find(WordChoice(tuple(map(number_of, filter(counts.frequency, words)))))
        self._words = [word for word in words if counts.frequency(word)]
        return found

    def _list_similar(self) -> list[tuple[str, ...]]:
        """Other ways to say parts of the question that occur, each as the terms of it."""
        if self._request.mode == "text":
            return []
        words = self._request.query.words
        expansions = synonyms_of(words).expand(question_terms(words))
        groups = dict.fromkeys(other for _, others in expansions for other in others)
        self._counts.count(word for group in groups for word in group)
        return [group for group in groups if all(map(self._counts.frequency, group))]

    def _guess(self, query: Query) -> list[str]:
        """Other spellings of words that occur nowhere."""
        counts = self._counts
        unknown = [
            word
            for word in list(dict.fromkeys(query.words.split()))[:_MOST_GUESSED]
            if not any(counts.frequency(term) for term in question_terms(word))
        ]
        return [term for word in unknown for term in counts.guess(word.strip(".,;:!?()\"'"))]

    def _find_holders(
        self, terms: Sequence[str], choice: WordChoice, similar: Collection[str]
    ) -> RowMatches:
        """The best memories of a choice of words, by all words of the question, of which some are
        others for the same."""
        some = [term for term in terms[:_MOST_WORDS] if self._counts.frequency(term)]
        if not some:
            return RowMatches([])
        table, where = choice.as_table(self._repositories), join_conditions(self._conditions)
        status, score = status_condition(self._filters), self._score(some, similar)
        query = (
            "WITH candidate AS MATERIALIZED (SELECT memory.repository, memory.id, status,"
            f" is_record, ({status.text}) AS is_shown, {score.text} AS score"
            f" FROM {table.text} WHERE {where.text} LIMIT %s),"
            " best AS (SELECT repository, id, score FROM (SELECT repository, id, score,"
            " row_number() OVER (PARTITION BY is_record ORDER BY score DESC, repository, id)"
            " AS place FROM candidate WHERE is_shown) AS ranked WHERE place <= %s)"
            f" SELECT repository, m.rank, m.facts, {_TALLIES}"
            " FROM best JOIN treering.memory AS m USING (repository, id) ORDER BY score DESC"
        )
        values = (*status.values, *score.values, *table.values, *where.values, MOST, POOL)
        rows = self._connection.execute(query, (*values, [number_of(t) for t in some])).fetchall()
        best = [read_candidate(row[0], row[1], row[2], row[3], some) for row in rows]
        return RowMatches(best, *self._count(table, where))

    def _count(self, table: Condition, where: Condition) -> tuple[int, dict[str, int]]:
        """Return how many rows of a table may be shown, and what would match but for its status."""
        query = (
            f"SELECT status, count(*) FROM (SELECT status FROM {table.text} WHERE {where.text}"
            " LIMIT %s) AS m GROUP BY status"
        )
        values = (*table.values, *where.values, MOST)
        counts = dict(self._connection.execute(query, values).fetchall())
        wanted = self._filters.status
        if wanted:
            return sum(n for s, n in counts.items() if wanted in (s, ANY_STATUS)), {}
        hidden: dict[str, int] = {status: counts.pop(status, 0) for status in WITHHELD}
        return sum(counts.values()), hidden

    def _score(self, terms: Sequence[str], similar: Collection[str]) -> Condition:
        """BM25 as an expression of the database."""
        counts = self._counts
        low, share = K1 * (1 - B), K1 * B / counts.mean
        parts, values = [], list[object]()
        for term in terms:
            weight = rarity(max(counts.documents, counts.frequency(term)), counts.frequency(term))
            weight *= (K1 + 1) * (_SAME if term in similar else 1.0)
            # weight * tally / (tally + norm), where the tally, which takes longest, is there once
            tally = "coalesce(counts[array_position(words, %s)], 0)"
            parts.append(f"%s * (1 - (%s + %s * length) / ({tally} + %s + %s * length))")
            values += [weight, low, share, number_of(term), low, share]
        return Condition(" + ".join(parts), tuple(values))

    def _list(self) -> RowMatches:
        """A listing; common words alone may still be a title, as `which` is a function's name."""
        words = self._request.query.words.lower().split()
        titles = [Condition("strpos(lower(facts ->> 'title'), %s) > 0", (w,)) for w in words]
        found = self._list_with(titles)
        return found if found.best or not words else self._list_with([])

    def _list_with(self, more: Sequence[Condition]) -> RowMatches:
        place = Condition("repository = ANY(%s)", (self._repositories,))
        where = join_conditions([place, *more, *self._conditions])
        status = status_condition(self._filters)
        limit = MOST if self._request.limit is None else self._request.limit + _SLACK
        query = (
            f"SELECT repository, rank, facts FROM treering.memory AS m WHERE {where.text}"
            f" AND ({status.text}) ORDER BY {_ORDERS[self._request.order]} LIMIT %s"
        )
        rows = self._connection.execute(query, (*where.values, *status.values, limit)).fetchall()
        table = Condition("treering.memory")
        return RowMatches([read_candidate(*row) for row in rows], *self._count(table, where))

    def _find_nearest(self) -> list[Candidate]:
        """The nearest of the memories that may be shown, by the signs of their vectors. A database
        counts signs that differ by itself: a hundred thousand in some hundredths of a second."""
        if self._question is None:
            return []
        size = len(self._question.numbers)
        where = join_conditions([*self._conditions, status_condition(self._filters)])
        table = (
            f"(SELECT repository, id, bit_count(signs::bit({size}) # %s::bit({size})) AS distance"
            " FROM treering.embedding WHERE repository = ANY(%s) ORDER BY distance LIMIT %s)"
            " AS near JOIN treering.memory AS m USING (repository, id)"
            f" WHERE {where.text} ORDER BY distance, id LIMIT %s"
        )
        is_filtered = bool(self._conditions or self._filters.status)
        count = _NEAREST_FILTERED if is_filtered else NEAREST
        signs = write_signs(self._question)
        return self._fetch(table, (signs, self._repositories, count, *where.values, NEAREST))

    def _find_neighbours(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The members of the sessions that some candidates are of."""
        entries = [candidate.entry for candidate in candidates]
        pairs = sorted({(int(e.mark[:-1]), unmark(e.session)) for e in entries if e.session})
        table = (
            "unnest(%s::integer[], %s::text[]) AS s (repository, session)"
            " JOIN treering.memory AS m USING (repository, session)"
            " WHERE NOT m.status = ANY(%s) LIMIT %s"
        )
        numbers, names = [number for number, _ in pairs], [session for _, session in pairs]
        values = (numbers, names, list(WITHHELD), _MAX_NEIGHBOURS)
        return self._fetch(table, values) if pairs else []

    def _fetch(self, table: str, values: Sequence[object]) -> list[Candidate]:
        query = f"SELECT m.repository, m.rank, m.facts, {_TALLIES} FROM {table}"
        words = [number_of(term) for term in self._words]
        rows = self._connection.execute(query, (words, *values)).fetchall()
        return [read_candidate(row[0], row[1], row[2], row[3], self._words) for row in rows]

    def _read_vectors(self, candidates: Sequence[Candidate], dimensions: int) -> VectorColumns:
        """The vectors of some candidates; what cannot be of our model is left out."""
        columns = VectorColumns(dimensions)
        keys = {(int(e.mark[:-1]), unmark(e.id)): e.blob for e, *_ in candidates}
        query = (
            "SELECT v.repository, v.id, v.numbers, v.length, v.signs::text"
            " FROM unnest(%s::integer[], %s::text[]) AS k (repository, id)"
            " JOIN treering.embedding AS v USING (repository, id)"
        )
        values = ([number for number, _ in keys], [name for _, name in keys])
        for number, name, numbers, length, signs in self._connection.execute(query, values):
            is_sound = len(numbers) == len(signs) == dimensions and math.isfinite(length)
            if is_sound and length > 0:
                vector = SmallVector(bytes(numbers), length, int(signs, 2))
                columns.add(keys[number, name], vector)
        return columns


_ORDERS = {
    "relevance": "is_record, created DESC, id",
    "newest": "created DESC, (facts ->> 'place')::integer DESC, id",
    "oldest": "created, (facts ->> 'place')::integer, id",
    "confidence": "(facts ->> 'confidence')::float8 DESC, created DESC, id",
    "uncertain": "(facts ->> 'confidence')::float8, created DESC, id",
}


def read_candidate(
    repository: int,
    rank: int,
    facts: dict[str, Any],
    tallies: Sequence[int] = (),
    terms: Sequence[str] = (),
) -> Candidate:
    """A candidate, with the mark of its repository."""
    entry = mark_entry(read_facts(facts), make_mark(repository))
    return Candidate(entry, rank, dict(zip(terms, tallies, strict=True)))
