"""How long answers are, what is kept of those that were cut, and what errors tell."""

import json
import os

from treering.actions import read as reading
from treering.mcp.replies import MOST, USUAL

SENTENCE = "The cache is keyed by blob id, so a promotion costs it nothing. "
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def fill(repo, count, size=1):
    tr = repo.tr
    for number in range(count):
        tr.remember(f"Note {number} on caches\n\n{SENTENCE * size}", type="insight")


def test_an_answer_is_cut_between_memories_and_says_so(agent, repo):
    """An agent pays for every character; what it does not get it must know of."""
    fill(repo, 40, size=5)

    async def story(it):
        return await it.said("recall")

    text, _ = agent(story)
    answer = json.loads(text)
    assert len(text) < USUAL
    assert answer["total"] == 40
    assert 1 < len(answer["results"]) < 40
    assert answer["out"].startswith("out:")


def test_pages_of_cut_answers_cover_everything_once(agent, repo):
    """The cursor goes on where the cut was, not where the page would have ended."""
    fill(repo, 40, size=5)

    async def story(it):
        seen, cursor = [], ""
        while True:
            answer = await it.answer("recall", query="caches", cursor=cursor)
            seen += [result["id"] for result in answer["results"]]
            if not (cursor := answer["cursor"]):
                return seen

    seen = agent(story)
    assert len(seen) == len(set(seen)) == 40


def test_who_says_how_many_gets_more(agent, repo):
    """Up to the most any client takes."""
    fill(repo, 60, size=30)

    async def story(it):
        some = await it.answer("recall", query="caches", limit=30, detail="light")
        text, _ = await it.said("recall", query="caches", limit=60, detail="full")
        return some, text

    some, text = agent(story)
    answer = json.loads(text)
    assert len(some["results"]) == 30
    assert USUAL < len(text) <= MOST
    assert answer["cursor"]
    assert all(result["content"].count(SENTENCE) == 30 for result in answer["results"])


def test_what_was_cut_is_kept_and_listed(agent, repo):
    """The pieces together are the whole answer."""
    fill(repo, 40, size=5)

    async def story(it):
        cut = await it.answer("recall")
        listed = await it.answer("status", view="outputs")
        pieces, offset = [], 0
        while offset is not None:
            piece = await it.answer("read", id=cut["out"], offset=offset)
            pieces.append(piece["content"])
            offset = piece["next_offset"]
        return cut, listed, "".join(pieces)

    cut, listed, whole = agent(story)
    assert [output["id"] for output in listed["outputs"]] == [cut["out"]]
    assert len(json.loads(whole)["results"]) == 40
    assert repo.json("read", cut["out"])["content"] == whole[: reading.PIECE]


def test_a_memory_is_read_whole_or_in_parts(agent, repo):
    """Up to the most a client takes it comes whole; beyond that it says where to go on."""
    small, large = "word " * 4_000, "wörd\n" * 20_000
    first = repo.tr.remember(small, type="insight").id
    second = repo.tr.remember(large, type="insight").id

    async def story(it):
        whole = await it.answer("read", id=first)
        parts, offset = "", 0
        while True:
            text, _ = await it.said("read", id=second, offset=offset)
            assert len(text) <= MOST
            answer = json.loads(text)
            parts += answer["content"]
            if "next_offset" not in answer:
                return whole, parts
            offset = answer["next_offset"]

    whole, parts = agent(story)
    assert whole["content"] == repo.tr.read(first).content
    assert parts == repo.tr.read(second).content


def test_long_lists_of_any_answer_are_cut(agent, repo):
    """Not only recall can be long."""
    tr = repo.tr
    for start in range(0, 400, 40):
        tags = [f"{n}-{'tag' * 20}" for n in range(start, start + 40)]
        tr.remember(f"Tagged from {start}", type="insight", tags=tags)

    async def story(it):
        return await it.said("status", view="tags")

    text, _ = agent(story)
    answer = json.loads(text)
    assert len(text) < USUAL
    assert answer["total"] == 400
    assert len(answer["tags"]) < 400
    assert answer["out"]


def test_kept_outputs_are_bounded(repo, monkeypatch):
    """The oldest go first; the newest is always there."""
    monkeypatch.setattr(reading, "MOST", 1000)
    workspace = repo.workspace
    ids = []
    for number in range(5):
        ids.append(reading.keep_output(workspace, f"{number}" * 400))
        file = workspace.store.folder / "state" / "outputs" / ids[-1].removeprefix("out:")
        os.utime(file, (number, number))

    assert {output.id for output in reading.list_outputs(workspace)} == set(ids[-2:])


def test_kept_outputs_are_for_the_owner_alone(repo):
    """They may hold private memories."""
    kept = reading.keep_output(repo.workspace, "text")
    file = repo.path / ".git/treering/state/outputs" / kept.removeprefix("out:")

    assert file.stat().st_mode & 0o077 == 0


def test_where_nothing_can_be_kept_the_answer_is_cut_all_the_same(agent, repo):
    """What is kept is never needed."""
    fill(repo, 40, size=5)
    (repo.path / ".git/treering").mkdir(exist_ok=True)
    for name in ("state", f"state-{os.geteuid()}"):
        (repo.path / ".git/treering" / name).write_text("in the way")

    async def story(it):
        return await it.answer("recall")

    answer = agent(story)
    assert answer["out"] == ""
    assert answer["cursor"]


def test_errors_tell_nothing_about_this_machine(agent, repo, tmp_path):
    """An error text goes to a model, and from there anywhere."""

    async def story(it):
        return [
            await it.said("recall", at=str(tmp_path / "secret-folder" / "file")),
            await it.said("remember", content="x", files=[str(tmp_path / "outside" / "file")]),
            await it.said("recall", scope="s" * 5_000),
            await it.said("recall", type=TOKEN),
            await it.said("read", id=TOKEN),
            await it.said("read", id=f"out:{TOKEN}"),
            await it.said("recall", **{TOKEN: 1}),
            await it.said("remember", content=f"the token is {TOKEN}"),
            await it.said("recall", branch="b" * 300),
            await it.said("recall", limit=f"/etc/{'x' * 300}"),
        ]

    for text, is_error in agent(story):
        assert is_error, text
        assert str(tmp_path) not in text
        assert TOKEN not in text
        assert "x" * 101 not in text
        assert "s" * 101 not in text
        assert "b" * 101 not in text
        assert json.loads(text)["error"].keys() == {"code", "message", "hint"}


def test_a_secret_is_refused_by_kind(agent, repo):
    """The agent learns what was wrong, not the secret."""

    async def story(it):
        return await it.error("remember", content=f"the token is {TOKEN}")

    error = agent(story)
    assert error["code"] == "blocked_secret"
    assert repo.refs() == {}


def test_a_bug_is_an_answer(agent, repo, monkeypatch):
    """The server lives on, and the details stay here."""
    import treering.actions.recall as module

    monkeypatch.setattr(module, "recall", lambda *_, **__: 1 / 0)

    async def story(it):
        failed = await it.error("recall")
        return failed, await it.answer("status")

    failed, fine = agent(story)
    assert failed["code"] == "internal"
    assert fine["format"] == 1


def test_an_agent_asks_what_its_branch_overrules(agent, repo):
    repo.commit_file("db.py", "timeout = 30\n")
    decision = repo.tr.remember("Thirty seconds", type="decision", files=["db.py"]).id
    repo.switch("quick", create=True)
    repo.commit_file("db.py", "timeout = 3\n")

    async def story(agent):
        return await agent.answer("status", view="guard"), await agent.answer(
            "status", view="guard", branch="quick"
        )

    here, named = agent(story)

    (finding,) = here["findings"]
    assert (finding["path"], finding["from"], finding["memory"]["id"]) == ("db.py", 1, decision)
    assert finding["acknowledged"] is False
    assert here["range"] == "main..HEAD"
    assert [f["memory"]["id"] for f in named["findings"]] == [decision]
