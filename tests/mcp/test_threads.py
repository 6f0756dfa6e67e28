"""Calls at the same time, long work that tells how far it is, and work that is given up."""

import threading

import anyio

from treering.mcp.repository import ServedRepository
from treering.mcp.server import make_server

from .conftest import play


def test_calls_at_the_same_time_all_come_true(agent, repo):
    """Handlers run on threads, over one index and one object store."""

    async def story(it):
        async def write(number):
            await it.answer("remember", content=f"Note {number} of many", type="insight")
            await it.answer("recall", query=f"note {number}")
            await it.answer("recall", query="many", limit=3, expand=1)
            await it.answer("status")

        async with anyio.create_task_group() as tasks:
            for number in range(24):
                tasks.start_soon(write, number)
        return await it.answer("recall", query="many", limit=100, detail="light")

    answer = agent(story)
    assert {r["title"] for r in answer["results"]} == {f"Note {n} of many" for n in range(24)}


def test_long_work_tells_how_far_it_is(agent, repo):
    """A client that asked for progress shows a bar instead of a standstill."""
    tr = repo.tr
    for number in range(150):
        tr.remember(f"Note {number}", type="insight")
    heard = []

    async def progress(done, total, _message):
        heard.append((done, total))

    async def story(it):
        result = await it.client.call_tool(
            "maintain", {"op": "reindex"}, progress_callback=progress
        )
        assert not result.is_error, result

    agent(story)
    assert heard[-1] == (150, 150)


def test_work_that_is_given_up_ends_and_harms_nothing(repo, era, monkeypatch):
    """The client's timeout is no reason to go on for minutes."""
    import treering.actions.searcher as module

    repo.tr.remember("Still there", type="insight")
    ended = threading.Event()
    begun = threading.Event()

    def endless(_workspace, *, dry_run, progress=None):
        try:
            while True:
                begun.set()
                progress(1, 100)
                threading.Event().wait(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(module, "reindex", endless)

    async def story(it):
        with anyio.move_on_after(0.5):
            await it.client.call_tool("maintain", {"op": "reindex"})
        return await it.answer("recall")

    answer = play(make_server(ServedRepository(repo.path)), story, era=era)

    assert begun.is_set()
    assert ended.wait(10)
    assert answer["total"] == 1
