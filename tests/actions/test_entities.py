"""Entities: memories of their own kind, found by name, counted, merged and extracted."""

import pytest

from conftest import Repo
from treering.errors import BlockedSecret, Invalid, MemoryNotFound


def names(answer: dict) -> list[tuple[str, str]]:
    return [(item["name"], item["kind"]) for item in answer["entities"]]


def test_an_entity_is_added_once(repo: Repo) -> None:
    """By name and kind, in any case; properties are added to it."""
    first = repo.tr.entities("add", name="Redis", kind="technology")
    tip = repo.refs()
    again = repo.tr.entities("add", name="redis", kind="Technology")

    assert (first["name"], first["kind"]) == ("Redis", "technology")
    assert again["id"] == first["id"]
    assert repo.refs() == tip
    assert repo.tr.entities("add", name="Redis", kind="concept")["id"] != first["id"]
    repo.tr.entities("add", name="Redis", kind="technology", properties={"version": "7", "n": 2})
    got = repo.tr.entities("get", name="redis", kind="technology")
    assert got["properties"] == {"version": "7", "n": 2}
    memory = repo.tr.read(first["id"])
    assert (memory.type, memory.title) == ("entity", "Redis")
    assert memory.details == {"kind": "technology", "properties": {"version": "7", "n": 2}}


def test_the_kind_is_found_where_it_is_not_given(repo: Repo) -> None:
    """A known name tells."""
    assert repo.tr.entities("add", name="postgres")["kind"] == "technology"
    assert repo.tr.entities("add", name="Kafka")["kind"] == "technology"
    assert repo.tr.entities("add", name="src/main.py")["kind"] == "file"
    assert repo.tr.entities("add", name="billing cycle")["kind"] == "concept"


def test_mentions_are_counted_by_link_and_by_name(repo: Repo) -> None:
    """Each memory once; what was forgotten does not count."""
    tr = repo.tr
    redis = tr.entities("add", name="Redis", kind="technology")["id"]
    ada = tr.entities("add", name="Ada Lovelace", kind="person")["id"]
    tr.remember("Redis holds the sessions", type="insight", links=[f"mentions:{redis}"])
    tr.remember("We use redis for queues", type="insight")
    tr.remember("Someone else", type="insight", links=[f"mentions:{ada}"])
    gone = tr.remember("Redis again", type="insight")
    tr.forget([gone.id])

    listed = tr.entities("list")

    assert [(e["name"], e["mentions"]) for e in listed["entities"]] == [
        ("Redis", 2), ("Ada Lovelace", 1),
    ]  # fmt: skip
    assert names(tr.entities("list", kind="person")) == [("Ada Lovelace", "person")]
    assert len(tr.entities("list", limit=1)["entities"]) == 1
    got = tr.entities("get", name="Redis")
    assert {m["title"] for m in got["mentioned_by"]} == {
        "Redis holds the sessions", "We use redis for queues",
    }  # fmt: skip


def test_a_deleted_entity_is_gone_and_can_be_added_again(repo: Repo) -> None:
    """Soft, like every deletion."""
    added = repo.tr.entities("add", name="Redis", kind="technology")

    assert repo.tr.entities("delete", name="redis")["deleted"] == [added["id"]]
    assert repo.tr.entities("list")["entities"] == []
    with pytest.raises(MemoryNotFound):
        repo.tr.entities("get", name="Redis")
    again = repo.tr.entities("add", name="Redis", kind="technology")
    assert again["id"] == added["id"]
    assert names(repo.tr.entities("list")) == [("Redis", "technology")]


def test_only_entities_can_be_deleted_here(repo: Repo) -> None:
    """An id of something else is refused."""
    memory = repo.tr.remember("a decision", type="decision")

    with pytest.raises(MemoryNotFound, match="not an entity"):
        repo.tr.entities("delete", ids=[memory.id])
    assert repo.tr.read(memory.id).status == "active"


def test_merging_moves_every_link(repo: Repo) -> None:
    """A dry run first; then one commit, after which all links lead to the one that stays."""
    tr = repo.tr
    one = tr.entities("add", name="PostgreSQL", kind="technology")["id"]
    two = tr.entities("add", name="pg", kind="technology", properties={"port": 5432})["id"]
    three = tr.entities("add", name="PG database", kind="concept")["id"]
    ada = tr.entities("add", name="Ada", kind="person")["id"]
    uses = tr.remember("service", type="component", links=[f"uses:{two}", f"mentions:{three}"])
    both = tr.remember("both", type="insight", links=[f"mentions:{one}", f"mentions:{two}"])
    before = repo.refs()

    plan = tr.entities("merge", ids=[one, two, "PG database"])

    assert plan["dry_run"] is True
    assert (plan["into"], set(plan["merged"]), plan["links_moved"]) == (one, {two, three}, 3)
    assert repo.refs() == before

    done = tr.entities("merge", ids=[one, two, "PG database"], dry_run=False)

    assert (done["dry_run"], done["links_moved"]) == (False, 3)
    assert repo.git("rev-list", "--count", *before.values(), "^" + repo.git(
        "rev-parse", "refs/treering/heads/main"
    )) == "0"  # fmt: skip
    tip = repo.refs()["refs/treering/heads/main"]
    assert repo.git("rev-parse", f"{tip}^") == before["refs/treering/heads/main"]
    assert {(ln.relation, ln.id) for ln in tr.read(uses.id).links} == {
        ("uses", one), ("mentions", one),
    }  # fmt: skip
    assert [(ln.relation, ln.id) for ln in tr.read(both.id).links] == [("mentions", one)]
    got = tr.entities("get", name="pg")
    assert (got["id"], got["name"]) == (one, "PostgreSQL")
    assert set(got["aliases"]) == {"pg", "PG database"}
    assert got["properties"] == {"port": 5432}
    assert sorted(names(tr.entities("list"))) == [("Ada", "person"), ("PostgreSQL", "technology")]
    assert tr.entities("add", name="PG", kind="technology")["id"] == one
    assert ada


def test_merging_under_a_new_name_keeps_the_old_ones(repo: Repo) -> None:
    """And links that the merged one held go over, too."""
    tr = repo.tr
    goal = tr.remember("the goal", type="concept")
    one = tr.entities("add", name="js", kind="concept")["id"]
    two = tr.entities("add", name="ecmascript", kind="concept")["id"]
    tr.revise(two, confidence=0.9)
    linked = tr.remember("x", type="insight", links=[f"mentions:{two}"])

    tr.entities("merge", ids=[one, two], canonical="JavaScript", dry_run=False)

    got = tr.entities("get", name="JavaScript")
    assert (got["id"], got["aliases"]) == (one, ["js", "ecmascript"])
    assert [ln.id for ln in tr.read(linked.id).links] == [one]
    assert goal


def test_merging_needs_two(repo: Repo) -> None:
    """Nothing is written otherwise."""
    one = repo.tr.entities("add", name="a1", kind="concept")["id"]

    for ids in ([], [one], [one, "A1"]):
        with pytest.raises(Invalid):
            repo.tr.entities("merge", ids=ids, dry_run=False)
    with pytest.raises(MemoryNotFound):
        repo.tr.entities("merge", ids=[one, "nobody"], dry_run=False)


def test_text_is_extracted_and_stored_on_request(repo: Repo) -> None:
    """What is known already keeps its id."""
    tr = repo.tr
    redis = tr.entities("add", name="Redis", kind="technology")["id"]
    text = "Alice from Anthropic moved src/cache.py to redis"

    looked = tr.entities("extract", text=text)
    tip = repo.refs()
    stored = tr.entities("extract", text=text, store=True)

    assert looked["stored"] is False
    ids = {item["name"]: item["id"] for item in looked["entities"]}
    assert ids == {"Redis": redis, "src/cache.py": "", "Anthropic": "", "Alice": ""}
    assert stored["stored"] is True
    assert all(item["id"] for item in stored["entities"])
    assert repo.git("rev-parse", "refs/treering/heads/main^") == tip["refs/treering/heads/main"]
    assert len(tr.entities("list")["entities"]) == 4
    assert tr.entities("extract", text=text, min_confidence=0.9)["entities"][0]["confidence"] >= 0.9


def test_extraction_from_memories_links_them(repo: Repo) -> None:
    """So that the graph knows who speaks of what."""
    tr = repo.tr
    memory = tr.remember("Kafka replaced RabbitMQ", type="decision")

    answer = tr.entities("extract", ids=[memory.id], store=True)
    tr.entities("extract", ids=[memory.id], store=True)

    linked = {ln.id for ln in tr.read(memory.id).links if ln.relation == "mentions"}
    assert linked == {item["id"] for item in answer["entities"]}
    assert len(linked) == 2


def test_entities_of_a_branch_stay_there(repo: Repo) -> None:
    """Like memories."""
    repo.tr.entities("add", name="Redis", kind="technology")
    repo.switch("feature", create=True)
    repo.tr.entities("add", name="Kafka", kind="technology")

    assert len(repo.tr.entities("list")["entities"]) == 2
    assert names(repo.tr.entities("list", branch="main")) == [("Redis", "technology")]


def test_bad_input_is_refused(repo: Repo) -> None:
    """By name, kind, number and size."""
    tr = repo.tr
    for op, more in (
        ("nonsense", {}), ("add", {}), ("add", {"name": "x", "kind": "animal"}), ("get", {}),
        ("delete", {}), ("extract", {}), ("list", {"limit": 0}),
        ("extract", {"text": "x", "min_confidence": 2}),
        ("add", {"name": "x", "properties": {"a": {"b": 1}}}),
    ):  # fmt: skip
        with pytest.raises(Invalid):
            tr.entities(op, **more)
    with pytest.raises(BlockedSecret):
        tr.entities("add", name="AKIAQWERTYUIOPASDFGH")
    assert repo.refs() == {}


def test_the_command_line(repo: Repo) -> None:
    """Names as arguments."""
    added = repo.json("entities", "add", "Ada Lovelace", "--kind", "person", "--property", "x=1")

    assert repo.json("entities", "list")["entities"][0]["id"] == added["id"]
    assert repo.json("entities", "get", "ada", "lovelace")["properties"] == {"x": "1"}
    assert "redis" in repo.cli("entities", "extract", "we use redis").stdout.lower()
    assert repo.json("entities", "extract", feed="we use Redis")["entities"][0]["name"] == "Redis"
    repo.json("entities", "add", "Ada L", "--kind", "person")
    merged = repo.json("entities", "merge", "Ada Lovelace", "Ada L", "--apply")
    assert merged["dry_run"] is False
    assert repo.json("entities", "delete", "Ada Lovelace")["deleted"] == [added["id"]]
    assert repo.error("entities", "get", "nobody")["code"] == "memory_not_found"


def test_what_only_a_private_memory_names_stays_private(repo: Repo) -> None:
    """Names are as private as the text they are from; what a shared text names is shared."""
    tr = repo.tr
    secret = tr.remember(
        "Ada Lovelace from Initech moves to PostgreSQL", type="decision", private=True
    )
    shared = tr.remember("Sessions move to PostgreSQL", type="decision")

    found = tr.entities("extract", ids=[secret.id, shared.id], store=True)["entities"]

    by_name = {item["name"]: repo.tr.read(item["id"]).private for item in found}
    assert by_name == {"Ada Lovelace": True, "Initech": True, "PostgreSQL": False}
    files = "".join(repo.git("show", f"refs/treering/heads/main:{name}") for name in repo.files())
    assert "Lovelace from" not in files
    assert "Initech" not in files
    assert found[0]["id"] in {link.id for link in repo.tr.read(secret.id).links}


def test_merging_tells_nobody_what_is_private(repo: Repo) -> None:
    """A private name adds nothing to a shared entity, and takes none in."""
    tr = repo.tr
    shared = tr.entities("add", name="Postgres", kind="technology")["id"]
    secret = tr.remember("Ada Lovelace moves to PostgreSQL", type="decision", private=True)
    found = tr.entities("extract", ids=[secret.id], store=True)["entities"]
    private = next(item["id"] for item in found if item["name"] == "PostgreSQL")

    with pytest.raises(Invalid):
        tr.entities("merge", ids=[private, shared], dry_run=False)
    merged = tr.entities("merge", ids=[shared, private], dry_run=False)

    assert (merged["into"], merged["merged"]) == (shared, [private])
    assert tr.entities("get", name="Postgres")["aliases"] == []
    assert [(ln.id, ln.relation) for ln in tr.read(secret.id).links if ln.id == shared] == [
        (shared, "mentions")
    ]


def test_what_an_extraction_links_is_nobodys_change(repo: Repo) -> None:
    """Of two versions of a memory the one that a person changed last must win, and a link that was
    taken away stays away."""
    memory = repo.tr.remember("Ada Lovelace moved src/db.py to Redis", type="insight").id
    before = repo.tr.read(memory).modified

    found = repo.tr.entities("extract", ids=[memory], store=True)["entities"]
    linked = repo.tr.read(memory)
    target = next(entity["id"] for entity in found if entity["name"] == "Redis")
    repo.tr.link(memory, target, relation="mentions", remove=True)
    repo.tr.entities("extract", ids=[memory], store=True)

    assert linked.modified == before
    assert {link.id for link in linked.links} == {entity["id"] for entity in found}
    assert target not in {link.id for link in repo.tr.read(memory).links}
